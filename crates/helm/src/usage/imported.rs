//! Values that charts import from their subcharts: where they are set, and where they are read.

use trueline_yaml::{Data, Value};

use super::scopes::name_in_parent;
use super::story::Setting;
use crate::chart::{Chart, Compat};
use crate::dependencies::{self, Import};

/// So many imports are followed for one value. Imports of what was imported multiply.
const MOST: usize = 1_000;

/// A chart of which every subchart takes part, with the values that are imported; nothing if there are none, or if
/// Helm would refuse them.
pub(super) fn processed(chart: &Chart, compat: Compat) -> Option<Chart> {
    if !has_imports(chart) {
        return None;
    }
    let nothing = Value::new(Data::Map(std::sync::Arc::default()));
    dependencies::process(unconditional(chart), &nothing, compat, &mut Vec::new()).ok()
}

fn has_imports(chart: &Chart) -> bool {
    chart.metadata.dependencies.iter().any(|entry| !entry.import_values.is_empty())
        || chart.dependencies.iter().any(has_imports)
}

/// The chart with entries that ask for the subcharts as they are there, whatever the values say.
fn unconditional(chart: &Chart) -> Chart {
    let mut chart = chart.clone();
    chart.dependencies = chart.dependencies.iter().map(unconditional).collect();
    for entry in &mut chart.metadata.dependencies {
        entry.name = name_in_parent(entry).to_owned();
        entry.alias.clear();
        entry.condition.clear();
        entry.tags.clear();
        if let Some(loaded) = chart.dependencies.iter().find(|loaded| loaded.name() == entry.name) {
            entry.version.clone_from(&loaded.metadata.version);
        }
    }
    chart
}

/// One import, as the keys that lead from the importing chart to the table and to its new place.
struct Moved {
    from: Vec<String>,
    to: Vec<String>,
}

fn moved(chart: &Chart) -> Vec<Moved> {
    let keys = |path: &str| path.split('.').map(str::to_owned).collect::<Vec<_>>();
    let each = chart.metadata.dependencies.iter().flat_map(|entry| {
        let imports = entry.import_values.iter().filter_map(Import::read);
        imports.map(move |import| Moved {
            from: keys(&format!("{}.{}", name_in_parent(entry), import.child)),
            to: if import.parent == "." { Vec::new() } else { keys(&import.parent) },
        })
    });
    each.collect()
}

/// What sets a value of a chart by default: imports below the values of subcharts, and these below those of the chart.
pub(super) fn defaults(chart: &Chart, keys: &[String]) -> Vec<Setting> {
    own_and_imported(chart, keys, &mut MOST.clone())
}

fn own_and_imported(chart: &Chart, keys: &[String], budget: &mut usize) -> Vec<Setting> {
    let mut set = Vec::new();
    // Of two imports of one value the first counts.
    for import in moved(chart).iter().rev() {
        let Some(rest) = keys.strip_prefix(import.to.as_slice()) else { continue };
        let Some(left) = budget.checked_sub(1) else { break };
        *budget = left;
        let from = [import.from.as_slice(), rest].concat();
        let is_table = |setting: &Setting| match setting.depth.checked_sub(import.from.len()) {
            Some(0) => matches!(setting.value.data, Data::Map(_)),
            inside => inside.is_some(),
        };
        let found = own(chart, &from, budget).into_iter().filter(is_table);
        set.extend(found.map(|setting| Setting {
            depth: setting.depth.saturating_sub(import.from.len()).saturating_add(import.to.len()),
            ..setting
        }));
    }
    set.extend(own(chart, keys, budget));
    set
}

fn own(chart: &Chart, keys: &[String], budget: &mut usize) -> Vec<Setting> {
    let mut set = Vec::new();
    if let Some((first, rest)) = keys.split_first()
        && let Some(subchart) = chart.dependencies.iter().find(|subchart| subchart.name() == first)
    {
        set = own_and_imported(subchart, rest, budget);
        // Keys are counted from the chart that was asked.
        set.iter_mut().for_each(|setting| setting.depth += 1);
    }
    set.extend(Setting::of(&chart.values, keys));
    set
}

/// The other places that a value is imported to, as keys from the root.
pub(super) fn places(chart: &Chart, keys: &[String]) -> Vec<Vec<String>> {
    let mut places: Vec<Vec<String>> = vec![keys.to_vec()];
    let mut next = 0;
    while let Some(place) = places.get(next).cloned() {
        next += 1;
        let mut importing = Some(chart);
        let mut depth = 0;
        while let Some(chart) = importing {
            let Some((above, inside)) = place.split_at_checked(depth) else { break };
            for import in moved(chart) {
                let Some(rest) = inside.strip_prefix(import.from.as_slice()) else { continue };
                let found = [above, import.to.as_slice(), rest].concat();
                if places.len() < MOST && !places.contains(&found) {
                    places.push(found);
                }
            }
            importing = inside
                .first()
                .and_then(|name| chart.dependencies.iter().find(|subchart| subchart.name() == name));
            depth += 1;
        }
    }
    places.remove(0);
    places
}
