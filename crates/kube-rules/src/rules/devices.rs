//! Claims on devices: one way to choose each, how many, and what is said of them together.

use std::collections::BTreeSet;
use trueline_kube_facts::{FieldError, FieldPath, KubeVersion, Segment, names, rules};

use rustc_hash::FxHashMap;

use super::{Context, device_names};
use crate::place::FieldPlace;
use crate::problem::{Fact, Problem, Report};

rules! {
    /// Two requests of a claim have the same name.
    DUPLICATE_REQUEST: Duplicate, "device/duplicate-request";
    /// A request is referred to that the claim does not have.
    UNKNOWN_REQUEST: Invalid, "device/unknown-request",
        "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
    /// A request is referred to twice.
    DUPLICATE_REFERENCE: Duplicate, "device/duplicate-reference";
    /// A constraint demands nothing.
    NO_CONSTRAINT: Required, "device/no-constraint",
        "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set";
    /// A request has both `exactly` and `firstAvailable`.
    TWO_KINDS_OF_REQUEST: Invalid, "device/two-kinds-of-request", BOTH;
    /// A request has neither `exactly` nor `firstAvailable`.
    NO_KIND_OF_REQUEST: Required, "device/no-kind-of-request",
        "exactly one of `exactly` or `firstAvailable` is required";
    /// A count is set where all devices are asked for.
    COUNT_WITH_ALL: Invalid, "device/count-with-all", "must not be specified when allocationMode is 'All'";
    /// A count of devices is not above zero.
    NO_COUNT: Invalid, "device/no-count", "must be greater than zero";
    /// A toleration with the operator `Exists` has a value.
    TOLERATION_VALUE: Invalid, "device/toleration-value", "must be empty for operator `Exists`";
    /// The parameters of a driver are not a JSON object.
    PARAMETERS_NOT_OBJECT: Invalid, "device/parameters-not-object", "must be a valid JSON object";
}

/// The most requests, constraints, configurations and selectors of one list.
const MOST: usize = 32;

/// The most alternatives of a request.
const MOST_ALTERNATIVES: usize = 8;

/// The first version of the server that has one type for all versions of the group.
const ONE_TYPE: u16 = 33;

/// The versions of the group that have the fields of an exact request in the request, and those of a device in `basic`.
const FIRST_VERSIONS: &[&str] = &["resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta1"];

/// The fields of an exact request.
const EXACT: &[&str] =
    &["adminAccess", "allocationMode", "capacity", "count", "deviceClassName", "selectors", "tolerations"];

const BOTH: &str = "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set";

/// Checks `resource.DeviceClaim`.
pub(super) fn check(claim: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (requests, constraints, configurations) =
        (claim.child("requests"), claim.child("constraints"), claim.child("config"));
    let mut known: Names<'_> = FxHashMap::default();
    for request in requests.items() {
        let names = request.child("firstAvailable");
        let names = names.items().filter_map(|alternative| alternative.child("name").text()).collect();
        known.insert(request.child("name").text().unwrap_or_default(), names);
    }
    unique(&requests, MOST, context, report);
    for list in [&constraints, &configurations] {
        if list.count() > MOST {
            report.too_many(list, MOST);
            continue;
        }
        for item in list.items() {
            references(&item.child("requests"), &known, report);
        }
    }
    for constraint in constraints.items() {
        attribute(&constraint, context, report);
    }
}

/// The names of requests, each with those of its alternatives.
type Names<'d> = FxHashMap<&'d str, Vec<&'d str>>;

/// A list of at most so many items, each with a name of its own.
pub(super) fn unique(list: &FieldPlace<'_, '_>, most: usize, context: &Context<'_>, report: &mut Report) {
    if list.count() > most {
        return report.too_many(list, most);
    }
    let mut taken = BTreeSet::new();
    for item in list.items() {
        let name = item.child("name");
        if let Some(text) = name.full_text()
            && !taken.insert(text)
        {
            // Newer servers name the item rather than the field.
            report
                .refuse(&if context.version.minor >= 35 { item.at(&name) } else { name }, &DUPLICATE_REQUEST);
        }
    }
}

