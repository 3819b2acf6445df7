//! The authorizer: what may be asked of it. Nobody can be asked offline, so the functions are declared and cost what they
//! cost, but have no value.

use trueline_cel::arguments::size;
use trueline_cel::function::{Actual, Cost, Estimate, Function, Overload, STRING_TRAVERSAL, Size, by_factor};
use trueline_cel::types::{OpaqueKind, OpaqueType, Type};

use crate::cost::{UNIT, first_size, fixed_equality};

const fn message(name: &'static str) -> OpaqueType {
    OpaqueType { name, kind: OpaqueKind::Message, equality: Some(fixed_equality) }
}

/// The type of the variable `authorizer`.
pub static AUTHORIZER: OpaqueType = message("kubernetes.authorization.Authorizer");
/// A check of a path.
pub static PATH_CHECK: OpaqueType = message("kubernetes.authorization.PathCheck");
/// A check of a group of resources, of which one has to be named.
pub static GROUP_CHECK: OpaqueType = message("kubernetes.authorization.GroupCheck");
/// A check of a resource, and the type of the variable `authorizer.requestResource`.
pub static RESOURCE_CHECK: OpaqueType = message("kubernetes.authorization.ResourceCheck");
/// What the authorizer says.
pub static DECISION: OpaqueType = message("kubernetes.authorization.Decision");

/// What asking the authorizer costs: two checks fit into one expression.
const CHECK: Cost =
    Cost { actual: Actual::Fixed(350_000), estimate: |_| Estimate::cost(Size::fixed(350_000)) };

/// The functions of the authorizer.
pub(crate) fn functions() -> Vec<Function> {
    let authorizer = || Type::Opaque(&AUTHORIZER);
    let path = || Type::Opaque(&PATH_CHECK);
    let group = || Type::Opaque(&GROUP_CHECK);
    let resource = || Type::Opaque(&RESOURCE_CHECK);
    let decision = || Type::Opaque(&DECISION);
    let text = || Type::String;
    let member = |name, id, params, result| {
        Function::new(name, vec![Overload::declare_member(id, params, result)]).costing(UNIT)
    };
    vec![
        member("path", "authorizer_path", vec![authorizer(), text()], path()),
        member("group", "authorizer_group", vec![authorizer(), text()], group()),
        member(
            "serviceAccount",
            "authorizer_serviceaccount",
            vec![authorizer(), text(), text()],
            authorizer(),
        ),
        member("resource", "groupcheck_resource", vec![group(), text()], resource()),
        member("subresource", "resourcecheck_subresource", vec![resource(), text()], resource()),
        member("namespace", "resourcecheck_namespace", vec![resource(), text()], resource()),
        member("name", "resourcecheck_name", vec![resource(), text()], resource()),
        Function::new(
            "check",
            vec![
                Overload::declare_member("pathcheck_check", vec![path(), text()], decision()),
                Overload::declare_member("resourcecheck_check", vec![resource(), text()], decision()),
            ],
        )
        .costing(CHECK),
        member("errored", "decision_errored", vec![decision()], Type::Bool),
        member("error", "decision_error", vec![decision()], text()),
        member("allowed", "decision_allowed", vec![decision()], Type::Bool),
        member("reason", "decision_reason", vec![decision()], text()),
    ]
}

/// The functions that narrow a check by selectors.
pub(crate) fn selector_functions() -> Vec<Function> {
    let resource = || Type::Opaque(&RESOURCE_CHECK);
    let member = |name, id| {
        let params = vec![resource(), Type::String];
        Function::new(name, vec![Overload::declare_member(id, params, resource())]).costing(SELECTOR)
    };
    vec![
        member("fieldSelector", "authorizer_fieldselector"),
        member("labelSelector", "authorizer_labelselector"),
    ]
}

/// Reading a selector and making its requirements, of which there is at most one for every two characters.
const SELECTOR: Cost = Cost {
    actual: Actual::ByArguments(|args| {
        let length = size(args, 1);
        10 + by_factor(length, STRING_TRAVERSAL) + by_factor(by_factor(length, 0.5), 50.0)
    }),
    estimate: |call| {
        let length = first_size(call);
        let requirements = length.by_factor(0.5).by_factor(50.0);
        Estimate::cost(Size::fixed(10).plus(length.by_factor(STRING_TRAVERSAL)).plus(requirements))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_cel::value::Value;

    #[test]
    fn selectors_cost_a_list_and_a_structure_for_every_two_characters() {
        let Actual::ByArguments(cost) = SELECTOR.actual else { panic!("the cost depends on the selector") };
        assert_eq!(cost(&[Value::Null, Value::from("k,k,")]), 10 + 1 + 100);
    }
}
