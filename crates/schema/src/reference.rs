//! The messages about references that cannot be followed.

use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_source::{LoadError, LoadErrorKind, Span};
use trueline_yaml::NodeRef;

use crate::address;
use crate::dependencies::{DEPENDENCIES_FILE, Via, copy_of};
use trueline_source::Network;

use crate::store::{MissingPart, Store, Trouble};

/// `$schema` names a draft that is unknown.
pub static UNKNOWN_DRAFT: Code = Code {
    id: "TL0242",
    name: "unknown-draft",
    severity: Severity::Error,
    summary: "`$schema` names an unknown draft",
    explanation: "`$schema` says which draft of JSON Schema the schema follows. The known drafts are 4, 6, 7, \
                  2019-09 and 2020-12; the default is 2020-12. Any other address must point to a meta-schema that \
                  can be loaded: from the package, through a prefix of schema-dependencies.json, or from the \
                  network.",
    wrong: "{\"$schema\": \"https://json-schema.org/draft-7/schema\"}",
    right: "{\"$schema\": \"http://json-schema.org/draft-07/schema#\"}",
};

/// A reference cannot be resolved.
pub static UNRESOLVED_REFERENCE: Code = Code {
    id: "TL0244",
    name: "unresolved-reference",
    severity: Severity::Error,
    summary: "A reference of a schema cannot be resolved",
    explanation: "`$ref` names another schema: a part of the same file (`#/$defs/port`), another file of the \
                  package (`schemas/port.json`), a prefix of schema-dependencies.json, or an address. The target \
                  was not found, so documents cannot be validated against it. The help line says what was tried.",
    wrong: "{\"$ref\": \"#/$defs/prot\", \"$defs\": {\"port\": {\"type\": \"integer\"}}}",
    right: "{\"$ref\": \"#/$defs/port\", \"$defs\": {\"port\": {\"type\": \"integer\"}}}",
};

/// Two schemas have the same address.
pub static DUPLICATE_ID: Code = Code {
    id: "TL0245",
    name: "duplicate-schema-id",
    severity: Severity::Error,
    summary: "Two schemas have the same `$id` or anchor",
    explanation: "`$id` is the address that other schemas refer to, and `$anchor` a name inside it. If two schemas \
                  have the same name, a reference could mean either. This often happens when a schema is copied.",
    wrong: "a.json: {\"$id\": \"https://example.com/a.json\"}\nb.json: {\"$id\": \"https://example.com/a.json\"}",
    right: "a.json: {\"$id\": \"https://example.com/a.json\"}\nb.json: {\"$id\": \"https://example.com/b.json\"}",
};

/// A schema is fetched unencrypted.
pub static PLAIN_HTTP: Code = Code {
    id: "TL0246",
    name: "plain-http-schema",
    severity: Severity::Warning,
    summary: "A schema is referenced over unencrypted HTTP",
    explanation: "Over `http:` anybody on the network path can change the schema, and so decide what counts as \
                  valid. Most servers offer the same document over `https:`.",
    wrong: "{\"$ref\": \"http://example.com/port.json\"}",
    right: "{\"$ref\": \"https://example.com/port.json\"}",
};

/// A reference contains a user name or a password.
pub static REFERENCE_CREDENTIALS: Code = Code {
    id: "TL0247",
    name: "reference-credentials",
    severity: Severity::Error,
    summary: "A reference of a schema contains credentials",
    explanation: "Schemas are fetched without authentication, and a password in a schema is visible to everybody \
                  who has it. Copy a schema that needs authentication into the package instead.",
    wrong: "{\"$ref\": \"https://user:password@example.com/port.json\"}",
    right: "{\"$ref\": \"schemas/port.json\"}",
};

/// A reference points outside the package.
pub static REFERENCE_OUTSIDE: Code = Code {
    id: "TL0248",
    name: "reference-outside",
    severity: Severity::Error,
    summary: "A reference of a schema points outside the package",
    explanation: "A schema may refer to files of its own package only: not with an absolute path, not with a \
                  `file:` address elsewhere, not with more `..` than there are directories. Otherwise the package \
                  would only work on one machine, and could read other files there.",
    wrong: "{\"$ref\": \"../../shared/port.json\"}",
    right: "{\"$ref\": \"schemas/port.json\"}",
};

