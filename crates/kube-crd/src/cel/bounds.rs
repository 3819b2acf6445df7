//! Which bounds would bring the estimated cost of a rule below the limit.

use std::collections::VecDeque;

use trueline_kube_cel::budget::PER_EXPRESSION;
use trueline_kube_facts::Bound;

use super::SchemaStep;
use super::compile::compile;
use super::declared::{Declared, ROOT_NAME};
use super::engine::Engine;
use crate::props::{OrBool, Rule};
use crate::structural::Root;
use crate::structural::{Structural, ValueValidation};

/// The numbers that are offered.
const ROUND: [i64; 17] = [10_000, 5_000, 1_000, 500, 256, 128, 100, 64, 50, 32, 20, 16, 10, 5, 3, 2, 1];

/// How many schemas without a bound are considered, and how large a schema may be for which that is worth its time.
const MOST_CANDIDATES: usize = 48;
const MOST_SCHEMAS: usize = 2_000;

/// A schema without a bound.
#[derive(Debug, Clone)]
struct Candidate {
    steps: Vec<SchemaStep>,
    keyword: &'static str,
}

/// The fewest bounds, all with the same number, with which a rule costs no more than it may; none if there are no such.
/// `steps` lead from the whole schema to that of the rule.
pub(crate) fn suggest_bounds(
    whole: &Structural,
    steps: &[SchemaStep],
    rule: &Rule,
    engine: &Engine,
) -> Vec<Bound> {
    let mut candidates = candidates(whole, steps);
    let trial = Trial { whole, steps, rule, engine };
    if candidates.is_empty() || count(whole, MOST_SCHEMAS) >= MOST_SCHEMAS {
        return Vec::new();
    }
    let Some(most) = ROUND.into_iter().find(|most| trial.is_cheap(&candidates, *most)) else {
        return Vec::new();
    };
    // Whatever can be left out is, from the inside on: a bound on a list around the rule helps every rule in it.
    for index in (0..candidates.len()).rev() {
        let removed = candidates.remove(index);
        if !trial.is_cheap(&candidates, most) {
            candidates.insert(index, removed);
        }
    }
    let bound = |candidate: Candidate| Bound {
        field: field(&candidate.steps),
        keyword: candidate.keyword,
        most: most.unsigned_abs(),
        place: at(whole, &candidate.steps).and_then(|schema| schema.place),
    };
    candidates.into_iter().map(bound).collect()
}

/// What is tried.
struct Trial<'t> {
    whole: &'t Structural,
    steps: &'t [SchemaStep],
    rule: &'t Rule,
    engine: &'t Engine,
}

impl Trial<'_> {
    /// Whether the rule costs no more than it may if all candidates have this bound.
    fn is_cheap(&self, candidates: &[Candidate], most: i64) -> bool {
        let mut whole = self.whole.clone();
        for candidate in candidates {
            let Some(schema) = at_mut(&mut whole, &candidate.steps) else { continue };
            let validation = schema.value_validation.get_or_insert_with(Box::<ValueValidation>::default);
            match candidate.keyword {
                "maxItems" => validation.max_items = Some(most),
                "maxProperties" => validation.max_properties = Some(most),
                _ => validation.max_length = Some(most),
            }
        }
        self.cost(&whole).is_some_and(|cost| cost <= PER_EXPRESSION)
    }

    fn cost(&self, whole: &Structural) -> Option<u64> {
        let (mut schema, mut cardinality) = (whole, Some(1_u64));
        for step in self.steps {
            let elements = super::max_elements(schema);
            cardinality = cardinality.and_then(|cardinality| Some(cardinality.saturating_mul(elements?)));
            schema = child(schema, step)?;
        }
        let root = match self.steps.is_empty() || schema.extensions.embedded_resource {
            true => Root::Resource,
            false => Root::Value,
        };
        let declared = Declared::of(schema, root, ROOT_NAME)?;
        let only = Structural { rules: vec![self.rule.clone()], ..schema.clone() };
        let compiled = compile(&only, &declared, ROOT_NAME, self.engine);
        let compiled = compiled.first()?;
        Some(compiled.max_cost.saturating_mul(cardinality.unwrap_or(compiled.max_cardinality)))
    }
}

