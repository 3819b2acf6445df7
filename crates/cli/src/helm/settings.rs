//! The flags and variables that all commands share.

use trueline_helm::chart::Compat;
use trueline_helm::log::{Level, LogLine};
use trueline_helm::quote;
use trueline_source::Network;
use trueline_source::SourceId;
use trueline_yaml::{Document, ReadOptions};

use super::flag::{Flag, FlagKind, Parsed};
use crate::world::World;

/// What the shared flags and variables say.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) debug: bool,
    pub(super) namespace: String,
    pub(super) network: Network,
    /// Makes random functions repeat themselves.
    pub(super) seed: Option<u64>,
}

/// The flags of all commands.
pub(super) fn flags(compat: Compat) -> Vec<Flag> {
    use FlagKind::{Array, Checked, Float, Integer, Text};
    let mut flags = vec![
        Flag::new("compat", Checked, "follow this Helm: helm4 (default) or helm3; also TRUELINE_HELM_COMPAT"),
        Flag::new(
            "seed",
            Integer,
            "make random functions and the clock repeat themselves: the same number, the same output",
        ),
        Flag::switch("offline", "fetch nothing; what was fetched before is taken from the cache"),
        Flag::text("namespace", "the namespace that the release is for").short('n'),
        Flag::switch("debug", "say more on the way, and print what could not be read"),
        Flag::text("kubeconfig", "the kubeconfig file, of which only the namespace is used"),
        Flag::text("kube-context", "the context in the kubeconfig file"),
        Flag::text("repository-config", "the file of the repositories that were added"),
        Flag::text("repository-cache", "the directory of the indexes that were fetched"),
        Flag::text("registry-config", "the file of the credentials for registries"),
    ];
    // Read so that scripts written for Helm go on working; nothing here talks to a cluster.
    let unused = [
        ("kube-token", Text),
        ("kube-as-user", Text),
        ("kube-as-group", Array),
        ("kube-apiserver", Text),
        ("kube-ca-file", Text),
        ("kube-tls-server-name", Text),
        ("kube-insecure-skip-tls-verify", FlagKind::Switch),
        ("burst-limit", Integer),
        ("qps", Float),
        // The flags of Kubernetes' own log.
        ("add-dir-header", FlagKind::Switch),
        ("alsologtostderr", FlagKind::Switch),
        ("log-backtrace-at", Text),
        ("log-dir", Text),
        ("log-file", Text),
        ("log-file-max-size", Integer),
        ("logtostderr", FlagKind::Switch),
        ("one-output", FlagKind::Switch),
        ("skip-headers", FlagKind::Switch),
        ("skip-log-headers", FlagKind::Switch),
        ("stderrthreshold", Text),
        ("vmodule", Text),
    ];
    flags.extend(unused.map(|(name, kind)| Flag::new(name, kind, "").hidden()));
    flags.push(Flag::new("v", Integer, "").short('v').hidden());
    if compat == Compat::Helm4 {
        flags.push(Flag::text("content-cache", "the directory of the archives that were fetched"));
        let unused = ["color", "colour"];
        flags.extend(unused.map(|name| Flag::text(name, "").hidden()));
    }
    flags
}

/// Which Helm is followed. The flags depend on it, so it is looked for before they are read.
pub(super) fn compat(arguments: &[String], world: &World) -> Result<Compat, String> {
    let mut chosen = None;
    let mut rest = arguments.iter().take_while(|argument| *argument != "--");
    while let Some(argument) = rest.next() {
        if argument == "--compat" {
            chosen = rest.next().map(String::as_str);
        } else if let Some(value) = argument.strip_prefix("--compat=") {
            chosen = Some(value);
        }
    }
    if let Some(value) = chosen {
        // What is wrong with the flag is said with all other flags.
        return Ok(parse_compat(value).unwrap_or_default());
    }
    match world.variable("TRUELINE_HELM_COMPAT").as_deref() {
        None | Some("") => Ok(Compat::default()),
        Some(value) => parse_compat(value)
            .ok_or_else(|| format!("TRUELINE_HELM_COMPAT is {}; it must be 3 or 4", quote(value))),
    }
}

