//! All rules that have a name, wherever they are declared.

use trueline_diagnostic::RuleInfo;

/// All rules, in order of their names.
pub fn named_rules() -> Vec<&'static RuleInfo> {
    let lists = [trueline_kube_facts::NAMED_LISTS, trueline_kube_crd::NAMED_LISTS];
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
