//! What is wrong with the arguments of `@schema/validation` and its like, in our words.

use trueline_diagnostic::nearest;
use trueline_ytt::error::RuleFault;
use trueline_ytt::validation::{Format, NAMED_RULES};

use super::sentences::a_thing;

/// The message for an annotation that cannot be read, and how it is corrected.
pub(super) fn of_annotation(annotation: &str, fault: &RuleFault) -> (String, Option<String>) {
    let near = match fault {
        RuleFault::UnknownName { name } => nearest(name, NAMED_RULES.into_iter().chain(["when"])),
        RuleFault::UnknownFormat { name } => nearest(name, Format::ALL.map(Format::name)),
        _ => None,
    };
    let message = match fault {
        RuleFault::Missing => format!("`@{annotation}` needs a rule, such as `min=1`"),
        RuleFault::NotARule { found } => {
            format!("`@{annotation}` takes rules such as `min=1` or `(\"a port\", is_port)`, found {found}")
        }
        RuleFault::TupleLength(length) => {
            format!("`@{annotation}` expects a description and a function, found a tuple of {length}")
        }
        RuleFault::WrongType { name, wanted, found } => {
            format!("`@{annotation}` expects a {wanted} for `{name}=`, found {}", a_thing(found))
        }
        RuleFault::UnknownName { name } => format!("`@{annotation}` has no rule `{name}`"),
        other => format!("`@{annotation}`: {other}"),
    };
    (message, near.map(|near| format!("did you mean `{near}`?")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_are_misspelt_are_corrected() {
        let of = |fault: RuleFault| of_annotation("schema/validation", &fault);
        let text = |text: &str| text.to_owned();
        let (message, help) = of(RuleFault::UnknownName { name: text("min_length") });
        assert_eq!(message, "`@schema/validation` has no rule `min_length`");
        assert_eq!(help.as_deref(), Some("did you mean `min_len`?"));
        let (message, help) = of(RuleFault::UnknownFormat { name: text("hostnam") });
        assert!(message.starts_with("`@schema/validation`: unknown format \"hostnam\", expected one of "));
        assert_eq!(help.as_deref(), Some("did you mean `hostname`?"));
        let (message, _) =
            of(RuleFault::WrongType { name: text("min_len"), wanted: "number", found: text("string") });
        assert_eq!(message, "`@schema/validation` expects a number for `min_len=`, found a string");
        let (message, _) = of(RuleFault::NotARule { found: text("5") });
        assert_eq!(
            message,
            "`@schema/validation` takes rules such as `min=1` or `(\"a port\", is_port)`, found 5"
        );
        assert_eq!(of(RuleFault::Unplaced { words: text("one_not_null= cannot be False") }).1, None);
    }
}
