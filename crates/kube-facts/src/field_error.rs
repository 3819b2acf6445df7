//! Errors as the API server reports them: which field, of what type, and a detail; and where the field was
//! typed, which the server does not know.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use trueline_diagnostic::KubeCause;
use trueline_source::Span;

use crate::field_path::FieldPath;
use crate::reason::Reason;
use crate::schema_rules as schema;
use crate::server_rule::{Breach, Detail, ServerRule};

/// One error of the server's: the rule that was broken, the field, and what is known besides.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldError {
    /// The rule.
    pub rule: &'static ServerRule,
    /// The path of the field as the server has it.
    pub field: FieldPath,
    /// The value as the server prints it, if it prints one.
    pub value: Option<String>,
    /// What is known besides, such as limits and names.
    pub detail: Detail,
    /// Where the field was typed, or the nearest place around it.
    pub place: Option<Span>,
    /// What is known of the rule in CEL that it is about.
    pub expression: Option<Box<RuleFact>>,
}

/// What is known of a rule in CEL beyond the words of the server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RuleFact {
    /// An expression cannot be compiled.
    NotCompiled {
        /// The expression.
        expression: Arc<str>,
        /// What is wrong with it; at least one.
        issues: Vec<ExpressionIssue>,
    },
    /// An expression may cost more than is allowed.
    TooExpensive {
        /// What it may cost.
        estimate: u64,
        /// What is allowed.
        limit: u64,
        /// What would bring it below the limit.
        bounds: Vec<Bound>,
    },
    /// An expression is one of those that cost most where all together cost more than is allowed.
    AmongExpensive,
    /// A rule of a CRD cannot be compiled, so objects cannot be asked; that is wrong with the CRD and not with them.
    Uncompiled {
        /// The rule.
        expression: Arc<str>,
    },
    /// An object breaks the rule.
    Broken {
        /// Where the rule was typed.
        rule: Option<Span>,
    },
    /// A rule cannot be evaluated on an object.
    Failed {
        /// Where the rule was typed.
        rule: Option<Span>,
        /// The rule.
        expression: Arc<str>,
        /// The bytes of the rule that failed, if that is known.
        part: Option<Range<u32>>,
        /// Why it failed, in plain words.
        why: String,
    },
}

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExpressionIssue {
    /// What is wrong, in plain words.
    pub message: String,
    /// The part of the expression, in bytes.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// What would be right, if that is known.
    pub help: Option<String>,
}

impl ExpressionIssue {
    /// What is wrong with a part of an expression. Where CEL names only the first character of a name, or the dot before it,
    /// the whole name is meant.
    pub fn new(expression: &str, message: String, place: Range<u32>, help: Option<String>) -> Self {
        let rest = |from: usize| expression.get(from..).unwrap_or_default();
        let mut start = place.start as usize;
        let mut end = (place.end as usize).max(start);
        let name = |text: &str| {
            text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len())
        };
        if rest(start).starts_with('.') && name(rest(start + 1)) > 0 {
            start += 1;
            end = end.max(start + name(rest(start)));
        } else if end <= start + 1 {
            end = end.max(start + name(rest(start)));
        }
        let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        ExpressionIssue { message, start: byte(start), end: byte(end), help }
    }
}

/// Why an expression cannot be used.
#[derive(Debug, Clone)]
pub struct Failure {
    text: String,
    expression: Arc<str>,
    issues: Vec<ExpressionIssue>,
}

impl Failure {
    /// A failure with what the server says.
    pub fn new(text: String, expression: Arc<str>, issues: Vec<ExpressionIssue>) -> Self {
        Failure { text, expression, issues }
    }

    /// A failure of the expression as a whole.
    pub fn of_whole(text: String, expression: &Arc<str>, plain: String) -> Self {
        let end = u32::try_from(expression.len()).unwrap_or(u32::MAX);
        let issue = ExpressionIssue { message: plain, start: 0, end, help: None };
        Failure { text, expression: Arc::clone(expression), issues: vec![issue] }
    }

    /// What the server says.
    pub fn server_text(&self) -> &str {
        &self.text
    }

    /// The expression.
    pub fn expression(&self) -> &Arc<str> {
        &self.expression
    }

