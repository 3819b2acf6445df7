//! Where schemas of kinds are looked for: `--schema-location`, with kubeconform's templates.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use trueline_diagnostic::Diagnostic;
use trueline_gotemplate::{
    self as gotemplate, Environment, Functions, Kind, Object, Options, ParseError, Reason, Templates, Value,
};
use trueline_schema::{Access, Draft, Formats, Network, Schema, SchemaError, Store};
use trueline_source::{Fetch, LoadErrorKind, SourceKind, SourceMap, Span};
use trueline_yaml as yaml;

use super::codes::MISSING_LOCATION;
use super::settings::LocationInput;

/// What a location that is a directory goes on with.
const LAYOUT: &str = "/{{ .NormalizedKubernetesVersion }}-standalone{{ .StrictSuffix }}/{{ .ResourceKind }}{{ .KindSuffix }}.json";

/// No path is longer; it also bounds what a template can nest.
const MAX_LENGTH: usize = 4096;

/// The name that the messages about a template give it.
const NAME: &str = "tpl";

/// A kind whose schema is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// `apiVersion`, such as `v1` or `apps/v1`.
    pub api_version: &'a str,
    /// `kind`.
    pub kind: &'a str,
    /// The version of Kubernetes: `master`, or one such as `1.35.0`.
    pub kubernetes: &'a str,
    /// Which of two schemas is wanted, where there are two.
    pub strictness: Strictness,
}

impl Wanted<'_> {
    /// Whether its names can be used in paths and addresses without leading anywhere else. No kind of a server is called
    /// otherwise, and what a stranger calls a kind must not choose a file.
    pub fn is_plain(&self) -> bool {
        let is_plain = |part: &str| {
            let is_odd = |character: char| {
                character.is_control() || character.is_whitespace() || "/\\?#%:".contains(character)
            };
            !part.is_empty() && part != "." && part != ".." && !part.contains(is_odd)
        };
        is_plain(self.kind) && self.api_version.split('/').all(is_plain)
    }
}

/// What a schema has against fields that it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strictness {
    /// Nothing.
    #[default]
    Lenient,
    /// They are not allowed.
    Strict,
}

/// A place where schemas are: a template of paths or addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    template: String,
}

impl Location {
    /// How a location is written.
    pub const HELP: &'static str = "a location is a path or an address with variables, such as `schemas/{{.ResourceKind}}{{.KindSuffix}}.json`; \
         the variables are .Group, .ResourceKind, .ResourceAPIVersion, .KindSuffix, .NormalizedKubernetesVersion and \
         .StrictSuffix";

    /// Reads what was typed: a template if it ends with `json`, else a directory or an address with the layout of
    /// kubernetes-json-schema below it.
    pub fn new(typed: &str) -> Result<Self, LocationError> {
        let template = match typed.ends_with("json") {
            true => typed.to_owned(),
            false => format!("{typed}{LAYOUT}"),
        };
        let location = Location { template };
        // Made for some kind at once, so a mistake is reported before anything is looked for.
        let probe = Wanted {
            api_version: "v1",
            kind: "Deployment",
            kubernetes: "master",
            strictness: Strictness::Strict,
        };
        location.place(&probe).map(|_| location)
    }

    /// The path or address of the schema of a kind.
    pub fn place(&self, wanted: &Wanted<'_>) -> Result<String, LocationError> {
        if self.template.len() > MAX_LENGTH {
            return Err(LocationError::TooLong);
        }
        let mut templates = Templates::new(NAME, Arc::new(Functions::builtin()));
        templates.parse(NAME, &self.template.as_bytes().into(), None).map_err(LocationError::NotATemplate)?;
        let variables = Value::object(Variables::of(wanted));
        let rendered = templates
            .execute(NAME, &variables, &Options::new(&Nowhere, &()))
            .map_err(LocationError::Fails)?;
        Ok(rendered.text.text().into_owned())
    }

    /// The path of a place that need not be fetched: `file:` addresses are taken too.
    pub fn path_of(place: &str) -> &str {
        place.strip_prefix("file://").unwrap_or(place)
    }

    /// Whether schemas have to be fetched from it.
    pub fn is_remote(&self) -> bool {
        self.template.starts_with("http")
    }

    /// The directory that all paths of it begin with, with a `/` at its end; empty for the working directory.
    pub fn directory(&self) -> &str {
        let path = Self::path_of(&self.template);
        let fixed = path.find("{{").and_then(|end| path.get(..end)).unwrap_or(path);
        fixed.rfind('/').and_then(|end| fixed.get(..=end)).unwrap_or_default()
    }
}

