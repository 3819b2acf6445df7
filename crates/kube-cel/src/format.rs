//! Named formats: `format.named`, one function for each format, and `validate`.

use std::any::Any;

use trueline_apimachinery::names::{NameProblem, NameUse};
use trueline_apimachinery::{formats, names};
use trueline_cel::arguments::{opaque, size, string};
use trueline_cel::function::{
    Actual, Cost, Estimate, Fault, Function, Overload, REGEX_LENGTH, Run, STRING_TRAVERSAL, Size, by_factor,
};
use trueline_cel::types::{OpaqueKind, OpaqueType, Type};
use trueline_cel::value::{Opaque, Value};
use trueline_gostd::url::Url;

use crate::cost::{UNIT, first_size};
use crate::url::COLONS;

/// `kubernetes.NamedFormat`
pub static FORMAT: OpaqueType = OpaqueType {
    name: "kubernetes.NamedFormat",
    kind: OpaqueKind::Message,
    // Names have at most 64 characters.
    equality: Some(|_| Size::between(1, 64).by_factor(STRING_TRAVERSAL)),
};

/// A format.
#[derive(Debug)]
struct Known {
    /// What `format.named` finds it by.
    key: &'static str,
    /// The function that gives it.
    function: &'static str,
    name: &'static str,
    /// How long a regular expression for it would be, from which costs are counted.
    pattern: u64,
    /// Everything that is wrong with a string.
    problems: fn(&str) -> Vec<String>,
}

fn words(problems: Vec<NameProblem>) -> Vec<String> {
    problems.iter().map(NameProblem::to_string).collect()
}

static FORMATS: [Known; 13] = [
    Known {
        key: "dns1123Label",
        function: "format.dns1123Label",
        name: "DNS1123Label",
        pattern: 30,
        problems: |text| words(names::label_object_name(text, NameUse::Whole)),
    },
    Known {
        key: "dns1123Subdomain",
        function: "format.dns1123Subdomain",
        name: "DNS1123Subdomain",
        pattern: 60,
        problems: |text| words(names::object_name(text, NameUse::Whole)),
    },
    Known {
        key: "dns1035Label",
        function: "format.dns1035Label",
        name: "DNS1035Label",
        pattern: 30,
        problems: |text| words(names::dns_1035_object_name(text, NameUse::Whole)),
    },
    Known {
        key: "qualifiedName",
        function: "format.qualifiedName",
        name: "QualifiedName",
        pattern: 60,
        problems: |text| words(names::qualified_name(text)),
    },
    Known {
        key: "dns1123LabelPrefix",
        function: "format.dns1123LabelPrefix",
        name: "DNS1123LabelPrefix",
        pattern: 30,
        problems: |text| words(names::label_object_name(text, NameUse::Prefix)),
    },
    Known {
        key: "dns1123SubdomainPrefix",
        function: "format.dns1123SubdomainPrefix",
        name: "DNS1123SubdomainPrefix",
        pattern: 60,
        problems: |text| words(names::object_name(text, NameUse::Prefix)),
    },
    Known {
        key: "dns1035LabelPrefix",
        function: "format.dns1035LabelPrefix",
        name: "DNS1035LabelPrefix",
        pattern: 30,
        problems: |text| words(names::dns_1035_object_name(text, NameUse::Prefix)),
    },
    Known {
        key: "labelValue",
        function: "format.labelValue",
        name: "LabelValue",
        pattern: 40,
        problems: |text| words(names::label_value(text)),
    },
    Known {
        key: "uri",
        function: "format.uri",
        name: "URI",
        pattern: 1103,
        problems: |text| {
            Url::parse_request(text.as_bytes(), COLONS).err().into_iter().map(String::from).collect()
        },
    },
    Known {
        key: "uuid",
        function: "format.uuid",
        name: "uuid",
        pattern: 70,
        problems: |text| schema_format("uuid", text, "does not match the UUID format"),
    },
    Known {
        key: "byte",
        function: "format.byte",
        name: "byte",
        pattern: 84,
        problems: |text| schema_format("byte", text, "invalid base64"),
    },
    Known {
        key: "date",
        function: "format.date",
        name: "date",
        pattern: 71,
        problems: |text| schema_format("date", text, "invalid date"),
    },
    Known {
        key: "datetime",
        function: "format.datetime",
        name: "datetime",
        pattern: 71,
        problems: |text| schema_format("datetime", text, "invalid datetime"),
    },
];

fn schema_format(format: &str, text: &str, words: &str) -> Vec<String> {
    let fits = formats::check(format).is_some_and(|check| check(text));
    if fits { Vec::new() } else { vec![words.to_owned()] }
}

