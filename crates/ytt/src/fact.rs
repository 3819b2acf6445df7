//! What is wrong, as facts. ytt's sentences are printed from them here; who has words of their own need not read those.

use std::fmt;

use trueline_starlark::Fault;

use crate::validation::Format;

/// What is wrong, for those failures that are worded in more than one way.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fact {
    /// The language says it.
    Language(Fault),
    /// A key that a map of a template has already.
    RepeatedKey {
        /// The key as Go shows it.
        key: String,
    },
    /// A module that ytt does not have.
    NoModule {
        /// Its name.
        name: String,
    },
    /// A file that is not among the inputs.
    NoFile {
        /// Its path.
        path: String,
        /// What a file loads, as it is written there; none if a template only reads it.
        module: Option<String>,
    },
    /// There is no directory with libraries.
    NoLibraries {
        /// The name that it would have.
        directory: &'static str,
    },
    /// A library that is not in the directory with libraries.
    NoLibrary {
        /// Its path.
        path: String,
        /// How far the path leads.
        before: String,
    },
    /// A comment that is neither code nor a remark.
    UnknownComment {
        /// The line that it is on.
        line: String,
        /// The comment without its `#`.
        text: String,
    },
    /// A node with a YAML value and a computed one.
    TwoValues {
        /// The line that it is on.
        line: String,
    },
    /// Code in the place of the node that belongs to an `/end`.
    CodeAfterEnd {
        /// The line that it is on.
        line: String,
    },
    /// An annotation on a node that cannot have it.
    Misplaced {
        /// The annotation.
        annotation: String,
        /// What the node is.
        node: &'static str,
        /// The line that it is on.
        line: String,
        /// The nodes that can have it.
        allowed: &'static str,
    },
    /// A node with several annotations that say what an overlay does.
    SeveralOperations,
    /// An annotation that needs one of some arguments.
    NoArguments {
        /// The annotation.
        annotation: &'static str,
        /// The arguments.
        arguments: &'static str,
    },
    /// An annotation that does not say how nodes are matched.
    NoMatcher {
        /// The annotation.
        annotation: &'static str,
    },
    /// Arguments of which only one can be there.
    Exclusive {
        /// The one.
        one: &'static str,
        /// The other.
        two: &'static str,
    },
    /// A number of matches that cannot be understood.
    NotACount {
        /// As it was written.
        found: String,
    },
    /// An argument that an annotation does not take.
    UnknownArgument {
        /// The annotation.
        annotation: String,
        /// The argument.
        argument: String,
    },
    /// A value is not what an overlay asserts.
    NotEqual {
        /// How they differ.
        difference: String,
    },
    /// The function of an assertion says no.
    Refused {
        /// Why.
        message: Option<String>,
    },
    /// A node has no key to compare it by.
    NoMatchKey {
        /// The key.
        key: String,
    },
    /// Data values or schemas that no library takes.
    Unused {
        /// What they are.
        kinds: &'static str,
        /// What each is called.
        names: Vec<String>,
        /// The library, if it is only one.
        library: Option<String>,
    },
    /// An annotation with rules that cannot be read.
    Rule {
        /// The annotation.
        annotation: String,
        /// What is wrong with its arguments.
        fault: RuleFault,
        /// The line that it is on.
        line: String,
    },
    /// A flag for a data value without `=`.
    NotKeyValue,
}

/// What is wrong with the arguments of an annotation with rules.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleFault {
    /// There are none.
    Missing,
    /// An argument that is no rule.
    NotARule {
        /// The argument, as `repr` shows it.
        found: String,
    },
    /// A tuple that is too short or too long.
    TupleLength(usize),
    /// A keyword argument of the wrong type.
    WrongType {
        /// The argument.
        name: String,
        /// The type that it should have.
        wanted: &'static str,
        /// The type that it has.
        found: String,
    },
    /// A keyword argument that is no rule.
    UnknownName {
        /// The argument.
        name: String,
    },
    /// A format that there is not.
    UnknownFormat {
        /// Its name.
        name: String,
    },
    /// Anything else, in ytt's words.
    Other {
        /// The words.
        words: String,
    },
    /// The same, where ytt does not say the line.
    Unplaced {
        /// The words.
        words: String,
    },
}

