//! Objects of custom resources: what the server decodes, prunes, defaults, refuses and warns of.
//! What evaluating rules in CEL cost is compared, too.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value as Json;
use trueline_kube::crd as definition;
use trueline_kube::object::{Decoded, Resource, Verdict, with_server_numbers};
use trueline_kube::{FieldError, KubeVersion};
use trueline_yaml::{Value, yaml_to_json_strict, yaml_to_value};

use super::crd::{comparable, lines, read};
use crate::Case;

static WITH_RULES: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for case in lines(&folder.join("cr_cases.jsonl"))? {
        let crd = case["crd"].as_str().unwrap_or_default().to_owned();
        add(&case, &crd, "written", &mut cases);
    }
    for case in lines(&folder.join("real_cr_cases.jsonl"))? {
        let path = folder.join(case["crd_file"].as_str().unwrap_or_default());
        add(&case, &read(&path)?, "real", &mut cases);
    }
    Ok(cases)
}

pub(crate) fn summary() -> String {
    format!("{} objects meet rules in CEL", WITH_RULES.load(Ordering::Relaxed))
}

fn add(case: &Json, crd: &str, group: &str, cases: &mut Vec<Case>) {
    let id = case["id"].as_str().unwrap_or_default();
    let resource = Arc::new(resource(crd));
    for object in case["crs"].as_array().into_iter().flatten() {
        let name = object["name"].as_str().unwrap_or_default();
        let (resource, object) = (Arc::clone(&resource), object.clone());
        cases.push(Case::new(format!("{group}/{id}/{name}"), move || run(&resource, &object)));
    }
}

fn resource(crd: &str) -> Result<Resource, String> {
    let value = yaml_to_value(crd)?;
    let decoded = definition::decode(&value).map_err(|error| error.text)?;
    Resource::new(&decoded.crd, KubeVersion::CRD_RULES).map_err(|error| error.text)
}

fn run(resource: &Result<Resource, String>, case: &Json) -> Result<(), String> {
    let resource = resource.as_ref().map_err(|error| format!("the CRD: {error}"))?;
    let text = case["yaml"].as_str().unwrap_or_default();
    let expect = &case["expect"];
    let mut differences = Vec::new();
    let decoded = yaml_to_value(text)
        .map_err(String::from)
        .and_then(|value| resource.decode(&value, text).map_err(|error| error.text));
    let decoded = match (decoded, expect["decode_error"].as_str()) {
        (Err(error), Some(expected)) if error == expected => return Ok(()),
        (Err(error), expected) => return Err(format!("not decoded: {error}\n  expected {expected:?}")),
        (Ok(_), Some(expected)) => return Err(format!("decoded, expected: {expected}")),
        (Ok(decoded), None) => decoded,
    };
    let mut strict: BTreeSet<String> = decoded.unknown.iter().map(|field| field.text()).collect();
    strict.extend(yaml_to_json_strict(text).err().map(String::from));
    compare_sets("strict errors", &strict, &texts(&expect["strict_errors"]), &mut differences);
    let verdict = verdict(resource, &decoded, case)?;
    compare_values("object", &verdict.object, &expect["object"], &mut differences);
    if let Some(expected) = expect.get("decoded") {
        compare_values("decoded", &decoded.value, expected, &mut differences);
    }
    if expect["accepted"].as_bool() == Some(true) {
        let returned = resource.returned(&verdict.object, decoded.version);
        let expected = expect.get("returned").unwrap_or(&expect["object"]);
        // Of objects in other versions than the stored one, the state before the round trip was recorded.
        if decoded.version.storage || expect.get("returned").is_some() {
            match returned {
                Some(returned) => compare_values("returned", &returned, expected, &mut differences),
                None => differences.push("returned: nothing".to_owned()),
            }
        }
    }
    compare_verdicts(&verdict, expect, &mut differences);
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n  ")) }
}

fn verdict(resource: &Resource, decoded: &Decoded<'_>, case: &Json) -> Result<Verdict, String> {
    let old = match case["old"].as_str() {
        None => return Ok(resource.create(decoded)),
        Some(old) => old,
    };
    let value = yaml_to_value(old)?;
    let old = resource.decode(&value, old).map_err(|error| error.text)?;
    let old = resource.stored(&old);
    Ok(match case["op"].as_str() {
        Some("status") => resource.update_status(decoded, &old),
        _ => resource.update(decoded, &old),
    })
}

fn compare_verdicts(verdict: &Verdict, expect: &Json, differences: &mut Vec<String>) {
    let ours: BTreeSet<String> = verdict
        .errors
        .iter()
        .map(|error| {
            let field = error.printed_field();
            format!("{field} {} {}", error.reason().name(), comparable(&error.sentence()))
        })
        .collect();
    let expected: BTreeSet<String> = expect["errors"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|error| {
            let word = |name: &str| error[name].as_str().unwrap_or_default();
            format!("{} {} {}", word("field"), word("type"), comparable(word("detail")))
        })
        .collect();
    let forgiven = verdict.forgiven.iter().map(FieldError::message);
    let warnings: BTreeSet<String> = verdict.warnings.iter().cloned().chain(forgiven).collect();
    let expected_warnings = texts(&expect["warnings"]);
    if let Some(cost) = verdict.rule_cost {
        WITH_RULES.fetch_add(1, Ordering::Relaxed);
        if let Some(expected) = expect["cel_cost"].as_u64().filter(|expected| *expected != cost) {
            differences.push(format!("rules cost {cost}, expected {expected}"));
        }
    }
    compare_sets("errors", &ours, &expected, differences);
    compare_sets("warnings", &warnings, &expected_warnings, differences);
    if verdict.errors.is_empty() != (expect["accepted"].as_bool() == Some(true)) {
        differences.push(format!("accepted: {}", verdict.errors.is_empty()));
    }
}

fn texts(list: &Json) -> BTreeSet<String> {
    list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

fn compare_sets(
    what: &str,
    ours: &BTreeSet<String>,
    expected: &BTreeSet<String>,
    differences: &mut Vec<String>,
) {
    differences.extend(expected.difference(ours).map(|text| format!("{what}: missing: {text}")));
    differences.extend(ours.difference(expected).map(|text| format!("{what}: too many: {text}")));
}

fn compare_values(what: &str, ours: &Value, expected: &Json, differences: &mut Vec<String>) {
    let expected = with_server_numbers(&Value::from_serde(expected));
    if *ours != expected {
        let text = |value: &Value| value.to_json_text().unwrap_or_default();
        differences.push(format!("{what}: {}\n    expected {}", text(ours), text(&expected)));
    }
}
