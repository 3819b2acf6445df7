//! Dicts and sets.

use std::cell::RefCell;

use super::State;
use super::table::Table;
use crate::ops::{equal, hash, simple_equal};
use crate::{Error, Thread, Value, live};

/// A dict: keys in the order in which they were first added. Everybody with a reference sees all changes.
#[derive(Default)]
pub struct Dict(Hashed);

/// A set, in the order in which its elements were added.
#[derive(Default)]
pub struct Set(Hashed);

struct Hashed {
    table: RefCell<Table>,
    state: State,
}

impl Default for Hashed {
    fn default() -> Hashed {
        live::add(live::OBJECT);
        Hashed { table: RefCell::default(), state: State::default() }
    }
}

impl Drop for Hashed {
    fn drop(&mut self) {
        live::remove(live::OBJECT);
        live::release(self.table.get_mut().take());
    }
}

impl Hashed {
    /// Where a key is. No borrow is held while values are compared, because that may run code of the embedder.
    fn find(&self, thread: &mut Thread, key: &Value, hash: u32) -> Result<Option<usize>, Error> {
        let mut found = None;
        let mut others = Vec::new();
        let mut looked = 0;
        self.table.borrow().search(hash, |position, entry| {
            looked += 1;
            match simple_equal(key, &entry.key) {
                Some(true) => found = Some(position),
                Some(false) => {}
                None => others.push((position, entry.key.clone())),
            }
            found.is_some()
        });
        if looked > 8 {
            thread.spend(looked)?;
        }
        for (position, other) in others {
            if found.is_none() && equal(thread, key, &other)? {
                found = Some(position);
            }
        }
        Ok(found)
    }

    fn check(&self, verb: &str, join: &str) -> Result<(), Error> {
        if self.state.is_frozen() {
            return Err(Error::new(format!("cannot {verb}{join} frozen hash table")));
        }
        if self.state.is_iterated() {
            return Err(Error::new(format!("cannot {verb}{join} hash table during iteration")));
        }
        Ok(())
    }

    /// Adds or replaces a value, and returns whether the key is new.
    fn insert(&self, thread: &mut Thread, key: Value, value: Value) -> Result<bool, Error> {
        self.check("insert", " into")?;
        let hash = hash(thread, &key)?;
        let found = self.find(thread, &key, hash)?;
        match found {
            Some(position) => self.table.borrow_mut().set_value(position, value),
            None => self.table.borrow_mut().push(hash, key, value),
        }
        Ok(found.is_none())
    }

    fn get(&self, thread: &mut Thread, key: &Value) -> Result<Option<Value>, Error> {
        let hash = hash(thread, key)?;
        if self.table.borrow().len() == 0 {
            return Ok(None);
        }
        let found = self.find(thread, key, hash)?;
        Ok(found.and_then(|position| self.table.borrow().entry(position).map(|entry| entry.value.clone())))
    }

    fn remove(&self, thread: &mut Thread, key: &Value) -> Result<Option<Value>, Error> {
        self.check("delete", " from")?;
        if self.table.borrow().len() == 0 {
            return Ok(None);
        }
        let hash = hash(thread, key)?;
        let found = self.find(thread, key, hash)?;
        let removed = found.and_then(|position| self.table.borrow_mut().remove(position));
        Ok(removed.map(|(_, value)| value))
    }

    fn freeze(&self, waiting: &mut Vec<Value>) {
        if self.state.freeze() {
            for entry in self.table.borrow().iter() {
                let both = [&entry.key, &entry.value];
                waiting.extend(both.into_iter().filter(|value| !value.is_scalar()).cloned());
            }
        }
    }

    fn keys(&self) -> Vec<Value> {
        self.table.borrow().iter().map(|entry| entry.key.clone()).collect()
    }

    fn next(&self, position: usize) -> Option<(usize, Value)> {
        self.table.borrow().next(position).map(|(next, entry)| (next, entry.key.clone()))
    }
}

impl Dict {
    /// An empty dict.
    pub fn new() -> Dict {
        Dict::default()
    }

    /// How many keys it has.
    pub fn len(&self) -> usize {
        self.0.table.borrow().len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key. Fails for keys that cannot be hashed.
    pub fn get(&self, thread: &mut Thread, key: &Value) -> Result<Option<Value>, Error> {
        self.0.get(thread, key)
    }

    /// Adds or replaces a value, and returns whether the key is new. For dicts that a program can already
    /// access, use [`Thread::set_key`].
    pub fn insert(&self, thread: &mut Thread, key: Value, value: Value) -> Result<bool, Error> {
        self.0.insert(thread, key, value)
    }

    pub(crate) fn remove(&self, thread: &mut Thread, key: &Value) -> Result<Option<Value>, Error> {
        self.0.remove(thread, key)
    }

    pub(crate) fn clear(&self) -> Result<(), Error> {
        self.0.check("clear", "")?;
        self.empty();
        Ok(())
    }

    /// Frees the contents, even if it is frozen.
    pub(crate) fn empty(&self) {
        let contents = self.0.table.borrow_mut().take();
        live::release(contents);
    }

    /// All keys.
    pub fn keys(&self) -> Vec<Value> {
        self.0.keys()
    }

    /// All keys with their values.
    pub fn items(&self) -> Vec<(Value, Value)> {
        self.0.table.borrow().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect()
    }

    pub(crate) fn next(&self, position: usize) -> Option<(usize, Value)> {
        self.0.next(position)
    }

    pub(crate) fn freeze(&self, waiting: &mut Vec<Value>) {
        self.0.freeze(waiting);
    }

    pub(crate) fn state(&self) -> &State {
        &self.0.state
    }
}

impl Set {
    /// An empty set.
    pub fn new() -> Set {
        Set::default()
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.0.table.borrow().len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a value is in it. Fails for values that cannot be hashed.
    pub fn contains(&self, thread: &mut Thread, value: &Value) -> Result<bool, Error> {
        Ok(self.0.get(thread, value)?.is_some())
    }

    /// Adds a value, and returns whether it is new.
    pub fn insert(&self, thread: &mut Thread, value: Value) -> Result<bool, Error> {
        self.0.insert(thread, value, Value::NONE)
    }

    /// All elements.
    pub fn items(&self) -> Vec<Value> {
        self.0.keys()
    }

    pub(crate) fn next(&self, position: usize) -> Option<(usize, Value)> {
        self.0.next(position)
    }

    pub(crate) fn freeze(&self, waiting: &mut Vec<Value>) {
        self.0.freeze(waiting);
    }

    pub(crate) fn state(&self) -> &State {
        &self.0.state
    }
}
