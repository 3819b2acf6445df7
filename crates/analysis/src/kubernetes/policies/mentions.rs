//! Whether a run can have policies. Objects are only kept until all of it has been read if it can.

use std::sync::Arc;

use rayon::prelude::*;
use trueline_helm::chart::Chart;
use trueline_source::{EntryKind, Listed, Loader};

use crate::glance::{POLICIES, mentions_policies};
use crate::kinds::InputKind;
use crate::walk::{Candidate, join};

/// Where charts keep values for tests, which `.helmignore` often leaves out of them.
const VALUES_FOR_TESTS: &str = "ci";

/// How deep the directories of a unit are searched.
const DEEPEST: usize = 64;

/// Whether one of the units may hold a policy.
pub(crate) fn mention_policies(units: &[Candidate]) -> bool {
    units.par_iter().any(|unit| match unit.kind {
        Some(InputKind::Chart | InputKind::Ytt) => below(unit.loader(), &unit.path, 0),
        _ => unit.mentions_policies(),
    })
}

/// The same of a chart that was read, with its subcharts and the values that are only there for tests.
pub(crate) fn chart_mentions_policies(candidate: &Candidate, chart: &Chart) -> bool {
    in_chart(chart) || below(candidate.loader(), &join(&candidate.path, VALUES_FOR_TESTS), 0)
}

fn in_chart(chart: &Chart) -> bool {
    let single = [&chart.chart_file, &chart.values_file].into_iter().flatten();
    let mut files = single.chain(chart.templates.iter()).chain(chart.files.iter());
    files.any(|file| mentions_policies(&file.data)) || chart.dependencies.iter().any(in_chart)
}

fn below(loader: &Arc<dyn Loader>, path: &str, depth: usize) -> bool {
    let Ok(entries) = loader.names(path) else {
        return loader.read(path).is_ok_and(|bytes| mentions_policies(&bytes));
    };
    entries.iter().any(|entry| {
        let path = join(path, &entry.name);
        match entry.kind {
            EntryKind::Directory => !entry.link && depth < DEEPEST && below(loader, &path, depth + 1),
            EntryKind::File => {
                let listed = Listed { path, length: 0, link: entry.link };
                loader.judge(&listed, POLICIES).is_ok_and(|judged| judged.says == 1)
            }
            EntryKind::Other => false,
        }
    })
}
