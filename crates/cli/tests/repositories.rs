//! Charts from repositories: every command that fetches, against servers that misbehave.

mod support;

use std::collections::BTreeSet;
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use support::{Ran, Request, Sandbox, promise, run, say, serve_requests};

/// A chart `web` of version 1.2.3.
const ARCHIVE: &[u8] = include_bytes!("data/web-1.2.3.tgz");
const SUM: &str = "d76a054cee300ce2ecef5e4f8d0db689346df1001f204af29c9b953256026e69";

/// How a server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Well,
    Slow,
    Truncated,
    Missing,
    Broken,
    WebPage,
    Loop,
    Redirect,
    WrongSum,
    Login,
}

impl Mode {
    /// What is said about an index that is answered so; nothing if it is as good as any.
    fn words(self) -> Option<&'static str> {
        Some(match self {
            Mode::Well | Mode::Redirect => return None,
            Mode::Slow => "context deadline exceeded",
            Mode::Truncated => "unexpected EOF",
            Mode::Missing => "404 Not Found",
            Mode::Broken => "500 Internal Server Error",
            Mode::WebPage => "the server answered with a web page (HTML) (TL1102)",
            Mode::Loop => "stopped after 10 redirects",
            Mode::WrongSum => "is not the one that the index names",
            Mode::Login => "401 Unauthorized",
        })
    }
}

fn index(sum: &str) -> String {
    format!(
        "apiVersion: v1\nentries:\n  web:\n  - {{name: web, version: 1.2.3, apiVersion: v2, description: Serves pages, \
         urls: [web-1.2.3.tgz], digest: {sum}}}\n  - {{name: web, version: 1.1.0, apiVersion: v2, urls: \
         [web-1.1.0.tgz]}}\n  old:\n  - {{name: old, version: 1.0.0, apiVersion: v2, deprecated: true, description: \
         Nobody looks after it, urls: [web-1.2.3.tgz]}}\n"
    )
}

/// The path and the `Authorization` header of each request.
type Seen = Arc<Mutex<Vec<(String, Option<String>)>>>;

/// A repository whose index and archives are answered in a way that can be changed.
struct Shop {
    base: String,
    modes: Arc<Mutex<(Mode, Mode)>>,
    seen: Seen,
}

impl Shop {
    fn new(index: Mode, archive: Mode) -> Self {
        let modes = Arc::new(Mutex::new((index, archive)));
        let seen = Seen::default();
        let (shared, log) = (Arc::clone(&modes), Arc::clone(&seen));
        let base = serve_requests(move |request, stream| {
            let authorization = request.header("authorization").map(str::to_owned);
            log.lock().unwrap().push((request.path().to_owned(), authorization));
            let (index, archive) = *shared.lock().unwrap();
            answer(request, stream, index, archive);
        });
        Shop { base, modes, seen }
    }

    fn set(&self, index: Mode, archive: Mode) {
        *self.modes.lock().unwrap() = (index, archive);
    }

    fn seen(&self) -> Vec<(String, Option<String>)> {
        self.seen.lock().unwrap().clone()
    }
}

fn answer(request: &Request, stream: &mut TcpStream, index_mode: Mode, archive_mode: Mode) {
    let path = request.path();
    let is_index = path.ends_with("index.yaml");
    let mode = if is_index { index_mode } else { archive_mode };
    let sum = if index_mode == Mode::WrongSum { format!("f{}", "0".repeat(63)) } else { SUM.to_owned() };
    let body = if is_index { index(&sum).into_bytes() } else { ARCHIVE.to_vec() };
    match mode {
        Mode::Well | Mode::WrongSum => say(stream, "200 OK", "", body),
        Mode::Slow => thread::sleep(Duration::from_secs(8)),
        Mode::Truncated => promise(stream, "200 OK", "", &body[..body.len() / 2], body.len()),
        Mode::Missing => say(stream, "404 Not Found", "", ""),
        Mode::Broken => say(stream, "500 Internal Server Error", "", "boom"),
        Mode::WebPage => say(stream, "200 OK", "Content-Type: text/html\r\n", "<html><p>Log in</p></html>"),
        Mode::Loop => say(stream, "302 Found", &format!("Location: {path}\r\n"), ""),
        Mode::Redirect if path.contains("moved") => say(stream, "200 OK", "", body),
        Mode::Redirect => say(stream, "302 Found", &format!("Location: /moved{path}\r\n"), ""),
        Mode::Login if request.header("authorization") == Some("Basic bWU6aHVudGVyMg==") => {
            say(stream, "200 OK", "", body);
        }
        Mode::Login => say(stream, "401 Unauthorized", "WWW-Authenticate: Basic\r\n", ""),
    }
}

