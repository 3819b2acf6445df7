//! One cause, one finding: the server reports everything that follows from a mistake as an error of its own, and a reader
//! wants the mistake. What [`super::validate`] finds stays as the server has it; this is for reports.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_diagnostic::{Diagnostic, Severity};
use trueline_kube_facts::{FieldPath, Reason};
use trueline_kube_rules::rules::selector;
use trueline_source::Span;
use trueline_yaml::{NodeRef, ReadOptions};

use super::words::Said;
use super::{Fact, Meant, Object, Problem, Verdict, diagnostic, names, plain};

/// Leaves out the problems of an object that follow from others. `text` is what the object is written in, and `validate`
/// looks at an object as it was looked at to find them.
pub fn without_consequences(
    mut problems: Vec<Problem>,
    object: &Object<'_>,
    text: &str,
    validate: impl Fn(&Object<'_>) -> Verdict,
) -> Vec<Problem> {
    if problems.len() < 2 {
        return problems;
    }
    if let Some(left) = left_when_fixed(&problems, object, text, validate) {
        problems.retain(|problem| change_of(problem).is_some() || left.contains(&words_of(problem, object)));
    }
    let fields: Vec<FieldPath> =
        problems.iter().filter(is_error).map(|problem| problem.field.clone()).collect();
    problems.retain(|problem| !follows_in_selector(problem, &fields));
    let unknown: FxHashSet<Span> = problems
        .iter()
        .filter(|problem| matches!(problem.fact, Fact::UnknownField(..)))
        .map(|problem| problem.place)
        .collect();
    problems.retain(|problem| !is_about_unknown_fields(problem, object, &unknown));
    without_copies(&mut problems);
    problems
}

/// Leaves out what the server says once more of a value that another field takes over, such as the port of a Service that is
/// its target port as well.
fn without_copies(problems: &mut Vec<Problem>) {
    let mut seen: FxHashMap<(Span, &'static str), (Option<String>, FieldPath)> = FxHashMap::default();
    problems.retain(|problem| {
        let Fact::Refused(error, _) = &problem.fact else { return true };
        // What is missing points at what is around it.
        if error.reason() != Reason::Invalid || error.typed().is_empty() {
            return true;
        }
        match seen.entry((problem.place, error.rule.info.name)) {
            Entry::Occupied(first) => {
                let (value, field) = first.get();
                *value != error.value || *field == problem.field
            }
            Entry::Vacant(place) => {
                place.insert((error.value.clone(), problem.field.clone()));
                true
            }
        }
    });
}

/// Joins findings that say the same of one place, and what several rules say of one value. They belong to these problems,
/// one to each.
pub fn together(problems: &[Problem], findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<(&Problem, Diagnostic)> = Vec::new();
    for (problem, finding) in problems.iter().zip(findings) {
        let is_of_same = |(_, other): &&mut (&Problem, Diagnostic)| {
            other.code == finding.code
                && other.primary.span == finding.primary.span
                && other.path == finding.path
                && other.kube.as_ref().map(|cause| &cause.kind)
                    == finding.kube.as_ref().map(|cause| &cause.kind)
        };
        match kept.last_mut().filter(is_of_same) {
            Some((first, before)) => match joined(first, problem) {
                Joined::Same => {}
                Joined::Instead => (*first, *before) = (problem, finding),
                Joined::And(words) => before.message.push_str(&words),
                Joined::No if before.message == finding.message => {}
                Joined::No => kept.push((problem, finding)),
            },
            None => kept.push((problem, finding)),
        }
    }
    kept.into_iter().map(|(_, finding)| finding).collect()
}

/// What becomes of a second problem with a value.
enum Joined {
    /// It is reported as well.
    No,
    /// It says nothing new.
    Same,
    /// It says more than the first, which is left out.
    Instead,
    /// This is said after the first.
    And(String),
}

fn joined(first: &Problem, second: &Problem) -> Joined {
    let (Fact::Refused(first, _), Fact::Refused(second, _)) = (&first.fact, &second.fact) else {
        return Joined::No;
    };
    // Where several lists of choices count, a value has to be in the shortest.
    if let (Some(before), Some(after)) = (first.choices(), second.choices()) {
        return if after.len() < before.len() { Joined::Instead } else { Joined::Same };
    }
    if plain::has_words(first) || plain::has_words(second) {
        return Joined::No;
    }
    match (names::words(first), names::words(second)) {
        (Some(before), Some(after)) if before.about == after.about => Joined::Same,
        (Some(_), Some(after)) => Joined::And(format!("; it also {}", after.about)),
        (None, None) => {
            let (before, after) = (Said::of(first), Said::of(second));
            match after.reason {
                _ if before.head != after.head => Joined::No,
                reason if reason == before.reason => Joined::Same,
                Some(reason) => Joined::And(format!("; {reason}")),
                None => Joined::No,
            }
        }
        _ => Joined::No,
    }
}

fn is_error(problem: &&Problem) -> bool {
    problem.severity == Severity::Error
}

/// A problem in words: what two looks at an object are compared by.
fn words_of(problem: &Problem, object: &Object<'_>) -> (FieldPath, &'static str, String) {
    let finding = diagnostic(problem, object);
    (problem.field.clone(), finding.code.id, finding.message)
}

/// The change that fixes a problem for sure, if there is one.
fn change_of(problem: &Problem) -> Option<(Span, &str)> {
    let meant: &str = match &problem.fact {
        Fact::UnknownField(_, Meant::Name(near)) => near,
        Fact::Refused(_, Some(meant)) => meant,
        Fact::Unreadable(_, meant) => match meant.as_slice() {
            [only] => only,
            _ => return None,
        },
        _ => return None,
    };
    Some((problem.place, meant))
}

/// What is still wrong with an object once all sure changes are made: what is not among it followed from the mistakes that
/// they fix. Nothing if no change is sure, or if the changed object cannot be read by itself, as where it has aliases.
fn left_when_fixed(
    problems: &[Problem],
    object: &Object<'_>,
    text: &str,
    validate: impl Fn(&Object<'_>) -> Verdict,
) -> Option<FxHashSet<(FieldPath, &'static str, String)>> {
    let whole = object.node.span();
    let mut changes: Vec<(Span, &str)> = problems.iter().filter_map(change_of).collect();
    changes.retain(|(span, meant)| {
        let is_inside = span.source == whole.source && span.start >= whole.start && span.end <= whole.end;
        is_inside && span.start < span.end && meant.bytes().all(|byte| byte.is_ascii_graphic())
    });
    changes.sort_by_key(|(span, _)| *span);
    changes.dedup_by_key(|(span, _)| *span);
    if changes.is_empty() {
        return None;
    }
    // The first line of an object keeps its indentation: it may be an item of a list.
    let line = text.get(..whole.start as usize)?.rsplit('\n').next()?;
    let mut changed = " ".repeat(line.chars().count());
    let mut from = whole.start;
    for (span, meant) in changes {
        changed.push_str(text.get(from as usize..span.start as usize)?);
        changed.push_str(&format!("{meant:?}"));
        from = span.end;
    }
    changed.push_str(text.get(from as usize..whole.end as usize)?);
    let stream = trueline_yaml::read(whole.source, &Arc::from(changed), &ReadOptions::default());
    let [document] = stream.documents.as_slice() else { return None };
    if !stream.errors.is_empty() {
        return None;
    }
    let fixed = Object { api_version: object.api_version, kind: object.kind, ..Object::new(document.root()) };
    match validate(&fixed) {
        Verdict::Checked(left) => Some(left.iter().map(|problem| words_of(problem, &fixed)).collect()),
        Verdict::Skipped(_) => None,
    }
}

/// Whether the server only says once more that a selector is wrong: a selector that is missing or not allowed selects
/// nothing, and labels that are not allowed are not those that were meant.
fn follows_in_selector(problem: &Problem, fields: &[FieldPath]) -> bool {
    let Fact::Refused(error, _) = &problem.fact else { return false };
    let field = &problem.field;
    if error.breaks(&selector::TEMPLATE_LABELS) {
        // The path is that of the labels of the template's metadata.
        let spec = field.parent().parent().parent();
        let (selector, labels) = (spec.field("selector"), spec.field("template").field("labels"));
        return fields.iter().any(|field| field.below(&selector).is_some() || *field == labels);
    }
    let is_general = error.breaks(&selector::NOT_A_SELECTOR) || error.breaks(&selector::INVALID);
    let is_inside = |other: &FieldPath| other.below(field).is_some_and(|rest| !rest.is_empty());
    is_general && field.ends_with(&["selector"]) && fields.iter().any(is_inside)
}

/// Whether the server misses something in a map only because all that is in it has unknown names.
fn is_about_unknown_fields(problem: &Problem, object: &Object<'_>, unknown: &FxHashSet<Span>) -> bool {
    let Fact::Refused(error, _) = &problem.fact else { return false };
    if unknown.is_empty() || !matches!(error.reason(), Reason::Required | Reason::Invalid) {
        return false;
    }
    let node = object.node.at_pointer(&problem.field.pointer());
    let mut entries = node.and_then(NodeRef::entries).into_iter().flatten().peekable();
    entries.peek().is_some() && entries.all(|(key, _)| unknown.contains(&key.span()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_kube_api::Api;

    use crate::manifest::{Options, objects, validate};
    use trueline_source::{SourceKind, SourceMap};

    const DEPLOYMENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx
        ports: [{name: http, containerPort: 80}]
        resources: {limits: {memory: 1Gi}}
        volumeMounts: [{name: tmp, mountPath: /tmp}]
        livenessProbe: {httpGet: {port: http}}
      volumes: [{name: tmp, emptyDir: {}}]
";

    /// What is reported of the first object of a file.
    fn reported(text: &str) -> Vec<String> {
        let sources = SourceMap::new();
        let id = sources.add("a.yaml", SourceKind::File, text);
        let stream = trueline_yaml::read(id, sources.get(id).text(), &ReadOptions::default());
        let object = objects(stream.documents[0].root())[0];
        let (api, options) = (Api::nearest(None).unwrap(), Options::default());
        let Verdict::Checked(problems) = validate(api, &object, &options) else { panic!("{text}") };
        let problems =
            without_consequences(problems, &object, text, |object| validate(api, object, &options));
        let findings = problems.iter().map(|problem| diagnostic(problem, &object)).collect();
        together(&problems, findings)
            .into_iter()
            .map(|finding| format!("{} {}", finding.code, finding.message))
            .collect()
    }

    #[test]
    fn a_misspelt_name_is_one_finding() {
        for (typed, instead) in [
            ("  selector:", "  selectro:"),
            ("matchLabels:", "matchLabel:"),
            ("  template:", "  tempalte:"),
            ("{labels:", "{lables:"),
            ("containers:", "contaniers:"),
            ("- name:", "- nmae:"),
            ("containerPort:", "contanierPort:"),
            ("volumes:", "volmes:"),
            ("mountPath:", "mountpath:"),
            ("httpGet:", "httpget:"),
            ("metadata: {name", "metdata: {name"),
            ("\nspec:", "\nspce:"),
        ] {
            let text = DEPLOYMENT.replacen(typed, instead, 1);
            let found = reported(&text);
            assert!(found.len() == 1 && found[0].starts_with("TL0701"), "{instead}: {found:#?}");
            let list =
                format!("apiVersion: v1\nkind: List\nitems:\n- {}", text.trim_end().replace('\n', "\n  "));
            assert_eq!(reported(&list), found, "in a list");
        }
    }

    #[test]
    fn a_wrong_selector_is_one_finding() {
        for (typed, instead, code) in [
            ("selector: {matchLabels: {app: web}}", "selector: null", "TL0703"),
            ("selector: {matchLabels: {app: web}}", "selector: {}", "TL0704"),
            ("matchLabels: {app: web}", "matchLabels: {app: w b}", "TL0704"),
            ("{labels: {app: web}", "{labels: {app: w!}", "TL0704"),
            ("{labels: {app: web}", "{labels: {app: wep}", "TL0704"),
        ] {
            let found = reported(&DEPLOYMENT.replacen(typed, instead, 1));
            assert!(found.len() == 1 && found[0].starts_with(code), "{instead}: {found:#?}");
        }
    }

    #[test]
    fn what_several_rules_say_of_one_value_is_one_finding() {
        for (typed, instead) in [("memory: 1Gi", "memry: 1Gi"), ("name: http", "name: http_very_long_name")] {
            let found = reported(&DEPLOYMENT.replacen(typed, instead, 1));
            assert_eq!(found.len(), 1, "{instead}: {found:#?}");
        }
    }

    #[test]
    fn a_value_that_another_field_takes_over_is_one_finding() {
        let text = "apiVersion: v1
kind: Service
metadata: {name: a}
spec: {ports: [{port: 80000}]}
";
        let found = reported(text);
        assert_eq!(found, ["TL0704 `spec.ports[0].port` is 80000, which is not a port number"]);
    }

    #[test]
    fn a_name_that_is_long_and_of_another_form_is_one_finding() {
        let name = format!("A{}", "a".repeat(69));
        let found = reported(&DEPLOYMENT.replacen("- name: web", &format!("- name: {name}"), 1));
        let expected = format!(
            "TL0704 `spec.template.spec.containers[0].name` is 70 characters long; the limit is 63; it also is {name:?}, \
             which is not a valid name"
        );
        assert_eq!(found, [expected]);
    }

    #[test]
    fn a_map_of_unknown_fields_is_not_called_empty_as_well() {
        let text = "apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: i}
spec: {rules: [{http: {paths: [{path: /, pathType: Prefix, backend: {serviceName: x, servicePort: 80}}]}}]}
";
        let found = reported(text);
        assert!(found.len() == 2 && found.iter().all(|line| line.starts_with("TL0701")), "{found:#?}");
    }

    #[test]
    fn mistakes_of_their_own_stay() {
        let text = DEPLOYMENT
            .replace("containers:", "contaniers:")
            .replace("{name: web}\nspec", "{name: W_b}\nspec");
        assert_eq!(reported(&text).len(), 2);
        let text = DEPLOYMENT.replace("- name: web", "- nmae: web").replace("        image: nginx\n", "");
        let found = reported(&text);
        assert!(found.len() == 2 && found[1].contains("image"), "{found:#?}");
    }
}
