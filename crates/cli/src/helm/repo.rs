//! `helm repo`: the repositories that charts are fetched from, and the index of one's own.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use trueline_helm::chart::{self, Compat};
use trueline_helm::quote;
use trueline_helm::repository::{
    Form as IndexForm, Index, Repositories, Repository, address, read_index, rfc3339, sha256_text,
};
use trueline_source::{FileChange, Readers, SourceMap, make_directories};
use trueline_yaml::Value;

use super::command::{Arguments, Command, Group};
use super::flag::{Flag, FlagKind, Parsed};
use super::remote::{Notes, Remote, check_protocol, place};
use super::table::{self, Form};
use super::{Session, loading};
use crate::world::{World, clean, go_error};
use trueline_diagnostic::shown_address;

pub(super) const GROUP: Group =
    Group { name: "repo", aliases: &[], summary: "Add, list, update, remove and index chart repositories" };

const TIMEOUT: Flag = Flag::new("timeout", FlagKind::Duration, "how long a server may take (default 2m0s)");

pub(super) const ADD: Command = Command {
    name: "repo add",
    aliases: &[],
    usage: "[NAME] [URL]",
    summary: "Add a chart repository",
    description: "
Its index is fetched, and its name can be used wherever a chart is named: NAME/CHART. The password is kept in
repositories.yaml, which only its owner can read, and goes to the server of the repository only.
",
    arguments: |_| Arguments::Exactly(2),
    flags: |compat| {
        let mut flags = vec![
            Flag::text("username", "the user name"),
            Flag::text("password", "the password; --password-stdin keeps it out of the list of processes"),
            Flag::switch("password-stdin", "read the password from standard input"),
            Flag::switch("force-update", "replace the repository of that name"),
            Flag::text("cert-file", "the certificate to show to the server (PEM)"),
            Flag::text("key-file", "the key of that certificate (PEM)"),
            Flag::text("ca-file", "the authorities to trust, in place of the usual ones (PEM)"),
            Flag::switch("insecure-skip-tls-verify", "do not verify the certificate of the server"),
            Flag::switch("allow-deprecated-repos", "add repositories that are known to be gone"),
            Flag::switch(
                "pass-credentials",
                "send the credentials to all servers that charts are fetched from",
            ),
            TIMEOUT,
        ];
        if compat == Compat::Helm3 {
            flags.push(Flag::switch("no-update", "").hidden());
        }
        flags
    },
    exclusive: |_| &[],
    run: add,
};

pub(super) const LIST: Command = Command {
    name: "repo list",
    aliases: &["ls"],
    usage: "",
    summary: "List the repositories that were added",
    description: "
A name and password in an address are not shown.
",
    arguments: |_| Arguments::Exactly(0),
    flags: |compat| {
        let mut flags = vec![table::FLAG];
        if compat == Compat::Helm4 {
            flags.push(Flag::switch("no-headers", "leave out the names of the columns"));
        }
        flags
    },
    exclusive: |_| &[],
    run: list,
};

pub(super) const UPDATE: Command = Command {
    name: "repo update",
    aliases: &["up"],
    usage: "[REPO1 [REPO2 ...]]",
    summary: "Fetch the indexes of the repositories that were added",
    description: "
Without names, those of all repositories.
",
    arguments: |_| Arguments::AtLeast(0),
    flags: |compat| {
        let mut flags = vec![TIMEOUT];
        if compat == Compat::Helm3 {
            flags.push(Flag::switch(
                "fail-on-repo-update-fail",
                "fail if one of the indexes cannot be fetched",
            ));
        }
        flags
    },
    exclusive: |_| &[],
    run: update,
};

pub(super) const REMOVE: Command = Command {
    name: "repo remove",
    aliases: &["rm"],
    usage: "[REPO1 [REPO2 ...]]",
    summary: "Remove repositories that were added",
    description: "
Their cached indexes are removed too.
",
    arguments: |_| Arguments::AtLeast(1),
    flags: |_| Vec::new(),
    exclusive: |_| &[],
    run: remove,
};

