//! Classes of storage and drivers: where volumes may be, what is handed to a driver, and which tokens it gets.

use std::collections::{BTreeMap, BTreeSet};
use trueline_kube_facts::{FieldPath, go_quoted, names, rules};

use super::{Context, projected, volume_source};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A topology key is listed twice.
    DUPLICATE_KEY: Duplicate, "storage/duplicate-key";
    /// A value of a topology is listed twice.
    DUPLICATE_VALUE: Duplicate, "storage/duplicate-value";
    /// Two topologies are the same.
    DUPLICATE_TOPOLOGY: Duplicate, "storage/duplicate-topology";
    /// A parameter has no name.
    EMPTY_PARAMETER: Invalid, "storage/empty-parameter", "field can not be empty.";
    /// There are no parameters.
    NO_PARAMETER: Required, "storage/no-parameter", "must contain at least one key/value pair";
    /// A parameter is not allowed.
    SECRET_IN_PARAMETERS: Invalid, "storage/secret-in-parameters",
        "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    /// Two token requests have the same audience.
    DUPLICATE_AUDIENCE: Duplicate, "storage/duplicate-audience";
    /// A period is shorter than ten seconds.
    SHORT_PERIOD: Invalid, "storage/short-period", "must be greater than or equal to 10 seconds";
    /// A driver is listed twice.
    DUPLICATE_DRIVER: Duplicate, "storage/duplicate-driver";
    /// The id of a node is too long.
    LONG_NODE_ID: Invalid, "storage/long-node-id", "must be {} characters or less";
    /// A topology key of a driver is listed twice.
    DUPLICATE_DRIVER_KEY: Duplicate, "storage/duplicate-driver-key";
}

/// Checks `core.TopologySelectorTerm`.
pub(super) fn check_topology(term: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let mut keys = BTreeSet::new();
    for requirement in term.child("matchLabelExpressions").items() {
        let key = requirement.child("key");
        if let Some(text) = key.text() {
            report.complain(&key, names::qualified_name(text));
            if !keys.insert(text) {
                report.refuse(&key, &DUPLICATE_KEY);
            }
        }
        let mut values = BTreeSet::new();
        for value in requirement.child("values").items() {
            if value.text().is_some_and(|text| !values.insert(text)) {
                report.refuse(&value, &DUPLICATE_VALUE);
            }
        }
    }
}

/// How many parameters a class may have, and how large they may be together.
const MOST_PARAMETERS: usize = 512;
const LARGEST_PARAMETERS: usize = 256 * 1024;

/// Checks `storage.StorageClass`: what is handed to its provisioner, and where volumes may be.
pub(super) fn check_class(class: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    check_parameters(&class.child("parameters"), report);
    topologies(&class.child("allowedTopologies"), report);
}

/// Terms that say the same. One that says nothing counts as the same as what was not there before.
fn topologies(list: &FieldPlace<'_, '_>, report: &mut Report) {
    let mut seen = BTreeSet::from([BTreeMap::new()]);
    for term in list.items() {
        let expressions = term.child("matchLabelExpressions");
        // Of equal keys, the last one counts.
        let places: BTreeMap<&str, BTreeSet<&str>> = expressions
            .items()
            .filter_map(|expression| {
                let values = expression.child("values");
                let values = values.items().filter_map(|value| value.text()).collect();
                Some((expression.child("key").text()?, values))
            })
            .collect();
        if !seen.insert(places) {
            let span = if expressions.is_absent() { term.span() } else { expressions.span() };
            report.refuse_in(expressions.path(), span, Some(go_quoted("")), &DUPLICATE_TOPOLOGY);
        }
    }
}

/// What is handed to a driver.
fn check_parameters(parameters: &FieldPlace<'_, '_>, report: &mut Report) {
    let (mut count, mut size) = (0_usize, 0_usize);
    for (key, value) in parameters.entries() {
        count += 1;
        size = size.saturating_add(key.len()).saturating_add(value.text().map_or(0, str::len));
        if key.is_empty() {
            report.refuse_key_at(FieldPath::of("parameters"), &value, "", &EMPTY_PARAMETER);
        }
    }
    if count > MOST_PARAMETERS {
        report.too_long(parameters, MOST_PARAMETERS);
    } else if size > LARGEST_PARAMETERS {
        report.too_long(parameters, LARGEST_PARAMETERS);
    }
}