/// A reference needs the network, which is disabled.
pub static REFERENCE_OFFLINE: Code = Code {
    id: "TL0250",
    name: "reference-offline",
    severity: Severity::Error,
    summary: "A reference of a schema needs the network",
    explanation: "The schema is remote and not in the cache, and network access is disabled. Run once without \
                  `--offline` to fill the cache, or map the address to a copy inside the package with \
                  schema-dependencies.json.",
    wrong: "",
    right: "",
};

/// The fetched document is not a schema.
pub static NOT_A_SCHEMA: Code = Code {
    id: "TL0251",
    name: "fetched-not-a-schema",
    severity: Severity::Error,
    summary: "A reference points to something that is not a schema",
    explanation: "The server answered, but not with JSON. A web page often means that the address shows the schema \
                  to people instead of sending it (look for a \"raw\" link), that it has moved, or that a login is \
                  required.",
    wrong: "{\"$ref\": \"https://example.com/blob/main/port.json\"}",
    right: "{\"$ref\": \"https://example.com/raw/main/port.json\"}",
};

/// A reference is not an address.
pub static BAD_REFERENCE: Code = Code {
    id: "TL0252",
    name: "invalid-reference",
    severity: Severity::Error,
    summary: "A reference or `$id` is not a valid address",
    explanation: "`$ref` and `$id` are URIs: an address such as `https://example.com/port.json`, a path such as \
                  `schemas/port.json`, or a place such as `#/$defs/port`. This one contains something that is not \
                  allowed in a URI.",
    wrong: "{\"$ref\": \"https://[example/port.json\"}",
    right: "{\"$ref\": \"https://example.com/port.json\"}",
};

/// Why a reference could not be followed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was already reported.
    Reported,
    /// It is not a URI reference.
    NotAnAddress,
    /// It points to this path outside the package.
    Outside(String),
    /// The address contains a user name or a password; they are removed here so it can be shown.
    Credentials(String),
    /// The document exists, but not this part of it.
    Missing { document: String, fragment: String },
    /// The document at this address could not be loaded; a prefix may have pointed there.
    Trouble { address: String, trouble: Trouble, via: Option<Box<Via>> },
    /// No loaded document has this address, and the address cannot be loaded.
    NotLoadable(String),
    /// It is an address of json-schema.org that does not name a draft.
    UnknownDraft,
    /// Too many documents were loaded before.
    TooMany,
}

impl Failure {
    /// What is missing in the package, if that is the reason.
    pub(crate) fn missing_part(&self, store: &Store) -> Option<MissingPart> {
        let Failure::Trouble { address, trouble: Trouble::Load(error), .. } = self else { return None };
        let path = address::package_file(address).filter(|_| error.kind == LoadErrorKind::NotFound)?;
        store.missing_part(&path)
    }
}

