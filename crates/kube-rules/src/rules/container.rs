//! A container: its image, its ports and the pod's rules about them.

use std::collections::BTreeSet;

use trueline_kube_facts::{names, rules};

use super::resources::{self, Requests};
use super::{Context, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// Two ports of a container have the same name.
    DUPLICATE_PORT_NAME: Duplicate, "container/duplicate-port-name";
}

/// Checks `core.Container` and `core.EphemeralContainer`.
pub(super) fn check(container: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let image = container.child("image");
    if image.text() == Some("") {
        report.missing(&image);
    }
    let is_filled = context.kind == "Pod" && container.name_around() != "ephemeralContainers";
    let filled = if is_filled { Requests::Filled(|_| true) } else { Requests::AsWritten };
    resources::check(&container.child("resources"), filled, context, report);
    let mut taken = BTreeSet::new();
    for port in container.child("ports").items() {
        let name = port.child("name");
        if let Some(text) = name.full_text() {
            let complaints = syntax::port_name(text);
            if complaints.is_empty() && !taken.insert(text) {
                report.refuse(&name, &DUPLICATE_PORT_NAME);
            }
            report.complain(&name, complaints);
        }
        let number = port.child("containerPort");
        match number.integer() {
            Some(0) => report.missing(&number),
            None if number.is_absent() => report.missing(&number),
            Some(value) => report.complain(&number, names::port(value)),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const FRAME: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{{}}]}\n";

    #[test]
    fn containers() {
        let bench = Bench::new();
        bench.accepts_all(
            FRAME,
            &[
                "name: a, image: i",
                "name: a, image: i, ports: [{containerPort: 1}, {containerPort: 1}]",
                "name: a, image: i, ports: [{containerPort: 80, name: http, protocol: UDP, hostPort: 0}]",
                "name: a, image: i, ports: [{containerPort: 65535.0}]",
                "name: a, image: i, imagePullPolicy: '', ports: null",
            ],
        );
        bench.refuses_all(FRAME, &[
            ("name: a", "spec.containers[0].image: Required value"),
            ("image: i", "spec.containers[0].name: Required value"),
            ("name: A, image: i", "spec.containers[0].name: Invalid value: \"A\": a lowercase RFC 1123 label"),
            ("name: a, image: i, ports: [{name: a}]", "spec.containers[0].ports[0].containerPort: Required value"),
            ("name: a, image: i, ports: [{containerPort: 70000}]", "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive"),
            ("name: a, image: i, ports: [{containerPort: 1, name: a}, {containerPort: 2, name: a}]", "spec.containers[0].ports[1].name: Duplicate value: \"a\""),
            ("name: a, image: i, ports: [{containerPort: 1, name: aB}]", "spec.containers[0].ports[0].name: Invalid value: \"aB\": must contain only"),
            ("name: a, image: i, ports: [{containerPort: 1, protocol: HTTP}]", "spec.containers[0].ports[0].protocol: Unsupported value: \"HTTP\": supported values: \"SCTP\", \"TCP\", \"UDP\""),
            ("name: a, image: i, ports: [{containerPort: '1'}]", "spec.containers[0].ports[0].containerPort: WrongType"),
        ]);
    }
}