/// Names of requests that something is said of.
fn references(list: &FieldPlace<'_, '_>, known: &Names<'_>, report: &mut Report) {
    if list.count() > MOST {
        return report.too_many(list, MOST);
    }
    let mut taken = BTreeSet::new();
    for item in list.items() {
        let Some(text) = item.text() else { continue };
        let mut parts = text.splitn(2, '/');
        let (request, alternative) = (parts.next().unwrap_or_default(), parts.next());
        let is_known = known.get(request).is_some_and(|alternatives| {
            alternative.is_none_or(|alternative| alternatives.contains(&alternative))
        });
        if text.matches('/').count() < 2 {
            report.complain(&item, names::dns_1123_label(request));
            report.complain(&item, alternative.map(names::dns_1123_label).unwrap_or_default());
        }
        if !is_known {
            report.refuse(&item, &UNKNOWN_REQUEST);
        }
        if !taken.insert(text) {
            report.refuse(&item, &DUPLICATE_REFERENCE);
        }
    }
}

/// The attribute that a constraint is about.
fn attribute(constraint: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (same, distinct) = (constraint.child("matchAttribute"), constraint.child("distinctAttribute"));
    // Until then the second one is dropped.
    let has_both = context.version.minor >= 36;
    if !same.is_absent() {
        device_names::fully_qualified(&same, context, report);
    } else if has_both && !distinct.is_absent() {
        device_names::fully_qualified(&distinct, context, report);
    } else if has_both {
        report.refuse(constraint, &NO_CONSTRAINT);
    } else {
        report.missing(&same);
    }
}

/// Checks `resource.DeviceRequest`. The first versions of the group have the fields of an exact request here.
pub(super) fn check_request(request: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let name = request.child("name");
    if let Some(text) = name.text() {
        report.complain(&name, names::dns_1123_label(text));
    }
    if is_flat(request, context) {
        let class = request.child("deviceClassName");
        if class.is_empty() && context.version.minor >= ONE_TYPE {
            report.missing(&class);
        }
        if !request.child("firstAvailable").is_empty() {
            report.refuse(request, &TWO_KINDS_OF_REQUEST);
        }
        return check_exact(request, context, report);
    }
    let (exactly, alternatives) = (request.child("exactly"), request.child("firstAvailable"));
    match (exactly.is_absent(), alternatives.is_empty()) {
        (true, true) => report.refuse(request, &NO_KIND_OF_REQUEST),
        (false, false) => {
            // Neither of the two is looked at.
            report.forget_below(&exactly.path());
            report.forget_below(&alternatives.path());
            report.refuse(request, &TWO_KINDS_OF_REQUEST);
        }
        (true, false) => unique(&alternatives, MOST_ALTERNATIVES, context, report),
        (false, true) => {}
    }
}

/// Whether the fields of an exact request are in the request itself.
fn is_flat(request: &FieldPlace<'_, '_>, context: &Context<'_>) -> bool {
    if !is_first_version(request) {
        return false;
    }
    let is_set = |field: &&'static str| {
        let place = request.child(field);
        !place.is_absent() && place.text() != Some("") && place.integer() != Some(0)
    };
    context.version.minor < ONE_TYPE || EXACT.iter().any(is_set)
}

/// Whether the object is of one of the first versions of the group.
pub(super) fn is_first_version(place: &FieldPlace<'_, '_>) -> bool {
    let version = place.top().child("apiVersion");
    version.text().is_some_and(|text| FIRST_VERSIONS.contains(&text))
}

