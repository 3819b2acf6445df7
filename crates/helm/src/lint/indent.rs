//! Whether what a template wrote begins with an indent: most often a blank that was not meant to be there.

use trueline_gotemplate::fmt::quote;

/// The longest line that Go's scanner takes.
const LONGEST_LINE: usize = 64 * 1024;

/// The warning about the first line that is not blank.
pub(super) fn warning(text: &str) -> Option<String> {
    for line in text.split('\n') {
        if line.len() >= LONGEST_LINE {
            return Some("bufio.Scanner: token too long".to_owned());
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.trim().is_empty() {
            continue;
        }
        let is_indented = line.starts_with([' ', '\t']);
        return is_indented.then(|| {
            format!(
                "document starts with an illegal indent: {}, which may cause parsing problems",
                quote(line)
            )
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::warning;

    #[test]
    fn only_the_first_line_with_something_on_it_counts() {
        for (text, line) in [
            ("a: 1\n  b: 2\n", None),
            ("\n \t\n  a: 1\r\n", Some("\"  a: 1\"")),
            ("\tx", Some("\"\\tx\"")),
            ("", None),
        ] {
            let text = warning(text);
            assert_eq!(text.is_some(), line.is_some());
            assert!(text.unwrap_or_default().contains(line.unwrap_or_default()));
        }
        assert_eq!(warning(&"a".repeat(70_000)).as_deref(), Some("bufio.Scanner: token too long"));
    }
}