pub(super) const INDEX: Command = Command {
    name: "repo index",
    aliases: &[],
    usage: "[DIR]",
    summary: "Write the index of the packed charts in a directory",
    description: "
The archives of the directory and of those directly below it are listed in DIR/index.yaml. The directory can then be
served as a repository by any web server.
",
    arguments: |_| Arguments::Exactly(1),
    flags: |_| {
        vec![
            Flag::text("url", "the address that the archives will have"),
            Flag::text("merge", "keep what this index lists and the directory does not have"),
            Flag::switch("json", "write JSON"),
        ]
    },
    exclusive: |_| &[],
    run: index,
};

/// Repositories that are gone, with what took their place.
const GONE: [(&str, &str); 2] = [
    ("//kubernetes-charts.storage.googleapis.com", "https://charts.helm.sh/stable"),
    ("//kubernetes-charts-incubator.storage.googleapis.com", "https://charts.helm.sh/incubator"),
];

fn add(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let [name, url] = parsed.arguments.as_slice() else {
        return Err("a name and a URL are needed".to_owned());
    };
    if !parsed.is_on("allow-deprecated-repos")
        && let Some((_, instead)) = GONE.iter().find(|(old, _)| url.contains(old))
    {
        return Err(format!(
            "repo {} is no longer available; try {} instead",
            quote(shown_address(url)),
            quote(instead)
        ));
    }
    let mut remote = remote(session, parsed);
    let file = session.world.path(&remote.paths.repositories);
    let _lock = lock(session.world, &file)?;
    let mut repositories = read(&remote, session.world)?;
    let mut repository = Repository {
        name: name.clone(),
        url: url.clone(),
        username: remote.options.username.clone(),
        password: remote.options.password.0.clone(),
        cert_file: remote.options.cert_file.clone(),
        key_file: remote.options.key_file.clone(),
        ca_file: remote.options.ca_file.clone(),
        insecure_skip_tls_verify: remote.options.insecure,
        pass_credentials_all: remote.options.pass_credentials,
    };
    if !repository.username.is_empty() && repository.password.is_empty() {
        repository.password = password(session, parsed)?;
    }
    if name.contains('/') {
        return Err(format!(
            "repository name ({name}) contains '/', please specify a different name without '/'"
        ));
    }
    if !parsed.is_on("force-update")
        && let Some(existing) = repositories.get(name)
    {
        if *existing != repository {
            return Err(format!("repository name ({name}) already exists, please specify a different name"));
        }
        let line = format!("{} already exists with the same configuration, skipping\n", quote(name));
        return session.world.tell(&line);
    }
    check_protocol(url)?;
    remote.update_index(&repository, session.world).map_err(|wrong| {
        let place = quote(shown_address(url));
        format!("looks like {place} is not a valid chart repository or cannot be reached: {wrong}")
    })?;
    repositories.update(repository);
    place(session.world, &file, repositories.to_yaml().as_bytes(), Readers::Owner)?;
    session.world.tell(&format!("{} has been added to your repositories\n", quote(name)))
}