/// A sandbox with a home of its own.
struct Home(Sandbox);

impl Home {
    fn new() -> Self {
        Home(Sandbox::new())
    }

    /// A home with a chart that depends on `web` of a repository.
    fn with_chart(repository: &str) -> Self {
        let home = Home::new();
        home.0.file(
            "c/Chart.yaml",
            format!(
                "apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies:\n- {{name: web, version: 1.2.x, repository: \
                 '{repository}'}}\n"
            ),
        );
        home
    }

    fn helm(&self, arguments: &[&str]) -> Ran {
        self.helm_with_stdin(arguments, "")
    }

    fn helm_with_stdin(&self, arguments: &[&str], stdin: &str) -> Ran {
        let mut command = self.0.command(&[&["helm"], arguments].concat());
        for name in
            ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME", "DOCKER_CONFIG", "XDG_CONFIG_HOME"]
        {
            command.env_remove(name);
        }
        command.env("HOME", self.0.path("home")).env("TRUELINE_TIMEOUT", "2");
        run(&mut command, stdin.as_bytes())
    }

    #[track_caller]
    fn must(&self, arguments: &[&str]) -> Ran {
        let ran = self.helm(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
        ran
    }

    /// Empties the cache of archives, so that they are fetched again.
    fn forget_archives(&self) {
        std::fs::remove_dir_all(self.0.path("home/.cache/helm/content")).unwrap();
    }

    /// All files, without those that a failed run may leave: cached indexes and the lock.
    fn files(&self) -> BTreeSet<String> {
        let root = self.0.path("");
        let mut found = BTreeSet::new();
        let mut open = vec![root.clone()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    found.insert(shown(&root, &path));
                }
            }
        }
        found.retain(|path| {
            !path.ends_with("-index.yaml")
                && !path.ends_with("-charts.txt")
                && !path.ends_with("repositories.lock")
        });
        found
    }
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap().to_string_lossy().into_owned()
}

/// A command that fetches: how it is called, what must be there before, and whether it fetches archives.
struct Fetching {
    name: &'static str,
    /// The last ones go into the same run; `@` stands for the address of the repository.
    before: &'static [&'static [&'static str]],
    call: &'static [&'static str],
    fetches_archive: bool,
    /// Whether it goes on with the index that was fetched before.
    has_index: bool,
}

const COMMANDS: &[Fetching] = &[
    Fetching {
        name: "repo add",
        before: &[],
        call: &["repo", "add", "r", "@"],
        fetches_archive: false,
        has_index: false,
    },
    Fetching {
        name: "repo update",
        before: &[&["repo", "add", "r", "@"]],
        call: &["repo", "update"],
        fetches_archive: false,
        has_index: false,
    },
    Fetching {
        name: "dependency update",
        before: &[],
        call: &["dependency", "update", "c"],
        fetches_archive: true,
        has_index: false,
    },
    Fetching {
        name: "dependency build",
        before: &[&["repo", "add", "r", "@"], &["dependency", "update", "c"], &["rm"]],
        call: &["dependency", "build", "c"],
        fetches_archive: true,
        has_index: true,
    },
    Fetching {
        name: "pull --repo",
        before: &[],
        call: &["pull", "web", "--repo", "@"],
        fetches_archive: true,
        has_index: false,
    },
    Fetching {
        name: "pull --untar",
        before: &[],
        call: &["pull", "web", "--repo", "@", "--untar"],
        fetches_archive: true,
        has_index: false,
    },
    Fetching {
        name: "template --repo",
        before: &[],
        call: &["template", "x", "web", "--repo", "@"],
        fetches_archive: true,
        has_index: false,
    },
    Fetching {
        name: "template --dependency-update",
        before: &[],
        call: &["template", "x", "c", "--dependency-update"],
        fetches_archive: true,
        has_index: false,
    },
    Fetching {
        name: "show",
        before: &[],
        call: &["show", "chart", "web", "--repo", "@"],
        fetches_archive: true,
        has_index: false,
    },
];

