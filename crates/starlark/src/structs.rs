//! Structs and modules: names with values, after a dot.

use std::any::Any;

use crate::custom::{BinaryOp, CompareOp, CustomValue, Side};
use crate::error::Error;
use crate::value::Value;
use crate::{Thread, Writer, live, unicode};

/// The result of `struct(a = 1, b = 2)`: fields that cannot be changed, sorted by name.
pub struct Struct {
    fields: Vec<(String, Value)>,
}

impl Struct {
    /// A struct. Of several fields with the same name, the last counts.
    pub fn new(fields: impl IntoIterator<Item = (String, Value)>) -> Struct {
        let mut all: Vec<(String, Value)> = fields.into_iter().collect();
        all.sort_by(|(one, _), (two, _)| one.cmp(two));
        let mut fields: Vec<(String, Value)> = Vec::with_capacity(all.len());
        for (name, value) in all {
            match fields.last_mut().filter(|(last, _)| *last == name) {
                Some(last) => last.1 = value,
                None => fields.push((name, value)),
            }
        }
        Struct { fields }
    }

    /// The fields.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl Drop for Struct {
    fn drop(&mut self) {
        let fields = std::mem::take(&mut self.fields);
        live::release(fields.into_iter().map(|(_, value)| value).collect());
    }
}

impl CustomValue for Struct {
    fn type_name(&self) -> &str {
        "struct"
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Error> {
        writer.push("struct(")?;
        for (index, (name, value)) in self.fields.iter().enumerate() {
            writer.push(if index > 0 { ", " } else { "" })?;
            writer.push(name)?;
            writer.push(" = ")?;
            writer.repr(value)?;
        }
        writer.push(")")
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn freeze(&self, waiting: &mut Vec<Value>) {
        waiting.extend(self.fields.iter().map(|(_, value)| value.clone()));
    }

    fn hash(&self, thread: &mut Thread) -> Result<u32, Error> {
        let mut hash = 8731u32;
        for (name, value) in &self.fields {
            let name = thread.hash(&Value::string(name))?;
            hash = hash.wrapping_mul(31) ^ name.wrapping_mul(3) ^ thread.hash(value)?;
        }
        Ok(hash)
    }

    fn attr(&self, _: &mut Thread, name: &str) -> Result<Option<Value>, Error> {
        match self.fields.binary_search_by(|(known, _)| known.as_str().cmp(name)) {
            Ok(index) => Ok(self.fields.get(index).map(|(_, value)| value.clone())),
            Err(_) => Err(Error::no_attribute(format!("struct has no .{name} attribute"))),
        }
    }

    fn attr_names(&self) -> Vec<String> {
        self.fields.iter().map(|(name, _)| name.clone()).collect()
    }

    fn compare(
        &self,
        thread: &mut Thread,
        op: CompareOp,
        other: &Value,
        depth: usize,
    ) -> Option<Result<bool, Error>> {
        let other = other.as_custom::<Struct>()?;
        let negate = match op {
            CompareOp::Equal => false,
            CompareOp::NotEqual => true,
            _ => return Some(Err(Error::new(format!("struct {} struct not implemented", op.sign())))),
        };
        Some(structs_equal(thread, self, other, depth).map(|is_equal| is_equal != negate))
    }

    fn binary(
        &self,
        _: &mut Thread,
        op: BinaryOp,
        other: &Value,
        side: Side,
    ) -> Option<Result<Value, Error>> {
        let other = other.as_custom::<Struct>().filter(|_| op == BinaryOp::Plus)?;
        let (left, right) = if side == Side::Left { (self, other) } else { (other, self) };
        let fields = left.fields.iter().chain(&right.fields).cloned();
        Some(Ok(Value::custom(Struct::new(fields))))
    }
}

fn structs_equal(thread: &mut Thread, one: &Struct, two: &Struct, depth: usize) -> Result<bool, Error> {
    if one.fields.len() != two.fields.len() {
        return Ok(false);
    }
    for ((one_name, one), (two_name, two)) in one.fields.iter().zip(&two.fields) {
        thread.spend(1)?;
        let is_equal = one_name == two_name
            && thread.compare_depth(CompareOp::Equal, one, two, depth.saturating_sub(1))?;
        if !is_equal {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A named collection of values, such as a library. Its string does not list them.
pub struct Module {
    name: String,
    members: Vec<(String, Value)>,
}

impl Module {
    /// A module.
    pub fn new(name: impl Into<String>, members: impl IntoIterator<Item = (String, Value)>) -> Module {
        Module { name: name.into(), members: members.into_iter().collect() }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A member.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let members = std::mem::take(&mut self.members);
        live::release(members.into_iter().map(|(_, value)| value).collect());
    }
}

impl CustomValue for Module {
    fn type_name(&self) -> &str {
        "module"
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Error> {
        writer.push(format!("<module {}>", unicode::quote(self.name.as_bytes())))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn freeze(&self, waiting: &mut Vec<Value>) {
        waiting.extend(self.members.iter().map(|(_, value)| value.clone()));
    }

    fn hash(&self, _: &mut Thread) -> Result<u32, Error> {
        Err(Error::new("unhashable: module"))
    }

    fn attr(&self, _: &mut Thread, name: &str) -> Result<Option<Value>, Error> {
        Ok(self.get(name).cloned())
    }

    fn attr_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.members.iter().map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
