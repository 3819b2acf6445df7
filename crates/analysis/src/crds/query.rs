//! The objects and the CRD that expressions in CEL are asked of.

use std::path::Path;

use trueline_kube::cel::query::Query;
use trueline_kube::crd::Spec;
use trueline_kube::object::Resource;
use trueline_kube::{KubeVersion, manifest};
use trueline_yaml::{Document, Value};

use super::{CrdFiles, Problem, QueryFailure};
use crate::kubernetes::{each_file, too_large};

impl CrdFiles {
    /// What expressions are asked of: the object of a file, what it was before an update, and the file with its CRD.
    pub fn query(
        &self,
        object: Option<&Path>,
        old: Option<&Path>,
        crd: Option<&Path>,
        version: KubeVersion,
    ) -> Result<Query, QueryFailure> {
        let object = object.map(|path| self.object(path)).transpose()?;
        let old = old.map(|path| self.object(path)).transpose()?;
        match (&object, crd) {
            (Some(object), Some(crd)) => {
                let resource = self.resource(crd, object, version)?;
                Query::of_resource(&resource, object, old.as_ref(), version).map_err(QueryFailure::Object)
            }
            (object, _) => Ok(Query::untyped(object.as_ref(), old.as_ref(), version)),
        }
    }

    /// The only object of a file.
    fn object(&self, path: &Path) -> Result<Value, QueryFailure> {
        let (mut found, mut large) = (Vec::new(), Vec::new());
        let mut wrong = self.each_text(
            path,
            |input, sources, take| each_file(input, sources, take),
            |stream| {
                large.extend(Problem::of_syntax(&stream));
                let roots = stream.documents.iter().map(Document::root).filter(|root| !root.is_null());
                for object in roots.flat_map(manifest::objects) {
                    match too_large(object.node) {
                        Some(finding) => large.push(Problem::from(finding)),
                        None => found.push(object.value()),
                    }
                }
            },
        )?;
        wrong.extend(large);
        if !wrong.is_empty() {
            return Err(QueryFailure::Files(super::CrdFailure::Unreadable(wrong)));
        }
        let count = found.len();
        match (found.pop(), count) {
            (Some(object), 1) => Ok(object),
            (None, _) => Err(QueryFailure::NoObject(path.to_owned())),
            (Some(_), count) => Err(QueryFailure::SeveralObjects(path.to_owned(), count)),
        }
    }

    /// The CRD of an object's kind.
    fn resource(&self, path: &Path, object: &Value, version: KubeVersion) -> Result<Resource, QueryFailure> {
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let definitions = self.definitions(path)?;
        let of_kind = |spec: &Spec| &*spec.group == group && &*spec.names.kind == kind;
        let Some(decoded) = definitions.iter().find(|decoded| of_kind(&decoded.crd.spec)) else {
            let missing =
                [("kind", kind), ("apiVersion", api_version)].into_iter().find(|(_, text)| text.is_empty());
            let kinds = definitions.iter().map(|decoded| decoded.crd.spec.names.kind.to_string());
            return Err(match missing {
                Some((name, _)) => QueryFailure::Unnamed(name),
                None => QueryFailure::OtherKinds {
                    path: path.to_owned(),
                    kind: kind.to_owned(),
                    api_version: api_version.to_owned(),
                    defined: kinds.collect(),
                },
            });
        };
        let resource = Resource::new(&decoded.crd, version)
            .map_err(|error| QueryFailure::NotUsable(path.to_owned(), error.text))?;
        let name = api_version.rsplit('/').next().unwrap_or_default();
        let served = resource.versions.iter().filter(|version| version.served);
        let served: Vec<String> = served.map(|version| version.name.to_string()).collect();
        match served.iter().any(|served| served == name) {
            true => Ok(resource),
            false => {
                let (kind, version) = (kind.to_owned(), name.to_owned());
                Err(QueryFailure::NotServed { kind, version, served })
            }
        }
    }
}
