//! A manifest as the rules see it: both spellings of a setting give one list of fields.

use std::cell::OnceCell;
use std::sync::Arc;

use trueline_source::{Loader, SourceMap};

use crate::Registry;
use crate::field::Field;
use crate::mise::{self, MiseConfig};
use crate::requirement::Requirement;

/// The input of a rule: the manifest and its context.
pub(crate) struct Subject<'a> {
    /// The top of the manifest.
    pub(crate) root: Field<'a>,
    /// The known extensions.
    pub(crate) registry: Option<&'a Registry>,
    /// The files of the package.
    pub(crate) package: Option<Arc<dyn Loader>>,
    sources: &'a SourceMap,
    mise: OnceCell<Vec<MiseConfig<'a>>>,
}

/// One way of installing: the `install` section itself, or a step of a hybrid one.
#[derive(Debug, Clone)]
pub(crate) struct Install<'a> {
    /// The section or step.
    pub(crate) section: Field<'a>,
    /// Its `method`, if it is a string.
    pub(crate) method: Option<Field<'a>>,
    /// Whether it is a step.
    pub(crate) depth: Depth,
}

/// Where an [`Install`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The `install` section.
    Section,
    /// A step of a hybrid installation.
    Step,
}

/// A dependency with its place.
#[derive(Debug, Clone)]
pub(crate) struct Dependency<'a> {
    /// The list item.
    pub(crate) field: Field<'a>,
    /// What it requires.
    pub(crate) requirement: Requirement,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(
        root: Field<'a>,
        sources: &'a SourceMap,
        registry: Option<&'a Registry>,
        package: Option<Arc<dyn Loader>>,
    ) -> Self {
        Subject { root, registry, package, sources, mise: OnceCell::new() }
    }

    /// The extension's own name.
    pub(crate) fn name(&self) -> Option<&'a str> {
        self.root.text_at("metadata/name")
    }

    /// The dependencies of `metadata` and of the top level.
    pub(crate) fn dependencies(&self) -> Vec<Dependency<'a>> {
        dependencies(&self.root)
    }

    /// The `install` section, then the steps of a hybrid one.
    pub(crate) fn installs(&self) -> Vec<Install<'a>> {
        let Some(section) = self.root.get("install") else { return Vec::new() };
        let steps = section.items_at("hybrid/steps");
        let mut installs = vec![Install::new(section, Depth::Section)];
        installs.extend(steps.into_iter().map(|step| Install::new(step, Depth::Step)));
        installs
    }

    /// The TOML files that mise is configured with, read once.
    pub(crate) fn mise_configs(&self) -> &[MiseConfig<'a>] {
        self.mise.get_or_init(|| mise::load(self, self.sources))
    }

    /// The MCP servers in both spellings, unless MCP is switched off.
    pub(crate) fn mcp_servers(&self) -> Vec<Field<'a>> {
        let Some(mcp) = self.root.at("capabilities/mcp") else { return Vec::new() };
        if mcp.flag("enabled") == Some(false) {
            return Vec::new();
        }
        let mut servers: Vec<Field<'a>> = mcp.get("server").into_iter().collect();
        servers.extend(mcp.items_at("servers"));
        servers
    }

    /// The sections that validate the installation, in both spellings.
    pub(crate) fn validations(&self) -> Vec<Field<'a>> {
        ["validate", "validation"].iter().filter_map(|name| self.root.get(name)).collect()
    }

    /// The mise tools that validation, removal and upgrade name.
    pub(crate) fn named_mise_tools(&self) -> Vec<Field<'a>> {
        ["validate", "validation", "remove", "upgrade"]
            .iter()
            .filter_map(|name| self.root.get(name))
            .flat_map(|section| section.items_at("mise/tools"))
            .collect()
    }

    /// The entries of the `authentication` list.
    pub(crate) fn authentications(&self) -> Vec<Field<'a>> {
        self.root.items_at("capabilities/authentication")
    }

    /// The lifecycle hooks of both places, with their names.
    pub(crate) fn hooks(&self) -> Vec<Field<'a>> {
        let mut hooks = Vec::new();
        for path in ["capabilities/hooks", "hooks"] {
            for (_, hook) in self.root.entries_at(path) {
                let list: Vec<Field<'a>> = hook.items().collect();
                if list.is_empty() { hooks.push(hook) } else { hooks.extend(list) }
            }
        }
        hooks
    }
}

impl<'a> Install<'a> {
    fn new(section: Field<'a>, depth: Depth) -> Self {
        let method = section.get("method").filter(|method| method.text().is_some());
        Install { section, method, depth }
    }

    /// The method's name.
    pub(crate) fn method_name(&self) -> Option<&'a str> {
        self.method.as_ref().and_then(Field::text)
    }
}

/// The dependencies that a manifest declares, from both places.
pub(crate) fn dependencies<'a>(root: &Field<'a>) -> Vec<Dependency<'a>> {
    let mut found = Vec::new();
    for path in ["metadata/dependencies", "dependencies"] {
        for field in root.items_at(path) {
            let requirement = match field.text() {
                Some(text) => Requirement::parse(text),
                None => {
                    let Some(name) = field.text_at("name") else { continue };
                    Requirement::new(name, field.text_at("version"))
                }
            };
            found.push(Dependency { field, requirement });
        }
    }
    found
}
