//! What was perhaps meant in place of what was typed.

use trueline_diagnostic::{Diagnostic, Edit};

use crate::field_error::{FieldError, Reason};

/// Offers a text in place of what stands at the finding's place. It is the bare text: whoever knows the source puts it
/// into the quotes that stand there.
pub fn offer(finding: Diagnostic, text: &str) -> Diagnostic {
    let edit = Edit { span: finding.primary.span, replacement: text.to_owned() };
    let description = format!("write `{text}`");
    let finding = match finding.help {
        None => finding.help(description.clone()),
        Some(_) => finding,
    };
    finding.fix(description, vec![edit])
}

/// The kind that was perhaps meant. The beginning of a name is not enough: `Config` is no slip for `ConfigMap`, nor is the
/// list of a kind one for the kind.
pub fn nearest_kind<'n>(typed: &str, kinds: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    const LETTERS: usize = 2;
    trueline_diagnostic::nearest(
        typed,
        kinds.filter(|kind| kind.len().abs_diff(typed.len()) <= LETTERS).take(MOST),
    )
}

/// How many names are compared with one that was typed. Many names that are not there, beside many that are, would take
/// the product of both.
const MOST: usize = 200;

/// The name that is nearest to what was typed.
pub(crate) fn nearest<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    trueline_diagnostic::nearest(typed, names.into_iter().take(MOST))
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
    fn kinds_are_offered_for_slips_only() {
        let kinds = ["ConfigMap", "Pod", "Service", "ServiceAccount"];
        for (typed, meant) in [
            ("Configmap", Some("ConfigMap")),
            ("ConfigMaps", Some("ConfigMap")),
            ("Pods", Some("Pod")),
            ("Sevrice", Some("Service")),
            ("ConfigMapList", None),
            ("Config", None),
            ("ServiceMonitor", None),
        ] {
            assert_eq!(nearest_kind(typed, kinds.into_iter()), meant, "{typed}");
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
