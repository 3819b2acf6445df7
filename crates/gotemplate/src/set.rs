//! A set of templates that can call each other by name.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_diagnostic::nearest;
use trueline_source::{Call, Origin, OriginMap, SourceId};

use crate::exec::{Options, TextOrigin, run};
use crate::lexer::Delimiters;
use crate::node::{Bytes, Tree};
use crate::parse_error::ParseError;
use crate::parser::{Room, parse_in};
use crate::{Error, Functions, Reason, SharedFunctions, Str, Trace, Value};

/// Texts that are run as templates are parsed only once, as long as their total length is at most this.
const CACHED_BYTES: usize = 4 << 20;

/// A set of templates that can call each other by name.
#[derive(Debug)]
pub struct Templates {
    name: String,
    functions: SharedFunctions,
    left: Vec<u8>,
    right: Vec<u8>,
    templates: FxHashMap<Bytes, Template>,
    texts: RefCell<Texts>,
    reader: RefCell<Reader>,
}

/// A template with the place of its text.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    pub(crate) tree: Arc<Tree>,
    pub(crate) origin: Rc<TextOrigin>,
}

/// The templates of the text; the text itself is the first of them.
pub(crate) type Trees = Rc<[Arc<Tree>]>;

/// Texts that were run as templates.
#[derive(Debug, Default)]
struct Texts {
    parsed: FxHashMap<Bytes, (Arc<str>, Trees)>,
    bytes: usize,
}

/// A parsed text with the templates that it contains. It does not belong to a set yet, so many texts can be
/// parsed at the same time, and one text can be added to many sets.
#[derive(Debug, Clone)]
pub struct Text {
    trees: Vec<Arc<Tree>>,
    source: Option<SourceId>,
}

/// Parses texts one after the other and stores what they share only once.
#[derive(Debug)]
pub struct Reader {
    functions: SharedFunctions,
    room: Room,
}

impl Reader {
    /// A parser for texts that can use these functions.
    pub fn new(functions: SharedFunctions) -> Self {
        Reader { functions, room: Room::default() }
    }

    /// Parses text: itself as the template `name`, and its definitions.
    pub fn read(
        &mut self,
        name: &str,
        text: &Bytes,
        source: Option<SourceId>,
        delimiters: Delimiters<'_>,
    ) -> Result<Text, Vec<ParseError>> {
        let parsed = parse_in(&mut self.room, &Arc::from(name), text, &self.functions, delimiters);
        if parsed.errors.is_empty() {
            Ok(Text { trees: parsed.trees.into_iter().map(Arc::new).collect(), source })
        } else {
            Err(parsed.errors)
        }
    }
}

impl Text {
    /// The same text under another name and from another place, if parsing would give the same result; for text
    /// that names itself it would not.
    pub fn renamed(&self, name: &str, source: Option<SourceId>) -> Option<Self> {
        let main = self.trees.first()?;
        let is_own = |constant: &Bytes| *constant == main.name || **constant == *name.as_bytes();
        if main.nodes.constants.iter().any(is_own) {
            return None;
        }
        let file: Arc<str> = name.into();
        let trees = self.trees.iter().enumerate().map(|(index, tree)| {
            let name = if index == 0 { file.as_bytes().into() } else { Arc::clone(&tree.name) };
            Arc::new(Tree { name, file: Arc::clone(&file), ..Tree::clone(tree) })
        });
        Some(Text { trees: trees.collect(), source })
    }

    /// Its templates; the text itself is the first of them.
    pub fn trees(&self) -> &[Arc<Tree>] {
        &self.trees
    }

    /// Its place.
    pub fn source(&self) -> Option<SourceId> {
        self.source
    }
}

/// The output of a template.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// The text with its traces.
    pub text: Str,
    /// Which of its actions wrote text of other templates, sorted.
    pub calls: Vec<Call>,
    /// How many steps it took, for a host that runs several templates.
    pub steps: u64,
}

