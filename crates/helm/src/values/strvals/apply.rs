//! Paths and values, put where they belong.

use std::sync::Arc;

use trueline_source::{SourceKind, Span};
use trueline_yaml::{Data, Map, MapEntry, Value};

use super::fault::{self, LARGEST_INDEX, MOST_NAMES, MOST_STEPS, Stop, Wanted};
use super::scan::Taken;
use super::{Form, Levels, Parser, json};
use crate::chart::Compat;

/// A position in a list.
#[derive(Clone, Copy)]
struct Index {
    /// As written; it may be negative until a list is looked at.
    value: i64,
    span: Span,
}

impl Parser<'_, '_, '_> {
    /// Reads a key and everything that belongs to it.
    pub(super) fn key(&mut self, data: &mut Map, levels: Levels) -> Result<(), Stop> {
        let levels = self.step(levels)?;
        let stops: &[char] =
            if matches!(self.form, Form::Literal) { &['=', '[', '.'] } else { &['=', '[', ',', '.'] };
        let key = self.scanner.until(stops);
        match key.stop {
            None if key.text.is_empty() => {
                if levels.steps > 1 {
                    self.dropped.push(fault::nothing_behind_dot(key.span));
                }
                Err(Stop::End)
            }
            None => Err(fault::no_value(key.span, &key.text)),
            Some('[') => {
                if key.text.is_empty() {
                    self.dropped.push(fault::no_key(key.span));
                }
                let index = self.index()?;
                let mut list = match data.get_mut(key.text.as_str()) {
                    None => Value { data: Data::List(Arc::default()), origin: Some(key.span) },
                    Some(entry) => take(entry),
                };
                let result = match &mut list.data {
                    Data::List(items) => self.list_item(Arc::make_mut(items), index, levels),
                    _ => Err(fault::not_a(Wanted::List, key.span, &key.text, &list)),
                };
                put_back(data, key, list);
                result
            }
            Some('.') => self.below(data, key, levels),
            Some(',') => Err(fault::no_value_before_comma(key.span, &key.text)),
            Some(_) => {
                if key.text.is_empty() {
                    self.dropped.push(fault::no_key(key.span));
                }
                match self.value()? {
                    Read::Value(value) => {
                        set(data, key, value);
                        Ok(())
                    }
                    Read::Last(value) => {
                        set(data, key, value);
                        Err(Stop::End)
                    }
                }
            }
        }
    }

    /// What a dot leads to.
    fn below(&mut self, data: &mut Map, key: Taken, mut levels: Levels) -> Result<(), Stop> {
        levels.names += 1;
        if levels.names > MOST_NAMES {
            return Err(fault::too_many_names(key.span));
        }
        let mut inner = match data.get_mut(key.text.as_str()) {
            None => empty_map(key.span),
            Some(entry) => take(entry),
        };
        let Data::Map(map) = &mut inner.data else {
            return Err(fault::not_a(Wanted::Map, key.span, &key.text, &inner));
        };
        let map = Arc::make_mut(map);
        let result = self.key(map, levels);
        let is_empty = map.is_empty();
        if is_empty && result.is_ok() {
            return Err(fault::empty_map(key.span, &key.text));
        }
        if !is_empty || data.contains_key(key.text.as_str()) {
            put_back(data, key, inner);
        }
        result
    }

    /// Reads what follows the `]` of a position.
    fn list_item(&mut self, list: &mut Vec<Value>, index: Index, levels: Levels) -> Result<(), Stop> {
        let levels = self.step(levels)?;
        let Ok(position) = usize::try_from(index.value) else {
            return Err(fault::negative_index(index.span, index.value));
        };
        let between = self.scanner.until(&['[', '.', '=']);
        if !between.text.is_empty() {
            return Err(fault::after_index(between.span, &between.text));
        }
        match between.stop {
            None => {
                self.dropped.push(fault::nothing_behind_index(between.span));
                Err(Stop::End)
            }
            Some('=') => match self.value()? {
                Read::Value(value) | Read::Last(value) => self.set_index(list, position, index.span, value),
            },
            Some('[') => {
                let next = self.index()?;
                let known = list.get_mut(position);
                let mut inner = match known {
                    Some(value) if !matches!(value.data, Data::Null) => take_value(value),
                    _ => Value { data: Data::List(Arc::default()), origin: Some(index.span) },
                };
                let result = match &mut inner.data {
                    Data::List(items) => self.list_item(Arc::make_mut(items), next, levels),
                    _ => Err(fault::not_a(Wanted::List, index.span, "this element", &inner)),
                };
                self.finish(list, position, index.span, inner, result)
            }
            Some(_) => {
                let mut inner = match list.get_mut(position) {
                    Some(value) if matches!(value.data, Data::Map(_)) => take_value(value),
                    // Anything else at this place is replaced.
                    _ => empty_map(index.span),
                };
                let result = match &mut inner.data {
                    Data::Map(map) => self.key(Arc::make_mut(map), levels),
                    _ => Ok(()),
                };
                self.finish(list, position, index.span, inner, result)
            }
        }
    }

    /// Puts an element where it belongs. One that could not be finished counts only where there was one.
    fn finish(
        &mut self,
        list: &mut Vec<Value>,
        position: usize,
        span: Span,
        inner: Value,
        result: Result<(), Stop>,
    ) -> Result<(), Stop> {
        if result.is_ok() || position < list.len() {
            self.set_index(list, position, span, inner)?;
        }
        result
    }

    fn set_index(
        &mut self,
        list: &mut Vec<Value>,
        position: usize,
        span: Span,
        value: Value,
    ) -> Result<(), Stop> {
        if position > LARGEST_INDEX {
            return Err(fault::large_index(span, position));
        }
        let gaps = (position + 1).saturating_sub(list.len());
        let Some(left) = self.budget.gaps.checked_sub(gaps) else {
            return Err(fault::too_many_gaps(span));
        };
        self.budget.gaps = left;
        if gaps > 0 {
            list.resize_with(position + 1, || Value { data: Data::Null, origin: Some(span) });
        }
        if let Some(slot) = list.get_mut(position) {
            *slot = value;
        }
        Ok(())
    }

    /// Reads a position and its `]`.
    fn index(&mut self) -> Result<Index, Stop> {
        let open = self.scanner.here();
        let taken = self.scanner.until(&[']']);
        if taken.stop.is_none() {
            // Helm 4 takes the missing bracket for the end of the text.
            return Err(match self.compat {
                Compat::Helm4 => {
                    self.dropped.push(fault::never_closed(open));
                    Stop::End
                }
                Compat::Helm3 => fault::unclosed_index(open),
            });
        }
        match taken.text.parse::<i64>() {
            Err(_) => Err(fault::bad_index(taken.span, &taken.text)),
            Ok(value) => Ok(Index { value, span: taken.span }),
        }
    }

    /// Reads the value after an `=`, and the comma after it.
    fn value(&mut self) -> Result<Read, Stop> {
        match self.form {
            Form::Json => return self.json().map(Read::Value),
            Form::Literal => {
                let taken = self.scanner.until(&[]);
                return Ok(Read::Value(text(taken)));
            }
            Form::Typed | Form::Text | Form::File { .. } => {}
        }
        let start = self.scanner.here();
        if self.scanner.rest().is_empty() {
            let value = Value { data: Data::String("".into()), origin: Some(start) };
            return Ok(Read::Last(value));
        }
        if !self.scanner.eat('{') {
            let taken = self.scanner.until(&[',']);
            return self.convert(taken).map(Read::Value);
        }
        let mut items = Vec::new();
        loop {
            let taken = self.scanner.until(&[',', '}']);
            let stop = taken.stop;
            if stop.is_none() {
                return Err(fault::unclosed_list(start));
            }
            let end = taken.span;
            items.push(self.convert(taken)?);
            if stop == Some('}') {
                self.scanner.eat(',');
                let origin = Some(start.source.span(start.start as usize, end.end as usize + 1));
                return Ok(Read::Value(Value { data: Data::List(Arc::new(items)), origin }));
            }
        }
    }

    fn json(&mut self) -> Result<Value, Stop> {
        let start = self.scanner.here();
        if self.scanner.empty_value() {
            return Ok(Value { data: Data::Null, origin: Some(start) });
        }
        let (source, offset) = (self.scanner.source(), self.scanner.offset());
        let (value, length) = json::prefix(source, self.scanner.rest(), offset)?;
        self.scanner.skip(length);
        self.scanner.empty_value();
        Ok(value)
    }

    /// The value that a string stands for.
    fn convert(&mut self, taken: Taken) -> Result<Value, Stop> {
        match &mut self.form {
            Form::Typed => Ok(Value { data: typed(&taken.text), origin: Some(taken.span) }),
            Form::File { read, sources } => {
                let bytes =
                    read(&taken.text).map_err(|reason| fault::unreadable(taken.span, reason.to_string()))?;
                let content: Arc<str> = String::from_utf8_lossy(&bytes).into();
                let source = sources.add(taken.text, SourceKind::File, Arc::clone(&content));
                Ok(Value { origin: Some(source.span(0, content.len())), data: Data::String(content) })
            }
            Form::Text | Form::Literal | Form::Json => Ok(text(taken)),
        }
    }

    fn step(&self, levels: Levels) -> Result<Levels, Stop> {
        if levels.steps >= MOST_STEPS {
            return Err(fault::too_many_steps(self.scanner.here()));
        }
        Ok(Levels { steps: levels.steps + 1, ..levels })
    }
}

