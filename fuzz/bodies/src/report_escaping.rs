//! Reports in every format of whatever a file holds: no line steers a terminal or commands the runner of a workflow.

use std::sync::Arc;

use trueline_analysis::{Input, Nested, Silent, run as check};
use trueline_report::{Format, Options, is_control};
use trueline_source::MemoryLoader;

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
    prepared::with(|prepared| {
        let loader = MemoryLoader::new("::error::package")
            .with_file("extension/extension.yaml", input)
            .with_file("object.yaml", input);
        let input = Input { loader: Arc::new(loader), path: String::new(), config: None };
        let run = check(&[input], Nested::Used, &prepared.settings, &prepared.sources, &Silent);
        for format in Format::ALL {
            let report =
                trueline_report::render(format, run.outcome.clone(), &prepared.sources, &Options::default());
            for line in report.split('\n') {
                assert!(!line.contains(is_control), "{format}: {line:?}");
                // Three colons are the mark before the name of a second file in the human format.
                let begins = line.trim_start();
                let is_command = begins.starts_with("::") && !begins.starts_with(":::");
                assert!(!is_command || format == Format::Github, "{format}: {line:?}");
            }
        }
    });
}
