//! The field that something is said of, in words that lead a person to it: the server's paths spell out every keyword
//! on the way into a schema.

/// The field at a path of the server's: `type` of `spec.size`.
pub(super) fn subject(field: &str) -> String {
    let Some((before, inside)) = field.split_once("openAPIV3Schema") else {
        return if field.is_empty() { "this".to_owned() } else { format!("`{field}`") };
    };
    let (at, keyword) = inside_schema(inside);
    let version = before
        .find("].")
        .filter(|_| before.starts_with("spec.versions["))
        .and_then(|end| before.get(..=end))
        .map(|version| format!(" in `{version}`"))
        .unwrap_or_default();
    match (at.as_str(), keyword) {
        ("", "") => format!("the schema{version}"),
        ("", keyword) => format!("`{keyword}` at the root of the schema{version}"),
        (at, "") => format!("`{at}`{version}"),
        (at, keyword) => format!("`{keyword}` of `{at}`{version}"),
    }
}

/// The field of objects that a path inside of a schema leads to, and the keywords behind it. Fields inside of branches
/// are left as they are: they belong to the branch.
fn inside_schema(path: &str) -> (String, &str) {
    let mut at = String::new();
    let mut rest = path;
    loop {
        if let Some((name, behind)) = property(rest) {
            if !at.is_empty() {
                at.push('.');
            }
            at.push_str(name);
            rest = behind;
        } else if let Some(behind) = keyword(rest, ".items") {
            at.push_str("[]");
            rest = behind;
        } else if let Some(behind) = keyword(rest, ".additionalProperties") {
            at.push_str("[*]");
            rest = behind;
        } else {
            return (at, rest.trim_start_matches('.'));
        }
    }
}

/// The name of a property: in brackets, or behind a dot where a text was read.
fn property(path: &str) -> Option<(&str, &str)> {
    let rest = path.strip_prefix(".properties")?;
    match rest.strip_prefix('[') {
        Some(named) => named.split_once(']'),
        None => {
            let named = rest.strip_prefix('.')?;
            Some(named.split_at(named.find('.').unwrap_or(named.len())))
        }
    }
}

/// What stands behind a keyword that holds one schema, if it leads on into it.
fn keyword<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    path.strip_prefix(name).filter(|behind| behind.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(subject(field), expected, "{field}");
        }
    }
}
