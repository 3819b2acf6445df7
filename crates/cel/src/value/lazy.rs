//! Maps whose values are made when they are read, and maps of which only a part is known.

use std::fmt;
use std::sync::Arc;

use crate::fault::Fault;
use crate::value::Value;

/// A map whose values are made when they are read.
pub trait Lazy: fmt::Debug + Send + Sync {
    /// The value of a key; nothing if the map does not have it, and a fault if its value cannot be made.
    fn get(&self, key: &str) -> Option<Result<Value, Fault>>;

    /// The keys that are known.
    fn keys(&self) -> Vec<Arc<str>>;

    /// Notes that a fault of [`Lazy::get`] was lost, because whatever asked has no place for one. What an expression gives
    /// after that may be wrong.
    fn lose(&self, key: &str);
}

/// What a map has for a key, where a fault counts as nothing.
pub(super) fn get(map: &dyn Lazy, key: &str) -> Option<Value> {
    match map.get(key)? {
        Ok(value) => Some(value),
        Err(_) => {
            map.lose(key);
            None
        }
    }
}
