//! Templates run with what is known before they run: every branch is taken, every loop goes through some item, and
//! values are only names of where they come from.
//!
//! What is not understood counts as a use of everything that it was given, so that a value is only called unused, or
//! a read only called undefined, if there is no doubt.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_gotemplate::node::{
    Action, Branch, BranchKind, List, Name, Node, Nodes, Template, TemplatePlace, Tree, Variable as Declared,
};
use trueline_gotemplate::{Functions, Str, Templates};
use trueline_source::{Cancel, SourceId, Span};
use trueline_yaml::Value;

use super::abstraction::{Abstract, Atom, Object, ObjectId, Seen};
use super::builtin::Builtin;
use super::fragments::Named;
use super::looked::Looked;
use super::paths::{Mark, PathId, Paths, Step};
use super::puts::Puts;
use super::scopes::Scopes;
use super::summary::{Asked, Summaries};

/// Nodes that are visited, counting each time.
const STEPS: u64 = 3_000_000;

/// How deep templates call each other, and blocks and parentheses stand in one another.
const DEPTH: u32 = 3_000;

/// How many things a value may be until nothing is known of it.
const MOST_ATOMS: usize = 24;

/// How often a loop is gone through until nothing new comes to its variables.
const ROUNDS: usize = 4;

/// More maps and lists than this are not told apart.
const MOST_OBJECTS: usize = 100_000;

/// Why nothing can be reported: the analysis would cost too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMuch;

/// A read of a value that may not be there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Read {
    pub(super) span: Span,
    /// The value; of [`ReadKind::Field`], the one whose field is taken.
    pub(super) path: PathId,
    pub(super) kind: ReadKind,
    /// Whether something around it asks for the value first.
    pub(super) is_guarded: bool,
}

/// What is done with a value that may not be there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReadKind {
    /// A field of it is taken, which fails if it is not there.
    Field(Arc<str>),
    /// It is printed.
    Printed,
}

/// The state of all templates.
pub(super) struct Interpreter<'a> {
    pub(super) templates: &'a Templates,
    pub(super) functions: &'a Functions,
    pub(super) scopes: &'a Scopes,
    /// The values, for the texts that `tpl` runs.
    pub(super) values: &'a Value,
    pub(super) paths: Paths,
    pub(super) objects: Vec<Object>,
    /// Maps and lists by the place where they are made.
    pub(super) made: FxHashMap<(u64, u32), ObjectId>,
    /// What templates put into values and into what they were given.
    pub(super) puts: Puts,
    /// What was run with what, and what it did.
    pub(super) summaries: Summaries,
    /// The templates that are being run.
    pub(super) stack: Vec<Arc<[u8]>>,
    /// The names of all templates, sorted, once somebody has asked for them.
    pub(super) names: Option<Rc<[Str]>>,
    /// String constants of templates that were seen before.
    pub(super) constants: FxHashMap<Arc<[u8]>, Abstract>,
    /// Texts in templates that are templates themselves.
    pub(super) literals: FxHashSet<Arc<str>>,
    /// The texts at values that are templates themselves.
    pub(super) texts_at: FxHashMap<PathId, Rc<[Arc<str>]>>,
    /// Whether values are maps with something in them, of those that somebody asked for.
    pub(super) filled_maps: RefCell<FxHashMap<PathId, bool>>,
    /// Those and all texts of the values that are templates themselves, sorted, once somebody has asked for them.
    pub(super) all_texts: Option<Rc<[Arc<str>]>>,
    /// The files of each chart that are templates themselves.
    pub(super) files: FxHashMap<usize, Rc<[Arc<str>]>>,
    /// Texts that were read as templates.
    pub(super) texts: FxHashMap<Arc<str>, Text>,
    /// Values that conditions around have asked for.
    pub(super) guards: Vec<PathId>,
    /// Values that are looked at, for whoever wants to know.
    pub(super) looked: Looked,
    /// What the templates that are being run print, each by itself.
    pub(super) printed: Vec<Vec<Abstract>>,
    /// Above zero: it is not certain that this runs at all.
    pub(super) doubts: u32,
    /// Above zero: a condition or a default asks whether a value is there.
    pub(super) asking: u32,
    steps: u64,
    depth: u32,
    /// Whether somebody still wants to know.
    cancel: Option<&'a Cancel>,
}

