//! `schema-dependencies.json`: which prefixes of references stand for which files of the package or which
//! remote addresses.

use std::sync::Arc;

use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_source::{EntryKind, LoadErrorKind, Loader, SourceMap, Span, normalize_path};
use trueline_yaml::{Limits, NodeRef, SyntaxErrorKind};

use crate::address;

/// The file at the root of a package.
pub const DEPENDENCIES_FILE: &str = "schema-dependencies.json";

/// How many duplicated prefixes are reported.
const MAX_DUPLICATES: usize = 1_000;

/// The valid example in the explanations of this file's codes.
const RIGHT: &str =
    "{\n  \"local-defs\": \"schemas/\",\n  \"k8s-api\": \"https://example.com/v1.28/definitions.json\"\n}";

macro_rules! code {
    ($(#[$doc:meta])* $name:ident, $id:literal, $words:literal, $summary:literal, $explanation:literal, $wrong:literal) => {
        $(#[$doc])*
        pub static $name: Code = Code {
            id: $id,
            name: $words,
            severity: Severity::Error,
            summary: $summary,
            explanation: $explanation,
            wrong: $wrong,
            right: RIGHT,
        };
    };
}

code!(
    /// The mapping file is not valid JSON.
    DEPENDENCIES_SYNTAX, "TL0260", "schema-dependencies-syntax",
    "schema-dependencies.json is not valid JSON",
    "The file maps prefixes of schema references to files of the package or to addresses. It must be JSON: double \
     quotes, no comments, no trailing comma.",
    "{\n  \"local-defs\": \"schemas/\",\n}"
);
code!(
    /// The mapping file is not a map.
    DEPENDENCIES_NOT_A_MAP, "TL0261", "schema-dependencies-not-a-map",
    "schema-dependencies.json is not a map",
    "The file is a map from prefixes to targets. A list or a single string does not say which prefix stands for what.",
    "[\"schemas/\"]"
);
code!(
    /// A target is not a string.
    DEPENDENCIES_NOT_A_STRING, "TL0262", "schema-dependencies-not-a-string",
    "A target in schema-dependencies.json is not a string",
    "Each prefix stands for exactly one target: a path inside the package or an `https:` address, as a string.",
    "{\"local-defs\": [\"schemas/\"]}"
);
code!(
    /// A target is an absolute path.
    DEPENDENCIES_ABSOLUTE, "TL0263", "schema-dependencies-absolute-path",
    "A target in schema-dependencies.json is an absolute path",
    "Local targets are relative to the root of the package, so that the package works wherever it is unpacked and \
     cannot read other files of the machine.",
    "{\"local-defs\": \"/usr/share/schemas/\"}"
);
code!(
    /// A target is outside the package with `..`.
    DEPENDENCIES_OUTSIDE, "TL0264", "schema-dependencies-outside",
    "A target in schema-dependencies.json is outside the package",
    "Local targets may use `..`, but only as long as they stay inside the package. Copy the schema into the \
     package, or name an `https:` address.",
    "{\"local-defs\": \"../shared/schemas/\"}"
);
code!(
    /// A target is a symbolic link to outside the package.
    DEPENDENCIES_LINK, "TL0265", "schema-dependencies-link-outside",
    "A target in schema-dependencies.json is a symbolic link to outside the package",
    "The path is inside the package, but a symbolic link on it points outside (or is broken). Such a package would \
     not work once it is packed, and could read other files of the machine. Replace the link with the file.",
    "{\"local-defs\": \"linked-schemas/\"}"
);
code!(
    /// A target is a `file:` address outside the package.
    DEPENDENCIES_FILE_OUTSIDE, "TL0266", "schema-dependencies-file-outside",
    "A target in schema-dependencies.json is a `file:` address outside the package",
    "A `file:` address must point to a file of the package. A path relative to the package's root means the same \
     and works on every machine.",
    "{\"local-defs\": \"file:///etc/schemas/\"}"
);
code!(
    /// A target contains a user name or a password.
    DEPENDENCIES_CREDENTIALS, "TL0267", "schema-dependencies-credentials",
    "A target in schema-dependencies.json contains credentials",
    "Schemas are fetched without authentication, and a password in a file of the package is visible to everybody \
     who has the package. Remove the part before `@`, and copy a schema that needs authentication into the package.",
    "{\"k8s-api\": \"https://user:password@example.com/definitions.json\"}"
);
code!(
    /// A target has a scheme that is not supported.
    DEPENDENCIES_SCHEME, "TL0268", "schema-dependencies-scheme",
    "A target in schema-dependencies.json cannot be loaded",
    "A target is a path inside the package or an `http:` or `https:` address. Nothing else is ever loaded.",
    "{\"k8s-api\": \"ftp://example.com/definitions.json\"}"
);
code!(
    /// A prefix is empty.
    DEPENDENCIES_EMPTY_PREFIX, "TL0269", "schema-dependencies-empty-prefix",
    "A prefix in schema-dependencies.json is empty",
    "An empty prefix would match every reference, including those inside the schema itself. Give it a name.",
    "{\"\": \"schemas/\"}"
);
code!(
    /// A prefix appears twice.
    DEPENDENCIES_DUPLICATE, "TL0270", "schema-dependencies-duplicate",
    "A prefix appears twice in schema-dependencies.json",
    "JSON readers keep the last of two equal keys, so the first target would silently be ignored.",
    "{\"defs\": \"schemas/\", \"defs\": \"other/\"}"
);

/// What a prefix stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// A path inside the package.
    Local(String),
    /// A remote address.
    Remote(String),
    /// An invalid target, which is not used.
    Broken,
}

#[derive(Debug, Clone)]
struct Entry {
    prefix: String,
    target: Target,
    /// The target as written in the file.
    written: String,
    /// The place of the target.
    span: Span,
}

/// The prefixes of a package.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dependencies {
    entries: Vec<Entry>,
    findings: Vec<Diagnostic>,
}

