//! The functions and types that every environment has.

use crate::env::Env;
use crate::function::{
    Actual, Call, Cost, Estimate, Function, Overload, REGEX_LENGTH, STRING_TRAVERSAL, Size, by_factor,
};
use crate::library::{conversions, operators, texts, time};
use crate::types::Type;
use crate::value::Value;

impl Default for Env {
    fn default() -> Self {
        Self::new()
    }
}

impl Env {
    /// An environment with the standard functions and types, and nothing else.
    pub fn new() -> Self {
        let mut env = Env::empty();
        env.add_functions(functions());
        for (name, declared) in types() {
            env.add_type(name, declared);
        }
        env
    }
}

/// All standard functions.
pub fn functions() -> Vec<Function> {
    let mut functions = operators::functions();
    functions.extend(conversions::functions());
    functions.extend(texts::functions());
    functions.extend(time::functions());
    functions
}

/// The types that can be named, with their names.
pub fn types() -> Vec<(&'static str, Type)> {
    vec![
        ("bool", Type::Bool),
        ("bytes", Type::Bytes),
        ("double", Type::Double),
        ("google.protobuf.Duration", Type::Duration),
        ("int", Type::Int),
        ("list", Type::list(Type::Param("A"))),
        ("map", Type::map(Type::Param("A"), Type::Param("B"))),
        ("null_type", Type::Null),
        ("string", Type::String),
        ("google.protobuf.Timestamp", Type::Timestamp),
        ("type", Type::Type(None)),
        ("uint", Type::UInt),
        ("google.protobuf.Any", Type::Any),
        ("google.protobuf.Value", Type::Dyn),
        ("google.protobuf.ListValue", Type::list(Type::Dyn)),
        ("google.protobuf.Struct", Type::map(Type::String, Type::Dyn)),
        ("google.protobuf.BoolValue", Type::wrapper(Type::Bool)),
        ("google.protobuf.BytesValue", Type::wrapper(Type::Bytes)),
        ("google.protobuf.DoubleValue", Type::wrapper(Type::Double)),
        ("google.protobuf.FloatValue", Type::wrapper(Type::Double)),
        ("google.protobuf.Int32Value", Type::wrapper(Type::Int)),
        ("google.protobuf.Int64Value", Type::wrapper(Type::Int)),
        ("google.protobuf.StringValue", Type::wrapper(Type::String)),
        ("google.protobuf.UInt32Value", Type::wrapper(Type::UInt)),
        ("google.protobuf.UInt64Value", Type::wrapper(Type::UInt)),
    ]
}

/// An overload of a function that does the same for all of them.
pub(super) fn declare(id: &'static str, params: &[Type], result: Type) -> Overload {
    Overload::declare_global(id, params.to_vec(), result)
}

/// The cost of reading the shorter of two values.
pub(crate) const SHORTER: Cost = Cost {
    actual: Actual::ByArguments(actual_shorter),
    estimate: |call| Estimate::cost(estimate_shorter(call)),
};

fn actual_shorter(args: &[Value]) -> u64 {
    by_factor(args.iter().map(Value::cost_size).min().unwrap_or(1), STRING_TRAVERSAL)
}

fn estimate_shorter(call: &Call<'_>) -> Size {
    let most = call.args.iter().map(|arg| known_size(arg.size).max).min().unwrap_or(u64::MAX);
    Size::between(most.min(1), most).by_factor(STRING_TRAVERSAL)
}

/// What cel-go itself knows of the size of an argument; what others may know is not asked for.
pub(super) fn known_size(size: Option<Size>) -> Size {
    size.unwrap_or(Size::UNKNOWN)
}

/// The cost of joining two values, in which each character is read once.
pub(super) const JOINED: Cost = Cost {
    actual: Actual::ByArguments(|args| {
        by_factor(args.iter().fold(0_u64, |sum, arg| sum.saturating_add(arg.cost_size())), STRING_TRAVERSAL)
    }),
    estimate: |call| {
        let sum = sum_of_sizes(call);
        Estimate::with_result(sum.by_factor(STRING_TRAVERSAL), sum)
    },
};

/// The cost of joining two lists, which copies neither.
pub(super) const JOINED_LISTS: Cost = Cost {
    actual: Actual::Fixed(1),
    estimate: |call| Estimate::with_result(Size::fixed(1), sum_of_sizes(call)),
};

fn sum_of_sizes(call: &Call<'_>) -> Size {
    call.args.iter().fold(Size::fixed(0), |sum, arg| sum.plus(known_size(arg.size)))
}

/// The cost of matching a pattern: the length of the string times that of the pattern.
pub(super) const MATCHES: Cost = Cost {
    actual: Actual::ByArguments(|args| {
        let size = |index: usize| args.get(index).map_or(1, Value::cost_size);
        let text = by_factor(size(0).saturating_add(1), STRING_TRAVERSAL);
        text.saturating_mul(by_factor(size(1), REGEX_LENGTH))
    }),
    estimate: |call| match (&call.target, call.args.first()) {
        (Some(target), Some(pattern)) => {
            let text = known_size(target.size).plus(Size::fixed(1)).by_factor(STRING_TRAVERSAL);
            Estimate::cost(text.times(known_size(pattern.size).by_factor(REGEX_LENGTH)))
        }
        _ => Estimate::cost(Size::fixed(1)),
    },
};
