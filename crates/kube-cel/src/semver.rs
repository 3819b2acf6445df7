//! Semantic versions: `semver`, `isSemver`, their parts and their order.

use std::any::Any;
use std::cmp::Ordering;

use trueline_cel::arguments::{boolean, opaque, string};
use trueline_cel::function::{Fault, Function, Overload, Run};
use trueline_cel::types::{OpaqueKind, OpaqueType, Type};
use trueline_cel::value::{Opaque, Value};

use crate::cost::{UNIT, fixed_equality, parse_first};
use crate::version::Version;

/// `kubernetes.Semver`
pub static SEMVER: OpaqueType =
    OpaqueType { name: "kubernetes.Semver", kind: OpaqueKind::Message, equality: Some(fixed_equality) };

/// A version as a value.
#[derive(Debug)]
pub struct Semver(Version);

impl Opaque for Semver {
    fn opaque_type(&self) -> &'static OpaqueType {
        &SEMVER
    }

    fn equals(&self, other: &Value) -> Option<bool> {
        let other = opaque::<Semver>(std::slice::from_ref(other), 0).ok()?;
        Some(self.0.compare(&other.0).is_eq())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn go_type(&self) -> &'static str {
        "cel.Semver"
    }

    fn is_hashable(&self) -> bool {
        false
    }

    fn text(&self) -> String {
        self.0.to_string()
    }
}

/// The functions of versions.
pub(crate) fn functions() -> Vec<Function> {
    let semver = || Type::Opaque(&SEMVER);
    let read = |name, ids: [&'static str; 2], result: Type, run: Run| {
        let [plain, normalized] = ids;
        Function::new(
            name,
            vec![
                Overload::global(plain, vec![Type::String], result.clone(), run),
                Overload::global(normalized, vec![Type::String, Type::Bool], result, run),
            ],
        )
        .costing(parse_first())
    };
    let compare = |name, id, result, run: Run| {
        Function::new(name, vec![Overload::member(id, vec![semver(), semver()], result, run)]).costing(UNIT)
    };
    let part = |name, id, run: Run| {
        Function::new(name, vec![Overload::member(id, vec![semver()], Type::Int, run)]).costing(UNIT)
    };
    vec![
        read("semver", ["string_to_semver", "string_bool_to_semver"], semver(), to_semver),
        read("isSemver", ["is_semver_string", "is_semver_string_bool"], Type::Bool, |args| {
            Ok(Value::Bool(version(args)?.is_ok()))
        }),
        compare("isGreaterThan", "semver_is_greater_than", Type::Bool, |args| {
            Ok(Value::Bool(order(args)?.is_gt()))
        }),
        compare("isLessThan", "semver_is_less_than", Type::Bool, |args| {
            Ok(Value::Bool(order(args)?.is_lt()))
        }),
        compare("compareTo", "semver_compare_to", Type::Int, |args| Ok(Value::Int(order(args)? as i64))),
        part("major", "semver_major", |args| number(args, |[major, _, _]| major)),
        part("minor", "semver_minor", |args| number(args, |[_, minor, _]| minor)),
        part("patch", "semver_patch", |args| number(args, |[_, _, patch]| patch)),
    ]
}

/// Reads the first argument; a second one says whether it is normalized.
fn version(args: &[Value]) -> Result<Result<Version, String>, Fault> {
    let text = string(args, 0)?;
    Ok(match args.len() > 1 && boolean(args, 1)? {
        true => Version::parse_normalized(text),
        false => Version::parse(text),
    })
}

fn to_semver(args: &[Value]) -> Result<Value, Fault> {
    version(args)?.map(|version| Value::opaque(Semver(version))).map_err(Fault::new)
}

fn order(args: &[Value]) -> Result<Ordering, Fault> {
    Ok(opaque::<Semver>(args, 0)?.0.compare(&opaque::<Semver>(args, 1)?.0))
}

/// A number of a version. One that is too large for an `int` wraps around.
fn number(args: &[Value], part: fn([u64; 3]) -> u64) -> Result<Value, Fault> {
    Ok(Value::Int(part(opaque::<Semver>(args, 0)?.0.numbers) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalizing_is_asked_for() {
        let read = |args: &[Value]| {
            to_semver(args).map(|value| value.to_string()).map_err(|fault| fault.to_string())
        };
        assert_eq!(read(&[Value::from("v1.2"), Value::Bool(true)]), Ok("1.2.0".to_owned()));
        assert_eq!(
            read(&[Value::from("v1.2"), Value::Bool(false)]),
            Err("No Major.Minor.Patch elements found".to_owned())
        );
    }

    #[test]
    fn large_numbers_wrap_around() {
        let version = to_semver(&[Value::from("18446744073709551615.0.0")]).unwrap();
        assert_eq!(number(&[version], |[major, _, _]| major).unwrap().to_string(), "-1");
    }
}