/// After so many steps it is asked whether somebody still wants to know.
const ASKED: u64 = 1 << 10;

/// A string that may be run as a template.
#[derive(Clone)]
pub(super) enum Text {
    /// The templates in it.
    Template(Rc<[OfText]>),
    /// It is none by itself: what it names.
    Fragment(Rc<[Named]>),
}

/// A template inside a string.
pub(super) struct OfText {
    pub(super) tree: Tree,
    /// Tells it from the templates of all other texts.
    pub(super) name: Arc<[u8]>,
}

/// What one template keeps while it runs.
pub(super) struct Frame<'t> {
    pub(super) nodes: &'t Nodes,
    pub(super) source: Option<SourceId>,
    /// Tells it from the same template with another dot.
    pub(super) key: u64,
    variables: Vec<Variable>,
    /// How many branches are open that may not be taken, or more than once.
    level: u32,
}

struct Variable {
    name: Name,
    value: Abstract,
    /// The level at which it was declared.
    level: u32,
}

impl<'t> Frame<'t> {
    pub(super) fn new(nodes: &'t Nodes, source: Option<SourceId>, key: u64, dot: &Abstract) -> Self {
        let dot = Variable { name: "$".into(), value: dot.clone(), level: 0 };
        Frame { nodes, source, key, variables: vec![dot], level: 0 }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Abstract> {
        let found = self.variables.iter().rev().find(|variable| *variable.name == *name);
        found.map(|variable| &variable.value)
    }

    pub(super) fn declare(&mut self, name: &Name, value: Abstract) {
        self.variables.push(Variable { name: Arc::clone(name), value, level: self.level });
    }

    /// What a variable was before stays possible where another branch may have been taken.
    pub(super) fn assign(&mut self, name: &str, value: &Abstract) {
        let Some(known) = self.variables.iter_mut().rev().find(|variable| *variable.name == *name) else {
            return;
        };
        if known.level == self.level {
            known.value = value.clone();
        } else {
            known.value.join(value);
        }
    }
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(
        templates: &'a Templates,
        scopes: &'a Scopes,
        values: &'a Value,
        paths: Paths,
        cancel: Option<&'a Cancel>,
    ) -> Self {
        Interpreter {
            templates,
            functions: templates.functions(),
            scopes,
            values,
            paths,
            objects: Vec::new(),
            made: FxHashMap::default(),
            puts: Puts::default(),
            summaries: Summaries::default(),
            stack: Vec::new(),
            names: None,
            constants: FxHashMap::default(),
            literals: FxHashSet::default(),
            texts_at: FxHashMap::default(),
            filled_maps: RefCell::default(),
            all_texts: None,
            files: FxHashMap::default(),
            texts: FxHashMap::default(),
            guards: Vec::new(),
            looked: Looked::default(),
            printed: Vec::new(),
            doubts: 0,
            asking: 0,
            steps: STEPS,
            depth: 0,
            cancel,
        }
    }

    pub(super) fn spend(&mut self) -> Result<(), TooMuch> {
        self.steps = self.steps.checked_sub(1).ok_or(TooMuch)?;
        if self.steps.is_multiple_of(ASKED) && self.cancel.is_some_and(Cancel::is_cancelled) {
            return Err(TooMuch);
        }
        if self.paths.is_full() { Err(TooMuch) } else { Ok(()) }
    }

    /// Does something one level deeper.
    pub(super) fn deeper<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, TooMuch>,
    ) -> Result<T, TooMuch> {
        if self.depth >= DEPTH {
            return Err(TooMuch);
        }
        self.depth += 1;
        let result = act(self);
        self.depth -= 1;
        result
    }

