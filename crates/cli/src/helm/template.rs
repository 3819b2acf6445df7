//! `helm template`: a chart rendered to standard output or into files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use trueline_helm::Origins;
use trueline_helm::chart::{self, Chart, Compat, Request};
use trueline_helm::engine::{self, Capabilities, Early, KubeVersion, Operation, Texts};
use trueline_helm::log::{Level, LogLine};
use trueline_helm::release::{self, Event, Manifest, Part, RenderedFile};
use trueline_helm::schema::{self, SchemaAccess};
use trueline_helm::{dependencies, quote, values};
use trueline_source::SourceMap;
use trueline_yaml::Value;

use super::command::Arguments;
use super::dice::{Dice, Names};
use super::flag::{Flag, FlagKind, Parsed};
use super::post_render::PostRenderer;
use super::{Command, Session, dependency, loading, location, post_render, release_name};
use crate::output::{self, Destination};
use crate::world::World;

pub(super) const COMMAND: Command = Command {
    name: "template",
    usage: "[NAME] [CHART]",
    summary: "Render the templates of a chart",
    description: "
CHART is the directory of a chart, an archive, the address of one, repository/chart, or a chart in a registry (oci://).
Nothing talks to a cluster: what a cluster would be asked for is
taken from --kube-version and --api-versions.
",
    aliases: &[],
    arguments: |_| Arguments::AtLeast(1),
    flags,
    exclusive: |compat| match compat {
        Compat::Helm4 => {
            &[&["force", "force-conflicts"], &["force-replace", "force-conflicts"], &["validate", "dry-run"]]
        }
        Compat::Helm3 => &[],
    },
    run,
};

fn flags(compat: Compat) -> Vec<Flag> {
    let mut flags = vec![
        Flag::new(
            "api-versions",
            FlagKind::Slice,
            "API versions that the cluster has besides the usual ones",
        )
        .short('a'),
        Flag::text("kube-version", "the Kubernetes version that templates see"),
        Flag::new("show-only", FlagKind::Array, "show only what these templates wrote; may be repeated")
            .short('s'),
        Flag::text("output-dir", "write into files below this directory"),
        Flag::switch("release-name", "put the files of --output-dir below the name of the release"),
        Flag::switch("include-crds", "print the files of crds/ as well"),
        Flag::switch("no-hooks", "leave hooks out"),
        Flag::switch("skip-tests", "leave tests out"),
        Flag::switch("is-upgrade", "set .Release.IsUpgrade in place of .Release.IsInstall"),
        Flag::switch("generate-name", "take no NAME").short('g'),
        Flag::text("name-template", "a template that the name of the release is made with"),
        Flag::switch("skip-schema-validation", "do not check the values against values.schema.json"),
        Flag::switch("enable-dns", "let getHostByName look names up"),
        Flag::switch("dependency-update", "fetch dependencies that are missing in charts/"),
        Flag::new(
            "post-renderer-args",
            FlagKind::CheckedArray,
            "an argument for --post-renderer; may be repeated",
        ),
        // Read so that scripts written for Helm go on working; they matter only to a cluster.
        Flag::switch("create-namespace", "").hidden(),
        Flag::switch("disable-openapi-validation", "").hidden(),
        Flag::switch("replace", "").hidden(),
        Flag::switch("skip-crds", "").hidden(),
        Flag::switch("take-ownership", "").hidden(),
        Flag::switch("wait-for-jobs", "").hidden(),
        Flag::new("timeout", FlagKind::Duration, "").hidden(),
        Flag::text("description", "").hidden(),
        Flag::new("labels", FlagKind::Pairs, "labels of the release, which are only checked").short('l'),
    ];
    flags.extend(super::values::FLAGS);
    flags.extend(location::flags());
    match compat {
        Compat::Helm4 => {
            const NO_EFFECT: &str =
                "this flag has no effect for 'helm template' and will be removed in Helm 5";
            flags.extend([
                Flag::new("post-renderer", FlagKind::Checked, "a plugin that works the output over"),
                Flag::switch("atomic", "").deprecated("use --rollback-on-failure instead"),
                Flag::switch("force", "").deprecated("use --force-replace instead"),
                Flag::switch("hide-notes", "").deprecated(NO_EFFECT),
                Flag::switch("render-subchart-notes", "").deprecated(NO_EFFECT),
                Flag::switch("validate", "").deprecated("use '--dry-run=server' instead"),
                Flag::switch("force-conflicts", "").hidden(),
                Flag::switch("force-replace", "").hidden(),
                Flag::switch("rollback-on-failure", "").hidden(),
                Flag::switch("server-side", "").hidden(),
                Flag::text("dry-run", "client (default); server fails, because no cluster is asked")
                    .alone("unset"),
                Flag::new("wait", FlagKind::Checked, "").alone("watcher").hidden(),
            ]);
        }
        Compat::Helm3 => flags.extend([
            Flag::new("post-renderer", FlagKind::Checked, "a program that works the output over"),
            Flag::switch("atomic", "").hidden(),
            Flag::switch("force", "").hidden(),
            Flag::switch("hide-notes", "").hidden(),
            Flag::switch("render-subchart-notes", "").hidden(),
            Flag::switch("validate", "fails, because no cluster is asked"),
            Flag::switch("wait", "").hidden(),
            Flag::text("dry-run", "client (default); server fails, because no cluster is asked")
                .alone("client"),
        ]),
    }
    flags
}

/// What went wrong, and what can be shown all the same.
struct Failure {
    message: String,
    /// There only if the failure came after the values were worked out.
    output: Option<Output>,
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure { message, output: None }
    }
}

