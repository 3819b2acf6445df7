//! The choices of `enum`, found in one step where they are texts or integers, as nearly all are.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trueline_yaml::{Data, Value, number};

use crate::value::printed::json;

/// The choices of a schema.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// All of them, in their order.
    pub(super) all: Vec<Value>,
    texts: FxHashSet<Arc<str>>,
    numbers: FxHashSet<i64>,
    others: Vec<Value>,
}

impl FromIterator<Value> for Choices {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut choices = Choices { all: values.into_iter().collect(), ..Choices::default() };
        for choice in &choices.all {
            match &choice.data {
                Data::String(text) => drop(choices.texts.insert(Arc::from(&**text))),
                Data::Int(number) => drop(choices.numbers.insert(*number)),
                _ => choices.others.push(choice.clone()),
            }
        }
        choices
    }
}

impl Choices {
    /// Whether a value is one of the choices, as Go compares after it has converted: a number is cut off to a whole one,
    /// and an integer stands for the character with that code. Null is never one of them.
    pub(super) fn have(&self, value: &Value) -> bool {
        let is_other = |choice: &Value| match (&value.data, &choice.data) {
            (Data::Null, _) | (_, Data::Null) => false,
            (Data::Int(value), Data::Float(choice)) => *value as f64 == *choice,
            (value, choice) => value == choice,
        };
        let is_known = match &value.data {
            Data::String(text) => self.texts.contains(&**text),
            Data::Int(number) => {
                let character = u32::try_from(*number).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
                self.numbers.contains(number) || self.texts.contains(&*character.to_string())
            }
            Data::Float(number) => self.has_whole(number.trunc()),
            _ => false,
        };
        is_known || self.others.iter().any(is_other)
    }

    /// Whether an integer is one of the choices. Above this, several integers are the same as floats.
    fn has_whole(&self, number: f64) -> bool {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match number.abs() < EXACT {
            true => self.numbers.contains(&(number as i64)),
            false => self.numbers.iter().any(|choice| number == *choice as f64),
        }
    }

    /// How many choices have to be looked at one by one.
    pub(super) fn cost(&self, value: &Value) -> u64 {
        let others = if matches!(value.data, Data::Null) { 0 } else { self.others.len() };
        let large = if matches!(value.data, Data::Float(_)) { self.numbers.len() } else { 0 };
        u64::try_from(others.saturating_add(large)).unwrap_or(u64::MAX)
    }
}

/// A choice as the server lists it.
pub(super) fn choice_text(choice: &Value) -> String {
    match &choice.data {
        Data::String(text) => text.to_string(),
        Data::Float(value) => number::json(*value).unwrap_or_default(),
        _ => json(choice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_go_converts_them() {
        let choices: Choices = [
            Value::from("A"),
            Value::from("b"),
            Value::new(Data::Int(5)),
            Value::new(Data::Float(2.5)),
            Value::new(Data::Null),
            Value::new(Data::Bool(true)),
        ]
        .into_iter()
        .collect();
        for value in [
            Value::from("b"),
            Value::new(Data::Int(5)),
            Value::new(Data::Float(5.75)),
            Value::new(Data::Bool(true)),
        ] {
            assert!(choices.have(&value), "{value:?}");
        }
        // The code of the letter A.
        assert!(choices.have(&Value::new(Data::Int(65))));
        for value in
            [Value::from("5"), Value::new(Data::Int(2)), Value::new(Data::Null), Value::new(Data::Float(6.0))]
        {
            assert!(!choices.have(&value), "{value:?}");
        }
    }
}
