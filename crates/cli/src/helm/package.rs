//! `helm package`: charts packed into archives.

use std::path::Path;
use std::time::Duration;

use trueline_helm::chart::{self, Chart, Compat, Request};
use trueline_helm::package::{self, Times};
use trueline_helm::quote;
use trueline_source::SourceMap;

use super::command::{Arguments, Command};
use super::flag::{Flag, Parsed};
use super::signature::{self, Signing};
use super::{Session, dependency, loading, remote};
use crate::output::{self, Destination};
use crate::world::{World, clean, go_error};

pub(super) const COMMAND: Command = Command {
    name: "package",
    aliases: &[],
    usage: "[CHART_PATH] [...]",
    summary: "Pack charts into archives",
    description: "
CHART_PATH is the directory of a chart; each becomes a file NAME-VERSION.tgz. The same chart gives the same bytes as
long as the times of its files stay the same; SOURCE_DATE_EPOCH in the environment sets them all, in seconds since
1970. --sign needs a trueline that was built with `--features sign`.
",
    arguments: |_| Arguments::AtLeast(0),
    flags,
    exclusive: |_| &[],
    run,
};

fn flags(_compat: Compat) -> Vec<Flag> {
    let mut flags = vec![
        Flag::text("version", "pack the chart with this version"),
        Flag::text("app-version", "pack the chart with this appVersion"),
        Flag::text("destination", "write the archive into this directory; it is made if need be").short('d'),
        Flag::switch(
            "dependency-update",
            "update charts/ from Chart.yaml first, as `dependency update` does",
        )
        .short('u'),
        Flag::switch("sign", "write a signature beside the archive, NAME-VERSION.tgz.prov"),
        Flag::text("key", "with --sign: a name, or part of it, of the key to sign with"),
        signature::keyring_flag(),
        Flag::text(
            "passphrase-file",
            "with --sign: the file whose first line unlocks the key; - for standard input",
        ),
    ];
    flags.extend(remote::FLAGS);
    flags
}

fn run(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    if parsed.arguments.is_empty() {
        return Err("need at least one argument, the path to the chart".to_owned());
    }
    let times = times(session.world, session.compat)?;
    if parsed.is_on("sign") {
        Signing::check_flags(parsed)?;
    }
    let mut signing = Signing::default();
    for argument in &parsed.arguments {
        let saved = pack(session, parsed, argument, times, &mut signing)?;
        session.world.tell(&format!("Successfully packaged chart and saved it to: {saved}\n"))?;
    }
    Ok(())
}

/// The times of the files in archives.
pub(super) fn times(world: &World, compat: Compat) -> Result<Times, String> {
    let (now, _) = world.now();
    if compat == Compat::Helm3 {
        return Ok(Times::Now(now));
    }
    let Some(epoch) = world.non_empty_variable("SOURCE_DATE_EPOCH") else { return Ok(Times::Own { now }) };
    let digits = epoch.strip_prefix(['+', '-']).unwrap_or(&epoch);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match epoch.parse::<i64>() {
        Ok(seconds) if seconds >= 0 => Ok(Times::Fixed(seconds)),
        Ok(_) => Err("invalid SOURCE_DATE_EPOCH: must not be negative".to_owned()),
        Err(_) => {
            let why = if is_number { "value out of range" } else { "invalid syntax" };
            Err(format!("invalid SOURCE_DATE_EPOCH: strconv.ParseInt: parsing {}: {why}", quote(&epoch)))
        }
    }
}

