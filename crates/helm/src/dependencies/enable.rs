//! Aliases, tags and conditions: which subcharts a chart has, and under which names.

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_diagnostic::Diagnostic;
use trueline_source::{SourceId, Span};
use trueline_sprig::semver::{Constraints, Prereleases, Version};
use trueline_yaml::{Data, Value};

use super::IgnoredSwitch;
use super::arena::{Arena, ChartId, DependencyId, MAX_CHARTS, MOST_VALUES};
use crate::chart::Compat;
use crate::log::{Level, LogLine};
use crate::values::{Coalescer, Nulls, TOO_MANY_SUBCHARTS, Table, ValueError};

impl Arena {
    /// Works out the subcharts of a chart, and then theirs.
    ///
    /// `values` are those of the root with everything that was coalesced on the way here; they are not
    /// narrowed to the chart, which is what `path` is for.
    pub(super) fn enable(
        &mut self,
        chart: ChartId,
        values: &Value,
        path: &str,
        compat: Compat,
        log: &mut Vec<LogLine>,
    ) -> Result<(), ValueError> {
        if !self.description(chart).has_list {
            return Ok(());
        }
        let listed = self.description(chart).dependencies.clone();
        if self.is_full_with(listed.len()) {
            let text = format!("the chart has more than {MAX_CHARTS} subcharts, counting each alias");
            return Err(self.too_many(chart, text));
        }
        let subcharts = self.matched(chart, &listed, compat);
        self.set_subcharts(chart, subcharts);
        if self.has_too_many_values() {
            let text =
                format!("the subcharts have more than {MOST_VALUES} values, counting those of each alias");
            return Err(self.too_many(chart, text));
        }
        for &entry in &listed {
            self.entry_mut(entry).dependency.enabled = true;
        }
        let coalesced = Table::of(values);
        Coalescer::new(compat, Nulls::Remove, log).run(self.view(chart), &coalesced)?;
        let values = coalesced.freeze();
        for &entry in &listed {
            self.apply_tags(entry, &values, log);
        }
        for &entry in &listed {
            self.apply_conditions(entry, &values, path, log);
        }
        let disabled: FxHashSet<String> = listed
            .iter()
            .map(|&entry| &self.entry(entry).dependency)
            .filter(|dependency| !dependency.enabled)
            .map(|dependency| dependency.name.clone())
            .collect();
        let mut subcharts = self.subcharts(chart).to_vec();
        subcharts.retain(|&subchart| !disabled.contains(self.name(subchart)));
        let remaining: Vec<DependencyId> = listed
            .iter()
            .copied()
            .filter(|&entry| !disabled.contains(&self.entry(entry).dependency.name))
            .collect();
        for &subchart in &subcharts {
            let path = format!("{path}{}.", self.name(subchart));
            self.enable(subchart, &values, &path, compat, log)?;
        }
        let description = self.description_mut(chart);
        description.has_list = !remaining.is_empty();
        description.dependencies = remaining;
        self.set_subcharts(chart, subcharts);
        Ok(())
    }

    /// Refuses what a chart lists, at its list.
    fn too_many(&self, chart: ChartId, text: String) -> ValueError {
        let place = self.place_of_list(chart).unwrap_or_else(|| Span::whole(SourceId::from_index(0)));
        ValueError::new(text.clone(), vec![Diagnostic::new(&TOO_MANY_SUBCHARTS, place, text)])
    }

