//! A pod: the names of its containers and volumes, what mounts refer to, and what its network allows.

use std::collections::BTreeSet;
use trueline_kube_facts::meant::nearest;
use trueline_kube_facts::{Segment, go_quoted, names, rules};

use rustc_hash::FxHashSet;
use trueline_yaml::ScalarValue;

use super::{Context, Operation};
use crate::place::FieldPlace;
use crate::problem::{Fact, Report};

rules! {
    /// A field is set that only init containers which stay have.
    NOT_FOR_INIT: Forbidden, "container/not-for-init", "{}";
    /// The name of an image begins or ends with a blank.
    IMAGE_BLANKS: Invalid, "container/image-blanks", "must not have leading or trailing whitespace";
    /// A scheduling gate is listed twice.
    DUPLICATE_GATE: Duplicate, "pod/duplicate-gate";
    /// Two containers of a pod have the same name.
    DUPLICATE_NAME: Duplicate, "container/duplicate-name";
    /// A path is absolute where it has to be relative.
    ABSOLUTE_PATH: Invalid, "pod/absolute-path", "must be a relative path";
    /// A path leads upwards.
    PATH_UPWARDS: Invalid, "pod/path-upwards", "must not contain '..'";
    /// A path begins with `..`.
    PATH_START: Invalid, "pod/path-start", "must not start with '..'";
    /// With the host's network a container port has to be the host port.
    PORT_ON_HOST: Invalid, "container/port-on-host", "must match `hostPort` when `hostNetwork` is true";
    /// With the host's network a host port has to be the container port.
    HOST_PORT_ON_HOST: Invalid, "container/host-port-on-host",
        "must match `containerPort` when `hostNetwork` is true";
    /// Two ports of a pod take the same port of the host.
    DUPLICATE_HOST_PORT: Duplicate, "container/duplicate-host-port";
    /// Two ports of a pod take the same port of the host.
    DUPLICATE_INIT_HOST_PORT: Duplicate, "container/duplicate-init-host-port";
    /// A hook sleeps longer than the pod may take to end.
    LONG_SLEEP: Invalid, "container/long-sleep", "{} and less than terminationGracePeriodSeconds ({})";
    /// Two resource claims of a pod have the same name.
    DUPLICATE_RESOURCE_CLAIM: Duplicate, "pod/duplicate-resource-claim";
    /// A resource claim is both named and made from a template.
    TWO_RESOURCE_CLAIMS: Invalid, "pod/two-resource-claims",
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
    /// A resource claim is neither named nor made from a template.
    NO_RESOURCE_CLAIM: Invalid, "pod/no-resource-claim",
        "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
    /// A container uses a resource claim that the pod does not have.
    UNKNOWN_RESOURCE_CLAIM: NotFound, "container/unknown-resource-claim",
        "must be one of the names in pod.spec.resourceClaims{}";
    /// A container uses a resource claim twice.
    DUPLICATE_RESOURCE_CLAIM_2: Duplicate, "container/duplicate-resource-claim";
    /// Ephemeral containers cannot be set when a pod is made.
    EPHEMERAL_CONTAINERS: Forbidden, "pod/ephemeral-containers", "{}";
    /// The grace period is negative.
    NEGATIVE_GRACE_PERIOD: Invalid, "pod/negative-grace-period", "must be greater than or equal to 0";
    /// A node is named while scheduling gates are set.
    NODE_WITH_GATES: Forbidden, "pod/node-with-gates", "cannot be set until all schedulingGates have been cleared";
    /// The operating system has no name.
    EMPTY_OS_NAME: Required, "pod/empty-os-name", "cannot be empty";
    /// Processes are shared both in the pod and with the host.
    SHARED_AND_HOST_PID: Invalid, "pod/shared-and-host-pid",
        "ShareProcessNamespace and HostPID cannot both be enabled";
    /// `hostUsers: false` cannot be used with other namespaces of the host.
    HOST_WITHOUT_USERS: Forbidden, "pod/host-without-users", "{}";
    /// `hostUsers: false` cannot be used with devices.
    DEVICES_WITHOUT_USERS: Forbidden, "pod/devices-without-users", "{}";
    /// A sysctl of the network cannot be set with the host's network.
    HOST_NETWORK: Invalid, "sysctl/host-network", "may not be specified when 'hostNetwork' is true";
    /// A sysctl of IPC cannot be set with the host's IPC.
    HOST_IPC: Invalid, "sysctl/host-ipc", "may not be specified when 'hostIPC' is true";
}

