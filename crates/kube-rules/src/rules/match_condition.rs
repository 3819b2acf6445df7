//! Conditions on requests, as webhooks and admission policies have them: each has a name of its own.

use std::collections::BTreeSet;

use trueline_kube_facts::{names, rules};

use super::Context;
use super::expression::Expressions;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// Two match conditions have the same name.
    DUPLICATE_NAME: Duplicate, "match-condition/duplicate-name";
}

const MOST: usize = 64;

/// Checks the conditions of webhooks and of the specs of admission policies.
pub(super) fn check(holder: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    // Until then they are dropped.
    if context.version.minor < 28 {
        return;
    }
    let conditions = holder.child("matchConditions");
    if conditions.count() > MOST {
        report.too_many(&conditions, MOST);
    }
    let mut taken = BTreeSet::new();
    let mut expressions = Expressions::of(holder, context);
    for condition in conditions.items() {
        let (name, expression) = (condition.child("name"), condition.child("expression"));
        if expression.text().is_some_and(|text| text.trim().is_empty()) {
            report.missing(&expression);
        }
        expressions.condition(&expression, report);
        match name.text() {
            None => {}
            Some("") => report.missing(&name),
            Some(text) => {
                report.complain(&name, names::qualified_name(text));
                if !taken.insert(text) {
                    report.refuse(&name, &DUPLICATE_NAME);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn conditions() {
        let bench = Bench::new();
        let frame = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: w}\nwebhooks: [{name: a.b.c, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: 'https://a'}, matchConditions: [{}]}]\n";
        bench.accepts_all(frame, &["{name: a, expression: 'true'}, {name: b, expression: 'true'}"]);
        let place = "webhooks[0].matchConditions";
        for (part, error) in [
            ("{name: a, expression: ' '}", "[0].expression: Required value"),
            ("{name: '', expression: 'true'}", "[0].name: Required value"),
            ("{name: a b, expression: 'true'}", "[0].name: Invalid value: \"a b\""),
            (
                "{name: a, expression: 'true'}, {name: a, expression: 'false'}",
                "[1].name: Duplicate value: \"a\"",
            ),
        ] {
            bench.refuses_all(frame, &[(part, &format!("{place}{error}"))]);
        }
        let many: String =
            (0..65).map(|number| format!("{{name: a{number}, expression: 'true'}}, ")).collect();
        bench.refuses_all(frame, &[(&many, &format!("{place}: Too many: 65: must have at most 64 items"))]);
    }
}
