//! Conditions and tags of dependencies that enable or disable nothing. Helm says so in its log at best.

use trueline_diagnostic::{Diagnostic, Edit, Level};
use trueline_helm::chart::{Chart, Dependency};
use trueline_helm::dependencies::IgnoredSwitch;
use trueline_yaml::{Data, Value};

use super::codes::CONDITION;

/// What is wrong with the values that conditions and tags name. Each value is reported once, however many
/// dependencies it is meant for.
pub(super) fn check(ignored: &[IgnoredSwitch]) -> Vec<Diagnostic> {
    let mut findings: Vec<Diagnostic> = Vec::new();
    for switch in ignored {
        let Some(finding) = not_a_boolean(switch) else { continue };
        if !findings.iter().any(|other| other.primary.span == finding.primary.span) {
            findings.push(finding);
        }
    }
    findings
}

/// Conditions with a space in them, which Helm takes for a part of a key.
pub(super) fn spaces(chart: &Chart) -> Vec<Diagnostic> {
    chart.metadata.dependencies.iter().filter_map(space).collect()
}

/// Conditions that nothing sets, where the chart has a switch of another name for the dependency: the subchart is always
/// enabled.
pub(super) fn unset(chart: &Chart) -> Vec<Diagnostic> {
    chart.metadata.dependencies.iter().filter_map(|dependency| unset_condition(dependency, chart)).collect()
}

fn unset_condition(dependency: &Dependency, chart: &Chart) -> Option<Diagnostic> {
    let condition = dependency.condition.trim();
    let name = if dependency.alias.is_empty() { &dependency.name } else { &dependency.alias };
    let subchart = chart.dependencies.iter().find(|subchart| subchart.name() == name.as_str());
    let is_set = |path: &str| {
        let own = at(&chart.values, path.split('.'));
        let below = path.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.'));
        let default = below.zip(subchart).and_then(|(rest, chart)| at(&chart.values, rest.split('.')));
        own.or(default).is_some()
    };
    if condition.is_empty() || condition.split(',').any(|path| path.contains(' ') || is_set(path)) {
        return None;
    }
    let switch = chart.values.get(name)?.get("enabled")?;
    if !matches!(switch.data, Data::Bool(_)) {
        return None;
    }
    let meant = format!("{name}.enabled");
    let span = dependency.place("condition")?;
    let message = format!("nothing sets `{condition}`, so `{name}` is always enabled");
    let finding = Diagnostic::new(&CONDITION, span, message).level(Level::Semantic);
    let finding = match switch.origin {
        Some(place) => finding.related(place, "this switches nothing"),
        None => finding,
    };
    let edit = Edit { span, replacement: meant.clone() };
    Some(finding.help(format!("did you mean `{meant}`?")).fix(format!("write `{meant}`"), vec![edit]))
}

/// The value at a path.
fn at<'v, 'n>(values: &'v Value, mut names: impl Iterator<Item = &'n str>) -> Option<&'v Value> {
    names.try_fold(values, |value, name| value.get(name))
}

fn not_a_boolean(switch: &IgnoredSwitch) -> Option<Diagnostic> {
    let IgnoredSwitch { dependency, path, value, named } = switch;
    let found = match &value.data {
        Data::String(text) => format!("the string \"{text}\""),
        Data::Int(number) => format!("the number {number}"),
        Data::UInt(number) => format!("the number {number}"),
        Data::Float(number) => format!("the number {number}"),
        Data::List(_) => "a list".to_owned(),
        Data::Map(_) => "a map".to_owned(),
        // Nothing was set, so nothing was meant.
        Data::Null | Data::Bool(_) => return None,
    };
    // A value without a place of its own was put together of several.
    let place = value.origin.filter(|_| !matches!(value.data, Data::Map(_))).or(*named)?;
    let message =
        format!("`{path}` does not enable or disable `{dependency}`: expected a boolean, found {found}");
    let finding = Diagnostic::new(&CONDITION, place, message).label("ignored by Helm").level(Level::Semantic);
    let finding = match named.filter(|named| *named != place) {
        Some(named) => finding.related(named, "read here"),
        None => finding,
    };
    Some(match meant(value) {
        Some(meant) => {
            let finding = finding.help(format!("write `{meant}` without quotes"));
            match value.origin {
                Some(span) => {
                    let edit = Edit { span, replacement: meant.to_owned() };
                    finding.fix(format!("write `{meant}`"), vec![edit])
                }
                None => finding,
            }
        }
        None => finding.help("only `true` and `false` count"),
    })
}

/// The boolean that a string spells.
fn meant(value: &Value) -> Option<&'static str> {
    match &value.data {
        Data::String(text) if text.eq_ignore_ascii_case("true") => Some("true"),
        Data::String(text) if text.eq_ignore_ascii_case("false") => Some("false"),
        _ => None,
    }
}

fn space(dependency: &Dependency) -> Option<Diagnostic> {
    let condition = dependency.condition.trim();
    let spaced = condition.split(',').find(|path| *path != path.trim())?;
    let place = dependency.place("condition")?;
    let message =
        format!("the path `{}` of this condition is never found, because of the space", spaced.trim());
    let paths: Vec<&str> = condition.split(',').map(str::trim).collect();
    Some(
        Diagnostic::new(&CONDITION, place, message)
            .label("Helm takes the space for a part of the key")
            .help(format!("write `{}`", paths.join(",")))
            .level(Level::Semantic),
    )
}