/// Checks `storage.VolumeAttributesClass`: a class without parameters changes nothing.
pub(super) fn check_attributes(class: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let parameters = class.child("parameters");
    check_parameters(&parameters, report);
    if parameters.is_empty() {
        report.refuse(&parameters, &NO_PARAMETER);
    }
}

/// Checks `storage.CSIDriverSpec`.
pub(super) fn check_driver(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let secret = spec.child("serviceAccountTokenInSecrets");
    if !secret.is_absent() && spec.child("tokenRequests").count() == 0 {
        report.refuse(&secret, &SECRET_IN_PARAMETERS);
    }
    let mut audiences = BTreeSet::new();
    for request in spec.child("tokenRequests").items() {
        let (audience, expiration) = (request.child("audience"), request.child("expirationSeconds"));
        if audience.text().is_some_and(|text| !audiences.insert(text)) {
            report.refuse(&audience, &DUPLICATE_AUDIENCE);
            continue;
        }
        projected::lifetime(&expiration, report);
    }
    let period = spec.child("nodeAllocatableUpdatePeriodSeconds");
    if period.integer().is_some_and(|seconds| seconds < 10) {
        report.refuse(&period, &SHORT_PERIOD);
    }
}

/// The longest name of a node that a driver may give it.
const LONGEST_NODE: usize = 256;

