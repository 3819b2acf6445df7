//! What a schema demands of strings, as ways to keep it and ways to break it, so strings can be made up for both.

use std::sync::Arc;

use crate::structural::{NestedValueValidation, ValueValidation};

/// How many ways are followed, how many branches of a list, and how deep branches lie in each other.
const MAX_WAYS: usize = 16;
const MAX_BRANCHES: usize = 8;
const MAX_DEPTH: usize = 3;

/// One way to keep a schema or to break it. What else than texts is demanded is left to whoever judges them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Wish {
    /// The patterns that match.
    pub(super) matching: Vec<Arc<str>>,
    /// The patterns that do not.
    pub(super) refusing: Vec<Arc<str>>,
    /// How many characters there are at least.
    pub(super) least: i64,
    /// How many there are at most.
    pub(super) most: Option<i64>,
}

impl Wish {
    /// Both wishes in one, if they can be.
    pub(super) fn and(&self, other: &Wish) -> Option<Wish> {
        let mut both = self.clone();
        for (all, more) in [(&mut both.matching, &other.matching), (&mut both.refusing, &other.refusing)] {
            for pattern in more {
                if !all.contains(pattern) {
                    all.push(Arc::clone(pattern));
                }
            }
        }
        both.least = both.least.max(other.least);
        both.most = both.most.into_iter().chain(other.most).min();
        let is_possible = both.most.is_none_or(|most| most >= both.least)
            && !both.matching.iter().any(|pattern| both.refusing.contains(pattern));
        is_possible.then_some(both)
    }
}

/// The ways to keep what is demanded.
pub(super) fn ways_to_keep(demanded: &ValueValidation) -> Vec<Wish> {
    keep(demanded, MAX_DEPTH)
}

/// The ways to break what is demanded.
pub(super) fn ways_to_break(demanded: &ValueValidation) -> Vec<Wish> {
    break_(demanded, MAX_DEPTH)
}

fn keep(demanded: &ValueValidation, depth: usize) -> Vec<Wish> {
    let own = Wish {
        matching: Some(&demanded.pattern)
            .filter(|pattern| !pattern.is_empty())
            .into_iter()
            .cloned()
            .collect(),
        refusing: Vec::new(),
        least: demanded.min_length.unwrap_or_default(),
        most: demanded.max_length,
    };
    let mut ways = vec![own];
    let Some(depth) = depth.checked_sub(1) else { return ways };
    for branch in demanded.all_of.iter().take(MAX_BRANCHES) {
        ways = both(&ways, &keep(&branch.value_validation, depth));
    }
    if !demanded.any_of.is_empty() {
        let branches = demanded.any_of.iter().take(MAX_BRANCHES);
        let any: Vec<Wish> = branches.flat_map(|branch| keep(&branch.value_validation, depth)).collect();
        ways = both(&ways, &any);
    }
    if !demanded.one_of.is_empty() {
        let (kept, broken) = kept_and_broken(&demanded.one_of, depth);
        let mut one = Vec::new();
        for (index, kept) in kept.iter().enumerate() {
            let mut way = kept.clone();
            for (_, broken) in broken.iter().enumerate().filter(|(other, _)| *other != index) {
                way = both(&way, broken);
            }
            one.extend(way);
        }
        ways = both(&ways, &one);
    }
    if let Some(not) = &demanded.not {
        ways = both(&ways, &break_(&not.value_validation, depth));
    }
    ways
}

fn break_(demanded: &ValueValidation, depth: usize) -> Vec<Wish> {
    let mut ways = Vec::new();
    if !demanded.pattern.is_empty() {
        ways.push(Wish { refusing: vec![Arc::clone(&demanded.pattern)], ..Wish::default() });
    }
    if let Some(most) = demanded.min_length.and_then(|least| least.checked_sub(1)).filter(|most| *most >= 0) {
        ways.push(Wish { most: Some(most), ..Wish::default() });
    }
    if let Some(least) = demanded.max_length.and_then(|most| most.checked_add(1)) {
        ways.push(Wish { least: least.max(0), ..Wish::default() });
    }
    if !demanded.choices.is_empty() || !demanded.format.is_empty() {
        ways.push(Wish::default());
    }
    let Some(depth) = depth.checked_sub(1) else { return ways };
    for branch in demanded.all_of.iter().take(MAX_BRANCHES) {
        ways.extend(break_(&branch.value_validation, depth));
    }
    for list in [&demanded.any_of, &demanded.one_of].into_iter().filter(|list| !list.is_empty()) {
        let (_, broken) = kept_and_broken(list, depth);
        ways.extend(broken.iter().fold(vec![Wish::default()], |ways, broken| both(&ways, broken)));
    }
    // Two branches at once are one too many.
    let (kept, _) = kept_and_broken(&demanded.one_of, depth);
    for (index, first) in kept.iter().enumerate() {
        for second in kept.iter().skip(index + 1) {
            ways.extend(both(first, second));
        }
    }
    if let Some(not) = &demanded.not {
        ways.extend(keep(&not.value_validation, depth));
    }
    ways.truncate(MAX_WAYS);
    ways
}

/// The ways to keep and to break each of the branches.
fn kept_and_broken(branches: &[NestedValueValidation], depth: usize) -> (Vec<Vec<Wish>>, Vec<Vec<Wish>>) {
    let branches = branches.iter().take(MAX_BRANCHES).map(|branch| &branch.value_validation);
    branches.map(|branch| (keep(branch, depth), break_(branch, depth))).unzip()
}

fn both(left: &[Wish], right: &[Wish]) -> Vec<Wish> {
    let pairs = left.iter().flat_map(|left| right.iter().filter_map(|right| left.and(right)));
    pairs.take(MAX_WAYS).collect()
}
