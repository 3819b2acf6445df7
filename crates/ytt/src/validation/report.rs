//! What breaks rules, in ytt's layout.

use std::fmt;

use crate::tree::Position;

/// All values that break rules.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The values, each with the rules that it breaks.
    pub invalid: Vec<Invalid>,
}

/// A value that breaks rules.
#[derive(Debug, Clone)]
pub struct Invalid {
    /// The keys and indices that lead to it, such as `db.hosts[0]`.
    pub path: String,
    /// Where its node is.
    pub position: Position,
    /// Where the value was typed.
    pub place: Position,
    /// The rules that it breaks.
    pub violations: Vec<RuleViolation>,
}

/// A rule that is broken.
#[derive(Debug, Clone)]
pub struct RuleViolation {
    /// Where the rule is.
    pub rule: Position,
    /// What a value must be.
    pub description: String,
    /// What is wrong; empty if the rule does not say.
    pub found: String,
    /// What the author of the rule says in place of both.
    pub message: Option<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Invalid { path, position, violations, .. } in &self.invalid {
            writeln!(f, "  {path}\n    from: {position}")?;
            for RuleViolation { rule, description, found, message } in violations {
                if let Some(message) = message {
                    writeln!(f, "    - {message} (by: {rule})")?;
                    continue;
                }
                writeln!(f, "    - must be: {description} (by: {rule})")?;
                if !found.is_empty() {
                    writeln!(f, "      found: {found}")?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
