//! What templates do, each with each kind of dot: computed once, and reused wherever the template is called with that
//! again.
//!
//! A summary is kept under a key made of the template and of all that is known of its dot. It is computed again only if
//! it is no longer true: because a later template put something into values that it asked for, or because a summary that
//! it uses is computed again. All others stay valid for the next pass, with the reads that they noted.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::abstraction::{Abstract, Atom, ObjectId};
use super::builtin::UnknownField;
use super::interpreter::Read;
use super::looked::Touched;
use super::paths::{PathId, Paths};
use super::puts::Puts;

/// What a run of a template is remembered by.
#[derive(Clone, Copy)]
pub(super) struct Keys {
    pub(super) key: u64,
    /// Of the same run without doubts, where there are some.
    pub(super) certain: Option<u64>,
}

/// Something that templates may put things into, and that was asked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asked {
    /// A value, at its key.
    Field(PathId),
    /// What is below a value, under whatever key.
    Items(PathId),
    /// All of a value.
    Whole(PathId),
}

impl Asked {
    fn place(self) -> (PathId, usize) {
        match self {
            Asked::Field(path) => (path, 0),
            Asked::Items(path) => (path, 1),
            Asked::Whole(path) => (path, 2),
        }
    }

    /// Whether the answer may be another than it was.
    fn is_stale(self, since: u32, puts: &Puts, paths: &Paths) -> bool {
        match self {
            Asked::Field(path) => {
                let Some((owner, key)) = paths.above(path) else { return false };
                puts.is_new_under(&Atom::Path(owner), key, since)
                    || key == "global" && puts.has_new_globals(since)
            }
            Asked::Items(path) => puts.is_new_in(path, since),
            Asked::Whole(path) => puts.is_new_everywhere(&Atom::Path(path), since),
        }
    }
}

/// What a run of a template did.
#[derive(Default)]
struct Summary {
    /// The values that it looked at.
    touched: Rc<Touched>,
    /// The text that it gives, as far as that is known.
    result: Abstract,
    /// It changed values, or a map that it was given, so it has to be run each time.
    changes: bool,
    is_running: bool,
    pass: u32,
    notes: Notes,
}

/// What runs of a template noted, those of templates that they called left out.
#[derive(Default)]
struct Notes {
    /// When the first of them began.
    began: u32,
    reads: Vec<Read>,
    unknown_fields: Vec<UnknownField>,
    asked: Vec<Asked>,
    /// The same for what are no values.
    asked_of: Vec<(Atom, Option<Arc<str>>)>,
    /// Whether they ran all texts that were known.
    asked_for_texts: bool,
    /// The templates that they called.
    calls: FxHashSet<u64>,
}

impl Notes {
    fn is_stale(&self, puts: &Puts, paths: &Paths) -> bool {
        let since = self.began;
        let is_stale_of = |(atom, key): &(Atom, Option<Arc<str>>)| match key {
            Some(key) => puts.is_new_under(atom, key, since),
            None => puts.is_new_everywhere(atom, since),
        };
        puts.clock() > since
            && (self.asked_for_texts && puts.has_new_texts(since)
                || self.asked_of.iter().any(is_stale_of)
                || self.asked.iter().any(|asked| asked.is_stale(since, puts, paths)))
    }
}

/// A run that has not ended.
struct Running {
    key: u64,
    /// Tells it from all others.
    number: u32,
    notes: Notes,
    /// How many maps and lists there were before.
    objects: usize,
    /// The oldest map or list that it changed.
    oldest_changed: usize,
    changes_values: bool,
}

/// The summaries of all templates.
#[derive(Default)]
pub(super) struct Summaries {
    known: FxHashMap<u64, Summary>,
    running: Vec<Running>,
    /// What was run for itself.
    roots: Vec<u64>,
    /// The last run that asked for each value, so that it notes that once.
    asked_by: Vec<[u32; 3]>,
    runs: u32,
    pass: u32,
}

impl Summaries {
    /// What a run is known to look at and to give, if it need not be done.
    pub(super) fn known(&mut self, keys: &Keys) -> Option<(Rc<Touched>, Abstract)> {
        // Where a run is in doubt, one that was certain did all of it and more.
        let is_done = |summary: &&Summary| !summary.is_running && !summary.changes;
        let certain = keys.certain.filter(|key| self.known.get(key).as_ref().is_some_and(is_done));
        let key = certain.unwrap_or(keys.key);
        self.called(key);
        let known = self.known.get(&key).filter(|summary| !summary.changes || summary.is_running)?;
        Some((Rc::clone(&known.touched), known.result.clone()))
    }

    fn called(&mut self, key: u64) {
        match self.running.last_mut() {
            Some(caller) => {
                caller.notes.calls.insert(key);
            }
            None => self.roots.push(key),
        }
    }

