//! `helm schema infer|bundle|docs`: the schema of a chart's values, made, put into one text, and told as a table.
//! Helm has no such commands.

use std::path::PathBuf;
use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Outcome, Unit};
use trueline_helm::chart::{self, Chart};
use trueline_helm::quote;
use trueline_helm::schema::{self, SchemaAccess};
use trueline_helm::values_schema::{
    self, Dialect, InferOptions, Inferred, Order, Subcharts, UnknownKeys, json_text,
};
use trueline_report::Format;
use trueline_source::SourceMap;

use super::command::{Arguments, Command, Group};
use super::flag::{Flag, Parsed};
use super::{Session, loading, location};
use crate::output::{self, Destination};

pub(super) const GROUP: Group = Group {
    name: "schema",
    aliases: &[],
    summary: "Make, bundle and document the schema of a chart's values",
};

/// The file of a chart's schema.
const FILE: &str = "values.schema.json";

pub(super) const INFER: Command = Command {
    name: "schema infer",
    aliases: &[],
    usage: "CHART",
    summary: "Make a values.schema.json from values.yaml",
    description: "
Types and defaults come from values.yaml, descriptions from its comments: plain ones above a key, `# -- text`,
`# key -- text` and `## @param key text`. Annotations say more: a block of YAML between two lines `# @schema`, or a
list in one line, `# @schema type:[string, null]; minimum:1`. Keys of subcharts come from those in charts/. A value
that is null may become anything. The schema is printed, unless --write or --output is given.
",
    arguments: |_| Arguments::Exactly(1),
    flags: |_| {
        let mut flags = vec![
            Flag::text("draft", "the draft that the schema is written in: 2020-12 (default) or 7"),
            Flag::switch(
                "no-additional-properties",
                "refuse keys that values.yaml does not have; maps that are empty there stay open",
            ),
            Flag::switch("no-dependencies", "say nothing about the values of subcharts"),
        ];
        flags.extend(WRITING);
        flags
    },
    exclusive: |_| &[&["write", "output"]],
    run: infer,
};

pub(super) const BUNDLE: Command = Command {
    name: "schema bundle",
    aliases: &[],
    usage: "CHART",
    summary: "Put values.schema.json and all that it refers to into one text",
    description: "
References to other files, to prefixes of schema-dependencies.json and to addresses become references to definitions
inside of the schema, which gives the same verdicts. The schema is printed, unless --write or --output is given. With
--write --force the schema that it was made from is kept as values.schema.json.orig.
",
    arguments: |_| Arguments::Exactly(1),
    flags: |_| WRITING.to_vec(),
    exclusive: |_| &[&["write", "output"]],
    run: bundle,
};

pub(super) const DOCS: Command = Command {
    name: "schema docs",
    aliases: &[],
    usage: "CHART",
    summary: "Write the values of a chart as a table in Markdown",
    description: "
The columns are key, type, default and description, from values.yaml, its comments and values.schema.json. A map that
is described has a row of its own, and keys below it only if they are described too. `# @section -- NAME` puts a key
into a table of its own, `# @default -- TEXT` replaces its default, `# @ignored` leaves it out.
",
    arguments: |_| Arguments::Exactly(1),
    flags: |_| {
        vec![
            Flag::text("sort-values-order", "the order of the rows: alphanum (default) or file"),
            OUTPUT,
            FORCE,
        ]
    },
    exclusive: |_| &[],
    run: docs,
};

const OUTPUT: Flag = Flag::text("output", "write into this file").short('o');
const FORCE: Flag = Flag::switch("force", "replace a file that is there");
const WRITING: [Flag; 3] =
    [Flag::switch("write", "write the chart's values.schema.json").short('w'), OUTPUT, FORCE];

fn infer(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let options = InferOptions {
        dialect: match parsed.text_or_empty("draft") {
            "" | "2020-12" | "2020" => Dialect::Draft202012,
            "7" | "07" | "draft-07" => Dialect::Draft7,
            other => return Err(format!("unknown draft {}: use 2020-12 or 7", quote(other))),
        },
        unknown_keys: match parsed.is_on("no-additional-properties") {
            true => UnknownKeys::Refused,
            false => UnknownKeys::Allowed,
        },
        subcharts: if parsed.is_on("no-dependencies") { Subcharts::Named } else { Subcharts::Described },
    };
    let chosen = choose(session, parsed)?;
    let Inferred { text, warnings } = values_schema::infer(&chosen.chart, &options, &chosen.access)
        .map_err(|findings| tell(session, &chosen, &findings, ANNOTATIONS))?;
    if !warnings.is_empty() {
        tell(session, &chosen, &warnings, "");
    }
    finish(session, parsed, &chosen, &text)
}