/// A rendered release on its way out.
#[derive(Default)]
struct Output {
    /// Helm's manifest: the documents without the hooks. Empty where they go into files.
    text: Vec<u8>,
    hooks: Vec<Manifest>,
    written: Vec<Written>,
}

/// A document that goes into a file.
struct Written {
    path: String,
    text: Vec<u8>,
    part: Part,
}

fn run(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let (output, failure) = match install(session, parsed) {
        Ok(output) => (output, None),
        Err(Failure { message, output }) if session.settings.debug => match output {
            Some(output) => (output, Some(message)),
            None => return Err(message),
        },
        Err(Failure { message, output: Some(_) }) => {
            return Err(with_hint(message));
        }
        Err(Failure { message, output: None }) => return Err(message),
    };
    let failure = match write(session, parsed.text_or_empty("output-dir"), &output.written) {
        Ok(()) => failure,
        Err(message) if session.settings.debug => Some(message),
        Err(message) => return Err(with_hint(message)),
    };
    let hooks = if parsed.text_or_empty("output-dir").is_empty() { output.hooks.as_slice() } else { &[] };
    let printed = release::print(output.text, hooks);
    let patterns = parsed.list("show-only");
    if patterns.is_empty() {
        session.world.print(&printed)?;
    } else {
        match release::show_only(&printed, patterns, session.compat) {
            Ok(shown) => session.world.print(&shown)?,
            Err(missing) => {
                let first = failure.filter(|_| session.compat == Compat::Helm4);
                return Err(first.unwrap_or_else(|| missing.to_string()));
            }
        }
    }
    failure.map_or(Ok(()), Err)
}

/// What Helm adds to an error of which more can be shown.
fn with_hint(message: String) -> String {
    format!("{message}\n\nUse --debug flag to render out invalid YAML")
}

