//! What can go wrong with a reference, in words.

use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_source::{LoadError, LoadErrorKind, Span};
use trueline_yaml::NodeRef;

use crate::address;
use crate::dependencies::{DEPENDENCIES_FILE, Via, copy_of};
use trueline_source::Network;

use crate::store::{MissingPart, Store, Trouble};

/// `$schema` names a draft that is not known.
pub static UNKNOWN_DRAFT: Code = Code {
    id: "TL0242",
    name: "unknown-draft",
    severity: Severity::Error,
    summary: "`$schema` names a draft that is not known",
    explanation: "`$schema` says which rules the schema is written in. Known are the drafts 4, 6, 7, 2019-09 and \
                  2020-12; without `$schema` it is 2020-12. Another address must lead to a schema of schemas that \
                  can be loaded: from the package, by a prefix of schema-dependencies.json, or from the network.",
    wrong: "{\"$schema\": \"https://json-schema.org/draft-7/schema\"}",
    right: "{\"$schema\": \"http://json-schema.org/draft-07/schema#\"}",
};

/// A reference cannot be resolved.
pub static UNRESOLVED_REFERENCE: Code = Code {
    id: "TL0244",
    name: "unresolved-reference",
    severity: Severity::Error,
    summary: "A reference of a schema cannot be resolved",
    explanation: "`$ref` names another schema: a part of the same file (`#/$defs/port`), another file of the package \
                  (`schemas/port.json`), a prefix of schema-dependencies.json, or an address. What it names was not \
                  found, so documents cannot be validated against it. The help line says what was tried.",
    wrong: "{\"$ref\": \"#/$defs/prot\", \"$defs\": {\"port\": {\"type\": \"integer\"}}}",
    right: "{\"$ref\": \"#/$defs/port\", \"$defs\": {\"port\": {\"type\": \"integer\"}}}",
};

/// Two schemas call themselves by the same address.
pub static DUPLICATE_ID: Code = Code {
    id: "TL0245",
    name: "duplicate-schema-id",
    severity: Severity::Error,
    summary: "Two schemas have the same `$id` or anchor",
    explanation: "`$id` is the address that other schemas refer to, and `$anchor` a name inside of it. With two schemas \
                  under one name, a reference could mean either. This is often left over from copying.",
    wrong: "a.json: {\"$id\": \"https://example.com/a.json\"}\nb.json: {\"$id\": \"https://example.com/a.json\"}",
    right: "a.json: {\"$id\": \"https://example.com/a.json\"}\nb.json: {\"$id\": \"https://example.com/b.json\"}",
};

/// A schema is fetched without encryption.
pub static PLAIN_HTTP: Code = Code {
    id: "TL0246",
    name: "plain-http-schema",
    severity: Severity::Warning,
    summary: "A schema is referred to over plain http",
    explanation: "Over `http:` anybody on the way can change the schema, and with it what counts as valid. Most \
                  servers offer the same document over `https:`.",
    wrong: "{\"$ref\": \"http://example.com/port.json\"}",
    right: "{\"$ref\": \"https://example.com/port.json\"}",
};

/// A reference holds a user or a password.
pub static REFERENCE_CREDENTIALS: Code = Code {
    id: "TL0247",
    name: "reference-credentials",
    severity: Severity::Error,
    summary: "A reference of a schema holds credentials",
    explanation: "Schemas are fetched without authentication, and a password in a schema is known to everybody who \
                  has it. Copy a schema that needs authentication into the package instead.",
    wrong: "{\"$ref\": \"https://user:password@example.com/port.json\"}",
    right: "{\"$ref\": \"schemas/port.json\"}",
};

/// A reference leads out of the package.
pub static REFERENCE_OUTSIDE: Code = Code {
    id: "TL0248",
    name: "reference-outside",
    severity: Severity::Error,
    summary: "A reference of a schema leads out of the package",
    explanation: "A schema may refer to files of its own package only: not with an absolute path, not with a `file:` \
                  address elsewhere, not with more `..` than there are folders. Otherwise the package would work on \
                  one machine only, and could read other files of it.",
    wrong: "{\"$ref\": \"../../shared/port.json\"}",
    right: "{\"$ref\": \"schemas/port.json\"}",
};

/// A reference needs the network, which may not be used.
pub static REFERENCE_OFFLINE: Code = Code {
    id: "TL0250",
    name: "reference-offline",
    severity: Severity::Error,
    summary: "A reference of a schema needs the network",
    explanation: "The schema stands elsewhere and is not in the cache, and the network is not to be used. Run once \
                  without `--offline` to fill the cache, or map the address to a copy inside the package with \
                  schema-dependencies.json.",
    wrong: "",
    right: "",
};