/// Packs one chart, and gives the path of the archive as Helm names it.
fn pack(
    session: &mut Session<'_>,
    parsed: &Parsed,
    argument: &str,
    times: Times,
    signing: &mut Signing,
) -> Result<String, String> {
    let path = session.world.path(argument);
    let metadata = match argument {
        "" => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
        _ => session.world.stat(&path),
    };
    let metadata = metadata.map_err(|error| format!("stat {argument}: {}", go_error(&error)))?;
    let absolute = clean(&path).to_string_lossy().into_owned();
    if !metadata.is_directory() {
        let file = format!("{absolute}/Chart.yaml");
        return Err(match session.compat {
            Compat::Helm4 => format!("unable to detect chart at {file}: open {file}: not a directory"),
            Compat::Helm3 => "Chart.yaml file is missing".to_owned(),
        });
    }
    if parsed.is_on("dependency-update") {
        dependency::update_quietly(session, parsed, &absolute)?;
    }
    let mut chart = load(session, argument, &absolute)?;
    chart.check_api_version(session.compat).map_err(|failure| failure.to_string())?;
    let version = parsed.text_or_empty("version");
    if !version.is_empty() {
        version.clone_into(&mut chart.metadata.version);
    }
    package::check_version(&chart)?;
    let app_version = parsed.text_or_empty("app-version");
    if !app_version.is_empty() {
        app_version.clone_into(&mut chart.metadata.app_version);
    }
    check_dependencies(&chart)?;
    let failed = |wrong: String| format!("failed to save: {wrong}");
    let destination = match parsed.text("destination").unwrap_or(".") {
        "." => session.world.directory().to_owned(),
        typed => Path::new(typed).to_owned(),
    };
    let name = package::file_name(&chart);
    let file = clean(&destination.join(&name));
    let shown = file.to_string_lossy().into_owned();
    let directory = directory_of(session.world, &file).map_err(failed)?;
    let packed = package::pack(&chart, times, session.compat).map_err(|wrong| failed(wrong.into()))?;
    let signature = match parsed.is_on("sign") {
        true => Some(signing.sign(&chart.metadata, &name, &packed, parsed, session.world)?),
        false => None,
    };
    session.world.make_directory(&directory).map_err(failed)?;
    let system = session.world.system();
    let to = |path: &str| {
        let place = Destination::new(&session.world.path(path), &*system);
        place.map_err(|error| failed(error.into()))
    };
    let mut files = vec![(to(&shown)?, packed)];
    if let Some(signature) = signature {
        files.push((to(&format!("{shown}.prov"))?, signature));
    }
    output::write_all(&files, &*system).map_err(|error| failed(error.into()))?;
    Ok(shown)
}

/// Loads the chart in a directory with the times of its files.
pub(super) fn load(session: &mut Session<'_>, argument: &str, absolute: &str) -> Result<Chart, String> {
    let system = session.world.system();
    let modified = |path: &str| seconds(system.modified(&Path::new(absolute).join(path)).ok()?);
    let load = |request: &Request<'_>| chart::load_with_times(request, &modified);
    loading::load(session, argument, absolute, &SourceMap::new(), &load)
}

/// The nearest whole second, counted from 1970.
fn seconds(since: Duration) -> Option<i64> {
    let seconds = i64::try_from(since.as_secs()).ok()?;
    Some(seconds.saturating_add(i64::from(since.subsec_nanos() >= 500_000_000)))
}

/// All dependencies that Chart.yaml names must be there.
fn check_dependencies(chart: &Chart) -> Result<(), String> {
    let is_there = |name: &str| chart.dependencies.iter().any(|subchart| subchart.name() == name);
    let names = chart.metadata.dependencies.iter().map(|entry| entry.name.as_str());
    let missing: Vec<&str> = names.filter(|name| !is_there(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("found in Chart.yaml, but missing in charts/ directory: {}", missing.join(", ")))
}

/// The directory that an archive goes into, which may still have to be made.
fn directory_of(world: &World, file: &Path) -> Result<String, String> {
    let directory = match file.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory.to_string_lossy().into_owned(),
        _ => ".".to_owned(),
    };
    match world.stat(&directory) {
        Ok(stat) if !stat.is_directory() => Err(format!("is not a directory: {directory}")),
        _ => Ok(directory),
    }
}