impl RuleFault {
    /// The word before the line in ytt's sentence.
    fn preposition(&self) -> Option<&'static str> {
        match self {
            RuleFault::Missing | RuleFault::NotARule { .. } | RuleFault::TupleLength(_) => Some("by"),
            RuleFault::Unplaced { .. } => None,
            _ => Some("at"),
        }
    }
}

impl fmt::Display for RuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleFault::Missing => {
                f.write_str("expected annotation to have 2-tuple as argument(s), but found no arguments")
            }
            RuleFault::NotARule { found } => {
                write!(f, "expected annotation to have 2-tuple as argument(s), but found: {found}")
            }
            RuleFault::TupleLength(length) => {
                write!(f, "expected 2-tuple, but found tuple with length {length}")
            }
            RuleFault::WrongType { name, wanted, found } => {
                write!(f, "expected keyword argument \"{name}\" to be a {wanted}, but was {found}")
            }
            RuleFault::UnknownName { name } => {
                write!(f, "unknown keyword argument {}", trueline_starlark::quote(name.as_bytes()))
            }
            RuleFault::UnknownFormat { name } => f.write_str(&Format::unknown(name)),
            RuleFault::Other { words } | RuleFault::Unplaced { words } => f.write_str(words),
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Language(fault) => write!(f, "{fault}"),
            Fact::RepeatedKey { key } => write!(
                f,
                "expected key '{key}' to not be specified again (unless 'yaml/map-key-override' annotation is added)"
            ),
            Fact::NoModule { name } => write!(
                f,
                "builtin ytt library does not have module '{name}' (hint: is it available in newer version of ytt?)"
            ),
            Fact::NoFile { path, .. } => write!(
                f,
                "Expected to find file '{path}' (hint: only files included via -f flag are available)"
            ),
            Fact::NoLibraries { directory } => {
                write!(f, "Could not find private library (directory '{directory}' missing?)")
            }
            Fact::NoLibrary { path, before } => {
                write!(f, "Expected to find library '{path}', but did not find '{before}'")
            }
            Fact::UnknownComment { line, text } => write!(
                f,
                "Failed to parse line {line}: '#{text}': Expected ytt-formatted string (use '#@' for annotations or \
                 code, '#!' for comments)"
            ),
            Fact::TwoValues { line } => write!(
                f,
                "Expected YAML node at {line} to have either computed or YAML value, but found both"
            ),
            Fact::CodeAfterEnd { line } => {
                write!(f, "Unexpected code at {line} after use of '*/end', expected YAML node")
            }
            Fact::Misplaced { annotation, node, line, allowed } => write!(
                f,
                "Found @{annotation} on {node} ({line}); only {allowed} can be annotated with @{annotation}"
            ),
            Fact::SeveralOperations => f.write_str("Expected to find only one overlay operation"),
            Fact::NoArguments { annotation, arguments } => write!(
                f,
                "Expected '{annotation}' annotation to have at least one keyword argument ({arguments})"
            ),
            Fact::NoMatcher { annotation } => {
                write!(f, "Expected '{annotation}' annotation keyword argument 'by' to be specified")
            }
            Fact::Exclusive { one, two } => {
                write!(f, "Expected only one of keyword arguments ('{one}', '{two}') specified")
            }
            Fact::NotACount { found } => {
                write!(f, "Expected '{found}' to be in format 'i+' where i is an integer")
            }
            Fact::UnknownArgument { annotation, argument } => {
                write!(f, "Unknown '{annotation}' annotation keyword argument '{argument}'")
            }
            Fact::NotEqual { difference } => {
                write!(f, "Expected objects to equal, but did not: {difference}")
            }
            Fact::Refused { message } => {
                f.write_str("Expected via invocation to return true, but was false")?;
                message.as_ref().map_or(Ok(()), |message| write!(f, " with message: {message}"))
            }
            Fact::NoMatchKey { key } => {
                write!(f, "Expected to find map item with key '{key}', but did not")
            }
            Fact::Unused { kinds, names, .. } => write!(
                f,
                "Expected all provided library {kinds} documents to be used but found unused: {}",
                names.join(", ")
            ),
            Fact::Rule { annotation, fault, line } => {
                write!(f, "Invalid @{annotation} annotation - {fault}")?;
                fault.preposition().map_or(Ok(()), |word| write!(f, " ({word} {line})"))
            }
            Fact::NotKeyValue => f.write_str("Expected format key=value"),
        }
    }
}
