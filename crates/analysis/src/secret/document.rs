//! The secrets in a document that can be read: its maps are looked at, not its lines.

use std::ops::Range;

use rustc_hash::FxHashSet;
use trueline_diagnostic::is_secret_name;
use trueline_yaml::{Comment, Document, NodeId, NodeRef, ScalarStyle, ScalarValue};

use super::{
    LAST_APPLIED, SecretRanges, arguments, is_labels, is_open_below, is_open_field, is_value_field, lines,
    range,
};

/// What a node is to its surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Role {
    /// Nothing that is known.
    Plain,
    /// A schema: its name is that of a field.
    Schema,
    /// A Secret.
    Secret,
    /// The data of a Secret: its keys are shown.
    Data,
    /// A value in the data of a Secret: nothing of it is shown.
    Value,
    /// Something that is named like a secret: the keys in it are shown.
    Named,
}

/// The secrets in a document of a file; `after` are comments that follow it and belong to no document.
pub(super) fn search(document: &Document, text: &str, after: &[Comment]) -> SecretRanges {
    let mut walk = Walk::new(text);
    walk.look(document, Role::Plain);
    walk.comments(document.comments(), text);
    walk.comments(after, text);
    walk.found
}

/// The secrets in a value of something that is named like a secret.
pub(super) fn search_named(document: &Document, text: &str) -> Vec<Range<u32>> {
    let mut walk = Walk::new(text);
    walk.look(document, Role::Named);
    walk.found.named
}

/// The secrets in the data of a Secret.
pub(super) fn search_data(document: &Document, text: &str) -> Vec<Range<u32>> {
    let mut walk = Walk::new(text);
    walk.look(document, Role::Data);
    walk.found.data
}

struct Walk<'d, 't> {
    text: &'t str,
    open: Vec<(NodeRef<'d>, Role)>,
    /// What was looked at as something special: aliases lead to the same place any number of times.
    seen: FxHashSet<(NodeId, Role)>,
    /// Where data stands with the comments on it.
    zones: Vec<Range<u32>>,
    found: SecretRanges,
}

impl<'d, 't> Walk<'d, 't> {
    fn new(text: &'t str) -> Self {
        let (open, seen, zones) = Default::default();
        Walk { text, open, seen, zones, found: SecretRanges::default() }
    }

    fn look(&mut self, document: &'d Document, role: Role) {
        self.open.push((document.root(), role));
        while let Some((node, role)) = self.open.pop() {
            self.step(node, role);
        }
    }

    /// Looks at a node, and notes what is to be looked at next.
    fn step(&mut self, node: NodeRef<'d>, role: Role) {
        if let Some(target) = node.alias_target() {
            // What an alias stands for is looked at where it stands, but as nothing special.
            if role != Role::Plain {
                self.open.push((target, role));
            }
            return;
        }
        if role != Role::Plain && !self.seen.insert((node.id(), role)) {
            return;
        }
        let is_map = node.written_entries().is_some();
        match role {
            Role::Plain | Role::Schema if is_map && is_secret(node) => self.secret(node),
            Role::Secret if is_map => self.secret(node),
            Role::Plain | Role::Schema => self.plain(node),
            Role::Data if is_map => {
                for (key, value) in node.written_entries().into_iter().flatten() {
                    match is_merge(key) {
                        true => self.merge(value, Role::Data),
                        false => self.open.push((value, Role::Value)),
                    }
                }
            }
            Role::Named => self.named(node),
            Role::Secret | Role::Data | Role::Value => {
                self.found.data.push(node.span().start..node.span().end);
                // What aliases in it stand for is secret, too.
                let entries = node.written_entries().into_iter().flatten();
                self.open.extend(entries.flat_map(|(key, value)| [(key, Role::Value), (value, Role::Value)]));
                self.open.extend(node.items().into_iter().flatten().map(|item| (item, Role::Value)));
            }
        }
    }

    /// The value of a merge key: a map, or a list of maps, that counts as written here.
    fn merge(&mut self, value: NodeRef<'d>, role: Role) {
        match value.items() {
            Some(items) => self.open.extend(items.map(|item| (item, role))),
            None => self.open.push((value, role)),
        }
    }

    fn secret(&mut self, node: NodeRef<'d>) {
        let mut entries = node.written_entries().into_iter().flatten().peekable();
        while let Some((key, value)) = entries.next() {
            let name = key.key_text();
            if is_merge(key) {
                self.merge(value, Role::Secret);
            } else if is_open_field(&name) {
                self.open.push((value, Role::Plain));
            } else {
                self.open.push((value, Role::Data));
                // A comment after the last value belongs to it as well.
                let next = entries.peek().map(|(next, _)| next.span().start);
                let is_root = node.id() == node.document().root().id();
                let end = next.unwrap_or(if is_root { u32::MAX } else { node.span().end });
                self.zones.push(key.span().start..end.max(value.span().end));
            }
        }
    }