/// Checks `core.PodSpec`.
pub(super) fn check(pod: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    // The server takes the old name where the new one is empty.
    let (account, alias) = (pod.child("serviceAccountName"), pod.child("serviceAccount"));
    if let Some(name) = alias.full_text().filter(|_| account.is_empty()) {
        report.complain(&account.at(&alias), names::dns_1123_subdomain(name));
    }
    let containers = pod.child("containers");
    let mut container_names = BTreeSet::new();
    unique_names(&containers, &mut container_names, report);
    unique_names(&pod.child("initContainers"), &mut container_names, report);
    unique_names(&pod.child("ephemeralContainers"), &mut container_names, report);
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in pod.child(list).items() {
            let image = container.child("image");
            if image.full_text().is_some_and(|text| text.trim() != text) {
                let before = report.problems.len();
                report.refuse(&image, &IMAGE_BLANKS);
                if context.kind != "Pod" {
                    report.refused_later(before);
                }
            }
        }
    }
    init_containers(&pod.child("initContainers"), context, report);
    host_ports(&containers, pod, context, report);
    sleeps(pod, context, report);
    // Older versions have another shape of claims, which was only tried out.
    if context.version.minor >= 31 {
        device_claims(pod, report);
    }
    host(pod, context, report);
    created(pod, context, report);
    let gates = pod.child("schedulingGates");
    let mut seen = BTreeSet::new();
    for gate in gates.items() {
        if let Some(name) = gate.child("name").text() {
            report.complain(&gate, names::qualified_name(name));
            if !seen.insert(name) {
                report.refuse(&gate, &DUPLICATE_GATE);
            }
        }
    }
}

/// No two containers have the same name, nor one of those that are taken already. Of the first ones, an empty name is
/// taken only once, too.
fn unique_names<'d>(list: &FieldPlace<'_, 'd>, taken: &mut BTreeSet<&'d str>, report: &mut Report) {
    for item in list.items() {
        let name = item.child("name");
        let Some(text) = name.text() else { continue };
        if taken.contains(text) {
            report.refuse(&name, &DUPLICATE_NAME);
        } else if !text.is_empty() || list.last_name() == "containers" {
            taken.insert(text);
        }
    }
}

/// A path that does not begin at the root and does not climb.
pub(super) fn descending(place: &FieldPlace<'_, '_>, report: &mut Report) {
    if place.full_text().is_some_and(|text| text.starts_with('/')) {
        report.refuse(place, &ABSOLUTE_PATH);
    }
    backsteps(place, report);
}

/// A path that does not climb.
pub(super) fn backsteps(place: &FieldPlace<'_, '_>, report: &mut Report) {
    if place.full_text().is_some_and(|text| text.split('/').any(|part| part == "..")) {
        report.refuse(place, &PATH_UPWARDS);
    }
}

/// A path that descends, and whose name does not begin with what is reserved.
pub(super) fn non_reserved(place: &FieldPlace<'_, '_>, report: &mut Report) {
    descending(place, report);
    if place
        .full_text()
        .is_some_and(|text| text.starts_with("..") && text != ".." && !text.starts_with("../"))
    {
        report.refuse(place, &PATH_START);
    }
}

