//! CEL expressions with the verdicts of Kubernetes' environment: issues, type, estimate, value, fault, cost and limits.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;
use trueline_cel::cost;
use trueline_cel::env::Env;
use trueline_cel::function::{Size, Sizes};
use trueline_cel::program::{End, Outcome, Program};
use trueline_cel::syntax::{self, Issue};
use trueline_cel::types::Type;
use trueline_cel::value::Value;

use super::cel_values::{normal, read_plain, read_type, read_typed, write};
use crate::Case;

/// What one evaluation may cost if the case does not say.
const LIMIT: u64 = 1_000_000;

pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let path = folder.join("expr_cases.jsonl");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut cases = Vec::new();
    for line in text.lines() {
        let case = read(line).map_err(|error| format!("{}: {error}", path.display()))?;
        let id = case["id"].as_str().ok_or("a case without a name")?.to_owned();
        cases.push(Case::new(id, move || check(&case)));
    }
    Ok(cases)
}

/// A line of the corpus. Some values are nested deeper than the usual reader takes.
fn read(line: &str) -> Result<Json, String> {
    match serde_json::from_str(line) {
        Ok(case) => Ok(case),
        Err(_) => trueline_yaml::Value::from_json_text(line)
            .map(|case| case.to_serde())
            .map_err(|error| format!("{error:?}")),
    }
}

/// The sizes that a case gives.
struct Given(BTreeMap<String, Size>);

impl Sizes for Given {
    fn size(&self, path: &[Arc<str>], _: &Type) -> Option<Size> {
        self.0.get(&path.join(".")).copied()
    }
}

fn check(case: &Json) -> Result<(), String> {
    let text = case["expr"].as_str().ok_or("no expression")?;
    let (env, values) = environment(case)?;
    let limit = case["cost_limit"].as_u64().unwrap_or(LIMIT);
    if let Some(verdict) = case.get("unchecked") {
        check_unchecked(&env, text, &values, limit, verdict)?;
    }
    let problem = case["program_error"].as_str();
    let checked = match env.compile(text) {
        Ok(checked) => checked,
        // The reference crashes while it checks.
        Err(_) if problem.is_some_and(|problem| problem.starts_with("panic")) => return Ok(()),
        Err(issues) => return check_issues(case, &issues, text),
    };
    if let Some(issues) = case.get("compile_errors") {
        return Err(format!("is taken, but has issues: {issues}"));
    }
    same("type", &checked.result().to_string(), case["type"].as_str().unwrap_or_default())?;
    if let Some(expected) = case.get("estimate") {
        let estimate = cost::estimate(&checked, &sizes(case));
        let expected = format!(
            "{} {}",
            expected["min"].as_str().unwrap_or_default(),
            expected["max"].as_str().unwrap_or_default()
        );
        same("estimate", &format!("{} {}", estimate.min, estimate.max), &expected)?;
    }
    let program = match (Program::new(&env, &checked), problem) {
        (Ok(program), None) => program,
        (Ok(_), Some(problem)) => return Err(format!("is built, but should fail: {problem}")),
        (Err(fault), problem) => {
            return same(
                "program_error",
                comparable(&fault.to_string()),
                comparable(problem.unwrap_or_default()),
            );
        }
    };
    check_outcome(&program.run(&values, limit), case)?;
    for probe in case["limits"].as_array().into_iter().flatten() {
        let limit = probe["limit"].as_u64().unwrap_or_default();
        let exceeded = program.run(&values, limit).end == End::LimitExceeded;
        if exceeded != probe["exceeded"].as_bool().unwrap_or_default() {
            return Err(format!("limit {limit}: exceeded is {exceeded}"));
        }
    }
    Ok(())
}

fn environment(case: &Json) -> Result<(Env, Vec<Option<Value>>), String> {
    let version = case["version"].as_str().unwrap_or_default();
    let minor = version.split('.').nth(1).and_then(|minor| minor.parse().ok()).ok_or("no version")?;
    let mut env = trueline_kube_cel::environment(minor);
    if let Some(container) = case["container"].as_str() {
        env.set_container(container);
    }
    let mut values = Vec::new();
    for (name, variable) in case["vars"].as_object().into_iter().flatten() {
        let declared = read_type(variable["type"].as_str().unwrap_or_default())?;
        env.add_variable(name.as_str(), declared.clone());
        values.push(match (variable.get("value"), variable.get("cel")) {
            (Some(value), _) => Some(read_plain(value, &declared)?),
            (None, Some(value)) => Some(read_typed(value)?),
            (None, None) => None,
        });
    }
    Ok((env, values))
}