/// Everything up to the rendered release.
fn install(session: &mut Session<'_>, parsed: &Parsed) -> Result<Output, Failure> {
    let compat = session.compat;
    let kube_version = match parsed.text_or_empty("kube-version") {
        "" => KubeVersion::default(),
        text => KubeVersion::parse(text, compat)
            .map_err(|wrong| format!("invalid kube version '{text}': {wrong}"))?,
    };
    super::remote::check_certificates(parsed, session.world)?;
    let needs_cluster = dry_run(session, parsed)?;
    let version = match parsed.text_or_empty("version") {
        "" if parsed.is_on("devel") => ">0.0.0-0",
        version => version,
    };
    session.log(
        &LogLine::new(Level::Debug, "Original chart version")
            .with("version", parsed.text_or_empty("version"))
            .in_helm3("install.go:225", format!("[debug] Original chart version: {}", quote(version))),
    );
    let names = if parsed.is_on("enable-dns") { Names::LookedUp } else { Names::Unknown };
    let dice = Dice::new(session.world, session.settings.seed, names);
    let (name, argument) = name_and_chart(parsed, session.world, &dice)?;
    let mut log = Vec::new();
    let path = location::locate(argument, parsed, compat, session.world, &mut log)?;
    session.log_all(&log);
    let absolute = path.to_string_lossy().into_owned();
    session.log(
        &LogLine::new(Level::Debug, "Chart path")
            .with("path", absolute.as_str())
            .in_helm3("install.go:242", format!("[debug] CHART PATH: {absolute}\n")),
    );
    let sources = Arc::new(SourceMap::new());
    let network = session.settings.network;
    let user = {
        let world = &mut *session.world;
        let mut read = |name: &str| super::values::read(world, name, network);
        super::values::options(parsed)
            .merge(&sources, compat, &mut read)
            .map_err(|error| error.to_string())?
    };
    let early = Early::new(compat);
    let load = |request: &Request<'_>| chart::load_beside(request, &|text| early.read(text));
    let mut chart = loading::load(session, argument, &absolute, &sources, &load)?;
    check_chart(session, &chart)?;
    if parsed.is_on("dependency-update") && !missing_dependencies(&chart).is_empty() {
        dependency::update(session, parsed, &absolute)?;
        chart = loading::load(session, argument, &absolute, &sources, &chart::load)?;
    } else {
        check_dependencies(session, &chart)?;
    }
    if compat == Compat::Helm3 {
        dry_run_helm3(parsed)?;
    }
    chart.check_api_version(compat).map_err(|failure| failure.to_string())?;
    if needs_cluster {
        return Err(unreachable(session).into());
    }
    if let Err(wrong) = release_name::check(&name) {
        return Err(logged(session, "release name check failed", wrong).into());
    }
    let mut log = Vec::new();
    let processed = dependencies::process(chart, &user, compat, &mut log);
    session.log_all(&log);
    let chart = processed.map_err(|error| error.to_string())?;
    let (final_values, texts) = if schema::has_schema(&chart) {
        // Large schemas take as long as all templates; neither needs the other.
        let mut texts = None;
        let final_values = rayon::in_place_scope(|scope| {
            scope.spawn(|_| texts = Some(Texts::read_after(&chart, early)));
            final_values(session, &chart, &user, parsed, &sources)
        })?;
        (final_values, texts.ok_or_else(|| "the templates were not read".to_owned())?)
    } else {
        let final_values = final_values(session, &chart, &user, parsed, &sources)?;
        (final_values, Texts::read_after(&chart, early))
    };
    check_labels(parsed)?;

    let failed = |message: String| Failure { message, output: Some(Output::default()) };
    release::check_kube_version(
        &chart.metadata.kube_version,
        &kube_version.normalized,
        &kube_version.version,
    )
    .map_err(|wrong| failed(wrong.into()))?;
    let options = engine::Options {
        compat,
        release: engine::Release {
            name: name.clone(),
            namespace: session.settings.namespace.clone(),
            operation: if parsed.is_on("is-upgrade") { Operation::Upgrade } else { Operation::Install },
        },
        capabilities: Capabilities::without_cluster(kube_version, parsed.list("api-versions")),
        mode: engine::Mode::Render,
        origins: Origins::Dropped,
        environment: &dice,
        limits: trueline_helm::Limits::default(),
    };
    let rendered = engine::render_texts(&chart, &texts, &final_values, &options)
        .map_err(|error| failed(error.to_string()))?;
    session.log_all(&rendered.log);
    let output = finish(session, parsed, &chart, &name, rendered.files, &sources);
    session.world.keep((sources, chart, texts, final_values, user));
    output
}

/// From rendered files to what is printed or written.
fn finish(
    session: &mut Session<'_>,
    parsed: &Parsed,
    chart: &Chart,
    name: &str,
    files: Vec<RenderedFile>,
    sources: &SourceMap,
) -> Result<Output, Failure> {
    let compat = session.compat;
    let post_renderer = PostRenderer::chosen(parsed, compat, session.world)?;
    let files: Vec<RenderedFile> = files.into_iter().filter(|file| !file.is_notes()).collect();
    let failed = |message: String| Failure { message, output: Some(Output::default()) };
    let files = match &post_renderer {
        Some(program) if compat == Compat::Helm4 => {
            post_render::over_files(files, program, session.world).map_err(failed)?
        }
        _ => files,
    };
    let mut release = release::manifests(files, compat, sources);
    session.log_all(&release.log);
    let crds = if parsed.is_on("include-crds") { chart.crds() } else { Vec::new() };
    let wants_hook = |hook: &Manifest| {
        let is_left_out = parsed.is_on("skip-tests") && hook.events.contains(&Event::Test);
        !is_left_out && !parsed.is_on("no-hooks")
    };
    let hooks: Vec<Manifest> = std::mem::take(&mut release.hooks).into_iter().filter(wants_hook).collect();
    if let Some(error) = &release.error {
        let text = release::whole_files(&release.files);
        let output = Output { text, hooks, written: Vec::new() };
        return Err(Failure { message: error.to_string(), output: Some(output) });
    }
    let directory = parsed.text_or_empty("output-dir");
    let mut output = Output::default();
    if directory.is_empty() {
        output.text = release::text(&release, &crds);
    } else {
        let below = if parsed.is_on("release-name") {
            crate::world::clean(std::path::Path::new(&format!("{directory}/{name}")))
                .to_string_lossy()
                .into_owned()
        } else {
            directory.to_owned()
        };
        output.written = release::written_files(&release, &crds, &hooks)
            .into_iter()
            .map(|file| {
                let directory = if file.part == Part::Crd { directory } else { &below };
                Written { path: format!("{directory}/{}", file.path), text: file.text, part: file.part }
            })
            .collect();
    }
    if let Some(program) = post_renderer.filter(|_| compat == Compat::Helm3) {
        output.text = program.run(&output.text, session.world).map_err(|wrong| Failure {
            message: format!("error while running post render on files: {wrong}"),
            output: Some(Output::default()),
        })?;
    }
    output.hooks = hooks;
    Ok(output)
}