    /// A run begins.
    pub(super) fn begin(&mut self, key: u64, objects: usize, clock: u32) {
        let running = Summary { is_running: true, result: Abstract::unknown(), ..Summary::default() };
        // What it did earlier in this pass, when less was known of what it was given, it did all the same.
        let before = self.known.insert(key, running).filter(|before| before.pass == self.pass);
        let notes = before.map_or_else(|| Notes { began: clock, ..Notes::default() }, |before| before.notes);
        self.runs += 1;
        let number = self.runs;
        let oldest_changed = usize::MAX;
        self.running.push(Running { key, number, notes, objects, oldest_changed, changes_values: false });
    }

    /// The run that began last ends.
    pub(super) fn end(&mut self, touched: Rc<Touched>, result: Abstract) {
        let Some(run) = self.running.pop() else { return };
        // A map that it made itself is made again by the next run: nobody sees that it was changed.
        let changes = run.changes_values || run.oldest_changed < run.objects;
        if let Some(caller) = self.running.last_mut() {
            caller.changes_values |= run.changes_values;
            caller.oldest_changed = caller.oldest_changed.min(run.oldest_changed);
        }
        let summary =
            Summary { touched, result, changes, is_running: false, pass: self.pass, notes: run.notes };
        self.known.insert(run.key, summary);
    }

    /// A value is asked for that templates may put something into.
    pub(super) fn asks(&mut self, asked: Asked) {
        let Some(run) = self.running.last_mut() else { return };
        let (path, kind) = asked.place();
        let index = path.index();
        if index >= self.asked_by.len() {
            self.asked_by.resize(index + 1, [0; 3]);
        }
        let Some(by) = self.asked_by.get_mut(index).and_then(|by| by.get_mut(kind)) else { return };
        if *by != run.number {
            *by = run.number;
            run.notes.asked.push(asked);
        }
    }

    /// The same for what is no value.
    pub(super) fn asks_of(&mut self, atom: &Atom, key: Option<&Arc<str>>) {
        let Some(run) = self.running.last_mut() else { return };
        let is_known = |(known, of): &(Atom, Option<Arc<str>>)| known == atom && of.as_ref() == key;
        if !run.notes.asked_of.iter().any(is_known) {
            run.notes.asked_of.push((atom.clone(), key.cloned()));
        }
    }

    /// All texts are asked for that a `tpl` may run.
    pub(super) fn asks_for_texts(&mut self) {
        if let Some(run) = self.running.last_mut() {
            run.notes.asked_for_texts = true;
        }
    }

    /// Something new was put into a map or list that a template made.
    pub(super) fn changes_object(&mut self, id: ObjectId) {
        if let Some(run) = self.running.last_mut() {
            run.oldest_changed = run.oldest_changed.min(id.0 as usize);
        }
    }

    /// Something new was put into a value.
    pub(super) fn changes_values(&mut self) {
        if let Some(run) = self.running.last_mut() {
            run.changes_values = true;
        }
    }

    /// A value is read that may not be there.
    pub(super) fn reads(&mut self, read: Read) {
        if let Some(run) = self.running.last_mut() {
            run.notes.reads.push(read);
        }
    }

    /// A field is read that does not exist.
    pub(super) fn reads_unknown(&mut self, field: UnknownField) {
        if let Some(run) = self.running.last_mut() {
            run.notes.unknown_fields.push(field);
        }
    }

    /// What was run for itself since somebody asked.
    pub(super) fn take_roots(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.roots)
    }

    /// Ends a pass: forgets the summaries that are no longer true. Tells whether one of them counts, because what was
    /// run for itself is among those that have to be found out anew.
    pub(super) fn forget_stale(&mut self, roots: &[u64], puts: &Puts, paths: &Paths) -> bool {
        self.pass += 1;
        let stale = self.known.iter().filter(|(_, summary)| summary.notes.is_stale(puts, paths));
        let mut open: Vec<u64> = stale.map(|(key, _)| *key).collect();
        if open.is_empty() {
            return false;
        }
        let mut callers: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
        for (caller, summary) in &self.known {
            summary.notes.calls.iter().for_each(|called| callers.entry(*called).or_default().push(*caller));
        }
        let mut is_root_stale = false;
        while let Some(key) = open.pop() {
            if self.known.remove(&key).is_some() {
                is_root_stale |= roots.contains(&key);
                open.extend(callers.get(&key).into_iter().flatten());
            }
        }
        is_root_stale
    }

    /// What is read by what was run for itself, and by all that it calls: each once, in the order of places.
    pub(super) fn found(&mut self, roots: &[u64]) -> (Vec<Read>, Vec<UnknownField>) {
        let mut open = roots.to_vec();
        let (mut reads, mut unknown_fields) = (Vec::new(), Vec::new());
        while let Some(summary) = open.pop().map(|key| self.known.remove(&key)) {
            let Some(Summary { notes, .. }) = summary else { continue };
            reads.extend(notes.reads);
            unknown_fields.extend(notes.unknown_fields);
            open.extend(notes.calls);
        }
        reads.sort_unstable();
        reads.dedup();
        unknown_fields.sort_unstable_by_key(|field| (field.span, field.is_asked));
        // What is asked for in one place of a helper may be used in another.
        unknown_fields.dedup_by_key(|field: &mut UnknownField| field.span);
        (reads, unknown_fields)
    }
}
