//! Devices that a driver offers: on which nodes, how many, and what each says of itself.

use std::collections::BTreeSet;

use trueline_kube_facts::{FieldError, names, rules};
use trueline_yaml::ScalarValue;

use super::{Context, device_capacity, device_names, devices};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// The count of slices is not above zero.
    SLICE_COUNT: Invalid, "device/slice-count", "must be greater than zero";
    /// The generation of a pool is negative.
    GENERATION: Invalid, "device/generation", "must be greater than or equal to zero";
    /// A slice has both devices and shared counters.
    DEVICES_AND_COUNTERS: Invalid, "device/devices-and-counters",
        "only one of `sharedCounters` or `devices` is allowed";
    /// A set has too many counters.
    TOO_MANY_COUNTERS: TooMany, "device/too-many-counters", "must have at most {} items";
    /// The name of a node is an empty string.
    EMPTY_NODE_NAME: Invalid, "device/empty-node-name", "must be either unset or set to a non-empty string";
    /// A node selector does not have exactly one term.
    NODE_TERMS: Invalid, "device/node-terms", "must have exactly one node selector term";
    /// A field may only be left out or be true.
    NOT_TRUE: Invalid, "device/not-true", "must be either unset or set to true";
    /// A slice does not say for which nodes it is.
    NO_NODES: Required, "device/no-nodes", "exactly one of {} is required";
    /// A slice says in more than one way for which nodes it is.
    TWO_NODES: Invalid, "device/two-nodes", "exactly one of {} is required{}";
    /// A device has too many attributes and capacities.
    TOO_MANY_ATTRIBUTES: Invalid, "device/too-many-attributes", "{}";
    /// A policy for requests needs `allowMultipleAllocations: true`.
    POLICY_WITHOUT_SHARING: Forbidden, "device/policy-without-sharing", "allowMultipleAllocations must be true";
    /// A set of counters is used twice.
    DUPLICATE_COUNTER_SET: Duplicate, "device/duplicate-counter-set";
    /// A condition is listed twice.
    DUPLICATE_CONDITION: Duplicate, "device/duplicate-condition";
    /// A condition stands for both binding and its failure.
    OVERLAPPING_CONDITIONS: Invalid, "device/overlapping-conditions",
        "bindingFailureConditions must not overlap with bindingConditions";
    /// Conditions of failure need conditions of binding.
    NO_BINDING_CONDITION: Invalid, "device/no-binding-condition",
        "bindingConditions are required to use bindingFailureConditions";
    /// Conditions of binding need conditions of failure.
    NO_FAILURE_CONDITION: Invalid, "device/no-failure-condition",
        "bindingFailureConditions are required to use bindingConditions";
    /// A device says for which nodes it is where its slice does.
    NODE_PER_DEVICE: Invalid, "device/node-per-device",
        "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in \
         the ResourceSlice spec";
    /// The name of a node is empty.
    NO_NODE_NAME: Invalid, "device/no-node-name", "must not be empty";
    /// A device does not say for which nodes it is.
    NO_DEVICE_NODES: Required, "device/no-device-nodes", "{}";
    /// A device says in more than one way for which nodes it is.
    TWO_DEVICE_NODES: Invalid, "device/two-device-nodes", "{}";
    /// The value of an attribute is not a semantic version.
    VERSION: Invalid, "device/version", "must be a string compatible with semver.org spec 2.0.0";
    /// An attribute has no value.
    NO_ATTRIBUTE_VALUE: Required, "device/no-attribute-value", "{}";
    /// An attribute has more than one value.
    TWO_ATTRIBUTE_VALUES: Invalid, "device/two-attribute-values", "{}";
}

const MOST_DEVICES: usize = 128;
/// Devices with taints or counters take more room.
const MOST_LARGE_DEVICES: usize = 64;
const MOST_ATTRIBUTES: usize = 32;
const MOST_ATTRIBUTE_VALUES: usize = 48;
const MOST_TAINTS: usize = 16;
const MOST_CONDITIONS: usize = 4;
const MOST_COUNTER_SETS: usize = 8;
const MOST_COUNTERS: usize = 32;
const MOST_CONSUMED_SETS: usize = 2;
const LONGEST_VALUE: usize = 64;

