//! Paths to fields as rules and selectable fields write them (`.spec.name`, `.spec['a.b']`), followed through
//! a schema.

use std::fmt;
use std::sync::Arc;

use trueline_kube_facts::FieldPath;

use super::Structural;
use crate::props::OrBool;

/// Whether a path may have names in brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brackets {
    /// It may.
    Allowed,
    /// It may not.
    Forbidden,
}

/// The field that a path leads to.
#[derive(Debug)]
pub struct FoundField<'s> {
    /// The path as the server has it.
    pub path: FieldPath,
    /// The first field on the way.
    pub first: String,
    /// The names of the fields and keys on the way.
    pub steps: Vec<Arc<str>>,
    /// The schema of the field; none if the map that it is in says nothing of its values.
    pub schema: Option<&'s Structural>,
}

impl Structural {
    /// Follows a path.
    pub fn follow(&self, json_path: &str, brackets: Brackets) -> Result<FoundField<'_>, PathFault> {
        let mut found = FoundField {
            path: FieldPath::default(),
            first: String::new(),
            steps: Vec::new(),
            schema: Some(self),
        };
        let mut rest = json_path;
        while let Some(token) = next(&mut rest) {
            match token {
                "[" if brackets == Brackets::Forbidden => {
                    return Err(PathFault::Brackets);
                }
                "[" => {
                    let token = next(&mut rest).ok_or(PathFault::Unended)?;
                    let quoted = token.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
                    let Some(quoted) = quoted else {
                        return Err(PathFault::NotQuoted(token.to_owned()));
                    };
                    let name = unescaped(quoted).ok_or(PathFault::NotALiteral)?;
                    found.step(&name)?;
                    match next(&mut rest) {
                        Some("]") => {}
                        Some(token) => return Err(PathFault::NotClosed(token.to_owned())),
                        None => return Err(PathFault::Unended),
                    }
                }
                "." => {
                    let name = next(&mut rest).ok_or(PathFault::Unended)?.to_owned();
                    found.step(&name)?;
                }
                _ => return Err(PathFault::NoStep(token.to_owned())),
            }
        }
        Ok(found)
    }
}

/// What is wrong with a path. It prints in the server's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathFault {
    /// It has brackets where there may be none.
    Brackets,
    /// What stands in brackets has no single quotes; what stands there.
    NotQuoted(String),
    /// What stands in brackets and single quotes has an escape that there is not.
    NotALiteral,
    /// Something else than `]` comes after a name in brackets.
    NotClosed(String),
    /// Something else than `.` or `[` comes before a name.
    NoStep(String),
    /// It ends before it leads anywhere.
    Unended,
    /// There is no such field.
    NoField,
}

impl fmt::Display for PathFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathFault::Brackets => formatter.write_str("array notation is not allowed"),
            PathFault::NotQuoted(token) => write!(formatter, "expected single quoted string but got {token}"),
            PathFault::NotALiteral => formatter.write_str("invalid string literal"),
            PathFault::NotClosed(token) => write!(formatter, "expected ] but got {token}"),
            PathFault::NoStep(token) => write!(formatter, "expected [ or . but got: {token}"),
            PathFault::Unended => formatter.write_str("unexpected end of JSON path"),
            PathFault::NoField => formatter.write_str("does not refer to a valid field"),
        }
    }
}

impl std::error::Error for PathFault {}

impl FoundField<'_> {
    fn step(&mut self, name: &str) -> Result<(), PathFault> {
        let schema = self.schema.ok_or(PathFault::NoField)?;
        self.steps.push(name.into());
        if !schema.properties.is_empty() {
            self.schema = Some(schema.properties.get(name).ok_or(PathFault::NoField)?);
            self.path = self.path.field(name.to_owned());
        } else {
            self.schema = match schema.additional_properties.as_deref().ok_or(PathFault::NoField)? {
                OrBool::Schema(schema) => Some(schema),
                OrBool::Bool(_) => None,
            };
            self.path = self.path.key(name);
        }
        if self.first.is_empty() {
            self.first = self.path.to_string();
        }
        Ok(())
    }
}

/// The next token: a delimiter, a string in single quotes, or what comes before the next delimiter.
fn next<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let first = rest.chars().next()?;
    let end = if first == '\'' {
        let mut previous = '\'';
        let closing = rest.char_indices().skip(1).find(|(_, character)| {
            let is_end = *character == '\'' && previous != '\\';
            previous = *character;
            is_end
        });
        closing.map_or(rest.len(), |(at, _)| at + 1)
    } else if matches!(first, '.' | '[' | ']') {
        1
    } else {
        rest.find(['.', '[', ']']).unwrap_or(rest.len())
    };
    let (token, after) = rest.split_at_checked(end)?;
    *rest = after;
    Some(token)
}

fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        out.push(match character {
            '\\' => match characters.next()? {
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                '\'' => '\'',
                '\\' => '\\',
                _ => return None,
            },
            '\'' | '\n' | '\r' => return None,
            _ => character,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::props::Props;

    #[test]
    fn paths_are_followed_as_the_server_follows_them() {
        let text = "{type: object, properties: {spec: {type: object, properties: {a: {type: string}, \
                    'b.c': {type: string}, m: {type: object, additionalProperties: {type: integer}}, \
                    any: {type: object, additionalProperties: true}}}}}";
        let value = trueline_yaml::yaml_to_value(text).unwrap();
        let schema = Structural::new(&Props::read(&value)).unwrap();
        let rows = [
            (".spec.a", Ok("spec.a")),
            (".spec['b.c']", Ok("spec.b.c")),
            (".spec.m.k", Ok("spec.m[k]")),
            (".spec.x", Err(PathFault::NoField)),
            (".spec.any.x.y", Err(PathFault::NoField)),
            (".spec.a.", Err(PathFault::Unended)),
            (".spec[a]", Err(PathFault::NotQuoted("a".to_owned()))),
            ("spec", Err(PathFault::NoStep("spec".to_owned()))),
            (".spec['a'", Err(PathFault::Unended)),
        ];
        for (path, expected) in rows {
            let found = schema.follow(path, Brackets::Allowed).map(|found| found.path.to_string());
            assert_eq!(found, expected.map(str::to_owned), "{path}");
        }
        assert!(schema.follow(".spec['a']", Brackets::Forbidden).is_err());
        assert_eq!(schema.follow(".spec.a", Brackets::Forbidden).unwrap().first, "spec");
    }
}
