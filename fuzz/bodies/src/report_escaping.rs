//! Reports in every format of whatever a file holds: no line steers a terminal or commands the runner of a workflow.

use trueline_report::{Format, Options, is_control};
use trueline_source::MemorySystem;

use crate::{Target, prepared};

pub(crate) const TARGET: Target = Target {
    name: "report_escaping",
    run,
    seeds: &[
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n\"x\\n::error::y\\e[31m\": 1\n",
        "metadata:\n  \"##[error]\": 1\n  name: \"\\u202e::stop-commands::z\"\n",
        "kind: \"Pods\\r\\n  ::set-output name=a::b\"\napiVersion: v1\n",
    ],
};

fn run(input: &[u8]) {
    let system = MemorySystem::new()
        .with_file("::error::package/extension/extension.yaml", input)
        .with_file("::error::package/object.yaml", input);
    let Some((run, sources)) = prepared::checked(system, "::error::package") else { return };
    for format in Format::ALL.iter().copied() {
        let report = trueline_report::render(format, run.outcome.clone(), &sources, &Options::default());
        for line in report.split('\n') {
            assert!(!line.contains(is_control), "{format}: {line:?}");
            // Three colons are the mark before the name of a second file in the human format.
            let begins = line.trim_start();
            let is_command = begins.starts_with("::") && !begins.starts_with(":::");
            assert!(!is_command || format == Format::Github, "{format}: {line:?}");
        }
    }
}
