//! A cluster of one version with its CRDs: whether it would take an object, what it would say, and what it would store.
//!
//! A [`Cluster`] is made once and asked by many threads. An object of a built-in kind and one of a kind that a CRD
//! defines are reviewed by the same call, as are a document that was read from a file, a [`Value`](trueline_yaml::Value)
//! and plain JSON. What comes out are facts; words are put on one when somebody asks for them.
//!
//! ```
//! use trueline_kube::KubeVersion;
//! use trueline_kube::cluster::{Cluster, Request};
//!
//! let cluster = Cluster::new(KubeVersion { minor: 35 });
//! let review = cluster.review(Request::create(
//!     r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "Settings"}}"#,
//! ));
//! let error = review.errors().next().expect("the name is not lower case");
//! assert_eq!(error.field().to_string(), "metadata.name");
//! assert!(review.stored().is_none());
//! ```

mod answer;
mod codes;
mod custom;
mod custom_kind;
mod custom_words;
mod definition;
mod from_value;
mod issue;
mod repeated;
mod request;
mod review;
mod sent;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use crate::KubeVersion;
use crate::api::{Api, Lookup};
use crate::crd::Crd;
use crate::manifest::{self, Object, Verdict};
use answer::Answer;
use custom::CustomAnswer;
use custom_kind::CustomKinds;
use definition::DefinitionAnswer;
use sent::Sent;

pub use codes::CODES;
pub use custom_kind::CustomKind;
pub use custom_words::{is_about_default, place_of_missing};
pub use issue::Issue;
pub use request::{Input, Request};
pub use review::{Outcome, Review};

/// A cluster of one version, with the kinds that its CRDs define. A copy shares what was compiled.
#[derive(Clone)]
pub struct Cluster {
    api: Option<&'static Api>,
    version: KubeVersion,
    custom: Arc<CustomKinds>,
}

impl fmt::Debug for Cluster {
    /// Without the whole API of the version.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Cluster").field("version", &self.version).finish_non_exhaustive()
    }
}

impl Cluster {
    /// A cluster without CRDs. Of a version that is not known, the API is that of the nearest one that is.
    pub fn new(version: KubeVersion) -> Self {
        Cluster { api: Api::nearest(Some(version)), version, custom: Arc::default() }
    }

    /// A cluster of the newest version that is known, without CRDs.
    pub fn newest() -> Self {
        Cluster::new(Api::newest().map_or(KubeVersion::CRD_RULES, Api::version))
    }

    /// The same cluster with these CRDs. Their schemas and rules are compiled here and not again. If two define the same
    /// kind, the last one counts, as it would replace the other in a cluster.
    #[must_use]
    pub fn with_crds(mut self, crds: impl IntoIterator<Item = Arc<Crd>>) -> Self {
        let custom = Arc::make_mut(&mut self.custom);
        for crd in crds {
            let kind = CustomKind::new(&crd);
            kind.compile(self.version);
            custom.insert(Arc::new(kind));
        }
        self
    }

    /// The version.
    pub fn version(&self) -> KubeVersion {
        self.version
    }

    /// The API of Kubernetes itself that it serves.
    pub fn api(&self) -> Option<&'static Api> {
        self.api
    }

    /// Whether the cluster would take an object, and what it would say.
    pub fn review<'r>(&'r self, request: Request<'r>) -> Review<'r> {
        let sent = match Sent::read(request.object, request.source) {
            Ok(sent) => sent,
            Err(error) => return Review::unread(self, request, error),
        };
        let (old, answer) = match request.old.map(|old| Sent::read(old, request.source)).transpose() {
            Ok(old) => {
                let answer = self.answer(&sent, old.as_ref(), &request);
                (old, answer)
            }
            Err(error) => (None, Answer::UnreadOld(error)),
        };
        Review::new(self, request, (sent, old), answer)
    }

    fn answer<'r>(&'r self, sent: &Sent<'r>, old: Option<&Sent<'r>>, request: &Request<'r>) -> Answer<'r> {
        let (api_version, name) = sent.head();
        if DefinitionAnswer::is_about(api_version, name) {
            return DefinitionAnswer::of(sent, old, request, self.version);
        }
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let known = self.api.map(|api| api.lookup(group, version, name));
        if known.is_none_or(|known| known == Lookup::Unknown)
            && let Some(kind) = request.kind.or_else(|| self.custom.get(group, name))
        {
            return CustomAnswer::of(sent, old, request, (kind, self.version));
        }
        let verdict = self.verdict(&sent.object(), old.map(Sent::object).as_ref(), request);
        Answer::of_built_in(verdict, known)
    }

    /// What the rules of built-in kinds say of an object.
    fn verdict(&self, object: &Object<'_>, old: Option<&Object<'_>>, request: &Request<'_>) -> Verdict {
        match (self.api, old) {
            (Some(api), Some(old)) => manifest::validate_update(api, object, old, &request.options),
            (Some(api), None) => manifest::validate(api, object, &request.options),
            (None, _) => Verdict::Skipped(manifest::Skip::UnknownKind(None)),
        }
    }
}