/// Writes documents into their files, each whole or none of them, and says so.
fn write(session: &mut Session<'_>, below: &str, written: &[Written]) -> Result<(), String> {
    let mut contents: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for document in written {
        let content = contents.entry(&document.path).or_insert_with(|| match document.part {
            // Helm adds hooks to a file that is there, even to one of an earlier run.
            Part::Hook => session.world.read_file(&document.path).unwrap_or_default(),
            Part::Crd | Part::Manifest => Vec::new(),
        });
        content.extend_from_slice(&document.text);
    }
    let mut files = Vec::new();
    for (path, content) in contents {
        if let Some((parent, _)) = path.rsplit_once('/') {
            session.world.make_directory(parent)?;
            // A link that a chart brought along must not choose another directory.
            let system = session.world.system();
            let real = |path: &str| system.real(Path::new(path)).ok();
            if let (Some(above), Some(real)) = (real(below), real(parent))
                && !real.starts_with(&above)
            {
                return Err(format!("{parent} leads out of {below}"));
            }
        }
        let place = session.world.path(path);
        if session.world.is_directory(&place) {
            return Err(format!("open {path}: is a directory"));
        }
        files.push((Destination::new(&place, &*session.world.system())?, content));
    }
    output::write_all(&files, &*session.world.system())?;
    let lines: String = written.iter().map(|document| format!("wrote {}\n", document.path)).collect();
    session.world.tell(&lines)
}

/// The name of the release and the argument that names the chart.
fn name_and_chart<'p>(parsed: &'p Parsed, world: &World, dice: &Dice) -> Result<(String, &'p str), String> {
    let template = parsed.text_or_empty("name-template");
    match parsed.arguments.as_slice() {
        [name, chart] => {
            if parsed.is_on("generate-name") {
                return Err("cannot set --generate-name and also specify a name".to_owned());
            }
            if !template.is_empty() {
                return Err("cannot set --name-template and also specify a name".to_owned());
            }
            Ok((name.clone(), chart))
        }
        [chart] if template.is_empty() => Ok(("release-name".to_owned(), chart)),
        [chart] => Ok((engine::name_from_template(template, &world.variables(), dice)?, chart)),
        [_, _, rest @ ..] => {
            Err(format!("expected at most two arguments, unexpected arguments: {}", rest.join(", ")))
        }
        [] => Err("no chart was named".to_owned()),
    }
}

/// Whether the flags ask for a cluster.
fn dry_run(session: &mut Session<'_>, parsed: &Parsed) -> Result<bool, String> {
    if session.compat == Compat::Helm3 {
        return Ok(parsed.is_on("validate"));
    }
    let value = parsed.text("dry-run").unwrap_or("client");
    let shown = quote(value);
    let only = || format!("invalid dry-run value ({shown}). Must be \"server\" or \"client\"");
    match value {
        "unset" => session.log(&LogLine::new(
            Level::Warn,
            "--dry-run is deprecated and should be replaced with '--dry-run=client'",
        )),
        "client" => {}
        "server" => return Ok(true),
        "none" | "0" | "f" | "F" | "FALSE" | "false" | "False" => return Err(only()),
        "1" | "t" | "T" | "TRUE" | "true" | "True" => session.log(&LogLine::new(
            Level::Warn,
            format!(
                "boolean '--dry-run={value}' flag is deprecated and must be replaced with '--dry-run=client'"
            ),
        )),
        _ => {
            return Err(format!(
                "invalid dry-run value ({shown}). Must be \"none\", \"server\", or \"client\""
            ));
        }
    }
    Ok(parsed.is_on("validate"))
}

fn dry_run_helm3(parsed: &Parsed) -> Result<(), String> {
    match parsed.text_or_empty("dry-run") {
        "" | "false" | "true" | "none" | "client" | "server" => Ok(()),
        _ => Err("Invalid dry-run flag. Flag must one of the following: false, true, none, client, server"
            .to_owned()),
    }
}

