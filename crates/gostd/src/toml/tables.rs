//! The tables of the text while it is parsed. What may be defined twice follows the Go library, which decides
//! by the names of keys: the same name in two tables of an array counts as one.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Release, Scalar, joined};

/// The value of a key.
#[derive(Debug, Clone)]
pub enum Node {
    /// A scalar.
    Plain(Scalar),
    /// Values in brackets.
    Array(Rc<Vec<Node>>),
    /// One of the tables of the document.
    Table(TableId),
    /// Tables that were written one by one under a name in double brackets.
    Tables(Vec<TableId>),
}

/// The index of a table in its document.
pub type TableId = usize;

/// The entries of a table, sorted by key.
pub type Table = BTreeMap<String, Node>;

type PathId = usize;

/// The parsed document. Names can have any length and tables any depth, so tables refer to each other by index.
#[derive(Debug)]
pub struct Document {
    tables: Vec<Table>,
}

impl Document {
    /// The outermost table is the first; no table contains another twice, or itself.
    pub fn into_tables(self) -> Vec<Table> {
        self.tables
    }
}

/// A table that keys belong to, and its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope {
    path: PathId,
    /// `None` if something else has the name.
    table: Option<TableId>,
}

/// The name of a key, as one part after the name of another.
#[derive(Debug, Default)]
struct Path {
    parent: PathId,
    part: String,
    children: BTreeMap<String, PathId>,
    /// A table that exists only because of its content.
    implicit: bool,
    array: bool,
}

/// All tables of the text.
#[derive(Debug)]
pub(super) struct Tables {
    tables: Vec<Table>,
    paths: Vec<Path>,
    release: Release,
}

impl Scope {
    /// The text itself.
    pub(super) const ROOT: Scope = Scope { path: 0, table: Some(0) };

    pub(super) fn is_root(self) -> bool {
        self.path == Self::ROOT.path
    }

    pub(super) fn is_table(self) -> bool {
        self.table.is_some()
    }
}

impl Tables {
    pub(super) fn new(release: Release) -> Self {
        Tables { tables: vec![Table::new()], paths: vec![Path::default()], release }
    }

    /// A table that is not attached yet.
    pub(super) fn add(&mut self) -> TableId {
        self.tables.push(Table::new());
        self.tables.len() - 1
    }

    fn child(&mut self, parent: PathId, part: &str) -> PathId {
        if let Some(path) = self.paths[parent].children.get(part) {
            return *path;
        }
        let path = self.paths.len();
        self.paths[parent].children.insert(part.to_owned(), path);
        self.paths.push(Path { parent, part: part.to_owned(), ..Path::default() });
        path
    }

    /// The parts of the name joined by dots.
    pub(super) fn name(&self, scope: Scope) -> String {
        self.path_name(scope.path)
    }

    fn path_name(&self, path: PathId) -> String {
        let mut parts = Vec::new();
        let mut at = path;
        while at != Scope::ROOT.path {
            parts.push(self.paths[at].part.clone());
            at = self.paths[at].parent;
        }
        parts.reverse();
        joined(&parts)
    }

    fn step(&self, table: TableId, part: &str) -> Option<TableId> {
        match self.tables[table].get(part)? {
            Node::Table(table) => Some(*table),
            // The last one of an array of them.
            Node::Tables(tables) => tables.last().copied(),
            Node::Plain(_) | Node::Array(_) => None,
        }
    }

    /// The error for a name that is not a table although one is needed.
    pub(super) fn no_table(&self, scope: Scope) -> String {
        format!("Key '{}' was already created as a hash.", self.name(scope))
    }

    fn defined(&self, path: PathId) -> String {
        format!("Key '{}' has already been defined.", self.path_name(path))
    }

    /// The table found by following the parts of a name from the outermost one; missing tables are created.
    pub(super) fn walk(&mut self, parts: &[String]) -> Result<Scope, String> {
        let mut scope = Scope::ROOT;
        for part in parts {
            let Some(table) = scope.table else { return Err(self.no_table(scope)) };
            let path = self.child(scope.path, part);
            if !self.tables[table].contains_key(part) {
                self.paths[path].implicit = true;
                let made = self.add();
                self.tables[table].insert(part.clone(), Node::Table(made));
            }
            scope = Scope { path, table: self.step(table, part) };
        }
        if scope.is_table() { Ok(scope) } else { Err(self.no_table(scope)) }
    }

    /// The scope of a nested name, as a table that exists only because of its content.
    pub(super) fn implied(&mut self, scope: Scope, part: &str) -> Scope {
        let path = self.child(scope.path, part);
        self.paths[path].implicit = true;
        Scope { path, table: None }
    }

    /// Opens a nested table.
    pub(super) fn open(&mut self, scope: Scope, part: &str) -> Result<Scope, String> {
        let Some(table) = scope.table else { return Err(self.no_table(scope)) };
        let made = self.add();
        self.define(scope, part, Node::Table(made))?;
        Ok(Scope { path: self.child(scope.path, part), table: self.step(table, part) })
    }

