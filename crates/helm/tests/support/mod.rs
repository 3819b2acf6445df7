//! Charts in memory.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::io::Write;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};
use trueline_gotemplate::Environment;
use trueline_helm::chart::{Compat, LoadFailure, Loaded, Request, load};
use trueline_helm::engine::KubeVersion;
use trueline_helm::lint::{self, Message, Schemas};
use trueline_helm::schema::SchemaAccess;
use trueline_schema::Network;
use trueline_source::{Loader, MemoryLoader, SourceMap};
use trueline_yaml::yaml_to_value;

/// A Chart.yaml that is right.
pub(crate) const CHART: &str = "apiVersion: v2\nname: t\nversion: 1.0.0\n";

/// Loads a directory.
pub(crate) fn directory(files: &[(&str, &str)], compat: Compat) -> Result<Loaded, LoadFailure> {
    from(&memory(files), "", compat, &SourceMap::new())
}

/// Loads an archive.
pub(crate) fn archive(bytes: &[u8], compat: Compat) -> Result<Loaded, LoadFailure> {
    let loader = MemoryLoader::new("dir").with_file("a.tgz", bytes);
    from(&loader, "a.tgz", compat, &SourceMap::new())
}

pub(crate) fn from(
    loader: &dyn Loader,
    path: &str,
    compat: Compat,
    sources: &SourceMap,
) -> Result<Loaded, LoadFailure> {
    let absolute = if path.is_empty() { "/here/t".to_owned() } else { format!("/here/{path}") };
    load(&Request { loader, path, absolute: &absolute, sources, compat })
}

pub(crate) fn memory(files: &[(&str, &str)]) -> MemoryLoader {
    files.iter().fold(MemoryLoader::new("t"), |loader, (name, text)| loader.with_file(name, *text))
}

/// The error text, or nothing.
pub(crate) fn error(result: Result<Loaded, LoadFailure>) -> Option<String> {
    result.err().map(|failure| failure.to_string())
}

/// The findings as `code line:column`.
pub(crate) fn findings(failure: &LoadFailure, sources: &SourceMap) -> Vec<String> {
    let describe = |finding: &trueline_diagnostic::Diagnostic| {
        let place = sources.position(finding.primary.span);
        let name = sources.get(finding.primary.span.source).name().to_owned();
        format!("{} {name}:{}:{}", finding.code.id, place.line, place.column)
    };
    failure.diagnostics.iter().map(describe).collect()
}

/// An archive of files.
pub(crate) fn packed(files: &[(&str, &str)]) -> Vec<u8> {
    let entries: Vec<_> =
        files.iter().map(|(name, text)| (*name, EntryType::Regular, text.as_bytes())).collect();
    compressed(&tar(&entries))
}

/// A tar archive; names are written as they are.
pub(crate) fn tar(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, kind, bytes) in entries {
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(0o644);
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        builder.append(&header, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

pub(crate) fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A clock that stands still, and dice that always show the same.
struct Still;

impl Environment for Still {
    fn now(&self) -> (i64, u32) {
        (0, 0)
    }

    fn random(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }

    fn lookup_host(&self, _name: &str) -> String {
        String::new()
    }
}

/// What the linter says about a chart of these files.
pub(crate) fn lint_files(
    files: &[(&str, &str)],
    values: &str,
    compat: Compat,
    schemas: Schemas,
) -> Vec<Message> {
    let loader = memory(files);
    let access = SchemaAccess { sources: Arc::new(SourceMap::new()), fetch: None, network: Network::Offline };
    let request = lint::Request {
        loader: &loader,
        path: "",
        absolute: "/here/t",
        compat,
        user: &yaml_to_value(values).unwrap(),
        namespace: "default",
        kube_version: &KubeVersion::default(),
        schemas,
        access: &access,
        environment: &Still,
    };
    lint::lint(&request).messages
}

/// The same as lines.
pub(crate) fn lint_messages(files: &[(&str, &str)], values: &str, compat: Compat) -> Vec<String> {
    lint_files(files, values, compat, Schemas::Checked).iter().map(ToString::to_string).collect()
}
