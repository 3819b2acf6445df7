//! The Kubernetes API of every minor version: kinds, definitions and their fields, embedded in the program.
//!
//! An [`Api`] is the API of one version. It is made once, and its definitions are read when they are first asked for.

mod json_schema;
mod pack;
mod transient;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use trueline_kube_facts::KubeVersion;

pub use json_schema::{KindSchema, UnknownFields};
pub use pack::{DefinitionId, Kind, Lifecycle, ListType, Type, TypeId};
pub use transient::{Transient, transient};

/// A field of a definition.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What its value may be.
    pub r#type: &'static Type,
    /// Whether it is published as required. The server does not demand all of these.
    pub is_required: bool,
    /// Whether an absent one counts as an empty one.
    pub is_embedded: bool,
    /// Whether a map in it is merged as a whole.
    pub is_atomic: bool,
    /// The published default, as JSON.
    pub default: Option<&'static str>,
}

/// A type with fields, as one version has it.
#[derive(Debug)]
pub struct Definition {
    /// Its number.
    pub id: DefinitionId,
    /// Its full name, such as `io.k8s.api.core.v1.Container`.
    pub name: &'static str,
    /// Its fields in order of name.
    pub fields: Vec<Field>,
    /// Whether it is merged as a whole.
    pub is_atomic: bool,
    /// The places of fields by their names.
    places: FxHashMap<&'static str, usize>,
}

impl Definition {
    /// The field of a name, with its place in `fields`.
    pub fn field(&self, name: &str) -> Option<(usize, &Field)> {
        let index = *self.places.get(name)?;
        self.fields.get(index).map(|field| (index, field))
    }
}

/// The API of one minor version.
#[derive(Debug)]
pub struct Api {
    version: KubeVersion,
    /// The bit of this version in sets of versions.
    bit: u32,
    definitions: Vec<OnceLock<Box<Definition>>>,
}

/// What is known about a group, version and kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// It is served.
    Served(Kind),
    /// It is served by later versions only, the first of which is this one.
    NotYet(KubeVersion),
    /// It is no longer served: since when, and what to use in its place, as far as known.
    Removed {
        /// The first version that does not serve it.
        since: KubeVersion,
        /// Group, version and kind to use.
        replacement: Option<(&'static str, &'static str, &'static str)>,
    },
    /// No version knows it.
    Unknown,
}

impl Api {
    /// The API of a version.
    pub fn for_version(version: KubeVersion) -> Option<&'static Api> {
        static APIS: OnceLock<Vec<OnceLock<Api>>> = OnceLock::new();
        let pack = pack::pack();
        let index = pack.minors.iter().position(|minor| *minor == version.minor)?;
        let apis = APIS.get_or_init(|| pack.minors.iter().map(|_| OnceLock::new()).collect());
        let definitions = || (0..pack.definition_count()).map(|_| OnceLock::new()).collect();
        let make = || Api { version, bit: 1 << index, definitions: definitions() };
        apis.get(index).map(|api| api.get_or_init(make))
    }

    /// The API of the newest version that is known.
    pub fn newest() -> Option<&'static Api> {
        Self::for_version(Self::versions().last()?)
    }

    /// The API of a version, or of the nearest that is known; that of the newest if none is asked for.
    pub fn nearest(version: Option<KubeVersion>) -> Option<&'static Api> {
        let Some(version) = version else { return Self::newest() };
        let known = Self::versions().min_by_key(|known| known.minor.abs_diff(version.minor))?;
        Self::for_version(known)
    }

    /// The versions that are known, from old to new.
    pub fn versions() -> impl Iterator<Item = KubeVersion> {
        pack::pack().minors.iter().map(|minor| KubeVersion { minor: *minor })
    }

    /// The version of this API.
    pub fn version(&self) -> KubeVersion {
        self.version
    }

    /// The kinds that this version serves.
    pub fn kinds(&self) -> impl Iterator<Item = &'static Kind> {
        let bit = self.bit;
        pack::pack().kinds.iter().filter(move |kind| kind.versions & bit != 0)
    }

    /// The kinds that a cluster of this version serves by default: none of the alpha versions, and of
    /// the beta versions only those from before 1.24, when new ones stopped being enabled by default.
    pub fn kinds_enabled_by_default(&self) -> impl Iterator<Item = &'static Kind> {
        self.kinds().filter(|kind| {
            let is_beta = kind.version.contains("beta");
            !kind.version.contains("alpha") && (!is_beta || is_early_beta(kind))
        })
    }

    /// Whether a group belongs to Kubernetes itself, in whatever version.
    pub fn has_group(group: &str) -> bool {
        pack::pack().kinds.iter().any(|kind| kind.group == group)
    }

    /// What is known about a kind.
    pub fn lookup(&self, group: &str, version: &str, kind: &str) -> Lookup {
        let pack = pack::pack();
        let known = pack
            .kinds
            .binary_search_by(|known| (known.group, known.version, known.kind).cmp(&(group, version, kind)));
        let known = known.ok().and_then(|index| pack.kinds.get(index));
        if let Some(served) = known.filter(|known| known.versions & self.bit != 0) {
            return Lookup::Served(*served);
        }
        let lifecycle = self.lifecycle(group, version, kind);
        let replacement = lifecycle.and_then(|lifecycle| lifecycle.replacement);
        let Some(known) = known else {
            return match lifecycle.and_then(|lifecycle| lifecycle.removed) {
                Some(minor) => Lookup::Removed { since: KubeVersion { minor }, replacement },
                None => Lookup::Unknown,
            };
        };
        // The versions before this one are the bits below its own.
        let earlier = known.versions & (self.bit - 1);
        if earlier == 0 {
            let first = known.versions.trailing_zeros() as usize;
            let minor = pack.minors.get(first).copied().unwrap_or(self.version.minor);
            return Lookup::NotYet(KubeVersion { minor });
        }
        let last = (u32::BITS - 1 - earlier.leading_zeros()) as usize;
        let minor = pack.minors.get(last + 1).copied().unwrap_or(self.version.minor);
        Lookup::Removed { since: KubeVersion { minor }, replacement }
    }

    /// Since when a kind is deprecated, whether or not that version has come yet.
    pub fn lifecycle(&self, group: &str, version: &str, kind: &str) -> Option<&'static Lifecycle> {
        let lifecycles = &pack::pack().lifecycles;
        let index = lifecycles
            .binary_search_by(|known| (known.group, known.version, known.kind).cmp(&(group, version, kind)))
            .ok()?;
        lifecycles.get(index)
    }

    /// A type by its number.
    pub fn r#type(&self, id: TypeId) -> &'static Type {
        pack::pack().r#type(id)
    }

    /// A definition as this version has it; read when it is first asked for.
    pub fn definition(&self, id: DefinitionId) -> Option<&Definition> {
        self.definitions.get(id.index()).map(|slot| &**slot.get_or_init(|| Box::new(self.read(id))))
    }

    /// How many definitions there are in all versions; the number of each is lower.
    pub fn definition_count() -> usize {
        pack::pack().definition_count()
    }

    /// All definitions.
    pub fn all_definitions(&self) -> impl Iterator<Item = &Definition> {
        pack::pack().definition_ids().filter_map(|id| self.definition(id))
    }

    fn read(&self, id: DefinitionId) -> Definition {
        let pack = pack::pack();
        let name = pack.definition_name(id);
        let (is_atomic, packed) = pack.fields(id).unwrap_or_default();
        let fields: Vec<Field> = packed
            .into_iter()
            .filter(|field| field.versions & self.bit != 0)
            .map(|field| Field {
                name: field.name,
                r#type: pack.r#type(field.r#type),
                is_required: field.flags & pack::REQUIRED != 0,
                is_embedded: field.flags & pack::EMBEDDED != 0,
                is_atomic: field.flags & pack::ATOMIC != 0,
                default: field.default,
            })
            .collect();
        let places = fields.iter().zip(0..).map(|(field, place)| (field.name, place)).collect();
        Definition { id, name, fields, is_atomic, places }
    }
}

