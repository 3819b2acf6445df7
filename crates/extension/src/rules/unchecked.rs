//! What cannot be checked because no registry was given. It does not count as valid, because nothing was
//! checked.

use trueline_diagnostic::LeftOut;

use crate::field::Field;
use crate::manifest::Subject;
use crate::requirement::Requirement;

/// How many names are listed; the others are counted.
const MOST_NAMES: usize = 5;

const WHY: &str = "not checked, because no registry was given; use `--registry`";

/// The extensions that a manifest refers to.
pub(crate) fn of_manifest(subject: &Subject<'_>) -> Vec<LeftOut> {
    if subject.registry.is_some() {
        return Vec::new();
    }
    let dependencies = subject.dependencies().into_iter().map(|dependency| dependency.requirement.name);
    let mut left_out: Vec<LeftOut> = left_out("dependencies", dependencies.collect()).into_iter().collect();
    let successor = subject.root.at("deprecation/successor").and_then(|field| field.text());
    left_out.extend(successor.and_then(|name| self::left_out("successor", vec![name.to_owned()])));
    left_out
}

/// The extensions that profiles install.
pub(crate) fn of_profiles(root: &Field<'_>) -> Vec<LeftOut> {
    let profiles = root.entries_at("profiles");
    let extensions = profiles.iter().flat_map(|(_, profile)| profile.items_at("extensions"));
    let names = extensions.filter_map(|field| field.text().map(|text| Requirement::parse(text).name));
    left_out("extensions", names.collect()).into_iter().collect()
}

fn left_out(what: &str, mut names: Vec<String>) -> Option<LeftOut> {
    names.sort();
    names.dedup();
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let list: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    (!list.is_empty())
        .then(|| LeftOut { what: format!("{what} {}{rest}", list.join(", ")), why: WHY.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_once_and_only_a_few_of_them() {
        let names = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let what = |text: &str| left_out("dependencies", names(text)).map(|left_out| left_out.what);
        assert_eq!(what(""), None);
        assert_eq!(what("b a b").as_deref(), Some("dependencies `a`, `b`"));
        assert_eq!(what("a b c d e f g").as_deref(), Some("dependencies `a`, `b`, `c`, `d`, `e` and 2 more"));
    }
}
