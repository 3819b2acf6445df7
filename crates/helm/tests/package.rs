//! Packed charts: what Helm packed is packed again, and what we pack can be loaded.
//!
//! `archives/helm4.tgz` was packed by Helm 4 with SOURCE_DATE_EPOCH=1600000000, `archives/helm3.tgz` by Helm 3, from
//! charts that were made for it.

mod support;

use std::io::Read;

use flate2::read::GzDecoder;
use support::{CHART, archive, directory};
use trueline_helm::chart::{Chart, Compat};
use trueline_helm::package::{Times, file_name, pack};

const HELM4: &[u8] = include_bytes!("archives/helm4.tgz");
const HELM3: &[u8] = include_bytes!("archives/helm3.tgz");

fn inside(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
    bytes
}

/// The entries with their times and texts.
fn entries(packed: &[u8]) -> Vec<(String, u64, String)> {
    let bytes = inside(packed);
    let mut archive = tar::Archive::new(bytes.as_slice());
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let path = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
        let modified = entry.header().mtime().unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        (path, modified, text)
    });
    entries.collect()
}

fn names(packed: &[u8]) -> Vec<String> {
    entries(packed).into_iter().map(|(name, ..)| name).collect()
}

fn loaded(bytes: &[u8], compat: Compat) -> Chart {
    archive(bytes, compat).unwrap().chart
}

#[test]
fn what_helm_packed_is_packed_the_same_way_again() {
    for (recorded, compat) in [(HELM4, Compat::Helm4), (HELM3, Compat::Helm3)] {
        let packed = pack(&loaded(recorded, compat), Times::Own { now: 0 }, compat).unwrap();
        assert_eq!(names(&packed), names(recorded));
        assert_eq!(entries(&packed), entries(recorded));
        assert!(inside(&packed) == inside(recorded), "the archives inside differ");
        // Ten bytes, a field with its length, and a comment with its end.
        let head = 10 + 2 + usize::from(recorded[10]) + "Helm\0".len();
        assert_eq!(packed[..head], recorded[..head]);
    }
}

#[test]
fn what_is_packed_can_be_loaded() {
    let chart = loaded(HELM4, Compat::Helm4);
    assert_eq!(file_name(&chart), "own-1.2.3-rc.1+build.5.tgz");
    let again = loaded(&pack(&chart, Times::Now(7), Compat::Helm4).unwrap(), Compat::Helm4);
    assert_eq!(again.metadata.to_yaml(), chart.metadata.to_yaml());
    assert_eq!(again.files.len(), chart.files.len());
    assert_eq!(again.templates.len(), chart.templates.len());
    assert_eq!(again.dependencies.len(), 1);
    assert_eq!(again.files[0].modified, Some(7));
}

#[test]
fn times_are_those_that_were_asked_for() {
    let lock = "dependencies: []\ndigest: x\ngenerated: \"2021-03-04T05:06:07.8+01:00\"\n";
    let chart = directory(&[("Chart.yaml", CHART), ("Chart.lock", lock)], Compat::Helm4).unwrap().chart;
    let packed = |times| entries(&pack(&chart, times, Compat::Helm4).unwrap());
    let own = packed(Times::Own { now: 5 });
    assert_eq!(own.iter().map(|(_, time, _)| *time).collect::<Vec<_>>(), [5, 1_614_830_768]);
    assert!(own[1].2.contains("generated: \"2021-03-04T05:06:07.8+01:00\""));
    let fixed = packed(Times::Fixed(60));
    assert_eq!(fixed.iter().map(|(_, time, _)| *time).collect::<Vec<_>>(), [60, 60]);
    assert!(fixed[1].2.contains("generated: \"1970-01-01T00:01:00Z\""));
}

#[test]
fn the_same_chart_gives_the_same_bytes_with_its_subcharts_in_order() {
    let sub = |name: &str| format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\n");
    let (a, b, c) = (sub("a"), sub("b"), sub("c"));
    let files = [
        ("Chart.yaml", CHART),
        ("charts/c/Chart.yaml", c.as_str()),
        ("charts/a/Chart.yaml", &a),
        ("charts/b/Chart.yaml", &b),
    ];
    let chart = directory(&files, Compat::Helm4).unwrap().chart;
    let packed = pack(&chart, Times::Fixed(0), Compat::Helm4).unwrap();
    assert_eq!(packed, pack(&chart, Times::Fixed(0), Compat::Helm4).unwrap());
    assert_eq!(
        names(&packed),
        ["t/Chart.yaml", "t/charts/a/Chart.yaml", "t/charts/b/Chart.yaml", "t/charts/c/Chart.yaml"]
    );
}

#[test]
fn a_schema_that_is_no_json_is_not_packed() {
    let chart =
        directory(&[("Chart.yaml", CHART), ("values.schema.json", "{")], Compat::Helm4).unwrap().chart;
    let error = |compat| pack(&chart, Times::Fixed(0), compat).unwrap_err().to_string();
    assert_eq!(error(Compat::Helm4), "invalid JSON in values.schema.json");
    assert_eq!(error(Compat::Helm3), "Invalid JSON in values.schema.json");
}
