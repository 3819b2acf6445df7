//! Who may send how many requests at once: flow schemas and levels of priority.

use trueline_kube_facts::{names, rules};

use super::Context;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A namespace is neither `*` nor a label of DNS.
    NAMESPACE: Invalid, "flow-schema/namespace", "each member of this list must be '*' or a DNS-1123 label; {}";
    /// `matchingPrecedence` is not above zero.
    PRECEDENCE: Invalid, "flow-schema/precedence", "must be a positive value";
    /// `matchingPrecedence` is above 10000.
    HIGH_PRECEDENCE: Invalid, "flow-schema/high-precedence", "must not be greater than 10000";
    /// Only the schema `exempt` may have the precedence 1.
    EXEMPT_PRECEDENCE: Invalid, "flow-schema/exempt-precedence",
        "only the schema named 'exempt' may have matchingPrecedence 1";
    /// A rule has no subjects.
    NO_SUBJECT: Required, "flow-schema/no-subject", "subjects must contain at least one value";
    /// A rule has neither resource rules nor non-resource rules.
    NO_RULE: Required, "flow-schema/no-rule",
        "at least one of resourceRules and nonResourceRules has to be non-empty";
    /// The field that belongs to the kind of a subject is missing.
    MISSING_SUBJECT: Required, "flow-schema/missing-subject", "{} is required when subject kind is '{}'";
    /// A field is set that belongs to another kind of subject.
    OTHER_SUBJECT: Forbidden, "flow-schema/other-subject", "{} is forbidden when subject kind is not '{}'";
    /// A service account is named without its namespace.
    ACCOUNT_WITHOUT_NAMESPACE: Required, "flow-schema/account-without-namespace",
        "must specify namespace for service account";
    /// A list is empty that selects requests.
    EMPTY_LIST: Required, "flow-schema/empty-list", "{}";
    /// `*` is used beside other entries.
    STAR_AND_OTHERS: Invalid, "flow-schema/star-and-others", "if '*' is present, must not specify other {}";
    /// The path of a non-resource rule is not allowed.
    URL: Invalid, "flow-schema/url", "{}";
    /// Only the level `exempt` has the type `Exempt`.
    EXEMPT_TYPE: Invalid, "priority-level/exempt-type", "{}";
    /// The level `exempt` cannot be changed.
    EXEMPT_SPEC: Invalid, "priority-level/exempt-spec",
        "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value";
    /// `limited` is set, and the type is another.
    LIMITED_NOT_ALLOWED: Forbidden, "priority-level/limited-not-allowed", "must be nil if the type is not Limited";
    /// `exempt` is set, and the type is `Limited`.
    EXEMPT_NOT_ALLOWED: Forbidden, "priority-level/exempt-not-allowed", "must be nil if the type is Limited";
    /// The type is `Limited`, and `limited` is missing.
    NO_LIMITS: Required, "priority-level/no-limits", "must not be empty when type is Limited";
    /// A share of concurrency is not allowed.
    SHARES: Invalid, "priority-level/shares", "{}";
    /// The lendable part is not between 0 and 100 percent.
    LENDABLE: Invalid, "priority-level/lendable", "must be between 0 and 100, inclusive";
    /// The limit for borrowing is negative.
    BORROWED: Invalid, "priority-level/borrowed", "if specified, must be a non-negative integer";
    /// `queuing` is set, and requests are not queued.
    QUEUING_NOT_ALLOWED: Forbidden, "priority-level/queuing-not-allowed",
        "must be nil if limited.limitResponse.type is not Limited";
    /// Requests are queued, and `queuing` is missing.
    NO_QUEUING: Required, "priority-level/no-queuing", "must not be empty if limited.limitResponse.type is Limited";
    /// The length of queues is not above zero.
    QUEUE_LENGTH: Invalid, "priority-level/queue-length", "must be positive";
    /// The number of queues is not above zero.
    QUEUES: Invalid, "priority-level/queues", "must be positive";
    /// There are too many queues.
    TOO_MANY_QUEUES: Invalid, "priority-level/too-many-queues", "must not be greater than {}";
    /// The size of a hand is not above zero.
    HAND: Invalid, "priority-level/hand", "must be positive";
    /// A hand has more queues than there are.
    HAND_ABOVE_QUEUES: Invalid, "priority-level/hand-above-queues", "should not be greater than queues ({})";
    /// A hand is too large for the number of queues.
    HAND_TOO_LARGE: Invalid, "priority-level/hand-too-large",
        "required entropy bits of deckSize {} and handSize {} should not be greater than {}";
}

