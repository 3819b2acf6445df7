//! Label selectors of policies, on labels of which only some may be known.

use trueline_yaml::{Data, Value};

/// An answer that may not be known without a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Yes.
    Yes,
    /// No.
    No,
    /// It depends on something that only the cluster knows.
    Unknown,
}

impl Answer {
    /// Yes or no.
    pub(super) fn of(is: bool) -> Self {
        if is { Answer::Yes } else { Answer::No }
    }

    /// Both; what is no whatever the other is, is no.
    pub(super) fn and(self, other: Answer) -> Answer {
        match (self, other) {
            (Answer::No, _) | (_, Answer::No) => Answer::No,
            (Answer::Yes, Answer::Yes) => Answer::Yes,
            _ => Answer::Unknown,
        }
    }

    /// One of them; what is yes whatever the other is, is yes.
    pub(super) fn or(self, other: Answer) -> Answer {
        match (self, other) {
            (Answer::Yes, _) | (_, Answer::Yes) => Answer::Yes,
            (Answer::No, Answer::No) => Answer::No,
            _ => Answer::Unknown,
        }
    }
}

/// A selector of labels.
#[derive(Debug, Clone, Default)]
pub struct Selector {
    requirements: Vec<Requirement>,
}

#[derive(Debug, Clone)]
struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

/// A label of which it may not be known whether it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label<'l> {
    /// It has this value.
    Is(&'l str),
    /// There is none.
    Missing,
    /// Only the cluster knows.
    Unknown,
}

impl Selector {
    /// Reads a selector; one that is missing selects everything. What is wrong with one is said where it is validated.
    pub(super) fn read(value: Option<&Value>) -> Selector {
        let mut requirements = Vec::new();
        let Some(value) = value else { return Selector::default() };
        if let Some(Data::Map(labels)) = value.get("matchLabels").map(|labels| &labels.data) {
            requirements.extend(labels.iter().map(|(key, entry)| Requirement {
                key: key.to_string(),
                operator: Operator::In,
                values: vec![entry.value.as_str().unwrap_or_default().to_owned()],
            }));
        }
        if let Some(Data::List(items)) = value.get("matchExpressions").map(|items| &items.data) {
            requirements.extend(items.iter().filter_map(Requirement::read));
        }
        Selector { requirements }
    }

    /// Whether it selects what has these labels.
    pub(super) fn selects<'l>(&self, label: impl Fn(&str) -> Label<'l>) -> Answer {
        let answers = self.requirements.iter().map(|requirement| requirement.meets(label(&requirement.key)));
        answers.fold(Answer::Yes, Answer::and)
    }
}

impl Requirement {
    fn read(value: &Value) -> Option<Requirement> {
        let operator = match value.get("operator")?.as_str()? {
            "In" => Operator::In,
            "NotIn" => Operator::NotIn,
            "Exists" => Operator::Exists,
            "DoesNotExist" => Operator::DoesNotExist,
            _ => return None,
        };
        Some(Requirement {
            key: value.get("key")?.as_str()?.to_owned(),
            operator,
            values: super::read::texts(value.get("values")),
        })
    }

    fn meets(&self, label: Label<'_>) -> Answer {
        let is_listed = |value: &str| self.values.iter().any(|listed| listed == value);
        match (label, self.operator) {
            (Label::Unknown, _) => Answer::Unknown,
            (Label::Is(value), Operator::In) => Answer::of(is_listed(value)),
            (Label::Is(value), Operator::NotIn) => Answer::of(!is_listed(value)),
            (Label::Is(_), Operator::Exists) | (Label::Missing, Operator::NotIn | Operator::DoesNotExist) => {
                Answer::Yes
            }
            (Label::Is(_), Operator::DoesNotExist) | (Label::Missing, Operator::In | Operator::Exists) => {
                Answer::No
            }
        }
    }
}

/// A label of an object, all of whose labels are known.
pub(super) fn label_of<'o>(object: &'o Value, key: &str) -> Label<'o> {
    let labels = object.get("metadata").and_then(|metadata| metadata.get("labels"));
    match labels.and_then(|labels| labels.get(key)).and_then(Value::as_str) {
        Some(value) => Label::Is(value),
        None => Label::Missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str, label: Label<'_>) -> Answer {
        Selector::read(Some(&Value::from_json_text(selector).unwrap())).selects(|_| label)
    }

    #[test]
    fn requirements_are_met_by_labels() {
        let rows = [
            (r#"{"matchLabels":{"a":"b"}}"#, [Answer::Yes, Answer::No, Answer::No, Answer::Unknown]),
            (
                r#"{"matchExpressions":[{"key":"a","operator":"NotIn","values":["b"]}]}"#,
                [Answer::No, Answer::Yes, Answer::Yes, Answer::Unknown],
            ),
            (
                r#"{"matchExpressions":[{"key":"a","operator":"Exists"}]}"#,
                [Answer::Yes, Answer::Yes, Answer::No, Answer::Unknown],
            ),
            (
                r#"{"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]}"#,
                [Answer::No, Answer::No, Answer::Yes, Answer::Unknown],
            ),
            ("{}", [Answer::Yes; 4]),
        ];
        for (selector, expected) in rows {
            let labels = [Label::Is("b"), Label::Is("c"), Label::Missing, Label::Unknown];
            assert_eq!(labels.map(|label| selects(selector, label)), expected, "{selector}");
        }
    }

    #[test]
    fn what_is_not_met_decides_whatever_is_unknown() {
        assert_eq!(Answer::No.and(Answer::Unknown), Answer::No);
        assert_eq!(Answer::Unknown.and(Answer::Yes), Answer::Unknown);
        assert_eq!(Answer::Unknown.or(Answer::Yes), Answer::Yes);
        assert_eq!(Answer::No.or(Answer::Unknown), Answer::Unknown);
    }
}
