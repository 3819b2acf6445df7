//! The subcommands that check nothing, the help, and the manners of a good program in a pipe.

mod support;

use std::process::Stdio;

use support::{Sandbox, VALID};

#[test]
fn help_shows_every_subcommand_with_an_example() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["--help"]);
    assert_eq!(ran.code, Some(0));
    for name in ["check", "extension", "explain", "completions", "man"] {
        assert!(ran.stdout.contains(&format!("\n  {name} ")), "{}", ran.stdout);
    }
    for command in [&["check"][..], &["extension", "check"], &["extension", "schema"], &["explain"], &["man"]]
    {
        let ran = sandbox.run(&[command, &["--help"]].concat());
        assert_eq!(ran.code, Some(0));
        assert!(ran.stdout.contains("Examples:\n  trueline"), "{}", ran.stdout);
    }
}

#[test]
fn commands_of_the_helm_family_have_help_too() {
    let sandbox = Sandbox::new();
    for command in [&["lint"][..], &["dependency", "update"], &["schema"]] {
        let asked = sandbox.run(&[&["help", "helm"][..], command].concat());
        assert_eq!(asked.code, Some(0), "{asked:?}");
        assert_eq!(asked.stdout, sandbox.run(&[&["helm", "help"][..], command].concat()).stdout);
        assert!(asked.stdout.contains(&format!("trueline helm {}", command.join(" "))), "{asked:?}");
    }
    assert!(sandbox.run(&["help", "helm"]).stdout.starts_with("Render, lint, package and fetch charts"));
}