    /// What is wrong with it, and where; at least one.
    pub fn issues(&self) -> &[ExpressionIssue] {
        &self.issues
    }
}

/// A bound that a schema could have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bound {
    /// The path of the schema, from the root of the schema on: `spec.items[*]`.
    pub field: String,
    /// `maxItems`, `maxLength` or `maxProperties`.
    pub keyword: &'static str,
    /// A number that is small enough.
    pub most: u64,
    /// Where the schema was typed.
    pub place: Option<Span>,
}

impl FieldError {
    /// An error without a value.
    pub fn new(breach: impl Into<Breach>, field: FieldPath, place: Option<Span>) -> Self {
        let Breach { rule, detail } = breach.into();
        FieldError { rule, field, value: None, detail, place, expression: None }
    }

    /// The same error with the value that it is about, as the server prints it.
    pub fn with_value(mut self, value: impl Into<String>) -> Self {
        self.value = Some(value.into());
        self
    }

    /// The same error with what is known of the rule in CEL that it is about.
    pub fn about_rule(mut self, fact: RuleFact) -> Self {
        self.expression = Some(Box::new(fact));
        self
    }

    /// What kind of error it is.
    pub fn reason(&self) -> Reason {
        self.rule.reason
    }

    /// Whether it is about a rule.
    pub fn breaks(&self, rule: &'static ServerRule) -> bool {
        self.rule == rule
    }

    /// What else the server says, in its own words.
    pub fn sentence(&self) -> String {
        self.detail.sentence(self.rule)
    }

    /// The value as it was typed, if it is a string.
    pub fn typed(&self) -> &str {
        let value = self.value.as_deref().unwrap_or_default();
        value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value)
    }

    /// Whether the value is the name of a JSON type, as it is where one of another type is wanted, and not the value
    /// itself, as where one of another format is wanted.
    pub fn names_type(&self) -> bool {
        const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];
        TYPES.contains(&self.typed())
    }

    /// The words that are allowed, where the value is none of them.
    pub fn choices(&self) -> Option<&[Cow<'static, str>]> {
        match &self.detail {
            Detail::Choices(words) => Some(words),
            _ => None,
        }
    }

    /// How many items or properties there are, where the value is their number and not the value itself.
    pub fn counted(&self) -> Option<String> {
        let noun = match self.rule {
            rule if rule == &schema::MIN_ITEMS => "items",
            rule if rule == &schema::MIN_PROPERTIES => "properties",
            _ => return None,
        };
        self.value.as_deref().map(|number| format!("{number} {noun}"))
    }

    /// The server's own three strings.
    pub fn cause(&self) -> KubeCause {
        KubeCause {
            field: self.printed_field(),
            kind: self.reason().name().to_owned(),
            detail: self.sentence(),
        }
    }

    /// The path as the server prints it, which may have no parts.
    pub fn printed_field(&self) -> String {
        if self.field.is_empty() { "<nil>".to_owned() } else { self.field.to_string() }
    }

    /// The server's text without the path of the field.
    pub fn message_without_field(&self) -> String {
        let mut text = self.reason().text().to_owned();
        if let Some(value) = self.value.as_ref().filter(|_| self.reason().shows_value()) {
            text.push_str(": ");
            text.push_str(value);
        }
        let sentence = self.sentence();
        if !sentence.is_empty() {
            text.push_str(": ");
            text.push_str(&sentence);
        }
        text
    }

    /// The whole text as the server prints it.
    pub fn message(&self) -> String {
        format!("{}: {}", self.printed_field(), self.message_without_field())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    rules! {
        /// A word.
        WORD: NotSupported, "test/scope", "supported values: {}";
        /// A field.
        FIELD: Required, "test/field";
    }

    #[test]
    fn messages_read_as_the_server_writes_them() {
        let field = FieldPath::of("spec.scope");
        let error = FieldError::new(Breach::choices(&WORD, ["Cluster"]), field, None).with_value("\"x\"");
        assert_eq!(error.message(), "spec.scope: Unsupported value: \"x\": supported values: \"Cluster\"");
        let error = FieldError::new(&FIELD, FieldPath::default(), None).with_value("1");
        assert_eq!(error.message(), "<nil>: Required value");
        assert_eq!(NAMED.len(), 2);
    }
}