/// What was fetched is not a schema.
pub static NOT_A_SCHEMA: Code = Code {
    id: "TL0251",
    name: "fetched-not-a-schema",
    severity: Severity::Error,
    summary: "A reference leads to something that is not a schema",
    explanation: "The server answered, but not with JSON. A web page often means that the address shows the schema to \
                  people instead of sending it (look for a \"raw\" link), that it has moved, or that a login is asked for.",
    wrong: "{\"$ref\": \"https://example.com/blob/main/port.json\"}",
    right: "{\"$ref\": \"https://example.com/raw/main/port.json\"}",
};

/// A reference is not an address.
pub static BAD_REFERENCE: Code = Code {
    id: "TL0252",
    name: "invalid-reference",
    severity: Severity::Error,
    summary: "A reference or `$id` is not a valid address",
    explanation: "`$ref` and `$id` hold URIs: an address such as `https://example.com/port.json`, a path such as \
                  `schemas/port.json`, or a place such as `#/$defs/port`. Something in this one cannot stand in a URI.",
    wrong: "{\"$ref\": \"https://[example/port.json\"}",
    right: "{\"$ref\": \"https://example.com/port.json\"}",
};

/// Why a reference could not be followed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was said already.
    Reported,
    /// It is not a URI reference.
    NotAnAddress,
    /// It leads out of the package, by this path.
    Outside(String),
    /// The address, as it may be shown, holds a user or a password.
    Credentials(String),
    /// The text is there, but not this part of it.
    Missing { document: String, fragment: String },
    /// The text at this address was not to be had; a prefix may have led there.
    Trouble { address: String, trouble: Trouble, via: Option<Box<Via>> },
    /// Nothing loaded has this address, and it is not one that can be loaded.
    NotLoadable(String),
    /// It is an address of json-schema.org that names no draft.
    UnknownDraft,
    /// Too many texts were loaded before.
    TooMany,
}

impl Failure {
    /// What the package does not have, where that is the reason.
    pub(crate) fn missing_part(&self, store: &Store) -> Option<MissingPart> {
        let Failure::Trouble { address, trouble: Trouble::Load(error), .. } = self else { return None };
        let path = address::package_file(address).filter(|_| error.kind == LoadErrorKind::NotFound)?;
        store.missing_part(&path)
    }
}

/// What to say about a reference that was not followed; `missing` is what the package does not have.
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
        // A schema of schemas that is not to be had leaves the draft unknown, whatever the reason.
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
            let said = new(&REFERENCE_OUTSIDE, format!("`{path}` lies outside the package"));
            let inside = path.trim_start_matches('/');
            match path.starts_with('/') && store.has_file(inside) {
                true => said.help(format!("the package has this file: write `{inside}`, without the `/`")),
                false => said.help("copy the schema into the package and refer to it by its path there"),
            }
        }
        Failure::Credentials(address) => {
            new(&REFERENCE_CREDENTIALS, format!("`{address}` holds credentials, which are never sent"))
                .help("remove the part before `@`, or copy the schema into the package")
        }
        Failure::Missing { document, fragment } if fragment.starts_with('/') => {
            nowhere(format!("`{document}` has nothing at `{fragment}`"))
                .help(format!("tried: the place `{fragment}` of `{document}`"))
        }
        Failure::Missing { document, fragment } => {
            nowhere(format!("`{document}` has no anchor `{fragment}`")).help(format!(
                "tried: `$anchor` and `$dynamicAnchor` of `{document}`; a place is written `#/$defs/{fragment}`"
            ))
        }
        Failure::NotLoadable(_) if written.starts_with("//") => {
            nowhere("it names a server, and not how to ask it".to_owned()).help(format!(
                "write `https:{written}`; a path inside the package begins without `/`"
            ))
        }
        Failure::NotLoadable(address) => {
            nowhere(format!("no schema that was loaded calls itself `{address}`"))
                .help(format!(
                    "tried: {}`$id` of every schema that was loaded; only `http:`, `https:` and files of the package are loaded",
                    prefixes()
                ))
                .help(entry_to_add(&address))
        }
        Failure::TooMany => nowhere("the schema needs more documents than are ever loaded".to_owned())
            .help("tried: the documents referred to before this one, each of which refers to more"),
        Failure::UnknownDraft => new(&UNKNOWN_DRAFT, format!("`{written}` is not a draft of JSON Schema"))
            .help("known are the drafts 4, 6, 7, 2019-09 and 2020-12, such as `https://json-schema.org/draft/2020-12/schema`"),
        Failure::Trouble { address, trouble, via } => {
            let shown = match address::package_file(&address) {
                Some(path) => store.shown_file(&path),
                None => address.clone(),
            };
            let remote = address::is_remote(&address);
            match trouble {
                Trouble::Load(error) => {
                    // What was asked may be another server than the one in the reference.
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
                        Network::Offline => "the network is not to be used (`--offline`)",
                        Network::Allowed => "there is no access to the network here",
                    };
                    new(&REFERENCE_OFFLINE, format!("`{written}` leads to `{shown}`, but {why}"))
                        .help(entry_for_copy(&address, via.as_deref()))
                }
                Trouble::Page => new(&NOT_A_SCHEMA, format!("`{shown}` is a web page (HTML), not a JSON Schema"))
                    .help("look for the address of the raw document; a login page or an error page also looks like this"),
                Trouble::Broken(broken) if remote => {
                    let place = broken.primary.span;
                    new(&NOT_A_SCHEMA, format!("`{shown}` is not a JSON Schema: {}", broken.message))
                        .related(place, "reading stopped here")
                }
                Trouble::Broken(broken) => broken.related(span, "this reference leads there"),
            }
        }
    }
}