/// The Helm that a value names.
pub(super) fn parse_compat(value: &str) -> Option<Compat> {
    match value {
        "helm4" | "4" => Some(Compat::Helm4),
        "helm3" | "3" => Some(Compat::Helm3),
        _ => None,
    }
}

impl Settings {
    /// The settings, or the whole line to be printed about what is wrong with them.
    pub(super) fn new(parsed: &Parsed, compat: Compat, world: &World) -> Result<Self, String> {
        for name in ["color", "colour"] {
            let value = parsed.text(name).unwrap_or("auto");
            if !matches!(value, "never" | "auto" | "always") {
                let words =
                    format!("invalid color mode {}: must be one of: never, auto, always", quote(value));
                let line = LogLine::new(Level::Warn, "command failed").with("error", words);
                return Err(line.render(compat).unwrap_or_default());
            }
        }
        let debug = match parsed.text("debug") {
            Some(value) => value == "true",
            None => matches!(
                world.variable("HELM_DEBUG").as_deref(),
                Some("1" | "t" | "T" | "TRUE" | "true" | "True")
            ),
        };
        let seed = parsed.text("seed").and_then(|seed| seed.parse::<i64>().ok()).map(|seed| seed as u64);
        Ok(Settings {
            debug,
            namespace: namespace(parsed, world),
            network: if parsed.is_on("offline") { Network::Offline } else { Network::Allowed },
            seed,
        })
    }
}

/// The directories of plugins: a list as in `PATH`.
pub(super) fn plugins(world: &World) -> String {
    if let Some(chosen) = world.variable("HELM_PLUGINS") {
        return chosen;
    }
    format!("{}/plugins", data_home(world))
}

/// The directory of what Helm keeps for its user.
pub(super) fn data_home(world: &World) -> String {
    if let Some(home) = world.non_empty_variable("HELM_DATA_HOME") {
        return home;
    }
    let base = world.non_empty_variable("XDG_DATA_HOME").unwrap_or_else(|| {
        let home = world.variable("HOME").unwrap_or_default();
        format!("{home}/.local/share")
    });
    format!("{base}/helm")
}

/// The namespace: that of the flag, of the variable, or of the context that kubectl would use.
fn namespace(parsed: &Parsed, world: &World) -> String {
    let chosen = match parsed.text("namespace") {
        Some(chosen) => Some(chosen.to_owned()),
        None => world.variable("HELM_NAMESPACE"),
    };
    chosen
        .filter(|chosen| !chosen.is_empty())
        .or_else(|| context_namespace(parsed, world))
        .unwrap_or_else(|| "default".to_owned())
}

fn context_namespace(parsed: &Parsed, world: &World) -> Option<String> {
    let files: Vec<String> = match parsed.text("kubeconfig").filter(|file| !file.is_empty()) {
        Some(file) => vec![file.to_owned()],
        None => match world.non_empty_variable("KUBECONFIG") {
            Some(list) => {
                std::env::split_paths(&list).map(|path| path.to_string_lossy().into_owned()).collect()
            }
            None => vec![format!("{}/.kube/config", world.non_empty_variable("HOME")?)],
        },
    };
    let documents: Vec<Document> = files.iter().filter_map(|file| config(file, world)).collect();
    let context = parsed
        .text("kube-context")
        .map(str::to_owned)
        .or_else(|| world.variable("HELM_KUBECONTEXT"))
        .filter(|context| !context.is_empty())
        .or_else(|| {
            let current =
                |document: &Document| document.root().get("current-context")?.as_str().map(str::to_owned);
            documents.iter().filter_map(current).find(|context| !context.is_empty())
        })?;
    // Of several files, the first that has a context of that name counts.
    documents.iter().find_map(|document| {
        let mut contexts = document.root().get("contexts")?.items()?;
        let named =
            contexts.find(|entry| entry.get("name").and_then(|name| name.as_str()) == Some(&context))?;
        let namespace = named.get("context")?.get("namespace")?.as_str()?;
        Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty())
    })
}

