//! `helm pull`: the archive of a chart into a directory, packed or unpacked.

use std::path::{Path, PathBuf};

use trueline_helm::chart::{self, Expanded};
use trueline_source::{FileChange, Readers, SourceMap, System, make_directories};

use super::command::{Arguments, Command};
use super::flag::{Flag, Parsed};
use super::remote::{Download, Notes, Provenance, Remote};
use super::{Session, location};
use crate::world::{clean, go_error};

pub(super) const COMMAND: Command = Command {
    name: "pull",
    aliases: &["fetch"],
    usage: "[chart URL | repo/chartname] [...]",
    summary: "Fetch charts from repositories and registries",
    description: "
A chart is named by the address of its archive, by repository/chart if the repository was added, by the name alone
with --repo, or by oci:// with the registry. The archive is checked against the sum that the index has, and is
written whole or not at all.
",
    arguments: |_| Arguments::AtLeast(1),
    flags: |_| {
        let mut flags = vec![
            Flag::switch("untar", "unpack the chart into a directory of its name"),
            Flag::text("untardir", "with --untar: the directory to unpack into"),
            Flag::text("destination", "the directory to write into").short('d'),
            Flag::switch("prov", "fetch the provenance file too, and do not verify it"),
        ];
        flags.extend(location::flags());
        flags
    },
    exclusive: |_| &[],
    run,
};

fn run(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let mut remote = Remote::new(parsed, session.compat, Notes::Stdout, session.world);
    for reference in &parsed.arguments {
        pull(session, parsed, &mut remote, reference)?;
    }
    Ok(())
}

fn pull(
    session: &mut Session<'_>,
    parsed: &Parsed,
    remote: &mut Remote,
    reference: &str,
) -> Result<(), String> {
    let version = match parsed.text_or_empty("version") {
        "" if parsed.is_on("devel") => ">0.0.0-0",
        version => version,
    };
    let destination = parsed.text("destination").unwrap_or(".").to_owned();
    let untar = parsed.is_on("untar").then(|| Unpacking::new(session, parsed, &destination, reference));
    let wants_provenance = parsed.is_on("prov") || parsed.is_on("verify");
    let provenance = if wants_provenance { Provenance::Wanted } else { Provenance::LeftOut };
    let world = &mut *session.world;
    let download = match parsed.text_or_empty("repo") {
        "" => remote.download(reference, version, provenance, world)?,
        repository => remote.download_from(repository, reference, version, provenance, world)?,
    };
    if let Some(verified) = location::verify(&download, parsed, session.world)? {
        session.world.tell(&verified.to_text())?;
    }
    if let Some(Err(wrong)) = &download.provenance {
        let line = format!(
            "WARNING: Verification not found for {}: {wrong}\n",
            trueline_diagnostic::shown_address(reference)
        );
        session.world.tell(&line)?;
    }
    match untar {
        Some(unpacking) => unpacking.run(session, &download),
        None => save(session, &download, &destination),
    }
}

fn save(session: &Session<'_>, download: &Download, destination: &str) -> Result<(), String> {
    let directory = session.world.path(destination);
    let shown = clean(&Path::new(destination).join(&download.name));
    let put = |name: &str, bytes: &[u8]| {
        let (path, readers) = (&directory.join(name), Readers::Usual);
        let written = session.world.change(FileChange::Write { path, bytes, readers });
        written.map_err(|error| format!("open {}: {}", shown.display(), go_error(&error)))
    };
    put(&download.name, &download.bytes)?;
    match &download.provenance {
        Some(Ok(provenance)) => put(&format!("{}.prov", download.name), provenance),
        _ => Ok(()),
    }
}

/// Where a chart is unpacked to.
struct Unpacking {
    directory: PathBuf,
    /// The directory as it was typed.
    typed: PathBuf,
    /// What Helm looks for there before it unpacks.
    claimed: PathBuf,
}

impl Unpacking {
    fn new(session: &Session<'_>, parsed: &Parsed, destination: &str, reference: &str) -> Self {
        let below = parsed.text("untardir").unwrap_or(".");
        let typed = clean(&Path::new(destination).join(below));
        let last = reference.rsplit('/').next().unwrap_or_default();
        let claimed = if typed == Path::new(".") { PathBuf::from(last) } else { typed.join(last) };
        Unpacking { directory: session.world.directory().join(&typed), typed, claimed }
    }

    fn run(&self, session: &mut Session<'_>, download: &Download) -> Result<(), String> {
        let taken = |path: &Path| {
            let name = path.display();
            Err(format!("failed to untar: a file or directory with the name {name} already exists"))
        };
        if session.world.exists(&self.claimed) {
            return taken(&self.claimed);
        }
        let expanded = chart::expand(&download.bytes, &download.name, &SourceMap::new(), session.compat);
        let Expanded { name, files } = expanded.map_err(|failure| failure.to_string())?;
        if session.world.exists(self.directory.join(&name)) {
            return taken(&self.typed.join(&name));
        }
        write(&*session.world.system(), &self.directory, &name, &files)
            .map_err(|error| format!("failed to untar (mkdir): {}", go_error(&error)))
    }
}

/// Writes the files of a chart into a new directory, which appears when all of them are there.
fn write(
    system: &dyn System,
    directory: &Path,
    name: &str,
    files: &[(String, Vec<u8>)],
) -> std::io::Result<()> {
    make_directories(system, directory)?;
    let mut number = [0; 8];
    system.random(&mut number);
    let temporary = directory.join(format!(".trueline-{:016x}", u64::from_le_bytes(number)));
    system.change(FileChange::MakeDirectory(&temporary))?;
    let written = write_inside(system, &temporary.join(name), files).and_then(|()| {
        system.change(FileChange::Rename { from: &temporary.join(name), to: &directory.join(name) })
    });
    // Nothing is left of what was not finished; otherwise the directory is empty.
    let gone = system.change(FileChange::RemoveTree(&temporary));
    written.and(gone)
}

fn write_inside(system: &dyn System, inside: &Path, files: &[(String, Vec<u8>)]) -> std::io::Result<()> {
    system.change(FileChange::MakeDirectory(inside))?;
    for (path, bytes) in files {
        // Paths were checked when the archive was read: none leaves it.
        let path = inside.join(path);
        if let Some(parent) = path.parent() {
            make_directories(system, parent)?;
        }
        system.change(FileChange::Write { path: &path, bytes, readers: Readers::Usual })?;
    }
    Ok(())
}
