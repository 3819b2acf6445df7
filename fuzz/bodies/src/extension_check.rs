//! Extension manifests, registries and profiles on all three levels: no panic, every finding at its place.

use std::sync::Arc;

use trueline_extension::{Context, Strictness, check, check_profiles, check_registry};
use trueline_source::{MemoryLoader, SourceKind};

use crate::prepared::{self, Prepared};
use crate::{Target, findings};

pub(crate) const TARGET: Target = Target {
    name: "extension_check",
    run,
    seeds: &[
        r#"metadata:
  name: nodejs
  version: 1.2.3
  description: The Node.js runtime, with npm
  category: languages
  dependencies: [python, "git@^2.0"]
requirements: {domains: [nodejs.org], diskSpace: 500, secrets: [api_key]}
install:
  method: hybrid
  mise: {configFile: mise.toml, reshimAfterInstall: true}
  script: {path: scripts/install.sh, timeout: 300}
  apt: {packages: [curl], repositories: [{gpgKey: "https://example.com/key", sources: deb}]}
configure:
  templates: [{source: templates/a.txt, destination: ~/.a, mode: overwrite}]
  environment: [{key: NODE_ENV, value: development, scope: bashrc}]
validate:
  commands: [{name: node, versionFlag: --version, expectedPattern: 'v\d+'}]
remove: {confirmation: false, paths: [~/.nvm]}
capabilities:
  project-init: {enabled: true, priority: 10, commands: [{command: npm init, description: init}]}
  mcp: {enabled: true, server: {command: node, args: [server.js]}}
bom: {tools: [{name: node, version: dynamic, source: mise, type: runtime, license: MIT}]}
"#,
        "version: 1.0.0\nextensions:\n  nodejs:\n    category: languages\n    description: Node\n    dependencies: [nodejs]\n    conflicts: [deno]\n",
        "version: 1.0.0\nprofiles:\n  minimal:\n    description: Little\n    extensions: [nodejs, nodejs]\n",
        "metadata: {name: A b, version: x}\ninstall: {method: binary, binary: {downloads: [{name: t, source: {type: direct, url: 'http://example.com/t'}}]}}\nvalidation: []\n",
    ],
};

fn run(input: &[u8]) {
    prepared::with(|prepared| check_all(input, prepared));
}

fn check_all(input: &[u8], prepared: &Prepared) {
    let text = String::from_utf8_lossy(input);
    let package = MemoryLoader::new("package")
        .with_file("mise.toml", input)
        .with_file("scripts/install.sh", input)
        .with_file("extension.yaml", input);
    let source = prepared.sources.add("extension.yaml", SourceKind::File, &*text);
    let context = Context::new(&prepared.sources, &prepared.schemas)
        .with_package(Arc::new(package))
        .with_strictness(Strictness::Strict);
    for check in [check, check_registry, check_profiles] {
        findings::check(&check(source, &context), &prepared.sources);
    }
}
