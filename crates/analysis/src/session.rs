//! What one run works with: what was asked for, with all that it names opened.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use trueline_diagnostic::{Catalogue, Units};
use trueline_extension::{Registry, SchemaDirectory, SchemaSet};
use trueline_helm::values::{GivenError, ValueError, read_given};
use trueline_source::{Fetch, LoadError, Loader, MemoryLoader, Network, SourceMap, Span, System};
use trueline_yaml::Value;

use crate::chart::COMPAT;
use crate::discovery::{Inputs, STANDARD_INPUT};
use crate::input::{Configured, Input};
use crate::kubernetes::{LocationInput, NamedInput};
use crate::open_error::OpenError;
use crate::settings::Settings;
use crate::unit::Mode;

/// What is asked for, and what is needed to answer it. What was asked for can be read as if it were a part of this.
#[derive(Debug)]
pub(crate) struct Session {
    asked: Arc<Settings>,
    pub(crate) system: Arc<dyn System>,
    /// All codes.
    pub(crate) catalogue: Catalogue,
    /// Nothing is fetched, because a flag or the configuration says so.
    pub(crate) offline: bool,
    /// The extensions that are known.
    pub(crate) registry: Option<Registry>,
    /// The schemas of extensions.
    pub(crate) schemas: SchemaSet,
    /// How documents are fetched.
    pub(crate) fetch: Option<Arc<dyn Fetch>>,
    /// What flags and outer configurations name.
    pub(crate) named: Named,
}

/// What a report has room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// How many findings are shown at most: more need only be counted. All are kept if there is no number.
    pub most: Option<usize>,
    /// Which units are listed.
    pub units: Units,
}

impl Default for Wanted {
    /// Everything.
    fn default() -> Self {
        Wanted { most: None, units: Units::All }
    }
}

/// Files and directories that are read besides what is checked, each with the place where a configuration names it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Named {
    pub(crate) definitions: Vec<NamedInput>,
    pub(crate) policies: Vec<NamedInput>,
    pub(crate) old: Vec<NamedInput>,
    pub(crate) locations: Vec<LocationInput>,
}

impl Deref for Session {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.asked
    }
}

impl Session {
    /// Opens what is asked for.
    pub(crate) fn open(
        (system, asked): (&Arc<dyn System>, &Arc<Settings>),
        inputs: &Inputs,
        configured: &Configured,
        sources: &Arc<SourceMap>,
    ) -> Result<Self, OpenError> {
        let offline = asked.offline || configured.offline;
        let network = if offline { Network::Offline } else { Network::Allowed };
        let fetch = system.fetch(network);
        Ok(Session {
            catalogue: crate::catalogue(),
            offline,
            registry: asked.registry.as_deref().map(|path| registry(path, inputs, sources)).transpose()?,
            schemas: schemas(asked, inputs, sources, (&fetch, network))?,
            named: Named::open(asked, inputs, configured)?,
            fetch: Some(fetch),
            system: Arc::clone(system),
            asked: Arc::clone(asked),
        })
    }

    /// Whether nothing that it names was opened, so that no unit can depend on it.
    pub(crate) fn is_plain(&self) -> bool {
        self.registry.is_none() && self.schema_directory.is_none() && self.charts.values.is_empty()
    }

    /// How documents are fetched for a unit. The fetcher of a run knows whether that run is offline; one that only
    /// the unit's configuration takes offline has nobody to ask.
    pub(crate) fn fetch_for(&self, mode: Mode<'_>) -> Option<Arc<dyn Fetch>> {
        self.fetch.clone().filter(|_| self.offline || !mode.offline)
    }

    /// What a flag for values names: a file, an address or standard input. The error is in Helm's words.
    pub(crate) fn read_given(&self, name: &str) -> Result<Vec<u8>, GivenError> {
        match &self.fetch {
            Some(fetch) => read_given(&*self.system, &**fetch, name),
            None => Err(GivenError::Nowhere),
        }
    }

