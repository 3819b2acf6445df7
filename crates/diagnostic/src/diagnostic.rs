//! Findings: what the program reports.

use trueline_source::Span;

use crate::{Code, RuleInfo, Severity};

/// A finding with everything a user needs: what is wrong, where it was typed, what was expected.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// The kind of finding.
    pub code: &'static Code,
    /// The rule that it is about, where the code has rules with names of their own.
    pub rule: Option<&'static RuleInfo>,
    /// The code's severity unless the caller or the configuration changed it.
    pub severity: Severity,
    /// One sentence in the user's words, without a final full stop.
    pub message: String,
    /// The place to look at first.
    pub primary: Label,
    /// Further related places.
    pub related: Vec<Label>,
    /// How the program got there (includes, calls, imports), innermost first.
    pub trace: Vec<Frame>,
    /// The path inside the document, as a JSON pointer.
    pub path: Option<String>,
    /// The level of the pipeline that found it.
    pub level: Option<Level>,
    /// The schema rule that was violated.
    pub schema: Option<SchemaPlace>,
    /// The API server's own words, if the finding corresponds to one of its errors.
    pub kube: Option<KubeCause>,
    /// How to fix it; one sentence or a few lines.
    pub help: Option<String>,
    /// A change to the text that fixes it.
    pub fix: Option<Fix>,
    /// How many further findings with this code in this file it represents; they are counted but not listed.
    pub more: u32,
}

/// A place with a short message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// A few words; may be empty.
    pub text: String,
}

impl Label {
    /// A place with a short message.
    pub fn new(span: Span, text: impl Into<String>) -> Self {
        Label { span, text: text.into() }
    }
}

/// One step of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Where the step was taken.
    pub span: Span,
    /// What it was, such as `included from "mychart.labels"`.
    pub text: String,
}

/// The level of the pipeline that found something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The text could not be read.
    Parse,
    /// The document violates a JSON Schema.
    Schema,
    /// The document violates a rule that no schema can express.
    Semantic,
}

impl Level {
    /// The word for it: `parse`, `schema` or `semantic`.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Parse => "parse",
            Level::Schema => "schema",
            Level::Semantic => "semantic",
        }
    }
}

/// Which rule of which schema was violated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaPlace {
    /// The schema's location: a URI or file with a JSON pointer after `#`.
    pub path: String,
    /// The keyword, such as `required`.
    pub keyword: String,
}

/// The three strings of an API server error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubeCause {
    /// The field path, in the server's notation.
    pub field: String,
    /// The kind of error, such as `FieldValueInvalid`.
    pub kind: String,
    /// The server's message.
    pub detail: String,
}

/// A change to the text that fixes a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What the change does.
    pub description: String,
    /// The replacements; they do not overlap.
    pub edits: Vec<Edit>,
}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The text to replace.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

impl Diagnostic {
    /// A finding with its code's severity.
    pub fn new(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            rule: None,
            severity: code.severity,
            message: message.into(),
            primary: Label { span, text: String::new() },
            related: Vec::new(),
            trace: Vec::new(),
            path: None,
            level: None,
            schema: None,
            kube: None,
            help: None,
            fix: None,
            more: 0,
        }
    }

    /// Sets the message at the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds a further place.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label::new(span, text));
        self
    }

    /// Adds a step to the trace.
    pub fn frame(mut self, span: Span, text: impl Into<String>) -> Self {
        self.trace.push(Frame { span, text: text.into() });
        self
    }

    /// Adds a line that says how to fix it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        let help = help.into();
        self.help = Some(match self.help.take() {
            Some(before) => format!("{before}\n{help}"),
            None => help,
        });
        self
    }

    /// Names the place inside the document.
    pub fn path(mut self, pointer: impl Into<String>) -> Self {
        self.path = Some(pointer.into());
        self
    }

    /// Names the level that found it.
    pub fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Names the rule that it is about.
    pub fn rule(mut self, rule: &'static RuleInfo) -> Self {
        self.rule = Some(rule);
        self
    }

    /// Overrides the severity of the code.
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Makes it represent this many further findings with its code in its file.
    pub fn more(mut self, count: usize) -> Self {
        self.more = self.more.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        self
    }

    /// Offers a change that fixes it.
    pub fn fix(mut self, description: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fix = Some(Fix { description: description.into(), edits });
        self
    }
}