/// The password: all of standard input, or what somebody types who is asked for it.
fn password(session: &mut Session<'_>, parsed: &Parsed) -> Result<String, String> {
    if !parsed.is_on("password-stdin") {
        let Some(ask) = session.world.ask else {
            return Err("no password was given; use --password-stdin, or --password".to_owned());
        };
        session.world.print(b"Password: ")?;
        return ask()
            .map_err(|error| format!("the password cannot be read: {}", trueline_source::plain(&error)));
    }
    let text =
        String::from_utf8_lossy(&session.world.read_stdin().map_err(|error| error.to_string())?).into_owned();
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

fn remote(session: &Session<'_>, parsed: &Parsed) -> Remote {
    let mut remote = Remote::new(parsed, session.compat, Notes::Stderr, session.world);
    if let Some(patience) = parsed.duration("timeout") {
        remote.options.patience = patience;
    }
    remote
}

fn read(remote: &Remote, world: &World) -> Result<Repositories, String> {
    match world.read_file(&remote.paths.repositories) {
        Ok(bytes) => Ok(Repositories::read(&bytes)?),
        Err(error) if error.is_missing() => Ok(Repositories::default()),
        Err(error) => Err(error.to_string()),
    }
}

/// Keeps other runs from changing the file at the same time: Helm looks at the same lock.
fn lock(world: &World, file: &Path) -> Result<Box<dyn Send>, String> {
    const PAUSE: Duration = Duration::from_millis(50);
    const MOST_PAUSES: u32 = 600;
    let path = file.with_extension("lock");
    let failed = |error: &io::Error| format!("open {}: {}", path.display(), go_error(error));
    let system = world.system();
    if let Some(parent) = path.parent() {
        make_directories(&*system, parent).map_err(|error| failed(&error))?;
    }
    for _ in 0..MOST_PAUSES {
        match system.lock(&path) {
            Ok(lock) => return Ok(lock),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(PAUSE),
            Err(error) => return Err(failed(&error)),
        }
    }
    Err(format!("{} is held by another run", path.display()))
}

fn list(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let remote = remote(session, parsed);
    let entries = remote.repositories(session.world).unwrap_or_default().entries;
    let form = Form::chosen(parsed);
    let text = match form {
        Form::Table if entries.is_empty() => {
            let words = "no repositories to show";
            if session.compat == Compat::Helm3 {
                return Err(words.to_owned());
            }
            session.world.complain(words);
            return Ok(());
        }
        Form::Table => {
            let head =
                if parsed.is_on("no-headers") { None } else { Some(["NAME", "URL"].map(str::to_owned)) };
            let rows = entries.iter().map(|entry| [entry.name.clone(), shown_address(&entry.url)]);
            let rows: Vec<Vec<String>> = head.into_iter().chain(rows).map(|row| row.to_vec()).collect();
            table::table(&rows, 0) + "\n"
        }
        form => {
            let entry = |entry: &Repository| -> Value {
                let fields = [("name", entry.name.clone()), ("url", shown_address(&entry.url))];
                fields.iter().map(|(name, text)| (*name, Value::from(text.as_str()))).collect()
            };
            table::list(&entries.iter().map(entry).collect(), form)
        }
    };
    session.world.print(text.as_bytes())
}

fn update(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let mut remote = remote(session, parsed);
    let none = "no repositories found. You must add one before updating";
    let file = remote.paths.repositories.clone();
    let repositories = remote
        .repositories(session.world)
        .map_err(|wrong| format!("failed loading file: {file}: {wrong}"))?;
    if repositories.entries.is_empty() {
        return Err(none.to_owned());
    }
    let names = &parsed.arguments;
    if let Some(unknown) = names.iter().find(|name| repositories.get(name).is_none()) {
        return Err(format!("no repositories found matching '{unknown}'.  Nothing will be updated"));
    }
    let wanted: Vec<&Repository> =
        repositories.entries.iter().filter(|entry| names.is_empty() || names.contains(&entry.name)).collect();
    for repository in &wanted {
        check_protocol(&repository.url)?;
    }
    let failed = fetch_all(session, &mut remote, &wanted)?;
    if !failed.is_empty() {
        let list = failed.join(" ");
        match session.compat {
            Compat::Helm4 => return Err(format!("failed to update the following repositories: [{list}]")),
            Compat::Helm3 if parsed.is_on("fail-on-repo-update-fail") => {
                return Err(format!("Failed to update the following repositories: [{list}]"));
            }
            Compat::Helm3 => {}
        }
    }
    session.world.print("Update Complete. ⎈Happy Helming!⎈\n".as_bytes())
}

/// Fetches indexes and says how it went; gives back the addresses of those that could not be had.
pub(super) fn fetch_all(
    session: &mut Session<'_>,
    remote: &mut Remote,
    repositories: &[&Repository],
) -> Result<Vec<String>, String> {
    session.world.print(b"Hang tight while we grab the latest from your chart repositories...\n")?;
    let mut failed = Vec::new();
    for repository in repositories {
        let name = quote(&repository.name);
        let line = match remote.update_index(repository, session.world) {
            Ok(_) => format!("...Successfully got an update from the {name} chart repository\n"),
            Err(wrong) => {
                let url = shown_address(&repository.url);
                let line = format!(
                    "...Unable to get an update from the {name} chart repository ({url}):\n\t{wrong}\n"
                );
                failed.push(url);
                line
            }
        };
        session.world.tell(&line)?;
    }
    Ok(failed)
}

fn remove(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let remote = remote(session, parsed);
    let file = session.world.path(&remote.paths.repositories);
    if remote.repositories(session.world).unwrap_or_default().entries.is_empty() {
        return Err("no repositories configured".to_owned());
    }
    let _lock = lock(session.world, &file)?;
    // Read once nobody else can write: what another run added meanwhile stays.
    let mut repositories = read(&remote, session.world)?;
    for name in &parsed.arguments {
        if !repositories.remove(name) {
            return Err(format!("no repo named {} found", quote(name)));
        }
        place(session.world, &file, repositories.to_yaml().as_bytes(), Readers::Owner)?;
        for cached in [remote.paths.charts(name), remote.paths.index(name)] {
            let gone = session.world.change(FileChange::RemoveFile(Path::new(&cached)));
            if let Err(error) = gone.as_ref()
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(format!("can't remove index file {cached}: {}", go_error(error)));
            }
        }
        session
            .world
            .print(format!("{} has been removed from your repositories\n", quote(name)).as_bytes())?;
    }
    Ok(())
}

