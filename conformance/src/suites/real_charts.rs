//! The real charts of the corpus, which several suites look at.

use std::fs;
use std::path::{Path, PathBuf};

use trueline_helm::chart::{self, Chart, Compat};
use trueline_source::{MemoryLoader, SourceMap};

/// The name and the folder of each real chart.
pub(super) fn list(corpus: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let mut charts = Vec::new();
    for owner in super::helm::entries(&corpus.join("charts/real"))? {
        if !owner.is_dir() {
            continue;
        }
        for path in super::helm::entries(&owner)? {
            if path.join("Chart.yaml").is_file() {
                let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                charts.push((format!("{}/{}", name(&owner), name(&path)), path));
            }
        }
    }
    Ok(charts)
}

/// A chart as it is loaded from its folder.
pub(super) fn load(path: &Path, sources: &SourceMap) -> Result<Chart, String> {
    let absolute = path.display().to_string();
    let mut loader = MemoryLoader::new(absolute.as_str());
    for (name, bytes) in files(path)? {
        loader = loader.with_file(&name, bytes);
    }
    let request =
        chart::Request { loader: &loader, path: "", absolute: &absolute, sources, compat: Compat::Helm4 };
    Ok(chart::load(&request).map_err(|failure| failure.to_string())?.chart)
}

/// The files of a chart with their bytes.
pub(super) fn files(chart: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut files = Vec::new();
    collect(chart, "", &mut files)?;
    Ok(files)
}

fn collect(folder: &Path, below: &str, files: &mut Vec<(String, Vec<u8>)>) -> Result<(), String> {
    for path in super::helm::entries(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = if below.is_empty() { name } else { format!("{below}/{name}") };
        if path.is_dir() {
            collect(&path, &name, files)?;
        } else {
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            files.push((name, bytes));
        }
    }
    Ok(())
}
