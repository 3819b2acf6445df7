//! Semantic versions: comparison, and objects with their parts.

use std::any::Any;

use trueline_gotemplate::{
    Context, Data, Error, Function, Kind, Method, MethodCall, Object, Type, UintKind, Value,
};

use crate::argument::{nil_dereference, text};
use crate::define::fixed;
use crate::semver::{Constraints, Prereleases, Version, VersionError};

const TWO_TEXTS: &[Type] = &[Type::String, Type::String];
const POINTER: Type = Type::Named("*semver.Version");

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed(
        "semver",
        &[Type::String],
        semver,
        "VERSION",
        "The version as an object with its parts: `.Major`, `.Minor` …",
    ),
    fixed(
        "semverCompare",
        TWO_TEXTS,
        compare,
        "CONSTRAINT VERSION",
        "Whether the version satisfies the constraint.",
    ),
];

/// A version as templates see it.
#[derive(Debug, Clone)]
struct VersionObject {
    version: Version,
    /// Parsing returns a pointer; the next version is a plain struct.
    pointer: bool,
}

impl VersionObject {
    fn pointer(version: Version) -> Value {
        Value::object(Self { version, pointer: true })
    }

    fn plain(version: Version) -> Value {
        Value::object(Self { version, pointer: false })
    }
}