/// A value after an `=`.
enum Read {
    Value(Value),
    /// With nothing after the `=`: the input ends.
    Last(Value),
}

fn text(taken: Taken) -> Value {
    Value { data: Data::String(taken.text.into()), origin: Some(taken.span) }
}

/// What a string looks like. Only integers count as numbers, and only without leading zeros.
fn typed(text: &str) -> Data {
    if text.eq_ignore_ascii_case("true") {
        return Data::Bool(true);
    }
    if text.eq_ignore_ascii_case("false") {
        return Data::Bool(false);
    }
    if text.eq_ignore_ascii_case("null") {
        return Data::Null;
    }
    if (text == "0" || !text.starts_with('0'))
        && let Ok(number) = text.parse()
    {
        return Data::Int(number);
    }
    Data::String(text.into())
}

fn empty_map(span: Span) -> Value {
    Value { data: Data::Map(Arc::new(Map::default())), origin: Some(span) }
}

/// Takes a value out, so that changing it copies nothing; it is put back afterwards.
fn take(entry: &mut MapEntry) -> Value {
    take_value(&mut entry.value)
}

fn take_value(value: &mut Value) -> Value {
    let origin = value.origin;
    std::mem::replace(value, Value { data: Data::Null, origin })
}

/// Sets a key. One without a name is dropped.
fn set(data: &mut Map, key: Taken, value: Value) {
    if !key.text.is_empty() {
        data.insert(key.text.into(), MapEntry { key_origin: Some(key.span), value });
    }
}

/// Puts back what was taken out; what is new is set.
fn put_back(data: &mut Map, key: Taken, value: Value) {
    match data.get_mut(key.text.as_str()) {
        Some(entry) => entry.value = value,
        None => set(data, key, value),
    }
}