fn sizes(case: &Json) -> Given {
    let sizes = case["sizes"].as_object().into_iter().flatten().map(|(path, size)| {
        let bound = |index: usize| size[index].as_u64().unwrap_or_default();
        (path.clone(), Size::between(bound(0), bound(1)))
    });
    Given(sizes.collect())
}

fn check_unchecked(
    env: &Env,
    text: &str,
    values: &[Option<Value>],
    limit: u64,
    verdict: &Json,
) -> Result<(), String> {
    let ast = match syntax::parse(text, &env.syntax) {
        Ok(ast) => ast,
        Err(issues) => return Err(format!("unchecked: {issues:?}")),
    };
    let result = match Program::unchecked(env, &ast) {
        Ok(program) => check_outcome(&program.run(values, limit), verdict),
        Err(fault) => {
            let expected = verdict["error"].as_str().unwrap_or_default();
            let expected = expected.strip_prefix("program: ").unwrap_or(expected);
            same("error", comparable(&fault.to_string()), comparable(expected))
        }
    };
    result.map_err(|problem| format!("unchecked: {problem}"))
}

fn check_issues(case: &Json, issues: &[Issue], text: &str) -> Result<(), String> {
    let ours: Vec<String> = issues
        .iter()
        .take(100)
        .map(|issue| format!("{}:{}: {}", issue.line, issue.column, without_tokens(&issue.kind.to_string())))
        .collect();
    let theirs: Vec<String> = case["compile_errors"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|issue| {
            let message = without_tokens(issue["message"].as_str().unwrap_or_default());
            format!("{}:{}: {message}", issue["line"], issue["column"])
        })
        .collect();
    same("compile_errors", &ours.join("\n"), &theirs.join("\n"))?;
    match case["display"].as_str() {
        // The token sets are ANTLR's.
        Some(display) if !display.contains("expecting") => {
            same("display", &syntax::display(issues, text), display)
        }
        _ => Ok(()),
    }
}

/// The tokens that ANTLR expects are not compared.
fn without_tokens(message: &str) -> &str {
    match message.split_once("expecting") {
        Some((start, _)) if message.starts_with("Syntax error:") => start,
        _ => message,
    }
}

fn check_outcome(outcome: &Outcome, verdict: &Json) -> Result<(), String> {
    let exceeded = verdict["cost_limit_exceeded"].as_bool().unwrap_or_default();
    if exceeded != (outcome.end == End::LimitExceeded) {
        return Err(format!("exceeded is {}", !exceeded));
    }
    match (&outcome.result, verdict["error"].as_str()) {
        (Ok(value), None) => {
            same("value", &normal(&write(value)).to_string(), &normal(&verdict["value"]).to_string())?
        }
        (Ok(value), Some(error)) => return Err(format!("value {}, but should fail: {error}", write(value))),
        (Err(fault), Some(error)) => same("error", comparable(&fault.to_string()), comparable(error))?,
        (Err(fault), None) => {
            return Err(format!("fails with {fault}, expected {}", verdict["value"]));
        }
    }
    match verdict["cost"].as_u64() {
        Some(cost) if !exceeded => same("cost", &outcome.cost.to_string(), &cost.to_string()),
        _ => Ok(()),
    }
}

/// What of an error text is compared: not what only Go would say.
fn comparable(error: &str) -> &str {
    for prefix in ["internal error:", "panic", "invalid qualifier type:"] {
        if error.starts_with(prefix) {
            return prefix;
        }
    }
    if error.starts_with("error parsing regexp:") {
        return error.rsplit_once(": `").map_or(error, |(start, _)| start);
    }
    error
}

fn same(what: &str, ours: &str, theirs: &str) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: {ours}\nexpected: {theirs}")) }
}