    pub(super) fn list(&mut self, frame: &mut Frame<'_>, dot: &Abstract, list: &List) -> Result<(), TooMuch> {
        let nodes = frame.nodes;
        for node in list.nodes(nodes) {
            self.spend()?;
            match node {
                Node::Break(_) | Node::Continue(_) => {}
                // Which text it is does not matter: it does not name anything.
                Node::Text(place) if place.start < place.end => self.print(Abstract::unknown()),
                Node::Text(_) => {}
                Node::Action(action) => self.action(frame, dot, action)?,
                Node::Branch(branch) => {
                    self.deeper(|run| run.branch(frame, dot, nodes.branch(*branch)))?;
                }
                Node::Template(call) => self.template(frame, dot, call)?,
            }
        }
        Ok(())
    }

    fn action(&mut self, frame: &mut Frame<'_>, dot: &Abstract, action: &Action) -> Result<(), TooMuch> {
        let pipe = frame.nodes.pipe(action.pipe);
        let value = self.pipeline(frame, dot, pipe)?;
        if !pipe.has_variables() {
            if let Some(path) = value.only_path() {
                self.read(frame, ReadKind::Printed, path, pipe.place);
            }
            self.escape(&value);
            self.print(value);
        }
        Ok(())
    }

    fn print(&mut self, value: Abstract) {
        if let Some(printed) = self.printed.last_mut()
            && printed.len() < 2
        {
            printed.push(value);
        }
    }

    fn branch(&mut self, frame: &mut Frame<'_>, dot: &Abstract, branch: &Branch) -> Result<(), TooMuch> {
        let variables = frame.variables.len();
        self.asking += 1;
        let (value, looked_at) = self.collecting(|run| {
            let value = run.pipeline(frame, dot, &branch.pipe)?;
            run.touch(&value);
            Ok(value)
        })?;
        self.asking -= 1;
        let truth = match branch.kind {
            BranchKind::If | BranchKind::With => {
                self.certain_truth(frame, dot, &branch.pipe, Some(&value))?
            }
            BranchKind::Range => None,
        };
        let guards = self.guards.len();
        let level = frame.level;
        frame.level += 1;
        looked_at.iter().for_each(|path| self.paths.set_tested(*path));
        self.guards.extend(looked_at);
        self.doubting(truth == Some(false), |run| match branch.kind {
            BranchKind::If => run.list_in(frame, dot, &branch.list),
            BranchKind::With => run.list_in(frame, &value, &branch.list),
            BranchKind::Range => run.range(frame, branch, &value),
        })?;
        if let Some(otherwise) = &branch.otherwise {
            self.doubting(truth == Some(true), |run| run.list_in(frame, dot, otherwise))?;
        }
        self.guards.truncate(guards);
        frame.level = level;
        frame.variables.truncate(variables);
        Ok(())
    }

    /// Does something that may not run at all.
    fn doubting<T>(&mut self, is_doubtful: bool, act: impl FnOnce(&mut Self) -> T) -> T {
        self.doubts += u32::from(is_doubtful);
        let result = act(self);
        self.doubts -= u32::from(is_doubtful);
        result
    }

    fn list_in(&mut self, frame: &mut Frame<'_>, dot: &Abstract, list: &List) -> Result<(), TooMuch> {
        let variables = frame.variables.len();
        self.list(frame, dot, list)?;
        frame.variables.truncate(variables);
        Ok(())
    }