/// Only a container that stays beside the others has probes and hooks.
fn init_containers(list: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let words = match context.version.minor {
        ..28 => "may not be set for init containers",
        _ => "may not be set for init containers without restartPolicy=Always",
    };
    let mut unread = FxHashSet::default();
    let mut forbidden = Report::default();
    for (index, container) in list.items().enumerate() {
        if container.child("restartPolicy").text() == Some("Always") {
            continue;
        }
        for field in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
            let place = container.child(field);
            if !place.is_absent() {
                unread.insert((index, field));
                forbidden.refuse(&place, NOT_FOR_INIT.with(words));
            }
        }
    }
    if unread.is_empty() {
        return;
    }
    // What is in them is not looked at.
    let path = list.path();
    report.problems.retain(|problem| {
        let is_unread = match problem.field.item_of(&path) {
            Some((index, [Segment::Field(field), ..])) => unread.contains(&(index, &**field)),
            _ => false,
        };
        !(is_unread && matches!(problem.fact, Fact::Refused(..)))
    });
    report.problems.append(&mut forbidden.problems);
}

/// Until this version, templates of pods are completed like pods.
const COMPLETES_TEMPLATES: u16 = 28;

fn host_ports(
    containers: &FieldPlace<'_, '_>,
    pod: &FieldPlace<'_, '_>,
    context: &Context<'_>,
    report: &mut Report,
) {
    let is_host_network = pod.child("hostNetwork").is_true();
    let is_filled = is_host_network && (context.kind == "Pod" || context.version.minor < COMPLETES_TEMPLATES);
    let mut taken = BTreeSet::new();
    for container in containers.items() {
        for port in container.child("ports").items() {
            let host = port.child("hostPort");
            let number = host.integer().unwrap_or_default();
            let container_port = port.child("containerPort").integer();
            let protocol = port.child("protocol").full_text().unwrap_or("TCP");
            if is_host_network && number != 0 && Some(number) != container_port {
                match context.version.minor {
                    ..28 => report.refuse(&port.child("containerPort"), &PORT_ON_HOST),
                    _ => report.refuse(&host, &HOST_PORT_ON_HOST),
                }
            }
            // An absent one is filled in where the pod shares the network of its host.
            let number = if number == 0 && is_filled { container_port.unwrap_or_default() } else { number };
            let address = port.child("hostIP").full_text().unwrap_or_default();
            if number != 0 && !taken.insert((protocol, address, number)) {
                let value = go_quoted(&format!("{protocol}/{address}/{number}"));
                let span = if host.is_absent() { port.child("containerPort").span() } else { host.span() };
                report.refuse_in(host.path(), span, Some(value), &DUPLICATE_HOST_PORT);
            }
        }
    }
    // Containers that run one after the other share no port. The server names the first of them, whichever it means.
    let first = pod.child("initContainers");
    for container in first.items() {
        let mut taken = BTreeSet::new();
        for (index, port) in container.child("ports").items().enumerate() {
            let host = port.child("hostPort");
            let number = host.integer().unwrap_or_default();
            let filled =
                if is_filled { port.child("containerPort").integer().unwrap_or_default() } else { 0 };
            let number = if number == 0 { filled } else { number };
            let protocol = port.child("protocol").full_text().unwrap_or("TCP");
            let address = port.child("hostIP").full_text().unwrap_or_default();
            if number != 0 && !taken.insert((protocol, address, number)) {
                let value = go_quoted(&format!("{protocol}/{address}/{number}"));
                report.refuse_in(
                    first.path().index(0).field("ports").index(index).field("hostPort"),
                    host.span(),
                    Some(value),
                    &DUPLICATE_INIT_HOST_PORT,
                );
            }
        }
    }
}

/// Hooks that sleep have to end before the pod is ended.
fn sleeps(pod: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let period = pod.child("terminationGracePeriodSeconds");
    let Some(period) = (if period.is_absent() { Some(30) } else { period.integer() }) else { return };
    let may_be_zero = context.version.minor >= 33;
    for list in ["initContainers", "containers"] {
        for container in pod.child(list).items() {
            // Of containers that end, hooks are not looked at.
            if list == "initContainers" && container.child("restartPolicy").text() != Some("Always") {
                continue;
            }
            let lifecycle = container.child("lifecycle");
            for hook in ["preStop", "postStart"] {
                let hook = lifecycle.child(hook);
                let sleep = hook.child("sleep");
                let seconds = sleep.child("seconds");
                // An absent number is none at all.
                let number =
                    if sleep.is_absent() { None } else { Some(seconds.integer().unwrap_or_default()) };
                let Some(number) = number else { continue };
                let is_too_small = number < 0 || (number == 0 && !may_be_zero);
                if is_too_small || number > period {
                    let words = match may_be_zero {
                        true => "must be non-negative",
                        false => "must be greater than 0",
                    };
                    report.refuse(&sleep.at(&seconds), LONG_SLEEP.with(words).and(period));
                }
            }
        }
    }
}

