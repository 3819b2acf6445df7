//! Packed charts: Helm's checks of archives, and limits against those made to do harm.

mod support;

use support::{CHART, archive, compressed, error, from, packed, tar};
use tar::EntryType;
use trueline_helm::chart::Compat;
use trueline_source::{MemoryLoader, SourceMap};

fn texts(bytes: &[u8]) -> (Option<String>, Option<String>) {
    (error(archive(bytes, Compat::Helm4)), error(archive(bytes, Compat::Helm3)))
}

#[test]
fn a_chart_is_read_from_below_any_directory() {
    let bytes = packed(&[
        ("one/Chart.yaml", CHART),
        ("two/templates/a.yaml", "\u{feff}a"),
        ("c\\templates\\b.yaml", "b"),
        ("one/values.yaml", "a: 1\n"),
        ("one/values.yaml", "a: 2\n"),
        ("one/.helmignore", "*\n"),
    ]);
    let sources = SourceMap::new();
    let loader = MemoryLoader::new("dir").with_file("a.tgz", bytes);
    let chart = from(&loader, "a.tgz", Compat::Helm4, &sources).unwrap().chart;
    let templates: Vec<_> = chart.templates.iter().map(|file| (&*file.name, &*file.data)).collect();
    assert_eq!(templates, [("templates/a.yaml", &b"a"[..]), ("templates/b.yaml", b"b")]);
    assert_eq!(chart.values.to_json_text().unwrap(), r#"{"a":2}"#, "the last of equal entries counts");
    let name = sources.get(chart.templates[0].source.unwrap()).name().to_owned();
    assert_eq!(name, "dir/a.tgz/two/templates/a.yaml");
}

#[test]
fn links_and_devices_are_empty_files() {
    let entries = [
        ("c/Chart.yaml", EntryType::Regular, CHART.as_bytes()),
        ("c/link", EntryType::Symlink, b""),
        ("c/hard", EntryType::Link, b""),
        ("c/pipe", EntryType::Fifo, b""),
        ("c/directory", EntryType::Directory, b""),
    ];
    let chart = archive(&compressed(&tar(&entries)), Compat::Helm4).unwrap().chart;
    let files: Vec<_> = chart.files.iter().map(|file| (&*file.name, file.data.len())).collect();
    assert_eq!(files, [("link", 0), ("hard", 0), ("pipe", 0)]);
}

#[test]
fn what_is_no_archive_is_named() {
    let octets = "file '/here/a.tgz' does not appear to be a gzipped archive; got 'application/octet-stream'";
    assert_eq!(texts(b"short"), (Some(octets.to_owned()), Some(octets.to_owned())));
    let zip = "file '/here/a.tgz' does not appear to be a gzipped archive; got 'application/zip'";
    assert_eq!(texts(b"PK\x03\x04").0.as_deref(), Some(zip));
    let header =
        "file '/here/a.tgz' does not appear to be a valid chart file (details: gzip: invalid header)";
    let wrong_sum = b"\x1f\x8b\x08\x02\0\0\0\0\0\0\0\0\0\0";
    assert_eq!(texts(wrong_sum), (Some(header.to_owned()), Some(header.to_owned())));
    let loader = MemoryLoader::new("dir").with_file("v.yaml", "a: 1\n");
    let yaml = error(from(&loader, "v.yaml", Compat::Helm4, &SourceMap::new()));
    assert_eq!(
        yaml.as_deref(),
        Some("file '/here/v.yaml' seems to be a YAML file, but expected a gzipped archive")
    );
}

#[test]
fn helm_4_hides_what_is_wrong_with_an_archive() {
    let hidden = Some("unable to load chart archive".to_owned());
    let whole = packed(&[("c/Chart.yaml", CHART), ("c/README.md", &"long text ".repeat(500))]);
    for (bytes, helm3) in [
        (packed(&[("c//etc/x", "")]), "chart illegally contains absolute paths"),
        (packed(&[("c/../../x", "")]), "chart illegally references parent directory"),
        (
            packed(&[("README", "")]),
            "chart illegally contains content outside the base directory: \"README\"",
        ),
        (packed(&[("c\\c:\\x", "")]), "chart contains illegally named files"),
        (packed(&[("Chart.yaml/x", "")]), "chart yaml not in base directory"),
        (compressed(&tar(&[("c/", EntryType::Directory, b"")])), "no files in chart archive"),
        (compressed(&[]), "no files in chart archive"),
        (compressed(b"short"), "unexpected EOF"),
        (compressed(&[b'x'; 2048]), "archive/tar: invalid tar header"),
        (whole[..whole.len() / 2].to_vec(), "unexpected EOF"),
    ] {
        assert_eq!(texts(&bytes), (hidden.clone(), Some(helm3.to_owned())));
        // Our own finding says it in both cases.
        assert_eq!(archive(&bytes, Compat::Helm4).unwrap_err().diagnostics.len(), 1);
    }
    let no_chart = packed(&[("c/values.yaml", "a: 1\n")]);
    assert_eq!(
        texts(&no_chart),
        (
            Some("unable to detect chart version, no Chart.yaml found".to_owned()),
            Some("Chart.yaml file is missing".to_owned())
        )
    );
}

#[test]
fn the_last_file_needs_no_padding() {
    let bytes = tar(&[
        ("c/Chart.yaml", EntryType::Regular, CHART.as_bytes()),
        ("c/a", EntryType::Regular, b"abc"),
        ("c/b", EntryType::Regular, &[b'x'; 512]),
    ]);
    let read = |length: usize| {
        let loaded = archive(&compressed(&bytes[..length]), Compat::Helm3);
        loaded.map(|loaded| loaded.chart.files.len()).map_err(|failure| failure.to_string())
    };
    let broken = || Err("unexpected EOF".to_owned());
    for (length, expected) in [
        (1_024 + 512 + 2, broken()),
        (1_024 + 512 + 3, Ok(1)),
        (1_024 + 512 + 100, Ok(1)),
        (1_024 + 1_024, Ok(1)),
        (1_024 + 1_024 + 511, broken()),
        (1_024 + 1_024 + 512 + 511, broken()),
        (1_024 + 1_024 + 512 + 512, Ok(2)),
        (1_024 + 1_024 + 512 + 513, broken()),
    ] {
        assert_eq!(read(length), expected, "{length}");
    }
}

#[test]
fn sizes_are_limited() {
    let large = "x".repeat((5 << 20) + 1);
    let (helm4, helm3) = texts(&packed(&[("c/Chart.yaml", CHART), ("c/big", &large)]));
    assert_eq!(helm4, None);
    assert_eq!(
        helm3.as_deref(),
        Some("decompressed chart file \"c/big\" is larger than the maximum file size 5242880")
    );
    // A header may promise anything; nothing is read for it.
    let mut bytes = tar(&[("c/Chart.yaml", EntryType::Regular, b"")]);
    let mut header = tar::Header::from_byte_slice(&bytes[..512]).clone();
    header.set_size(101 << 20);
    header.set_cksum();
    bytes[..512].copy_from_slice(header.as_bytes());
    let (helm4, helm3) = texts(&compressed(&bytes));
    assert_eq!(helm4.as_deref(), Some("unable to load chart archive"));
    assert_eq!(helm3.as_deref(), Some("decompressed chart is larger than the maximum file size 104857600"));
}

#[test]
fn archives_in_archives_come_to_an_end() {
    let mut bytes = packed(&[("s/Chart.yaml", "name: s\nversion: 1\n")]);
    for _ in 0..80 {
        let entries = [
            ("s/Chart.yaml", EntryType::Regular, &b"name: s\nversion: 1\n"[..]),
            ("s/charts/s.tgz", EntryType::Regular, &bytes),
        ];
        bytes = compressed(&tar(&entries));
    }
    let failure = archive(&bytes, Compat::Helm4).unwrap_err();
    assert!(failure.to_string().ends_with("charts are nested more than 64 deep"), "{failure}");
}

#[test]
fn entries_are_counted() {
    let entries: Vec<_> = (0..100_001).map(|_| ("c/d/", EntryType::Directory, &b""[..])).collect();
    let failure = archive(&compressed(&tar(&entries)), Compat::Helm3).unwrap_err();
    assert_eq!(failure.to_string(), "chart has more than 100000 files");
}

#[test]
fn long_names_and_pax_records_are_not_read_without_end() {
    let long = vec![b'a'; 8 << 20];
    for kind in [EntryType::GNULongName, EntryType::GNULongLink, EntryType::XHeader] {
        let bytes =
            tar(&[("././@LongLink", kind, &long), ("c/Chart.yaml", EntryType::Regular, CHART.as_bytes())]);
        let failure = archive(&compressed(&bytes), Compat::Helm3).unwrap_err();
        assert_eq!(failure.to_string(), "archive/tar: header field too long", "{kind:?}");
    }
    // What is skipped is unpacked all the same.
    let skipped = vec![0; 8 << 20];
    let bytes = tar(&[
        ("pax_global_header", EntryType::XGlobalHeader, &skipped),
        ("c/Chart.yaml", EntryType::Regular, CHART.as_bytes()),
    ]);
    assert_eq!(error(archive(&compressed(&bytes), Compat::Helm3)), None);
}