/// The first version that counts the values of attributes.
const WITH_LISTS: u16 = 36;

/// Checks `resource.ResourceSliceSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    device_names::driver(&spec.child("driver"), report);
    let pool = spec.child("pool");
    device_names::pool(&pool.child("name"), report);
    let count = pool.child("resourceSliceCount");
    if count.is_absent() || count.integer().is_some_and(|count| count <= 0) {
        report.refuse(&count, &SLICE_COUNT);
    }
    let generation = pool.child("generation");
    if generation.integer().is_some_and(|generation| generation < 0) {
        report.refuse(&generation, &GENERATION);
    }
    nodes(spec, context, report);
    let (list, counters) = (spec.child("devices"), spec.child("sharedCounters"));
    if !list.is_absent() && !counters.is_absent() {
        let error = FieldError::new(&DEVICES_AND_COUNTERS, spec.path(), None);
        report.refused(&counters, error.with_value("\"\""));
    }
    let is_large = |device: &FieldPlace<'_, '_>| {
        let (basic, fields) = (device.child("basic"), ["taints", "consumesCounters"]);
        [device, &basic].iter().any(|device| fields.iter().any(|field| device.child(field).count() > 0))
    };
    let is_large = list.count() > MOST_LARGE_DEVICES && list.items().any(|item| is_large(&item));
    let most = if is_large { MOST_LARGE_DEVICES } else { MOST_DEVICES };
    devices::unique(&list, most, context, report);
    devices::unique(&counters, MOST_COUNTER_SETS, context, report);
    for set in counters.items() {
        let name = set.child("name");
        report.complain(&name, name.full_text().map(names::dns_1123_label).unwrap_or_default());
        counted(&set.child("counters"), report);
    }
    let by_device = spec.child("perDeviceNodeSelection");
    for item in list.items() {
        device(&item, by_device.is_true(), context, report);
    }
}

/// Counters by name.
fn counted(counters: &FieldPlace<'_, '_>, report: &mut Report) {
    let count = counters.entry_count();
    if count > MOST_COUNTERS {
        return too_many(counters, count, MOST_COUNTERS, report);
    }
    for (name, place) in counters.entries() {
        for complaint in names::dns_1123_label(&name) {
            report.refuse_key(&place, &name, complaint);
        }
    }
}

fn too_many(map: &FieldPlace<'_, '_>, count: usize, most: usize, report: &mut Report) {
    let error = FieldError::new(TOO_MANY_COUNTERS.with(most), map.path(), None);
    report.refused(map, error.with_value(count.to_string()));
}

fn is_false(place: &FieldPlace<'_, '_>) -> bool {
    place.node().and_then(|node| node.scalar()) == Some(ScalarValue::Bool(false))
}

/// On which nodes the devices are: said in one way.
fn nodes(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let is_newer = context.version.minor >= 33;
    // In the first versions of the group, nothing is the same as none.
    let is_told_apart = is_newer && !devices::is_first_version(spec);
    let mut set = Vec::new();
    let name = spec.child("nodeName");
    match name.text() {
        Some("") if !name.is_absent() && is_told_apart => {
            report.refuse(&name, &EMPTY_NODE_NAME);
        }
        None | Some("") => {}
        Some(text) => {
            set.push("`nodeName`");
            report.complain(&name, names::dns_1123_subdomain(text));
        }
    }
    let selector = spec.child("nodeSelector");
    if !selector.is_absent() {
        set.push("`nodeSelector`");
        let terms = selector.child("nodeSelectorTerms");
        if terms.count() != 1 {
            report.refuse(&terms, &NODE_TERMS);
        }
    }
    for (field, named) in [("allNodes", "`allNodes`"), ("perDeviceNodeSelection", "`perDeviceNodeSelection`")]
    {
        let place = spec.child(field);
        if place.is_true() {
            set.push(named);
        } else if is_false(&place) && (is_told_apart || is_newer && field != "allNodes") {
            report.refuse(&place, &NOT_TRUE);
        }
    }
    let choices = match is_newer {
        true => "`nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection`",
        false => "`nodeName`, `nodeSelector`, or `allNodes`",
    };
    let more = if is_newer { ", but multiple fields are set" } else { "" };
    match set.len() {
        0 => report.refuse(spec, NO_NODES.with(choices)),
        1 => {}
        _ => {
            let error = FieldError::new(TWO_NODES.with(choices).and(more), spec.path(), None);
            report.refused(spec, error.with_value(format!("\"{{{}}}\"", set.join(", "))));
        }
    }
}

