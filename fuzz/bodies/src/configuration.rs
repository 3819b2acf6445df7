//! `trueline.toml`: no panic whatever it says, and every finding at its place.

use trueline_source::MemorySystem;

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
    let system = MemorySystem::new()
        .with_file("trueline.toml", text)
        .with_file("package/extension.yaml", MANIFEST)
        .with_file("package/vendor/tool/extension.yaml", MANIFEST)
        .with_file("package/vendor/trueline.toml", input);
    let Some((run, sources)) = prepared::checked(system, "package") else { return };
    findings::check(&run.outcome.general, &sources);
    run.outcome.units.iter().for_each(|unit| findings::check(&unit.findings, &sources));
}