/// Whether a beta version is from before 1.24, or took the place of one that is.
fn is_early_beta(kind: &Kind) -> bool {
    // The first bit is that of the oldest version in the pack, which has no later beta.
    let is_in_oldest = kind.versions & 1 != 0;
    is_in_oldest || (kind.group == "flowcontrol.apiserver.k8s.io" && kind.version == "v1beta3")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api(text: &str) -> &'static Api {
        Api::for_version(text.parse().unwrap()).unwrap()
    }

    #[test]
    fn the_pack_holds_every_version() {
        let versions: Vec<String> = Api::versions().map(|version| version.to_string()).collect();
        assert_eq!(versions.first().map(String::as_str), Some("1.25"));
        assert!(versions.len() >= 13, "{versions:?}");
        for version in Api::versions() {
            let api = Api::for_version(version).unwrap();
            assert!(api.kinds().count() > 60, "{version}");
            for kind in api.kinds() {
                let definition = api.definition(kind.definition).unwrap();
                assert!(definition.field("metadata").is_some(), "{}", definition.name);
                assert!(definition.fields.is_sorted_by(|left, right| left.name < right.name));
            }
        }
        assert!(Api::for_version(KubeVersion { minor: 24 }).is_none());
    }

    #[test]
    fn kinds_come_and_go() {
        let newest = Api::newest().unwrap();
        let Lookup::Served(kind) = newest.lookup("apps", "v1", "Deployment") else { panic!("no Deployment") };
        assert!(kind.is_namespaced);
        assert_eq!(kind.plural, "deployments");
        let Lookup::Served(kind) = newest.lookup("", "v1", "Namespace") else { panic!("no Namespace") };
        assert!(!kind.is_namespaced);
        assert_eq!(
            newest.lookup("extensions", "v1beta1", "Ingress"),
            Lookup::Removed {
                since: KubeVersion { minor: 22 },
                replacement: Some(("networking.k8s.io", "v1", "Ingress"))
            }
        );
        assert_eq!(
            newest.lookup("autoscaling", "v2beta2", "HorizontalPodAutoscaler"),
            Lookup::Removed {
                since: KubeVersion { minor: 26 },
                replacement: Some(("autoscaling", "v2", "HorizontalPodAutoscaler"))
            }
        );
        assert_eq!(newest.lookup("apps", "v1", "Deployments"), Lookup::Unknown);
        assert_eq!(
            api("1.25").lookup("resource.k8s.io", "v1", "ResourceClaim"),
            Lookup::NotYet(KubeVersion { minor: 34 })
        );
        assert!(matches!(
            api("1.25").lookup("autoscaling", "v2beta2", "HorizontalPodAutoscaler"),
            Lookup::Served(_)
        ));
    }

    #[test]
    fn fields_belong_to_versions() {
        let has = |version: &str, field: &str| {
            let api = api(version);
            let Lookup::Served(kind) = api.lookup("", "v1", "Pod") else { panic!("no Pod") };
            let pod = api.definition(kind.definition).unwrap();
            let Type::Object(spec) = pod.field("spec").unwrap().1.r#type else { panic!("no spec") };
            api.definition(*spec).unwrap().field(field).is_some()
        };
        assert!(has("1.25", "containers") && has("1.37", "containers"));
        assert!(!has("1.25", "schedulingGates") && has("1.31", "schedulingGates"));
        assert!(!has("1.31", "resources") && has("1.35", "resources"));
    }
}
