//! The value of a string literal.

/// The value of a literal, given with its quotes and its `r`.
pub(super) fn unquote(literal: &[u8]) -> Result<Vec<u8>, String> {
    let (raw, quoted) = match literal {
        [b'r', rest @ ..] => (true, rest),
        _ => (false, literal),
    };
    let quote = quoted.first().copied().unwrap_or(b'"');
    let triple = quoted.len() >= 6 && quoted.iter().take(3).all(|byte| *byte == quote);
    let width = if triple { 3 } else { 1 };
    let mut rest = quoted.get(width..quoted.len().saturating_sub(width)).unwrap_or_default();
    let mut meaning = Vec::with_capacity(rest.len());
    while let Some(&first) = rest.first() {
        let read = match first {
            b'\r' => {
                meaning.push(b'\n');
                if rest.get(1) == Some(&b'\n') { 2 } else { 1 }
            }
            b'\\' if !raw => escape(rest, &mut meaning)?,
            _ => {
                meaning.push(first);
                1
            }
        };
        rest = rest.get(read..).unwrap_or_default();
    }
    Ok(meaning)
}

/// Appends the value of an escape sequence, and returns its length.
fn escape(rest: &[u8], meaning: &mut Vec<u8>) -> Result<usize, String> {
    let Some(&letter) = rest.get(1) else { return Err("truncated escape sequence \\".into()) };
    let single = match letter {
        b'\n' => return Ok(2),
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'\\' | b'\'' | b'"' => letter,
        b'0'..=b'7' => {
            let digits = rest.iter().skip(1).take(3).take_while(|digit| (b'0'..=b'7').contains(*digit));
            let (number, count) = digits
                .fold((0u32, 0), |(number, count), digit| (number * 8 + u32::from(digit - b'0'), count + 1));
            let byte = u8::try_from(number).map_err(|_| format!("invalid escape sequence \\{number:03o}"))?;
            meaning.push(byte);
            return Ok(1 + count);
        }
        b'x' => {
            let Some(digits) = rest.get(2..4) else {
                return Err(format!("truncated escape sequence {}", String::from_utf8_lossy(rest)));
            };
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let (Some(high), Some(low)) = (digit(digits[0]), digit(digits[1])) else {
                let shown = String::from_utf8_lossy(rest.get(..4).unwrap_or_default());
                return Err(format!("invalid escape sequence {shown}"));
            };
            meaning.push((high * 16 + low) as u8);
            return Ok(4);
        }
        // An unknown escape sequence stands for itself.
        _ => {
            meaning.extend_from_slice(&[b'\\', letter]);
            return Ok(2);
        }
    };
    meaning.push(single);
    Ok(2)
}
