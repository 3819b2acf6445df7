//! The scale subresource: the fields that its paths lead to hold numbers of replicas and a selector.

use trueline_kube_facts::{FieldError, FieldPath, Segment, rules};
use trueline_yaml::{Data, Value};

use crate::definition::Scale;
use crate::value::printed::{go_type, plain};

rules! {
    /// The replicas of the scale subresource are not a number that is allowed.
    SCALE_REPLICAS: Invalid, "custom/scale-replicas", "{}";
    /// The selector of the scale subresource is empty.
    SCALE_SELECTOR: Invalid, "custom/scale-selector", "{}";
    /// A path of the scale subresource leads to something else than is expected.
    SCALE_PATH: Invalid, "custom/scale-path", "{}";
}

/// What is wrong with the number of replicas that is asked for.
pub(crate) fn validate_scale_spec(value: &Value, scale: &Scale) -> Vec<FieldError> {
    replicas(value, &scale.spec_replicas_path).into_iter().collect()
}

/// What is wrong with the number of replicas that there are, and with their selector.
pub(crate) fn validate_scale_status(value: &Value, scale: &Scale) -> Vec<FieldError> {
    let selector = scale.label_selector_path.as_deref().and_then(|path| selector(value, path));
    replicas(value, &scale.status_replicas_path).into_iter().chain(selector).collect()
}

fn replicas(value: &Value, path: &str) -> Option<FieldError> {
    let field = match follow(value, path) {
        Ok(field) => field?,
        Err(error) => return Some(error.into_error(value, path, "0")),
    };
    let (shown, detail) = match &field.data {
        Data::Int(number) if *number < 0 => {
            (number.to_string(), "should be a non-negative integer".to_owned())
        }
        Data::Int(number) if *number > i64::from(i32::MAX) => {
            (number.to_string(), format!("should be less than or equal to {}", i32::MAX))
        }
        Data::Int(_) => return None,
        _ => ("0".to_owned(), wrong_type(path, field, "int64")),
    };
    Some(
        FieldError::new(SCALE_REPLICAS.with(detail), named(path), field.origin.or(value.origin))
            .with_value(shown),
    )
}

fn selector(value: &Value, path: &str) -> Option<FieldError> {
    match follow(value, path) {
        Ok(field) => {
            let field = field.filter(|field| !matches!(field.data, Data::String(_)))?;
            let detail = wrong_type(path, field, "string");
            let place = field.origin.or(value.origin);
            Some(FieldError::new(SCALE_SELECTOR.with(detail), named(path), place).with_value("\"\""))
        }
        Err(error) => Some(error.into_error(value, path, "\"\"")),
    }
}

/// The path as the server names it: as it is written in the definition, with a dot before it.
fn named(path: &str) -> FieldPath {
    path.split('.').map(|name| Segment::field(name.to_owned())).collect()
}

/// Why a path cannot be followed.
struct Obstacle<'v> {
    value: &'v Value,
    /// The path up to the field that was looked for in it.
    path: String,
}

impl Obstacle<'_> {
    fn into_error(self, root: &Value, path: &str, shown: &str) -> FieldError {
        let detail = wrong_type(&self.path, self.value, "map[string]interface{}");
        let place = self.value.origin.or(root.origin);
        FieldError::new(SCALE_PATH.with(detail), named(path), place).with_value(shown)
    }
}

/// The field that a path leads to, if it is there.
fn follow<'v>(value: &'v Value, path: &str) -> Result<Option<&'v Value>, Obstacle<'v>> {
    let mut value = value;
    let mut walked = String::new();
    for name in path.strip_prefix('.').unwrap_or(path).split('.') {
        walked.push('.');
        walked.push_str(name);
        match &value.data {
            Data::Null => return Ok(None),
            Data::Map(map) => match map.get(name) {
                Some(entry) => value = &entry.value,
                None => return Ok(None),
            },
            _ => return Err(Obstacle { value, path: walked }),
        }
    }
    Ok(Some(value))
}

fn wrong_type(path: &str, value: &Value, expected: &str) -> String {
    let path = path.strip_prefix('.').unwrap_or(path);
    format!(".{path} accessor error: {} is of the type {}, expected {expected}", plain(value), go_type(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::tests::value;

    #[test]
    fn paths_lead_to_numbers_and_a_text() {
        let scale = Scale {
            spec_replicas_path: ".spec.replicas".into(),
            status_replicas_path: ".status.replicas".into(),
            label_selector_path: Some(".status.selector".into()),
        };
        let cases = [
            (r#"{"spec": {"replicas": 3}, "status": {"replicas": 0, "selector": "a=b"}}"#, ""),
            ("{}", ""),
            (r#"{"spec": null}"#, ""),
            (
                r#"{"spec": {"replicas": "x"}}"#,
                ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected \
                 int64",
            ),
            (
                r#"{"spec": {"replicas": -1}}"#,
                ".spec.replicas: Invalid value: -1: should be a non-negative integer",
            ),
            (
                r#"{"spec": {"replicas": 2147483648}}"#,
                ".spec.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647",
            ),
            (
                r#"{"status": {"selector": {"a": [1]}}}"#,
                ".status.selector: Invalid value: \"\": .status.selector accessor error: map[a:[1]] is of the type \
                 map[string]interface {}, expected string",
            ),
            (
                r#"{"spec": [1]}"#,
                ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: [1] is of the type []interface {}, \
                 expected map[string]interface{}",
            ),
        ];
        for (text, expected) in cases {
            let value = value(text);
            let mut errors = validate_scale_spec(&value, &scale);
            errors.extend(validate_scale_status(&value, &scale));
            let texts: Vec<String> = errors.iter().map(FieldError::message).collect();
            assert_eq!(texts.join("|"), expected, "{text}");
        }
    }
}
