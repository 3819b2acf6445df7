//! What may have been meant in place of what was typed.

use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Edit};

use crate::field_error::FieldError;
use crate::field_path::FieldPath;
use crate::reason::Reason;

/// What may have been meant by a field that its type does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    /// Nothing is near.
    Unknown,
    /// Another name, for which it is a slip.
    Name(Arc<str>),
    /// It may be another name that shares words with it.
    Perhaps(Arc<str>),
    /// Its contents belong in the map around it.
    Wrapper,
    /// Another place: the paths of the maps that have such a field. An empty one is that of the object itself, and an empty
    /// key (`[]`) any item of a list.
    Inside(Vec<FieldPath>),
}

/// Offers a replacement for what is at the finding's place. It has no quotes: whoever knows the source puts it into the
/// quotes that are there.
pub fn offer(finding: Diagnostic, text: &str) -> Diagnostic {
    let edit = Edit { span: finding.primary.span, replacement: text.to_owned() };
    let description = format!("write `{text}`");
    let finding = match finding.help {
        None => finding.help(description.clone()),
        Some(_) => finding,
    };
    finding.fix(description, vec![edit])
}

/// The kind that may have been meant. The beginning of a name is not enough: `Config` is not a typo of `ConfigMap`, nor is the
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
pub fn nearest<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    trueline_diagnostic::nearest(typed, names.into_iter().take(MOST))
}

/// The name that was meant by a slip: one that differs in letters of its words. One that has another word means something
/// else, however many letters they share: `minUnavailable` is no slip for `maxUnavailable`.
pub fn slip_of<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // Most names are far, and their words need not be looked at.
    let is_near = |name: &str| trueline_diagnostic::nearest(typed, [name]).is_some();
    nearest(typed, names.into_iter().filter(|name| is_near(name) && is_slip(typed, name)))
}

/// Whether two names are the same but for capitals and what separates words.
pub fn is_same(one: &str, other: &str) -> bool {
    letters(one).eq(letters(other))
}

/// Whether the words of one name are the last of those of the other: `labels` and `matchLabels`.
pub fn is_ending(one: &str, other: &str) -> bool {
    if letters(one).last() != letters(other).last() {
        return false;
    }
    let (one, other) = (words(one), words(other));
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    !short.is_empty() && long.ends_with(&short)
}

/// Whether a name is the beginning of another: `terminationGracePeriod` and `terminationGracePeriodSeconds`.
pub fn is_beginning(typed: &str, name: &str) -> bool {
    const LETTERS: usize = 3;
    let mut name = letters(name);
    letters(typed).count() >= LETTERS && letters(typed).all(|letter| name.next() == Some(letter))
}

/// The letters and digits of a name in lower case.
fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}

fn is_slip(typed: &str, name: &str) -> bool {
    let (left, right) = (words(typed), words(name));
    if left.len() == right.len() {
        return left.iter().zip(&right).all(|(one, other)| is_slip_of_word(one, other));
    }
    // Without capitals, it is one word that was several.
    let is_one = left.len() == 1 || right.len() == 1;
    is_one && is_slip_of_word(&left.concat(), &right.concat())
}

fn is_slip_of_word(one: &str, other: &str) -> bool {
    const LETTERS: usize = 2;
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let more = long.len() - short.len();
    // `un` before a word is not a typo, nor is another word of two letters.
    let is_in_front = more > 1 && long.ends_with(short);
    let is_near = || trueline_diagnostic::nearest(one, [other]).is_some();
    one == other || short.len() > LETTERS && more <= LETTERS && !is_in_front && is_near()
}

/// The words of a name in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut begins = true;
    let mut was_capital = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            begins = true;
            continue;
        }
        // `IP` in `hostIP` is one word.
        begins |= letter.is_uppercase() && !was_capital;
        was_capital = letter.is_uppercase();
        match words.last_mut() {
            Some(word) if !begins => word.extend(letter.to_lowercase()),
            _ => words.push(letter.to_lowercase().collect()),
        }
        begins = false;
    }
    words
}

impl FieldError {
    /// The supported value that is nearest to what was typed.
    pub fn meant(&self) -> Option<String> {
        if self.reason() != Reason::NotSupported {
            return None;
        }
        let typed = self.value.as_deref()?.strip_prefix('"')?.strip_suffix('"')?;
        nearest(typed, self.choices()?.iter().map(|word| &**word)).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::UNSUPPORTED;
    use crate::field_path::FieldPath;
    use crate::server_rule::Breach;

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
    fn names_are_compared_word_by_word() {
        for (typed, name, expected) in [
            ("contaniers", "containers", true),
            ("hostnam", "hostname", true),
            ("imagepullpolcy", "imagePullPolicy", true),
            ("imagePullSecret", "imagePullSecrets", true),
            ("readOnlyRootFileSystem", "readOnlyRootFilesystem", false),
            ("activeDeadlineSeconds", "startingDeadlineSeconds", false),
            ("runAsRoot", "runAsGroup", false),
            ("minUnavailable", "maxUnavailable", false),
            ("maxAvailable", "maxUnavailable", false),
            ("hostIP", "hostID", false),
        ] {
            assert_eq!(slip_of(typed, [name]), Some(name).filter(|_| expected), "{typed}");
        }
        assert!(is_same("readOnlyRootFileSystem", "readOnlyRootFilesystem"));
        for (one, other, expected) in [
            ("labels", "matchLabels", true),
            ("updateStrategy", "strategy", true),
            ("minUnavailable", "maxUnavailable", false),
            ("name", "hostname", false),
        ] {
            assert_eq!(is_ending(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn supported_values_are_offered() {
        let error = |value: &str, words: &[&'static str]| {
            let breach = Breach::choices(&UNSUPPORTED, words.iter().copied());
            FieldError::new(breach, FieldPath::of("a"), None).with_value(value).meant()
        };
        assert_eq!(error("\"namespaced\"", &["Cluster", "Namespaced"]), Some("Namespaced".into()));
        assert_eq!(error("\"x\"", &["Cluster"]), None);
        assert_eq!(error("5", &["5a"]), None);
    }
}