impl Templates {
    /// An empty set. Messages about missing templates include its name.
    pub fn new(name: impl Into<String>, functions: SharedFunctions) -> Self {
        Templates {
            name: name.into(),
            reader: RefCell::new(Reader::new(Arc::clone(&functions))),
            functions,
            left: Vec::new(),
            right: Vec::new(),
            templates: FxHashMap::default(),
            texts: RefCell::default(),
        }
    }

    /// Sets the delimiters; an empty one means Go's default.
    pub fn delimiters(&mut self, left: impl Into<Vec<u8>>, right: impl Into<Vec<u8>>) {
        self.left = left.into();
        self.right = right.into();
        *self.texts.borrow_mut() = Texts::default();
    }

    /// The name of the set.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The functions that its templates can call.
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    /// Parses text and adds the templates that it contains: the text itself under `name`, and its definitions.
    /// A later template replaces an earlier one with the same name, unless it is empty. If there are errors
    /// nothing is added.
    pub fn parse(
        &mut self,
        name: &str,
        text: &Bytes,
        source: Option<SourceId>,
    ) -> Result<(), Vec<ParseError>> {
        let delimiters = Delimiters { left: &self.left, right: &self.right };
        let text = self.reader.get_mut().read(name, text, source, delimiters)?;
        self.add(&text);
        Ok(())
    }

    /// Adds the templates of the text that was parsed with the functions of this set.
    pub fn add(&mut self, text: &Text) {
        let origin = Rc::new(text.source.map_or(TextOrigin::Unknown, TextOrigin::Source));
        for tree in &text.trees {
            if tree.is_empty() && self.templates.contains_key(&tree.name) {
                continue;
            }
            let template = Template { tree: Arc::clone(tree), origin: Rc::clone(&origin) };
            self.templates.insert(Arc::clone(&tree.name), template);
        }
    }

    /// Whether text was parsed before and is cached.
    pub(crate) fn is_read(&self, name: &str, text: &Str) -> bool {
        let texts = self.texts.borrow();
        texts.parsed.get(text.as_bytes()).is_some_and(|(known, _)| **known == *name)
    }

    /// Parses text that is not added to the set. The text itself is the first of the trees.
    pub(crate) fn read_text(&self, name: &str, text: &Str) -> Result<Trees, Vec<ParseError>> {
        if let Some((known, trees)) = self.texts.borrow().parsed.get(text.as_bytes())
            && **known == *name
        {
            return Ok(Rc::clone(trees));
        }
        let delimiters = Delimiters { left: &self.left, right: &self.right };
        let trees: Trees = self.reader.borrow_mut().read(name, text.shared(), None, delimiters)?.trees.into();
        let mut texts = self.texts.borrow_mut();
        if texts.bytes + text.len() <= CACHED_BYTES {
            texts.bytes += text.len();
            texts.parsed.insert(Arc::clone(text.shared()), (Arc::from(name), Rc::clone(&trees)));
        }
        Ok(trees)
    }

    /// The tree of a template, and the source of its text.
    pub fn tree(&self, name: &[u8]) -> Option<(Arc<Tree>, Option<SourceId>)> {
        let template = self.get(name)?;
        Some((Arc::clone(&template.tree), template.origin.source()))
    }

    pub(crate) fn get(&self, name: &[u8]) -> Option<&Template> {
        self.templates.get(name)
    }

    /// The facts about a missing template.
    pub(crate) fn no_template(&self, name: &[u8]) -> Reason {
        let name = String::from_utf8_lossy(name).into_owned();
        let mut names: Vec<&str> =
            self.templates.keys().filter_map(|name| std::str::from_utf8(name).ok()).collect();
        names.sort_unstable();
        // People remember the last part of a name, so that is compared.
        let ending = format!(".{name}");
        let nearest = nearest(&name, names.iter().copied())
            .or_else(|| names.iter().copied().find(|known| known.ends_with(&ending)));
        Reason::NoTemplate { nearest: nearest.map(str::to_owned), name }
    }