/// The schemas without a bound: lists and maps around the rule first, then what the rule can read.
fn candidates(whole: &Structural, steps: &[SchemaStep]) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut schema = whole;
    for (index, step) in steps.iter().enumerate() {
        if !matches!(step, SchemaStep::Field(_)) {
            found.extend(candidate(schema, steps.get(..index).unwrap_or_default()));
        }
        let Some(below) = child(schema, step) else { return found };
        schema = below;
    }
    let mut queue = VecDeque::from([(schema, steps.to_vec())]);
    while let Some((schema, steps)) = queue.pop_front() {
        found.extend(candidate(schema, &steps));
        if found.len() >= MOST_CANDIDATES {
            break;
        }
        let mut below = |step: SchemaStep| {
            if let Some(schema) = child(schema, &step) {
                let mut steps = steps.clone();
                steps.push(step);
                queue.push_back((schema, steps));
            }
        };
        below(SchemaStep::Items);
        below(SchemaStep::Values);
        for key in schema.properties.keys() {
            below(SchemaStep::Field(key.clone()));
        }
    }
    found
}

fn candidate(schema: &Structural, steps: &[SchemaStep]) -> Option<Candidate> {
    let validation = schema.value_validation.as_deref();
    let is_unbounded = |bound: fn(&ValueValidation) -> bool| !validation.is_some_and(bound);
    let keyword = match &*schema.generic.type_name {
        "array" if is_unbounded(|validation| validation.max_items.is_some()) => "maxItems",
        "object" if is_unbounded(|validation| validation.max_properties.is_some()) => {
            matches!(schema.additional_properties.as_deref(), Some(OrBool::Schema(_)))
                .then_some("maxProperties")?
        }
        "string" => {
            let is_short = |validation: &ValueValidation| {
                validation.max_length.is_some()
                    || !validation.choices.is_empty()
                    || matches!(&*validation.format, "date" | "date-time" | "duration")
            };
            is_unbounded(is_short).then_some("maxLength")?
        }
        "" if schema.extensions.int_or_string
            && is_unbounded(|validation| validation.max_length.is_some()) =>
        {
            "maxLength"
        }
        _ => return None,
    };
    Some(Candidate { steps: steps.to_vec(), keyword })
}

fn child<'s>(schema: &'s Structural, step: &SchemaStep) -> Option<&'s Structural> {
    match step {
        SchemaStep::Field(key) => schema.property(key),
        SchemaStep::Items => schema.items.as_deref(),
        SchemaStep::Values => match schema.additional_properties.as_deref()? {
            OrBool::Schema(schema) => Some(schema),
            OrBool::Bool(_) => None,
        },
    }
}

fn at<'s>(whole: &'s Structural, steps: &[SchemaStep]) -> Option<&'s Structural> {
    steps.iter().try_fold(whole, child)
}

fn at_mut<'s>(whole: &'s mut Structural, steps: &[SchemaStep]) -> Option<&'s mut Structural> {
    steps.iter().try_fold(whole, |schema, step| match step {
        SchemaStep::Field(key) => schema.properties.get_mut(key).map(|property| &mut **property),
        SchemaStep::Items => schema.items.as_deref_mut(),
        SchemaStep::Values => match schema.additional_properties.as_deref_mut()? {
            OrBool::Schema(schema) => Some(schema),
            OrBool::Bool(_) => None,
        },
    })
}

/// The path as people write it.
fn field(steps: &[SchemaStep]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            SchemaStep::Field(key) if text.is_empty() => text.push_str(key),
            SchemaStep::Field(key) => {
                text.push('.');
                text.push_str(key);
            }
            SchemaStep::Items | SchemaStep::Values => text.push_str("[*]"),
        }
    }
    text
}

/// How many schemas there are, up to a number.
fn count(schema: &Structural, most: usize) -> usize {
    let mut found = 1;
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        found += 1;
        if found >= most {
            break;
        }
        open.extend(schema.items.as_deref());
        open.extend(schema.properties.values().map(|property| &**property));
        if let Some(OrBool::Schema(values)) = schema.additional_properties.as_deref() {
            open.push(values);
        }
    }
    found
}
