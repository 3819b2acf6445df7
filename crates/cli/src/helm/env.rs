//! `helm env`: the settings in use, as variables.

use std::collections::BTreeMap;

use trueline_helm::chart::Compat;

use super::command::{Arguments, Command};
use super::flag::Parsed;
use super::remote::Paths;
use super::{Session, settings};
use crate::world::World;

pub(super) const COMMAND: Command = Command {
    name: "env",
    aliases: &[],
    usage: "[NAME]",
    summary: "Print the settings in use, as variables",
    description: "
With a NAME, only the value of that variable is printed, and an empty line if there is none of that name. HELM_BIN is
`trueline helm`: what stands for `helm` in a script.
",
    arguments: |_| Arguments::AtMost(1),
    flags: |_| Vec::new(),
    exclusive: |_| &[],
    run,
};

fn run(session: &mut Session<'_>, parsed: &Parsed) -> Result<(), String> {
    let variables = variables(session, parsed);
    let text: String = match parsed.arguments.first() {
        Some(name) => format!("{}\n", variables.get(name.as_str()).map_or("", String::as_str)),
        None => variables.iter().map(|(name, value)| format!("{name}=\"{value}\"\n")).collect(),
    };
    session.world.print(text.as_bytes())
}

/// The variables in the order of their names.
fn variables(session: &Session<'_>, parsed: &Parsed) -> BTreeMap<&'static str, String> {
    let world = &*session.world;
    let paths = Paths::new(parsed, world);
    let either = |flag: &str, variable: &str| {
        parsed.text(flag).map(str::to_owned).or_else(|| world.variable(variable)).unwrap_or_default()
    };
    let number = |flag: &str, variable: &str, default: i64| {
        let given = parsed.text(flag).map(str::to_owned).or_else(|| world.variable(variable));
        given.and_then(|given| given.parse().ok()).unwrap_or(default).to_string()
    };
    let rate = either("qps", "HELM_QPS").parse::<f32>().unwrap_or(0.0);
    let is_insecure = match parsed.text("kube-insecure-skip-tls-verify") {
        Some(given) => given == "true",
        None => is_true(&world.variable("HELM_KUBEINSECURE_SKIP_TLS_VERIFY").unwrap_or_default()),
    };
    let mut variables = BTreeMap::from([
        ("HELM_BIN", "trueline helm".to_owned()),
        ("HELM_BURST_LIMIT", number("burst-limit", "HELM_BURST_LIMIT", 100)),
        ("HELM_CACHE_HOME", Paths::cache_home(world)),
        ("HELM_CONFIG_HOME", Paths::config_home(world)),
        ("HELM_DATA_HOME", settings::data_home(world)),
        ("HELM_DEBUG", session.settings.debug.to_string()),
        ("HELM_KUBEAPISERVER", either("kube-apiserver", "HELM_KUBEAPISERVER")),
        ("HELM_KUBEASGROUPS", groups(parsed, world)),
        ("HELM_KUBEASUSER", either("kube-as-user", "HELM_KUBEASUSER")),
        ("HELM_KUBECAFILE", either("kube-ca-file", "HELM_KUBECAFILE")),
        ("HELM_KUBECONTEXT", either("kube-context", "HELM_KUBECONTEXT")),
        ("HELM_KUBEINSECURE_SKIP_TLS_VERIFY", is_insecure.to_string()),
        ("HELM_KUBETLS_SERVER_NAME", either("kube-tls-server-name", "HELM_KUBETLS_SERVER_NAME")),
        ("HELM_KUBETOKEN", either("kube-token", "HELM_KUBETOKEN")),
        ("HELM_MAX_HISTORY", number("", "HELM_MAX_HISTORY", 10)),
        ("HELM_NAMESPACE", session.settings.namespace.clone()),
        ("HELM_PLUGINS", settings::plugins(world)),
        ("HELM_QPS", format!("{rate:.2}")),
        ("HELM_REGISTRY_CONFIG", paths.registry),
        ("HELM_REPOSITORY_CACHE", paths.cache),
        ("HELM_REPOSITORY_CONFIG", paths.repositories),
    ]);
    if session.compat == Compat::Helm4 {
        variables.insert("HELM_CONTENT_CACHE", paths.content);
    }
    // The variable of this name is not printed, only the flag.
    if let Some(file) = parsed.text("kubeconfig").filter(|file| !file.is_empty()) {
        variables.insert("KUBECONFIG", file.to_owned());
    }
    variables
}

/// The groups of the flag, or else those of the variable.
fn groups(parsed: &Parsed, world: &World) -> String {
    if parsed.is_set("kube-as-group") {
        return parsed.list("kube-as-group").join(",");
    }
    world.variable("HELM_KUBEASGROUPS").unwrap_or_default().trim_matches([',', ' ']).to_owned()
}

/// Which strings Go takes for `true`.
fn is_true(text: &str) -> bool {
    matches!(text, "1" | "t" | "T" | "TRUE" | "true" | "True")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ffi::OsString;

    use crate::world::World;

    fn printed(variables: &[(&str, &str)], arguments: &[&str]) -> String {
        let mut environment: BTreeMap<OsString, OsString> =
            variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        environment.insert("HOME".into(), "/h".into());
        let (mut world, stdout, _) = World::new("/".into(), environment);
        let line: Vec<OsString> =
            std::iter::once("env").chain(arguments.iter().copied()).map(Into::into).collect();
        super::super::run(&line, &mut world);
        String::from_utf8(stdout.take()).unwrap()
    }

    #[test]
    fn the_settings_are_printed_as_helm_prints_them() {
        // What Helm 4.3.1 prints with the same variables, but for the name of the program.
        let plain = "HELM_BIN=\"trueline helm\"\nHELM_BURST_LIMIT=\"100\"\nHELM_CACHE_HOME=\"/h/.cache/helm\"\n\
            HELM_CONFIG_HOME=\"/h/.config/helm\"\nHELM_CONTENT_CACHE=\"/h/.cache/helm/content\"\n\
            HELM_DATA_HOME=\"/h/.local/share/helm\"\nHELM_DEBUG=\"false\"\nHELM_KUBEAPISERVER=\"\"\n\
            HELM_KUBEASGROUPS=\"\"\nHELM_KUBEASUSER=\"\"\nHELM_KUBECAFILE=\"\"\nHELM_KUBECONTEXT=\"\"\n\
            HELM_KUBEINSECURE_SKIP_TLS_VERIFY=\"false\"\nHELM_KUBETLS_SERVER_NAME=\"\"\nHELM_KUBETOKEN=\"\"\n\
            HELM_MAX_HISTORY=\"10\"\nHELM_NAMESPACE=\"default\"\nHELM_PLUGINS=\"/h/.local/share/helm/plugins\"\n\
            HELM_QPS=\"0.00\"\nHELM_REGISTRY_CONFIG=\"/h/.config/helm/registry/config.json\"\n\
            HELM_REPOSITORY_CACHE=\"/h/.cache/helm/repository\"\n\
            HELM_REPOSITORY_CONFIG=\"/h/.config/helm/repositories.yaml\"\n";
        assert_eq!(printed(&[], &[]), plain);
        let helm3 = plain.replace("HELM_CONTENT_CACHE=\"/h/.cache/helm/content\"\n", "");
        assert_eq!(printed(&[], &["--compat", "helm3"]), helm3);
    }

    #[test]
    fn one_variable_is_printed_by_itself() {
        for (variables, arguments, expected) in [
            (&[][..], &["HELM_DEBUG"][..], "false\n"),
            (&[], &["HELM_DEBUG", "--debug"], "true\n"),
            (&[], &["NOPE"], "\n"),
            (&[("KUBECONFIG", "/k")], &["KUBECONFIG"], "\n"),
            (&[], &["KUBECONFIG", "--kubeconfig", "/k"], "/k\n"),
            (&[("HELM_QPS", "2.5"), ("HELM_NAMESPACE", "x")], &["HELM_QPS"], "2.50\n"),
            (&[("HELM_NAMESPACE", "x")], &["HELM_NAMESPACE"], "x\n"),
            (&[("HELM_MAX_HISTORY", "abc")], &["HELM_MAX_HISTORY"], "10\n"),
            (&[("HELM_KUBEASGROUPS", ", a,b,")], &["HELM_KUBEASGROUPS"], "a,b\n"),
            (&[("HELM_KUBEASGROUPS", "a")], &["HELM_KUBEASGROUPS", "--kube-as-group=c"], "c\n"),
            (&[("HELM_KUBEINSECURE_SKIP_TLS_VERIFY", "1")], &["HELM_KUBEINSECURE_SKIP_TLS_VERIFY"], "true\n"),
            (&[("HELM_BURST_LIMIT", "7")], &["HELM_BURST_LIMIT", "--burst-limit", "9"], "9\n"),
            (&[], &["A", "B"], ""),
        ] {
            assert_eq!(printed(variables, arguments), expected, "{variables:?} {arguments:?}");
        }
    }
}
