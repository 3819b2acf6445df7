//! Kinds of the cluster itself: API services, classes of priority, and selectors of devices.

use std::collections::BTreeSet;

use trueline_kube_facts::{FieldError, names, rules};

use super::{Context, expression, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// The name of an APIService is not its version, a dot and its group.
    NAME: Invalid, "api-service/name", "must be `spec.version+\".\"+spec.group`: \"{}\"";
    /// Only the version `v1` may have no group.
    NO_GROUP: Required, "api-service/no-group", "only v1 may have an empty group and it better be legacy kube";
    /// A priority of an APIService is outside of its range.
    PRIORITY: Invalid, "api-service/priority", "must be positive and less than {}";
    /// The CA bundle does not hold certificates that can be read.
    BAD_BUNDLE: Invalid, "api-service/bad-bundle", "local APIServices may not have a caBundle";
    /// A local APIService skips the check of certificates.
    LOCAL_INSECURE: Invalid, "api-service/local-insecure", "local APIServices may not have insecureSkipTLSVerify";
    /// The port of the service is not the number of a port.
    PORT: Invalid, "api-service/port", "port is not valid: {}";
    /// A CA bundle is given, and its check is skipped.
    BUNDLE_AND_INSECURE: Invalid, "api-service/bundle-and-insecure", "may not be true if caBundle is present";
    /// A toleration is listed twice.
    DUPLICATE_TOLERATION: Duplicate, "runtime-class/duplicate-toleration";
    /// Names that begin with `system-` belong to Kubernetes.
    SYSTEM_NAME: Forbidden, "priority-class/system-name",
        "priority class names with 'system-' prefix are reserved for system use only. error: {}";
    /// The value of a priority class is above one billion.
    TOO_HIGH: Forbidden, "priority-class/too-high", "maximum allowed value of a user defined priority is 1000000000";
}

/// Checks `apiregistration.APIServiceSpec`.
pub(super) fn check_api_service(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (group, version) = (spec.child("group"), spec.child("version"));
    let metadata = spec.top().child("metadata");
    for name in [metadata.child("name"), metadata.child("generateName")] {
        let Some(text) = name.full_text().filter(|text| syntax::path_segment(text).is_empty()) else {
            continue;
        };
        let (Some(group), Some(version)) = (group.text(), version.text()) else { continue };
        let wanted = format!("{version}.{group}");
        if text != wanted {
            report.refuse(&name, NAME.with(wanted));
        }
    }
    match group.text() {
        Some("") if version.text() != Some("v1") => {
            report.refuse(&group, &NO_GROUP);
        }
        None | Some("") => {}
        Some(text) => report.complain(&group, names::dns_1123_subdomain(text)),
    }
    if let Some(text) = version.text() {
        report.complain(&version, names::dns_1035_label(text));
    }
    for (field, most) in [("groupPriorityMinimum", 20_000), ("versionPriority", 1000)] {
        let place = spec.child(field);
        let number = if place.is_absent() { Some(0) } else { place.integer() };
        if number.is_some_and(|number| number <= 0 || number > most) {
            report.refuse(&place, PRIORITY.with(most));
        }
    }
    let service = spec.child("service");
    let (bundle, skips) = (spec.child("caBundle"), spec.child("insecureSkipTLSVerify"));
    if service.is_absent() {
        // Without a service, the server itself answers.
        if !bundle.is_empty() {
            let error = FieldError::new(&BAD_BUNDLE, bundle.path(), None);
            let size = syntax::base64(bundle.text().unwrap_or_default()).len();
            report.refused(&bundle, error.with_value(format!("\"{size} bytes\"")));
        }
        if skips.is_true() {
            report.refuse(&skips, &LOCAL_INSECURE);
        }
        return;
    }
    for field in ["namespace", "name"] {
        if service.child(field).text() == Some("") {
            report.missing(&service.child(field));
        }
    }
    let port = service.child("port");
    if let Some(words) = port.integer().and_then(names::port) {
        report.refuse(&port, PORT.with(words));
    }
    if skips.is_true() && !bundle.is_empty() {
        report.refuse(&skips, &BUNDLE_AND_INSECURE);
    }
}

/// Checks `node.Scheduling`: no toleration twice, however long it lasts.
pub(super) fn check_scheduling(scheduling: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for toleration in scheduling.child("tolerations").items() {
        let key = ["key", "operator", "value", "effect"].map(|field| toleration.child(field).text());
        if !taken.insert(key) {
            report.refuse(&toleration, &DUPLICATE_TOLERATION);
        }
    }
}

/// The longest expression of a selector, in bytes.
const LONGEST: usize = 10 * 1024;