/// Whether the chart can be installed as it is.
fn check_chart(session: &mut Session<'_>, chart: &Chart) -> Result<(), String> {
    let metadata = &chart.metadata;
    if !matches!(metadata.kind.as_str(), "" | "application") {
        return Err(format!("{} charts are not installable", metadata.kind));
    }
    if metadata.deprecated {
        session.log(
            &LogLine::new(Level::Warn, "this chart is deprecated")
                .in_helm3("", "WARNING: This chart is deprecated"),
        );
    }
    Ok(())
}

/// The dependencies that Chart.yaml names and `charts/` does not have.
fn missing_dependencies(chart: &Chart) -> Vec<&str> {
    let is_there = |name: &str| chart.dependencies.iter().any(|subchart| subchart.metadata.name == name);
    let names = chart.metadata.dependencies.iter().map(|entry| entry.name.as_str());
    names.filter(|name| !is_there(name)).collect()
}

/// Whether all dependencies are there.
fn check_dependencies(session: &Session<'_>, chart: &Chart) -> Result<(), String> {
    let missing = missing_dependencies(chart);
    if missing.is_empty() {
        return Ok(());
    }
    let missing = format!("found in Chart.yaml, but missing in charts/ directory: {}", missing.join(", "));
    Err(match session.compat {
        Compat::Helm4 => format!(
            "an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to \
             fetch missing dependencies: {missing}"
        ),
        Compat::Helm3 => format!(
            "An error occurred while checking for chart dependencies. You may need to run `helm dependency build` to \
             fetch missing dependencies: {missing}"
        ),
    })
}

/// The user's values over those of the charts, if the schemas of the charts allow them.
fn final_values(
    session: &mut Session<'_>,
    chart: &Chart,
    user: &Value,
    parsed: &Parsed,
    sources: &Arc<SourceMap>,
) -> Result<Value, String> {
    let mut log = Vec::new();
    let joined = values::coalesce(chart, user, session.compat, &mut log);
    session.log_all(&log);
    let joined = joined.map_err(|error| error.to_string())?;
    if parsed.is_on("skip-schema-validation") {
        return Ok(joined);
    }
    log_charts(session, chart);
    if schema::has_schema(chart) {
        let network = session.settings.network;
        let fetch = Some(session.world.network(network));
        let access = SchemaAccess { sources: Arc::clone(sources), fetch, network };
        schema::validate(chart, &joined, &access).map_err(|failure| failure.to_string())?;
    }
    Ok(joined)
}

/// What Helm 4 says about each chart before it looks at its schema.
fn log_charts(session: &mut Session<'_>, chart: &Chart) {
    let name = chart.metadata.name.as_str();
    if chart.schema.is_some() {
        session.log(&LogLine::new(Level::Debug, "chart name").with("chart-name", name));
    }
    session.log(
        &LogLine::new(Level::Debug, "number of dependencies in the chart")
            .with("chart", name)
            .with("dependencies", chart.dependencies.len().to_string()),
    );
    chart.dependencies.iter().for_each(|subchart| log_charts(session, subchart));
}

/// Labels that Helm keeps for itself may not be given.
fn check_labels(parsed: &Parsed) -> Result<(), String> {
    const OWN: [&str; 6] = ["name", "owner", "status", "version", "createdAt", "modifiedAt"];
    let key = |pair: &String| pair.split('=').next().unwrap_or_default().to_owned();
    if parsed.list("labels").iter().map(key).any(|key| OWN.contains(&key.as_str())) {
        return Err(format!(
            "user supplied labels contains system reserved label name. System labels: [{}]",
            OWN.join(" ")
        ));
    }
    Ok(())
}

fn unreachable(session: &mut Session<'_>) -> String {
    const WHY: &str = "trueline talks to no cluster";
    match session.compat {
        Compat::Helm4 => {
            let words = format!("cluster reachability check failed: kubernetes cluster unreachable: {WHY}");
            session.log(&LogLine::new(Level::Error, words.as_str()));
            words
        }
        Compat::Helm3 => format!("Kubernetes cluster unreachable: {WHY}"),
    }
}

/// An error that Helm 4 also logs, under a name that it puts before it.
fn logged(session: &mut Session<'_>, what: &str, wrong: String) -> String {
    match session.compat {
        Compat::Helm4 => {
            session.log(&LogLine::new(Level::Error, what).with("error", wrong.as_str()));
            format!("{what}: {wrong}")
        }
        Compat::Helm3 => wrong,
    }
}
