//! Comments that suppress findings, in files of every kind: no panic, every finding at its place.

use trueline_source::MemorySystem;

use crate::{Target, findings, prepared};

pub(crate) const TARGET: Target = Target {
    name: "suppression",
    run,
    seeds: &[
        "# trueline: ignore-file[TL0302] fixed by the vendor\nmetadata: # trueline: ignore[TL0203, TL0301] why not\n  name: A b\n  # trueline: ignore[] nothing\n  version: x # trueline: ignore[TL0302]\ninstall:\n  # trueline: ignore[TL0203\n  method: nothing\n",
        "# trueline: disable\n---\n# trueline: ignore[TL9999] no such code\n- a #trueline:ignore[tl0101]x\n...\n# trueline: ignore[TL0101] after the end\n",
        "{\"metadata\": {\"name\": 1}, # trueline: ignore[TL0201] flow\n \"install\": []}\n",
    ],
};

fn run(input: &[u8]) {
    let system = MemorySystem::new()
        .with_file("package/extension.yaml", input)
        .with_file("package/registry.yaml", input)
        .with_file("package/schemas/some.schema.json", input);
    let Some((run, sources)) = prepared::checked(system, "package") else { return };
    findings::check(&run.outcome.general, &sources);
    run.outcome.units.iter().for_each(|unit| findings::check(&unit.findings, &sources));
}