/// Why a location cannot be used. It prints in kubeconform's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LocationError {
    /// There is too much of it.
    TooLong,
    /// Its variables are not written as Go's templates have them.
    NotATemplate(Vec<ParseError>),
    /// It cannot be made for a kind, as where it has a variable that there is not.
    Fails(gotemplate::Error),
}

impl LocationError {
    /// What is wrong, without its place and in few words.
    pub fn short(&self) -> String {
        match self {
            LocationError::TooLong => self.to_string(),
            LocationError::NotATemplate(errors) => {
                errors.first().map(|error| error.message.clone()).unwrap_or_default()
            }
            LocationError::Fails(error) => {
                let innermost = std::iter::successors(Some(error), |error| error.cause.as_deref()).last();
                let innermost = innermost.unwrap_or(error);
                match innermost.reason.as_deref() {
                    Some(Reason::NoField { field, .. }) => format!("can't evaluate field {field}"),
                    _ => innermost.words.clone(),
                }
            }
        }
    }
}

impl fmt::Display for LocationError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LocationError::TooLong => write!(formatter, "it is longer than {MAX_LENGTH} bytes"),
            LocationError::NotATemplate(errors) => {
                errors.first().map_or(Ok(()), |error| error.fmt(formatter))
            }
            LocationError::Fails(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for LocationError {}

/// What templates can ask for.
#[derive(Debug)]
struct Variables([(&'static str, String); 6]);

impl Variables {
    fn of(wanted: &Wanted<'_>) -> Self {
        let kubernetes = match wanted.kubernetes {
            "master" => "master".to_owned(),
            version => format!("v{version}"),
        };
        let strict = match wanted.strictness {
            Strictness::Lenient => "",
            Strictness::Strict => "-strict",
        };
        // The core group has no name: its version takes its place.
        let mut parts = wanted.api_version.split('/');
        let group = parts.next().unwrap_or_default();
        let second = parts.next();
        let version = wanted.api_version.rsplit('/').next().unwrap_or_default();
        let label = group.split('.').next().unwrap_or_default().to_lowercase();
        let suffix = second
            .map_or_else(|| format!("-{label}"), |version| format!("-{label}-{}", version.to_lowercase()));
        Variables([
            ("NormalizedKubernetesVersion", kubernetes),
            ("StrictSuffix", strict.to_owned()),
            ("ResourceKind", wanted.kind.to_lowercase()),
            ("ResourceAPIVersion", version.to_owned()),
            ("Group", group.to_owned()),
            ("KindSuffix", suffix),
        ])
    }
}

impl Object for Variables {
    fn type_name(&self) -> &'static str {
        "struct { NormalizedKubernetesVersion string; StrictSuffix string; ResourceKind string; \
         ResourceAPIVersion string; Group string; KindSuffix string }"
    }

    fn kind(&self) -> Kind {
        Kind::Struct
    }

    fn field(&self, name: &str) -> Option<Value> {
        self.0.iter().find(|(field, _)| *field == name).map(|(_, value)| Value::from(value.as_str()))
    }

    fn parts(&self) -> Vec<Value> {
        self.0.iter().map(|(_, value)| Value::from(value.as_str())).collect()
    }

    fn text(&self) -> String {
        let values: Vec<&str> = self.0.iter().map(|(_, value)| value.as_str()).collect();
        format!("{{{}}}", values.join(" "))
    }

    fn plain(&self) -> yaml::Value {
        self.0.iter().map(|(name, value)| (*name, yaml::Value::from(value.as_str()))).collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Templates of locations have neither a clock nor dice.
struct Nowhere;

impl Environment for Nowhere {
    fn now(&self) -> (i64, u32) {
        (0, 0)
    }

    fn random(&self, buffer: &mut [u8]) {
        buffer.fill(0);
    }

    fn lookup_host(&self, _: &str) -> String {
        String::new()
    }
}

/// Several locations, in the order in which schemas are looked for.
pub(crate) struct Locations {
    places: Vec<(Location, Store)>,
    /// By `apiVersion`, `kind`, version of Kubernetes and strictness.
    found: Mutex<FxHashMap<(String, String, String, Strictness), FoundSchema>>,
}

type FoundSchema = Result<Option<Arc<Schema>>, SchemaError>;

impl fmt::Debug for Locations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.places.iter().map(|(location, _)| location)).finish()
    }
}

impl Locations {
    /// The locations that were typed; nothing if there are none.
    pub(crate) fn new(
        typed: &[&LocationInput],
        sources: &Arc<SourceMap>,
        (fetch, network): (Option<Arc<dyn Fetch>>, Network),
    ) -> Option<Self> {
        if typed.is_empty() {
            return None;
        }
        let access = Access {
            fetch,
            network,
            draft: Draft::Draft4,
            durations: Some(trueline_helm::schema::is_kubernetes_duration),
            ..Access::default()
        };
        let store = Store::new(Arc::clone(sources), access);
        let place = |typed: &LocationInput| {
            let store = match &typed.loader {
                Some(loader) => store.for_package(Arc::clone(loader), loader.root()),
                None => store.clone(),
            };
            (typed.location.clone(), store)
        };
        let places = typed.iter().copied().map(place).collect();
        Some(Locations { places, found: Mutex::default() })
    }

    /// The schema of a kind, from the first location that has a usable one; nothing if none has any. The error is
    /// what is wrong with the first that is there, where none is usable.
    pub(crate) fn schema(&self, wanted: &Wanted<'_>) -> FoundSchema {
        let key = (
            wanted.api_version.to_owned(),
            wanted.kind.to_owned(),
            wanted.kubernetes.to_owned(),
            wanted.strictness,
        );
        if let Some(found) = self.found.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return found.clone();
        }
        // Not locked while it is looked for: at worst two do it at the same time, and the store does it once.
        let found = self.look(wanted);
        self.found.lock().unwrap_or_else(PoisonError::into_inner).insert(key, found.clone());
        found
    }

    fn look(&self, wanted: &Wanted<'_>) -> FoundSchema {
        let mut trouble = None;
        for (location, store) in &self.places {
            let Ok(place) = location.place(wanted) else { continue };
            if !wanted.is_plain() {
                continue;
            }
            let found = if location.is_remote() {
                store.schema(&place, Formats::Assert)
            } else {
                let path = Location::path_of(&place);
                store.file(path.strip_prefix(location.directory()).unwrap_or(path), Formats::Assert)
            };
            match found {
                Ok(schema) => return Ok(Some(schema)),
                Err(SchemaError::Load(error))
                    if matches!(error.kind, LoadErrorKind::NotFound | LoadErrorKind::Outside) => {}
                Err(error) => trouble = trouble.or(Some(error)),
            }
        }
        trouble.map_or(Ok(None), Err)
    }
}

/// The locations that are directories which are not there: nothing is found in them.
pub(crate) fn missing_locations(typed: &[&LocationInput], sources: &SourceMap) -> Vec<Diagnostic> {
    let is_missing = |typed: &&LocationInput| !typed.location.is_remote() && typed.loader.is_none();
    let finding = |typed: &LocationInput| {
        let place = typed.named.unwrap_or_else(|| {
            let flag = format!("--schema-location {}", typed.typed);
            Span::whole(sources.add(flag, SourceKind::Flag, ""))
        });
        let directory = typed.location.directory().trim_end_matches('/');
        let message = format!("there is no directory `{directory}`, so no schema is found there");
        Diagnostic::new(&MISSING_LOCATION, place, message)
            .help("name the directory that holds the schemas, or take the location away")
    };
    typed.iter().copied().filter(is_missing).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use trueline_source::{Fetched, LoadError, Loader, MemoryLoader};

    use super::*;

    fn wanted<'a>(api_version: &'a str, kind: &'a str) -> Wanted<'a> {
        Wanted { api_version, kind, kubernetes: "1.35.0", strictness: Strictness::Strict }
    }

    #[test]
    fn templates_become_places() {
        for (typed, api_version, kind, place) in [
            ("s", "v1", "Pod", "s/v1.35.0-standalone-strict/pod-v1.json"),
            (
                "https://x",
                "apps/v1",
                "Deployment",
                "https://x/v1.35.0-standalone-strict/deployment-apps-v1.json",
            ),
            (
                "{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json",
                "cert-manager.io/v1",
                "Issuer",
                "cert-manager.io/issuer_v1.json",
            ),
            (
                "{{ .ResourceKind }}{{ .KindSuffix }}.json",
                "Storage.K8s.io/v1Beta1",
                "X",
                "x-storage-v1beta1.json",
            ),
            ("{{ .Group }}.json", "v1", "Pod", "v1.json"),
            ("{{ if eq .Group \"v1\" }}core{{ else }}{{ .Group }}{{ end }}.json", "v1", "Pod", "core.json"),
            ("{{ printf \"%s-%s\" .ResourceKind .StrictSuffix }}.json", "v1", "Pod", "pod--strict.json"),
            ("{{ . }}.json", "v1", "Pod", "{v1.35.0 -strict pod v1 v1 -v1}.json"),
            ("plain.json", "v1", "Pod", "plain.json"),
        ] {
            let location = Location::new(typed).unwrap();
            assert_eq!(location.place(&wanted(api_version, kind)).as_deref(), Ok(place), "{typed}");
        }
        let master = Wanted { kubernetes: "master", strictness: Strictness::Lenient, ..wanted("v1", "Pod") };
        let place = Location::new("s").unwrap().place(&master);
        assert_eq!(place.as_deref(), Ok("s/master-standalone/pod-v1.json"));
    }

    #[test]
    fn templates_that_are_wrong_are_refused_at_once() {
        for (typed, words) in [
            (
                "a/{{ .Foo }}.json",
                "template: tpl:1:5: executing \"tpl\" at <.Foo>: can't evaluate field Foo in type struct { \
                 NormalizedKubernetesVersion string; StrictSuffix string; ResourceKind string; ResourceAPIVersion \
                 string; Group string; KindSuffix string }",
            ),
            ("a/{{ .json", "template: tpl:1: unclosed action"),
            ("{{ nope }}.json", "template: tpl:1: function \"nope\" not defined"),
        ] {
            assert_eq!(Location::new(typed).unwrap_err().to_string(), words);
        }
        assert!(Location::new(&"x".repeat(5000)).is_err());
        for (typed, words) in [
            ("a/{{ .Foo }}.json", "can't evaluate field Foo"),
            ("a/{{ .json", "unclosed action"),
            ("{{ nope }}.json", "function \"nope\" not defined"),
        ] {
            assert_eq!(Location::new(typed).unwrap_err().short(), words);
        }
    }

    #[test]
    fn the_fixed_part_of_a_template_is_its_directory() {
        for (typed, directory) in [
            ("schemas", "schemas/"),
            ("../a/b-{{.Group}}/x.json", "../a/"),
            ("/srv/{{.Group}}.json", "/srv/"),
            ("file:///srv/x/{{.Group}}.json", "/srv/x/"),
            ("{{.Group}}.json", ""),
            ("x.json", ""),
        ] {
            assert_eq!(Location::new(typed).unwrap().directory(), directory, "{typed}");
        }
    }

    #[derive(Debug)]
    struct Server;

    impl Fetch for Server {
        fn fetch(&self, url: &str) -> Result<Fetched, LoadError> {
            match url.strip_prefix("https://example.com/") {
                Some("pod.json") => {
                    let bytes = br#"{"properties": {"spec": {"type": "object"}}}"#.to_vec();
                    Ok(Fetched { url: url.to_owned(), bytes })
                }
                _ => Err(LoadError::new(LoadErrorKind::NotFound, url)),
            }
        }
    }

    #[test]
    fn the_first_usable_schema_is_taken() {
        let files = MemoryLoader::new("")
            .with_file(
                "widget.json",
                r#"{"properties": {"every": {"type": "string", "format": "duration"}}}"#,
            )
            .with_file("pod.json", "{")
            .with_file("broken.json", r#"{"type": 5}"#);
        let files: Arc<dyn Loader> = Arc::new(files);
        let open = |directory: &str| (directory == "s/").then(|| Arc::clone(&files));
        let typed = [
            "no/{{.ResourceKind}}.json",
            "s/{{.ResourceKind}}.json",
            "https://example.com/{{.ResourceKind}}.json",
        ];
        let typed = typed.map(|typed| LocationInput::new(typed, None, &open).unwrap());
        let access = (Some(Arc::new(Server) as Arc<dyn Fetch>), Network::Allowed);
        let sources = Arc::new(SourceMap::new());
        let typed: Vec<&LocationInput> = typed.iter().collect();
        let locations = Locations::new(&typed, &sources, access).unwrap();
        let accepts = |kind: &str, text: &str| {
            let schema = locations.schema(&wanted("v1", kind)).unwrap().unwrap();
            schema.is_valid(&yaml::yaml_to_value(text).unwrap())
        };
        assert!(accepts("Widget", "every: 1h30m"));
        assert!(!accepts("Widget", "every: soon"));
        assert!(!accepts("Pod", "spec: 1"), "what cannot be parsed is as good as not there");
        assert!(locations.schema(&wanted("v1", "Broken")).is_err());
        assert!(locations.schema(&wanted("v1", "Other")).unwrap().is_none());
        assert!(LocationInput::new("{{", None, &open).is_err());
        let missing = missing_locations(&typed, &sources);
        let messages: Vec<&str> = missing.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, ["there is no directory `no`, so no schema is found there"]);
    }
}