    fn plain(&mut self, node: NodeRef<'d>) {
        self.items(node);
        if node.as_str().is_some() {
            let span = node.span();
            let typed = self.text.get(span.range()).unwrap_or_default();
            let found = arguments::in_text(typed).into_iter().map(range);
            self.found.passed.extend(found.map(|found| span.start + found.start..span.start + found.end));
        }
        let is_list_of_secrets = || node.get("kind").and_then(NodeRef::text) == Some("SecretList");
        for (key, value) in node.written_entries().into_iter().flatten() {
            let name = key.key_text();
            let is_map = value.entries().is_some();
            match &*name {
                "properties" | "patternProperties" | "$defs" | "definitions" if is_map => {
                    let schemas = value.written_entries().into_iter().flatten();
                    for (key, schema) in schemas {
                        let is_schema = schema.entries().is_some();
                        self.open
                            .push((schema, if is_schema { Role::Schema } else { role_of(&key.key_text()) }));
                    }
                }
                "items" if value.items().is_some() && is_list_of_secrets() => {
                    for item in value.items().into_iter().flatten() {
                        // Items need not say again what they are.
                        let says = item.get("kind").is_some();
                        self.open.push((item, if says { Role::Plain } else { Role::Secret }));
                    }
                }
                // Labels are public, whatever they are called.
                name if is_map && is_labels(name) => {
                    let labels = value.written_entries().into_iter().flatten();
                    self.open.extend(labels.map(|(_, label)| (label, Role::Plain)));
                }
                name if is_value_field(name) && is_beside_secret_name(node) => {
                    self.open.push((value, Role::Named));
                }
                name => self.open.push((value, role_of(name))),
            }
        }
    }

    fn named(&mut self, node: NodeRef<'d>) {
        if let Some(entries) = node.written_entries() {
            // Which key of a Secret is taken.
            let leads_to_key = node.get("path").is_some() || node.get("name").is_some();
            for (key, value) in entries {
                let name = key.key_text();
                let role = match &*name {
                    "items" => Role::Named,
                    "key" if leads_to_key => Role::Plain,
                    name if is_open_below(name) => Role::Plain,
                    _ => Role::Named,
                };
                self.open.push((value, role));
            }
        } else if let Some(items) = node.items() {
            self.open.extend(items.map(|item| (item, Role::Named)));
        } else if !matches!(node.scalar(), Some(ScalarValue::Bool(_) | ScalarValue::Null)) {
            self.found.named.push(node.span().start..node.span().end);
        }
    }

    /// The items of a list: what follows a flag that is named like a secret is one.
    fn items(&mut self, node: NodeRef<'d>) {
        let mut is_secret = false;
        for item in node.items().into_iter().flatten() {
            let text = item.text().unwrap_or_default();
            let role = if is_secret && arguments::is_value(text) { Role::Named } else { Role::Plain };
            is_secret = arguments::is_secret_flag(text);
            self.open.push((item, role));
        }
    }

    /// Comments beside secrets often repeat them.
    fn comments(&mut self, comments: &[Comment], text: &str) {
        if comments.is_empty() {
            return;
        }
        let mut ends: Vec<u32> =
            self.found.data.iter().chain(&self.found.named).map(|range| range.end).collect();
        ends.sort_unstable();
        self.zones.sort_unstable_by_key(|zone| zone.start);
        let mut reach = 0;
        let reaches = self.zones.iter().map(|zone| {
            reach = zone.end.max(reach);
            reach
        });
        let reaches: Vec<u32> = reaches.collect();
        for comment in comments {
            let range = comment.span.start..comment.span.end;
            let zone = self.zones.partition_point(|zone| zone.start <= range.start);
            let reach = zone.checked_sub(1).and_then(|last| reaches.get(last));
            let before = ends.partition_point(|end| *end <= range.start);
            let before = before.checked_sub(1).and_then(|last| ends.get(last));
            let between = before.and_then(|end| text.get(*end as usize..range.start as usize));
            if reach.is_some_and(|reach| range.start < *reach) {
                self.found.data.push(range);
            } else if between.is_some_and(|between| !between.contains('\n')) {
                self.found.named.push(range);
            } else {
                self.found.named.extend(lines::in_comment(text, comment.span.range()));
            }
        }
    }
}

fn role_of(name: &str) -> Role {
    let is_secret = is_secret_name(name) || name.ends_with(LAST_APPLIED);
    if is_secret { Role::Named } else { Role::Plain }
}

/// Whether a map is a Secret: it says so, or has a field that nothing else has.
fn is_secret(node: NodeRef<'_>) -> bool {
    let says = |kind: &str| kind.trim().eq_ignore_ascii_case("Secret");
    node.get("kind").and_then(NodeRef::text).is_some_and(says) || node.get("stringData").is_some()
}

fn is_merge(key: NodeRef<'_>) -> bool {
    key.text() == Some("<<") && key.style() == Some(ScalarStyle::Plain)
}

/// Whether a map names its value like a secret, as variables of containers do.
fn is_beside_secret_name(node: NodeRef<'_>) -> bool {
    ["name", "key"].iter().any(|name| node.get(name).and_then(NodeRef::text).is_some_and(is_secret_name))
}