    /// The names of the templates, sorted.
    pub fn names(&self) -> Vec<Str> {
        let mut names: Vec<&Bytes> = self.templates.keys().collect();
        names.sort_unstable();
        names.into_iter().map(|name| Str::from(Arc::clone(name))).collect()
    }

    /// Whether a template has this name.
    pub fn contains(&self, name: &str) -> bool {
        self.templates.contains_key(name.as_bytes())
    }

    /// Runs a template with `dot`.
    ///
    /// Templates call each other on the stack of this thread: the default depth of [`crate::Limits`] needs
    /// 256 MiB in a build without optimisation.
    pub fn execute(&self, name: &str, dot: &Value, options: &Options<'_>) -> Result<Rendered, Error> {
        run(self, name, dot, options)
    }
}

impl Rendered {
    /// The origins of the text.
    pub fn origin_map(&self) -> OriginMap {
        let mut origins = OriginMap::new();
        let origin = |trace: Trace| match trace {
            Trace::Verbatim(span) => Some(Origin::Verbatim(span)),
            Trace::Printed { action, value } => Some(Origin::Computed { action, value }),
            Trace::Value(span) => Some(Origin::Computed { action: span, value: Some(span) }),
            Trace::Unknown => None,
        };
        for run in self.text.runs() {
            if let Some(origin) = origin(run.trace) {
                origins.push(run.start, origin);
            }
        }
        for blank in self.text.blanks() {
            if let Some(origin) = origin(blank.trace) {
                origins.push_blank(blank.start, origin);
            }
        }
        for call in &self.calls {
            origins.push_call(*call);
        }
        origins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Syntax;

    fn read(name: &str, text: &str) -> Text {
        let mut reader = Reader::new(Arc::new(Functions::builtin()));
        reader.read(name, &text.as_bytes().into(), None, Delimiters::default()).unwrap()
    }

    /// The name, the file and the text of each template.
    fn described(text: &Text) -> Vec<(Bytes, Arc<str>, Vec<u8>)> {
        let describe = |tree: &Arc<Tree>| {
            (Arc::clone(&tree.name), Arc::clone(&tree.file), tree.root.to_bytes(&tree.nodes))
        };
        text.trees.iter().map(describe).collect()
    }

    #[test]
    fn a_cached_text_gives_the_same_result() {
        let mut reader = Reader::new(Arc::new(Functions::builtin()));
        let texts =
            ["{{ $a := .b }}{{ len $a }}x", "{{ len \"s\" }}{{ .b.c }}", "{{ .z", "{{ print `s` \"s\" .b }}"];
        for text in texts.iter().chain(&texts) {
            let bytes: Bytes = text.as_bytes().into();
            let again = reader.read("t", &bytes, None, Delimiters::default());
            match Reader::new(Arc::new(Functions::builtin())).read("t", &bytes, None, Delimiters::default()) {
                Ok(alone) => {
                    let again = again.unwrap();
                    assert_eq!(described(&again), described(&alone), "{text}");
                    let nodes = |text: &Text| format!("{:?}", text.trees[0].nodes);
                    assert_eq!(nodes(&again), nodes(&alone), "{text}");
                }
                Err(alone) => assert_eq!(format!("{:?}", again.unwrap_err()), format!("{alone:?}"), "{text}"),
            }
        }
    }

    #[test]
    fn a_text_under_another_name_equals_a_parsed_one() {
        for text in ["", "a {{ .b }}", "{{ define \"x\" }}1{{ end }}{{ template \"x\" . }}"] {
            let renamed = read("one", text).renamed("two", None).unwrap();
            assert_eq!(described(&renamed), described(&read("two", text)), "{text}");
        }
    }

    #[test]
    fn a_text_that_names_itself_is_parsed_again() {
        let text = "{{ define \"two\" }}1{{ end }}";
        assert!(read("one", text).renamed("two", None).is_none());
        assert!(read("two", text).renamed("one", None).is_none());
    }
}