    fn range(&mut self, frame: &mut Frame<'_>, branch: &Branch, value: &Abstract) -> Result<(), TooMuch> {
        if !ends_early(frame.nodes, &branch.list)
            && let Some(items) = self.items_in_order(value)
        {
            // Each item in its turn, which nothing can leave out.
            frame.level -= 1;
            let mut result = Ok(());
            for item in items {
                let variables = frame.variables.len();
                set_variables(frame, branch, &item);
                result = result.and_then(|()| self.list_in(frame, &item, &branch.list));
                frame.variables.truncate(variables);
            }
            frame.level += 1;
            return result;
        }
        let item = self.items(value);
        self.touch(&item);
        for _ in 0..ROUNDS {
            let before: Vec<Abstract> =
                frame.variables.iter().map(|variable| variable.value.clone()).collect();
            set_variables(frame, branch, &item);
            self.list_in(frame, &item, &branch.list)?;
            frame.variables.truncate(before.len());
            let after = frame.variables.iter().map(|variable| &variable.value);
            if before.iter().zip(after).all(|(before, after)| before == after) {
                break;
            }
        }
        // It may have printed several times.
        if self.printed.last().is_some_and(|printed| !printed.is_empty()) {
            self.print(Abstract::unknown());
        }
        Ok(())
    }

    /// The items of a list that stands in a template as it is.
    pub(super) fn items_in_order(&self, value: &Abstract) -> Option<Vec<Abstract>> {
        const MOST: usize = 32;
        let [Atom::Object(id)] = value.atoms() else { return None };
        let object = self.objects.get(id.0 as usize)?;
        let is_whole = object.any.len() == 0 && object.parents.len() == 0;
        if !is_whole || object.fields.is_empty() || object.fields.len() > MOST {
            return None;
        }
        let item = |index: usize| {
            let (listed, split) = (index.to_string(), format!("_{index}"));
            object.fields.get(listed.as_str()).or_else(|| object.fields.get(split.as_str())).cloned()
        };
        (0..object.fields.len()).map(item).collect()
    }

    fn template(&mut self, frame: &mut Frame<'_>, dot: &Abstract, call: &Template) -> Result<(), TooMuch> {
        let argument = match call.pipe {
            Some(pipe) => self.pipeline(frame, dot, frame.nodes.pipe(pipe))?,
            None => Abstract::unknown(),
        };
        let result = self.include(frame.nodes.constant(call.name), &argument)?;
        self.print(result);
        Ok(())
    }

