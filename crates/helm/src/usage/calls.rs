//! Templates that run others: `include`, `template` and `tpl`.

use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHasher;
use trueline_gotemplate::node::Tree;
use trueline_gotemplate::{Delimiters, templates_of};
use trueline_source::SourceId;
use trueline_yaml::{Data, Value};

use super::abstraction::{Abstract, Atom};
use super::fragments;
use super::interpreter::{Frame, Interpreter, OfText, Text, TooMuch};
use super::paths::{PathId, Paths, Step, follow};
use super::summary::Keys;

/// A template inside itself this often is given nothing that tells it from the one before.
const RECURSION: usize = 3;

/// Texts of values that are templates themselves, for one `tpl`.
const MOST_TEXTS: usize = 2_000;

impl Interpreter<'_> {
    /// Runs the template of a name, and gives its text as far as that is known.
    pub(super) fn include(&mut self, name: &[u8], dot: &Abstract) -> Result<Abstract, TooMuch> {
        let Some((tree, source)) = self.templates.tree(name) else { return Ok(Abstract::unknown()) };
        let depth = self.stack.iter().filter(|running| ***running == *name).count();
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
                    result.join(&self.include(name.as_bytes(), dot)?);
                }
                Atom::Like(start, end) => guessed.push((Arc::clone(start), Arc::clone(end))),
                _ => guessed.push(("".into(), "".into())),
            }
        }
        if guessed.is_empty() {
            return Ok(self.bounded(result));
        }
        let all = Rc::clone(self.names.get_or_insert_with(|| self.templates.names().into()));
        self.doubts += 1;
        for name in all.iter() {
            let bytes = name.as_bytes();
            let fits = |(start, end): &(Arc<str>, Arc<str>)| {
                bytes.starts_with(start.as_bytes()) && bytes.ends_with(end.as_bytes())
            };
            if guessed.iter().any(fits) {
                self.include(bytes, dot)?;
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
        let keys = self.keys(name, dot);
        if let Some((touched, result)) = self.summaries.known(&keys) {
            self.looked.add_run(&touched);
            return Ok(result);
        }
        self.summaries.begin(keys.key, self.objects.len(), self.puts.clock());
        self.printed.push(Vec::new());
        self.stack.push(Arc::from(name));
        let outer = self.looked.begin();
        self.deeper(|run| run.list(&mut Frame::new(&tree.nodes, source, keys.key, dot), dot, &tree.root))?;
        let touched = self.looked.end_run(outer);
        self.stack.pop();
        let result = text_of(self.printed.pop().unwrap_or_default());
        self.summaries.end(touched, result.clone());
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
                    let place = trueline_gotemplate::node::TemplatePlace::default();
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
        let mut texts: Vec<Arc<str>> = Vec::new();
        let mut anything = false;
        for atom in text.atoms() {
            match atom {
                Atom::Text(text) if has_action(text) => texts.push(Arc::clone(text)),
                Atom::Text(_) => {}
                Atom::Path(path) | Atom::Made(path) => texts.extend(self.texts_at(*path).iter().cloned()),
                Atom::Files(scope) => texts.extend(self.files(*scope).iter().cloned()),
                Atom::Unknown | Atom::Like(..) => anything = true,
                Atom::Object(_) | Atom::Root(_) | Atom::Builtin(_) | Atom::Subcharts(_) => anything = true,
            }
        }
        let texts: Rc<[Arc<str>]> = match anything {
            true if texts.is_empty() => self.all_texts(),
            _ => {
                if anything {
                    texts.extend(self.all_texts().iter().cloned());
                }
                texts.sort_unstable();
                texts.dedup();
                texts.into()
            }
        };
        if texts.len() > MOST_TEXTS {
            return Err(TooMuch);
        }
        self.doubts += 1;
        for text in texts.iter() {
            self.run_one(text, dot)?;
        }
        self.doubts -= 1;
        Ok(())
    }

    /// The texts at a value of the chart that may be templates.
    fn texts_at(&mut self, path: PathId) -> Rc<[Arc<str>]> {
        if let Some(known) = self.texts_at.get(&path) {
            return Rc::clone(known);
        }
        let texts: Rc<[Arc<str>]> = texts_at(self.values, &self.paths.steps(path)).into();
        self.texts_at.insert(path, Rc::clone(&texts));
        texts
    }

    /// All texts of values and of templates that may be templates, sorted.
    fn all_texts(&mut self) -> Rc<[Arc<str>]> {
        self.summaries.asks_for_texts();
        if let Some(known) = &self.all_texts {
            return Rc::clone(known);
        }
        let mut all: Vec<Arc<str>> = self.texts_at(Paths::ROOT).to_vec();
        all.extend(self.literals.iter().cloned());
        all.sort_unstable();
        all.dedup();
        let all: Rc<[Arc<str>]> = all.into();
        self.all_texts = Some(Rc::clone(&all));
        all
    }

    fn run_one(&mut self, text: &Arc<str>, dot: &Abstract) -> Result<(), TooMuch> {
        let known = match self.texts.get(text) {
            Some(known) => known.clone(),
            None => {
                let templates = templates_of(
                    &"gotpl".into(),
                    &text.as_bytes().into(),
                    self.functions,
                    Delimiters { left: b"", right: b"" },
                );
                let read = match templates {
                    Some(templates) => {
                        // A number is shorter than the text, and no template has such a name.
                        let number = self.texts.len().to_ne_bytes();
                        let named = |tree: Tree| OfText {
                            name: [b"\0".as_slice(), &number, &tree.name].concat().into(),
                            tree,
                        };
                        Text::Template(templates.into_iter().map(named).collect())
                    }
                    None => Text::Fragment(fragments::named(text).into()),
                };
                self.texts.insert(Arc::clone(text), read.clone());
                read
            }
        };
        let templates = match known {
            Text::Template(templates) => templates,
            Text::Fragment(names) => return self.run_fragment(&names, dot),
        };
        // Its own definitions are run as if they were called with the same dot, too.
        for OfText { tree, name } in templates.iter() {
            let depth = self.stack.iter().filter(|running| *running == name).count();
            let dot = if depth >= RECURSION { self.blurred(dot)? } else { dot.clone() };
            self.run_tree(tree, None, name, &dot)?;
        }
        Ok(())
    }

    /// The files of a chart that may be templates.
    fn files(&mut self, scope: usize) -> Rc<[Arc<str>]> {
        if let Some(known) = self.files.get(&scope) {
            return Rc::clone(known);
        }
        let files = self.scopes.list.get(scope).into_iter().flat_map(|scope| scope.files.iter());
        let texts = files.filter_map(|file| std::str::from_utf8(&file.data).ok());
        let texts: Rc<[Arc<str>]> = texts.filter(|text| has_action(text)).map(Arc::from).collect();
        self.files.insert(scope, Rc::clone(&texts));
        texts
    }
}

/// The text of a template that prints one thing only.
fn text_of(printed: Vec<Abstract>) -> Abstract {
    match printed.as_slice() {
        [only] if only.atoms().iter().all(|atom| matches!(atom, Atom::Text(_))) => only.clone(),
        _ => Abstract::unknown(),
    }
}

/// Whether a string may be a template.
pub(super) fn has_action(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), b"{{").is_some()
}

/// The texts at the end of steps that may be templates.
pub(super) fn texts_at(values: &Value, steps: &[Step]) -> Vec<Arc<str>> {
    let (mut found, mut texts) = (Vec::new(), Vec::new());
    follow(values, steps, &mut found);
    found.into_iter().for_each(|value| strings(value, &mut texts));
    texts
}

/// The texts in a value that may be templates.
fn strings(value: &Value, found: &mut Vec<Arc<str>>) {
    match &value.data {
        Data::String(text) if has_action(text) => {
            found.push(Arc::clone(text));
        }
        Data::List(items) => items.iter().for_each(|item| strings(item, found)),
        Data::Map(map) => map.iter().for_each(|(key, entry)| {
            if has_action(key) {
                found.push(Arc::clone(key));
            }
            strings(&entry.value, found);
        }),
        _ => {}
    }
}