/// What a reference with a prefix is replaced with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mapped {
    /// Its target.
    pub(crate) lead: Lead,
    /// The place of the target in the mapping file.
    pub(crate) span: Span,
    /// The entry that matched.
    pub(crate) via: Via,
}

/// The entry that redirected a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Via {
    /// Its prefix.
    pub(crate) prefix: String,
    /// Its target, as written in the file.
    pub(crate) target: String,
    /// The rest of the reference after the prefix.
    rest: String,
}

impl Via {
    /// A target that would redirect the reference to a copy of the schema in the package, and the path of that
    /// copy.
    pub(crate) fn local_copy(&self) -> Option<(String, String)> {
        let (location, _) = address::split(&self.target);
        let whole = location.split('?').next().unwrap_or_default();
        let below = self.rest.split(['#', '?']).next().unwrap_or_default().trim_matches('/');
        let target = if below.is_empty() || self.target.contains(['#', '?']) {
            let kept = self.target.find('#').map_or("", |start| &self.target[start..]);
            format!("{}{kept}", copy_of(whole))
        } else {
            "schemas/".to_owned()
        };
        match local(&self.prefix, &target, &self.rest) {
            Lead::File(path, _) => Some((target, path)),
            _ => None,
        }
    }
}

/// The path that a copy of the schema at an address would have in the package.
pub(crate) fn copy_of(address: &str) -> String {
    let name = address.split('?').next().unwrap_or_default();
    let name = name.rsplit(['/', ':']).find(|part| !part.is_empty()).unwrap_or("schema");
    let ending = if name.ends_with(".json") || name.ends_with(".yaml") { "" } else { ".json" };
    format!("schemas/{name}{ending}")
}

/// The target of a mapped reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lead {
    /// To a file of the package, with what follows `#`.
    File(String, Option<String>),
    /// To a remote address.
    Remote(String),
    /// To this path outside the package.
    Outside(String),
    /// To a target that was already reported as invalid.
    Broken,
}

impl Dependencies {
    /// Reads the mapping file of a package, if it has one.
    pub(crate) fn read(sources: &SourceMap, package: &Arc<dyn Loader>, root: Option<&str>) -> Self {
        let mut read = Dependencies::default();
        let bytes = match package.read(DEPENDENCIES_FILE) {
            Ok(bytes) => bytes,
            Err(error) if error.kind == LoadErrorKind::NotFound => return read,
            Err(error) => {
                let source =
                    sources.add(package.display(DEPENDENCIES_FILE), trueline_source::SourceKind::File, "");
                let code = if error.kind == LoadErrorKind::Outside {
                    &DEPENDENCIES_LINK
                } else {
                    &DEPENDENCIES_SYNTAX
                };
                let message = format!("{DEPENDENCIES_FILE} cannot be loaded: {error}");
                read.findings.push(Diagnostic::new(code, Span::whole(source), message).level(Level::Schema));
                return read;
            }
        };
        let (source, invalid) = sources.add_file(package.display(DEPENDENCIES_FILE), bytes);
        if let Some(span) = invalid {
            read.finding(&DEPENDENCIES_SYNTAX, span, format!("{DEPENDENCIES_FILE} is not UTF-8 text"));
            return read;
        }
        let text = Arc::clone(sources.get(source).text());
        match trueline_yaml::json::read(source, &text, Limits { depth: 64, ..Limits::default() }) {
            Ok(document) => read.entries_of(document.root(), package, root),
            Err(error) => {
                let why = match error.kind {
                    SyntaxErrorKind::Grammar(words) => words,
                    _ => "it is too large or too deeply nested".to_owned(),
                };
                read.finding(
                    &DEPENDENCIES_SYNTAX,
                    error.span,
                    format!("{DEPENDENCIES_FILE} cannot be read: {why}"),
                );
            }
        }
        read
    }

