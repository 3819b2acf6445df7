//! Charts: whatever a directory or an archive holds, loading ends, without a panic, and every finding is at
//! its place.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};
use trueline_helm::chart::{Compat, Request, load};
use trueline_source::{MemoryLoader, SourceMap};

use crate::{Target, findings};

pub(crate) const TARGET: Target = Target {
    name: "chart_load",
    run,
    seeds: &[
        "== Chart.yaml\napiVersion: v2\nname: t\nversion: 1.0.0\nkeywords: [a]\ndependencies:\n- {name: s, alias: u, condition: s.on, import-values: [a, {child: b, parent: c}]}\n== values.yaml\na: 1\n---\nb: |\n  text\n== templates/a.yaml\n{{ .Values.a }}\n== charts/s/Chart.yaml\nname: s\nversion: 1\n== charts/s/charts/u/Chart.yaml\nname: u\nversion: 2\n",
        "== Chart.yaml\nname: t\nversion: v1.2-x+y\nmaintainers: [{name: m, email: e}, ~]\nannotations: {a: 1, b: [2]}\n== requirements.yaml\ndependencies: [{name: s}, {name: s}]\n== requirements.lock\ngenerated: 2024-05-01T00:00:00Z\ndigest: x\n== .helmignore\n*.txt\n!a[b-c\\]\n/d/\ntemplates/?*.yaml\n== d/a.txt\nx\n== crds/c.yaml\nkind: A\n",
        "== Chart.yaml\napiVersion: v3\nname: ../x\nversion: 1.0.0.0\ntype: y\n== Chart.lock\ngenerated: 2024-13-01T00:00:00.5+25:00\ndependencies: a\n== values.yaml\n- a\n--- b\n== charts/_x/y\nz\n== charts/README.md\nx\n== charts/x.tgz\nno\n== charts/x.tgz.prov\nno\n",
        "== ../../etc/x\na\n== //abs\nb\n== C:\\x\nc\n== Chart.yaml/x\nd\n",
    ],
};

fn run(input: &[u8]) {
    let files = split(input);
    let directory = files
        .iter()
        .fold(MemoryLoader::new("t"), |loader, (name, bytes)| loader.with_file(name, bytes.as_slice()));
    let packed = compressed(&tar(&files));
    let loader = MemoryLoader::new("packed")
        .with_file("files.tgz", packed)
        .with_file("tar.tgz", compressed(input))
        .with_file("raw.tgz", [b"\x1f\x8b\x08\0\0\0\0\0\0\0", input].concat())
        .with_file("any.tgz", input);
    for compat in [Compat::Helm4, Compat::Helm3] {
        check(&directory, "", compat);
        for name in ["files.tgz", "tar.tgz", "raw.tgz", "any.tgz"] {
            check(&loader, name, compat);
        }
    }
}

fn check(loader: &MemoryLoader, path: &str, compat: Compat) {
    let sources = SourceMap::new();
    match load(&Request { loader, path, absolute: "/t", sources: &sources, compat }) {
        Ok(loaded) => {
            findings::check(&loaded.warnings, &sources);
            assert!(!loaded.chart.name().is_empty(), "a chart has a name");
            loaded.chart.crds();
        }
        Err(failure) => {
            findings::check(&failure.diagnostics, &sources);
            assert!(!failure.to_string().is_empty() && !failure.diagnostics.is_empty(), "{failure:?}");
        }
    }
}

/// The files in the input: each begins with a line `== name`.
pub(crate) fn split(input: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        match (line.strip_prefix(b"== "), files.last_mut()) {
            (Some(name), _) => {
                files.push((String::from_utf8_lossy(name).trim_end_matches('\n').to_owned(), Vec::new()));
            }
            (None, Some((_, bytes))) => bytes.extend_from_slice(line),
            (None, None) => {}
        }
    }
    files
}

fn tar(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = Header::new_gnu();
        let name = [b"t/", name.as_bytes()].concat();
        for (place, byte) in header.as_old_mut().name.iter_mut().zip(&name) {
            *place = *byte;
        }
        // The first letter of some names chooses a kind, so that all kinds are met.
        header
            .set_entry_type(EntryType::new(name.get(2).copied().filter(u8::is_ascii_digit).unwrap_or(b'0')));
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        // Writing to memory cannot fail.
        let _ = builder.append(&header, bytes.as_slice());
    }
    builder.into_inner().unwrap_or_default()
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
