//! What was perhaps meant in place of what was typed.

use trueline_diagnostic::{Diagnostic, Edit, nearest};

use crate::field_error::{FieldError, Reason};
use crate::quantity::Quantity;

/// Offers a text in place of what stands at the finding's place. It is the bare text: whoever knows the source puts it
/// into the quotes that stand there.
pub fn offer(finding: Diagnostic, text: &str) -> Diagnostic {
    let edit = Edit { span: finding.primary.span, replacement: text.to_owned() };
    finding.fix(format!("write `{text}`"), vec![edit])
}

impl FieldError {
    /// The supported value that is nearest to what was typed.
    pub fn meant(&self) -> Option<String> {
        if self.reason != Reason::NotSupported {
            return None;
        }
        let supported = self.detail.strip_prefix("supported values: ")?;
        let typed = self.value.as_deref()?.strip_prefix('"')?.strip_suffix('"')?;
        let values = supported.split(", ").filter_map(|word| word.strip_prefix('"')?.strip_suffix('"'));
        nearest(typed, values).map(str::to_owned)
    }
}

/// The suffixes of amounts of storage, the largest first of those that begin alike.
const SUFFIXES: [&str; 12] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "k", "M", "G", "T", "P", "E"];

/// The amount that was meant by a text that is none: `1 GB` is `1G`, `512mib` is `512Mi`, `0,5` is `0.5`.
pub fn amount(typed: &str) -> Option<String> {
    let text: String = typed.chars().filter(|letter| !letter.is_whitespace()).collect();
    let end = text.find(|letter: char| !letter.is_ascii_digit() && !".,+-".contains(letter));
    let (number, suffix) = text.split_at(end.unwrap_or(text.len()));
    let number = number.replace(',', ".");
    let letters = suffix.to_ascii_lowercase();
    let letters = letters.strip_suffix("bytes").or_else(|| letters.strip_suffix('b')).unwrap_or(&letters);
    let suffix = match letters {
        "" => "",
        letters => SUFFIXES.into_iter().find(|known| known.eq_ignore_ascii_case(letters))?,
    };
    let meant = format!("{number}{suffix}");
    (meant != typed && Quantity::parse(&meant).is_ok()).then_some(meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_that_people_write() {
        for (typed, meant) in [
            ("1GB", Some("1G")),
            ("512 MiB", Some("512Mi")),
            ("512mib", Some("512Mi")),
            ("100 Mi", Some("100Mi")),
            ("0,5", Some("0.5")),
            ("10K", Some("10k")),
            ("3kb", Some("3k")),
            ("64 bytes", Some("64")),
            ("much", None),
            ("1.2.3Gi", None),
            ("1Xi", None),
            ("", None),
        ] {
            assert_eq!(amount(typed).as_deref(), meant, "{typed}");
        }
    }

    #[test]
    fn supported_values_are_offered() {
        let error = |value: &str, detail: &str| {
            FieldError::new(Reason::NotSupported, "a", detail, None).with_value(value).meant()
        };
        assert_eq!(
            error("\"namespaced\"", "supported values: \"Cluster\", \"Namespaced\""),
            Some("Namespaced".into())
        );
        assert_eq!(error("\"x\"", "supported values: \"Cluster\""), None);
        assert_eq!(error("5", "supported values: \"5a\""), None);
    }
}
