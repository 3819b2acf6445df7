//! Expressions in CEL in objects of built-in kinds: the server evaluates them, or compiles them at least, and nobody does
//! so here.

use trueline_yaml::NodeRef;

use super::Object;

/// The groups whose objects hold expressions.
const GROUPS: [&str; 2] = ["admissionregistration.k8s.io", "resource.k8s.io"];

/// The fields that hold them, wherever they stand.
const FIELDS: [&str; 3] = ["expression", "messageExpression", "valueExpression"];

/// How many values are looked at; aliases can make a document grow without end.
const STEPS: usize = 5_000_000;

/// How many expressions in CEL an object holds, none of which is evaluated.
pub fn expressions(object: &Object<'_>) -> usize {
    let (group, _) = object.group_and_version();
    if !GROUPS.contains(&group) {
        return 0;
    }
    let mut steps = STEPS;
    let entries = object.node.entries().into_iter().flatten();
    // What labels and annotations are called is anyone's choice.
    let parts = entries.filter(|(key, _)| key.key_text() != "metadata");
    parts.map(|(_, value)| count(value, &mut steps)).sum()
}

fn count(node: NodeRef<'_>, steps: &mut usize) -> usize {
    let Some(left) = steps.checked_sub(1) else { return 0 };
    *steps = left;
    let mut found = 0;
    for (key, value) in node.entries().into_iter().flatten() {
        let is_expression = FIELDS.contains(&&*key.key_text());
        found += match value.as_str() {
            Some(text) if is_expression => usize::from(!text.trim().is_empty()),
            _ => count(value, steps),
        };
    }
    for item in node.items().into_iter().flatten() {
        found += count(item, steps);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::objects;

    #[test]
    fn expressions_are_counted_where_servers_read_them() {
        let cases = [
            (
                "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {labels: {expression: a}}\n\
                 spec:\n  validations: [{expression: 'a > 1', messageExpression: b}]\n  matchConditions: [{name: a, expression: c}]\n",
                3,
            ),
            (
                "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nwebhooks: [{matchConditions: \
                 [{name: a, expression: c}, {name: b, expression: ''}]}]\n",
                1,
            ),
            (
                "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nspec: {selectors: [{cel: {expression: a}}]}\n",
                1,
            ),
            ("apiVersion: v1\nkind: ConfigMap\ndata: {expression: a}\n", 0),
        ];
        for (text, expected) in cases {
            let sources = trueline_source::SourceMap::new();
            let source = sources.add("object.yaml", trueline_source::SourceKind::File, text);
            let stream = trueline_yaml::read(
                source,
                sources.get(source).text(),
                &trueline_yaml::ReadOptions::default(),
            );
            let object = objects(stream.documents[0].root())[0];
            assert_eq!(expressions(&object), expected, "{text}");
        }
    }
}
