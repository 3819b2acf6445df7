//! Calls of functions, by what a function says that it does with the values that it is given.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;
use trueline_gotemplate::Uses;
use trueline_gotemplate::node::{Function, Operand, Syntax, TemplatePlace};

use super::abstraction::{Abstract, Atom};
use super::calls::has_action;
use super::interpreter::{Frame, Interpreter, ReadKind, TooMuch};

/// What a function is called with.
pub(super) struct Arguments<'t> {
    pub(super) operands: &'t [Operand],
    /// What the command before it in the pipeline gave.
    pub(super) last: Option<Abstract>,
    pub(super) place: TemplatePlace,
}

impl Interpreter<'_> {
    /// The value of a call.
    pub(super) fn function(
        &mut self,
        frame: &mut Frame<'_>,
        dot: &Abstract,
        function: &Function,
        arguments: Arguments<'_>,
    ) -> Result<Abstract, TooMuch> {
        let uses = self.functions.get(function.id).map_or(Uses::All, |function| function.uses);
        if uses == Uses::Decides {
            return self.short_circuit(frame, dot, arguments);
        }
        let mut values = Vec::with_capacity(arguments.operands.len() + 1);
        for operand in arguments.operands {
            values.push(self.operand(frame, dot, operand)?);
        }
        values.extend(arguments.last);
        let call = Call { values, operands: arguments.operands, place: arguments.place };
        self.call(frame, uses, call)
    }

    /// `and` and `or`: what stands before is asked first.
    fn short_circuit(
        &mut self,
        frame: &mut Frame<'_>,
        dot: &Abstract,
        arguments: Arguments<'_>,
    ) -> Result<Abstract, TooMuch> {
        let guards = self.guards.len();
        let mut result = Abstract::nothing();
        for operand in arguments.operands {
            let (value, looked_at) = self.collecting(|run| {
                let value = run.operand(frame, dot, operand)?;
                run.touch(&value);
                Ok(value)
            })?;
            looked_at.iter().for_each(|path| self.paths.set_tested(*path));
            self.guards.extend(looked_at);
            result.join(&value);
        }
        if let Some(last) = &arguments.last {
            self.ask(last);
            result.join(last);
        }
        self.guards.truncate(guards);
        // Which of them it is, only values tell.
        result.add(Atom::Unknown);
        Ok(self.bounded(result))
    }

    fn call(&mut self, frame: &mut Frame<'_>, uses: Uses, call: Call<'_>) -> Result<Abstract, TooMuch> {
        let values = &call.values;
        Ok(match uses {
            Uses::Template => {
                let argument = values.get(1).cloned().unwrap_or_else(Abstract::unknown);
                let names = values.first().cloned().unwrap_or_default();
                self.include_named(&names, &argument)?
            }
            Uses::TemplateText => {
                let argument = values.get(1).cloned().unwrap_or_else(Abstract::unknown);
                let text = values.first().cloned().unwrap_or_default();
                self.run_text(&text, &argument)?;
                self.made_of(values)
            }
            Uses::Index => self.index(frame, &call),
            Uses::Entry => {
                let (owner, key) = (call.value(0), call.value(1));
                self.entry(frame, &owner, &key, call.place).joined(&Abstract::unknown())
            }
            Uses::EntryAsked => {
                let (owner, key) = (call.value(0), call.value(1));
                let found = self.entry(frame, &owner, &key, call.place);
                self.ask(&found);
                Abstract::unknown()
            }
            Uses::Path => {
                let Some((owner, rest)) = values.split_last() else { return Ok(Abstract::unknown()) };
                let Some((default, keys)) = rest.split_last() else { return Ok(Abstract::unknown()) };
                let (mut found, default) = (owner.clone(), default.clone());
                for key in keys {
                    found = self.entry(frame, &found, key, call.place);
                    self.ask(&found);
                }
                found.joined(&default).joined(&Abstract::unknown())
            }
            Uses::Entries => {
                let key = call.value(0);
                let mut found = Abstract::unknown();
                for owner in values.iter().skip(1) {
                    found.join(&self.entry(frame, owner, &key, call.place));
                }
                self.listed(frame.key, &[], &found, call.place)?
            }
            Uses::Keys => {
                for value in values {
                    let items = self.items(value);
                    self.touch(value);
                    self.touch(&items);
                }
                Abstract::unknown()
            }
            Uses::Values => {
                let items = self.items(&call.value(0));
                self.touch(&items);
                self.listed(frame.key, &[], &items, call.place)?
            }
            Uses::Map => self.dict(frame, &call)?,
            Uses::List => self.listed(frame.key, values, &Abstract::nothing(), call.place)?,
            Uses::Set => {
                let (owner, key, value) = (call.value(0), call.value(1), call.value(2));
                match key.only_text() {
                    Some(key) => self.put_into(&owner, Some(key), &value),
                    None => {
                        self.escape(&key);
                        let entries = self.listed(frame.key, &[], &value, call.place)?;
                        self.put_into(&owner, None, &entries);
                    }
                }
                owner
            }
            Uses::Chosen => {
                for key in values.iter().skip(1) {
                    self.escape(key);
                }
                call.value(0)
            }
            Uses::Merged => {
                let mut result = call.value(0);
                for value in values.iter().skip(1) {
                    result.join(value);
                }
                let first = call.value(0);
                for value in values.iter().skip(1) {
                    self.put_into(&first, None, value);
                }
                self.bounded(result)
            }
            Uses::Copy => {
                let copy = self.object(frame.key, call.place)?;
                let value = call.value(0);
                if let Some(object) = self.objects.get_mut(copy.0 as usize) {
                    object.parents.join(&value);
                }
                // A copy of something else than a map is that thing.
                let mut result = Abstract::from(Atom::Object(copy));
                value
                    .atoms()
                    .iter()
                    .filter(|atom| !is_container(atom))
                    .for_each(|atom| result.add(atom.clone()));
                result
            }
            Uses::Default => {
                let (default, value) = (call.value(0), call.value(1));
                self.ask(&value);
                let result = value.joined(&default).joined(&Abstract::unknown());
                self.bounded(result)
            }
            Uses::OneOf => {
                let mut result = Abstract::unknown();
                for value in values {
                    result.join(value);
                }
                values.iter().for_each(|value| self.ask(value));
                self.bounded(result)
            }
            Uses::Required => {
                let value = call.value(1);
                self.ask(&value);
                value.joined(&Abstract::unknown())
            }
            Uses::Asked => {
                values.iter().for_each(|value| match value.atoms() {
                    [Atom::Object(_)] => self.escape(value),
                    _ => self.ask(value),
                });
                Abstract::unknown()
            }
            Uses::TypeAsked => {
                for value in values {
                    self.ask(value);
                    for atom in value.atoms() {
                        if let Atom::Path(path) = atom {
                            self.paths.set_type_tested(*path);
                        }
                    }
                }
                Abstract::unknown()
            }
            Uses::First => {
                let item = self.first(&call.value(0));
                self.touch(&item);
                item
            }
            Uses::Item => {
                let item = self.items(&call.value(0)).joined(&Abstract::unknown());
                self.touch(&item);
                item
            }
            Uses::Reversed => match self.items_in_order(&call.value(0)) {
                Some(mut items) => {
                    items.reverse();
                    self.listed(frame.key, &items, &Abstract::nothing(), call.place)?
                }
                None => self.some_items(frame, &call)?,
            },
            Uses::Parts | Uses::NumberedParts => match (call.value(0).only_text(), call.value(1).only_text())
            {
                (Some(separator), Some(text)) if !separator.is_empty() => {
                    let parts: Vec<Abstract> =
                        text.split(&**separator).map(|part| Atom::Text(part.into()).into()).collect();
                    let mut hasher = FxHasher::default();
                    (frame.key, text).hash(&mut hasher);
                    let list = self.listed(hasher.finish(), &parts, &Abstract::nothing(), call.place)?;
                    match uses {
                        Uses::NumberedParts => self.numbered(list),
                        _ => list,
                    }
                }
                _ => {
                    values.iter().for_each(|value| self.escape(value));
                    self.made_of(values)
                }
            },
            Uses::Items => self.some_items(frame, &call)?,
            Uses::Appended => {
                let items = self.items(&call.value(0));
                self.touch(&items);
                let items = items.joined(&call.value(1));
                self.listed(frame.key, &[], &items, call.place)?
            }
            Uses::Concatenated => {
                let mut all = Abstract::nothing();
                for value in values {
                    let items = self.items(value);
                    self.touch(&items);
                    all.join(&items);
                }
                self.listed(frame.key, &[], &all, call.place)?
            }
            Uses::Chunks => {
                let items = self.items(&call.value(1));
                let inner = self.listed(frame.key, &[], &items, call.place)?;
                self.listed(
                    frame.key,
                    &[],
                    &inner,
                    TemplatePlace { start: call.place.start + 1, ..call.place },
                )?
            }
            Uses::Joined | Uses::Formatted => {
                values.iter().for_each(|value| self.escape(value));
                let pattern = match uses {
                    Uses::Joined => joined(values),
                    _ => formatted(values),
                };
                pattern.unwrap_or_else(|| self.made_of(values))
            }
            Uses::All | Uses::Printed | Uses::Decides => {
                for (value, operand) in values.iter().zip(call.operands) {
                    if let Some(path) = value.only_path()
                        && uses == Uses::Printed
                    {
                        self.read(frame, ReadKind::Printed, path, operand.place(frame.nodes));
                    }
                }
                values.iter().for_each(|value| self.escape(value));
                self.made_of(values)
            }
        })
    }

    /// A list of some items of the first argument.
    fn some_items(&mut self, frame: &Frame<'_>, call: &Call<'_>) -> Result<Abstract, TooMuch> {
        let items = self.items(&call.value(0));
        self.touch(&items);
        self.listed(frame.key, &[], &items, call.place)
    }

    /// Whether a value is there, or what it is, decides something.
    fn ask(&mut self, value: &Abstract) {
        self.touch(value);
        for atom in value.atoms() {
            if let Atom::Path(path) = atom {
                self.paths.set_tested(*path);
            }
        }
    }

    /// The entry of a key that may not be known.
    fn entry(
        &mut self,
        frame: &Frame<'_>,
        owner: &Abstract,
        key: &Abstract,
        place: TemplatePlace,
    ) -> Abstract {
        let mut found = Abstract::nothing();
        let mut is_known = !key.atoms().is_empty();
        for atom in key.atoms() {
            match atom {
                Atom::Text(text) => {
                    found.join(&self.field(owner, text));
                }
                _ => is_known = false,
            }
        }
        if !is_known {
            self.escape(key);
            found.join(&self.items(owner));
        }
        self.name(frame, &found, place);
        self.bounded(found)
    }

    fn index(&mut self, frame: &Frame<'_>, call: &Call<'_>) -> Abstract {
        let mut found = call.value(0);
        for (position, key) in call.values.iter().enumerate().skip(1) {
            if position == 1
                && let Some(path) = found.only_path()
                && let Some(key) = key.only_text()
                && !self.paths.is_chart(path)
            {
                self.read(frame, ReadKind::Field(Arc::clone(key)), path, call.place);
            }
            found = self.entry(frame, &found, key, call.place);
        }
        found
    }

    fn first(&mut self, list: &Abstract) -> Abstract {
        let is_listed = |atom: &Atom| match atom {
            Atom::Object(id) => self
                .objects
                .get(id.0 as usize)
                .is_some_and(|object| object.any.atoms().is_empty() && object.parents.atoms().is_empty()),
            _ => false,
        };
        match list.atoms().iter().all(is_listed) {
            true => self.field(list, &"0".into()),
            false => self.items(list).joined(&Abstract::unknown()),
        }
    }

    fn dict(&mut self, frame: &Frame<'_>, call: &Call<'_>) -> Result<Abstract, TooMuch> {
        let id = self.object(frame.key, call.place)?;
        for pair in call.values.chunks(2) {
            let (Some(key), value) = (pair.first(), pair.get(1).cloned().unwrap_or_default()) else {
                continue;
            };
            let text = key.only_text().cloned();
            if text.is_none() {
                self.escape(key);
            }
            if let Some(object) = self.objects.get_mut(id.0 as usize) {
                match text {
                    Some(text) => object.fields.entry(text).or_default().join(&value),
                    None => object.any.join(&value),
                };
            }
        }
        Ok(Atom::Object(id).into())
    }

    /// The entries of a list under the names that `split` gives them. They are gone through in the same order.
    fn numbered(&mut self, list: Abstract) -> Abstract {
        for atom in list.atoms() {
            if let Atom::Object(id) = atom
                && let Some(object) = self.objects.get_mut(id.0 as usize)
            {
                let fields = std::mem::take(&mut object.fields);
                let named = |(name, value): (Arc<str>, Abstract)| match name.starts_with('_') {
                    true => (name, value),
                    false => (format!("_{name}").into(), value),
                };
                object.fields = fields.into_iter().map(named).collect();
            }
        }
        list
    }

    /// A list of values, and of any number of others.
    fn listed(
        &mut self,
        key: u64,
        values: &[Abstract],
        others: &Abstract,
        place: TemplatePlace,
    ) -> Result<Abstract, TooMuch> {
        let id = self.object(key, place)?;
        if let Some(object) = self.objects.get_mut(id.0 as usize) {
            for (index, value) in values.iter().enumerate() {
                object.fields.entry(index.to_string().into()).or_default().join(value);
            }
            object.any.join(others);
        }
        Ok(Atom::Object(id).into())
    }

    /// A string that was made of others.
    fn made_of(&self, values: &[Abstract]) -> Abstract {
        let mut result = Abstract::nothing();
        for atom in values.iter().flat_map(Abstract::atoms) {
            match atom {
                Atom::Path(path) | Atom::Made(path) => result.add(Atom::Made(*path)),
                Atom::Text(text) if !has_action(text) => {}
                Atom::Text(_) | Atom::Files(_) => result.add(atom.clone()),
                _ => result.add(Atom::Unknown),
            }
        }
        if result.len() == 0 || result.len() > 12 { Abstract::unknown() } else { result }
    }
}