    /// What the flags that are no files say, over values from elsewhere.
    pub(crate) fn set_over(&self, base: Value, sources: &SourceMap) -> Result<Value, ValueError> {
        let mut read = |name: &str| self.read_given(name);
        self.charts.values.set_over(base, sources, COMPAT, &mut read)
    }
}

impl Named {
    fn open(asked: &Settings, inputs: &Inputs, configured: &Configured) -> Result<Self, OpenError> {
        let flags = &asked.kubernetes;
        let input = |path: &Path, named| {
            let place = match path.as_os_str() == STANDARD_INPUT {
                true => inputs.standard_input(),
                false => inputs.place(path),
            };
            NamedInput {
                input: Input { loader: place.loader, path: place.path, root: None, config: None },
                named,
            }
        };
        let given = |paths: &[std::path::PathBuf]| -> Vec<NamedInput> {
            paths.iter().map(|path| input(path, None)).collect()
        };
        let named = |paths: &[(String, Span)]| -> Vec<NamedInput> {
            paths.iter().map(|(path, place)| input(Path::new(path), Some(*place))).collect()
        };
        let mut definitions = given(&flags.definitions);
        definitions.extend(named(&configured.definitions));
        let mut policies = given(&flags.policies);
        policies.extend(named(&configured.policies));
        Ok(Named {
            definitions,
            policies,
            locations: locations(asked, inputs, configured)?,
            old: if flags.old.is_empty() { named(&configured.old) } else { given(&flags.old) },
        })
    }
}

/// Where JSON Schemas of kinds are; what a flag names counts alone.
fn locations(
    asked: &Settings,
    inputs: &Inputs,
    configured: &Configured,
) -> Result<Vec<LocationInput>, OpenError> {
    let flags = &asked.kubernetes.locations;
    let open = |directory: &str| inputs.directory(Path::new(directory_of(directory)));
    let given = flags.iter().map(|typed| (typed, None));
    let named = configured.schema_locations.iter().map(|(typed, place)| (typed, Some(*place)));
    let named = named.filter(|_| flags.is_empty());
    // What Kubernetes itself defines is known in any case.
    let typed = given.chain(named).filter(|(typed, _)| *typed != "default");
    let location = |(typed, named): (&String, Option<Span>)| {
        LocationInput::new(typed, named, &open)
            .map_err(|error| OpenError::SchemaLocation { typed: typed.clone(), error })
    };
    typed.map(location).collect()
}

/// A directory as it can be opened: no text at all is the working directory.
fn directory_of(typed: &str) -> &str {
    if typed.is_empty() { "." } else { typed }
}

fn registry(path: &Path, inputs: &Inputs, sources: &SourceMap) -> Result<Registry, OpenError> {
    let place = inputs.place(path);
    Registry::load(&*place.loader, &place.path, sources).map_err(OpenError::Registry)
}

fn schemas(
    asked: &Settings,
    inputs: &Inputs,
    sources: &Arc<SourceMap>,
    (fetch, network): (&Arc<dyn Fetch>, Network),
) -> Result<SchemaSet, OpenError> {
    let loader: Arc<dyn Loader> = match (&asked.schema_directory, &asked.schema_url) {
        (None, None) => return Ok(SchemaSet::embedded(Arc::clone(sources))),
        (None, Some(_)) => Arc::new(MemoryLoader::default()),
        (Some(directory), _) => {
            let place = inputs.place(directory);
            place.loader.list(&place.path).map_err(|error| {
                OpenError::SchemaDirectory(LoadError { path: place.loader.display(&error.path), ..error })
            })?;
            place.loader
        }
    };
    let mut directory = SchemaDirectory::new(loader).with_fetch(Some(Arc::clone(fetch)), network);
    if let Some(url) = &asked.schema_url {
        directory = directory.with_remote(url);
    }
    Ok(SchemaSet::with_directory(Arc::clone(sources), &directory))
}
