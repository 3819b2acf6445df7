//! `helm search repo`: charts by the words of their descriptions, in the indexes that were fetched before.

use std::sync::Arc;

use trueline_helm::chart::Compat;
use trueline_helm::log::{Level, LogLine};
use trueline_helm::quote;
use trueline_helm::repository::{Index, SearchHit, Term, Versions, search};
use trueline_yaml::Value;

use super::Session;
use super::command::{Arguments, Command, Group};
use super::flag::{Flag, FlagKind, Parsed};
use super::remote::{Notes, Remote};
use super::table::{self, Form};

pub(super) const GROUP: Group = Group { name: "search", aliases: &[], summary: "Look for charts" };

pub(super) const REPO: Command = Command {
    name: "search repo",
    aliases: &[],
    usage: "[keyword]",
    summary: "Look for charts in the repositories that were added",
    description: "
Nothing is fetched: the indexes are those of the last `repo add` or `repo update`. The newest version of each chart
that is no pre-release is shown. A chart whose latest version is deprecated is shown as DEPRECATED.
",
    arguments: |_| Arguments::AtLeast(0),
    flags: |_| {
        vec![
            Flag::switch("regexp", "take the keyword for a pattern").short('r'),
            Flag::switch("versions", "show every version of each chart").short('l'),
            Flag::switch("devel", "look at pre-releases too, as with --version '>0.0.0-0'"),
            Flag::text("version", "look only at versions that satisfy a constraint"),
            Flag::new("max-col-width", FlagKind::Integer, "the widest that a column may be (default 50)"),
            Flag::switch("fail-on-no-result", "fail if nothing is found"),
            table::FLAG,
        ]
    },
    exclusive: |_| &[],
    run,
};

fn run(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let indexes = indexes(session, parsed)?;
    let words = parsed.arguments.join(" ");
    let term = match (words.as_str(), parsed.is_on("regexp")) {
        _ if parsed.arguments.is_empty() => Term::All,
        (words, true) => Term::Pattern(words),
        (words, false) => Term::Text(words),
    };
    let constraint = match parsed.text_or_empty("version") {
        "" if parsed.is_on("devel") => ">0.0.0-0",
        "" => ">0.0.0",
        version => version,
    };
    let versions = if parsed.is_on("versions") { Versions::All } else { Versions::Newest };
    let found = search(&indexes, term, versions, constraint)?;
    if found.is_empty() && parsed.is_on("fail-on-no-result") {
        return Err("no results found".to_owned());
    }
    let form = Form::chosen(parsed);
    let text = match form {
        Form::Table if found.is_empty() => "No results found\n".to_owned(),
        Form::Table => {
            let widest = parsed.text("max-col-width").and_then(|width| width.parse().ok()).unwrap_or(50);
            let head = ["NAME", "CHART VERSION", "APP VERSION", "DESCRIPTION"].map(str::to_owned).to_vec();
            let rows: Vec<Vec<String>> = std::iter::once(head).chain(found.iter().map(row)).collect();
            table::table(&rows, widest) + "\n"
        }
        form => table::list(&found.iter().map(entry).collect(), form),
    };
    session.world.print(text.as_bytes())
}

/// The cached indexes of all repositories; what cannot be read is said and left out.
fn indexes(session: &mut Session<'_>, parsed: &Parsed) -> Result<Vec<(String, Arc<Index>)>, String> {
    let mut remote = Remote::new(parsed, session.compat, Notes::Stderr, session.world);
    let repositories = remote.repositories(session.world).unwrap_or_default();
    if repositories.entries.is_empty() {
        return Err("no repositories configured".to_owned());
    }
    let mut indexes = Vec::new();
    for repository in &repositories.entries {
        let name = repository.name.as_str();
        match remote.cached_index(name, session.world) {
            Ok(index) => indexes.push((name.to_owned(), index)),
            Err(wrong) => match session.compat {
                Compat::Helm4 => session.log(
                    &LogLine::new(Level::Warn, "repo is corrupt or missing")
                        .with("repo", name)
                        .with("error", wrong),
                ),
                Compat::Helm3 => {
                    let advice = "Try 'helm repo update'.";
                    session
                        .world
                        .complain(&format!("WARNING: Repo {} is corrupt or missing. {advice}", quote(name)));
                    session.world.complain(&format!("WARNING: {wrong}"));
                }
            },
        }
    }
    Ok(indexes)
}

fn name(found: &SearchHit<'_>) -> String {
    format!("{}/{}", found.repository, found.name)
}

fn row(found: &SearchHit<'_>) -> Vec<String> {
    let metadata = &found.version.metadata;
    let description = if found.deprecated && !metadata.description.to_lowercase().contains("deprecated") {
        format!("DEPRECATED {}", metadata.description)
    } else {
        metadata.description.clone()
    };
    vec![name(found), metadata.version.clone(), metadata.app_version.clone(), description]
}

fn entry(found: &SearchHit<'_>) -> Value {
    let metadata = &found.version.metadata;
    let mut fields = vec![
        ("name", Value::from(name(found).as_str())),
        ("version", Value::from(metadata.version.as_str())),
        ("app_version", Value::from(metadata.app_version.as_str())),
        ("description", Value::from(metadata.description.as_str())),
    ];
    if found.deprecated {
        fields.push(("deprecated", Value::from(true)));
    }
    fields.into_iter().collect()
}