/// Devices that a pod claims, and the containers that use them.
fn device_claims(pod: &FieldPlace<'_, '_>, report: &mut Report) {
    let list = pod.child("resourceClaims");
    let mut known = BTreeSet::new();
    for claim in list.items() {
        let name = claim.child("name");
        if let Some(text) = name.full_text() {
            if known.insert(text) {
                report.complain(&name, names::dns_1123_label(text));
            } else {
                report.refuse(&name, &DUPLICATE_RESOURCE_CLAIM);
            }
        }
        match (
            claim.child("resourceClaimName").is_absent(),
            claim.child("resourceClaimTemplateName").is_absent(),
        ) {
            (false, false) => report.refuse(&claim, &TWO_RESOURCE_CLAIMS),
            (true, true) => report.refuse(&claim, &NO_RESOURCE_CLAIM),
            _ => {}
        }
        for field in ["resourceClaimName", "resourceClaimTemplateName"] {
            let place = claim.child(field);
            if let Some(text) = place.text().filter(|_| !place.is_absent()) {
                report.complain(&place, names::dns_1123_subdomain(text));
            }
        }
    }
    for list in ["initContainers", "containers"] {
        for container in pod.child(list).items() {
            used_claims(&container.child("resources"), &known, report);
        }
    }
}

/// The names of the claims of a pod.
pub(super) fn claim_names<'d>(pod: &FieldPlace<'_, 'd>) -> BTreeSet<&'d str> {
    pod.child("resourceClaims").items().filter_map(|claim| claim.child("name").full_text()).collect()
}

/// How many names are listed.
const MOST_NAMED: usize = 64;

/// The claims that a container, or a pod as a whole, uses: those that the pod has.
pub(super) fn used_claims(resources: &FieldPlace<'_, '_>, known: &BTreeSet<&str>, report: &mut Report) {
    let used = resources.child("claims");
    let mut taken = BTreeSet::new();
    for used in used.items() {
        let (name, request) = (used.child("name"), used.child("request"));
        if name.text() == Some("") {
            report.missing(&used.at(&name));
        }
        let Some(text) = name.full_text() else { continue };
        used_claim(&used, (text, request.text().unwrap_or_default()), &mut taken, report);
        if let Some(request_text) = request.full_text() {
            report.complain(&request, names::dns_1123_label(request_text));
        }
        if !known.contains(text) {
            let detail = match known.is_empty() {
                true => " which is empty".to_owned(),
                false => {
                    format!(": {}", known.iter().copied().take(MOST_NAMED).collect::<Vec<_>>().join(", "))
                }
            };
            report.refuse_meant(
                &used.at(&name),
                UNKNOWN_RESOURCE_CLAIM.with(detail),
                nearest(text, known.iter().copied()).map(str::to_owned),
            );
        }
    }
}

/// A claim that a container uses, or one request of it: not twice, and not as a whole and in part.
fn used_claim<'d>(
    used: &FieldPlace<'_, 'd>,
    (claim, request): (&'d str, &'d str),
    taken: &mut BTreeSet<(&'d str, &'d str)>,
    report: &mut Report,
) {
    let is_whole_taken = taken.contains(&(claim, ""));
    let is_part_taken = taken.range((claim, "")..).next().is_some_and(|(other, _)| *other == claim);
    let is_taken =
        is_whole_taken || if request.is_empty() { is_part_taken } else { taken.contains(&(claim, request)) };
    if is_taken {
        // The server names what is taken already: the claim, or the request of it.
        let value = match is_whole_taken || request.is_empty() {
            true => go_quoted(claim),
            false => go_quoted(&format!("{claim}/{request}")),
        };
        report.refuse_in(used.path(), used.child("name").span(), Some(value), &DUPLICATE_RESOURCE_CLAIM_2);
    }
    taken.insert((claim, request));
}