/// Runs every command against a server that answers in one way.
#[track_caller]
fn check_all(index_mode: Mode, archive_mode: Mode) {
    thread::scope(|scope| {
        for command in COMMANDS {
            scope.spawn(move || check_one(command, index_mode, archive_mode));
        }
    });
}

fn check_one(command: &Fetching, index_mode: Mode, archive_mode: Mode) {
    let shop = Shop::new(Mode::Well, Mode::Well);
    let home = Home::with_chart(&shop.base);
    let line = |words: &[&'static str]| -> Vec<String> {
        words.iter().map(|word| if *word == "@" { shop.base.clone() } else { (*word).to_owned() }).collect()
    };
    for words in command.before {
        if *words == ["rm"] {
            std::fs::remove_dir_all(home.0.path("c/charts")).unwrap();
            home.forget_archives();
            continue;
        }
        let line = line(words);
        home.must(&line.iter().map(String::as_str).collect::<Vec<_>>());
    }
    shop.set(index_mode, archive_mode);
    let before = home.files();
    let line = line(command.call);
    let ran = home.helm(&line.iter().map(String::as_str).collect::<Vec<_>>());
    let what = format!("{} against {index_mode:?} {archive_mode:?}: {ran:?}", command.name);
    let words = match (index_mode, command.fetches_archive) {
        // A wrong sum is noticed when the archive is there.
        (Mode::WrongSum, false) => None,
        (mode, true) => mode.words().or(archive_mode.words()),
        (mode, false) => mode.words(),
    };
    match words {
        None => assert_eq!(ran.code, Some(0), "{what}"),
        Some(words) if command.has_index && archive_mode == Mode::Well && index_mode != Mode::WrongSum => {
            assert_eq!(ran.code, Some(0), "{what}");
            assert!(ran.stdout.contains(words), "{what}");
        }
        Some(words) => {
            assert_eq!(ran.code, Some(1), "{what}");
            assert!(format!("{}{}", ran.stdout, ran.stderr).contains(words), "{what}");
            assert_eq!(home.files(), before, "{what}");
        }
    }
    let leftover = home.files().into_iter().find(|file| file.contains(".trueline-"));
    assert_eq!(leftover, None, "{what}");
}

macro_rules! faults {
    ($($name:ident: $index:ident $archive:ident;)*) => {
        $(
            #[test]
            fn $name() {
                check_all(Mode::$index, Mode::$archive);
            }
        )*
    };
}

faults! {
    all_is_well: Well Well;
    the_index_redirects: Redirect Well;
    the_archive_redirects: Well Redirect;
    the_index_is_slow: Slow Well;
    the_archive_is_slow: Well Slow;
    the_index_is_cut_off: Truncated Well;
    the_archive_is_cut_off: Well Truncated;
    the_index_is_missing: Missing Well;
    the_archive_is_missing: Well Missing;
    the_server_breaks_over_the_index: Broken Well;
    the_server_breaks_over_the_archive: Well Broken;
    the_index_is_a_web_page: WebPage Well;
    the_archive_is_a_web_page: Well WebPage;
    the_index_redirects_forever: Loop Well;
    the_archive_redirects_forever: Well Loop;
    the_sum_is_another: WrongSum Well;
    the_index_needs_a_password: Login Well;
    the_archive_needs_a_password: Well Login;
}