fn index(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let typed = parsed.arguments.first().map(String::as_str).unwrap_or_default();
    let directory = clean(&session.world.path(typed));
    let form = if parsed.is_on("json") { IndexForm::Json } else { IndexForm::Yaml };
    let now = rfc3339(session.world.now());
    let mut index = Index::default();
    for archive in archives(session.world, &directory) {
        add_archive(session, &mut index, &directory, &archive, parsed.text_or_empty("url"), &now)?;
    }
    let merge = parsed.text_or_empty("merge");
    if !merge.is_empty() {
        let path = session.world.path(merge);
        if session.world.exists(&path) {
            let other = merged(session, merge).map_err(|wrong| format!("merge failed: {wrong}"))?;
            index.merge(other);
        } else {
            let empty = Index::default().to_text(form, &now);
            place(session.world, &path, empty.as_bytes(), Readers::Usual)?;
        }
    }
    index.sort();
    if !session.world.is_directory(&directory) {
        let file = directory.join("index.yaml");
        return Err(format!("open {}: no such file or directory", file.display()));
    }
    let text = index.to_text(form, &now);
    place(session.world, &directory.join("index.yaml"), text.as_bytes(), Readers::Usual)
}

fn merged(session: &mut Session<'_>, file: &str) -> Result<Index, String> {
    let bytes = session.world.read_file(file).map_err(|error| error.to_string())?;
    let mut log = Vec::new();
    let read = read_index(&bytes, file, &mut log);
    session.log_all(&log);
    read.map_err(|wrong| format!("error loading {file}: {wrong}"))
}

/// The archives of a directory, then those of the directories in it, by their names.
fn archives(world: &World, directory: &Path) -> Vec<PathBuf> {
    let sorted = |directory: &Path| {
        let names = world.names(directory).into_iter();
        let mut entries: Vec<PathBuf> = names.map(|name| directory.join(name)).collect();
        entries.sort();
        entries
    };
    let is_archive = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "tgz");
    let here = sorted(directory);
    let below =
        here.iter().filter(|path| world.is_directory(path)).flat_map(|path| sorted(path)).filter(is_archive);
    here.iter().filter(|path| is_archive(path)).cloned().chain(below).collect()
}