const VERBS: &[&str] =
    &["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

/// Checks `flowcontrol.FlowSchemaSpec`.
pub(super) fn check_schema(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let precedence = spec.child("matchingPrecedence");
    let metadata = spec.top().child("metadata");
    match precedence.integer() {
        Some(..=-1) => report.refuse(&precedence, &PRECEDENCE),
        Some(10_001..) => report.refuse(&precedence, &HIGH_PRECEDENCE),
        Some(1) if metadata.child("name").text() != Some("exempt") => {
            report.refuse(&precedence, &EXEMPT_PRECEDENCE);
        }
        _ => {}
    }
}

/// Checks `flowcontrol.PolicyRulesWithSubjects`.
pub(super) fn check_rules(rules: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let subjects = rules.child("subjects");
    if subjects.is_empty() {
        report.refuse(&subjects, &NO_SUBJECT);
    }
    if rules.child("resourceRules").is_empty() && rules.child("nonResourceRules").is_empty() {
        report.refuse(rules, &NO_RULE);
    }
}

/// Kinds of subjects, and the field of each.
const SUBJECTS: [(&str, &str); 3] =
    [("Group", "group"), ("ServiceAccount", "serviceAccount"), ("User", "user")];

/// Checks `flowcontrol.Subject`.
pub(super) fn check_subject(subject: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let kind = subject.child("kind");
    let Some(text) = kind.text() else { return };
    if !SUBJECTS.iter().any(|(known, _)| *known == text) {
        // Of a subject of no known kind, nothing else is looked at.
        report.forget_below(&subject.path());
        return report.not_supported(&kind, &SUBJECTS.map(|(known, _)| known));
    }
    for (known, field) in SUBJECTS {
        let place = subject.child(field);
        match (known == text, place.is_absent()) {
            (true, true) => {
                report.refuse(&place, MISSING_SUBJECT.with(field).and(known));
            }
            (false, false) => {
                report.refuse(&place, OTHER_SUBJECT.with(field).and(known));
            }
            _ => {}
        }
    }
    let account = subject.child("serviceAccount");
    if text == "ServiceAccount" && !account.is_absent() {
        let (name, namespace) = (account.child("name"), account.child("namespace"));
        if let Some(text) = name.full_text().filter(|name| *name != "*") {
            report.complain(&name, names::dns_1123_subdomain(text));
        }
        match namespace.text() {
            Some("") => report.refuse(&namespace, &ACCOUNT_WITHOUT_NAMESPACE),
            Some(text) => report.complain(&namespace, names::dns_1123_label(text)),
            None => {}
        }
    }
}

/// Whether a list has the item that stands for all.
fn has_all(list: &FieldPlace<'_, '_>) -> bool {
    list.items().any(|item| item.text() == Some("*"))
}

/// A list in which the item that stands for all stands alone.
fn alone(list: &FieldPlace<'_, '_>, missing: &str, others: &str, report: &mut Report) {
    if list.is_empty() {
        report.refuse(list, EMPTY_LIST.with(missing));
    } else if list.count() > 1 && has_all(list) {
        report.refuse(list, STAR_AND_OTHERS.with(others));
    }
}

fn verbs(rule: &FieldPlace<'_, '_>, report: &mut Report) {
    let verbs = rule.child("verbs");
    alone(&verbs, "verbs must contain at least one value", "verbs", report);
    let unknown = verbs.items().find(|verb| verb.text().is_some_and(|verb| !VERBS.contains(&verb)));
    if let Some(unknown) = unknown.filter(|_| !has_all(&verbs)) {
        report.not_supported(&verbs.at(&unknown), VERBS);
    }
}

/// Checks `flowcontrol.ResourcePolicyRule`.
pub(super) fn check_resources(rule: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    verbs(rule, report);
    let groups = rule.child("apiGroups");
    alone(&groups, "resource rules must supply at least one api group", "api groups", report);
    alone(&rule.child("resources"), "resource rules must supply at least one resource", "resources", report);
    let namespaces = rule.child("namespaces");
    if !namespaces.is_empty() || !rule.child("clusterScope").is_true() {
        let missing = "resource rules that are not cluster scoped must supply at least one namespace";
        alone(&namespaces, missing, "namespaces", report);
    }
    if !has_all(&namespaces) {
        for namespace in namespaces.items() {
            for complaint in namespace.text().map(names::dns_1123_label).unwrap_or_default() {
                report.refuse(&namespace, NAMESPACE.with(complaint));
            }
        }
    }
}

/// Checks `flowcontrol.NonResourcePolicyRule`.
pub(super) fn check_addresses(rule: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    verbs(rule, report);
    let paths = rule.child("nonResourceURLs");
    alone(&paths, "nonResourceURLs must contain at least one value", "non-resource URLs", report);
    if has_all(&paths) {
        return;
    }
    for path in paths.items() {
        let words = match path.text() {
            None | Some("/") => continue,
            Some("") => "must not be empty",
            Some(text) if !text.starts_with('/') => "must start with slash",
            Some(text) if text.contains(' ') => "must not contain white-space",
            Some(text) if text.contains("//") => "must not contain double slash",
            Some(text) if text.matches('*').count() > 1 || text.contains('*') && !text.ends_with("/*") => {
                "wildcard can only do suffix matching"
            }
            Some(_) => continue,
        };
        report.refuse(&path, URL.with(words));
    }
}

/// Checks `flowcontrol.PriorityLevelConfigurationSpec`.
pub(super) fn check_level(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (kind, limited, exempt) = (spec.child("type"), spec.child("limited"), spec.child("exempt"));
    let metadata = spec.top().child("metadata");
    let is_exempt = metadata.child("name").text() == Some("exempt");
    let Some(text) = kind.text() else { return };
    if is_exempt != (text == "Exempt") {
        let words = match context.version.minor {
            ..34 => "type must be 'Exempt' if and only if name is 'exempt'",
            _ => "must be 'Exempt' if and only if `name` is 'exempt'",
        };
        report.refuse(&kind, EXEMPT_TYPE.with(words));
    }
    if is_exempt && (text != "Exempt" || !limited.is_absent()) {
        report.refuse(spec, &EXEMPT_SPEC);
    }
    if text != "Limited" {
        // Of what does not belong to the type, nothing else is looked at.
        report.forget_below(&limited.path());
    }
    if text != "Exempt" {
        report.forget_below(&exempt.path());
    }
    match text {
        "Exempt" if !limited.is_absent() => {
            report.refuse(&limited, &LIMITED_NOT_ALLOWED);
        }
        "Limited" => {
            if !exempt.is_absent() {
                report.refuse(&exempt, &EXEMPT_NOT_ALLOWED);
            }
            if limited.is_absent() {
                report.refuse(&limited, &NO_LIMITS);
            }
        }
        "Exempt" => {}
        _ => report.not_supported(&kind, &["Exempt", "Limited"]),
    }
}

/// Checks `flowcontrol.LimitedPriorityLevelConfiguration` and `flowcontrol.ExemptPriorityLevelConfiguration`.
pub(super) fn check_shares(level: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    for field in ["nominalConcurrencyShares", "assuredConcurrencyShares"] {
        let shares = level.child(field);
        if shares.integer().is_some_and(|shares| shares < 0) {
            let is_older = context.version.minor < 29 && level.last_name() == "limited";
            let words = if is_older { "must be positive" } else { "must be a non-negative integer" };
            report.refuse(&shares, SHARES.with(words));
        }
    }
    let lendable = level.child("lendablePercent");
    if lendable.integer().is_some_and(|percent| !(0..=100).contains(&percent)) {
        report.refuse(&lendable, &LENDABLE);
    }
    let borrowed = level.child("borrowingLimitPercent");
    if borrowed.integer().is_some_and(|percent| percent < 0) {
        report.refuse(&borrowed, &BORROWED);
    }
}

/// Checks `flowcontrol.LimitResponse`.
pub(super) fn check_response(response: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (kind, queuing) = (response.child("type"), response.child("queuing"));
    match kind.text() {
        Some("Reject") if !queuing.is_absent() => {
            report.refuse(&queuing, &QUEUING_NOT_ALLOWED);
        }
        Some("Queue") if queuing.is_absent() => {
            report.refuse(&queuing, &NO_QUEUING);
        }
        None | Some("Queue" | "Reject") => {}
        Some(_) => report.not_supported(&kind, &["Queue", "Reject"]),
    }
}

/// The most queues, and the most bits that choosing among them may take.
const MOST_QUEUES: i64 = 10_000_000;
const MOST_BITS: f64 = 60.0;

/// Checks `flowcontrol.QueuingConfiguration`.
pub(super) fn check_queues(queuing: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    // Zero, as an absent one, stands for a default.
    let number = |place: &FieldPlace<'_, '_>, default| match place.integer() {
        None | Some(0) => default,
        Some(number) => number,
    };
    let (length, queues, hand) =
        (queuing.child("queueLengthLimit"), queuing.child("queues"), queuing.child("handSize"));
    let (count, size) = (number(&queues, 64), number(&hand, 8));
    if number(&length, 50) <= 0 {
        report.refuse(&length, &QUEUE_LENGTH);
    }
    if count <= 0 {
        report.refuse(&queues, &QUEUES);
    } else if count > MOST_QUEUES {
        report.refuse(&queues, TOO_MANY_QUEUES.with(MOST_QUEUES));
    }
    if size <= 0 {
        report.refuse(&hand, &HAND);
    } else if size > count {
        report.refuse(&hand, HAND_ABOVE_QUEUES.with(count));
    } else if ((count as f64).log2() * size as f64).ceil() > MOST_BITS {
        report.refuse(&hand, HAND_TOO_LARGE.with(count).and(size).and(MOST_BITS.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn schemas() {
        let bench = Bench::new();
        let frame = "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: f}\nspec: {priorityLevelConfiguration: {name: p}, {}}\n";
        let subject = "subjects: [{kind: User, user: {name: a}}]";
        let with = |rule: &str| format!("rules: [{{{subject}, {rule}}}]");
        for spec in [
            "matchingPrecedence: 0".to_owned(),
            with("resourceRules: [{verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true}]"),
            with("nonResourceRules: [{verbs: [get, watch], nonResourceURLs: [/, /healthz, /a/*]}]"),
            "rules: [{subjects: [{kind: ServiceAccount, serviceAccount: {name: '*', namespace: a}}], nonResourceRules: [{verbs: ['*'], nonResourceURLs: ['*']}]}]".to_owned(),
        ] {
            bench.accepts(&frame.replace("{}", &spec));
        }
        for (spec, error) in [
            ("matchingPrecedence: -1".to_owned(), "spec.matchingPrecedence: Invalid value: -1: must be a positive value"),
            ("matchingPrecedence: 10001".to_owned(), "spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000"),
            ("matchingPrecedence: 1".to_owned(), "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"),
            (with("nonResourceRules: [{verbs: [get, '*'], nonResourceURLs: [/]}]"), "spec.rules[0].nonResourceRules[0].verbs: Invalid value: if '*' is present, must not specify other verbs"),
            (with("nonResourceRules: [{verbs: [read], nonResourceURLs: [/]}]"), "spec.rules[0].nonResourceRules[0].verbs: Unsupported value: \"read\": supported values: \"create\", \"delete\""),
            (with("nonResourceRules: [{verbs: [get], nonResourceURLs: [a]}]"), "spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: \"a\": must start with slash"),
            (with("nonResourceRules: [{verbs: [get], nonResourceURLs: [/a*]}]"), "spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: \"/a*\": wildcard can only do suffix matching"),
            (with("resourceRules: [{verbs: [get], apiGroups: [''], resources: [pods], namespaces: [A]}]"), "spec.rules[0].resourceRules[0].namespaces[0]: Invalid value: \"A\": each member of this list must be '*' or a DNS-1123 label; "),
            ("rules: [{subjects: [{kind: Robot}], nonResourceRules: [{verbs: ['*'], nonResourceURLs: ['*']}]}]".to_owned(), "spec.rules[0].subjects[0].kind: Unsupported value: \"Robot\": supported values: \"Group\", \"ServiceAccount\", \"User\""),
            ("rules: [{subjects: [{kind: Robot, user: {}}], nonResourceRules: [{verbs: ['*'], nonResourceURLs: ['*']}]}]".to_owned(), "spec.rules[0].subjects[0].kind: Unsupported value: \"Robot\""),
            ("rules: [{subjects: [{kind: User, user: {name: a}, group: {name: b}}], nonResourceRules: [{verbs: ['*'], nonResourceURLs: ['*']}]}]".to_owned(), "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'"),
        ] {
            bench.refuses(&frame.replace("{}", &spec), &[error]);
        }
    }

    #[test]
    fn levels() {
        let bench = Bench::new();
        let frame = "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {name: l}\nspec: {{}}\n";
        bench.accepts_all(
            frame,
            &[
                "type: Limited, limited: {limitResponse: {type: Reject}}",
                "type: Limited, limited: {nominalConcurrencyShares: 0, lendablePercent: 50, limitResponse: {type: Queue, queuing: {}}}",
                "type: Limited, limited: {limitResponse: {type: Queue, queuing: {queues: 128, handSize: 6, queueLengthLimit: 50}}}",
            ],
        );
        bench.refuses_all(frame, &[
            ("type: Exempt", "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"),
            ("type: Some", "spec.type: Unsupported value: \"Some\": supported values: \"Exempt\", \"Limited\""),
            ("type: Limited, limited: {}", "spec.limited.limitResponse.type: Unsupported value: \"\": supported values: \"Queue\", \"Reject\""),
            ("type: Limited, exempt: {}, limited: {limitResponse: {type: Reject}}", "spec.exempt: Forbidden: must be nil if the type is Limited"),
            ("type: Limited, limited: {lendablePercent: 101, limitResponse: {type: Reject}}", "spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive"),
            ("type: Limited, limited: {limitResponse: {type: Queue, queuing: {handSize: 65}}}", "spec.limited.limitResponse.queuing.handSize: Invalid value: 65: should not be greater than queues (64)"),
            ("type: Limited, limited: {limitResponse: {type: Queue, queuing: {handSize: 11}}}", "spec.limited.limitResponse.queuing.handSize: Invalid value: 11: required entropy bits of deckSize 64 and handSize 11 should not be greater than 60"),
        ]);
    }
}
