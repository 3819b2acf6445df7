//! `find` and `findAll`: what a regular expression matches.

use trueline_cel::arguments::{int, size, string};
use trueline_cel::function::{
    Actual, Call, Cost, Estimate, Fault, Function, Overload, REGEX_LENGTH, STRING_TRAVERSAL, Size, by_factor,
};
use trueline_cel::types::Type;
use trueline_cel::value::Value;
use trueline_regexp::{Count, Regexp};

/// The functions of regular expressions.
pub(crate) fn functions() -> Vec<Function> {
    let texts = || Type::list(Type::String);
    let params = || vec![Type::String, Type::String];
    vec![
        Function::new("find", vec![Overload::member("string_find_string", params(), Type::String, find)])
            .costing(MATCH)
            .with_pattern(1),
        Function::new(
            "findAll",
            vec![
                Overload::member("string_find_all_string", params(), texts(), find_all),
                Overload::member(
                    "string_find_all_string_int",
                    vec![Type::String, Type::String, Type::Int],
                    texts(),
                    find_all,
                ),
            ],
        )
        .costing(MATCH)
        .with_pattern(1),
    ]
}

/// The length of the string times that of the expression.
const MATCH: Cost = Cost {
    actual: Actual::ByArguments(|args| {
        let text = by_factor(size(args, 0).saturating_add(1), STRING_TRAVERSAL);
        text.saturating_mul(by_factor(size(args, 1), REGEX_LENGTH))
    }),
    estimate,
};

fn estimate(call: &Call<'_>) -> Estimate {
    let (Some(text), Some(pattern)) = (call.target_size(), call.arg_size(0)) else {
        return (Cost::UNIT.estimate)(call);
    };
    let cost = text.plus(Size::fixed(1)).by_factor(STRING_TRAVERSAL).times(pattern.by_factor(REGEX_LENGTH));
    Estimate::with_result(cost, Size::between(0, text.max))
}

/// The string to search. Where the pattern is a literal nobody looked at the types before, and the name of a type is a
/// string to Go.
fn searched(args: &[Value]) -> Result<&str, Fault> {
    match args.first() {
        Some(Value::String(text)) => Ok(text),
        Some(Value::Type(named)) => Ok(named.runtime_name()),
        _ => Err(Fault::no_such_overload()),
    }
}

fn compiled(args: &[Value]) -> Result<std::rc::Rc<Regexp>, Fault> {
    Regexp::compile(string(args, 1)?.as_bytes())
        .map_err(|words| Fault::new(format!("Illegal regex: {words}")))
}

fn find(args: &[Value]) -> Result<Value, Fault> {
    let (text, regexp) = (searched(args)?, compiled(args)?);
    let found = regexp.find(text.as_bytes()).and_then(|place| text.get(place));
    Ok(Value::from(found.unwrap_or_default()))
}

fn find_all(args: &[Value]) -> Result<Value, Fault> {
    let (text, regexp) = (searched(args)?, compiled(args)?);
    let count = if args.len() > 2 { Count::from(int(args, 2)?) } else { Count::All };
    let found = regexp.find_all(text.as_bytes(), count);
    let parts = found.into_iter().filter_map(|place| text.get(place)).map(Value::from);
    Ok(Value::list(parts.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_found() {
        let args = |text: &str, pattern: &str| vec![Value::from(text), Value::from(pattern)];
        assert_eq!(find(&args("abc 123", "[0-9]+")).unwrap().to_string(), "123");
        assert_eq!(find(&args("abc", "[0-9]+")).unwrap().to_string(), "");
        let all = |count: i64| {
            let mut args = args("1 22 333", "[0-9]+");
            args.push(Value::Int(count));
            find_all(&args).unwrap().to_string()
        };
        assert_eq!([all(-1), all(0), all(2)], ["[1, 22, 333]", "[]", "[1, 22]"]);
        let named = [Value::Type(Type::Int), Value::from("n")];
        assert_eq!(find(&named).unwrap().to_string(), "n");
        let fault = find(&args("a", "(")).unwrap_err();
        assert_eq!(fault.to_string(), "Illegal regex: error parsing regexp: missing closing ): `(`");
    }
}
