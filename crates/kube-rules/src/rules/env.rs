//! Environment variables: a name, and a value or one place that it comes from.

use std::collections::BTreeMap;

use trueline_kube_facts::meant::nearest;
use trueline_kube_facts::{go_quoted, rules};

use super::pod::backsteps;
use super::{Context, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A variable is not taken from exactly one source.
    SOURCE_COUNT: Invalid, "env/source-count", "{}";
    /// A variable has both a value and a source.
    VALUE_AND_SOURCE: Invalid, "env/value-and-source", "may not be specified when `value` is not empty";
    /// A variable is taken from more than one source.
    TWO_SOURCES: Invalid, "env/two-sources", "may not have more than one field specified at a time";
    /// A list of variables is not taken from exactly one source.
    SOURCE_LIST: Invalid, "env/source-list", "{}";
    /// A variable is read from a volume that the pod does not have.
    UNKNOWN_VOLUME: NotFound, "env/unknown-volume";
    /// A variable is read from a volume that is not an `emptyDir`.
    VOLUME_TYPE: Invalid, "env/volume-type", "referenced volume must be of type emptyDir";
}

const SOURCES: &[&str] = &["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];

/// Since this version, names may hold nearly everything.
const RELAXED: u16 = 32;

/// Checks `core.EnvVar`.
pub(super) fn check(variable: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let name = variable.child("name");
    if let Some(text) = name.full_text() {
        let is_relaxed = context.version.minor >= RELAXED;
        let syntax = if is_relaxed { syntax::relaxed_environment_name } else { syntax::environment_name };
        report.complain(&name, syntax(text));
    }
    let source = variable.child("valueFrom");
    if source.is_absent() {
        return;
    }
    let count = SOURCES.iter().filter(|name| !source.child(name).is_absent()).count();
    if count == 0 {
        let mut detail =
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
        if context.version.minor >= 35 {
            detail = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or \
                      `fileKeyRef`";
        }
        report.refuse(&source, SOURCE_COUNT.with(detail));
    } else if variable.child("value").full_text().is_some() {
        report.refuse(&source, &VALUE_AND_SOURCE);
    } else if count > 1 {
        report.refuse(&source, &TWO_SOURCES);
    }
}

/// Checks `core.EnvFromSource`. The server names the list where it means an item.
pub(super) fn check_source(source: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let prefix = source.child("prefix");
    if let Some(text) = prefix.full_text() {
        let is_relaxed = context.version.minor >= RELAXED;
        let syntax = if is_relaxed { syntax::relaxed_environment_name } else { syntax::environment_name };
        report.complain(&prefix, syntax(text));
    }
    let count = ["configMapRef", "secretRef"].iter().filter(|name| !source.child(name).is_absent()).count();
    let words = match count {
        0 => "must specify one of: `configMapRef` or `secretRef`",
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    let list = source.path().parent();
    report.refuse_in(list, source.span(), Some(go_quoted("")), SOURCE_LIST.with(words));
}

/// Checks `core.FileKeySelector`.
pub(super) fn check_file(file: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    backsteps(&file.child("path"), report);
}

const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Checks `core.PodSpec`: files with variables are in volumes of the pod that begin empty.
pub(super) fn check_files(pod: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let named = |container: &FieldPlace<'_, '_>| {
        container.child("env").items().any(|variable| {
            let source = variable.child("valueFrom");
            !source.is_absent() && !source.child("fileKeyRef").is_absent()
        })
    };
    // Hardly any pod has one, and all pods are asked.
    if !CONTAINERS.iter().any(|list| pod.child(list).items().any(|container| named(&container))) {
        return;
    }
    let volumes = pod.child("volumes");
    let mut known = BTreeMap::new();
    for volume in volumes.items() {
        // A volume without a source is an empty directory.
        let mut others = volume.entries().filter(|(name, place)| name != "name" && !place.is_absent());
        let is_empty = others.all(|(name, _)| name == "emptyDir");
        if let Some(name) = volume.child("name").text() {
            known.insert(name, is_empty);
        }
    }
    for list in CONTAINERS {
        for container in pod.child(list).items() {
            for variable in container.child("env").items() {
                let source = variable.child("valueFrom");
                let file = source.child("fileKeyRef");
                let name = file.child("volumeName");
                let Some(text) = name.text().filter(|_| !file.is_absent()) else { continue };
                match known.get(text) {
                    None => report.refuse_meant(
                        &name,
                        &UNKNOWN_VOLUME,
                        nearest(text, known.keys().copied()).map(str::to_owned),
                    ),
                    Some(false) => report.refuse(&name, &VOLUME_TYPE),
                    Some(true) => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const FRAME: &str =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, {}}]}\n";

    #[test]
    fn variables_of_files() {
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, emptyDir: {}}, {name: w, emptyDir: null}, {name: x, configMap: {name: c}}], containers: [{name: a, image: i, env: [{name: A, valueFrom: {fileKeyRef: {FILE}}}]}]}\n";
        let bench = Bench::new();
        for file in ["volumeName: v, path: a/b, key: k", "volumeName: w, path: a, key: k"] {
            bench.accepts(&frame.replace("FILE", file));
        }
        let path = "spec.containers[0].env[0].valueFrom.fileKeyRef";
        for (file, error) in [
            ("volumeName: yy, path: a, key: k", ".volumeName: Not found: \"yy\""),
            (
                "volumeName: x, path: a, key: k",
                ".volumeName: Invalid value: \"x\": referenced volume must be of type emptyDir",
            ),
            ("volumeName: v, path: ../a, key: k", ".path: Invalid value: \"../a\": must not contain '..'"),
            (
                "volumeName: v, path: a, key: k=",
                ".key: Invalid value: \"k=\": a valid environment variable name",
            ),
            ("volumeName: v, key: k", ".path: Required value"),
        ] {
            bench.refuses(&frame.replace("FILE", file), &[&format!("{path}{error}")]);
        }
    }

    #[test]
    fn variables() {
        let bench = Bench::new();
        bench.accepts_all(
            FRAME,
            &[
                "env: [{name: A}]",
                "env: [{name: A, value: b}, {name: A, value: c}]",
                "env: [{name: '1 a', value: null}]",
                "env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]",
                "envFrom: [{configMapRef: {name: c}}, {prefix: P_, secretRef: {name: s}}]",
            ],
        );
        bench.refuses_all(FRAME, &[
            ("env: [{value: a}]", "spec.containers[0].env[0].name: Required value"),
            ("env: [{name: A=B}]", "spec.containers[0].env[0].name: Invalid value: \"A=B\": a valid environment variable name"),
            ("env: [{name: A, valueFrom: {}}]", "spec.containers[0].env[0].valueFrom: Invalid value"),
            ("env: [{name: A, value: b, valueFrom: {secretKeyRef: {name: s, key: k}}}]", "spec.containers[0].env[0].valueFrom: Invalid value"),
            ("env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}, configMapKeyRef: {name: s, key: k}}}]", "spec.containers[0].env[0].valueFrom: Invalid value"),
            ("env: [{name: A, valueFrom: {secretKeyRef: {name: s}}}]", "spec.containers[0].env[0].valueFrom.secretKeyRef.key: Required value"),
            ("env: [{name: A, value: 1}]", "spec.containers[0].env[0].value: WrongType(String, Number)"),
            ("envFrom: [{prefix: a=, configMapRef: {name: c}}]", "spec.containers[0].envFrom[0].prefix: Invalid value: \"a=\": a valid environment variable name"),
            ("envFrom: [{}]", "spec.containers[0].envFrom: Invalid value: \"\": must specify one of: `configMapRef` or `secretRef`"),
        ]);
        Bench::of(30).refuses_all(
            FRAME,
            &[("env: [{name: '1a'}]", "spec.containers[0].env[0].name: Invalid value: \"1a\"")],
        );
    }
}
