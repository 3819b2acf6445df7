//! Comments that suppress findings, in files of every kind: no panic, every finding at its place.

use std::sync::Arc;

use trueline_analysis::{Input, Nested, Silent, run as check};
use trueline_source::MemoryLoader;

use crate::{Target, findings, prepared};

pub(crate) const TARGET: Target = Target {
    name: "suppression",
    run,
    seeds: &[
        "# trueline: ignore-file[TL0302] fixed by the vendor\nmetadata: # trueline: ignore[TL0203, TL0301] why not\n  name: A b\n  # trueline: ignore[] nothing\n  version: x # trueline: ignore[TL0302]\ninstall:\n  # trueline: ignore[TL0203\n  method: nothing\n",
        "# trueline: disable\n---\n# trueline: ignore[TL9999] no such code\n- a #trueline:ignore[tl0101]x\n...\n# trueline: ignore[TL0101] behind the end\n",
        "{\"metadata\": {\"name\": 1}, # trueline: ignore[TL0201] flow\n \"install\": []}\n",
    ],
};

fn run(input: &[u8]) {
    prepared::with(|prepared| {
        let loader = MemoryLoader::new("package")
            .with_file("extension.yaml", input)
            .with_file("registry.yaml", input)
            .with_file("schemas/some.schema.json", input);
        let input = Input { loader: Arc::new(loader), path: String::new(), config: None };
        let run = check(&[input], Nested::Used, &prepared.settings, &prepared.sources, &Silent);
        findings::check(&run.outcome.general, &prepared.sources);
        run.outcome.units.iter().for_each(|unit| findings::check(&unit.findings, &prepared.sources));
    });
}
