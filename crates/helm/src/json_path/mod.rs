//! The paths of `helm show values --jsonpath`: the template language of kubectl's `-o jsonpath`, over values.

mod evaluate;
mod parse;

use trueline_yaml::Value;

use crate::refusal::{Refusal, RefusalKind};

/// A template that has been read.
#[derive(Debug, Clone)]
pub struct JsonPath {
    nodes: Vec<Node>,
}

impl JsonPath {
    /// Reads a template, or says in kubectl's words what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let nodes = parse::parse(text).map_err(|text| RefusalKind::Syntax.of(text))?;
        Ok(JsonPath { nodes })
    }

    /// What the template writes. Helm does not say what cannot be found: then there is nothing to write.
    pub fn print(&self, values: &Value) -> String {
        evaluate::print(&self.nodes, values).unwrap_or_default()
    }
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    /// What stands between braces: each node takes what the one before it found.
    List(Vec<Node>),
    /// Text as it stands.
    Text(String),
    /// A key.
    Field(String),
    /// A part of a list.
    Slice(Slice),
    /// The items of a list for which a comparison holds.
    Filter {
        left: Vec<Node>,
        operator: String,
        right: Vec<Node>,
    },
    Int(i64),
    Float(f64),
    Bool(bool),
    /// Everything that a value holds.
    Wildcard,
    /// A value with everything below it.
    Recursive,
    /// What any of several lists finds.
    Union(Vec<Vec<Node>>),
    /// `range`, `end` or a mistake.
    Identifier(String),
}

/// `[start:end:step]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slice {
    start: Option<i64>,
    end: Option<i64>,
    /// The end was not written: it is the item after the first.
    is_single: bool,
    step: Option<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: &str = r#"{"a":1.5,"big":1e21,"m":{"b":[1,2,3],"t":"x<y","n":null},"e":[],
        "l":[{"k":"one","v":1},{"k":"two","v":2,"w":true},{"k":"th.ree"}],"d.t":{"z":true}}"#;

    fn printed(path: &str) -> String {
        let values = Value::from_json_text(VALUES).unwrap().with_json_numbers();
        JsonPath::parse(path).unwrap().print(&values)
    }

    #[test]
    fn paths_find_what_they_name() {
        for (path, text) in [
            ("", ""),
            ("plain", "plain"),
            ("{.a}", "1.5"),
            ("{.big}", "1e+21"),
            ("{.m.b[1]}", "2"),
            ("{.m.b[-1]}", "3"),
            ("{.m.b[0:2]}", "1 2"),
            ("{.m.b[::2]}", "1 3"),
            ("{.m.b[0,2]}", "1 3"),
            ("{.m.b[*]}", "1 2 3"),
            ("{.m.b}", "[1,2,3]"),
            ("{.m['t']}", "x<y"),
            ("{.m.n}", "null"),
            ("{$.l[0].k}!", "one!"),
            ("{.l[?(@.w)].k}", "two"),
            ("{.l[?(@.k=='two')].v}", "2"),
            ("{.l[?(@.k!=\"one\")].k}", "two th.ree"),
            ("{.d\\.t.z}", "true"),
            ("{..k}", "one two th.ree"),
            ("{range .l[*]}<{.k}>{end}.", "<one><two><th.ree>."),
            ("{range .e[*]}x{end}.", "."),
            ("{range .l[*]}{.k}{\"\\n\"}{end}", "one\ntwo\nth.ree\n"),
            ("{1}{true}{-2.5}", "1true-2.5"),
            ("{.l[0]}", r#"{"k":"one","v":1}"#),
        ] {
            assert_eq!(printed(path), text, "{path}");
        }
    }

    #[test]
    fn what_cannot_be_found_prints_nothing_at_all() {
        for path in [
            "before {.nope}",
            "{.m.b[9]}",
            "{.a[0]}",
            "{end}",
            "{what}",
            "{.l[?(@.v==2)].k}",
            "{.l[?(@.v==2.0)].k}",
            "{.m.b[2:1]}",
            "{range .e[*]}{.k}{end}.",
        ] {
            assert_eq!(printed(path), "", "{path}");
        }
    }

    #[test]
    fn mistakes_are_told_in_kubectl_s_words() {
        for (path, wrong) in [
            ("{.m[", "unterminated array"),
            ("{.m", "unclosed action"),
            ("{.m[x]}", "invalid array index x"),
            ("{.m[?(@.a]}", "unterminated filter"),
            ("{.m[?(@.a)}", "unclosed array expect ]"),
            ("{\"x}", "unterminated quoted string"),
            ("{....a}", "invalid multiple recursive descent"),
            ("{#}", "unrecognized character in action: U+0023 '#'"),
            ("{1.2.3}", "cannot parse number 1.2.3"),
        ] {
            assert_eq!(JsonPath::parse(path).err().map(String::from).as_deref(), Some(wrong), "{path}");
        }
        let deep = "{.a".to_owned() + &"[?(@".repeat(5000) + &")]".repeat(5000) + "}";
        let _ = JsonPath::parse(&deep);
    }
}
