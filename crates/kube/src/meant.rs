//! What was perhaps meant in place of what was typed.

use trueline_diagnostic::{Diagnostic, Edit, nearest};

use crate::field_error::{FieldError, Reason};

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

#[cfg(test)]
mod tests {
    use super::*;

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