    /// Opens one more table of an array of them.
    pub(super) fn open_item(&mut self, scope: Scope, part: &str) -> Result<Scope, String> {
        let Some(table) = scope.table else { return Err(self.no_table(scope)) };
        let path = self.child(scope.path, part);
        let made = self.add();
        match self.tables[table].entry(part.to_owned()).or_insert_with(|| Node::Tables(Vec::new())) {
            Node::Tables(tables) => tables.push(made),
            _ => {
                let key = self.path_name(path);
                return Err(format!("Key '{key}' was already created and cannot be used as an array."));
            }
        }
        Ok(Scope { path, table: Some(made) })
    }

    /// Sets a key of a table, which must not have it.
    pub(super) fn define(&mut self, scope: Scope, key: &str, node: Node) -> Result<(), String> {
        let Some(table) = scope.table else { return Err(self.defined(scope.path)) };
        let path = self.child(scope.path, key);
        if self.tables[table].contains_key(key) {
            // A table that exists only because of its content may be defined once; it keeps its content, unless
            // it was created while an array of tables was built. The older release always replaces it.
            let array = self.paths[path].array;
            let implicit = std::mem::take(&mut self.paths[path].implicit);
            if !(implicit || array && self.release == Release::V1_2) {
                return Err(self.defined(path));
            }
            if !array {
                return Ok(());
            }
        }
        self.tables[table].insert(key.to_owned(), node);
        Ok(())
    }

    /// Records whether a key has an array of values.
    pub(super) fn set_array(&mut self, scope: Scope, key: &str, is_array: bool) {
        // An empty key means the table itself, except in the outermost one.
        let path = if key.is_empty() && !scope.is_root() { scope.path } else { self.child(scope.path, key) };
        self.paths[path].array = is_array;
    }

    /// Stores a value under a key of several parts. `None` if something on the path is not a table.
    pub(super) fn insert(&mut self, table: TableId, key: &[String], value: Node) -> Option<()> {
        let (last, parents) = key.split_last()?;
        let mut table = table;
        for part in parents {
            table = match self.tables[table].get(part) {
                Some(Node::Table(table)) => *table,
                Some(_) => return None,
                None => {
                    let made = self.add();
                    self.tables[table].insert(part.clone(), Node::Table(made));
                    made
                }
            };
        }
        self.tables[table].insert(last.clone(), value);
        Some(())
    }

    /// The parsed document.
    pub(super) fn finish(self) -> Document {
        Document { tables: self.tables }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Release, read};
    use super::*;

