//! The TOML file that mise is configured with: its tools and their versions, each with its place.

use toml::de::{DeTable, DeValue};
use trueline_source::{EntryKind, LoadErrorKind, Loader, SourceId, SourceMap, Span, normalize_path};

use crate::field::Field;
use crate::manifest::{Install, Subject};

/// The default file name.
const DEFAULT_FILE: &str = "mise.toml";

/// One configuration file of mise.
#[derive(Debug)]
pub(crate) struct MiseConfig<'a> {
    /// The field that names it.
    pub(crate) field: Field<'a>,
    /// Its path in the package.
    pub(crate) path: String,
    /// The tools in order of place; `None` if the file cannot be understood.
    pub(crate) tools: Option<Vec<MiseTool>>,
    /// What is wrong with the file itself.
    pub(crate) problems: Vec<MiseProblem>,
}

/// One tool of a configuration file.
#[derive(Debug)]
pub(crate) struct MiseTool {
    /// Its name, with the backend before it, if one is written.
    pub(crate) name: String,
    /// The place of the name.
    pub(crate) span: Span,
    /// The versions with their places.
    pub(crate) versions: Vec<(String, Span)>,
}

/// Something wrong with the file itself.
#[derive(Debug)]
pub(crate) struct MiseProblem {
    /// The place in the file; `None` if the place is the field that names the file.
    pub(crate) span: Option<Span>,
    /// The message.
    pub(crate) message: String,
    /// How to fix it.
    pub(crate) help: &'static str,
}

/// Reads the configuration files that a manifest names.
pub(crate) fn load<'a>(subject: &Subject<'a>, sources: &SourceMap) -> Vec<MiseConfig<'a>> {
    let Some(package) = subject.package.as_deref() else { return Vec::new() };
    subject.installs().iter().filter_map(|install| load_one(install, package, sources)).collect()
}

fn load_one<'a>(install: &Install<'a>, package: &dyn Loader, sources: &SourceMap) -> Option<MiseConfig<'a>> {
    let section = install.section.get("mise")?;
    let (field, path) = match section.get("configFile") {
        Some(field) => {
            let path = field.text()?;
            // Another rule reports a path outside the package.
            (field, normalize_path(path).ok()?)
        }
        None if package.entry(DEFAULT_FILE).is_ok_and(|entry| entry.kind == EntryKind::File) => {
            (section, DEFAULT_FILE.to_owned())
        }
        None => return None,
    };
    let mut config = MiseConfig { field, path, tools: None, problems: Vec::new() };
    match package.read(&config.path) {
        Ok(bytes) => {
            let (source, invalid) = sources.add_file(package.display(&config.path), bytes);
            match invalid {
                Some(span) => config.problem(Some(span), "this is not UTF-8 text", "save the file as UTF-8"),
                None => config.read(source, sources.get(source).text()),
            }
        }
        Err(error) => {
            let what = match error.kind {
                LoadErrorKind::NotFound => "does not exist in the package",
                LoadErrorKind::WrongKind => "is a directory, not a file",
                LoadErrorKind::Outside => return None,
                LoadErrorKind::Denied => "cannot be read (permission denied)",
                LoadErrorKind::TooLarge => "is larger than the limit",
                _ => "could not be read",
            };
            let message = format!("the mise configuration `{}` {what}", config.path);
            config.problem(None, message, "add the file next to extension.yaml, or name an existing one");
        }
    }
    Some(config)
}

impl MiseConfig<'_> {
    fn problem(&mut self, span: Option<Span>, message: impl Into<String>, help: &'static str) {
        self.problems.push(MiseProblem { span, message: message.into(), help });
    }

    fn read(&mut self, source: SourceId, text: &str) {
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            let range = error.span().unwrap_or(0..0);
            let message = format!("TOML syntax error: {}", error.message());
            self.problem(Some(source.span(range.start, range.end)), message, "fix the TOML at this place");
        }
        // After an error the rest is only a guess, so it is not checked.
        if !errors.is_empty() {
            return;
        }
        let mut tools = Vec::new();
        if let Some(section) = table.get_ref().get("tools") {
            match section.get_ref() {
                DeValue::Table(entries) => {
                    for (key, value) in entries {
                        let place = |range: std::ops::Range<usize>| source.span(range.start, range.end);
                        let mut tool = MiseTool {
                            name: key.get_ref().to_string(),
                            span: place(key.span()),
                            versions: Vec::new(),
                        };
                        self.versions(value.get_ref(), place(value.span()), source, &mut tool);
                        tools.push(tool);
                    }
                }
                _ => {
                    let range = section.span();
                    self.problem(
                        Some(source.span(range.start, range.end)),
                        "`tools` must be a table of tool names and versions",
                        "write a `[tools]` section with lines such as `node = \"20\"`",
                    );
                }
            }
        }
        tools.sort_by_key(|tool| tool.span.start);
        self.tools = Some(tools);
    }

    /// The versions of a tool: a string, a list, or a table with a `version`.
    fn versions(&mut self, value: &DeValue<'_>, span: Span, source: SourceId, tool: &mut MiseTool) {
        match value {
            DeValue::String(version) => tool.versions.push((version.to_string(), span)),
            DeValue::Array(list) => {
                for item in list {
                    let range = item.span();
                    self.versions(item.get_ref(), source.span(range.start, range.end), source, tool);
                }
            }
            DeValue::Table(options) => {
                if let Some(version) = options.get("version") {
                    let range = version.span();
                    self.versions(version.get_ref(), source.span(range.start, range.end), source, tool);
                }
            }
            _ => self.problem(
                Some(span),
                format!("the version of `{}` must be a string", tool.name),
                "put the version in quotes: as a number, `3.10` would mean `3.1`",
            ),
        }
    }
}

/// The canonical name of a tool: mise knows some by two names.
pub(crate) fn canonical_name(name: &str) -> &str {
    let name = name.strip_prefix("core:").unwrap_or(name);
    match name {
        "nodejs" => "node",
        "golang" => "go",
        name => name,
    }
}
