//! Numbers as they arrive at the server: a document goes through JSON, and what is not an integer of 64 bits
//! with a sign becomes a floating-point number there.

use trueline_yaml::{Data, Value};

use super::rewrite::{Fate, rewrite_list, rewrite_map, with_list, with_map};

/// The value with its numbers as the server has them: `1.0` is the integer 1, and integers that do
/// not fit 64 bits with a sign are floating-point numbers.
pub fn with_server_numbers(value: &Value) -> Value {
    changed(value).unwrap_or_else(|| value.clone())
}

fn changed(value: &Value) -> Option<Value> {
    match &value.data {
        Data::UInt(number) => Some(Value { data: Data::Float(*number as f64), origin: value.origin }),
        Data::Float(number) => {
            let whole = whole(*number)?;
            Some(Value { data: Data::Int(whole), origin: value.origin })
        }
        Data::List(items) => {
            rewrite_list(items, |_, item| changed(item)).map(|items| with_list(value, items))
        }
        Data::Map(map) => {
            rewrite_map(map, |_, entry| Fate::from(changed(&entry.value))).map(|map| with_map(value, map))
        }
        Data::Null | Data::Bool(_) | Data::Int(_) | Data::String(_) => None,
    }
}

/// The integer that JSON writes for a floating-point number, if it fits 64 bits with a sign.
fn whole(number: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    (number.fract() == 0.0 && (-LIMIT..LIMIT).contains(&number)).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_fit_64_bits_with_a_sign() {
        let cases = [
            (Data::Float(1.0), Data::Int(1)),
            (Data::Float(-0.0), Data::Int(0)),
            (Data::Float(1e18), Data::Int(1_000_000_000_000_000_000)),
            (Data::Float(1e19), Data::Float(1e19)),
            (Data::Float(0.5), Data::Float(0.5)),
            (Data::UInt(u64::MAX), Data::Float(18_446_744_073_709_551_615.0)),
            (Data::Int(3), Data::Int(3)),
        ];
        for (before, after) in cases {
            let list = with_server_numbers(&[Value::new(before)].into_iter().collect());
            let Data::List(items) = &list.data else { panic!("a list") };
            assert_eq!(format!("{:?}", items[0].data), format!("{after:?}"));
        }
    }
}
