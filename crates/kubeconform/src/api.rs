//! The schemas of the embedded Kubernetes API.

use trueline_analysis::Strictness;
use trueline_helm::schema::{Judge, References};
use trueline_kube::KubeVersion;
use trueline_kube::api::{Api, KindSchema, UnknownFields};
use trueline_schema::Store;
use trueline_source::SourceKind;

use super::failure::Failure;
use super::schemas::Schema;
use super::signature::Signature;

/// The API of one version, under the name that was typed for it.
pub(crate) struct Embedded {
    api: &'static Api,
    /// `master`, or `v` and a version.
    name: String,
}

impl Embedded {
    /// The API of a version.
    pub(crate) fn new(typed: &str) -> Result<Self, Failure> {
        let found = match typed {
            "master" => Api::newest(),
            typed => typed.parse::<KubeVersion>().ok().and_then(Api::for_version),
        };
        let name = if typed == "master" { typed.to_owned() } else { format!("v{typed}") };
        found.map(|api| Embedded { api, name }).ok_or_else(|| {
            let versions: Vec<String> = Api::versions().map(|version| version.to_string()).collect();
            Failure::NotEmbedded(typed.to_owned(), versions)
        })
    }

    /// The schema of a kind, if the version has it.
    pub(crate) fn schema(
        &self,
        signature: &Signature,
        strictness: Strictness,
        store: &Store,
    ) -> Option<Schema> {
        let kind = KindSchema::find(self.api, &signature.version, &signature.kind)?;
        let (unknown, suffix) = match strictness {
            Strictness::Lenient => (UnknownFields::Allowed, ""),
            Strictness::Strict => (UnknownFields::Refused, "-strict"),
        };
        // The name that the schema has in registries of them, where kubeconform takes it from.
        let (group, version) = signature.version.split_once('/').unwrap_or(("", &signature.version));
        let label = group.split('.').next().filter(|label| !label.is_empty());
        let group = label.map(|label| format!("-{label}")).unwrap_or_default();
        let file = format!("{}{group}-{version}.json", signature.kind.to_lowercase());
        let address = format!("{}-standalone{suffix}/{file}", self.name);
        let source = store.sources().add(address.as_str(), SourceKind::Embedded, kind.json_schema(unknown));
        let outline = store.outline(source, None).ok()?;
        Some(Schema::new(address, Judge::of_sound(outline, References::Expanded), Some(kind)))
    }
}
