//! Expressions in CEL: the server compiles each when the object that holds it is written.

use trueline_cel::types::Type;
use trueline_kube_facts::{Failure, FieldError, RuleFact, go_quoted, rules};

use super::Context;
use crate::cel::{Admission, Extra, PER_SELECTOR, Patch, compile_device_selector};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// An expression in CEL cannot be compiled.
    NOT_COMPILED: Invalid in trueline_kube_facts::cel_codes::NOT_COMPILED, "cel/not-compiled", "{}";

    /// The selector of a device may cost more than a scheduler spends on it.
    EXPENSIVE_SELECTOR: Forbidden in trueline_kube_facts::cel_codes::TOO_EXPENSIVE, "cel/expensive-selector",
        "too complex, exceeds cost limit";
}

/// How long all expressions of an object may be together, in bytes, to be compiled; objects of clusters are smaller.
const MOST: usize = 3 << 20;

/// The expressions of one policy or webhook.
pub(super) struct Expressions {
    admission: Admission,
    extra: Extra,
    left: usize,
}

impl Expressions {
    /// Those of an object that may have parameters (`paramKind`) and variables.
    pub(super) fn of(holder: &FieldPlace<'_, '_>, context: &Context<'_>) -> Self {
        let params = !holder.child("paramKind").is_absent();
        let variables = !holder.child("variables").is_empty();
        let extra = Extra { params, authorizer: true, variables, patches: false };
        Expressions { admission: Admission::new(context.version), extra, left: MOST }
    }

    /// Those of a policy that changes objects: it knows `variables` even where it declares none.
    pub(super) fn of_mutating(holder: &FieldPlace<'_, '_>, context: &Context<'_>) -> Self {
        let expressions = Self::of(holder, context);
        Expressions { extra: Extra { variables: true, ..expressions.extra }, ..expressions }
    }

    /// A condition: it is true or false, and knows no variables.
    pub(super) fn condition(&mut self, place: &FieldPlace<'_, '_>, report: &mut Report) {
        let extra = Extra { variables: false, ..self.extra };
        self.check(place, extra, &[Type::Bool], report);
    }

    /// A validation: it is true or false.
    pub(super) fn validation(&mut self, place: &FieldPlace<'_, '_>, report: &mut Report) {
        self.check(place, self.extra, &[Type::Bool], report);
    }

    /// What makes a message: it is a string, and may not ask what somebody is allowed to do.
    pub(super) fn message(&mut self, place: &FieldPlace<'_, '_>, report: &mut Report) {
        let extra = Extra { authorizer: false, ..self.extra };
        self.check(place, extra, &[Type::String], report);
    }

    /// What makes an annotation: it is a string, or null for none.
    pub(super) fn annotation(&mut self, place: &FieldPlace<'_, '_>, report: &mut Report) {
        self.check(place, self.extra, &[Type::String, Type::Null], report);
    }

    /// A mutation: an object, or a list of operations.
    pub(super) fn mutation(&mut self, place: &FieldPlace<'_, '_>, patch: Patch, report: &mut Report) {
        let extra = Extra { patches: true, ..self.extra };
        self.check(place, extra, &[patch.declared()], report);
    }

    /// A variable, which the expressions after it can read.
    pub(super) fn variable(&mut self, variable: &FieldPlace<'_, '_>, report: &mut Report) {
        let declared = self.check(&variable.child("expression"), self.extra, &[], report);
        if let Some(name) = variable.child("name").text() {
            self.admission.add_variable(name, declared.unwrap_or(Type::Dyn));
        }
    }

    fn check(
        &mut self,
        place: &FieldPlace<'_, '_>,
        extra: Extra,
        wanted: &[Type],
        report: &mut Report,
    ) -> Option<Type> {
        let text = place.full_text().filter(|text| !text.trim().is_empty())?;
        self.left = self.left.checked_sub(text.len())?;
        match self.admission.compile(text, extra, wanted) {
            Ok(checked) => Some(checked.result()),
            Err(failure) => {
                refuse(place, text, &failure, report);
                None
            }
        }
    }
}

/// Checks the selector of a device.
pub(super) fn check_device_selector(place: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let Some(text) = place.text() else { return };
    match compile_device_selector(text, context.version) {
        Ok(selector) if selector.max_cost > PER_SELECTOR => {
            let error = FieldError::new(&EXPENSIVE_SELECTOR, place.path(), None);
            let fact = RuleFact::TooExpensive {
                estimate: selector.max_cost,
                limit: PER_SELECTOR,
                bounds: Vec::new(),
            };
            report.refused(place, error.about_rule(fact));
        }
        Ok(_) => {}
        Err(failure) => refuse(place, text, &failure, report),
    }
}

fn refuse(place: &FieldPlace<'_, '_>, text: &str, failure: &Failure, report: &mut Report) {
    let error = FieldError::new(NOT_COMPILED.with(failure.server_text()), place.path(), None);
    let fact =
        RuleFact::NotCompiled { expression: failure.expression().clone(), issues: failure.issues().to_vec() };
    report.refused(place, error.with_value(go_quoted(text)).about_rule(fact));
}

#[cfg(test)]
mod tests {
    use trueline_yaml::{Data, Value};

    use crate::rules::testing::Bench;

    #[test]
    fn selectors_of_devices_are_checked_as_a_server_checks_them() {
        let recorded = Value::from_json_text(include_str!("recorded/device_selectors.json")).unwrap();
        let Data::List(rows) = &recorded.data else { panic!("no list") };
        assert!(rows.len() > 40);
        let bench = Bench::of(35);
        for row in rows.iter() {
            let field = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default();
            let expression = field("expression").replace('\'', "''");
            let text = format!(
                "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: m}}\nspec: {{selectors: [{{cel: {{expression: '{expression}'}}}}]}}\n"
            );
            match field("error") {
                "" => bench.accepts(&text),
                error => bench.refuses(&text, &[&format!("spec.selectors[0].cel.expression: {error}")]),
            }
        }
    }
}
