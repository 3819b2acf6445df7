//! Charts as archives: what `helm package` writes.
//!
//! The same chart and the same times give the same bytes. Subcharts stand in the order of their names; in Helm their
//! order changes from run to run.

mod agreement;
mod tar;

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};
use trueline_diagnostic::Code;
use trueline_gostd::json::json_fault;
use trueline_gotemplate::fmt::quote;
use trueline_sprig::semver::Version;

use crate::chart::{Chart, Compat, File, Lock};
use crate::refusal::{Refusal, RefusalKind};

pub use agreement::{ARCHIVE_NAME, name_agrees};

/// The codes of packed charts.
pub const CODES: &[&Code] = &[&ARCHIVE_NAME];

/// What stands in the extra field of every archive that Helm writes; some tools know one by it.
const EXTRA: &[u8; 40] = b"aHR0cHM6Ly95b3V0dS5iZS96OVV6MWljandyTQo=";

/// Which times the files in an archive have; all are seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// Their own; those that have none were made now.
    Own {
        /// Now.
        now: i64,
    },
    /// All the same; lock files were made then too.
    Fixed(i64),
    /// All of them were made now: so it is in Helm 3.
    Now(i64),
}

impl Times {
    fn of(self, own: Option<i64>) -> i64 {
        match self {
            Times::Own { now } => own.unwrap_or(now),
            Times::Fixed(time) | Times::Now(time) => time,
        }
    }
}

/// The name of a chart's archive.
pub fn file_name(chart: &Chart) -> String {
    format!("{}-{}.tgz", chart.metadata.name, chart.metadata.version)
}

/// Whether a chart can be packed with its version. The error is Helm's text.
pub fn check_version(chart: &Chart) -> Result<(), Refusal> {
    let parsed = Version::parse(&chart.metadata.version);
    parsed.map(|_| ()).map_err(|wrong| RefusalKind::Version.of(wrong.to_string()))
}

/// The archive of a chart with all its subcharts. The error is Helm's text.
pub fn pack(chart: &Chart, times: Times, compat: Compat) -> Result<Vec<u8>, Refusal> {
    let mut tar = tar::Tar::default();
    add(&mut tar, chart, "", times, compat)?;
    compress(&tar.finish(), compat).map_err(|error| RefusalKind::Unwritable.of(error.to_string()))
}

fn add(tar: &mut tar::Tar, chart: &Chart, prefix: &str, times: Times, compat: Compat) -> Result<(), Refusal> {
    let name = chart.name();
    if name.is_empty() || name.contains('/') {
        return Err(RefusalKind::Name.of(format!("chart.metadata.name {} is invalid", quote(name))));
    }
    let base = format!("{prefix}{name}");
    let path = |name: &str| format!("{base}/{name}");
    let mut put = |file: &File, name: &str| tar.file(&path(name), &file.data, times.of(file.modified));

    let mut metadata = chart.metadata.clone();
    if metadata.api_version == "v1" {
        // They stand in requirements.yaml, which is one of the files.
        metadata.dependencies = Vec::new();
    }
    let chart_file = File {
        name: "Chart.yaml".into(),
        data: metadata.to_yaml().into_bytes().into(),
        source: None,
        modified: chart.chart_file.as_ref().and_then(|file| file.modified),
    };
    put(&chart_file, "Chart.yaml");
    if metadata.api_version == "v2"
        && let Some(lock) = &chart.lock
    {
        let lock = match times {
            Times::Fixed(time) => lock.generated_at(time),
            Times::Own { .. } | Times::Now(_) => lock.clone(),
        };
        let file = lock_file(&lock);
        put(&file, "Chart.lock");
    }
    if let Some(file) = &chart.values_file {
        put(file, "values.yaml");
    }
    if let Some(file) = &chart.schema {
        if json_fault(&file.data).is_some() {
            return Err(RefusalKind::Syntax.of(match compat {
                Compat::Helm4 => "invalid JSON in values.schema.json",
                Compat::Helm3 => "Invalid JSON in values.schema.json",
            }));
        }
        put(file, "values.schema.json");
    }
    for file in chart.templates.iter().chain(chart.files.iter()) {
        put(file, &file.name);
    }
    let below = format!("{base}/charts/");
    chart.dependencies.iter().try_for_each(|subchart| add(tar, subchart, &below, times, compat))
}

fn lock_file(lock: &Lock) -> File {
    File {
        name: "Chart.lock".into(),
        data: lock.to_yaml().into_bytes().into(),
        source: None,
        modified: lock.seconds(),
    }
}

fn compress(bytes: &[u8], compat: Compat) -> io::Result<Vec<u8>> {
    const UNKNOWN_SYSTEM: u8 = 255;
    let mut extra = match compat {
        // The head of a field, by the rules for such fields: two letters and the length.
        Compat::Helm4 => vec![b'r', b'r', EXTRA.len() as u8, 0],
        Compat::Helm3 => vec![b'+'],
    };
    extra.extend_from_slice(EXTRA);
    let builder = GzBuilder::new().extra(extra).comment("Helm").operating_system(UNKNOWN_SYSTEM);
    let mut encoder = builder.write(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}