    /// Does something and tells which values it looked at.
    pub(super) fn collecting<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, TooMuch>,
    ) -> Result<(T, Vec<PathId>), TooMuch> {
        let outer = self.looked.begin();
        let result = act(self)?;
        Ok((result, self.looked.end(outer)))
    }

    pub(super) fn look_at(&mut self, path: PathId) {
        self.looked.add(path);
    }

    /// A value is looked at.
    pub(super) fn touch(&mut self, value: &Abstract) {
        for atom in value.atoms() {
            if let Atom::Path(path) = atom {
                self.paths.mark(*path, Mark::Touched);
                self.look_at(*path);
            }
        }
    }

    /// A value is used in a way that may need all of it.
    pub(super) fn escape(&mut self, value: &Abstract) {
        if !value.atoms().iter().any(|atom| self.leads_further(atom)) {
            for atom in value.atoms().iter().rev() {
                if let Atom::Path(path) = atom {
                    self.paths.mark(*path, Mark::Whole);
                    self.look_at(*path);
                    self.asks(Asked::Whole(*path));
                }
            }
            return;
        }
        let mut open: Vec<Atom> = value.atoms().to_vec();
        let mut seen = Seen::default();
        while let Some(atom) = open.pop() {
            if self.leads_further(&atom) && !seen.insert(&atom) {
                continue;
            }
            match &atom {
                Atom::Path(path) => {
                    self.paths.mark(*path, Mark::Whole);
                    self.look_at(*path);
                    self.asks(Asked::Whole(*path));
                }
                Atom::Root(scope) => {
                    if let Some(scope) = self.scopes.list.get(*scope) {
                        self.paths.mark(scope.path, Mark::Whole);
                        open.extend(scope.subcharts.values().map(|subchart| Atom::Root(*subchart)));
                    }
                }
                Atom::Subcharts(scope) => {
                    let subcharts = self.scopes.list.get(*scope).map(|scope| scope.subcharts.values());
                    open.extend(subcharts.into_iter().flatten().map(|subchart| Atom::Root(*subchart)));
                }
                Atom::Object(id) => {
                    if let Some(object) = self.objects.get(id.0 as usize) {
                        let fields = object.fields.values().chain([&object.any, &object.parents]);
                        open.extend(fields.flat_map(|value| value.atoms().iter().cloned()));
                    }
                }
                _ => {}
            }
            if matches!(atom, Atom::Root(_) | Atom::Builtin(_)) {
                self.summaries.asks_of(&atom, None);
            }
            if let Some(put) = self.puts.everywhere(&atom) {
                open.extend(put.atoms().iter().cloned());
            }
        }
    }

    /// Whether there is more to find than the atom itself. What does not is not worth remembering that it was seen.
    fn leads_further(&self, atom: &Atom) -> bool {
        matches!(atom, Atom::Object(_) | Atom::Root(_) | Atom::Subcharts(_)) || self.is_owner(atom)
    }

    /// Whether templates put something into a value.
    fn is_owner(&self, atom: &Atom) -> bool {
        self.puts.has(atom)
    }

    /// Remembers that it counts what templates put into a value.
    fn asks(&mut self, asked: Asked) {
        self.summaries.asks(asked);
    }

    /// A field of a value.
    pub(super) fn field(&mut self, value: &Abstract, name: &Arc<str>) -> Abstract {
        match value.atoms() {
            [atom] if !self.is_owner(atom) => match self.field_of_one(atom, name) {
                Some(field) => self.bounded(field),
                None => self.field_of_any(value, name),
            },
            _ => self.field_of_any(value, name),
        }
    }

    /// A field of the one thing that a value is and that nothing was put into, as most are; nothing if that takes a
    /// search.
    fn field_of_one(&mut self, atom: &Atom, name: &Arc<str>) -> Option<Abstract> {
        Some(match atom {
            Atom::Path(path) => match &**name {
                "AsMap" | "YAML" => return None,
                _ => self.below(*path, name).into(),
            },
            Atom::Root(scope) => {
                self.summaries.asks_of(atom, Some(name));
                self.field_of_root(*scope, name).into()
            }
            Atom::Builtin(builtin) => {
                self.summaries.asks_of(atom, Some(name));
                builtin.field(name).map_or(Atom::Unknown, Atom::Builtin).into()
            }
            Atom::Object(id) => {
                let object = self.objects.get(id.0 as usize).filter(|object| object.parents.len() == 0)?;
                match object.fields.get(name) {
                    Some(field) if object.any.len() == 0 => field.clone(),
                    Some(field) => field.clone().joined(&object.any),
                    None => object.any.clone(),
                }
            }
            Atom::Subcharts(_) | Atom::Files(_) => return None,
            Atom::Unknown | Atom::Text(_) | Atom::Like(..) | Atom::Made(_) => Abstract::unknown(),
        })
    }

    fn field_of_root(&self, scope: usize, name: &str) -> Atom {
        match name {
            "Values" => self.scopes.list.get(scope).map_or(Atom::Unknown, |scope| Atom::Path(scope.path)),
            "Subcharts" => Atom::Subcharts(scope),
            "Files" => Atom::Files(scope),
            _ => Builtin::of_root(name).map_or(Atom::Unknown, Atom::Builtin),
        }
    }

    fn field_of_any(&mut self, value: &Abstract, name: &Arc<str>) -> Abstract {
        let mut found: Vec<Atom> = Vec::new();
        let mut open: Vec<Atom> = Vec::new();
        let mut seen = Seen::default();
        let mut atoms = value.atoms().iter();
        while let Some(atom) = atoms.next().map(Cow::Borrowed).or_else(|| open.pop().map(Cow::Owned)) {
            if self.leads_further(&atom) && !seen.insert(&atom) {
                continue;
            }
            match &*atom {
                Atom::Path(path) => match &**name {
                    "AsMap" if self.paths.is_chart(*path) => {
                        self.asks(Asked::Items(*path));
                        found.push(atom.clone().into_owned());
                    }
                    "YAML" if self.paths.is_chart(*path) => {
                        self.asks(Asked::Items(*path));
                        self.paths.mark(*path, Mark::Whole);
                    }
                    _ => found.push(self.below(*path, name)),
                },
                Atom::Root(scope) => {
                    self.summaries.asks_of(&atom, Some(name));
                    found.push(self.field_of_root(*scope, name));
                }
                Atom::Builtin(builtin) => {
                    self.summaries.asks_of(&atom, Some(name));
                    found.push(builtin.field(name).map_or(Atom::Unknown, Atom::Builtin));
                }
                Atom::Subcharts(scope) => {
                    let scope = self.scopes.list.get(*scope).and_then(|scope| scope.subcharts.get(name));
                    found.push(scope.map_or(Atom::Unknown, |scope| Atom::Root(*scope)));
                }
                Atom::Files(scope) => found.push(Atom::Files(*scope)),
                Atom::Object(id) => {
                    if let Some(object) = self.objects.get(id.0 as usize) {
                        let fields = object.fields.get(name).into_iter().chain([&object.any]);
                        found.extend(fields.flat_map(|value| value.atoms().iter().cloned()));
                        open.extend(object.parents.atoms().iter().cloned());
                    }
                }
                _ => found.push(Atom::Unknown),
            }
            if let Some(put) = self.puts.under(&atom, name) {
                found.extend(put.atoms().iter().cloned());
            }
            if let Some(put) = self.puts.everywhere(&atom) {
                open.extend(put.atoms().iter().cloned());
            }
        }
        self.bounded(found.into())
    }

    /// The value under a key of a value of the chart.
    fn below(&mut self, path: PathId, name: &Arc<str>) -> Atom {
        match self.paths.key(path, name) {
            Some(below) => {
                self.asks(Asked::Field(below));
                Atom::Path(below)
            }
            None => {
                self.asks(Asked::Items(path));
                Atom::Unknown
            }
        }
    }

    /// The items of a value.
    pub(super) fn items(&mut self, value: &Abstract) -> Abstract {
        let mut found: Vec<Atom> = Vec::new();
        let mut open: Vec<Atom> = Vec::new();
        let mut seen = Seen::default();
        let mut atoms = value.atoms().iter();
        while let Some(atom) = atoms.next().map(Cow::Borrowed).or_else(|| open.pop().map(Cow::Owned)) {
            if self.leads_further(&atom) && !seen.insert(&atom) {
                continue;
            }
            match &*atom {
                Atom::Path(path) => {
                    self.asks(Asked::Items(*path));
                    found.push(self.paths.step(*path, Step::Any).map_or(Atom::Unknown, Atom::Path));
                }
                Atom::Root(_) => {
                    self.escape(&Abstract::from(atom.clone().into_owned()));
                    found.push(Atom::Unknown);
                }
                Atom::Subcharts(scope) => {
                    let scopes = self.scopes.list.get(*scope).map(|scope| scope.subcharts.values());
                    scopes.into_iter().flatten().for_each(|scope| found.push(Atom::Root(*scope)));
                }
                Atom::Files(scope) => found.push(Atom::Files(*scope)),
                Atom::Object(id) => {
                    if let Some(object) = self.objects.get(id.0 as usize) {
                        let entries = object.fields.values().chain([&object.any]);
                        found.extend(entries.flat_map(|value| value.atoms().iter().cloned()));
                        open.extend(object.parents.atoms().iter().cloned());
                    }
                }
                Atom::Made(path) => found.push(Atom::Made(*path)),
                _ => found.push(Atom::Unknown),
            }
            found.extend(self.puts.under_keys(&atom).flat_map(|value| value.atoms().iter().cloned()));
            if let Some(put) = self.puts.everywhere(&atom) {
                open.extend(put.atoms().iter().cloned());
            }
        }
        self.bounded(found.into())
    }

    /// A value that may be too many things is nothing in particular.
    pub(super) fn bounded(&mut self, value: Abstract) -> Abstract {
        if value.len() <= MOST_ATOMS {
            return value;
        }
        self.escape(&value);
        Abstract::unknown()
    }

    /// The map or list that is made at a place.
    pub(super) fn object(&mut self, key: u64, place: TemplatePlace) -> Result<ObjectId, TooMuch> {
        if let Some(known) = self.made.get(&(key, place.start)) {
            return Ok(*known);
        }
        if self.objects.len() >= MOST_OBJECTS {
            return Err(TooMuch);
        }
        let id = ObjectId(u32::try_from(self.objects.len()).map_err(|_| TooMuch)?);
        self.objects.push(Object::default());
        self.made.insert((key, place.start), id);
        Ok(id)
    }

    /// Puts something under a key of a value, or the entries of another value into it.
    pub(super) fn put_into(&mut self, owner: &Abstract, key: Option<&Arc<str>>, value: &Abstract) {
        for atom in owner.atoms() {
            match atom {
                Atom::Object(id) => {
                    let Some(object) = self.objects.get_mut(id.0 as usize) else { continue };
                    let is_new = match key {
                        Some(key) => object.fields.entry(Arc::clone(key)).or_default().join(value),
                        None => object.parents.join(value),
                    };
                    if is_new {
                        self.summaries.changes_object(*id);
                    }
                }
                Atom::Path(_) | Atom::Root(_) | Atom::Builtin(_) => self.put_into_value(atom, key, value),
                _ => {}
            }
        }
    }

    fn put_into_value(&mut self, atom: &Atom, key: Option<&Arc<str>>, value: &Abstract) {
        if self.puts.put(atom, key, value, &self.paths) {
            self.summaries.changes_values();
        }
    }

    /// Remembers a read of a value that may not be there.
    pub(super) fn read(&mut self, frame: &Frame<'_>, kind: ReadKind, path: PathId, place: TemplatePlace) {
        let Some(source) = frame.source.filter(|_| self.doubts == 0) else { return };
        let span = source.span(place.start as usize, place.end as usize);
        let is_guarded = self.guards.iter().any(|guard| self.paths.is_within(*guard, path));
        self.summaries.reads(Read { kind, path, span, is_guarded });
    }
}

/// Gives the variables of a `range` their values for an item.
fn set_variables(frame: &mut Frame<'_>, branch: &Branch, item: &Abstract) {
    let key = Abstract::unknown();
    let nodes = frame.nodes;
    let name = |variable: &Declared| nodes.name(variable.name);
    match (branch.pipe.variables(nodes), branch.pipe.is_assign) {
        ([], _) => {}
        ([one], true) => frame.assign(name(one), item),
        ([one, two, ..], true) => {
            frame.assign(name(one), &key);
            frame.assign(name(two), item);
        }
        ([one], false) => frame.declare(name(one), item.clone()),
        ([one, two, ..], false) => {
            frame.declare(name(one), key);
            frame.declare(name(two), item.clone());
        }
    }
}

/// Whether a loop may be left before its end.
fn ends_early(nodes: &Nodes, list: &List) -> bool {
    list.nodes(nodes).iter().any(|node| match node {
        Node::Break(_) | Node::Continue(_) => true,
        Node::Branch(branch) => {
            let branch = nodes.branch(*branch);
            let lists = [Some(&branch.list), branch.otherwise.as_ref()];
            lists.into_iter().flatten().any(|list| ends_early(nodes, list))
        }
        _ => false,
    })
}