/// Checks `storage.CSINodeSpec`: each driver once, and what it says of the node.
pub(super) fn check_node(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for driver in spec.child("drivers").items() {
        let (name, node) = (driver.child("name"), driver.child("nodeID"));
        volume_source::driver_name(&name, report);
        if name.text().is_some_and(|text| !taken.insert(text)) {
            report.refuse(&name, &DUPLICATE_DRIVER);
        }
        if node.text().is_some_and(|text| text.len() > LONGEST_NODE) {
            report.refuse(&node, LONG_NODE_ID.with(LONGEST_NODE));
        }
        // The server names the driver where it means one of its keys.
        let mut keys = BTreeSet::new();
        for key in driver.child("topologyKeys").items() {
            let Some(text) = key.text() else { continue };
            let named = driver.at(&key);
            if text.is_empty() {
                report.missing(&named);
            }
            if !keys.insert(text) {
                report.refuse_in(driver.path(), key.span(), Some(go_quoted(text)), &DUPLICATE_DRIVER_KEY);
            }
            for breach in names::qualified_name(text) {
                report.refuse_in(driver.path(), named.span(), Some(go_quoted(text)), breach);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn parameters() {
        let bench = Bench::new();
        let frame = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: s}\nprovisioner: a.b/c\nparameters: {{}}\n";
        let many: String = (0..513).map(|number| format!("p{number}: a, ")).collect();
        bench.accepts_all(frame, &["type: fast", "a: ''"]);
        bench.refuses_all(
            frame,
            &[
                ("'': a", "parameters: Invalid value: \"\": field can not be empty."),
                (&many, "parameters: Too long: may not be more than 512 bytes"),
                (
                    &format!("a: {}", "b".repeat(262144)),
                    "parameters: Too long: may not be more than 262144 bytes",
                ),
            ],
        );
    }

    #[test]
    fn drivers_of_nodes() {
        let frame =
            "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: c}\nspec: {drivers: [{}]}\n";
        let bench = Bench::new();
        bench.accepts_all(
            frame,
            &["", "{name: a.b, nodeID: c, topologyKeys: [x.io/a, b], allocatable: {count: 0}}, {name: d, nodeID: e}"],
        );
        bench.refuses_all(
            frame,
            &[
                ("{name: a, nodeID: b}, {name: a, nodeID: b}", "spec.drivers[1].name: Duplicate value: \"a\""),
                ("{name: a_b, nodeID: b}", "spec.drivers[0].name: Invalid value: \"a_b\""),
                (
                    "{name: a, nodeID: b, allocatable: {count: -1}}",
                    "spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0",
                ),
                ("{name: a, nodeID: b, topologyKeys: [c, c]}", "spec.drivers[0]: Duplicate value: \"c\""),
                ("{name: a, nodeID: b, topologyKeys: [c d]}", "spec.drivers[0]: Invalid value: \"c d\": name part"),
                (
                    &format!("{{name: a, nodeID: {}}}", "b".repeat(257)),
                    &format!("spec.drivers[0].nodeID: Invalid value: \"{}\": must be 256 characters or less", "b".repeat(257)),
                ),
            ],
        );
    }

    #[test]
    fn capacities() {
        let frame = "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nmetadata: {name: c}\nstorageClassName: s\ncapacity: {}\n";
        Bench::new().accepts_all(frame, &["0", "1Gi", "null"]);
        Bench::new().refuses_all(
            frame,
            &[("-1Gi", "capacity: Invalid value: \"-1Gi\": must be greater than or equal to 0")],
        );
    }

    #[test]
    fn topologies() {
        let bench = Bench::new();
        let frame = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: s}\nprovisioner: a.b/c\nallowedTopologies: [{matchLabelExpressions: [{}]}]\n";
        let place = "allowedTopologies[0].matchLabelExpressions";
        bench.accepts_all(
            frame,
            &["{key: zone, values: [a, b]}", "{key: a, values: [b]}, {key: c, values: [d]}"],
        );
        for (part, error) in [
            ("{key: zone}", "[0].values: Required value"),
            ("{key: zone, values: [a, a]}", "[0].values[1]: Duplicate value: \"a\""),
            ("{key: a b, values: [a]}", "[0].key: Invalid value: \"a b\""),
            ("{key: a, values: [b]}, {key: a, values: [c]}", "[1].key: Duplicate value: \"a\""),
        ] {
            bench.refuses(&frame.replace("{}", part), &[&format!("{place}{error}")]);
        }
    }

    #[test]
    fn topologies_that_say_the_same() {
        let bench = Bench::new();
        let frame = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: s}\nprovisioner: a.b/c\nallowedTopologies: [{}]\n";
        let term = |key: &str, values: &str| {
            format!("{{matchLabelExpressions: [{{key: {key}, values: [{values}]}}]}}")
        };
        bench.accepts_all(frame, &["", &format!("{}, {}", term("a", "b"), term("a", "c"))]);
        bench.refuses_all(
            frame,
            &[
                ("{}", "allowedTopologies[0].matchLabelExpressions: Duplicate value: \"\""),
                (
                    &format!("{}, {}", term("a", "b, c"), term("a", "c, b")),
                    "allowedTopologies[1].matchLabelExpressions: Duplicate value: \"\"",
                ),
            ],
        );
    }

    #[test]
    fn drivers() {
        let bench = Bench::new();
        let frame = "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: d}\nspec: {{}}\n";
        bench.accepts_all(
            frame,
            &[
                "tokenRequests: [{audience: a}, {audience: b, expirationSeconds: 600}]",
                "attachRequired: false",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                ("tokenRequests: [{audience: a}, {audience: a}]", "spec.tokenRequests[1].audience: Duplicate value: \"a\""),
                ("tokenRequests: [{audience: a, expirationSeconds: 5}]", "spec.tokenRequests[0].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes"),
                ("nodeAllocatableUpdatePeriodSeconds: 9", "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds"),
            ],
        );
        let class = "apiVersion: storage.k8s.io/v1\nkind: VolumeAttributesClass\nmetadata: {name: v}\ndriverName: a.b\n";
        bench.accepts(&format!("{class}parameters: {{a: b}}\n"));
        bench.refuses(class, &["parameters: Required value: must contain at least one key/value pair"]);
        bench.refuses(
            &format!("{class}parameters: {{'': b}}\n"),
            &["parameters: Invalid value: \"\": field can not be empty."],
        );
        let large = "x".repeat(256 * 1024);
        bench.refuses(
            &format!("{class}parameters: {{a: {large}}}\n"),
            &["parameters: Too long: may not be more than 262144 bytes"],
        );
    }

    #[test]
    fn tokens_in_secrets() {
        let frame = "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: d.io}\nspec: {serviceAccountTokenInSecrets: true, {}}\n";
        Bench::new().accepts_all(frame, &["tokenRequests: [{audience: a}]"]);
        let words = "spec.serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        Bench::new().refuses_all(frame, &[("tokenRequests: []", words)]);
    }
}