fn bundle(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let chosen = choose(session, parsed)?;
    let mut refuse =
        |findings: &[Diagnostic]| tell(session, &chosen, findings, "the schema cannot be put into one text");
    let bundled = match schema::outline(&chosen.chart, &chosen.access) {
        None => return Err(format!("the chart {} has no {FILE}", quote(chosen.chart.name()))),
        Some(Err(error)) => match error.diagnostics() {
            [] => return Err(error.to_string()),
            findings => return Err(refuse(findings)),
        },
        Some(Ok(outline)) => outline.bundle().map_err(|findings| refuse(&findings))?,
    };
    let text = json_text(&bundled);
    if parsed.is_on("write") && parsed.is_on("force") {
        keep_source(session, &chosen, &text)?;
    }
    finish(session, parsed, &chosen, &text)
}

/// Keeps the schema that is about to be replaced by what was made of it: nobody could take it apart again.
fn keep_source(session: &mut Session<'_>, chosen: &Chosen, text: &str) -> Result<(), String> {
    let source = chosen.chart.schema.as_ref().map(|file| &file.data[..]).unwrap_or_default();
    if source == text.as_bytes() {
        return Ok(());
    }
    let kept = format!("{FILE}.orig");
    let path = chosen.path.join(&kept);
    if session.world.exists(&path) {
        return Err(format!("{kept} is there already: it is the copy of a schema that was bundled before"));
    }
    let system = session.world.system();
    output::write_all(&[(Destination::new(&path, &*system)?, source)], &*system)?;
    session.world.complain(&format!("the {FILE} that was there is kept as {kept}"));
    Ok(())
}

fn docs(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let order = match parsed.text_or_empty("sort-values-order") {
        "" | "alphanum" => Order::ByKey,
        "file" => Order::AsWritten,
        other => return Err(format!("unknown order {}: use alphanum or file", quote(other))),
    };
    let chosen = choose(session, parsed)?;
    let text = values_schema::table(&chosen.chart, order, &chosen.access)
        .map_err(|findings| tell(session, &chosen, &findings, ANNOTATIONS))?;
    finish(session, parsed, &chosen, &text)
}

/// Why nothing came of it.
const ANNOTATIONS: &str = "annotations of values.yaml cannot be read";

/// A chart that was named, and what its schemas may use.
struct Chosen {
    argument: String,
    path: PathBuf,
    chart: Chart,
    access: SchemaAccess,
}

fn choose(session: &mut Session<'_>, parsed: &Parsed) -> Result<Chosen, String> {
    let argument = parsed.arguments.first().map(String::as_str).unwrap_or_default();
    let path = location::locate_plainly(argument, parsed, session.world)?;
    if parsed.is_on("write") && !session.world.is_directory(&path) {
        return Err("--write needs the directory of a chart, not an archive".to_owned());
    }
    let sources = Arc::new(SourceMap::new());
    let chart = loading::load(session, argument, &path.to_string_lossy(), &sources, &chart::load)?;
    let network = session.settings.network;
    let access = SchemaAccess { sources, fetch: Some(session.world.network(network)), network };
    Ok(Chosen { argument: argument.to_owned(), path, chart, access })
}

/// Prints the output, or writes it to the file that was asked for.
fn finish(session: &mut Session<'_>, parsed: &Parsed, chosen: &Chosen, text: &str) -> Result<(), String> {
    let (path, shown) = match parsed.text_or_empty("output") {
        "" if parsed.is_on("write") => (chosen.path.join(FILE), FILE.to_owned()),
        "" | "-" => return session.world.print(text.as_bytes()),
        typed => (session.world.path(typed), typed.to_owned()),
    };
    if session.world.is_file(&path) && !parsed.is_on("force") {
        return Err(format!("{shown} is there already; --force replaces it"));
    }
    let system = session.world.system();
    Ok(output::write_all(&[(Destination::new(&path, &*system)?, text)], &*system)?)
}

/// Says what was found, and gives back the sentence that the run ends with.
fn tell(session: &mut Session<'_>, chosen: &Chosen, findings: &[Diagnostic], end: &str) -> String {
    let sources = &chosen.access.sources;
    let mut findings = findings.to_vec();
    trueline_analysis::hide_secrets(&mut findings, &[], sources);
    let unit = Unit { name: chosen.argument.clone(), kind: "chart", findings, ..Unit::default() };
    let outcome = Outcome { units: vec![unit], ..Outcome::default() };
    let options = trueline_report::Options::default();
    let text = trueline_report::render(Format::Human, outcome, sources, &options);
    session.world.complain(text.trim_end());
    end.to_owned()
}