#[test]
fn what_was_fetched_is_used() {
    let shop = Shop::new(Mode::Well, Mode::Well);
    let home = Home::with_chart("@r");
    let base = shop.base.as_str();
    assert_eq!(home.must(&["repo", "add", "r", base]).stdout, "\"r\" has been added to your repositories\n");
    assert_eq!(
        home.must(&["dependency", "update", "c"]).stdout,
        format!(
            "Hang tight while we grab the latest from your chart repositories...\n...Successfully got an update from \
             the \"r\" chart repository\nUpdate Complete. ⎈Happy Helming!⎈\nSaving 1 charts\nDownloading web from repo \
             {base}\nDeleting outdated charts\n"
        )
    );
    let lock = home.0.read("c/Chart.lock");
    assert!(
        lock.starts_with(&format!(
            "dependencies:\n- name: web\n  repository: {base}\n  version: 1.2.3\ndigest: sha256:"
        )),
        "{lock}"
    );
    assert_eq!(
        home.must(&["dependency", "list", "c"]).stdout,
        "NAME\tVERSION\tREPOSITORY\tSTATUS\nweb \t1.2.x  \t@r        \tok    \n\n"
    );
    assert_eq!(
        home.must(&["template", "x", "c"]).stdout,
        "---\n# Source: c/charts/web/templates/x.yaml\na: 1\n"
    );
    home.must(&["pull", "r/web", "--untar", "--untardir", "out"]);
    assert_eq!(home.0.read("out/web/templates/x.yaml"), "a: {{ 1 }}\n");
    let again = home.helm(&["pull", "r/web", "--untar", "--untardir", "out"]);
    assert_eq!(
        again.stderr,
        "Error: failed to untar: a file or directory with the name out/web already exists\n"
    );
    assert_eq!(
        home.must(&["search", "repo"]).stdout,
        "NAME \tCHART VERSION\tAPP VERSION\tDESCRIPTION                     \nr/old\t1.0.0        \t           \t\
         DEPRECATED Nobody looks after it\nr/web\t1.2.3        \t           \tServes pages                    \n"
    );
    assert_eq!(
        home.must(&["search", "repo", "pages", "-o", "json"]).stdout,
        "[{\"name\":\"r/web\",\"version\":\"1.2.3\",\"app_version\":\"\",\"description\":\"Serves pages\"}]\n"
    );
    assert_eq!(
        home.must(&["repo", "list"]).stdout,
        format!("NAME\tURL{}\nr   \t{base}\n", " ".repeat(base.len() - 3))
    );
    assert_eq!(home.must(&["repo", "remove", "r"]).stdout, "\"r\" has been removed from your repositories\n");
    assert_eq!(home.helm(&["search", "repo"]).stderr, "Error: no repositories configured\n");
}

#[test]
fn a_failed_update_leaves_the_charts_as_they_were() {
    let shop = Shop::new(Mode::Well, Mode::Well);
    let home = Home::with_chart(&shop.base);
    home.must(&["dependency", "update", "c"]);
    home.0.file("c/charts/before-1.0.0.tgz", ARCHIVE).file("c/charts/_notes", "mine");
    let (lock, before) = (home.0.read("c/Chart.lock"), home.files());
    home.0.file(
        "c/Chart.yaml",
        format!(
            "apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies:\n- {{name: web, version: 1.2.3, repository: \
             '{base}'}}\n- {{name: web, alias: b, version: 1.1.0, repository: '{base}'}}\n",
            base = shop.base
        ),
    );
    let ran = home.helm(&["dependency", "update", "c"]);
    // The archive of 1.1.0 holds 1.2.3.
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("the archive holds web 1.2.3, and not web 1.1.0 (TL1105)"), "{ran:?}");
    assert_eq!((home.files(), home.0.read("c/Chart.lock")), (before, lock));
}

#[test]
fn a_deprecated_dependency_is_warned_about() {
    let shop = Shop::new(Mode::Well, Mode::Well);
    let home = Home::new();
    home.0.file(
        "c/Chart.yaml",
        format!(
            "apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies:\n- {{name: old, version: 1.x, repository: '{}'}}\n",
            shop.base
        ),
    );
    let ran = home.helm(&["dependency", "update", "c"]);
    let warning = format!(
        "WARNING: the dependency \"old\" is deprecated: so says its latest version 1.0.0 in {} (TL1104)",
        shop.base
    );
    assert!(ran.stderr.starts_with(&warning), "{ran:?}");
}

#[test]
fn nothing_is_fetched_offline() {
    let shop = Shop::new(Mode::Well, Mode::Well);
    let home = Home::with_chart(&shop.base);
    for command in COMMANDS.iter().filter(|command| command.before.is_empty()) {
        let line: Vec<&str> =
            command.call.iter().map(|word| if *word == "@" { shop.base.as_str() } else { word }).collect();
        let ran = home.helm(&[&line[..], &["--offline"]].concat());
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains("(TL1103)"), "{}: {ran:?}", command.name);
    }
    assert_eq!(shop.seen(), []);
    home.must(&["repo", "add", "r", &shop.base]);
    home.must(&["template", "x", "r/web"]);
    let requests = shop.seen().len();
    assert_eq!(
        home.must(&["template", "x", "r/web", "--offline"]).stdout,
        "---\n# Source: web/templates/x.yaml\na: 1\n"
    );
    assert_eq!(home.must(&["search", "repo", "web", "--offline"]).code, Some(0));
    assert_eq!(shop.seen().len(), requests, "the cache has what is needed");
}

