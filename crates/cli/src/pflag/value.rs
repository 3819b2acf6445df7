//! The values of flags as Go reads them, with its words for what is wrong.

use trueline_gostd::time::Duration;

use super::FlagKind;
use super::fault::{NumberProblem, QuoteProblem, ValueFault};

/// What a value stands for: one text, or several for a list.
pub(super) fn read(kind: FlagKind, value: &str) -> Result<Vec<String>, ValueFault> {
    let one = |value: String| Ok(vec![value]);
    match kind {
        FlagKind::Text | FlagKind::Array | FlagKind::Checked | FlagKind::CheckedArray => {
            one(value.to_owned())
        }
        FlagKind::Switch => match value {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => one("true".to_owned()),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => one("false".to_owned()),
            _ => Err(number_error("ParseBool", value, NumberProblem::Syntax)),
        },
        FlagKind::Slice if value.is_empty() => Ok(Vec::new()),
        FlagKind::Slice => record(value),
        FlagKind::Integer => integer(value).and_then(|number| one(number.to_string())),
        FlagKind::Float => float(value).and_then(|()| one(value.to_owned())),
        FlagKind::Duration => duration(value).and_then(|_| one(value.to_owned())),
        FlagKind::Pairs => pairs(value),
    }
}

fn number_error(function: &'static str, value: &str, problem: NumberProblem) -> ValueFault {
    ValueFault::Number { function, value: value.to_owned(), problem }
}

/// An integer with an optional sign, base and `_` between digits.
fn integer(value: &str) -> Result<i64, ValueFault> {
    let syntax = || number_error("ParseInt", value, NumberProblem::Syntax);
    let (is_negative, digits) = match value.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, value.strip_prefix('+').unwrap_or(value)),
    };
    let lower = digits.to_ascii_lowercase();
    let (base, body, has_base) = if let Some(body) = lower.strip_prefix("0x") {
        (16, body, true)
    } else if let Some(body) = lower.strip_prefix("0b") {
        (2, body, true)
    } else if let Some(body) = lower.strip_prefix("0o") {
        (8, body, true)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, lower.get(1..).unwrap_or_default(), true)
    } else {
        (10, lower.as_str(), false)
    };
    // `_` stands between digits, or between a base and a digit.
    let mut number: i128 = 0;
    let mut is_after_digit = has_base;
    let mut is_digit = false;
    for character in body.chars() {
        if character == '_' && is_after_digit {
            is_after_digit = false;
            is_digit = false;
            continue;
        }
        let digit = character.to_digit(base).ok_or_else(syntax)?;
        number = number.saturating_mul(base.into()).saturating_add(digit.into());
        is_after_digit = true;
        is_digit = true;
    }
    if !is_digit {
        return Err(syntax());
    }
    let number = if is_negative { -number } else { number };
    i64::try_from(number).map_err(|_| number_error("ParseInt", value, NumberProblem::Range))
}

/// Whether a string is a number of 32 bits; what it is worth matters to nobody here.
fn float(value: &str) -> Result<(), ValueFault> {
    let plain = value.replace('_', "");
    match plain.parse::<f64>() {
        Ok(number) if number.is_finite() && (number as f32).is_infinite() => {
            Err(number_error("ParseFloat", value, NumberProblem::Range))
        }
        Ok(number)
            if number.is_infinite() && plain.contains(|character: char| character.is_ascii_digit()) =>
        {
            Err(number_error("ParseFloat", value, NumberProblem::Range))
        }
        Ok(_) => Ok(()),
        Err(_) => Err(number_error("ParseFloat", value, NumberProblem::Syntax)),
    }
}

/// `key=value` with commas between several.
fn pairs(value: &str) -> Result<Vec<String>, ValueFault> {
    let unformatted = |pair: &str| ValueFault::NoPair(pair.to_owned());
    let pairs = match value.matches('=').count() {
        0 => return Err(unformatted(value)),
        1 => vec![value.trim_matches('"').to_owned()],
        _ => record(value)?,
    };
    match pairs.iter().find(|pair| !pair.contains('=')) {
        Some(pair) => Err(unformatted(pair)),
        None => Ok(pairs),
    }
}

/// The comma-separated fields of the first line of a string, as `encoding/csv` reads them: a field in quotes may hold
/// commas, line breaks and doubled quotes.
fn record(text: &str) -> Result<Vec<String>, ValueFault> {
    let text = text.replace("\r\n", "\n");
    let blank = text.len() - text.trim_start_matches('\n').len();
    let first_line = 1 + blank;
    let body = text.get(blank..).unwrap_or_default();
    if body.is_empty() {
        return Err(ValueFault::Empty);
    }
    let mut reader = Record { body, at: 0, line: first_line, line_start: 0, first_line };
    let mut fields = Vec::new();
    loop {
        let (field, more) = if body.get(reader.at..).is_some_and(|rest| rest.starts_with('"')) {
            reader.quoted()?
        } else {
            reader.plain()?
        };
        fields.push(field);
        if !more {
            return Ok(fields);
        }
    }
}

struct Record<'t> {
    body: &'t str,
    at: usize,
    line: usize,
    line_start: usize,
    first_line: usize,
}