fn config(file: &str, world: &World) -> Option<Document> {
    let text = String::from_utf8(world.read_file(file).ok()?).ok()?;
    let stream = trueline_yaml::read(SourceId::from_index(0), &text.into(), &ReadOptions::default());
    stream.first().ok().flatten().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fs;

    fn settings(variables: &[(&str, &str)], flags: &[&str], home: &str) -> Settings {
        let mut environment: BTreeMap<_, _> =
            variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        environment.insert("HOME".into(), home.into());
        let (world, ..) = World::new(home.into(), environment);
        let arguments: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let parsed =
            super::super::flag::parse(&super::flags(Compat::Helm4), &arguments, &mut |_, _, _| Ok(()));
        Settings::new(&parsed.unwrap(), Compat::Helm4, &world).unwrap()
    }

    #[test]
    fn the_namespace_comes_from_the_nearest_place() {
        let directory = tempfile::TempDir::new().unwrap();
        let home = directory.path().to_str().unwrap();
        assert_eq!(settings(&[], &[], home).namespace, "default");
        fs::create_dir(directory.path().join(".kube")).unwrap();
        let config = "current-context: b\ncontexts:\n- {name: a, context: {namespace: of-a}}\n- {name: b, context: \
                      {namespace: of-b}}\n- {name: c, context: {}}\n";
        fs::write(directory.path().join(".kube/config"), config).unwrap();
        assert_eq!(settings(&[], &[], home).namespace, "of-b");
        assert_eq!(settings(&[("HELM_KUBECONTEXT", "a")], &[], home).namespace, "of-a");
        assert_eq!(settings(&[], &["--kube-context", "c"], home).namespace, "default");
        assert_eq!(settings(&[("KUBECONFIG", "none")], &[], home).namespace, "default");
        assert_eq!(settings(&[("HELM_NAMESPACE", "v")], &[], home).namespace, "v");
        assert_eq!(settings(&[("HELM_NAMESPACE", "v")], &["-nf"], home).namespace, "f");
    }

    #[test]
    fn the_helm_to_follow_is_found_before_the_flags_are_read() {
        let compat = |variable: &str, arguments: &[&str]| {
            let environment = BTreeMap::from([("TRUELINE_HELM_COMPAT".into(), variable.into())]);
            let (world, ..) = World::new("/".into(), environment);
            let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            super::compat(&arguments, &world)
        };
        assert_eq!(compat("", &["template", "x"]), Ok(Compat::Helm4));
        assert_eq!(compat("3", &["template", "x"]), Ok(Compat::Helm3));
        assert_eq!(compat("3", &["--compat=helm4", "template"]), Ok(Compat::Helm4));
        assert_eq!(compat("", &["template", "--compat", "helm3"]), Ok(Compat::Helm3));
        assert_eq!(compat("", &["template", "--", "--compat", "helm3"]), Ok(Compat::Helm4));
        let wrong = "TRUELINE_HELM_COMPAT is \"5\"; it must be 3 or 4";
        assert_eq!(compat("5", &["template", "x"]), Err(wrong.to_owned()));
    }

    #[test]
    fn plugins_are_looked_for_where_helm_keeps_them() {
        for (variables, path) in [
            (&[("HELM_DATA_HOME", "/d")][..], "/d/plugins"),
            (&[("XDG_DATA_HOME", "/x")], "/x/helm/plugins"),
            (&[("HELM_PLUGINS", "/p:/q")], "/p:/q"),
            (&[], "/h/.local/share/helm/plugins"),
        ] {
            let mut environment: BTreeMap<_, _> =
                variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
            environment.insert("HOME".into(), "/h".into());
            assert_eq!(plugins(&World::new("/".into(), environment).0), path);
        }
    }
}
