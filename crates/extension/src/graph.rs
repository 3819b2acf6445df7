//! The dependencies and conflicts between extensions, computed once for a registry.
//!
//! A run asks about every manifest. Groups of extensions that depend on each other are therefore found in one
//! pass over the registry (Tarjan's algorithm), so most questions are answered by comparing two numbers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use crate::RegistryEntry;

/// How many extensions of a cycle are searched for its shortest chain; a longer chain is shortened anyway.
const LOOKED_AT: usize = 64;

/// How many members of a cycle are named before the rest is omitted.
const NAMED: usize = 4;

const NONE: usize = usize::MAX;

/// The relations between the extensions of a registry.
#[derive(Debug, Clone)]
pub(crate) struct Graph {
    numbers: BTreeMap<String, usize>,
    names: Vec<String>,
    needs: Vec<Vec<usize>>,
    /// Extensions that depend on each other share a group; a dependency never has a higher group.
    groups: Vec<usize>,
    /// Cycles by their first two members.
    cycles: BTreeMap<(usize, usize), (Vec<usize>, Rest)>,
    excluded: BTreeMap<String, BTreeSet<String>>,
}

/// A cycle in words: `a -> b -> a`, or `a -> b -> c -> d -> … -> a` if it is long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chain {
    /// The members from the first on, without the repeated first.
    pub(crate) members: Vec<String>,
    rest: Rest,
}

/// Whether a chain leaves out members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Nothing,
    LeftOut,
}

impl fmt::Display for Chain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.members.join(" -> "))?;
        if self.rest == Rest::LeftOut {
            formatter.write_str(" -> …")?;
        }
        self.members.first().map_or(Ok(()), |first| write!(formatter, " -> {first}"))
    }
}

impl Graph {
    pub(crate) fn new(extensions: &BTreeMap<String, RegistryEntry>) -> Self {
        let mut names: Vec<String> = extensions.keys().cloned().collect();
        let mut numbers: BTreeMap<String, usize> =
            names.iter().enumerate().map(|(number, name)| (name.clone(), number)).collect();
        let mut needs = Vec::with_capacity(names.len());
        let mut excluded: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, entry) in extensions {
            let mut own = Vec::with_capacity(entry.dependencies.len());
            for requirement in &entry.dependencies {
                own.push(*numbers.entry(requirement.name.clone()).or_insert_with(|| {
                    names.push(requirement.name.clone());
                    names.len() - 1
                }));
            }
            needs.push(own);
            for other in entry.conflicts.iter().filter(|other| *other != name) {
                excluded.entry(name.clone()).or_default().insert(other.clone());
                excluded.entry(other.clone()).or_default().insert(name.clone());
            }
        }
        // The dependencies of an unregistered extension are unknown, so it has none here.
        needs.resize(names.len(), Vec::new());
        let (groups, cycles) = search(&needs);
        Graph { numbers, names, needs, groups, cycles, excluded }
    }

    /// Whether no extension excludes another.
    pub(crate) fn is_without_conflicts(&self) -> bool {
        self.excluded.is_empty()
    }

    /// The extensions that cannot be installed together with this one, because one of the two says so, sorted.
    pub(crate) fn excluded(&self, name: &str) -> impl Iterator<Item = &str> {
        self.excluded.get(name).into_iter().flatten().map(String::as_str)
    }

    /// The cycle that is reported at the dependency of `name` on `need`. Each cycle has one such place, at the
    /// member that a walk in order of names reaches first.
    pub(crate) fn cycle_at(&self, name: &str, need: &str) -> Option<Chain> {
        let place = (*self.numbers.get(name)?, *self.numbers.get(need)?);
        let (members, rest) = self.cycles.get(&place)?;
        Some(self.chain(members, *rest))
    }

    /// The cycle that an extension closes by depending on `need`, whether or not the registry knows about it.
    pub(crate) fn cycle_through(&self, name: &str, need: &str) -> Option<Chain> {
        let (own, start) = (*self.numbers.get(name)?, *self.numbers.get(need)?);
        let (lowest, highest) = (*self.groups.get(own)?, *self.groups.get(start)?);
        if highest < lowest || own == start {
            return None;
        }
        let mut before = BTreeMap::from([(start, own)]);
        let mut waiting = VecDeque::from([start]);
        while let Some(number) = waiting.pop_front() {
            for &next in self.needs.get(number).into_iter().flatten() {
                if next == own {
                    return Some(self.walked(own, number, &before, Rest::Nothing));
                }
                let between = self.groups.get(next).is_some_and(|group| (lowest..=highest).contains(group));
                if between && !before.contains_key(&next) {
                    before.insert(next, number);
                    waiting.push_back(next);
                }
            }
            // All members of a group depend on each other, so a path exists.
            if lowest == highest && before.len() >= LOOKED_AT {
                let farthest = waiting.back().copied().unwrap_or(number);
                return Some(self.walked(own, farthest, &before, Rest::LeftOut));
            }
        }
        None
    }

    /// The chain that was walked from `own` to `last`.
    fn walked(&self, own: usize, last: usize, before: &BTreeMap<usize, usize>, rest: Rest) -> Chain {
        let mut members = vec![last];
        let mut step = last;
        while let Some(&previous) = before.get(&step) {
            members.push(previous);
            step = previous;
            if step == own {
                break;
            }
        }
        members.reverse();
        let (members, rest) = shortened(members.into_iter(), rest);
        self.chain(&members, rest)
    }

    fn chain(&self, members: &[usize], rest: Rest) -> Chain {
        let members = members.iter().filter_map(|&member| self.names.get(member).cloned()).collect();
        Chain { members, rest }
    }
}