/// Checks `resource.CELDeviceSelector`.
pub(super) fn check_device_selector(
    selector: &FieldPlace<'_, '_>,
    context: &Context<'_>,
    report: &mut Report,
) {
    let expression = selector.child("expression");
    if expression.text().is_some_and(|text| text.len() > LONGEST) {
        report.too_long(&expression, LONGEST);
    } else {
        expression::check_device_selector(&expression, context, report);
    }
}

/// Checks `scheduling.PriorityClass`: the highest values belong to the system.
pub(super) fn check_priority(class: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let policy = class.child("preemptionPolicy");
    if !policy.is_absent() && policy.text() == Some("") {
        report.missing(&policy);
    }
    let metadata = class.child("metadata");
    let value = class.child("value");
    let name = metadata.child("name");
    let is_system = name.text().is_none_or(|name| name.starts_with("system-"));
    if let Some(text) = name.full_text().filter(|_| is_system)
        && let Some(why) = no_system_class(text, class)
    {
        report.refuse(&name, SYSTEM_NAME.with(why));
    }
    if !is_system && value.integer().is_some_and(|value| value > 1_000_000_000) {
        report.refuse(&value, &TOO_HIGH);
    }
}

/// Why a class is none of those of the system.
fn no_system_class(name: &str, class: &FieldPlace<'_, '_>) -> Option<String> {
    let wanted = match name {
        "system-cluster-critical" => 2_000_000_000,
        "system-node-critical" => 2_000_001_000,
        _ => return Some(format!("{name} is not a known system priority class")),
    };
    let value = class.child("value");
    if !value.is_absent() && value.integer().is_some_and(|value| value != wanted) {
        return Some(format!("value of {name} PriorityClass must be {wanted}"));
    }
    class
        .child("globalDefault")
        .is_true()
        .then(|| format!("globalDefault of {name} PriorityClass must be false"))
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn scheduling_of_classes() {
        let frame = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: r}\nhandler: h\nscheduling: {{}}\n";
        let bench = Bench::new();
        bench.accepts_all(
            frame,
            &["nodeSelector: {a: b}, tolerations: [{key: a, operator: Exists}, {key: a, value: b}]"],
        );
        bench.refuses_all(
            frame,
            &[
                ("nodeSelector: {a: b c}", "scheduling.nodeSelector: Invalid value: \"b c\""),
                (
                    "tolerations: [{key: a, operator: Exists}, {key: a, operator: Exists}]",
                    "scheduling.tolerations[1]: Duplicate value",
                ),
            ],
        );
    }

    #[test]
    fn kinds_of_the_cluster() {
        let bench = Bench::new();
        let service = "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.a.b}\nspec: {group: a.b, version: v1, groupPriorityMinimum: 100, versionPriority: 100, {}}\n";
        bench.accepts_all(service, &["service: {name: a, namespace: b}", "insecureSkipTLSVerify: false"]);
        bench.refuses_all(
            service,
            &[
                ("service: {name: a}", "spec.service.namespace: Required value"),
                (
                    "service: {name: a, namespace: b, port: 0}",
                    "spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
                ),
                (
                    "insecureSkipTLSVerify: true",
                    "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify",
                ),
                ("caBundle: YWJj", "spec.caBundle: Invalid value: \"3 bytes\": local APIServices may not have a caBundle"),
            ],
        );
        bench.refuses(
            &service.replace("a.b", "A_").replace(", {}", ""),
            &["spec.group: Invalid value: \"A_\": a lowercase RFC 1123 subdomain"],
        );
        bench.refuses(
            &service.replace("{name: v1.a.b}", "{name: v1.a.b, generateName: v}").replace(", {}", ""),
            &["metadata.generateName: Invalid value: \"v\": must be `spec.version"],
        );
        bench.refuses(
            &service.replace("v1.a.b", "x").replace(", {}", ""),
            &["metadata.name: Invalid value: \"x\": must be `spec.version+\".\"+spec.group`: \"v1.a.b\""],
        );
        bench.refuses(
            &service.replace("versionPriority: 100, {}", ""),
            &["spec.versionPriority: Invalid value: \"\": must be positive and less than 1000"],
        );
        let class = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: c}\nvalue: {}\n";
        bench.accepts_all(class, &["0", "1000000000", "null"]);
        bench.refuses_all(class, &[("1000000001", "value: Forbidden: maximum allowed value")]);
        bench.refuses(
            "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: system-a}\nvalue: 5\n",
            &["metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-a is not a known system priority class"],
        );
        bench.accepts("apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: system-node-critical}\nvalue: 2000001000\n");
    }

    #[test]
    fn empty_policies() {
        let class = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: c}\nvalue: 1\npreemptionPolicy: ''\n";
        Bench::new().refuses(class, &["preemptionPolicy: Required value"]);
    }
}
