//! Conversion to and from TOML.

use trueline_gotemplate::{Context, Error, Function, Map, Type, Value};

use crate::argument::{any, text};
use crate::define::fixed;
use crate::text::{kept, weighed};
use crate::toml;

const VALUE: &[Type] = &[Type::Any];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("toToml", VALUE, to_toml, "VALUE", "The value as TOML, or the error message."),
    fixed("mustToToml", VALUE, must_to_toml, "VALUE", "The value as TOML; fails if it cannot be written."),
    fixed(
        "fromToml",
        &[Type::String],
        from_toml,
        "STRING",
        "The TOML string as a map; an error message goes under `Error`.",
    ),
];

fn must_to_toml(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let value = any(arguments, 0);
    weighed(context, &value)?;
    let written = toml::write(&value)?;
    context.spend(written.len() as u64)?;
    Ok(Value::from(written).at(value.origin))
}

fn to_toml(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    // Go dereferences nil and panics; all other errors become the result.
    let falls = any(arguments, 0).is_nil();
    match must_to_toml(context, arguments) {
        Err(error) if !error.is_limit() && !falls => Ok(Value::from(error.to_string())),
        result => result,
    }
}

fn from_toml(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let text = text(arguments, 0);
    context.spend((text.len() as u64).saturating_mul(8))?;
    let read = toml::read(text.as_bytes());
    kept(context, read.unwrap_or_else(|why| Value::from(Map::from_iter([("Error", Value::from(why))]))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, shown};

    #[test]
    fn errors_are_results() {
        let list = || Value::from(Map::from_iter([("l", Value::list(vec![Value::nil()]))]));
        let why = "toml: cannot encode array with nil element";
        assert_eq!(shown(call(FUNCTIONS, "toToml", &[list()])), why);
        assert!(call(FUNCTIONS, "mustToToml", &[list()]).is_err());
        assert!(call(FUNCTIONS, "toToml", &[Value::nil()]).is_err());
        assert_eq!(shown(call(FUNCTIONS, "toToml", &["x".into()])), "\"x\"");
    }

    #[test]
    fn texts() {
        for (text, expected) in [
            ("", "map[]"),
            ("a = 1\nb = \"x\"\n[t]\nc = [1, 2]", "map[a:1 b:x t:map[c:[1 2]]]"),
            ("a = 1.5\nb = true\nc = 0xff\nd = 1_000", "map[a:1.5 b:true c:255 d:1000]"),
            ("[[x]]\na=1\n[[x]]\na=2", "map[x:[map[a:1] map[a:2]]]"),
            ("a.b.c = 1", "map[a:map[b:map[c:1]]]"),
            ("a = {b = 1, c = \"d\"}", "map[a:map[b:1 c:d]]"),
            ("a = [{b = 1}, {b = 2}]", "map[a:[map[b:1] map[b:2]]]"),
            ("a = '''x\ny'''", "map[a:x\ny]"),
            ("a = \"\"\"\n  x \\\n   y\"\"\"", "map[a:  x y]"),
            ("a = \"\\u00e9\\t\\x41\"", "map[a:é\tA]"),
            (
                "d = 2020-01-02\nt = 01:02:03",
                "map[d:2020-01-02 00:00:00 +0000 date-local t:0000-01-01 01:02:03 +0000 time-local]",
            ),
            ("d = 2020-01-02 03:04:05Z", "map[d:2020-01-02 03:04:05 +0000 UTC]"),
            ("a = [ # one\n 1,\n]", "map[a:[1]]"),
            ("'q k'.\"x\" = inf # comment", "map[q k:map[x:+Inf]]"),
            ("[a.b]\nc=1\n[a]\nd=2", "map[a:map[b:map[c:1] d:2]]"),
            ("a = ", "map[Error:toml: line 1 (last key \"a\"): unexpected EOF; expected value]"),
            ("a = 1\na = 2", "map[Error:toml: line 2 (last key \"a\"): Key 'a' has already been defined.]"),
            (
                "a = 1 b",
                "map[Error:toml: line 1: expected a top-level item to end with a newline, comment, or EOF, but got 'b' instead]",
            ),
            ("a b = 1", "map[Error:toml: line 1: expected '.' or '=', but got 'b' instead]"),
            ("a = foo", "map[Error:toml: line 1 (last key \"a\"): expected value but found \"foo\" instead]"),
            (
                "a = 01",
                "map[Error:toml: line 1 (last key \"a\"): Invalid integer \"01\": cannot have leading zeroes]",
            ),
            ("a = \"x\ny\"", "map[Error:toml: line 1 (last key \"a\"): strings cannot contain newlines]"),
            ("[a]\n[a]", "map[Error:toml: line 2: Key 'a' has already been defined.]"),
            (
                "a = [1 2]",
                "map[Error:toml: line 1 (last key \"a\"): expected a comma (',') or array terminator (']'), but got '2']",
            ),
            (
                "a = 99999999999999999999",
                "map[Error:toml: line 1 (last key \"a\"): 99999999999999999999 is out of range for int64]",
            ),
            ("a = 2020-13-01", "map[Error:toml: line 1 (last key \"a\"): invalid datetime: \"2020-13-01\"]"),
            ("= 1", "map[Error:toml: line 1: unexpected '=': key name appears blank]"),
            ("[", "map[Error:toml: line 1: unexpected end of table name (table names cannot be empty)]"),
        ] {
            assert_eq!(shown(call(FUNCTIONS, "fromToml", &[text.into()])), expected, "{text}");
        }
    }
}