/// A format as a value.
#[derive(Debug, Clone, Copy)]
pub struct Format(&'static Known);

impl Opaque for Format {
    fn opaque_type(&self) -> &'static OpaqueType {
        &FORMAT
    }

    fn equals(&self, other: &Value) -> Option<bool> {
        let other = opaque::<Format>(std::slice::from_ref(other), 0).ok()?;
        Some(self.0.name == other.0.name)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn go_type(&self) -> &'static str {
        "cel.Format"
    }

    fn is_hashable(&self) -> bool {
        false
    }

    fn text(&self) -> String {
        self.0.name.to_owned()
    }
}

/// The functions of formats.
pub(crate) fn functions() -> Vec<Function> {
    let format = || Type::Opaque(&FORMAT);
    let mut functions: Vec<Function> = FORMATS
        .iter()
        .zip(CONSTANTS)
        .map(|(known, run)| {
            Function::new(known.function, vec![Overload::global(known.function, Vec::new(), format(), run)])
        })
        .collect();
    functions.push(
        Function::new(
            "format.named",
            vec![Overload::global("format-named", vec![Type::String], Type::optional(format()), named)],
        )
        .costing(UNIT),
    );
    functions.push(
        Function::new(
            "validate",
            vec![Overload::member(
                "format-validate",
                vec![format(), Type::String],
                Type::optional(Type::list(Type::String)),
                validate,
            )],
        )
        .costing(VALIDATE),
    );
    functions
}

/// The functions that give the formats, in the order of the table: functions hold nothing but themselves.
static CONSTANTS: [Run; 13] = [
    |_| constant(0),
    |_| constant(1),
    |_| constant(2),
    |_| constant(3),
    |_| constant(4),
    |_| constant(5),
    |_| constant(6),
    |_| constant(7),
    |_| constant(8),
    |_| constant(9),
    |_| constant(10),
    |_| constant(11),
    |_| constant(12),
];

fn constant(index: usize) -> Result<Value, Fault> {
    FORMATS.get(index).map(|known| Value::opaque(Format(known))).ok_or_else(Fault::no_such_overload)
}

const VALIDATE: Cost = Cost {
    actual: Actual::ByArguments(|args| match opaque::<Format>(args, 0) {
        Ok(format) => {
            let text = by_factor(size(args, 1).saturating_add(1), STRING_TRAVERSAL);
            text.saturating_mul(by_factor(format.0.pattern, REGEX_LENGTH))
        }
        Err(_) => 1,
    }),
    // The format is not known before it runs: the longest one is assumed.
    estimate: |call| {
        Estimate::cost(first_size(call).by_factor(STRING_TRAVERSAL).by_factor(128.0 * REGEX_LENGTH))
    },
};

fn named(args: &[Value]) -> Result<Value, Fault> {
    let key = string(args, 0)?;
    let found = FORMATS.iter().find(|known| known.key == &**key);
    Ok(found.map_or_else(Value::none, |known| Value::some(Value::opaque(Format(known)))))
}

fn validate(args: &[Value]) -> Result<Value, Fault> {
    let (format, text) = (opaque::<Format>(args, 0)?, string(args, 1)?);
    let problems = (format.0.problems)(text);
    Ok(match problems.is_empty() {
        true => Value::none(),
        false => Value::some(Value::list(problems.into_iter().map(Value::from).collect())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_gives_its_format() {
        for (known, run) in FORMATS.iter().zip(CONSTANTS) {
            let found = run(&[]).unwrap();
            assert_eq!(found.to_string(), known.name);
            assert_eq!(known.function, format!("format.{}", known.key));
            let Ok(Value::Optional(Some(by_name))) = named(&[Value::from(known.key)]) else {
                panic!("{} is not found by its name", known.key);
            };
            assert!(by_name.equals(&found));
        }
        assert!(matches!(named(&[Value::from("DNS1123Label")]), Ok(Value::Optional(None))));
    }

    #[test]
    fn problems_are_a_list() {
        let check =
            |index: usize, text: &str| validate(&[constant(index).unwrap(), Value::from(text)]).unwrap();
        assert!(matches!(check(0, "abc"), Value::Optional(None)));
        assert_eq!(check(8, "x").to_string(), "optional([parse \"x\": invalid URI for request])");
        assert_eq!(check(9, "x").to_string(), "optional([does not match the UUID format])");
        assert!(matches!(check(4, "abc-"), Value::Optional(None)));
        assert!(matches!(check(0, "abc-"), Value::Optional(Some(_))));
    }
}
