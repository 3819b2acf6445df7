//! How outputs of Helm are compared, and what is said where they differ.

use std::fmt::Write;

/// What differs, in a line; below it the lines around the first difference.
pub(super) fn difference(what: &str, found: &[u8], wanted: &[u8]) -> String {
    const BEFORE: usize = 3;
    const SHOWN: usize = 12;
    let found: Vec<String> = lines(found);
    let wanted: Vec<String> = lines(wanted);
    let first = found.iter().zip(&wanted).take_while(|(found, wanted)| found == wanted).count();
    let mut text = format!("{what} differs in line {} of {}\n", first + 1, wanted.len());
    let start = first.saturating_sub(BEFORE);
    for line in &wanted[start..first] {
        let _ = writeln!(text, "    {line}");
    }
    for (sign, side) in [('-', &wanted), ('+', &found)] {
        for line in side.iter().skip(first).take(SHOWN) {
            let _ = writeln!(text, "  {sign} {line}");
        }
    }
    text
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).split('\n').map(|line| line.replace('\r', "\u{240d}")).collect()
}

/// The same lines in whatever order, the names in a list of additional properties too: Helm's own order changes
/// from run to run.
pub(super) fn same_lines(found: &str, wanted: &str) -> bool {
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.split('\n').map(sorted_names).collect();
        lines.sort();
        lines
    };
    sorted(found) == sorted(wanted)
}

fn sorted_names(line: &str) -> String {
    const START: &str = "additional properties ";
    const END: &str = " not allowed";
    let parts = line.rfind(START).and_then(|start| {
        let names = line.get(start + START.len()..)?.strip_suffix(END)?;
        Some((line.get(..start)?, names))
    });
    match parts {
        Some((before, names)) => {
            let mut names: Vec<&str> = names.split(", ").collect();
            names.sort_unstable();
            format!("{before}{START}{}{END}", names.join(", "))
        }
        None => line.to_owned(),
    }
}

/// Whether an error says what Helm says, if not in its words: every place `file:line` of Helm's error, and its
/// last clause.
pub(super) fn names_the_same(found: &str, wanted: &str) -> Result<(), String> {
    let Some(start) = wanted.find("Error: ") else { return Ok(()) };
    let error = &wanted[start..];
    let body = error.split("\n\nUse --debug flag").next().unwrap_or(error).trim_end();
    let last = body.rsplit('\n').find(|line| !line.trim().is_empty()).unwrap_or_default();
    let clause = last.rsplit(": ").next().unwrap_or(last).trim();
    if !found.contains(clause) {
        return Err(format!("`{clause}` is not in standard error:\n{found}"));
    }
    match places(body).into_iter().find(|place| !found.contains(place.as_str())) {
        Some(place) => Err(format!("the place `{place}` is not in standard error:\n{found}")),
        None => Ok(()),
    }
}

/// Places in templates: a path and a line.
fn places(text: &str) -> Vec<String> {
    text.split(|character: char| character.is_whitespace() || "()\"<>".contains(character))
        .filter_map(|word| {
            let mut parts = word.split(':');
            let file = parts.next().filter(|file| file.contains('/'))?;
            let line = parts.next().filter(|line| line.parse::<u32>().is_ok())?;
            Some(format!("{file}:{line}"))
        })
        .collect()
}

/// The text with every RFC 3339 time replaced.
pub(super) fn without_times(bytes: &[u8]) -> Vec<u8> {
    let mut masked = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        match time(rest) {
            Some(length) => {
                masked.extend_from_slice(b"@TIME@");
                rest = &rest[length..];
            }
            None => {
                masked.push(*first);
                rest = after;
            }
        }
    }
    masked
}

/// The length of the time that the text begins with.
fn time(text: &[u8]) -> Option<usize> {
    let fits = |text: &[u8], form: &[u8]| {
        text.len() >= form.len()
            && text.iter().zip(form).all(|(byte, form)| match form {
                b'0' => byte.is_ascii_digit(),
                form => byte == form,
            })
    };
    const FORM: &[u8] = b"0000-00-00T00:00:00";
    if !fits(text, FORM) {
        return None;
    }
    let mut length = FORM.len();
    if text.get(length) == Some(&b'.') {
        length += 1 + text[length + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    let zone = text.get(length..)?;
    match zone.first()? {
        b'Z' => Some(length + 1),
        b'+' | b'-' if fits(&zone[1..], b"00:00") => Some(length + 6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_may_come_in_any_order() {
        let one = "b\n- at '': additional properties 'x', 'y' not allowed\n";
        let other = "- at '': additional properties 'y', 'x' not allowed\nb\n";
        assert!(same_lines(one, other));
        assert!(!same_lines("a\nb", "a"));
    }

    #[test]
    fn the_place_and_the_last_clause_count() {
        let wanted = "Error: template: t/templates/t.yaml:2:13: executing \"t\" at <.x>: nil pointer\n\nUse --debug \
                      flag to render out invalid YAML\n";
        assert!(names_the_same("in t/templates/t.yaml:2, nil pointer", wanted).is_ok());
        assert!(names_the_same("in t/templates/t.yaml:3, nil pointer", wanted).is_err());
        assert!(names_the_same("in t/templates/t.yaml:2", wanted).is_err());
        assert!(names_the_same("whatever", "level=WARN msg=x\n").is_ok());
    }

    #[test]
    fn times_are_masked() {
        for (text, masked) in [
            ("a 2020-01-02T03:04:05Z b", "a @TIME@ b"),
            ("2020-01-02T03:04:05.123456+02:00", "@TIME@"),
            ("2020-01-02T03:04:05", "2020-01-02T03:04:05"),
            ("2020-01-02", "2020-01-02"),
        ] {
            assert_eq!(without_times(text.as_bytes()), masked.as_bytes());
        }
    }
}
