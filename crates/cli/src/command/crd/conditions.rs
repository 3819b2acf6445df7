//! `trueline crd check --conditions`: the condition that a server sets on a CRD whose schemas are not structural.

use std::path::PathBuf;

use trueline_analysis::{Conditions, Form};
use trueline_report::Format;

use super::files;
use crate::command::{Ended, INVALID, VALID, say};
use crate::failure::Failure;
use crate::flags::ReportFlags;
use crate::terminal::complain;

/// Prints one object for each CRD. Fails if any has the condition.
pub(super) fn print(paths: &[PathBuf], flags: &ReportFlags) -> Ended {
    let form = match flags.format {
        Format::Human => Form::Yaml,
        Format::Json => Form::Json,
        _ => return Err(Failure::usage("`--conditions` prints YAML, or JSON with `--format json`")),
    };
    let files = files()?;
    let (mut conditions, mut is_too_large) = (Conditions::default(), false);
    for path in paths {
        let too_large =
            conditions.read(&files, path).map_err(|failure| Failure::of_files(&failure, &files))?;
        for problem in too_large {
            complain(&format!("error: {}", problem.sentence(files.sources())));
            is_too_large = true;
        }
    }
    let fails = is_too_large || conditions.has_any();
    say(&conditions.text(form).map_err(|failure| Failure::of_files(&failure, &files))?)?;
    Ok(if fails { INVALID } else { VALID })
}