/// One device. The first versions of the group have most of its fields in `basic`.
fn device(device: &FieldPlace<'_, '_>, has_nodes: bool, context: &Context<'_>, report: &mut Report) {
    let name = device.child("name");
    report.complain(&name, name.text().map(names::dns_1123_label).unwrap_or_default());
    let basic = device.child("basic");
    let fields = if basic.is_absent() { device } else { &basic };
    let (attributes, capacity) = (fields.child("attributes"), fields.child("capacity"));
    let number = |count: usize, words: String, report: &mut Report| {
        let error = FieldError::new(TOO_MANY_ATTRIBUTES.with(words), fields.path(), None);
        report.refused(fields, error.with_value(count.to_string()));
    };
    let count = attributes.entry_count() + capacity.entry_count();
    if count > MOST_ATTRIBUTES {
        let words =
            format!("the total number of attributes and capacities must not exceed {MOST_ATTRIBUTES}");
        number(count, words, report);
    }
    for (name, value) in attributes.entries() {
        device_names::qualified(&name, &value, context, report);
        attribute(&value, context, report);
    }
    let values = attributes.entry_count();
    if context.version.minor >= WITH_LISTS && values > MOST_ATTRIBUTE_VALUES {
        let words = format!("the total number of attribute values must not exceed {MOST_ATTRIBUTE_VALUES}");
        number(values, words, report);
    }
    for (name, value) in capacity.entries() {
        device_names::qualified(&name, &value, context, report);
        let policy = value.child("requestPolicy");
        let is_shared = fields.child("allowMultipleAllocations").is_true();
        if policy.is_absent() {
            continue;
        }
        match is_shared {
            true => device_capacity::check(&value, context, report),
            false => report.refuse(&policy, &POLICY_WITHOUT_SHARING),
        }
    }
    further(fields, report);
    of_node(fields, has_nodes, report);
}

/// Taints, counters and conditions.
fn further(device: &FieldPlace<'_, '_>, report: &mut Report) {
    let taints = device.child("taints");
    if taints.count() > MOST_TAINTS {
        report.too_many(&taints, MOST_TAINTS);
    }
    taints.items().for_each(|taint| devices::taint(&taint, report));
    let consumed = device.child("consumesCounters");
    if consumed.count() > MOST_CONSUMED_SETS {
        report.too_many(&consumed, MOST_CONSUMED_SETS);
    }
    let mut sets = BTreeSet::new();
    for set in consumed.items() {
        let name = set.child("counterSet");
        if let Some(text) = name.full_text() {
            report.complain(&name, names::dns_1123_label(text));
            if !sets.insert(text) {
                report.refuse(&set.at(&name), &DUPLICATE_COUNTER_SET);
            }
        }
        counted(&set.child("counters"), report);
    }
    conditions(device, report);
}

/// Conditions under which a device is bound, and under which that has failed: both or none, and not the same.
fn conditions(device: &FieldPlace<'_, '_>, report: &mut Report) {
    let (wanted, failed) = (device.child("bindingConditions"), device.child("bindingFailureConditions"));
    for list in [&wanted, &failed] {
        if list.count() > MOST_CONDITIONS {
            report.too_many(list, MOST_CONDITIONS);
        }
        let mut taken = BTreeSet::new();
        for item in list.items() {
            let Some(text) = item.text() else { continue };
            report.complain(&item, names::qualified_name(text));
            if !taken.insert(text) {
                report.refuse(&item, &DUPLICATE_CONDITION);
            }
        }
    }
    for item in failed.items() {
        if wanted.items().any(|other| other.text() == item.text()) {
            report.refuse(&item, &OVERLAPPING_CONDITIONS);
        }
    }
    match (wanted.count(), failed.count()) {
        (0, 1..) => {
            report.refuse(&wanted, &NO_BINDING_CONDITION);
        }
        (1.., 0) => {
            report.refuse(&failed, &NO_FAILURE_CONDITION);
        }
        _ => {}
    }
}

