//! Chart.yaml: whether it can be read, and what its fields say.

use trueline_gotemplate::fmt::quote;
use trueline_source::LoadErrorKind;
use trueline_sprig::semver::{Constraints, Prereleases, Version};
use trueline_yaml::Data;

use super::addresses::{is_mailbox, is_page, is_request};
use super::{Linter, Message, PathEntry, Severity};
use crate::chart::validate::base_name;
use crate::chart::{ChartFile, Compat, read_chart_file};

const FILE: &str = "Chart.yaml";

pub(super) fn check(linter: &mut Linter<'_>) {
    let is_directory = linter.look(FILE) == PathEntry::Directory;
    if is_directory {
        linter.say(Severity::Error, FILE, "should be a file, not a directory");
    }
    let file = match read(linter, is_directory) {
        Ok(file) => file,
        Err(wrong) => {
            linter.say(Severity::Error, FILE, format!("unable to parse YAML\n\t{wrong}"));
            return;
        }
    };
    linter.report.messages.extend(messages(&file, linter.request.compat));
}

/// What the rules about the fields say.
pub(super) fn messages(file: &ChartFile, compat: Compat) -> Vec<Message> {
    let rules = RULES.iter().filter(|rule| rule.only.is_none_or(|only| only == compat));
    rules
        .filter_map(|rule| {
            let text = (rule.check)(file)?;
            let span = file.metadata.place(rule.field).or(file.span);
            Some(Message { severity: rule.severity, place: FILE.to_owned(), text, span })
        })
        .collect()
}

fn read(linter: &Linter<'_>, is_directory: bool) -> Result<ChartFile, String> {
    let path = linter.inside(FILE);
    let absolute = format!("{}/{FILE}", linter.request.absolute.trim_end_matches('/'));
    if is_directory {
        return Err(format!("read {absolute}: is a directory"));
    }
    let bytes = linter.request.loader.read(&path).map_err(|error| match error.kind {
        LoadErrorKind::NotFound => format!("open {absolute}: no such file or directory"),
        LoadErrorKind::Denied => format!("open {absolute}: permission denied"),
        _ => error.to_string(),
    })?;
    let shown = linter.request.loader.display(&path);
    read_chart_file(bytes, shown, linter.sources(), linter.request.compat)
        .map_err(|failure| failure.to_string())
}

/// A rule about the fields of Chart.yaml.
struct Rule {
    severity: Severity,
    /// The field that it is about.
    field: &'static str,
    /// The Helm that has it, if not both do.
    only: Option<Compat>,
    check: fn(&ChartFile) -> Option<String>,
}

const fn rule(severity: Severity, field: &'static str, check: fn(&ChartFile) -> Option<String>) -> Rule {
    Rule { severity, field, only: None, check }
}

/// In the order in which Helm goes through them.
const RULES: &[Rule] = &[
    Rule {
        only: Some(Compat::Helm4),
        ..rule(Severity::Warning, "", |file| {
            let wrong = file.strict.as_ref().err()?;
            Some(format!("failed to strictly parse chart metadata file\n\t{wrong}"))
        })
    },
    rule(Severity::Error, "name", |file| match file.metadata.name.as_str() {
        "" => Some("name is required".to_owned()),
        name if name != base_name(name) => Some(format!("chart name {} is invalid", quote(name))),
        _ => None,
    }),
    rule(Severity::Error, "apiVersion", |file| match file.metadata.api_version.as_str() {
        "" => Some("apiVersion is required. The value must be either \"v1\" or \"v2\"".to_owned()),
        "v1" | "v2" => None,
        other => {
            Some(format!("apiVersion '{other}' is not valid. The value must be either \"v1\" or \"v2\""))
        }
    }),
    rule(Severity::Error, "version", |file| type_of(file, "version")),
    rule(Severity::Error, "version", version),
    rule(Severity::Error, "appVersion", |file| type_of(file, "appVersion")),
    rule(Severity::Error, "maintainers", maintainers),
    rule(Severity::Error, "sources", |file| {
        let wrong = file.metadata.sources.iter().find(|source| !is_request(source))?;
        Some(format!("invalid source URL '{wrong}'"))
    }),
    rule(Severity::Info, "icon", |file| {
        file.metadata.icon.is_empty().then(|| "icon is recommended".to_owned())
    }),
    rule(Severity::Error, "icon", |file| {
        let icon = file.metadata.icon.as_str();
        (!icon.is_empty() && !is_request(icon)).then(|| format!("invalid icon URL '{icon}'"))
    }),
    rule(Severity::Error, "type", |file| {
        let version = newer_only(file)?;
        let has_type = !file.metadata.kind.is_empty();
        has_type.then(|| {
            format!("chart type is not valid in apiVersion '{version}'. It is valid in apiVersion 'v2'")
        })
    }),
    rule(Severity::Error, "dependencies", |file| {
        let version = newer_only(file)?;
        (file.dependencies > 0).then(|| {
            format!(
                "dependencies are not valid in the Chart file with apiVersion '{version}'. They are valid in apiVersion \
                 'v2'"
            )
        })
    }),
    Rule {
        only: Some(Compat::Helm4),
        ..rule(Severity::Warning, "version", |file| {
            let version = file.metadata.version.as_str();
            let is_right = Version::parse_strict(version).is_ok();
            (!is_right).then(|| format!("version '{version}' is not a valid SemVerV2"))
        })
    },
];

/// The apiVersion, if it is not the one that newer fields belong to.
fn newer_only(file: &ChartFile) -> Option<&str> {
    Some(file.metadata.api_version.as_str()).filter(|version| *version != "v2")
}

/// What is wrong with the type of a field that is taken as text, whatever it is.
fn type_of(file: &ChartFile, field: &str) -> Option<String> {
    let found = match &file.metadata.written.as_ref()?.get(field)?.data {
        Data::String(_) => return None,
        Data::Null => "<nil>",
        Data::Bool(_) => "bool",
        Data::Int(_) | Data::UInt(_) | Data::Float(_) => "float64",
        Data::List(_) => "[]interface {}",
        Data::Map(_) => "map[string]interface {}",
    };
    Some(format!("{field} should be of type string but it's of type {found}"))
}

fn version(file: &ChartFile) -> Option<String> {
    let text = file.metadata.version.as_str();
    if text.is_empty() {
        return Some("version is required".to_owned());
    }
    let Ok(version) = Version::parse(text) else {
        return Some(format!("version '{text}' is not a valid SemVer"));
    };
    let least = Constraints::parse(">0.0.0-0").ok()?;
    let reasons = least.validate(&version, Prereleases::Named).err()?;
    reasons.first().map(|reason| format!("version {reason}"))
}

fn maintainers(file: &ChartFile) -> Option<String> {
    file.maintainers.iter().find_map(|maintainer| {
        let Some(maintainer) = maintainer else { return Some("a maintainer entry is empty".to_owned()) };
        let (name, email, url) = (&maintainer.name, &maintainer.email, &maintainer.url);
        if name.is_empty() {
            return Some("each maintainer requires a name".to_owned());
        }
        if !email.is_empty() && !is_mailbox(email) {
            return Some(format!("invalid email '{email}' for maintainer '{name}'"));
        }
        let is_wrong = !url.is_empty() && !is_page(url);
        is_wrong.then(|| format!("invalid url '{url}' for maintainer '{name}'"))
    })
}