/// Problems in the paths of the newer versions of the group, which is what newer servers look at.
pub(crate) fn rename(problems: &mut [Problem], api_version: &str, version: KubeVersion) {
    if version.minor < ONE_TYPE || !FIRST_VERSIONS.contains(&api_version) {
        return;
    }
    for problem in problems {
        if let Fact::Refused(error, _) | Fact::Changed(error, _) = &mut problem.fact
            && let Some(path) = renamed(&error.field)
        {
            problem.field.clone_from(&path);
            error.field = path;
        }
    }
}

/// `requests[0].exactly.count` for `requests[0].count`, and `devices[0].taints` for `devices[0].basic.taints`.
fn renamed(path: &FieldPath) -> Option<FieldPath> {
    let steps = path.segments();
    let is_request = |steps: &[Segment]| match steps {
        [devices, requests, Segment::Index(_), Segment::Field(name)] => {
            devices.is("devices") && requests.is("requests") && EXACT.contains(&&**name)
        }
        _ => false,
    };
    if let Some(at) = steps.windows(4).position(is_request) {
        let (before, after) = steps.split_at_checked(at + 3)?;
        let exactly = Segment::field("exactly");
        return Some(before.iter().chain([&exactly]).chain(after).cloned().collect());
    }
    match steps {
        [spec, devices, index @ Segment::Index(_), basic, rest @ ..]
            if spec.is("spec") && devices.is("devices") && basic.is("basic") =>
        {
            Some([spec, devices, index].into_iter().chain(rest).cloned().collect())
        }
        _ => None,
    }
}

/// Checks `resource.DeviceSubRequest`.
pub(super) fn check_alternative(request: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let name = request.child("name");
    if let Some(text) = name.text() {
        report.complain(&name, names::dns_1123_label(text));
    }
    check_exact(request, context, report);
}

/// Checks `resource.ExactDeviceRequest`: of which class, and how many.
pub(super) fn check_exact(request: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let class = request.child("deviceClassName");
    if let Some(text) = class.full_text() {
        report.complain(&class, names::dns_1123_subdomain(text));
    }
    let (mode, count) = (request.child("allocationMode"), request.child("count"));
    match mode.text() {
        Some("All") if count.integer().is_some_and(|number| number != 0) => {
            report.refuse(&count, &COUNT_WITH_ALL);
        }
        // Zero, as an absent one, is one device.
        Some("" | "ExactCount") if count.integer().is_some_and(|number| number < 0) => {
            report.refuse(&count, &NO_COUNT);
        }
        None | Some("" | "All" | "ExactCount") => {}
        Some(_) => report.not_supported(&mode, &["All", "ExactCount"]),
    }
    few(&request.child("selectors"), report);
    for toleration in request.child("tolerations").items() {
        tolerates(&toleration, report);
    }
}

fn few(list: &FieldPlace<'_, '_>, report: &mut Report) {
    if list.count() > MOST {
        report.too_many(list, MOST);
    }
}

/// Effects of taints of devices.
const EFFECTS: &[&str] = &["NoExecute", "NoSchedule", "None"];

/// A taint of a device.
pub(super) fn taint(taint: &FieldPlace<'_, '_>, report: &mut Report) {
    let (key, value, effect) = (taint.child("key"), taint.child("value"), taint.child("effect"));
    report.complain(&key, key.full_text().map(names::qualified_name).unwrap_or_default());
    report.complain(&value, value.full_text().map(names::label_value).unwrap_or_default());
    if effect.full_text().is_some_and(|text| !EFFECTS.contains(&text)) {
        report.not_supported(&effect, EFFECTS);
    }
}

/// Checks `resource.DeviceTaintRuleSpec`.
pub(super) fn check_taint_rule(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    taint(&spec.child("taint"), report);
    let selector = spec.child("deviceSelector");
    device_names::driver(&selector.child("driver"), report);
    device_names::pool(&selector.child("pool"), report);
    let device = selector.child("device");
    report.complain(&device, device.full_text().map(names::dns_1123_label).unwrap_or_default());
}