    /// Go's `%v` of the document.
    fn shown(tables: &[Table], node: &Node) -> String {
        match node {
            Node::Plain(Scalar::Int(number)) => number.to_string(),
            Node::Plain(other) => format!("{other:?}"),
            Node::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| shown(tables, item)).collect();
                format!("[{}]", items.join(" "))
            }
            Node::Table(id) => {
                let entries: Vec<_> =
                    tables[*id].iter().map(|(key, node)| format!("{key}:{}", shown(tables, node))).collect();
                format!("map[{}]", entries.join(" "))
            }
            Node::Tables(ids) => {
                let items: Vec<_> = ids.iter().map(|id| shown(tables, &Node::Table(*id))).collect();
                format!("[{}]", items.join(" "))
            }
        }
    }

    #[test]
    fn what_may_be_defined_twice() {
        for (text, expected) in [
            ("a={b={c=1},b.d=2}", "map[a:map[b:map[c:1 d:2]]]"),
            ("a=[{b=[1]},{b={x=1},b.d=2}]", "map[a:[map[b:[1]] map[b:map[d:2 x:1]]]]"),
            ("a.x=1\n[a]\ny=2", "map[a:map[x:1 y:2]]"),
            ("[a]\nb.c=1\n[a.b.e]\nd=2", "map[a:map[b:map[c:1 e:map[d:2]]]]"),
            ("a={}\na.b=1", "map[a:map[b:1]]"),
            ("a=[1,{b=1}]\na.c=1", "map[a:map[c:1]]"),
            ("[[a.b]]\nc=1\n[[a.b]]\nc=2\n[a.b.d]\ne=1", "map[a:map[b:[map[c:1] map[c:2 d:map[e:1]]]]]"),
            ("a=[[{b=1}],[{b=2}]]", "map[a:[[map[b:1]] [map[b:2]]]]"),
            ("a={b=[{c=1},{c={d=1}}]}", "map[a:map[b:[map[c:1] map[c:map[d:1]]]]]"),
            (
                "[[x]]\ny.z=1\n[[x]]\ny=1\n[x.y]\nk=1",
                "line 6 (last key \"x.y.k\"): Key 'x.y' has already been defined.",
            ),
            (
                "[[x]]\ny.z=1\n[[x]]\ny=1\n[x.y]\nk={a=1}",
                "line 6 (last key \"x.y.k\"): Key 'x.y' was already created as a hash.",
            ),
            ("a.b=1\na.b.c=2", "line 2 (last key \"a.b.c\"): Key 'a.b' has already been defined."),
            ("a.b=1\na.b.c.d=2", "line 2 (last key \"a.b.d\"): Key 'a.b' was already created as a hash."),
            (
                "[a.b]\n[a]\nb=[{c=1}]",
                "line 3 (last key \"a\"): Key 'a.b' was already created and cannot be used as an array.",
            ),
            ("[a.b]\nc=1\n[a.b]", "line 3 (last key \"a\"): Key 'a.b' has already been defined."),
            ("a=1\n[a.b]", "line 2: Key 'a' was already created as a hash."),
            ("a=1\n[a]", "line 2: Key 'a' has already been defined."),
            ("[a]\n[[a]]", "line 2: Key 'a' was already created and cannot be used as an array."),
            ("a=[{x=1},{x=2}]\n[a.y]", "line 2: Key 'a' was already created as a hash."),
            (
                "[a.'b c'.\"\"]\n[a.'b c'.\"\"]",
                "line 2 (last key \"a.\\\"b c\\\"\"): Key 'a.\"b c\".\"\"' has already been defined.",
            ),
        ] {
            let found = match read(text.as_bytes(), Release::V1_6) {
                Ok(document) => shown(&document.into_tables(), &Node::Table(0)),
                Err(why) => why.message().strip_prefix("toml: ").unwrap().to_owned(),
            };
            assert_eq!(found, expected, "{text}");
        }
    }

    /// The results were recorded from Go.
    #[test]
    fn the_older_release_accepts_less_and_has_other_messages() {
        for (text, expected) in [
            ("a={b.c=1}", "map[a:map[b:map[c:1]]]"),
            ("a=[{b.c=1}]", "map[a:[map[c:1]]]"),
            ("a=[1]\na=2", "map[a:2]"),
            ("a={b=1,}", "line 1 (last key \"a.b\"): trailing comma not allowed in inline tables"),
            ("a={\n}", "line 1 (last key \"a\"): newlines not allowed within inline tables"),
            ("a=\"\\e\"", "line 1 (last key \"a\"): invalid escape in string '\\e'"),
            ("a=\"\\x41\"", "line 1 (last key \"a\"): invalid escape in string '\\x'"),
            ("a=", "line 0 (last key \"a\"): unexpected EOF; expected value"),
            ("a=\n", "line 2 (last key \"a\"): expected value but found '\\n' instead"),
            ("a\n", "line 2: expected '.' or '=', but got '\\n' instead"),
            ("a=07:30", "line 1 (last key \"a\"): Invalid TOML Datetime: \"07:30\"."),
            ("a=0xg", "line 1 (last key \"a\"): not a hexidecimal number: '0xg'"),
            ("a=\"\u{fffd}\"", "line 1 (last key \"a\"): invalid UTF-8 byte: 0xef"),
        ] {
            let found = match read(text.as_bytes(), Release::V1_2) {
                Ok(document) => shown(&document.into_tables(), &Node::Table(0)),
                Err(why) => why.message().strip_prefix("toml: ").unwrap().to_owned(),
            };
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn the_older_release_joins_lines_in_its_own_way() {
        for (text, expected) in [
            ("a=\"\"\"x\\\n  y\nz\nw\"\"\"", Ok("xyzw")),
            ("a=\"\"\"\nx \\\n\n  y\"\"\"", Ok("x   y")),
            ("a=\"\"\"x\r\ny\"\"\"", Ok("x\ny")),
            ("a=\"\"\"x\\\\\"\"\"", Ok("x\\\n")),
            ("a=\"\"\"x\\ \"\"\"", Err("toml: line 1 (last key \"a\"): invalid escape: '\\ '")),
        ] {
            let found = read(text.as_bytes(), Release::V1_2).map(|document| {
                match document.into_tables().swap_remove(0).remove("a") {
                    Some(Node::Plain(Scalar::String(text))) => text,
                    other => format!("{other:?}"),
                }
            });
            assert_eq!(found.as_deref().map_err(|error| error.message()), expected, "{text}");
        }
    }

    /// With quadratic work none of these would finish within the time of a test.
    #[test]
    fn long_names_and_many_of_them_take_time_in_proportion() {
        let long = format!("{}x = 1", "a.".repeat(30_000));
        let below_long = format!("[{}x]\n{}", "a.".repeat(10_000), lines(10_000, ""));
        for text in [long, below_long, lines(10_000, "a.b.c."), "[[a.b]]\n".repeat(20_000)] {
            assert!(read(text.as_bytes(), Release::V1_6).is_ok());
        }
    }

    fn lines(count: usize, before: &str) -> String {
        (0..count).map(|number| format!("{before}k{number} = {number}\n")).collect()
    }
}