impl Record<'_> {
    fn rest(&self) -> &str {
        self.body.get(self.at..).unwrap_or_default()
    }

    /// A field up to the next comma or the end of the line, and whether another follows.
    fn plain(&mut self) -> Result<(String, bool), ValueFault> {
        let end = self.rest().find([',', '\n']).unwrap_or(self.rest().len());
        let field = self.rest().get(..end).unwrap_or_default().to_owned();
        if let Some(quote) = field.find('"') {
            return Err(self.error(self.at + quote, QuoteProblem::Bare));
        }
        let more = self.rest().get(end..).is_some_and(|rest| rest.starts_with(','));
        self.at += end + 1;
        Ok((field, more))
    }

    fn quoted(&mut self) -> Result<(String, bool), ValueFault> {
        self.at += 1;
        let mut field = String::new();
        loop {
            let rest = self.body.get(self.at..).unwrap_or_default();
            let Some(end) = rest.find(['"', '\n']) else {
                return Err(self.error(self.body.len(), QuoteProblem::Unmatched));
            };
            field.push_str(rest.get(..end).unwrap_or_default());
            let behind = rest.get(end + 1..).unwrap_or_default();
            if rest.get(end..).is_some_and(|rest| rest.starts_with('\n')) {
                field.push('\n');
                self.at += end + 1;
                self.line += 1;
                self.line_start = self.at;
            } else if behind.starts_with('"') {
                field.push('"');
                self.at += end + 2;
            } else if behind.is_empty() || behind.starts_with(['\n', ',']) {
                let more = behind.starts_with(',');
                self.at += end + 2;
                return Ok((field, more));
            } else {
                return Err(self.error(self.at + end, QuoteProblem::Unmatched));
            }
        }
    }

    fn error(&self, at: usize, problem: QuoteProblem) -> ValueFault {
        let column = at.saturating_sub(self.line_start) + 1;
        ValueFault::Quote { problem, line: self.line, column, first_line: self.first_line }
    }
}

/// The nanoseconds of a duration such as `1h30m`.
pub(super) fn duration(value: &str) -> Result<f64, ValueFault> {
    let read = Duration::parse(value.as_bytes()).map(|duration| duration.0 as f64);
    read.map_err(|error| ValueFault::Duration(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_csv() {
        for (text, fields) in [
            ("a,b", Ok(vec!["a", "b"])),
            ("\"a,b\",c", Ok(vec!["a,b", "c"])),
            ("a,", Ok(vec!["a", ""])),
            ("\"a\"\"b\"", Ok(vec!["a\"b"])),
            ("\"\"", Ok(vec![""])),
            ("a\nb", Ok(vec!["a"])),
            ("\"a\r\nb\"", Ok(vec!["a\nb"])),
            ("\n", Err("EOF")),
            ("a,\"b", Err("parse error on line 1, column 5: extraneous or missing \" in quoted-field")),
            ("\"a\"b", Err("parse error on line 1, column 3: extraneous or missing \" in quoted-field")),
            ("ab,c\"d\"", Err("parse error on line 1, column 5: bare \" in non-quoted-field")),
            (
                "\"a\nb\"x",
                Err(
                    "record on line 1; parse error on line 2, column 2: extraneous or missing \" in quoted-field",
                ),
            ),
        ] {
            let expected = fields
                .map(|fields| fields.into_iter().map(str::to_owned).collect::<Vec<_>>())
                .map_err(str::to_owned);
            assert_eq!(record(text).map_err(|fault| fault.to_string()), expected, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_read_as_go_reads_them() {
        for (text, number) in [
            ("1_000", 1000),
            ("0x1f", 31),
            ("0b11", 3),
            ("0o17", 15),
            ("017", 15),
            ("-5", -5),
            ("+5", 5),
            ("0", 0),
        ] {
            assert_eq!(integer(text), Ok(number), "{text}");
        }
        for text in ["", "1__0", "08", "x", "_1", "1_"] {
            let error = format!("strconv.ParseInt: parsing \"{text}\": invalid syntax");
            assert_eq!(integer(text).map_err(|fault| fault.to_string()), Err(error));
        }
        assert!(integer("99999999999999999999").unwrap_err().to_string().ends_with("value out of range"));
        assert!(float("1e40").unwrap_err().to_string().ends_with("value out of range"));
        assert!(float("x").is_err() && float(".5").is_ok() && float("inf").is_ok());
    }

    #[test]
    fn durations_are_read_as_go_reads_them() {
        for text in ["1h2m", "-5s", "1.5h", "+3ms", "0", "1µs", "1.s", "300s"] {
            assert!(duration(text).is_ok(), "{text}");
        }
        for (text, problem) in [
            ("", "invalid duration \"\""),
            ("x", "invalid duration \"x\""),
            ("5", "missing unit in duration \"5\""),
            ("5x", "unknown unit \"x\" in duration \"5x\""),
            ("1e3s", "unknown unit \"e\" in duration \"1e3s\""),
            (".s", "invalid duration \".s\""),
            ("3000000h", "invalid duration \"3000000h\""),
        ] {
            assert_eq!(duration(text).map_err(|fault| fault.to_string()), Err(format!("time: {problem}")));
        }
    }
}
