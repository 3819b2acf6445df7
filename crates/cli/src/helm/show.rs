//! `helm show`: what a chart says about itself.

use trueline_helm::chart::{self, Compat};
use trueline_helm::json_path::JsonPath;
use trueline_helm::log::{Level, LogLine};
use trueline_helm::quote;
use trueline_helm::show::{self, Part};
use trueline_source::SourceMap;

use super::command::{Arguments, Command, Group};
use super::flag::{Flag, Parsed};
use super::{Session, loading, location};

pub(super) const GROUP: Group =
    Group { name: "show", aliases: &["inspect"], summary: "Show what a chart says about itself" };

pub(super) const ALL: Command = command(
    "show all",
    "Show all there is to show of a chart",
    "
Chart.yaml, values.yaml, the README and the custom resource definitions, with `---` between them.
",
    |session, parsed| run(session, parsed, Part::All),
);

pub(super) const CHART: Command = command(
    "show chart",
    "Show the Chart.yaml of a chart",
    "
It is shown as Helm understands it: keys in order, unknown ones left out.
",
    |session, parsed| run(session, parsed, Part::Chart),
);

pub(super) const CRDS: Command = command(
    "show crds",
    "Show the custom resource definitions of a chart",
    "
The files of crds/, those of the subcharts as well.
",
    |session, parsed| run(session, parsed, Part::Crds),
);

pub(super) const README: Command = command(
    "show readme",
    "Show the README of a chart",
    "
README.md, README.txt or README, in any case of the letters.
",
    |session, parsed| run(session, parsed, Part::Readme),
);

pub(super) const VALUES: Command = Command {
    flags: |compat| {
        let mut flags = flags(compat);
        flags.push(Flag::text("jsonpath", "print only what a path finds, such as \"{.image.tag}\""));
        flags
    },
    ..command(
        "show values",
        "Show the values.yaml of a chart",
        "
The file as it stands, comments included.
",
        |session, parsed| run(session, parsed, Part::Values),
    )
};

const fn command(
    name: &'static str,
    summary: &'static str,
    description: &'static str,
    run: fn(&mut Session<'_>, &Parsed) -> Result<(), String>,
) -> Command {
    Command {
        name,
        aliases: &[],
        usage: "[CHART]",
        summary,
        description,
        arguments: |_| Arguments::Exactly(1),
        flags,
        exclusive: |_| &[],
        run,
    }
}

fn flags(_compat: Compat) -> Vec<Flag> {
    location::flags()
}

fn run(session: &mut Session<'_>, parsed: &Parsed, part: Part) -> Result<(), String> {
    let compat = session.compat;
    let version = match parsed.text_or_empty("version") {
        "" if parsed.is_on("devel") => ">0.0.0-0",
        version => version,
    };
    session.log(
        &LogLine::new(Level::Debug, "original chart version")
            .with("version", parsed.text_or_empty("version"))
            .in_helm3("show.go:214", format!("[debug] Original chart version: {}", quote(version))),
    );
    let argument = parsed.arguments.first().map(String::as_str).unwrap_or_default();
    let mut log = Vec::new();
    let path = location::locate(argument, parsed, compat, session.world, &mut log)?;
    session.log_all(&log);
    let sources = SourceMap::new();
    let chart = loading::load(session, argument, &path.to_string_lossy(), &sources, &chart::load_plain)?;
    let text = match parsed.text_or_empty("jsonpath") {
        "" => show::show(&chart, part, compat),
        path => {
            let read =
                JsonPath::parse(path).map_err(|wrong| format!("error parsing jsonpath {path}: {wrong}"))?;
            read.print(&chart.values).into_bytes()
        }
    };
    session.world.print(&text)
}
