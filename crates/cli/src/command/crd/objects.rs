//! `trueline crd prune` and `trueline crd default`: what a cluster makes of objects.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use trueline_analysis::{Form, Transformation};

use super::files;
use crate::command::{COULD_NOT_RUN, Ended, INVALID, VALID, say};
use crate::failure::Failure;
use crate::terminal::complain;

/// Print objects without the fields that their definition does not know
///
/// What a cluster drops before it looks at an object: fields that the schema or `metadata` has not, at any depth. Nothing
/// else changes: comments, quotes and the order of fields stay. What a cluster would refuse of an object is reported, and the
/// object is printed nevertheless; one that cannot be pruned is only told.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline crd prune --crd backups.yaml nightly.yaml
  cat nightly.yaml | trueline crd prune --crd crds/ -

Exit codes: 0 all objects would be taken, 1 some would be refused, 2 could not run.")]
pub(crate) struct Prune {
    #[command(flatten)]
    objects: Objects,
}

/// Print objects as a cluster would store them
///
/// Fields that the definition does not know are dropped, and so are nulls that it does not allow; defaults are set, the
/// status is dropped where it has its own address, and `metadata.namespace` and `metadata.generation` are filled in.
/// What a cluster would refuse of the object then is reported, and the object is printed nevertheless; one that a cluster
/// cannot read is only told. Comments, quotes and the order of fields stay.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline crd default --crd backups.yaml nightly.yaml
  trueline crd default --crd crds/ objects/ -o json

Exit codes: 0 all objects would be taken, 1 some would be refused, 2 could not run.")]
pub(crate) struct Default {
    #[command(flatten)]
    objects: Objects,
}

#[derive(Debug, Args)]
struct Objects {
    /// The file or directory that defines the kinds of the objects; may be given several times
    #[arg(long, value_name = "FILE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    crd: Vec<PathBuf>,

    /// Files and directories with objects; `-` is standard input
    #[arg(value_name = "OBJECT", required = true, value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,

    /// How objects are printed
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = ObjectForm::Yaml)]
    output: ObjectForm,
}

/// How objects are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ObjectForm {
    /// YAML, documents after `---`
    Yaml,
    /// JSON, one object a line
    Json,
}

impl Prune {
    pub(crate) fn run(self) -> Ended {
        self.objects.print(Transformation::Pruned)
    }
}

impl Default {
    pub(crate) fn run(self) -> Ended {
        self.objects.print(Transformation::Stored)
    }
}

impl Objects {
    /// Prints what becomes of the objects. One that cannot be taken is reported, and the others are printed.
    fn print(&self, transformation: Transformation) -> Ended {
        let form = match self.output {
            ObjectForm::Yaml => Form::Yaml,
            ObjectForm::Json => Form::Json,
        };
        let files = files()?;
        let changed = files
            .change(&self.crd, &self.paths, transformation, form)
            .map_err(|failure| Failure::of_files(&failure, &files))?;
        if !changed.text.is_empty() {
            say(&changed.text)?;
        }
        for problem in changed.unreadable.iter().chain(&changed.refused) {
            complain(&format!("error: {}", problem.sentence(files.sources())));
        }
        Ok(match (changed.unreadable.is_empty(), changed.refused.is_empty()) {
            (false, _) => COULD_NOT_RUN,
            (true, false) => INVALID,
            (true, true) => VALID,
        })
    }
}
