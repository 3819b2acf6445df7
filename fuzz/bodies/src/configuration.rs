//! `trueline.toml`: no panic whatever it says, and every finding at its place.

use std::sync::Arc;

use trueline_analysis::{ConfigFile, Input, Nested, Silent, run as check};
use trueline_source::MemoryLoader;

use crate::{Target, findings, prepared};

pub(crate) const TARGET: Target = Target {
    name: "config",
    run,
    seeds: &[
        "strict = true\noffline = false\n\n[[ignore]]\npaths = [\"vendor/**\", \"*.yaml\"]\ncodes = [\"TL0203\", \"TL0301\"]\nreason = \"not ours\"\n\n[severity]\nTL0302 = \"warning\"\n",
        "kube-version = \"1.35\"\nfield-validation = \"strict\"\nschema-locations = [\"default\"]\ncrds = [\"crds/\"]\n",
        "stirct = 1\n[severity]\nTL9999 = \"loud\"\n[[ignore]]\npaths = [\"[\"]\ncodes = []\n",
        "ignore = {paths = 'x'}\n\"strict\" = '''\nno'''\n",
    ],
};

const MANIFEST: &str = "metadata: {name: A, version: one}\ninstall: {method: nothing}\n";

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input).into_owned();
    prepared::with(|prepared| {
        let loader = MemoryLoader::new("package")
            .with_file("extension.yaml", MANIFEST)
            .with_file("vendor/tool/extension.yaml", MANIFEST)
            .with_file("vendor/trueline.toml", input);
        let config = ConfigFile { name: "trueline.toml".to_owned(), text, base: "below".to_owned() };
        let input = Input { loader: Arc::new(loader), path: String::new(), config: Some(config) };
        let run = check(&[input], Nested::Used, &prepared.settings, &prepared.sources, &Silent);
        findings::check(&run.outcome.general, &prepared.sources);
        run.outcome.units.iter().for_each(|unit| findings::check(&unit.findings, &prepared.sources));
    });
}