/// On which nodes a single device is.
fn of_node(device: &FieldPlace<'_, '_>, is_wanted: bool, report: &mut Report) {
    let (name, selector, all) =
        (device.child("nodeName"), device.child("nodeSelector"), device.child("allNodes"));
    if !is_wanted {
        if !name.is_absent() || !selector.is_absent() || !all.is_absent() {
            report.refuse(device, &NODE_PER_DEVICE);
        }
        return;
    }
    let mut set = Vec::new();
    match name.text() {
        Some("") if !name.is_absent() => report.refuse(&name, &NO_NODE_NAME),
        None | Some("") => {}
        Some(text) => {
            set.push("`nodeName`");
            report.complain(&name, names::dns_1123_subdomain(text));
        }
    }
    if !selector.is_absent() {
        set.push("`nodeSelector`");
    }
    if all.is_true() {
        set.push("`allNodes`");
    } else if is_false(&all) {
        report.refuse(&all, &NOT_TRUE);
    }
    let words = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is \
                 set to true in the ResourceSlice spec";
    match set.len() {
        0 => report.refuse(device, NO_DEVICE_NODES.with(words)),
        1 => {}
        _ => {
            let error = FieldError::new(TWO_DEVICE_NODES.with(words), device.path(), None);
            report.refused(device, error.with_value(format!("\"{{{}}}\"", set.join(", "))));
        }
    }
}

/// One attribute, which has one value. Lists of values are dropped by default.
fn attribute(attribute: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (text, version) = (attribute.child("string"), attribute.child("version"));
    let single = [&attribute.child("bool"), &attribute.child("int"), &text, &version];
    let set = single.iter().filter(|value| !value.is_absent()).count();
    value(&text, report);
    if let (Some(number), false) = (version.text(), version.is_absent()) {
        if !is_version(number) {
            report.refuse(&version, &VERSION);
        }
        value(&version, report);
    }
    if set != 1 {
        let words = "exactly one value must be specified";
        match (set, context.version.minor) {
            (0, ..=34) => report.refuse(attribute, NO_ATTRIBUTE_VALUE.with(words)),
            _ => report.refuse(attribute, TWO_ATTRIBUTE_VALUES.with(words)),
        }
    }
}

fn value(place: &FieldPlace<'_, '_>, report: &mut Report) {
    if place.text().is_some_and(|text| text.len() > LONGEST_VALUE) {
        report.too_long(place, LONGEST_VALUE);
    }
}

