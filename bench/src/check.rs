//! The program itself, from its start to its end, on many manifests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::generate;
use crate::measure::{best_of, print_times};

const MANIFESTS: usize = 1_000;

/// Compares `trueline check` with `check-jsonschema`.
pub(crate) fn run() {
    println!("# Checking {MANIFESTS} extension manifests");
    let Some(trueline) = beside_this_program("trueline") else {
        println!("  left out: there is no release build of trueline; run `cargo build --release` first");
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let paths = write_manifests(folder.path());
    let mut check = || succeed(Command::new(&trueline).arg("check").arg("--offline").arg(folder.path()));
    let mut figures = best_of(10, &mut [("trueline check, all three levels", &mut check)]);
    match on_path("check-jsonschema") {
        Some(program) => {
            let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas");
            let mut check = || {
                succeed(
                    Command::new(&program)
                        .arg("--schemafile")
                        .arg(schemas.join("extension.schema.json"))
                        .arg("--base-uri")
                        .arg(format!("file://{}/", schemas.display()))
                        .args(&paths),
                );
            };
            figures.extend(best_of(1, &mut [("check-jsonschema, schema only", &mut check)]));
        }
        None => println!("  check-jsonschema is not installed"),
    }
    print_times("from start to end of the process", &figures);
}

fn write_manifests(folder: &Path) -> Vec<PathBuf> {
    (0..MANIFESTS)
        .map(|number| {
            let package = folder.join(format!("tool-{number}"));
            let path = package.join("extension.yaml");
            std::fs::create_dir_all(package.join("scripts")).expect("a folder can be made");
            std::fs::write(package.join("scripts/install.sh"), "#!/bin/sh\n").expect("a file can be written");
            std::fs::write(&path, generate::extension(number)).expect("a file can be written");
            path
        })
        .collect()
}

fn succeed(command: &mut Command) {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()), "{command:?} did not succeed");
}

pub(crate) fn beside_this_program(name: &str) -> Option<PathBuf> {
    let path =
        std::env::current_exe().ok()?.with_file_name(name).with_extension(std::env::consts::EXE_EXTENSION);
    path.is_file().then_some(path)
}

pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}
