//! The objects and the CRD that expressions are asked of.

use std::path::Path;

use trueline_kube::cel::query::Query;
use trueline_kube::manifest;
use trueline_kube::object::Resource;
use trueline_kube::{DecodeError, KubeVersion};
use trueline_source::SourceMap;
use trueline_yaml::{Document, Value};

use crate::command::crd::reading::{address, definitions, each_text, inputs, syntax_errors};

/// What the flags say that expressions are asked of, or why that cannot be done.
pub(super) fn query(
    object: Option<&Path>,
    old: Option<&Path>,
    crd: Option<&Path>,
    version: KubeVersion,
) -> Result<Query, String> {
    let sources = SourceMap::new();
    let object = object.map(|path| read(path, &sources)).transpose()?;
    let old = old.map(|path| read(path, &sources)).transpose()?;
    match (&object, crd) {
        (Some(object), Some(crd)) => {
            let resource = resource(crd, object, version, &sources)?;
            let unreadable = |error: DecodeError| match error.place {
                Some(place) => format!("{}: {}", address(place, &sources), error.text),
                None => error.text,
            };
            Query::of_resource(&resource, object, old.as_ref(), version).map_err(unreadable)
        }
        (object, _) => Ok(Query::untyped(object.as_ref(), old.as_ref(), version)),
    }
}

/// The only object of a file.
fn read(path: &Path, sources: &SourceMap) -> Result<Value, String> {
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    let mut large = Vec::new();
    for input in inputs(&[path.to_owned()])? {
        wrong.extend(each_text(&input, sources, |stream| {
            large.extend(syntax_errors(&stream, sources));
            let roots = stream.documents.iter().map(Document::root).filter(|root| !root.is_null());
            for object in roots.flat_map(manifest::objects) {
                match trueline_analysis::too_large(object.node) {
                    Some(finding) => {
                        large.push(format!(
                            "{}: {}",
                            address(finding.primary.span, sources),
                            finding.message
                        ));
                    }
                    None => found.push(object.value()),
                }
            }
        }));
    }
    wrong.extend(large);
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    let count = found.len();
    match (found.pop(), count) {
        (Some(object), 1) => Ok(object),
        (None, _) => Err(format!("`{}` holds no object", path.display())),
        (Some(_), count) => {
            Err(format!("`{}` holds {count} objects; an expression is asked of one", path.display()))
        }
    }
}

/// The definition of an object's kind.
fn resource(
    path: &Path,
    object: &Value,
    version: KubeVersion,
    sources: &SourceMap,
) -> Result<Resource, String> {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let definitions = definitions(path, sources)?;
    let named: Vec<String> =
        definitions.iter().map(|decoded| format!("`{}`", decoded.crd.spec.names.kind)).collect();
    let of_kind = |spec: &trueline_kube::crd::Spec| &*spec.group == group && &*spec.names.kind == kind;
    let Some(decoded) = definitions.iter().find(|decoded| of_kind(&decoded.crd.spec)) else {
        let missing =
            [("kind", kind), ("apiVersion", api_version)].into_iter().find(|(_, text)| text.is_empty());
        return Err(match missing {
            Some((name, _)) => format!("the object has no `{name}`, so its CRD cannot be found"),
            None => format!(
                "`{}` does not define the kind `{kind}` ({api_version}); it defines {}",
                path.display(),
                named.join(", ")
            ),
        });
    };
    let resource = Resource::new(&decoded.crd, version)
        .map_err(|error| format!("`{}` cannot be used as a CRD: {}", path.display(), error.text))?;
    let name = api_version.rsplit('/').next().unwrap_or_default();
    let served: Vec<&str> =
        resource.versions.iter().filter(|version| version.served).map(|version| &*version.name).collect();
    if !served.contains(&name) {
        return Err(format!(
            "the CRD of `{kind}` does not serve the version `{name}`; it serves {}",
            served.join(", ")
        ));
    }
    Ok(resource)
}