/// Whether a string is a semantic version.
fn is_version(text: &str) -> bool {
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (core, before) = text.split_once('-').map_or((text, None), |(core, before)| (core, Some(before)));
    let is_number = |part: &str| {
        let is_plain = part == "0" || !part.starts_with('0');
        !part.is_empty() && is_plain && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_before =
        |part: &str| is_word(part) && (!part.bytes().all(|byte| byte.is_ascii_digit()) || is_number(part));
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && before.is_none_or(|before| before.split('.').all(is_before))
        && build.is_none_or(|build| build.split('.').all(is_word))
}

#[cfg(test)]
mod tests {
    use super::is_version;
    use crate::rules::testing::Bench;

    fn slice(spec: &str) -> String {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: s}}\nspec: {{driver: d.io, pool: {{name: p, resourceSliceCount: 1, generation: 0}}, {spec}}}\n"
        )
    }

    fn listed(count: usize, rest: &str) -> String {
        let one = |index| format!("{{name: d{index}{rest}}}");
        (0..count).map(one).collect::<Vec<_>>().join(", ")
    }

    fn attributes(count: usize) -> String {
        let one = |index| format!("a{index}: {{int: 1}}");
        (0..count).map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn slices() {
        let bench = Bench::new();
        for spec in [
            "nodeName: m".to_owned(),
            "allNodes: true, devices: []".to_owned(),
            format!("allNodes: true, devices: [{}]", listed(128, "")),
            format!("allNodes: true, devices: [{{name: d, attributes: {{{}}}}}]", attributes(32)),
            "nodeName: m, devices: [{name: d, attributes: {a.b/c: {string: x}, d: {version: 1.2.3-a+b}}, capacity: {memory: {value: 1Gi}}}]".to_owned(),
        ] {
            bench.accepts(&slice(&spec));
        }
        let choices =
            "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
        for (spec, error) in [
            ("devices: []".to_owned(), format!("spec: Required value: {choices}")),
            ("nodeName: m, allNodes: true".to_owned(), format!("spec: Invalid value: \"{{`nodeName`, `allNodes`}}\": {choices}, but multiple fields are set")),
            ("nodeName: m, allNodes: false".to_owned(), "spec.allNodes: Invalid value: false: must be either unset or set to true".to_owned()),
            (format!("allNodes: true, devices: [{}]", listed(129, "")), "spec.devices: Too many: 129: must have at most 128 items".to_owned()),
            ("allNodes: true, devices: [{name: a}, {name: a}]".to_owned(), "spec.devices[1]: Duplicate value: \"a\"".to_owned()),
            ("allNodes: true, devices: [{name: A}]".to_owned(), "spec.devices[0].name: Invalid value: \"A\": a lowercase RFC 1123 label".to_owned()),
            (format!("allNodes: true, devices: [{{name: d, attributes: {{{}}}}}]", attributes(33)), "spec.devices[0]: Invalid value: 33: the total number of attributes and capacities must not exceed 32".to_owned()),
            ("allNodes: true, devices: [{name: d, attributes: {a: {}}}]".to_owned(), "spec.devices[0].attributes[a]: Invalid value: exactly one value must be specified".to_owned()),
            ("allNodes: true, devices: [{name: d, attributes: {a: {int: 1, bool: true}}}]".to_owned(), "spec.devices[0].attributes[a]: Invalid value: exactly one value must be specified".to_owned()),
            ("allNodes: true, devices: [{name: d, attributes: {a: {version: '1'}}}]".to_owned(), "spec.devices[0].attributes[a].version: Invalid value: \"1\": must be a string compatible with semver.org spec 2.0.0".to_owned()),
            ("allNodes: true, devices: [{name: d, attributes: {a-b: {int: 1}}}]".to_owned(), "spec.devices[0].attributes[a-b]: Invalid value: \"a-b\": a valid C identifier must start with".to_owned()),
            (format!("allNodes: true, devices: [{{name: d, attributes: {{a: {{string: {}}}}}}}]", "x".repeat(65)), "spec.devices[0].attributes[a].string: Too long: may not be more than 64 bytes".to_owned()),
            ("nodeName: m, pool: {name: a b, resourceSliceCount: 1}".to_owned(), "spec.pool.name: Invalid value: \"a b\"".to_owned()),
            ("nodeName: m, pool: {name: a}".to_owned(), "spec.pool.resourceSliceCount: Invalid value: \"\": must be greater than zero".to_owned()),
        ] {
            let text = match spec.contains("pool") {
                true => slice(&spec).replace("pool: {name: p, resourceSliceCount: 1, generation: 0}, ", ""),
                false => slice(&spec),
            };
            bench.refuses(&text, &[&error]);
        }
    }

    #[test]
    fn what_older_servers_drop() {
        let tainted = slice(&format!(
            "allNodes: true, devices: [{}]",
            listed(65, ", taints: [{key: a, effect: None}]")
        ));
        Bench::new().accepts(&tainted);
        let bench = Bench::of(36);
        bench.refuses(&tainted, &["spec.devices: Too many: 65: must have at most 64 items"]);
        let frame = slice("perDeviceNodeSelection: true, devices: [{name: d, {}}]");
        bench.accepts_all(
            &frame,
            &[
                "nodeName: m",
                "allNodes: true, consumesCounters: [{counterSet: c, counters: {a: {value: 1}}}]",
                "nodeName: m, bindingConditions: [a], bindingFailureConditions: [b]",
            ],
        );
        bench.refuses_all(&frame, &[
            ("taints: []", "spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when"),
            ("nodeName: m, bindingConditions: [a]", "spec.devices[0].bindingFailureConditions: Invalid value: \"\": bindingFailureConditions are required to use bindingConditions"),
            ("nodeName: m, bindingConditions: [a], bindingFailureConditions: [a]", "spec.devices[0].bindingFailureConditions[0]: Invalid value: \"a\": bindingFailureConditions must not overlap"),
            ("nodeName: m, taints: [{key: a, effect: Some}]", "spec.devices[0].taints[0].effect: Unsupported value: \"Some\": supported values: \"NoExecute\", \"NoSchedule\", \"None\""),
        ]);
        bench.refuses(
            &slice("allNodes: true, devices: [{name: d, nodeName: m}]"),
            &["spec.devices[0]: Invalid value: `nodeName`, `nodeSelector` and `allNodes` can only be set if"],
        );
    }

    #[test]
    fn devices_of_the_first_versions() {
        let frame = slice("perDeviceNodeSelection: true, devices: [{name: d, basic: {{}}}]")
            .replace("k8s.io/v1\n", "k8s.io/v1beta1\n");
        let bench = Bench::of(36);
        bench.accepts_all(
            &frame,
            &[
                "nodeName: m",
                "nodeName: m, allowMultipleAllocations: true, capacity: {memory: {value: 8Gi, requestPolicy: {default: 1Gi}}}",
            ],
        );
        bench.refuses_all(&frame, &[
            ("", "spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when"),
            ("nodeName: m, taints: [{key: a, effect: Some}]", "spec.devices[0].taints[0].effect: Unsupported value: \"Some\""),
            ("nodeName: m, attributes: {a-b: {int: 1}}", "spec.devices[0].attributes[a-b]: Invalid value: \"a-b\": a valid C identifier"),
        ]);
        let frame = frame.replace("perDeviceNodeSelection: true", "nodeName: '', allNodes: true");
        bench.accepts_all(&frame, &["attributes: {a: {int: 1}}"]);
        Bench::of(32).refuses_all(
            &frame,
            &[(
                "attributes: {a-b: {int: 1}}",
                "spec.devices[0].basic.attributes[a-b]: Invalid value: \"a-b\"",
            )],
        );
    }

    #[test]
    fn versions() {
        for (text, expected) in [
            ("1.2.3", true),
            ("0.0.0-alpha.1+b-1", true),
            ("1.2.3-0a", true),
            ("1.2", false),
            ("1.2.3.4", false),
            ("01.2.3", false),
            ("1.2.3-01", false),
            ("1.2.3-", false),
            ("1.2.3+", false),
            ("v1.2.3", false),
        ] {
            assert_eq!(is_version(text), expected, "{text}");
        }
    }

    #[test]
    fn parts_of_devices() {
        let slice = |first: &str, second: &str| {
            format!(
                "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: a}}\nspec: {{driver: d.io, nodeName: nn, pool: {{name: p, generation: 1, resourceSliceCount: 1}}, devices: [{{name: a, {first}}}, {{name: b, {second}}}]}}\n"
            )
        };
        let bench = Bench::of(37);
        let wrong = slice("taints: [{key: a b, effect: None}]", "capacity: {'a b': {value: 1}}");
        bench.updates(&wrong, &wrong, &[]);
        let moved = slice("", "taints: [{key: a b, effect: None}]");
        bench.updates(&wrong, &moved, &["spec.devices[1].taints[0].key: Invalid value: \"a b\""]);
        assert_eq!(bench.errors(&wrong).len(), 2);
    }
}