/// All members if they are few, otherwise the first ones.
fn shortened(members: impl ExactSizeIterator<Item = usize>, rest: Rest) -> (Vec<usize>, Rest) {
    if rest == Rest::Nothing && members.len() <= NAMED + 1 {
        return (members.collect(), Rest::Nothing);
    }
    (members.take(NAMED).collect(), Rest::LeftOut)
}

/// The group of each extension, and the cycles by their first two members.
///
/// The search follows dependencies in order of names. A dependency on a member of the current path closes a
/// cycle; without these dependencies no cycle would be left.
#[allow(clippy::type_complexity, reason = "the two halves are separated immediately")]
fn search(needs: &[Vec<usize>]) -> (Vec<usize>, BTreeMap<(usize, usize), (Vec<usize>, Rest)>) {
    let mut groups = vec![NONE; needs.len()];
    let mut cycles = BTreeMap::new();
    let mut order = vec![NONE; needs.len()];
    let mut lowest = vec![NONE; needs.len()];
    let mut depth = vec![NONE; needs.len()];
    let mut open = Vec::new();
    // The current path: an extension, and which of its dependencies is next.
    let mut way: Vec<(usize, usize)> = Vec::new();
    let (mut visited, mut closed) = (0, 0);
    for root in 0..needs.len() {
        let mut enter = (order[root] == NONE).then_some(root);
        loop {
            if let Some(number) = enter.take() {
                (order[number], lowest[number], depth[number]) = (visited, visited, way.len());
                visited += 1;
                open.push(number);
                way.push((number, 0));
            }
            let Some((number, next)) = way.last_mut() else { break };
            let number = *number;
            if let Some(&need) = needs[number].get(*next) {
                *next += 1;
                if order[need] == NONE {
                    enter = Some(need);
                } else if groups[need] == NONE {
                    lowest[number] = lowest[number].min(order[need]);
                    if let Some([first, second, ..]) = way.get(depth[need]..) {
                        cycles.entry((first.0, second.0)).or_insert_with(|| {
                            shortened(way[depth[need]..].iter().map(|step| step.0), Rest::Nothing)
                        });
                    }
                }
                continue;
            }
            way.pop();
            depth[number] = NONE;
            if let Some(&(above, _)) = way.last() {
                lowest[above] = lowest[above].min(lowest[number]);
            }
            if lowest[number] == order[number] {
                while let Some(member) = open.pop() {
                    groups[member] = closed;
                    if member == number {
                        break;
                    }
                }
                closed += 1;
            }
        }
    }
    (groups, cycles)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Registry;
    use trueline_source::SourceId;

    /// A registry from lines `a: b c`.
    fn registry(lines: &str) -> Registry {
        let mut text = "extensions:\n".to_owned();
        for line in lines.lines() {
            let (name, needs) = line.split_once(':').unwrap();
            let needs: Vec<&str> = needs.split_whitespace().collect();
            text += &format!("  {name}: {{dependencies: [{}]}}\n", needs.join(", "));
        }
        let stream = crate::check::read(SourceId::from_index(0), &Arc::from(text));
        Registry::from_document(&stream.documents[0])
    }

    fn ring(length: usize) -> Registry {
        let name = |number: usize| format!("x{:05}", number % length);
        let lines: Vec<String> =
            (0..length).map(|number| format!("{}: {}", name(number), name(number + 1))).collect();
        registry(&lines.join("\n"))
    }

    fn places(registry: &Registry) -> Vec<String> {
        let graph = registry.graph();
        let mut places = Vec::new();
        for name in registry.names() {
            for need in &registry.get(name).unwrap().dependencies {
                places.extend(graph.cycle_at(name, &need.name).map(|chain| chain.to_string()));
            }
        }
        places
    }

    #[test]
    fn each_cycle_of_a_registry_is_named_once() {
        for (lines, expected) in [
            ("a: b\nb: c\nc: d", vec![]),
            ("a: a", vec![]),
            ("b: a\na: b", vec!["a -> b -> a"]),
            ("a: b c\nb: a\nc: a", vec!["a -> b -> a", "a -> c -> a"]),
            ("a: b\nb: a c\nc: b d\nd: c", vec!["a -> b -> a", "b -> c -> b", "c -> d -> c"]),
            ("a: c\nb: c\nc: d\nd: e\ne: c", vec!["c -> d -> e -> c"]),
            ("a: b\nb: c\nc: d\nd: e\ne: a", vec!["a -> b -> c -> d -> e -> a"]),
            ("a: b\nb: c\nc: d\nd: e\ne: f\nf: a", vec!["a -> b -> c -> d -> … -> a"]),
            ("a: b c\nb: d\nc: d\nd: a", vec!["a -> b -> d -> a"]),
        ] {
            assert_eq!(places(&registry(lines)), expected, "{lines}");
        }
    }

    #[test]
    fn the_cycle_through_a_dependency_is_the_shortest() {
        let registry = registry("a: b\nb: c a\nc: a\nd: a\ne: f\nf:\n");
        let through = |name: &str, need: &str| {
            registry.graph().cycle_through(name, need).map(|chain| chain.to_string())
        };
        assert_eq!(through("a", "b").as_deref(), Some("a -> b -> a"));
        assert_eq!(through("c", "a").as_deref(), Some("c -> a -> b -> c"));
        assert_eq!(through("d", "a"), None, "it leads into a cycle, but is no part of it");
        assert_eq!(through("a", "d").as_deref(), Some("a -> d -> a"), "which the registry does not say");
        assert_eq!(through("f", "e").as_deref(), Some("f -> e -> f"));
        assert_eq!(through("e", "f"), None);
        assert_eq!(through("e", "a"), None);
        assert_eq!(through("e", "unknown"), None);
        assert_eq!(through("unknown", "e"), None);
    }

    #[test]
    fn large_rings_take_no_time_and_a_short_message() {
        let registry = ring(5_000);
        assert_eq!(places(&registry), ["x00000 -> x00001 -> x00002 -> x00003 -> … -> x00000"]);
        for number in 0..5_000 {
            let name = |number: usize| format!("x{:05}", number % 5_000);
            let chain = registry.graph().cycle_through(&name(number), &name(number + 1)).unwrap();
            assert_eq!((chain.members.len(), &chain.members[0]), (NAMED, &name(number)));
            assert!(registry.graph().cycle_through(&name(number), &name(number)).is_none());
        }
    }

    #[test]
    fn a_manifest_that_is_added_counts() {
        let mut registry = registry("a: b\nb: ");
        assert!(registry.graph().cycle_through("b", "c").is_none());
        let text = "metadata: {name: c, dependencies: [a]}";
        let stream = crate::check::read(SourceId::from_index(0), &Arc::from(text));
        registry.add_manifest(&stream.documents[0]);
        let chain = registry.graph().cycle_through("b", "c");
        assert_eq!(chain.map(|chain| chain.to_string()).as_deref(), Some("b -> c -> a -> b"));
    }
}