fn add_archive(
    session: &mut Session<'_>,
    index: &mut Index,
    directory: &Path,
    archive: &Path,
    base: &str,
    now: &str,
) -> Result<(), String> {
    let named = archive.to_string_lossy().into_owned();
    let sources = SourceMap::new();
    // What is no chart is left out, and nothing is said about it.
    let Ok(chart) = loading::load(session, &named, &named, &sources, &chart::load_plain) else {
        return Ok(());
    };
    let bytes = session.world.read_file(&named).map_err(|error| error.to_string())?;
    let inside = archive.strip_prefix(directory).unwrap_or(archive).to_string_lossy().into_owned();
    let (parent, file) = inside.rsplit_once('/').unwrap_or(("", &inside));
    let base = address::below(base, parent);
    index.add(chart.metadata, file, &base, sha256_text(&bytes), now);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_password_that_is_missing_is_asked_for_and_never_shown() {
        let place = tempfile::tempdir().unwrap();
        let add = |ask: Option<fn() -> std::io::Result<String>>| {
            let (mut world, stdout, stderr) = World::new(place.path().to_owned(), BTreeMap::new());
            world.ask = ask;
            let line = "repo add a http://127.0.0.1:9/charts --username me --repository-config r.yaml";
            let words: Vec<std::ffi::OsString> = line.split(' ').map(Into::into).collect();
            assert_eq!(crate::helm::run(&words, &mut world), 1);
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            (text(stdout.take()), text(stderr.take()))
        };
        let (asked, said) = add(Some(|| Ok("hunter2".to_owned())));
        assert_eq!(asked, "Password: ");
        assert!(said.contains("cannot be reached") && !said.contains("hunter2"), "{said}");
        let (asked, said) = add(None);
        assert_eq!(asked, "");
        assert!(said.contains("no password was given"), "{said}");
        let (_, said) = add(Some(|| Err(std::io::Error::other("the line is gone"))));
        assert!(said.contains("the password cannot be read: the line is gone"), "{said}");
    }

    #[test]
    fn what_another_run_adds_while_one_waits_to_remove_stays() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("r.yaml");
        let entry = |name: &str| format!("- name: {name}\n  url: http://127.0.0.1:9/{name}\n");
        let list = |names: &[&str]| {
            let entries: String = names.iter().map(|name| entry(name)).collect();
            format!("apiVersion: \"\"\ngenerated: \"0001-01-01T00:00:00Z\"\nrepositories:\n{entries}")
        };
        std::fs::write(&file, list(&["a", "b"])).unwrap();
        let world = World::new(place.path().to_owned(), BTreeMap::new()).0;
        let held = lock(&world, &file).unwrap();
        let directory = place.path().to_owned();
        let removing = std::thread::spawn(move || {
            let variables = BTreeMap::from([("HELM_REPOSITORY_CACHE".into(), "cache".into())]);
            let (mut world, _, stderr) = World::new(directory, variables);
            let words =
                ["repo", "remove", "a", "--repository-config", "r.yaml"].map(std::ffi::OsString::from);
            (crate::helm::run(&words, &mut world), String::from_utf8_lossy(&stderr.take()).into_owned())
        });
        // The other run has read the file by then, if it reads it before it has the lock.
        std::thread::sleep(Duration::from_millis(300));
        std::fs::write(&file, list(&["a", "b", "c"])).unwrap();
        drop(held);
        assert_eq!(removing.join().unwrap(), (0, String::new()));
        let kept = Repositories::read(&std::fs::read(&file).unwrap()).unwrap();
        let names: Vec<&str> = kept.entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
    }
}
