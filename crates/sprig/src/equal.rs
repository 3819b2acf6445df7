//! Go's `reflect.DeepEqual`.

use std::rc::Rc;

use trueline_gotemplate::{Context, Data, Error, MAX_DEPTH, Value};

/// Whether both have the same type and the same content.
pub(crate) fn deep_equal(context: &mut dyn Context, left: &Value, right: &Value) -> Result<bool, Error> {
    equal(context, left, right, MAX_DEPTH)
}

fn equal(context: &mut dyn Context, left: &Value, right: &Value, depth: usize) -> Result<bool, Error> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Error::limit(format!("values nested deeper than {MAX_DEPTH} levels are not compared")));
    };
    context.spend(8)?;
    Ok(match (&left.data, &right.data) {
        (Data::Invalid | Data::Nil, Data::Invalid | Data::Nil) => true,
        (Data::Bool(left), Data::Bool(right)) => left == right,
        (Data::Int(left_kind, left), Data::Int(right_kind, right)) => {
            left_kind == right_kind && left == right
        }
        (Data::Uint(left_kind, left), Data::Uint(right_kind, right)) => {
            left_kind == right_kind && left == right
        }
        (Data::Float(left), Data::Float(right)) => left == right,
        (Data::Complex(left), Data::Complex(right)) => left == right,
        (Data::String(left), Data::String(right)) => {
            context.spend(if left.len() == right.len() { left.len() as u64 / 16 } else { 0 })?;
            left == right
        }
        (Data::Bytes(left), Data::Bytes(right)) => {
            context.spend(if left.len() == right.len() { left.len() as u64 / 16 } else { 0 })?;
            left == right
        }
        (Data::List(left), Data::List(right)) => {
            if left.element() != right.element()
                || left.is_nil() != right.is_nil()
                || left.len() != right.len()
            {
                return Ok(false);
            }
            if left.same(right) {
                return Ok(true);
            }
            for (left, right) in left.iter().zip(right.iter()) {
                if !equal(context, left, right, depth)? {
                    return Ok(false);
                }
            }
            true
        }
        (Data::Map(left), Data::Map(right)) => {
            if left.kind() != right.kind() || left.is_nil() != right.is_nil() || left.len() != right.len() {
                return Ok(false);
            }
            if left.same(right) {
                return Ok(true);
            }
            for (key, entry) in left.entries() {
                match right.get(&key) {
                    Some(other) if equal(context, &entry.value, &other, depth)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (Data::Object(left), Data::Object(right)) => {
            Rc::ptr_eq(left, right)
                || (left.type_name() == right.type_name()
                    && left.plain() == right.plain()
                    && left.text() == right.text())
        }
        _ => false,
    })
}
