//! Values as Go's `fmt` prints them: ytt's messages and paths show keys so.

use trueline_yaml::{go_quote, number};

use super::Value;

impl Value {
    /// What `%s` gives: a string as it is, anything else with its type, such as `%!s(int=1)`.
    pub fn go_string(&self) -> String {
        match self {
            Value::Null => "%!s(<nil>)".to_owned(),
            Value::Bool(value) => format!("%!s(bool={value})"),
            Value::Int(value) => format!("%!s(int={value})"),
            Value::UInt(value) => format!("%!s(uint64={value})"),
            Value::Float(value) => format!("%!s(float64={})", number::general(*value)),
            Value::String(text) => text.to_str_lossy().into_owned(),
            Value::Map(_) | Value::Array(_) => self.nested(Value::go_string),
        }
    }

    /// What `%v` gives: scalars as they are, null as `<nil>`.
    pub fn go_value(&self) -> String {
        match self {
            Value::Null => "<nil>".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::UInt(value) => value.to_string(),
            Value::Float(value) => number::general(*value),
            Value::String(text) => text.to_str_lossy().into_owned(),
            Value::Map(_) | Value::Array(_) => self.nested(Value::go_value),
        }
    }

    /// What `%#v` gives: strings in quotes. Go prints addresses for maps and arrays; here they are printed as in JSON.
    pub fn go_syntax(&self) -> String {
        match self {
            Value::UInt(value) => format!("0x{value:x}"),
            Value::String(text) => {
                let mut quoted = String::new();
                go_quote(&mut quoted, &text.to_str_lossy());
                quoted
            }
            Value::Map(_) | Value::Array(_) => super::json_of(self, super::JsonOptions::default())
                .unwrap_or_else(|_| super::yaml_of(self).trim_end().to_owned()),
            scalar => scalar.go_value(),
        }
    }

    /// A collection in brackets, its parts by the same verb. Levels further down are left out: nobody has keys like that.
    fn nested(&self, part: impl Fn(&Value) -> String) -> String {
        let part = |value: &Value| if value.is_collection() { "...".to_owned() } else { part(value) };
        let parts: Vec<String> = match self {
            Value::Map(map) => map
                .items
                .iter()
                .map(|item| format!("{{{} {}}}", part(&item.key), part(&item.value)))
                .collect(),
            Value::Array(array) => array.items.iter().map(|item| part(&item.value)).collect(),
            _ => Vec::new(),
        };
        format!("[{}]", parts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_print_as_go_does() {
        for (value, string, plain, syntax) in [
            (Value::Null, "%!s(<nil>)", "<nil>", "<nil>"),
            (Value::Bool(true), "%!s(bool=true)", "true", "true"),
            (Value::Int(-3), "%!s(int=-3)", "-3", "-3"),
            (
                Value::UInt(u64::MAX),
                "%!s(uint64=18446744073709551615)",
                "18446744073709551615",
                "0xffffffffffffffff",
            ),
            (Value::Float(1e6), "%!s(float64=1e+06)", "1e+06", "1e+06"),
            (Value::string("a\"b"), "a\"b", "a\"b", "\"a\\\"b\""),
        ] {
            assert_eq!(
                (&*value.go_string(), &*value.go_value(), &*value.go_syntax()),
                (string, plain, syntax)
            );
        }
    }
}