#[test]
fn what_was_fetched_is_used_offline() {
    let rendered = "---\n# Source: web/templates/x.yaml\na: 1\n";
    for before in [&["pull", "r/web"][..], &["pull", "web", "--repo", "@"], &["dependency", "update", "c"]] {
        let shop = Shop::new(Mode::Well, Mode::Well);
        let home = Home::with_chart(&shop.base);
        home.must(&["repo", "add", "r", &shop.base]);
        let line: Vec<&str> =
            before.iter().map(|word| if *word == "@" { shop.base.as_str() } else { word }).collect();
        home.must(&line);
        let requests = shop.seen().len();
        let offline = |line: &[&str]| home.must(&[line, &["--offline"]].concat()).stdout;
        assert_eq!(offline(&["template", "x", "r/web"]), rendered);
        assert_eq!(offline(&["template", "x", "web", "--repo", &shop.base]), rendered);
        assert_eq!(offline(&["template", "x", "r/web", "--compat", "helm3"]), rendered);
        offline(&["pull", "r/web", "-d", "home"]);
        assert_eq!(std::fs::read(home.0.path("home/web-1.2.3.tgz")).unwrap(), ARCHIVE);
        for command in ["update", "build"] {
            let _ = std::fs::remove_dir_all(home.0.path("c/charts"));
            assert_eq!(
                offline(&["dependency", command, "c"]),
                format!(
                    "...Using the index of the \"r\" chart repository that is in the cache\nSaving 1 charts\n\
                     Looking in the cache for web from repo {}\nDeleting outdated charts\n",
                    shop.base
                )
            );
            assert_eq!(std::fs::read(home.0.path("c/charts/web-1.2.3.tgz")).unwrap(), ARCHIVE);
        }
        assert_eq!(shop.seen().len(), requests, "nobody was asked");
        let kept = format!("home/.cache/helm/content/{}/{SUM}.chart", &SUM[..2]);
        home.0.file(&kept, "something else");
        let ran = home.helm(&["pull", "r/web", "--offline"]);
        assert!(ran.code == Some(1) && ran.stderr.contains("(TL1103)"), "{ran:?}");
        home.must(&["pull", "r/web"]);
        assert_eq!(std::fs::read(home.0.path(&kept)).unwrap(), ARCHIVE, "a damaged one is replaced");
    }
}

#[test]
fn a_repository_that_nobody_added_is_used_offline() {
    let shop = Shop::new(Mode::Well, Mode::Well);
    let home = Home::with_chart(&shop.base);
    home.must(&["dependency", "update", "c"]);
    let requests = shop.seen().len();
    let ran = home.must(&["dependency", "update", "c", "--offline"]);
    let line = format!("...Using the index of the \"{}\" chart repository that is in the cache\n", shop.base);
    assert!(ran.stdout.starts_with(&line), "{ran:?}");
    home.must(&["pull", "web", "--repo", &shop.base, "--offline"]);
    assert_eq!(shop.seen().len(), requests);
}

