//! What the API server says about CRDs: those written for each of its rules, updates, and real ones. Errors are
//! compared as sets of field, type and detail.
//!
//! Of syntax errors in CEL, what comes after the word `expecting` is not compared. What rules may cost is.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value as Json;
use trueline_kube::crd::{self, Crd};
use trueline_kube::{FieldError, KubeVersion};

use crate::Case;

static RULES: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for case in lines(&folder.join("crd_cases.jsonl"))? {
        let group = match case["tags"].as_array().into_iter().flatten().find_map(|tag| match tag.as_str() {
            Some(tag @ ("update" | "v1beta1" | "decode" | "cel" | "default" | "structural")) => Some(tag),
            _ => None,
        }) {
            Some(tag) => tag.to_owned(),
            None => "rules".to_owned(),
        };
        let id = format!("{group}/{}", text(&case, "id"));
        cases.push(Case::new(id, move || {
            let old = case.get("old_crd").and_then(Json::as_str);
            compare(text(&case, "crd"), old, case["established"] == true, &case["expect"])
        }));
    }
    for case in lines(&folder.join("real_index.jsonl"))? {
        let path = folder.join(text(&case, "file"));
        let id = format!("real/{}", text(&case, "id"));
        cases.push(Case::new(id, move || compare(&read(&path)?, None, false, &case["expect"])));
    }
    Ok(cases)
}

pub(crate) fn summary() -> String {
    format!("the costs of {} rules in CEL were compared", RULES.load(Ordering::Relaxed))
}

pub(super) fn lines(path: &Path) -> Result<Vec<Json>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let parsed = text.lines().map(|line| serde_json::from_str(line).map_err(|error| error.to_string()));
    parsed.collect()
}

pub(super) fn read(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut text = String::new();
    let result = if path.extension().is_some_and(|extension| extension == "gz") {
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text)
    } else {
        bytes.as_slice().read_to_string(&mut text)
    };
    result.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text)
}

fn compare(yaml: &str, old: Option<&str>, established: bool, expect: &Json) -> Result<(), String> {
    let decoded = decode(yaml);
    let mut differences = Vec::new();
    let mut same = |what: &str, found: BTreeSet<String>, expected: BTreeSet<String>| {
        let extra: Vec<_> = found.difference(&expected).cloned().collect();
        let missing: Vec<_> = expected.difference(&found).cloned().collect();
        if !extra.is_empty() || !missing.is_empty() {
            differences.push(format!("{what}: too much {extra:?}, missing {missing:?}"));
        }
    };
    let expected_decode = expect["decode_error"].as_str().map(str::to_owned);
    let (crd, mut strict) = match decoded {
        Err(problem) => {
            same("decoding", [problem].into(), expected_decode.into_iter().collect());
            return if differences.is_empty() { Ok(()) } else { Err(differences.join("\n")) };
        }
        Ok(decoded) => decoded,
    };
    same("decoding", BTreeSet::new(), expected_decode.into_iter().collect());
    let verdict = match old {
        None => crd.validate_create(KubeVersion::CRD_RULES),
        Some(old) => {
            let mut old = decode(old)?.0;
            if established {
                old.assume_established();
            }
            crd.validate_update(&old, KubeVersion::CRD_RULES)
        }
    };
    if expect.get("panic").is_some() {
        let refused = verdict.errors.iter().any(|error| error.field.goes_through("openAPIV3Schema"));
        return if refused { Ok(()) } else { Err("the schema that crashes the server passes".to_owned()) };
    }
    let mut expected = BTreeSet::new();
    for error in expect["errors"].as_array().into_iter().flatten() {
        expected.insert(
            [text(error, "field"), text(error, "type"), &comparable(text(error, "detail"))].join(" | "),
        );
    }
    let triple = |error: &FieldError| {
        [&*error.field.to_string(), error.reason().name(), &comparable(&error.sentence())].join(" | ")
    };
    same("errors", verdict.errors.iter().map(triple).collect(), expected);
    same(
        "warnings",
        verdict.warnings.iter().map(|warning| warning.text.clone()).collect(),
        strings(&expect["warnings"]),
    );
    if let Err(problem) = trueline_yaml::yaml_to_json_strict(yaml) {
        strict.insert(problem.to_string());
    }
    same("strict", strict, strings(&expect["strict_errors"]));
    let condition = crd
        .non_structural_condition()
        .map(|condition| format!("{} | {} | {}", condition.status, condition.reason, condition.message));
    let expected = expect.get("non_structural").filter(|condition| !condition.is_null()).map(|condition| {
        [text(condition, "status"), text(condition, "reason"), text(condition, "message")].join(" | ")
    });
    same("condition", condition.into_iter().collect(), expected.into_iter().collect());
    for (index, version) in crd.spec.versions.iter().enumerate() {
        let found = match crd.structural_violations(index, version) {
            Ok(found) => found.iter().map(FieldError::message).collect(),
            Err(refused) => [refused.text].into(),
        };
        same("violations", found, strings(&expect["structural_violations"][&*version.name]));
    }
    if let Err(costs) = compare_costs(&crd, &expect["cel_costs"]) {
        differences.push(costs);
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n")) }
}

fn decode(yaml: &str) -> Result<(Crd, BTreeSet<String>), String> {
    let value = trueline_yaml::yaml_to_value(yaml)?;
    let decoded = crd::decode(&value).map_err(|error| error.text)?;
    Ok((decoded.crd, decoded.unknown.iter().map(|field| field.text()).collect()))
}

/// A detail without what is not compared: the tokens that a parser of CEL expects, and the made-up names of types.
pub(super) fn comparable(detail: &str) -> String {
    let mut text = String::new();
    for (index, line) in detail.split('\n').enumerate() {
        if index > 0 {
            text.push('\n');
        }
        match line.split_once(" expecting ") {
            Some((before, _)) if line.contains("Syntax error:") => text.push_str(before),
            _ => text.push_str(line),
        }
    }
    text.replace("selfType#", "selfType")
}

/// What the rules of each version may cost.
fn compare_costs(crd: &Crd, expect: &Json) -> Result<(), String> {
    let mut differences = Vec::new();
    for (name, rows) in expect.as_object().into_iter().flatten() {
        let Some(version) = crd.spec.versions.iter().find(|version| &*version.name == name) else { continue };
        let found: BTreeSet<String> = crd
            .rule_costs(version, KubeVersion::CRD_RULES)
            .into_iter()
            .map(|cost| {
                format!(
                    "{} {} {} {} {:?}",
                    cost.path, cost.index, cost.max_cost, cost.cost, cost.message_cost
                )
            })
            .collect();
        let expected: BTreeSet<String> = rows
            .as_array()
            .into_iter()
            .flatten()
            .filter(|row| row.get("error").is_none())
            .map(|row| {
                RULES.fetch_add(1, Ordering::Relaxed);
                let number = |key: &str| row[key].as_u64().unwrap_or_default();
                let message = row["message_cost"].as_u64();
                format!(
                    "{} {} {} {} {message:?}",
                    text(row, "path"),
                    number("index"),
                    number("max_cost"),
                    number("cost")
                )
            })
            .collect();
        differences.extend(expected.difference(&found).map(|row| format!("cost missing: {row}")));
        differences.extend(found.difference(&expected).map(|row| format!("cost too much: {row}")));
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n")) }
}

fn strings(list: &Json) -> BTreeSet<String> {
    list.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn text<'a>(case: &'a Json, key: &str) -> &'a str {
    case.get(key).and_then(Json::as_str).unwrap_or_default()
}