/// The entry of the mapping file by which an address would lead to a copy of its schema in the package.
fn entry_to_add(address: &str) -> String {
    let address = address::shown(address::split(address).0);
    let copy = copy_of(&address);
    format!("copy the schema into the package, and add to {DEPENDENCIES_FILE}: `\"{address}\": \"{copy}\"`")
}

/// The entry by which a reference would lead to a copy of its schema in the package. Where a prefix matches, only a
/// change of its own entry has an effect: what the reference became by it is not mapped again.
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

/// Which prefix led a reference where, and what is not there.
fn led_by(via: &Via, missing: Option<&MissingPart>) -> String {
    let led = format!("the prefix `{}` of {DEPENDENCIES_FILE} leads to `{}`", via.prefix, via.target);
    let Some(missing) = missing else { return led };
    let kind = if missing.is_file { "file" } else { "folder" };
    let near = match &missing.nearest {
        Some(nearest) => format!(": did you mean `{nearest}`?"),
        None => String::new(),
    };
    format!("{led}, and the package has no {kind} `{}`{near}", missing.path)
}

/// Whether the first part of a path may be a name for something else.
fn is_prefix(part: &str) -> bool {
    !part.is_empty() && part != "." && part != ".."
}

/// Two schemas have the same `$id`.
pub(crate) fn duplicate_id(address: &str, second: Span, first: Span) -> Diagnostic {
    Diagnostic::new(&DUPLICATE_ID, second, format!("another schema is called `{address}` already"))
        .related(first, "this one")
        .help("give each schema an `$id` of its own")
        .level(Level::Schema)
}

/// Two places of one schema have the same name.
pub(crate) fn duplicate_anchor(name: &str, second: Span, first: Span) -> Diagnostic {
    Diagnostic::new(&DUPLICATE_ID, second, format!("another part of the schema is called `#{name}` already"))
        .related(first, "this one")
        .help("give each part a name of its own")
        .level(Level::Schema)
}

/// `$id` is not an address.
pub(crate) fn bad_id(node: NodeRef<'_>) -> Diagnostic {
    let message = format!("`{}` is not a valid address", address::shown(node.as_str().unwrap_or_default()));
    Diagnostic::new(&BAD_REFERENCE, node.span(), message)
        .help("`$id` holds the address that other schemas refer to")
        .level(Level::Schema)
}

/// A schema is fetched without encryption.
pub(crate) fn plain_http(address: &str, span: Span) -> Diagnostic {
    let message =
        format!("`{address}` is referred to over plain http, where anybody on the way can change it");
    Diagnostic::new(&PLAIN_HTTP, span, message).help("use `https:`").level(Level::Schema)
}

fn words(shown: &str, error: &LoadError) -> String {
    let what = match error.kind {
        LoadErrorKind::NotFound => "does not exist",
        LoadErrorKind::Denied => "may not be read",
        LoadErrorKind::Outside => "is a link that leads out of the package",
        LoadErrorKind::WrongKind => "is a directory, not a file",
        LoadErrorKind::TooLarge => "is larger than a schema may be",
        LoadErrorKind::TimedOut => "did not answer in time",
        LoadErrorKind::Offline => "is not in the cache, and the network is not to be used (`--offline`)",
        LoadErrorKind::Unreachable => "could not be reached",
        LoadErrorKind::Refused => "was not delivered by its server",
        _ => "could not be read",
    };
    match error.detail.as_str() {
        "" => format!("`{shown}` {what}"),
        detail => format!("`{shown}` {what} ({detail})"),
    }
}
