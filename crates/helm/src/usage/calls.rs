//! Templates that run others: `include`, `template` and `tpl`.

use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashSet, FxHasher};
use trueline_gotemplate::node::Tree;
use trueline_gotemplate::{Delimiters, parse};
use trueline_source::SourceId;
use trueline_yaml::{Data, Value};

use super::abstraction::{Abstract, Atom};
use super::fragments;
use super::interpreter::{Frame, Interpreter, Known, Text, TooMuch};
use super::paths::{PathId, follow};

/// A template inside itself this often is given nothing that tells it from the one before.
const RECURSION: usize = 3;

/// Values that a template looked at and that are remembered.
const MOST_TOUCHED: usize = 4_000;

/// Texts of values that are templates themselves, for one `tpl`.
const MOST_TEXTS: usize = 2_000;

/// What a run of a template is remembered by.
struct Keys {
    key: u64,
    /// Of the same run without doubts, where there are some.
    certain: Option<u64>,
}

impl Interpreter<'_> {
    /// Runs the template of a name, and gives its text as far as that is known.
    pub(super) fn include(&mut self, name: &Arc<[u8]>, dot: &Abstract) -> Result<Abstract, TooMuch> {
        let Some((tree, source)) = self.templates.tree(name) else { return Ok(Abstract::unknown()) };
        let depth = self.stack.iter().filter(|running| *running == name).count();
        let dot = if depth >= RECURSION { self.blurred(dot)? } else { dot.clone() };
        self.run_tree(&tree, source, name, &dot)
    }

    /// Runs the templates that a name may stand for.
    pub(super) fn include_named(&mut self, names: &Abstract, dot: &Abstract) -> Result<Abstract, TooMuch> {
        self.touch(names);
        let mut result = Abstract::nothing();
        let mut guessed: Vec<(Arc<str>, Arc<str>)> = Vec::new();
        for atom in names.atoms() {
            match atom {
                Atom::Text(name) => {
                    result.join(&self.include(&Arc::from(name.as_bytes()), dot)?);
                }
                Atom::Like(start, end) => guessed.push((Arc::clone(start), Arc::clone(end))),
                _ => guessed.push(("".into(), "".into())),
            }
        }
        if guessed.is_empty() {
            return Ok(self.bounded(result));
        }
        let all = self.templates.names();
        self.doubts += 1;
        for name in all {
            let bytes = name.as_bytes();
            let fits = |(start, end): &(Arc<str>, Arc<str>)| {
                bytes.starts_with(start.as_bytes()) && bytes.ends_with(end.as_bytes())
            };
            if guessed.iter().any(fits) {
                self.include(&Arc::from(bytes), dot)?;
            }
        }
        self.doubts -= 1;
        Ok(Abstract::unknown())
    }

    fn run_tree(
        &mut self,
        tree: &Tree,
        source: Option<SourceId>,
        name: &[u8],
        dot: &Abstract,
    ) -> Result<Abstract, TooMuch> {
        let Keys { key, certain } = self.keys(name, dot);
        // Where a run is in doubt, one that was certain did all of it and more.
        let finished = certain.and_then(|key| self.known.get(&key)).filter(|known| !known.is_running);
        let known = finished.filter(|known| !known.changes).or_else(|| self.known.get(&key));
        if let Some(known) = known
            && (!known.changes || known.is_running)
        {
            let (touched, result) = (Rc::clone(&known.touched), known.result.clone());
            touched.iter().for_each(|path| self.look_at(*path));
            return Ok(result);
        }
        let running = Known { is_running: true, result: Abstract::unknown(), ..Known::default() };
        self.known.insert(key, running);
        self.printed.push(Vec::new());
        self.stack.push(Arc::from(name));
        let changes = self.changes;
        let (_, touched) = self.collecting(|run| {
            run.deeper(|run| run.list(&mut Frame::new(&tree.nodes, source, key, dot), dot, &tree.root))
        })?;
        self.stack.pop();
        let result = text_of(self.printed.pop().unwrap_or_default());
        let touched: Rc<[PathId]> = touched.into_iter().take(MOST_TOUCHED).collect();
        let changes = self.changes != changes;
        self.known.insert(key, Known { touched, changes, is_running: false, result: result.clone() });
        Ok(result)
    }

    /// Tells apart what a template is run with. Doubts count: what runs for certain is run again.
    fn keys(&self, name: &[u8], dot: &Abstract) -> Keys {
        let mut hasher = FxHasher::default();
        name.hash(&mut hasher);
        self.describe(dot, 0, &mut hasher);
        let with = |is_doubtful: bool| {
            let mut hasher = hasher.clone();
            is_doubtful.hash(&mut hasher);
            hasher.finish()
        };
        let is_doubtful = self.doubts > 0;
        Keys { key: with(is_doubtful), certain: is_doubtful.then(|| with(false)) }
    }

    fn describe(&self, value: &Abstract, depth: usize, hasher: &mut FxHasher) {
        const DEEPEST: usize = 6;
        value.len().hash(hasher);
        for atom in value.atoms() {
            match atom {
                Atom::Object(id) if depth < DEEPEST => {
                    let Some(object) = self.objects.get(id.0 as usize) else { continue };
                    object.fields.len().hash(hasher);
                    for (name, field) in &object.fields {
                        name.hash(hasher);
                        self.describe(field, depth + 1, hasher);
                    }
                    self.describe(&object.any, depth + 1, hasher);
                    self.describe(&object.parents, depth + 1, hasher);
                }
                atom => atom.hash(hasher),
            }
        }
    }

    /// A dot that says less: values count as used, and only what leads to a chart's own stays.
    fn blurred(&mut self, dot: &Abstract) -> Result<Abstract, TooMuch> {
        let mut kept = Abstract::unknown();
        for atom in dot.atoms() {
            match atom {
                Atom::Object(id) => {
                    let object = self.objects.get(id.0 as usize).cloned().unwrap_or_default();
                    let place = trueline_gotemplate::node::Place::default();
                    let mut hasher = FxHasher::default();
                    object.fields.keys().for_each(|name| name.hash(&mut hasher));
                    let blurred = self.object(hasher.finish(), place)?;
                    self.escape(&object.any);
                    self.escape(&object.parents);
                    for (name, field) in object.fields {
                        let mut field_kept = Abstract::unknown();
                        for atom in field.atoms() {
                            match atom {
                                Atom::Root(_) | Atom::Files(_) => field_kept.add(atom.clone()),
                                other => self.escape(&Abstract::from(other.clone())),
                            }
                        }
                        if let Some(object) = self.objects.get_mut(blurred.0 as usize) {
                            object.fields.entry(name).or_default().join(&field_kept);
                        }
                    }
                    kept.add(Atom::Object(blurred));
                }
                Atom::Root(_) => kept.add(atom.clone()),
                other => self.escape(&Abstract::from(other.clone())),
            }
        }
        Ok(kept)
    }

    /// `tpl`: runs every text that it may be.
    pub(super) fn run_text(&mut self, text: &Abstract, dot: &Abstract) -> Result<(), TooMuch> {
        self.escape(text);
        let mut texts: FxHashSet<Arc<str>> = FxHashSet::default();
        let mut anything = false;
        for atom in text.atoms() {
            match atom {
                Atom::Text(text) => {
                    texts.insert(Arc::clone(text));
                }
                Atom::Path(path) | Atom::Made(path) => {
                    let mut found = Vec::new();
                    follow(self.values, &self.paths.steps(*path), &mut found);
                    found.into_iter().for_each(|value| strings(value, &mut texts));
                }
                Atom::Files(scope) => self.files(*scope, &mut texts),
                Atom::Unknown | Atom::Like(..) => anything = true,
                Atom::Object(_) | Atom::Root(_) | Atom::Builtin(_) | Atom::Subcharts(_) => anything = true,
            }
        }
        if anything {
            self.are_literals_run = true;
            let all = Rc::clone(self.value_texts.get_or_insert_with(|| {
                let mut all = FxHashSet::default();
                strings(self.values, &mut all);
                all.into_iter().collect()
            }));
            texts.extend(all.iter().cloned());
            texts.extend(self.literals.iter().cloned());
        }
        let mut texts: Vec<Arc<str>> = texts.into_iter().filter(|text| has_action(text)).collect();
        if texts.len() > MOST_TEXTS {
            return Err(TooMuch);
        }
        texts.sort_unstable();
        self.doubts += 1;
        for text in texts {
            self.run_one(&text, dot)?;
        }
        self.doubts -= 1;
        Ok(())
    }

    fn run_one(&mut self, text: &Arc<str>, dot: &Abstract) -> Result<(), TooMuch> {
        let known = match self.texts.get(text) {
            Some(known) => known.clone(),
            None => {
                let parsed = parse(
                    &"gotpl".into(),
                    &text.as_bytes().into(),
                    self.functions,
                    Delimiters { left: b"", right: b"" },
                );
                let read = match parsed.errors.is_empty() {
                    true => Text::Template(parsed.trees.into_iter().map(Rc::new).collect()),
                    false => Text::Fragment(fragments::named(text).into()),
                };
                self.texts.insert(Arc::clone(text), read.clone());
                read
            }
        };
        let trees = match known {
            Text::Template(trees) => trees,
            Text::Fragment(names) => return self.run_fragment(&names, dot),
        };
        // Its own definitions are run as if they were called with the same dot, too.
        for tree in trees.iter() {
            let name = [text.as_bytes(), b"\0", &tree.name].concat();
            let depth = self.stack.iter().filter(|running| ***running == *name).count();
            let dot = if depth >= RECURSION { self.blurred(dot)? } else { dot.clone() };
            self.run_tree(tree, None, &name, &dot)?;
        }
        Ok(())
    }

    fn files(&self, scope: usize, texts: &mut FxHashSet<Arc<str>>) {
        let Some(scope) = self.scopes.list.get(scope) else { return };
        for file in scope.files.iter() {
            if let Ok(text) = std::str::from_utf8(&file.data)
                && has_action(text)
            {
                texts.insert(text.into());
            }
        }
    }
}

/// The text of a template that prints one thing only.
fn text_of(printed: Vec<Abstract>) -> Abstract {
    match printed.as_slice() {
        [only] if only.atoms().iter().all(|atom| matches!(atom, Atom::Text(_))) => only.clone(),
        _ => Abstract::unknown(),
    }
}

/// Whether a text may be a template.
pub(super) fn has_action(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), b"{{").is_some()
}

/// The texts in a value that may be templates.
fn strings(value: &Value, found: &mut FxHashSet<Arc<str>>) {
    match &value.data {
        Data::String(text) if has_action(text) => {
            found.insert(Arc::clone(text));
        }
        Data::List(items) => items.iter().for_each(|item| strings(item, found)),
        Data::Map(map) => map.iter().for_each(|(key, entry)| {
            if has_action(key) {
                found.insert(Arc::clone(key));
            }
            strings(&entry.value, found);
        }),
        _ => {}
    }
}
