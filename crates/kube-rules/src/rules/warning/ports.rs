//! Ports of all containers of a pod: one name stands for one port, and an address without a port for nothing.

use rustc_hash::FxHashMap;
use trueline_kube_facts::rules;

use crate::place::FieldPlace;
use crate::problem::Report;
use crate::rules::Context;

rules! {
    /// `hostIP` does nothing without `hostPort`.
    HOST_IP_ALONE: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "container/host-ip-alone",
        "hostIP set without hostPort";
    /// Two ports of different containers have the same name.
    SHARED_PORT_NAME: Invalid in trueline_kube_facts::codes::DOUBTFUL_FIELD, "container/shared-port-name",
        "duplicate port name {} with {}, services and probes that select ports by name will use {}";
}

/// Warns in `core.PodSpec`. What is the same within one container is said of the list.
pub(crate) fn check(pod: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    // Where each name is first: the list, the container and the port.
    let mut names: FxHashMap<&str, (&str, usize, usize)> = FxHashMap::default();
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for (owner, container) in pod.child(list).items().enumerate() {
            for (index, port) in container.child("ports").items().enumerate() {
                if port.child("hostIP").full_text().is_some()
                    && port.child("hostPort").integer().unwrap_or_default() == 0
                {
                    report.warn(&port.child("hostIP"), &HOST_IP_ALONE);
                }
                let name = port.child("name");
                let Some(text) = name.full_text() else { continue };
                match names.get(text) {
                    Some((other_list, other_owner, other_index)) => {
                        if (*other_list, *other_owner) != (list, owner) {
                            let first = pod
                                .path()
                                .field(*other_list)
                                .index(*other_owner)
                                .field("ports")
                                .index(*other_index);
                            let first = first.to_string();
                            report.warn(
                                &port.at(&name),
                                SHARED_PORT_NAME.with(format!("{:?}", text)).and(first.clone()).and(first),
                            );
                        }
                    }
                    None => {
                        names.insert(text, (list, owner, index));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn many_names_are_compared_in_one_pass() {
        let ports: String =
            (1..=3000).map(|index| format!("{{name: p{index}, containerPort: {index}}}, ")).collect();
        let container = |name: &str| format!("{{name: {name}, image: i, ports: [{ports}]}}");
        let pod = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{}, {}]}}\n",
            container("a"),
            container("b")
        );
        assert_eq!(Bench::new().warnings(&pod).len(), 3000);
    }

    #[test]
    fn names_of_ports() {
        let bench = Bench::new();
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, ports: [{name: http, containerPort: 1}]}, {name: b, image: i, ports: [{{}}]}]}\n";
        bench.warns(&pod.replace("{}", "name: other, containerPort: 2"), &[]);
        bench.warns(
            &pod.replace("{}", "name: http, containerPort: 2"),
            &["«http» spec.containers[1].ports[0]: duplicate port name \"http\" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]"],
        );
        bench.warns(
            &pod.replace("{}", "containerPort: 2, hostIP: 127.0.0.1"),
            &["«127.0.0.1» spec.containers[1].ports[0].hostIP: hostIP set without hostPort"],
        );
    }
}