/// What can only be set later, or not at all.
fn created(pod: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let ephemeral = pod.child("ephemeralContainers");
    let is_pod = context.kind == "Pod";
    let is_update = is_pod && context.operation == Operation::Update;
    if ephemeral.count() > 0 && !is_update {
        let words = if is_pod {
            "cannot be set on create"
        } else {
            "ephemeral containers not allowed in pod template"
        };
        report.refuse(&ephemeral, EPHEMERAL_CONTAINERS.with(words));
    }
    let period = pod.child("terminationGracePeriodSeconds");
    if context.version.minor >= 37 && is_pod && period.integer().is_some_and(|seconds| seconds < 0) {
        report.refuse(&period, &NEGATIVE_GRACE_PERIOD);
    }
    let preemption = pod.child("preemptionPolicy");
    if !preemption.is_absent() && preemption.text() == Some("") {
        report.missing(&preemption);
    }
    let node = pod.child("nodeName");
    if node.full_text().is_some() && pod.child("schedulingGates").count() > 0 && is_pod && !is_update {
        report.refuse(&node, &NODE_WITH_GATES);
    }
    let system = pod.child("os");
    if !system.is_absent() {
        let name = system.child("name");
        match name.text() {
            Some("") if context.version.minor < 34 => report.refuse(&name, &EMPTY_OS_NAME),
            Some("") => report.missing(&name),
            None | Some("linux" | "windows") => {}
            Some(_) => report.not_supported(&system.at(&name), &["linux", "windows"]),
        }
    }
}

/// What a pod shares with its node.
fn host(pod: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let shared = pod.child("shareProcessNamespace");
    if shared.is_true() && pod.child("hostPID").is_true() {
        // The server has it in the security context.
        let security = pod.child("securityContext");
        let named = security.child("shareProcessNamespace").at(&shared);
        report.refuse(&named, &SHARED_AND_HOST_PID);
    }
    kernel_settings(pod, context, report);
    let users = pod.child("hostUsers");
    let is_own = users.node().and_then(|node| node.scalar()) == Some(ScalarValue::Bool(false));
    // Until then it is dropped.
    if is_own && context.version.minor >= 33 {
        let words = match context.version.minor {
            33 => "when `pod.Spec.HostUsers` is false",
            _ => "when `hostUsers` is false",
        };
        // The server spells two of them in another way.
        for (field, named) in [("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")]
        {
            if pod.child(field).is_true() {
                report.refuse(&pod.child(named).at(&pod.child(field)), HOST_WITHOUT_USERS.with(words));
            }
        }
        let lists = ["initContainers", "containers", "ephemeralContainers"];
        for list in lists.iter().filter(|_| context.version.minor >= 34) {
            for container in pod.child(list).items() {
                let devices = container.child("volumeDevices");
                if devices.count() > 0 {
                    report.refuse(&devices, DEVICES_WITHOUT_USERS.with(words));
                }
            }
        }
    }
}

/// Settings of the kernel that belong to the host where a pod shares its network, or its memory.
fn kernel_settings(pod: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let is_shared = ["hostNetwork", "hostIPC"].map(|field| pod.child(field).is_true());
    if is_shared == [false; 2] || context.version.minor < 29 {
        return;
    }
    let [network, memory] = is_shared;
    let security = pod.child("securityContext");
    for setting in security.child("sysctls").items() {
        let name = setting.child("name");
        let Some(text) = name.text() else { continue };
        // A name with slashes between its parts has dots within them.
        let parts = match text.find(['.', '/']).and_then(|place| text.as_bytes().get(place)) {
            Some(b'/') => text.replace('/', "."),
            _ => text.to_owned(),
        };
        let is_memory = parts.starts_with("fs.mqueue.")
            || parts.strip_prefix("kernel.").is_some_and(|name| MEMORY_SETTINGS.contains(&name));
        if network && parts.starts_with("net.") {
            report.refuse(&name, &HOST_NETWORK);
        } else if memory && is_memory {
            report.refuse(&name, &HOST_IPC);
        }
    }
}

