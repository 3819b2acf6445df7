//! The field that something is said of, in words that lead a person to it: the server's paths spell out every keyword
//! on the way into a schema.

use trueline_kube_facts::{FieldPath, Segment};

/// The field at a path of the server's: `type` of `spec.size`.
pub(super) fn subject(path: &FieldPath) -> String {
    let steps = path.segments();
    let Some(schema) = steps.iter().position(|step| step.is("openAPIV3Schema")) else {
        return if path.is_empty() { "this".to_owned() } else { format!("`{path}`") };
    };
    let (at, keywords) = inside_schema(steps.get(schema + 1..).unwrap_or_default());
    let keyword = FieldPath::new(keywords.to_vec()).to_string();
    let version = match steps {
        [spec, versions, Segment::Index(index), ..] if spec.is("spec") && versions.is("versions") => {
            format!(" in `spec.versions[{index}]`")
        }
        _ => String::new(),
    };
    match (at.as_str(), keyword.as_str()) {
        ("", "") => format!("the schema{version}"),
        ("", keyword) => format!("`{keyword}` at the root of the schema{version}"),
        (at, "") => format!("`{at}`{version}"),
        (at, keyword) => format!("`{keyword}` of `{at}`{version}"),
    }
}

/// The field of objects that a path inside of a schema leads to, and the keywords after it. Fields inside of branches
/// are left as they are: they belong to the branch.
fn inside_schema(steps: &[Segment]) -> (String, &[Segment]) {
    let mut at = String::new();
    let mut rest = steps;
    loop {
        match rest {
            // What was read has its properties as fields, not as keys.
            [properties, Segment::Key(name) | Segment::Field(name), after @ ..]
                if properties.is("properties") =>
            {
                if !at.is_empty() {
                    at.push('.');
                }
                at.push_str(name);
                rest = after;
            }
            [items, after @ ..] if items.is("items") && leads_on(after) => {
                at.push_str("[]");
                rest = after;
            }
            [additional, after @ ..] if additional.is("additionalProperties") && leads_on(after) => {
                at.push_str("[*]");
                rest = after;
            }
            _ => return (at, rest),
        }
    }
}

/// Whether a keyword that holds one schema leads on into it.
fn leads_on(after: &[Segment]) -> bool {
    after.first().is_some_and(|step| step.as_field().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path of a row: names between dots, and keys or indexes in brackets.
    fn path(text: &str) -> FieldPath {
        let mut path = FieldPath::default();
        let mut rest = text;
        while !rest.is_empty() {
            (path, rest) = match rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
                Some((inside, after)) => match inside.parse() {
                    Ok(index) => (path.index(index), after),
                    Err(_) => (path.key(inside), after),
                },
                None => {
                    let name = rest.trim_start_matches('.');
                    let (name, after) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
                    (path.field(name.to_owned()), after)
                }
            };
        }
        path
    }

    #[test]
    fn paths_into_schemas_become_fields_of_objects() {
        for (field, expected) in [
            ("spec.names.plural", "`spec.names.plural`"),
            ("", "this"),
            ("spec.validation.openAPIV3Schema", "the schema"),
            ("spec.validation.openAPIV3Schema.type", "`type` at the root of the schema"),
            (
                "spec.validation.openAPIV3Schema.properties[spec].properties[size].type",
                "`type` of `spec.size`",
            ),
            ("spec.validation.openAPIV3Schema.properties[spec].properties[a.b]", "`spec.a.b`"),
            (
                "spec.versions[1].schema.openAPIV3Schema.properties[spec].items.properties[x].pattern",
                "`pattern` of `spec[].x` in `spec.versions[1]`",
            ),
            (
                "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.maxLength",
                "`maxLength` of `spec.size` in `spec.versions[0]`",
            ),
            (
                "spec.validation.openAPIV3Schema.properties[m].additionalProperties.properties[a].default.b",
                "`default.b` of `m[*].a`",
            ),
            ("spec.validation.openAPIV3Schema.properties[m].items", "`items` of `m`"),
            (
                "spec.validation.openAPIV3Schema.properties[m].anyOf[1].properties[x].type",
                "`anyOf[1].properties[x].type` of `m`",
            ),
        ] {
            assert_eq!(subject(&path(field)), expected, "{field}");
        }
    }
}