/// The finding about a reference that was not followed; `missing` is what the package lacks.
pub(crate) fn finding(
    store: &Store,
    node: NodeRef<'_>,
    keyword: &str,
    failure: Failure,
    missing: Option<MissingPart>,
) -> Diagnostic {
    let span = node.span();
    let written = address::shown(node.as_str().unwrap_or_default());
    let new = |code: &'static Code, message: String| {
        // A meta-schema that cannot be loaded leaves the draft unknown, whatever the reason.
        let code = if keyword == "$schema" { &UNKNOWN_DRAFT } else { code };
        Diagnostic::new(code, span, message).level(Level::Schema)
    };
    let nowhere = |why: String| new(&UNRESOLVED_REFERENCE, format!("`{written}` cannot be resolved: {why}"));
    let prefixes = || match store.dependencies() {
        Some(_) => "no prefix of schema-dependencies.json matches it; ",
        None => "",
    };
    match failure {
        Failure::Reported | Failure::NotAnAddress => {
            new(&BAD_REFERENCE, format!("`{written}` is not a valid reference"))
                .help("write an address, a path inside the package, or `#` with a place in this schema")
        }
        Failure::Outside(path) => {
            let said = new(&REFERENCE_OUTSIDE, format!("`{path}` is outside the package"));
            let inside = path.trim_start_matches('/');
            match path.starts_with('/') && store.has_file(inside) {
                true => {
                    said.help(format!("the package has this file: write `{inside}` without the leading `/`"))
                }
                false => said.help("copy the schema into the package and refer to it by its path there"),
            }
        }
        Failure::Credentials(address) => {
            new(&REFERENCE_CREDENTIALS, format!("`{address}` contains credentials, which are never sent"))
                .help("remove the part before `@`, or copy the schema into the package")
        }
        Failure::Missing { document, fragment } if fragment.starts_with('/') => {
            nowhere(format!("`{document}` has nothing at `{fragment}`"))
                .help(format!("tried: `{fragment}` in `{document}`"))
        }
        Failure::Missing { document, fragment } => nowhere(format!(
            "`{document}` has no anchor `{fragment}`"
        ))
        .help(format!(
            "tried: `$anchor` and `$dynamicAnchor` in `{document}`; a path is written `#/$defs/{fragment}`"
        )),
        Failure::NotLoadable(_) if written.starts_with("//") => {
            nowhere("it names a server but no protocol".to_owned())
                .help(format!("write `https:{written}`; a path inside the package does not begin with `/`"))
        }
        Failure::NotLoadable(address) => nowhere(format!("no loaded schema has the `$id` `{address}`"))
            .help(format!(
                "tried: {}the `$id` of every loaded schema; only `http:`, `https:` and files of the package \
                     can be loaded",
                prefixes()
            ))
            .help(entry_to_add(&address)),
        Failure::TooMany => nowhere("the schema refers to too many documents".to_owned())
            .help("many documents were loaded before this one, and each refers to more"),
        Failure::UnknownDraft => new(&UNKNOWN_DRAFT, format!("`{written}` is not a draft of JSON Schema"))
            .help(
                "the known drafts are 4, 6, 7, 2019-09 and 2020-12, for example \
                   `https://json-schema.org/draft/2020-12/schema`",
            ),
        Failure::Trouble { address, trouble, via } => {
            let shown = match address::package_file(&address) {
                Some(path) => store.shown_file(&path),
                None => address.clone(),
            };
            let remote = address::is_remote(&address);
            match trouble {
                Trouble::Load(error) => {
                    // The server that was asked may differ from the one in the reference.
                    let shown = match remote && address::is_remote(&error.path) {
                        true => address::shown(&error.path),
                        false => shown,
                    };
                    let offline = error.kind == LoadErrorKind::Offline;
                    let code = match error.kind {
                        LoadErrorKind::Offline => &REFERENCE_OFFLINE,
                        LoadErrorKind::Outside => &REFERENCE_OUTSIDE,
                        _ => &UNRESOLVED_REFERENCE,
                    };
                    let said = new(code, format!("`{written}` cannot be resolved: {}", words(&shown, &error)));
                    if offline {
                        return said
                            .help("run once without `--offline` to fill the cache")
                            .help(entry_for_copy(&address, via.as_deref()));
                    }
                    if let Some(via) = &via {
                        let said = said.help(led_by(via, missing.as_ref()));
                        return if remote { said.help(entry_for_copy(&address, Some(via))) } else { said };
                    }
                    if remote {
                        return said.help(format!("tried: {}{shown}", prefixes())).help(entry_to_add(&address));
                    }
                    let said = said.help(format!("tried: {}the file `{shown}`", prefixes()));
                    if let Some(nearest) = missing.and_then(|missing| missing.nearest) {
                        return said.help(format!("the package has `{nearest}`: did you mean that?"));
                    }
                    match written.split_once('/') {
                        Some((prefix, _)) if store.dependencies().is_some() && is_prefix(prefix) => said.help(format!(
                            "if `{prefix}` stands for something else, add it to {DEPENDENCIES_FILE}: `\"{prefix}\": \"schemas/\"`"
                        )),
                        _ => said,
                    }
                }
                Trouble::NoNetwork => {
                    let why = match store.network() {
                        Network::Offline => "network access is disabled (`--offline`)",
                        Network::Allowed => "network access is not available here",
                    };
                    new(&REFERENCE_OFFLINE, format!("`{written}` points to `{shown}`, but {why}"))
                        .help(entry_for_copy(&address, via.as_deref()))
                }
                Trouble::Page => new(&NOT_A_SCHEMA, format!("`{shown}` is a web page (HTML), not a JSON Schema"))
                    .help("look for the address of the raw document; a login page or an error page also looks like this"),
                Trouble::Broken(broken) if remote => {
                    let place = broken.primary.span;
                    new(&NOT_A_SCHEMA, format!("`{shown}` is not a JSON Schema: {}", broken.message))
                        .related(place, "parsing stopped here")
                }
                Trouble::Broken(broken) => broken.related(span, "this reference points there"),
            }
        }
    }
}