/// Settings of the memory that processes share.
const MEMORY_SETTINGS: &[&str] =
    &["sem", "shmall", "shmmax", "shmmni", "shm_rmid_forced", "shm", "msgmax", "msgmnb", "msgmni", "msg"];

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const POD: &str =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: a, image: i}]\n  {}\n";
    const CONTAINERS: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]\n  containers:\n    - {name: a, image: i, {}}\n";

    #[test]
    fn pods_that_are_taken() {
        let bench = Bench::new();
        bench.accepts_all(POD, &[
            "{}".trim_matches(['{', '}']),
            "initContainers: [{name: b, image: i}]",
            "initContainers: [{name: b, image: i, restartPolicy: Always, livenessProbe: {exec: {command: [a]}}}]",
            "hostNetwork: true",
            "dnsConfig: {searches: [., _a.b_c.d., e]}",
                "terminationGracePeriodSeconds: -1",
            "dnsPolicy: None\n  dnsConfig: {nameservers: [1.1.1.1]}",
            "volumes: [{name: v, emptyDir: {}}, {name: w}]",
            "schedulingGates: [{name: x.io/a}, {name: b}]",
        ]);
        // Of templates, blanks around images are taken.
        bench.accepts("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: a, image: ' i'}]}\n");
        bench.accepts("apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: a, image: i, volumeMounts: [{name: data, mountPath: /d}]}]}\n  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]\n");
    }

    #[test]
    fn volumes_as_disks() {
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, volumeDevices: [{name: v, devicePath: /a}]}], volumes: [{name: v, {}}]}\n";
        let bench = Bench::new();
        bench.accepts_all(
            frame,
            &[
                "persistentVolumeClaim: {claimName: c}",
                "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1}}}}}",
            ],
        );
        bench.refuses_all(
            frame,
            &[(
                "hostPath: {path: /a}",
                "spec.containers[0].volumeDevices[0].name: Invalid value: \"v\": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
            )],
        );
        bench.accepts("apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: a, image: i, volumeDevices: [{name: data, devicePath: /d}]}]}\n  volumeClaimTemplates: [{metadata: {name: data}, spec: {volumeMode: Block, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]\n");
    }

    #[test]
    fn templates_whose_pods_are_refused() {
        let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  selector: {matchLabels: {a: b}}\n  \
                    template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: ' i'}]}}\n";
        let words = "«' i'» spec.template.spec.containers[0].image: Invalid value: \" i\": must not have leading or trailing \
                     whitespace (the server takes it now, and refuses it where it is used)";
        Bench::new().accepts(text);
        Bench::new().warns(text, &[words]);
    }

    #[test]
    fn pods_that_are_refused() {
        let bench = Bench::new();
        bench.refuses_all(POD, &[
            ("initContainers: [{name: a, image: i}]", "spec.initContainers[0].name: Duplicate value: \"a\""),
            ("volumes: [{name: v, emptyDir: {}}, {name: v, emptyDir: {}}]", "spec.volumes[1].name: Duplicate value: \"v\""),
            ("initContainers: [{name: b, image: i, lifecycle: {preStop: {exec: {command: [a]}}}}]", "spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers"),
            ("dnsPolicy: None", "spec.dnsConfig: Required value: must provide `dnsConfig`"),
            ("dnsConfig: {nameservers: [x]}", "spec.dnsConfig.nameservers[0]: Invalid value: \"x\": must be a valid IP"),
            ("schedulingGates: [{name: a}, {name: a}]", "spec.schedulingGates[1]: Duplicate value"),
            ("initContainers: [{name: b, image: 'i '}]", "spec.initContainers[0].image: Invalid value: \"i \": must not have leading or trailing whitespace"),
            ("restartPolicy: Sometimes", "spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"OnFailure\", \"Never\""),
            ("dnsConfig: {options: [{value: a}]}", "spec.dnsConfig.options[0]: Required value: must not be empty"),
            ("resourceClaims: [{name: a}]", "spec.resourceClaims[0]: Invalid value: must specify one of: `resourceClaimName`"),
            ("resourceClaims: [{name: a, resourceClaimName: b}, {name: a, resourceClaimName: b}]", "spec.resourceClaims[1].name: Duplicate value: \"a\""),
            ("preemptionPolicy: ''", "spec.preemptionPolicy: Required value"),
            ("shareProcessNamespace: true\n  hostPID: true", "spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled"),
            ("hostUsers: false\n  hostNetwork: true", "spec.hostNetwork: Forbidden: when `hostUsers` is false"),
            ("hostNetwork: true\n  securityContext: {sysctls: [{name: net.core.somaxconn, value: '1'}]}", "spec.securityContext.sysctls[0].name: Invalid value: \"net.core.somaxconn\": may not be specified when 'hostNetwork' is true"),
            ("hostNetwork: true\n  securityContext: {sysctls: [{name: net/core/somaxconn, value: '1'}]}", "spec.securityContext.sysctls[0].name: Invalid value: \"net/core/somaxconn\": may not be specified when 'hostNetwork' is true"),
            ("hostIPC: true\n  securityContext: {sysctls: [{name: kernel.shmmax, value: '1'}]}", "spec.securityContext.sysctls[0].name: Invalid value: \"kernel.shmmax\": may not be specified when 'hostIPC' is true"),
            ("hostUsers: false\n  hostPID: true", "spec.HostPID: Forbidden: when `hostUsers` is false"),
            ("dnsConfig: {searches: [a b]}", "spec.dnsConfig.searches[0]: Invalid value: \"a b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_'"),
            ("resources: {requests: {cpu: 2}, limits: {cpu: 1}}", "spec.resources.requests: Invalid value: 2: must be less than or equal to cpu limit of 1"),
            ("resourceClaims: [{name: a, resourceClaimName: b}]\n  initContainers: [{name: b, image: i, resources: {claims: [{name: a}, {name: a}]}}]", "spec.initContainers[0].resources.claims[1]: Duplicate value: \"a\""),
            ("resourceClaims: [{name: a, resourceClaimName: b}]\n  initContainers: [{name: b, image: i, resources: {claims: [{name: a, request: r}, {name: a}]}}]", "spec.initContainers[0].resources.claims[1]: Duplicate value: \"a\""),
            ("resourceClaims: [{name: a, resourceClaimName: b}]\n  initContainers: [{name: b, image: i, resources: {claims: [{name: a}, {name: a, request: r}]}}]", "spec.initContainers[0].resources.claims[1]: Duplicate value: \"a\""),
            ("resourceClaims: [{name: a, resourceClaimName: b}]\n  initContainers: [{name: b, image: i, resources: {claims: [{name: a, request: r}, {name: a, request: r}]}}]", "spec.initContainers[0].resources.claims[1]: Duplicate value: \"a/r\""),
            ("resourceClaims: [{name: a, resourceClaimName: b}]\n  initContainers: [{name: b, image: i, resources: {claims: [{name: a, request: R}]}}]", "spec.initContainers[0].resources.claims[0].request: Invalid value: \"R\": a lowercase RFC 1123 label"),
            ("os: {name: mac}", "spec.os: Unsupported value: \"mac\": supported values: \"linux\", \"windows\""),
            ("ephemeralContainers: [{name: e, image: i}]", "spec.ephemeralContainers: Forbidden: cannot be set on create"),
        ]);
        bench.refuses_all(
            CONTAINERS,
            &[
                (
                    "volumeMounts: [{name: w, mountPath: /a}]",
                    "spec.containers[0].volumeMounts[0].name: Not found: \"w\"",
                ),
                (
                    "volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /a}]",
                    "spec.containers[0].volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique",
                ),
                (
                    "volumeMounts: [{name: v, mountPath: /a, subPath: ../b}]",
                    "spec.containers[0].volumeMounts.subPath: Invalid value: \"../b\": must not contain '..'",
                ),
                (
                    "resources: {claims: [{name: gpu}]}",
                    "spec.containers[0].resources.claims[0]: Not found: \"gpu\"",
                ),
                (
                    "lifecycle: {preStop: {sleep: {seconds: 31}}}",
                    "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)",
                ),
                (
                    "volumeDevices: [{name: v, devicePath: /a}, {name: v, devicePath: /b}]",
                    "spec.containers[0].volumeDevices[1].name: Invalid value: \"v\": must be unique",
                ),
                (
                    "volumeMounts: [{name: v, mountPath: /a, recursiveReadOnly: Enabled}]",
                    "spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true",
                ),
                ("volumeMounts: [{name: v}]", "spec.containers[0].volumeMounts[0].mountPath: Required value"),
                (
                    "ports: [{containerPort: 1, hostPort: 2}, {containerPort: 2, hostPort: 2}]",
                    "spec.containers[0].ports[1].hostPort: Duplicate value",
                ),
                (
                    "imagePullPolicy: always",
                    "spec.containers[0].imagePullPolicy: Unsupported value: \"always\"",
                ),
            ],
        );
    }

    #[test]
    fn mounts_and_devices() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, {}}], volumes: [{name: v, persistentVolumeClaim: {claimName: c}}, {name: w, persistentVolumeClaim: {claimName: d}}]}\n";
        let text = frame.replace(
            "{}",
            "volumeMounts: [{name: v, mountPath: /v}], volumeDevices: [{name: v, devicePath: /w}]",
        );
        bench.refuses(
            &text,
            &[
                "spec.containers[0].volumeMounts[0].name: Invalid value: \"v\": must not already exist in volumeDevices",
                "spec.containers[0].volumeDevices[0].name: Invalid value: \"v\": must not already exist in volumeMounts",
            ],
        );
        let text = frame.replace(
            "{}",
            "volumeMounts: [{name: v, mountPath: /v}], volumeDevices: [{name: w, devicePath: /v}]",
        );
        bench.refuses(
            &text,
            &[
                "spec.containers[0].volumeMounts[0].mountPath: Invalid value: \"/v\": must not already exist as a path in volumeDevices",
                "spec.containers[0].volumeDevices[0].devicePath: Invalid value: \"/v\": must not already exist as a path in volumeMounts",
            ],
        );
        bench.refuses_all(
            frame,
            &[(
                "volumeMounts: [{name: v, mountPath: /v, recursiveReadOnly: Foo}]",
                "spec.containers[0].volumeMounts.recursiveReadOnly: Unsupported value: \"Foo\": supported values: \"Disabled\", \"Enabled\", \"IfPossible\"",
            )],
        );
    }

    #[test]
    fn what_older_and_newer_versions_say() {
        let frame =
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i{}\n";
        let searches: Vec<String> = (0..7).map(|index| format!("a{index}.b")).collect();
        let searched = format!("}}], dnsConfig: {{searches: [{}]}}}}", searches.join(", "));
        for (part, minor, before, after) in [
            (&*searched, 25, "spec.dnsConfig.searches: Invalid value", ""),
            (
                "}], terminationGracePeriodSeconds: -1}",
                36,
                "",
                "spec.terminationGracePeriodSeconds: Invalid value: -1: must be greater than or equal to 0",
            ),
            (
                "}], os: {name: ''}}",
                33,
                "spec.os.name: Required value: cannot be empty",
                "spec.os.name: Required value",
            ),
            (
                ", ports: [{containerPort: 1, hostPort: 2}]}], hostNetwork: true}",
                27,
                "spec.containers[0].ports[0].containerPort: Invalid value: 1: must match `hostPort`",
                "spec.containers[0].ports[0].hostPort: Invalid value: 2: must match `containerPort`",
            ),
            (
                "}], initContainers: [{name: b, image: i, livenessProbe: {exec: {command: [a]}}}]}",
                27,
                "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers",
                "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without",
            ),
        ] {
            for (minor, error) in [(minor, before), (minor + 1, after)] {
                let text = frame.replace("{}", part);
                match error {
                    "" => Bench::of(minor).accepts(&text),
                    _ => Bench::of(minor).refuses(&text, &[error]),
                }
            }
        }
    }
}