#[test]
fn passwords_go_to_their_server_and_are_shown_nowhere() {
    let shop = Shop::new(Mode::Login, Mode::Login);
    let home = Home::new();
    let base = shop.base.as_str();
    let inside = base.replace("http://", "http://me:hunter2@");
    let wrong = base.replace("http://", "http://me:hunter3@");
    home.must(&["repo", "add", "a", base, "--username", "me", "--password", "hunter2"]);
    let ran = home
        .helm_with_stdin(&["repo", "add", "b", base, "--username", "me", "--password-stdin"], "hunter2\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    home.must(&["repo", "add", "c", &inside]);
    for name in ["a/web", "b/web", "c/web"] {
        home.must(&["pull", name]);
        home.forget_archives();
    }
    home.must(&["pull", "web", "--repo", &inside]);
    home.forget_archives();
    home.must(&["pull", "web", "--repo", base, "--username", "me", "--password", "hunter2"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = std::fs::metadata(home.0.path("home/.config/helm/repositories.yaml")).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
    let mut said = String::new();
    let fails: &[&[&str]] = &[
        &["repo", "add", "d", &wrong],
        &["repo", "add", "d", base, "--username", "me", "--password", "hunter3"],
        &["pull", "web", "--repo", &wrong],
        &["template", "x", &format!("{wrong}/web-1.2.3.tgz")],
        &["show", "chart", "nope", "--repo", &inside],
        &["repo", "add", "e", "ftp://me:hunter2@x.example"],
    ];
    for arguments in fails {
        let ran = home.helm(arguments);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        said += &(ran.stdout + &ran.stderr);
    }
    let listed = home.must(&["repo", "list"]);
    said += &listed.stdout;
    let chart = Home::with_chart(&wrong);
    let ran = chart.helm(&["dependency", "update", "c"]);
    said += &(ran.stdout + &ran.stderr);
    let ran = chart.helm(&["dependency", "list", "c"]);
    said += &(ran.stdout + &ran.stderr);
    assert!(!said.contains("hunter"), "{said}");
}

#[test]
fn another_server_gets_no_password() {
    let other = Shop::new(Mode::Well, Mode::Well);
    let elsewhere = other.base.clone();
    let base = serve_requests(move |request, stream| match request.path() {
        "/redirecting/index.yaml" => {
            say(stream, "302 Found", &format!("Location: {elsewhere}/index.yaml\r\n"), "");
        }
        "/listing/index.yaml" => {
            say(stream, "200 OK", "", index(SUM).replace("[web-1.2.3", &format!("[{elsewhere}/web-1.2.3")));
        }
        _ => say(stream, "404 Not Found", "", ""),
    });
    let login = ["--username", "me", "--password", "hunter2"];
    let home = Home::new();
    home.must(&[&["repo", "add", "r", &format!("{base}/redirecting")], &login[..]].concat());
    home.must(&[&["pull", "web", "--repo", &format!("{base}/listing")], &login[..]].concat());
    assert!(other.seen().iter().all(|(_, authorization)| authorization.is_none()), "{:?}", other.seen());
    assert_eq!(other.seen().len(), 2);
    home.forget_archives();
    home.must(
        &[&["pull", "web", "--repo", &format!("{base}/listing"), "--pass-credentials"], &login[..]].concat(),
    );
    assert_eq!(other.seen()[2].1.as_deref(), Some("Basic bWU6aHVudGVyMg=="));
}

#[test]
fn an_answer_without_end_is_cut_off() {
    let base = serve_requests(|_, stream| promise(stream, "200 OK", "", b"x", 1 << 40));
    let ran = Home::new().helm(&["pull", &format!("{base}/web-1.2.3.tgz")]);
    assert_eq!(ran.stderr, format!("Error: {base}/web-1.2.3.tgz is larger than 134217728 bytes (TL1106)\n"));
}

#[test]
fn an_index_is_written_for_a_directory_of_archives() {
    let home = Home::new();
    home.0.file("d/web-1.2.3.tgz", ARCHIVE).file("d/sub/web-1.2.3.tgz", ARCHIVE).file("d/junk.tgz", "junk");
    home.must(&["repo", "index", "d", "--url", "https://x.example/charts"]);
    let index = home.0.read("d/index.yaml");
    assert!(index.contains(&format!("    digest: {SUM}\n")), "{index}");
    assert!(index.contains("    - https://x.example/charts/web-1.2.3.tgz\n"), "{index}");
    assert!(index.contains("    - https://x.example/charts/sub/web-1.2.3.tgz\n"), "{index}");
    home.0.file(
        "old.yaml",
        "apiVersion: v1\nentries: {db: [{name: db, version: 1.0.0, urls: [db-1.0.0.tgz]}]}\n",
    );
    home.must(&["repo", "index", "d", "--merge", "old.yaml"]);
    assert!(home.0.read("d/index.yaml").contains("    - db-1.0.0.tgz\n"));
    home.0.file("old.yaml", "entries: {}\n");
    let before = home.0.read("d/index.yaml");
    let ran = home.helm(&["repo", "index", "d", "--merge", "old.yaml"]);
    assert_eq!(ran.stderr, "Error: merge failed: error loading old.yaml: no API version specified\n");
    assert_eq!(home.0.read("d/index.yaml"), before);
}