fn is_container(atom: &Atom) -> bool {
    matches!(atom, Atom::Path(_) | Atom::Object(_) | Atom::Root(_) | Atom::Subcharts(_))
}

/// Whether a value is certainly a string that is written in a template.
fn is_plain_text(value: &Abstract) -> bool {
    value.len() > 0 && value.atoms().iter().all(|atom| matches!(atom, Atom::Text(_)))
}

/// What is known of a string that a pattern puts together.
fn formatted(values: &[Abstract]) -> Option<Abstract> {
    let format = values.first()?.only_text()?;
    if matches!(&**format, "%s" | "%v") {
        return values.get(1).filter(|value| is_plain_text(value)).cloned();
    }
    if !format.contains('%') {
        return Some(Atom::Text(Arc::clone(format)).into());
    }
    let start = format.split('%').next().unwrap_or_default();
    let last = format.rsplit('%').next().unwrap_or_default();
    // After the verb; one with flags or a width ends at its letter.
    let verb = last.find(|letter: char| letter.is_ascii_alphabetic()).map_or(0, |index| index + 1);
    like(start.into(), last.get(verb..).unwrap_or_default().into(), values)
}

/// What is known of a string of these values, one after the other.
fn joined(values: &[Abstract]) -> Option<Abstract> {
    let text = |value: Option<&Abstract>| value.and_then(|value| value.only_text().cloned());
    let empty = || Arc::from("");
    like(text(values.first()).unwrap_or_else(empty), text(values.last()).unwrap_or_else(empty), values)
}

/// A string that starts and ends like this.
fn like(start: Arc<str>, end: Arc<str>, values: &[Abstract]) -> Option<Abstract> {
    if start.is_empty() && end.is_empty() {
        return None;
    }
    // What it is made of may be a template itself.
    if values.iter().flat_map(Abstract::atoms).any(|atom| matches!(atom, Atom::Path(_) | Atom::Made(_))) {
        return None;
    }
    Some(Atom::Like(start, end).into())
}

/// A call with the values of its arguments.
struct Call<'t> {
    values: Vec<Abstract>,
    /// What stands in the template for all of them but the one that comes through a pipeline.
    operands: &'t [Operand],
    place: TemplatePlace,
}

impl Call<'_> {
    fn value(&self, index: usize) -> Abstract {
        self.values.get(index).cloned().unwrap_or_default()
    }
}