impl Object for VersionObject {
    fn type_name(&self) -> &'static str {
        if self.pointer { "*semver.Version" } else { "semver.Version" }
    }

    fn kind(&self) -> Kind {
        if self.pointer { Kind::Pointer } else { Kind::Struct }
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        let pointers = if self.pointer { POINTER_METHODS } else { &[] };
        METHODS.iter().chain(pointers).find(|method| method.name == name)
    }

    fn text(&self) -> String {
        self.version.to_string()
    }

    fn plain(&self) -> trueline_yaml::Value {
        trueline_yaml::Value::from(&*self.version.to_string())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn version_of(object: &dyn Object) -> Result<&Version, Error> {
    object.as_any().downcast_ref::<VersionObject>().map(|shown| &shown.version).ok_or_else(nil_dereference)
}

/// The version given as the first argument.
fn other(arguments: &[Value]) -> Result<Version, Error> {
    match arguments.first().map(|value| &value.data) {
        Some(Data::Object(object)) => version_of(&**object).cloned(),
        _ => Err(nil_dereference()),
    }
}

fn number(value: u64) -> Value {
    Value::new(Data::Uint(UintKind::Uint64, value))
}

fn failed(problem: &VersionError) -> Error {
    Error::new(problem.to_string())
}

const fn method(name: &'static str, parameters: &'static [Type], call: MethodCall) -> Method {
    Method { name, parameters, call }
}

/// The methods of a struct and a pointer to it.
static METHODS: &[Method] = &[
    method("IncMajor", &[], |object, _, _| {
        let next = version_of(object)?.next_major();
        next.map(VersionObject::plain)
            .ok_or_else(|| Error::new("major version increment would overflow uint64"))
    }),
    method("IncMinor", &[], |object, _, _| {
        let next = version_of(object)?.next_minor();
        next.map(VersionObject::plain)
            .ok_or_else(|| Error::new("minor version increment would overflow uint64"))
    }),
    method("IncPatch", &[], |object, _, _| {
        let next = version_of(object)?.next_patch();
        next.map(VersionObject::plain)
            .ok_or_else(|| Error::new("patch version increment would overflow uint64"))
    }),
    method("Major", &[], |object, _, _| version_of(object).map(|version| number(version.major()))),
    method("Metadata", &[], |object, _, _| version_of(object).map(|version| Value::from(version.metadata()))),
    method("Minor", &[], |object, _, _| version_of(object).map(|version| number(version.minor()))),
    method("Patch", &[], |object, _, _| version_of(object).map(|version| number(version.patch()))),
    method("Prerelease", &[], |object, _, _| {
        version_of(object).map(|version| Value::from(version.prerelease()))
    }),
    method("SetMetadata", &[Type::String], |object, _, arguments| {
        let changed = version_of(object)?.with_metadata(&text(arguments, 0).text());
        changed.map(VersionObject::plain).map_err(|problem| failed(&problem))
    }),
    method("SetPrerelease", &[Type::String], |object, _, arguments| {
        let changed = version_of(object)?.with_prerelease(&text(arguments, 0).text());
        changed.map(VersionObject::plain).map_err(|problem| failed(&problem))
    }),
    method("String", &[], |object, _, _| version_of(object).map(|version| Value::from(version.to_string()))),
];

/// The methods of a pointer only.
static POINTER_METHODS: &[Method] = &[
    method("Compare", &[POINTER], |object, _, arguments| {
        Ok(Value::int(version_of(object)?.cmp(&other(arguments)?) as i64))
    }),
    method("Equal", &[POINTER], |object, _, arguments| {
        Ok(Value::from(*version_of(object)? == other(arguments)?))
    }),
    method("GreaterThan", &[POINTER], |object, _, arguments| {
        Ok(Value::from(*version_of(object)? > other(arguments)?))
    }),
    method("GreaterThanEqual", &[POINTER], |object, _, arguments| {
        Ok(Value::from(*version_of(object)? >= other(arguments)?))
    }),
    method("LessThan", &[POINTER], |object, _, arguments| {
        Ok(Value::from(*version_of(object)? < other(arguments)?))
    }),
    method("LessThanEqual", &[POINTER], |object, _, arguments| {
        Ok(Value::from(*version_of(object)? <= other(arguments)?))
    }),
    method("Original", &[], |object, _, _| version_of(object).map(|version| Value::from(version.original()))),
];

fn semver(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Version::parse(&text(arguments, 0).text()).map(VersionObject::pointer).map_err(|problem| failed(&problem))
}

fn compare(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let constraints =
        Constraints::parse(&text(arguments, 0).text()).map_err(|error| Error::new(error.to_string()))?;
    let version = Version::parse(&text(arguments, 1).text()).map_err(|problem| failed(&problem))?;
    Ok(Value::from(constraints.check(&version, Prereleases::Named)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, call_method, shown};

    #[test]
    fn comparisons() {
        for (constraint, version, expected) in [
            (">=1.16-0", "v1.20.4-eks-abc", "true"),
            (">=1.16", "v1.20.4-eks-abc", "false"),
            ("a", "1", "improper constraint: \"a\""),
            ("1", "a", "invalid semantic version"),
        ] {
            let arguments = [Value::from(constraint), Value::from(version)];
            assert_eq!(
                shown(call(FUNCTIONS, "semverCompare", &arguments)),
                expected,
                "{constraint} {version}"
            );
        }
    }

    #[test]
    fn parts() {
        let version = call(FUNCTIONS, "semver", &["v1.2.3-rc.1+x".into()]).unwrap();
        let later = call(FUNCTIONS, "semver", &["1.3".into()]).unwrap();
        for (name, arguments, expected) in [
            ("Major", vec![], "1"),
            ("Minor", vec![], "2"),
            ("Patch", vec![], "3"),
            ("Prerelease", vec![], "rc.1"),
            ("Metadata", vec![], "x"),
            ("Original", vec![], "v1.2.3-rc.1+x"),
            ("String", vec![], "1.2.3-rc.1+x"),
            ("IncPatch", vec![], "1.2.3"),
            ("IncMajor", vec![], "2.0.0"),
            ("SetPrerelease", vec!["b".into()], "1.2.3-b+x"),
            ("SetMetadata", vec!["_".into()], "invalid metadata string"),
            ("Compare", vec![later.clone()], "-1"),
            ("LessThan", vec![later.clone()], "true"),
            ("Equal", vec![later], "false"),
        ] {
            assert_eq!(shown(call_method(&version, name, &arguments)), expected, "{name}");
        }
        assert_eq!(shown(call(FUNCTIONS, "semver", &["x".into()])), "invalid semantic version");
    }
}