    /// What is wrong with the mapping file.
    pub(crate) fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// The files and folders of the package that prefixes stand for, each with its place in the mapping file.
    pub(crate) fn local_targets(&self) -> impl Iterator<Item = (&str, Span)> {
        self.entries.iter().filter_map(|entry| match &entry.target {
            Target::Local(target) => Some((target.split(['#', '?']).next().unwrap_or_default(), entry.span)),
            Target::Remote(_) | Target::Broken => None,
        })
    }

    /// What a reference is replaced with because of the longest matching prefix.
    pub(crate) fn find(&self, reference: &str) -> Option<Mapped> {
        let entry = self
            .entries
            .iter()
            .filter(|entry| matches(&entry.prefix, reference))
            .max_by_key(|entry| entry.prefix.len())?;
        let rest = &reference[entry.prefix.len()..];
        let lead = match &entry.target {
            Target::Broken => Lead::Broken,
            Target::Remote(target) => {
                let joined = join(&entry.prefix, target, rest);
                address::normal(&joined).map_or(Lead::Broken, Lead::Remote)
            }
            Target::Local(target) => local(&entry.prefix, target, rest),
        };
        let via = Via { prefix: entry.prefix.clone(), target: entry.written.clone(), rest: rest.to_owned() };
        Some(Mapped { lead, span: entry.span, via })
    }

    fn entries_of(&mut self, root: NodeRef<'_>, package: &Arc<dyn Loader>, package_root: Option<&str>) {
        let Some(entries) = root.written_entries() else {
            let message = format!("{DEPENDENCIES_FILE} must be a map from prefixes to targets");
            self.finding(&DEPENDENCIES_NOT_A_MAP, root.span(), message);
            return;
        };
        for duplicate in root.document().duplicates().iter().take(MAX_DUPLICATES) {
            let (first, second) =
                (root.document().node(duplicate.first), root.document().node(duplicate.second));
            let message = format!("the prefix `{}` appears twice", second.key_text());
            self.finding(&DEPENDENCIES_DUPLICATE, second.span(), message);
            if let Some(finding) = self.findings.last_mut() {
                *finding = finding.clone().related(first.span(), "first defined here");
            }
        }
        for (key, value) in entries {
            let prefix = key.key_text().into_owned();
            if prefix.is_empty() {
                let message = "a prefix must not be empty".to_owned();
                self.finding(&DEPENDENCIES_EMPTY_PREFIX, key.span(), message);
                continue;
            }
            let target = match value.as_str() {
                Some(target) => self.target(target, value.span(), package, package_root),
                None => {
                    let message = format!("the target of `{prefix}` must be a string");
                    self.finding(&DEPENDENCIES_NOT_A_STRING, value.span(), message);
                    Target::Broken
                }
            };
            // The last of several equal keys counts.
            self.entries.retain(|entry| entry.prefix != prefix);
            let written = value.as_str().unwrap_or_default().to_owned();
            self.entries.push(Entry { prefix, target, written, span: value.span() });
        }
    }

