//! `helm lint`: what is wrong with charts, and what could be better.

use std::path::Path;
use std::sync::Arc;

use trueline_helm::chart::{self, Compat};
use trueline_helm::engine::KubeVersion;
use trueline_helm::lint::{self, Report, Request, Schemas, Severity};
use trueline_helm::schema::SchemaAccess;
use trueline_source::{Loader, MemoryLoader, SourceMap, Stat};
use trueline_yaml::Value;

use super::command::{Arguments, Command};
use super::dice::{Dice, Names};
use super::flag::{Flag, Parsed};
use super::{Session, values};
use crate::world::{clean, go_error};

pub(super) const COMMAND: Command = Command {
    name: "lint",
    aliases: &[],
    usage: "PATH",
    summary: "Say what is wrong with charts",
    description: "
PATH is the directory of a chart or an archive; there may be several. What will not work is an [ERROR], and makes the
command fail; what does not follow the conventions is a [WARNING], and what could be better an [INFO]. With --compat
helm3 PATH may be left out: then it is the working directory.
",
    arguments: |compat| match compat {
        Compat::Helm4 => Arguments::AtLeast(1),
        Compat::Helm3 => Arguments::AtLeast(0),
    },
    flags,
    exclusive: |_| &[],
    run,
};

fn flags(_compat: Compat) -> Vec<Flag> {
    let mut flags = vec![
        Flag::switch("strict", "fail on warnings too"),
        Flag::switch("with-subcharts", "lint the subcharts on their own as well"),
        Flag::switch("quiet", "say only what is a warning or an error"),
        Flag::switch("skip-schema-validation", "do not check the values against values.schema.json"),
        Flag::text(
            "kube-version",
            "the Kubernetes version that templates see and that APIs are validated against",
        ),
    ];
    flags.extend(values::FLAGS);
    flags
}

/// What is the same for all charts of a run.
struct Run<'r> {
    user: &'r Value,
    kube_version: KubeVersion,
    schemas: Schemas,
    access: SchemaAccess,
    dice: Dice,
}

fn run(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let compat = session.compat;
    let kube_version = match parsed.text_or_empty("kube-version") {
        "" => KubeVersion::default(),
        text => KubeVersion::parse(text, compat)
            .map_err(|wrong| format!("invalid kube version '{text}': {wrong}"))?,
    };
    let mut paths = parsed.arguments.clone();
    if paths.is_empty() {
        paths.push(".".to_owned());
    }
    if parsed.is_on("with-subcharts") {
        let roots: Vec<String> = paths.iter().map(|path| joined(path, "charts")).collect();
        for root in roots {
            subcharts(session, &root, 0, &mut paths);
        }
    }
    let sources = Arc::new(SourceMap::new());
    let network = session.settings.network;
    let user = {
        let world = &mut *session.world;
        let mut read = |name: &str| values::read(world, name, network);
        values::options(parsed).merge(&sources, compat, &mut read).map_err(|error| error.to_string())?
    };
    let run = Run {
        user: &user,
        kube_version,
        schemas: if parsed.is_on("skip-schema-validation") { Schemas::Skipped } else { Schemas::Checked },
        access: SchemaAccess { sources, fetch: Some(session.world.network(network)), network },
        dice: Dice::new(session.world, session.settings.seed, Names::Unknown),
    };
    let is_quiet = parsed.is_on("quiet");
    let tolerated = if parsed.is_on("strict") { Severity::Info } else { Severity::Warning };
    let mut output = String::new();
    let (mut failed, mut shown) = (0, 0);
    for path in &paths {
        let (report, error) = match lint_path(session, path, &run) {
            Ok(report) => (report, None),
            Err(wrong) => (Report::default(), Some(wrong)),
        };
        session.log_all(&report.log);
        session.world.keep(report.chart);
        let is_remarkable =
            error.is_some() || report.messages.iter().any(|message| message.severity > Severity::Info);
        shown += usize::from(is_remarkable);
        failed += usize::from(
            error.is_some() || report.messages.iter().any(|message| message.severity > tolerated),
        );
        if is_quiet && !is_remarkable {
            continue;
        }
        output.push_str(&format!("==> Linting {path}\n"));
        if let Some(wrong) = error {
            output.push_str(&format!("Error {wrong}\n"));
        }
        for message in &report.messages {
            if !is_quiet || message.severity > Severity::Info {
                output.push_str(&format!("{message}\n"));
            }
        }
        output.push('\n');
    }
    session.world.keep(run.access);
    session.world.tell(&output)?;
    let summary = format!("{} chart(s) linted, {failed} chart(s) failed", paths.len());
    if failed > 0 {
        return Err(summary);
    }
    if !is_quiet || shown > 0 {
        session.world.tell(&format!("{summary}\n"))?;
    }
    Ok(())
}

/// Lints one chart, or says why it cannot.
fn lint_path(session: &Session<'_>, path: &str, run: &Run<'_>) -> Result<Report, String> {
    let absolute = clean(&session.world.path(path)).to_string_lossy().into_owned();
    if !(path.ends_with(".tgz") || path.ends_with(".tar.gz")) {
        let file = joined(path, "Chart.yaml");
        session.world.stat(&file).map_err(|error| {
            format!("unable to check Chart.yaml file in chart: stat {file}: {}", go_error(&error))
        })?;
        let system = session.world.system();
        let loader = system.directory(Path::new(&absolute), path).map_err(|error| error.to_string())?;
        return Ok(lint_directory(session, &*loader, &absolute, run));
    }
    let bytes = session.world.read_file(path).map_err(|wrong| format!("unable to open tarball: {wrong}"))?;
    let expanded = chart::expand(&bytes, path, &run.access.sources, session.compat)
        .map_err(|failure| format!("unable to extract tarball: {failure}"))?;
    let files = expanded.files.into_iter();
    let loader = files.fold(MemoryLoader::new(path), |loader, (name, bytes)| loader.with_file(&name, bytes));
    loader.entry("Chart.yaml").map_err(|_| {
        "unable to check Chart.yaml file in chart: stat Chart.yaml: no such file or directory".to_owned()
    })?;
    Ok(lint_directory(session, &loader, &absolute, run))
}

fn lint_directory(session: &Session<'_>, loader: &dyn Loader, absolute: &str, run: &Run<'_>) -> Report {
    lint::lint(&Request {
        loader,
        path: "",
        absolute,
        compat: session.compat,
        user: run.user,
        namespace: &session.settings.namespace,
        kube_version: &run.kube_version,
        schemas: run.schemas,
        access: &run.access,
        environment: &run.dice,
    })
}

fn joined(path: &str, name: &str) -> String {
    clean(&Path::new(path).join(name)).to_string_lossy().into_owned()
}

/// Directories in directories.
const DEEPEST: usize = 256;

/// Adds all charts below a directory, in the order of their paths. Links are not followed.
fn subcharts(session: &Session<'_>, directory: &str, depth: usize, paths: &mut Vec<String>) {
    let system = session.world.system();
    let names = session.world.names(directory).into_iter();
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    for name in names {
        let path = format!("{directory}/{name}");
        let is_directory = system.link_stat(Path::new(&path)).is_ok_and(Stat::is_directory);
        if name == "Chart.yaml" {
            paths.push(directory.to_owned());
        } else if name.ends_with(".tgz") || name.ends_with(".tar.gz") {
            paths.push(path.clone());
        }
        if is_directory && depth < DEEPEST {
            subcharts(session, &path, depth + 1, paths);
        }
    }
}
