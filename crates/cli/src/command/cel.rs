//! `trueline cel`: single expressions in CEL, evaluated as the API server does.

mod answer;
mod lines;

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use trueline_analysis::{KubeVersion, STANDARD_INPUT};

use super::{Ended, crd, say};
use crate::failure::Failure;

use lines::Lines;

/// Evaluate expressions in CEL, the language of validation rules
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Cel {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Eval(Eval),
}

impl Cel {
    pub(crate) fn run(self) -> Ended {
        match self.command {
            Command::Eval(command) => command.run(),
        }
    }
}

/// Evaluate an expression, and print its result, its type and its cost
///
/// Without --crd, `self` may be anything. With --crd, it has the types of the schema, as at the root of a custom resource,
/// and is pruned and defaulted first, as on the server. Without an expression, one is read from each line of standard
/// input; on a terminal, that is a prompt, and `:help` lists what it knows beside expressions.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline cel eval '[1, 2, 3].exists(n, n > 2)'
  trueline cel eval 'self.spec.replicas <= 5' --object web.yaml
  trueline cel eval 'self.spec.hosts.all(h, isIP(h))' --object web.yaml --crd crds.yaml
  trueline cel eval 'self.spec.size >= oldSelf.spec.size' --object new.yaml --old old.yaml
  kubectl get deploy web -o yaml | trueline cel eval 'self.status' --object - --format json

Exit codes: 0 there is a result, 1 the expression does not compile or fails, 2 could not run.")]
struct Eval {
    /// The expression; without it, expressions are read from standard input, one a line
    #[arg(value_name = "EXPR")]
    expression: Option<String>,

    /// The file with the object that `self` is, in YAML or JSON; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    object: Option<PathBuf>,

    /// The file with the object that `oldSelf` is: what it was before an update
    #[arg(long, value_name = "FILE", requires = "object", value_hint = ValueHint::FilePath)]
    old: Option<PathBuf>,

    /// The file or directory with the CRD of the object
    #[arg(long, value_name = "FILE|DIR", requires = "object", value_hint = ValueHint::AnyPath)]
    crd: Option<PathBuf>,

    /// Version of Kubernetes whose functions there are (default: the newest)
    ///
    /// A server takes in new expressions only what the version before it knew too.
    #[arg(long, value_name = "VERSION")]
    kube_version: Option<KubeVersion>,

    /// Format of the answer
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: AnswerFormat,
}

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AnswerFormat {
    /// For people
    Human,
    /// One JSON object a line
    Json,
}

impl Eval {
    fn run(self) -> Ended {
        let is_stdin =
            |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| path.as_os_str() == STANDARD_INPUT);
        let named = [&self.object, &self.old, &self.crd].into_iter().filter(|path| is_stdin(path)).count();
        if named > 1 {
            return Err(Failure::usage("standard input is named twice, but can be read only once"));
        }
        if named > 0 && self.expression.is_none() {
            return Err(Failure::usage(
                "standard input is a file already; name the expression as an argument",
            ));
        }
        let files = crd::files()?;
        let version = self.kube_version.unwrap_or(KubeVersion::CRD_RULES);
        let query = files
            .query(self.object.as_deref(), self.old.as_deref(), self.crd.as_deref(), version)
            .map_err(|failure| Failure::of_query(&failure, &files))?;
        match &self.expression {
            Some(expression) => {
                let answer = answer::answer(&query, expression, self.format);
                say(&answer.text)?;
                Ok(answer.code)
            }
            None => {
                let prompts = io::stdin().is_terminal() && io::stdout().is_terminal();
                let lines = Lines { query: &query, format: self.format, prompts };
                lines.run(&mut io::stdin().lock(), &mut crate::terminal::print)
            }
        }
    }
}