/// A toleration of a device.
fn tolerates(toleration: &FieldPlace<'_, '_>, report: &mut Report) {
    let (key, operator) = (toleration.child("key"), toleration.child("operator"));
    let (value, effect) = (toleration.child("value"), toleration.child("effect"));
    if let Some(text) = key.full_text() {
        report.complain(&key, names::qualified_name(text));
    }
    match operator.text() {
        Some("Exists") if value.full_text().is_some() => {
            report.refuse(&value, &TOLERATION_VALUE);
        }
        Some("" | "Equal") => {
            report.complain(&value, value.full_text().map(names::label_value).unwrap_or_default());
        }
        None | Some("Exists") => {}
        Some(_) => report.not_supported(&operator, &["Equal", "Exists"]),
    }
    if effect.full_text().is_some_and(|text| !EFFECTS.contains(&text)) {
        report.not_supported(&effect, EFFECTS);
    }
}

/// Checks `resource.DeviceClassSpec`.
pub(super) fn check_class(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    few(&spec.child("selectors"), report);
    few(&spec.child("config"), report);
}

/// Checks `resource.DeviceSelector`.
pub(super) fn check_selector(selector: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let expression = selector.child("cel");
    if expression.is_absent() {
        report.missing(&expression);
    }
}

/// Checks `resource.DeviceClaimConfiguration` and `resource.DeviceClassConfiguration`.
pub(super) fn check_configuration(configuration: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let opaque = configuration.child("opaque");
    if opaque.is_absent() {
        return report.missing(&opaque);
    }
    device_names::driver(&opaque.child("driver"), report);
    let parameters = opaque.child("parameters");
    match parameters.node() {
        None => report.missing(&parameters),
        Some(node) if node.entries().is_none() => {
            let error = FieldError::new(&PARAMETERS_NOT_OBJECT, parameters.path(), None);
            report.refused(&parameters, error.with_value("\"<value omitted>\""));
        }
        Some(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn requests() {
        let bench = Bench::new();
        let frame = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: r}\nspec: {devices: {requests: [{name: gpu, {}}]}}\n";
        bench.accepts_all(
            frame,
            &[
                "exactly: {deviceClassName: c}",
                "exactly: {deviceClassName: c, allocationMode: All}",
                "exactly: {deviceClassName: c, allocationMode: ExactCount, count: 2}",
                "firstAvailable: [{name: a, deviceClassName: c}]",
            ],
        );
        let place = "spec.devices.requests[0]";
        for (part, error) in [
            (
                "exactly: {deviceClassName: c}, firstAvailable: [{name: a, deviceClassName: c}]",
                ": Invalid value: exactly one of",
            ),
            (
                "exactly: {deviceClassName: c, allocationMode: Some}",
                ".exactly.allocationMode: Unsupported value: \"Some\": supported values: \"All\", \"ExactCount\"",
            ),
            (
                "exactly: {deviceClassName: c, allocationMode: All, count: 1}",
                ".exactly.count: Invalid value: 1: must not be specified when allocationMode is 'All'",
            ),
            (
                "exactly: {deviceClassName: c, count: -1}",
                ".exactly.count: Invalid value: -1: must be greater than zero",
            ),
            ("exactly: {}", ".exactly.deviceClassName: Required value"),
        ] {
            bench.refuses(&frame.replace("{}", part), &[&format!("{place}{error}")]);
        }
        bench.refuses(
            &frame.replace(", {}", ""),
            &["spec.devices.requests[0]: Required value: exactly one of"],
        );
    }

    #[test]
    fn limits_of_claims() {
        let bench = Bench::new();
        let requests = |count: usize| {
            let one = |index| format!("{{name: r{index}, exactly: {{deviceClassName: c}}}}");
            (0..count).map(one).collect::<Vec<_>>().join(", ")
        };
        let claim = |devices: &str| {
            format!(
                "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: r}}\nspec: {{devices: {{{devices}}}}}\n"
            )
        };
        let template = |devices: &str| {
            format!(
                "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {{name: r}}\nspec: {{spec: {{devices: {{{devices}}}}}}}\n"
            )
        };
        bench.accepts(&claim(&format!("requests: [{}]", requests(32))));
        bench.refuses(
            &claim(&format!("requests: [{}]", requests(33))),
            &["spec.devices.requests: Too many: 33: must have at most 32 items"],
        );
        bench.refuses(
            &template(&format!("requests: [{}]", requests(33))),
            &["spec.spec.devices.requests: Too many: 33: must have at most 32 items"],
        );
        let many = |one: &str, count: usize| vec![one; count].join(", ");
        let one = "requests: [{name: a, firstAvailable: [{name: b, deviceClassName: c}]}]";
        let constraint = "{matchAttribute: a.b/c}";
        let configuration = "{requests: [a/b], opaque: {driver: d, parameters: {}}}";
        for rest in [
            format!("constraints: [{}]", many(constraint, 32)),
            format!("config: [{}]", many(configuration, 32)),
            "constraints: [{requests: [a, a/b], matchAttribute: a.b/c}]".to_owned(),
        ] {
            bench.accepts(&claim(&format!("{one}, {rest}")));
        }
        let unknown = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
        for (rest, error) in [
            (format!("constraints: [{}]", many(constraint, 33)), "constraints: Too many: 33: must have at most 32 items".to_owned()),
            (format!("config: [{}]", many(configuration, 33)), "config: Too many: 33: must have at most 32 items".to_owned()),
            ("constraints: [{requests: [x], matchAttribute: a.b/c}]".to_owned(), format!("constraints[0].requests[0]: Invalid value: \"x\": {unknown}")),
            ("constraints: [{requests: [a/x], matchAttribute: a.b/c}]".to_owned(), format!("constraints[0].requests[0]: Invalid value: \"a/x\": {unknown}")),
            ("constraints: [{requests: [a, a], matchAttribute: a.b/c}]".to_owned(), "constraints[0].requests[1]: Duplicate value: \"a\"".to_owned()),
            ("constraints: [{requests: [a]}]".to_owned(), "constraints[0].matchAttribute: Required value".to_owned()),
            ("constraints: [{matchAttribute: c}]".to_owned(), "constraints[0].matchAttribute: Invalid value: \"c\": a fully qualified name must be a domain and a name separated by a slash".to_owned()),
            ("config: [{requests: [a]}]".to_owned(), "config[0].opaque: Required value".to_owned()),
            ("config: [{opaque: {driver: d}}]".to_owned(), "config[0].opaque.parameters: Required value".to_owned()),
            ("config: [{opaque: {driver: d, parameters: 1}}]".to_owned(), "config[0].opaque.parameters: Invalid value: \"<value omitted>\": must be a valid JSON object".to_owned()),
        ] {
            bench.refuses(&claim(&format!("{one}, {rest}")), &[&format!("spec.devices.{error}")]);
        }
        let alternatives = |count: usize| {
            let one = |index| format!("{{name: s{index}, deviceClassName: c}}");
            let all = (0..count).map(one).collect::<Vec<_>>().join(", ");
            claim(&format!("requests: [{{name: a, firstAvailable: [{all}]}}]"))
        };
        bench.accepts(&alternatives(8));
        bench.refuses(
            &alternatives(9),
            &["spec.devices.requests[0].firstAvailable: Too many: 9: must have at most 8 items"],
        );
        let selectors = |count: usize| {
            let all = many("{cel: {expression: 'true'}}", count);
            claim(&format!("requests: [{{name: a, exactly: {{deviceClassName: c, selectors: [{all}]}}}}]"))
        };
        bench.accepts(&selectors(32));
        bench.refuses(
            &selectors(33),
            &["spec.devices.requests[0].exactly.selectors: Too many: 33: must have at most 32 items"],
        );
        let twice = claim(
            "requests: [{name: a, exactly: {deviceClassName: c}}, {name: a, exactly: {deviceClassName: c}}]",
        );
        bench.refuses(&twice, &["spec.devices.requests[1]: Duplicate value: \"a\""]);
        Bench::of(34).refuses(&twice, &["spec.devices.requests[1].name: Duplicate value: \"a\""]);
        bench.refuses(
            &claim("requests: [{name: a, exactly: {deviceClassName: c, selectors: [{}]}}]"),
            &["spec.devices.requests[0].exactly.selectors[0].cel: Required value"],
        );
        let tolerated =
            claim("requests: [{name: a, exactly: {deviceClassName: c, tolerations: [{operator: Some}]}}]");
        bench.accepts(&tolerated);
        Bench::of(36).refuses(
            &tolerated,
            &["spec.devices.requests[0].exactly.tolerations[0].operator: Unsupported value: \"Some\": supported values: \"Equal\", \"Exists\""],
        );
    }

    #[test]
    fn rules_about_taints() {
        let bench = Bench::new();
        let frame =
            "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: {{}}\n";
        bench.accepts_all(
            frame,
            &["deviceSelector: {driver: d.io, pool: p/q, device: a}, taint: {key: x.io/a, value: b, effect: NoExecute}"],
        );
        bench.refuses_all(frame, &[
            ("taint: {key: a, effect: Some}", "spec.taint.effect: Unsupported value: \"Some\": supported values: \"NoExecute\", \"NoSchedule\", \"None\""),
            ("taint: {key: a b, effect: None}", "spec.taint.key: Invalid value: \"a b\""),
            ("taint: {key: a}", "spec.taint.effect: Required value"),
            ("deviceSelector: {device: A}, taint: {key: a, effect: None}", "spec.deviceSelector.device: Invalid value: \"A\""),
        ]);
    }

    #[test]
    fn newer_servers_name_the_newer_fields() {
        let frame = "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: r}\nspec: {devices: {requests: [{name: gpu, {}}]}}\n";
        let request = "spec.devices.requests[0]";
        for (part, older, newer) in [
            ("deviceClassName: c", None, None),
            (
                "deviceClassName: c_d",
                Some(".deviceClassName: Invalid value: \"c_d\""),
                Some(".exactly.deviceClassName: Invalid value: \"c_d\""),
            ),
            (
                "deviceClassName: c, count: -1",
                Some(".count: Invalid value: -1"),
                Some(".exactly.count: Invalid value: -1"),
            ),
            (
                "deviceClassName: c, selectors: [{}]",
                Some(".selectors[0].cel: Required value"),
                Some(".exactly.selectors[0].cel: Required value"),
            ),
            (
                "count: 1",
                Some(".deviceClassName: Required value"),
                Some(".exactly.deviceClassName: Required value"),
            ),
        ] {
            for (minor, error) in [(32, older), (34, newer)] {
                let errors: Vec<String> = error.iter().map(|error| format!("{request}{error}")).collect();
                let errors: Vec<&str> = errors.iter().map(String::as_str).collect();
                let text = frame.replace("{}}", &format!("{part}}}"));
                match errors.is_empty() {
                    true => Bench::of(minor).accepts(&text),
                    false => Bench::of(minor).refuses(&text, &errors),
                }
            }
        }
        Bench::of(34).refuses(
            &frame.replace("{}}", "deviceClassName: c, firstAvailable: [{name: s, deviceClassName: c}]}"),
            &["spec.devices.requests[0]: Invalid value: exactly one of"],
        );
    }

    #[test]
    fn classes() {
        let bench = Bench::new();
        let class = |count: usize| {
            let all = vec!["{cel: {expression: 'true'}}"; count].join(", ");
            format!(
                "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: r}}\nspec: {{selectors: [{all}]}}\n"
            )
        };
        bench.accepts(&class(32));
        bench.refuses(&class(33), &["spec.selectors: Too many: 33: must have at most 32 items"]);
    }
}
