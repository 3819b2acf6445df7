//! Which library data values and schemas are addressed to.

use std::fmt;
use std::rc::Rc;

use crate::error::{Error, ErrorKind};
use crate::tree::Annotations;

/// The annotation that addresses a document to a library.
pub const LIBRARY_REF: &str = "library/ref";

/// One step of an address: a library by its path, by an alias, or by both.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LibraryRef {
    /// The path; empty if only an alias is given.
    pub path: Rc<str>,
    /// The alias; empty if there is none.
    pub alias: Rc<str>,
}

impl LibraryRef {
    /// Whether it names a library.
    pub fn matches(&self, library: &LibraryRef) -> bool {
        let is_path = self.path == library.path;
        if self.alias.is_empty() {
            return is_path;
        }
        self.alias == library.alias && (is_path || self.path.is_empty())
    }

    /// The steps of `@path`, `@~alias`, `@path~alias`, and of several of these in a row.
    pub fn parse(text: &str) -> Result<Vec<LibraryRef>, Error> {
        let fails = |text: String| Err(Error::new(ErrorKind::Flag, text));
        if text.is_empty() {
            return fails("Expected library ref to not be empty".to_owned());
        }
        let Some(steps) = text.strip_prefix('@') else {
            return fails("Expected library ref to start with '@'".to_owned());
        };
        let mut result = Vec::new();
        for step in steps.split('@') {
            let parts: Vec<&str> = step.split('~').collect();
            result.push(match parts.as_slice() {
                [path] => LibraryRef { path: (*path).into(), alias: "".into() },
                [_, ""] => return fails("Expected library alias to not be empty".to_owned()),
                [path, alias] => LibraryRef { path: (*path).into(), alias: (*alias).into() },
                _ => {
                    return fails(format!(
                        "Expected library ref to have form: '@path', '@~alias', or '@path~alias', got: '{text}'"
                    ));
                }
            });
        }
        Ok(result)
    }

    /// The address that a document's annotations give; no steps if they give none.
    pub fn of_annotations(annotations: &Annotations) -> Result<Vec<LibraryRef>, Error> {
        let Some(annotation) = annotations.get(LIBRARY_REF) else { return Ok(Vec::new()) };
        let at_annotation = |error: Error| error.at(annotation.position.clone());
        let [argument] = annotation.args.as_slice() else {
            let count = annotation.args.len();
            let text = format!("Expected {LIBRARY_REF} annotation to have one arg, got {count}");
            return Err(at_annotation(Error::other(text)));
        };
        let Some(text) = argument.as_bytes().map(String::from_utf8_lossy) else {
            let text = format!("expected a string, but was {}", argument.type_name());
            return Err(at_annotation(Error::other(text)));
        };
        let in_annotation = |error: Error| at_annotation(error.context(format!("Annotation {LIBRARY_REF}")));
        LibraryRef::parse(&text).map_err(in_annotation)
    }
}

impl fmt::Display for LibraryRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if self.alias.is_empty() { Ok(()) } else { write!(f, "~{}", self.alias) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Result<Vec<String>, String> {
        let steps = LibraryRef::parse(text).map_err(|error| error.to_string())?;
        Ok(steps.iter().map(LibraryRef::to_string).collect())
    }

    #[test]
    fn addresses_have_steps() {
        for (text, expected) in [
            ("@a", &["a"][..]),
            ("@a~b", &["a~b"]),
            ("@~b", &["~b"]),
            ("@a@b/c~d", &["a", "b/c~d"]),
            ("@", &[""]),
            ("@@", &["", ""]),
        ] {
            assert_eq!(steps(text).unwrap(), expected, "{text}");
        }
        for (text, expected) in [
            ("", "Expected library ref to not be empty"),
            ("a", "Expected library ref to start with '@'"),
            ("@a~", "Expected library alias to not be empty"),
            (
                "@x~~y",
                "Expected library ref to have form: '@path', '@~alias', or '@path~alias', got: '@x~~y'",
            ),
        ] {
            assert_eq!(steps(text).unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn an_address_matches_what_it_names() {
        let parse = |text: &str| LibraryRef::parse(text).unwrap().remove(0);
        for (address, library, expected) in [
            ("@a", "@a", true),
            ("@a", "@a~x", true),
            ("@a", "@b", false),
            ("@~x", "@a~x", true),
            ("@~x", "@a", false),
            ("@a~x", "@a~x", true),
            ("@b~x", "@a~x", false),
            ("@a~x", "@a~y", false),
        ] {
            assert_eq!(parse(address).matches(&parse(library)), expected, "{address} {library}");
        }
    }
}