    /// The loaded subcharts that no entry asks for, and a copy for each entry that finds one.
    fn matched(&mut self, chart: ChartId, listed: &[DependencyId], compat: Compat) -> Vec<ChartId> {
        let loaded = self.subcharts(chart).to_vec();
        let mut by_name: FxHashMap<String, Vec<ChartId>> = FxHashMap::default();
        for &subchart in &loaded {
            by_name.entry(self.name(subchart).to_owned()).or_default().push(subchart);
        }
        let candidates: Vec<Vec<ChartId>> = listed
            .iter()
            .map(|&entry| {
                let dependency = &self.entry(entry).dependency;
                let named = by_name.get(&dependency.name).map(Vec::as_slice).unwrap_or_default();
                let fits = |subchart: &&ChartId| is_compatible(&dependency.version, self.version(**subchart));
                named.iter().filter(fits).copied().collect()
            })
            .collect();
        let asked_for: FxHashSet<ChartId> = candidates.iter().flatten().copied().collect();
        let mut subcharts: Vec<ChartId> =
            loaded.iter().copied().filter(|subchart| !asked_for.contains(subchart)).collect();
        for (&entry, candidates) in listed.iter().zip(candidates) {
            let alias = self.entry(entry).dependency.alias.clone();
            if let Some(&found) = candidates.first() {
                subcharts.push(self.copy(found, &alias, compat));
            }
            if !alias.is_empty() {
                self.entry_mut(entry).dependency.name = alias;
            }
        }
        subcharts
    }

    fn apply_tags(&mut self, entry: DependencyId, values: &Value, log: &mut Vec<LogLine>) {
        let Some(Value { data: Data::Map(tags), .. }) = values.get("tags") else { return };
        let dependency = &mut self.entry_mut(entry).dependency;
        let (mut any_true, mut any_false) = (false, false);
        let mut ignored = Vec::new();
        for tag in &dependency.tags {
            let Some(value) = tags.get(tag.as_str()).map(|entry| &entry.value) else { continue };
            match value.data {
                Data::Bool(true) => any_true = true,
                Data::Bool(false) => any_false = true,
                _ => {
                    let name = &dependency.name;
                    ignored.push(IgnoredSwitch {
                        dependency: name.clone(),
                        path: format!("tags.{tag}"),
                        value: value.clone(),
                        named: dependency.place("tags"),
                    });
                    let helm3 = format!("Warning: Tag '{tag}' for chart {name} returned non-bool value");
                    let line = LogLine::new(Level::Warn, "returned non-bool value")
                        .with("tag", tag)
                        .with("chart", name);
                    log.push(line.in_helm3("dependencies.go:95", helm3));
                }
            }
        }
        dependency.enabled = any_true || !any_false;
        self.ignored.extend(ignored);
    }

    /// The first path that leads to a truth value decides.
    fn apply_conditions(&mut self, entry: DependencyId, values: &Value, path: &str, log: &mut Vec<LogLine>) {
        let dependency = &mut self.entry_mut(entry).dependency;
        let mut ignored = Vec::new();
        for condition in dependency.condition.trim().split(',').filter(|condition| !condition.is_empty()) {
            let path = format!("{path}{condition}");
            let Some(value) = value_at(values, &path) else { continue };
            if let Data::Bool(is_enabled) = value.data {
                dependency.enabled = is_enabled;
                break;
            }
            let name = &dependency.name;
            ignored.push(IgnoredSwitch {
                dependency: name.clone(),
                path,
                value: value.clone(),
                named: dependency.place("condition"),
            });
            // Helm finds no single value where there is a map, and says nothing.
            if !matches!(value.data, Data::Map(_)) {
                let helm3 =
                    format!("Warning: Condition path '{condition}' for chart {name} returned non-bool value");
                let line = LogLine::new(Level::Warn, "returned non-bool value")
                    .with("path", condition)
                    .with("chart", name);
                log.push(line.in_helm3("dependencies.go:64", helm3));
            }
        }
        self.ignored.extend(ignored);
    }
}

/// What a path leads to.
fn value_at<'a>(values: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(values, |table, name| table.get(name))
}

/// Whether a version satisfies a constraint; what cannot be read satisfies nothing.
fn is_compatible(constraint: &str, version: &str) -> bool {
    let (Ok(constraints), Ok(version)) = (Constraints::parse(constraint), Version::parse(version)) else {
        return false;
    };
    constraints.check(&version, Prereleases::Named)
}
