//! The files of `crds/`: plain custom resource definitions, and no templates.

use super::objects::Objects;
use super::{Linter, PathEntry, Severity};
use crate::chart::{Compat, LoadFailure, Loaded};

const DIRECTORY: &str = "crds/";

pub(super) fn check(linter: &mut Linter<'_>, loaded: &Result<Loaded, LoadFailure>) {
    match linter.look("crds") {
        PathEntry::Nothing => return,
        PathEntry::Other => return linter.say(Severity::Error, DIRECTORY, "not a directory"),
        PathEntry::Directory => {}
    }
    let chart = match linter.chart(loaded) {
        Ok(loaded) => &loaded.chart,
        Err(wrong) => return linter.say(Severity::Error, DIRECTORY, wrong),
    };
    for crd in chart.crds() {
        let name = &*crd.file.name;
        let text = String::from_utf8_lossy(&crd.file.data);
        for object in Objects::new(&crd.file.data, &text, Compat::Helm4) {
            let object = match object {
                Ok(Some(object)) => object,
                Ok(None) => continue,
                Err(wrong) => {
                    return linter.say(Severity::Error, name, format!("unable to parse YAML: {wrong}"));
                }
            };
            if !object.api_version.starts_with("apiextensions.k8s.io") {
                linter.say(Severity::Error, name, "apiVersion is not in 'apiextensions.k8s.io'");
            }
            if object.kind != "CustomResourceDefinition" {
                linter.say(Severity::Error, name, "object kind is not 'CustomResourceDefinition'");
            }
        }
    }
}