#[test]
fn the_version_is_printed() {
    let ran = Sandbox::new().run(&["--version"]);
    assert_eq!((ran.code, ran.stdout), (Some(0), format!("trueline {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn bad_usage_ends_with_2_and_says_so_on_standard_error() {
    let sandbox = Sandbox::new();
    sandbox.file("extension.yaml", VALID);
    sandbox.file("empty/README.md", "");
    let cases: &[(&[&str], &str)] = &[
        (&[], "Usage: trueline"),
        (&["frobnicate"], "unrecognized subcommand 'frobnicate'"),
        (&["check", "--frob", "."], "'--frob'"),
        (&["check", "--format", "yaml", "."], "human, short, json"),
        (&["check", "--output", "report.sarif", "."], "sarif=report.sarif"),
        (&["check", "--output", "yaml=x", "."], "unknown report format `yaml`"),
        (&["check", "--output", "json=-", "."], "`--format`"),
        (&["check", "--output", "json=no/dir/x", "."], "the directory `no/dir` does not exist"),
        (&["check", "--output", "json=extension.yaml", "extension.yaml"], "would overwrite `extension.yaml`"),
        (&["check", "--output", "json=extension.yaml", "."], "is no report"),
        (&["check", "--output", "json=x", "--output", "tap=./x", "."], "two reports would go to `./x`"),
        (&["check", "--as", "novel", "."], "novel"),
        (&["check", "--jobs", "0", "."], "'0'"),
        (&["check", "--timeout", "soon", "."], "expected a number of seconds"),
        (&["check", "--config", "none.toml", "."], "`none.toml` does not exist"),
        (&["check", "--config", "a", "--no-config", "."], "cannot be used with"),
        (&["check", "--registry", "none.yaml", "."], "`none.yaml` does not exist"),
        (&["check", "--registry", "extension.yaml", "."], "`extension.yaml` is not a registry: it has no"),
        (&["check", "--registry", "empty", "."], "`empty` is not a registry: it holds neither a"),
        (&["check", "--schema-dir", "none", "."], "`none` does not exist"),
        (&["check", "--schema-dir", "extension.yaml", "."], "`extension.yaml`"),
        (&["check", "--schema-url", "ftp://example.com/", "."], "only http and https"),
        (&["check", "--schema-url", "https://me:pw@example.com/", "."], "credentials are never sent"),
        (&["check", "-", "-"], "named twice"),
        (&["extension", "schema", "novel"], "novel"),
        (&["explain", "TL9999"], "no code or rule is named `TL9999`"),
        (&["completions", "tcsh"], "tcsh"),
    ];
    for (arguments, part) in cases {
        let ran = sandbox.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(part), "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("pw@"), "{}", ran.stderr);
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
}

#[test]
fn codes_are_explained() {
    let sandbox = Sandbox::new();
    let all = sandbox.run(&["explain"]);
    assert_eq!(all.code, Some(0));
    let codes: Vec<&str> = all.stdout.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert!(codes.len() > 30, "{codes:?}");
    assert!(codes.is_sorted(), "{codes:?}");
    for code in codes {
        let ran = sandbox.run(&["explain", &code.to_lowercase()]);
        assert_eq!(ran.code, Some(0));
        assert!(
            ran.stdout.starts_with(&format!("{code} ")) && ran.stdout.lines().count() > 4,
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn completions_are_written_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = Sandbox::new().run(&["completions", shell]);
        assert_eq!(ran.code, Some(0), "{shell}");
        for word in ["extension", "schema-dir", "sarif", "registry"] {
            assert!(ran.stdout.contains(word), "{shell} {word}");
        }
    }
}

#[test]
fn manual_pages_are_written() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["man"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.contains(".TH trueline 1"), "{}", ran.stdout);
    assert_eq!(sandbox.run(&["man", "--out", "deep/man1"]).code, Some(0));
    for page in [
        "trueline",
        "trueline-check",
        "trueline-extension-check",
        "trueline-extension-schema",
        "trueline-explain",
    ] {
        let text = sandbox.read(&format!("deep/man1/{page}.1"));
        assert!(text.contains(&format!(".TH {page} 1")) && text.contains(".SH SYNOPSIS"), "{text}");
    }
    assert!(sandbox.read("deep/man1/trueline-check.1").contains("registry"));
    sandbox.file("occupied", "");
    let ran = sandbox.run(&["man", "--out", "occupied"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.starts_with("error: `occupied` cannot be made"), "{}", ran.stderr);
}

#[test]
fn schemas_are_printed() {
    let sandbox = Sandbox::new();
    let main = sandbox.run(&["extension", "schema"]);
    assert_eq!(main.code, Some(0));
    assert_eq!(main.json()["title"], "Extension manifest");
    let schemas = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas");
    for entry in std::fs::read_dir(schemas).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".schema.json") else { continue };
        let text = std::fs::read_to_string(format!("{schemas}/{file}")).unwrap();
        for typed in [name, file.as_str()] {
            let ran = sandbox.run(&["extension", "schema", typed]);
            assert_eq!((ran.code, ran.stdout), (Some(0), text.clone()), "{typed}");
        }
        let bundle = sandbox.run(&["extension", "schema", "--bundle", &file]).json();
        let printed: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(bundle["$id"], printed["$id"], "{name}");
    }
    let bundle = sandbox.run(&["extension", "schema", "--bundle"]).json();
    assert!(bundle["$defs"]["metadata.schema.json"].is_object());
}

/// `trueline … | head -1` ends quietly.
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let sandbox = Sandbox::new();
    sandbox.file("extension.yaml", VALID);
    for arguments in
        [&["explain"][..], &["extension", "schema", "capabilities"], &["check", "."], &["--help"]]
    {
        let mut child = sandbox
            .command(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure() {
    let sandbox = Sandbox::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = sandbox.command(&["explain"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("error: standard output cannot be written: "), "{stderr}");
}

#[test]
fn colour_is_chosen() {
    let sandbox = Sandbox::new();
    sandbox.file("extension.yaml", "a: [\n");
    let coloured = |arguments: &[&str], variable: Option<(&str, &str)>| {
        let mut command = sandbox.command(&[&["check", "extension.yaml"], arguments].concat());
        command.envs(variable);
        support::run(&mut command, b"").stdout.contains('\u{1b}')
    };
    assert!(!coloured(&[], None), "a pipe gets no colour");
    assert!(coloured(&["--color", "always"], Some(("NO_COLOR", "1"))));
    assert!(coloured(&[], Some(("CLICOLOR_FORCE", "1"))));
    assert!(!coloured(&["--color=never"], Some(("CLICOLOR_FORCE", "1"))));
}