    fn target(&mut self, target: &str, span: Span, package: &Arc<dyn Loader>, root: Option<&str>) -> Target {
        let (path, suffix) = match address::scheme(target).as_deref() {
            Some("http" | "https") if address::has_credentials(target) => {
                let message =
                    format!("`{}` contains credentials, which are never sent", address::shown(target));
                self.finding(&DEPENDENCIES_CREDENTIALS, span, message);
                return Target::Broken;
            }
            Some("http" | "https") => {
                if address::normal(target).is_none_or(|address| url::Url::parse(&address).is_err()) {
                    let message = format!("`{target}` is not a valid address");
                    self.finding(&DEPENDENCIES_SCHEME, span, message);
                    return Target::Broken;
                }
                return Target::Remote(target.to_owned());
            }
            Some("file") => {
                let suffix = target.find(['#', '?']).map_or("", |start| &target[start..]);
                match address::file_in_package(target, root) {
                    Ok(path) => (path, suffix),
                    Err(_) => {
                        let message = format!("`{target}` is a file outside the package");
                        self.finding(&DEPENDENCIES_FILE_OUTSIDE, span, message);
                        self.advise(into_package(""));
                        return Target::Broken;
                    }
                }
            }
            Some(_) => {
                let message = format!(
                    "`{target}` cannot be loaded; use a path inside the package or an `https:` address"
                );
                self.finding(&DEPENDENCIES_SCHEME, span, message);
                return Target::Broken;
            }
            None => {
                let (path, suffix) = target.split_at(target.find(['#', '?']).unwrap_or(target.len()));
                let drive = path.as_bytes().get(1) == Some(&b':');
                if path.starts_with(['/', '\\']) || drive {
                    let message =
                        format!("`{target}` is an absolute path; targets are relative to the package's root");
                    self.finding(&DEPENDENCIES_ABSOLUTE, span, message);
                    self.advise(into_package(path));
                    return Target::Broken;
                }
                let Ok(path) = normalize_path(path) else {
                    let message = format!("`{target}` is outside the package");
                    self.finding(&DEPENDENCIES_OUTSIDE, span, message);
                    self.advise(into_package(path));
                    return Target::Broken;
                };
                (path, suffix)
            }
        };
        let leaves = match package.entry(&path) {
            Ok(entry) => entry.kind == EntryKind::Other,
            Err(error) => error.kind == LoadErrorKind::Outside,
        };
        if leaves {
            let message = format!("`{target}` is a symbolic link to outside the package");
            self.finding(&DEPENDENCIES_LINK, span, message);
            self.advise("replace the link with the files".to_owned());
            return Target::Broken;
        }
        Target::Local(format!("{path}{suffix}"))
    }

    fn finding(&mut self, code: &'static Code, span: Span, message: String) {
        self.findings.push(Diagnostic::new(code, span, message).level(Level::Schema));
    }

    /// Adds help to the last finding.
    fn advise(&mut self, help: String) {
        if let Some(finding) = self.findings.pop() {
            self.findings.push(finding.help(help));
        }
    }
}

/// What to do about a target that is not in the package.
fn into_package(path: &str) -> String {
    let inside: Vec<&str> = path
        .split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "." | "..") && !part.contains(':'))
        .collect();
    let inside = if inside.is_empty() { "schemas/".to_owned() } else { inside.join("/") };
    format!(
        "copy the schemas into the package and write their path, such as `\"{inside}\"`, or write an `https:` address"
    )
}

/// A prefix matches up to a boundary: the end, `/`, `#`, `?`, or a boundary at the end of the prefix itself.
/// The parts of a `urn:` end with `:`, so a prefix may end there too.
fn matches(prefix: &str, reference: &str) -> bool {
    const BOUNDARIES: [char; 3] = ['/', '#', '?'];
    reference.strip_prefix(prefix).is_some_and(|rest| {
        rest.is_empty()
            || rest.starts_with(BOUNDARIES)
            || prefix.ends_with(BOUNDARIES)
            || prefix.ends_with(':')
    })
}

/// A target followed by the rest of the reference after the prefix.
fn join(prefix: &str, target: &str, rest: &str) -> String {
    for boundary in ['#', '?'] {
        if prefix.ends_with(boundary) && !target.contains(boundary) {
            return format!("{target}{boundary}{rest}");
        }
    }
    let path = &rest[..rest.find(['#', '?']).unwrap_or(rest.len())];
    if path.is_empty() || target.contains(['#', '?']) {
        return format!("{target}{rest}");
    }
    let target = target.trim_end_matches('/');
    let separator = if target.is_empty() { "" } else { "/" };
    format!("{target}{separator}{}", rest.trim_start_matches('/'))
}

fn local(prefix: &str, target: &str, rest: &str) -> Lead {
    let joined = join(prefix, target, rest);
    let (location, fragment) = address::split(&joined);
    let path = location.split('?').next().unwrap_or_default();
    // The target is a plain path; only the part from the reference is escaped as in a URI.
    let kept =
        target.split(['#', '?']).next().unwrap_or_default().trim_end_matches('/').len().min(path.len());
    let (kept, brought) = path.split_at(kept);
    let path = format!("{kept}{}", address::decode(brought));
    match normalize_path(&path) {
        Ok(path) => Lead::File(path, fragment.map(str::to_owned)),
        Err(_) => Lead::Outside(path),
    }
}
