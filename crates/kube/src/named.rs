//! All rules that have a name, wherever they are declared.

use trueline_diagnostic::RuleInfo;
use trueline_kube_facts::ServerRule;

/// The rules of the files beside those of `rules`.
static OTHERS: &[&[&ServerRule]] = &[
    crate::cel::evaluate::NAMED,
    crate::crd::condition::NAMED,
    crate::crd::validate::approval::NAMED,
    crate::crd::validate::columns::NAMED,
    crate::crd::validate::conversion::NAMED,
    crate::crd::validate::expressions::NAMED,
    crate::crd::validate::NAMED,
    crate::crd::validate::names::NAMED,
    crate::crd::validate::schema::NAMED,
    crate::crd::validate::selectable::NAMED,
    crate::crd::validate::spec::NAMED,
    crate::crd::validate::subresources::NAMED,
    crate::crd::validate::version::NAMED,
    crate::object::coerce::NAMED,
    crate::object::embedded::NAMED,
    crate::object::list_types::NAMED,
    crate::object::request::NAMED,
    crate::object::scale::NAMED,
    crate::structural::complete::NAMED,
    crate::structural::defaults::NAMED,
    crate::structural::unions::NAMED,
    crate::structural::validate::NAMED,
];

/// All rules, in order of their names.
pub fn named_rules() -> Vec<&'static RuleInfo> {
    let lists = [OTHERS, trueline_kube_facts::NAMED_LISTS];
    let lists = lists.iter().chain(trueline_kube_rules::NAMED_LISTS).copied();
    let rules = lists.flatten().flat_map(|list| list.iter());
    let mut rules: Vec<&'static RuleInfo> = rules.map(|rule| &rule.info).collect();
    rules.sort_by_key(|rule| rule.name);
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_name_of_its_own_and_a_summary() {
        let rules = named_rules();
        for pair in rules.windows(2) {
            assert_ne!(pair[0].name, pair[1].name);
        }
        for rule in rules {
            let (family, name) = rule.name.split_once('/').expect(rule.name);
            let is_kebab = |text: &str| {
                let is_sign = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
                !text.is_empty()
                    && text.bytes().all(is_sign)
                    && !text.starts_with('-')
                    && !text.ends_with('-')
            };
            assert!(is_kebab(family) && is_kebab(name), "{}", rule.name);
            let summary = rule.summary();
            assert!(summary.ends_with('.') && summary.len() > 10, "{}: {summary}", rule.name);
        }
    }
}