/// The entry of the mapping file that would redirect an address to a copy of its schema in the package.
fn entry_to_add(address: &str) -> String {
    let address = address::shown(address::split(address).0);
    let copy = copy_of(&address);
    format!("copy the schema into the package, and add to {DEPENDENCIES_FILE}: `\"{address}\": \"{copy}\"`")
}

/// The entry that would redirect a reference to a copy of its schema in the package. If a prefix matches, only
/// changing that prefix's entry has an effect, because the result is not mapped again.
fn entry_for_copy(address: &str, via: Option<&Via>) -> String {
    let copy = via.and_then(|via| Some((&via.prefix, via.local_copy()?)));
    match copy {
        Some((prefix, (target, path))) => format!(
            "copy the schema into the package as `{path}`, and change the entry of `{prefix}` in {DEPENDENCIES_FILE} \
             to: `\"{prefix}\": \"{target}\"`"
        ),
        None => entry_to_add(address),
    }
}

/// Which prefix redirected a reference where, and what is missing there.
fn led_by(via: &Via, missing: Option<&MissingPart>) -> String {
    let led = format!("the prefix `{}` in {DEPENDENCIES_FILE} points to `{}`", via.prefix, via.target);
    let Some(missing) = missing else { return led };
    let kind = if missing.is_file { "file" } else { "folder" };
    let near = match &missing.nearest {
        Some(nearest) => format!(": did you mean `{nearest}`?"),
        None => String::new(),
    };
    format!("{led}, but the package has no {kind} `{}`{near}", missing.path)
}

/// Whether the first part of a path may be a prefix.
fn is_prefix(part: &str) -> bool {
    !part.is_empty() && part != "." && part != ".."
}

/// Two schemas have the same `$id`.
pub(crate) fn duplicate_id(address: &str, second: Span, first: Span) -> Diagnostic {
    Diagnostic::new(&DUPLICATE_ID, second, format!("another schema already has the `$id` `{address}`"))
        .related(first, "first used here")
        .help("give each schema its own `$id`")
        .level(Level::Schema)
}

/// Two places of one schema have the same name.
pub(crate) fn duplicate_anchor(name: &str, second: Span, first: Span) -> Diagnostic {
    Diagnostic::new(
        &DUPLICATE_ID,
        second,
        format!("another part of the schema already has the name `#{name}`"),
    )
    .related(first, "first used here")
    .help("give each part its own name")
    .level(Level::Schema)
}

/// `$id` is not an address.
pub(crate) fn bad_id(node: NodeRef<'_>) -> Diagnostic {
    let message = format!("`{}` is not a valid address", address::shown(node.as_str().unwrap_or_default()));
    Diagnostic::new(&BAD_REFERENCE, node.span(), message)
        .help("`$id` is the address that other schemas refer to")
        .level(Level::Schema)
}

/// A schema is fetched without encryption.
pub(crate) fn plain_http(address: &str, span: Span) -> Diagnostic {
    let message = format!("`{address}` is fetched over unencrypted HTTP, where it can be tampered with");
    Diagnostic::new(&PLAIN_HTTP, span, message).help("use `https:`").level(Level::Schema)
}

fn words(shown: &str, error: &LoadError) -> String {
    let what = match error.kind {
        LoadErrorKind::NotFound => "does not exist",
        LoadErrorKind::Denied => "cannot be read (permission denied)",
        LoadErrorKind::Outside => "is a symbolic link to outside the package",
        LoadErrorKind::WrongKind => "is a directory, not a file",
        LoadErrorKind::TooLarge => "is too large for a schema",
        LoadErrorKind::TimedOut => "did not answer in time",
        LoadErrorKind::Offline => "is not in the cache, and network access is disabled (`--offline`)",
        LoadErrorKind::Unreachable => "could not be reached",
        LoadErrorKind::Refused => "could not be downloaded",
        _ => "could not be read",
    };
    match error.detail.as_str() {
        "" => format!("`{shown}` {what}"),
        detail => format!("`{shown}` {what} ({detail})"),
    }
}
