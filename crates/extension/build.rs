//! Refuses to build with a schema that is broken: what is embedded in the program has been checked.

#![allow(clippy::disallowed_methods, reason = "a build script has no loader")]

#[path = "build/check.rs"]
mod check;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A build script is run in its package: a path compiled in would break when the checkout is moved.
    let directory = Path::new("../../schemas");
    // Watches the directory for added and removed files, and each file for changes.
    println!("cargo:rerun-if-changed={}", directory.display());
    println!("cargo:rerun-if-changed=build/check.rs");
    let problems = match read(directory) {
        Ok(files) => check::problems(&files),
        Err(error) => vec![format!("{}: {error}", directory.display())],
    };
    for problem in &problems {
        println!("cargo:error={problem}");
    }
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The schemas of a directory, sorted by name.
fn read(directory: &Path) -> std::io::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            println!("cargo:rerun-if-changed={}", path.display());
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, std::fs::read_to_string(&path)?));
        }
    }
    files.sort();
    Ok(files)
}
