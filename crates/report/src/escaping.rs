//! The promise of all formats: whatever a file, a name or a message holds, a report never controls a terminal
//! or sends commands to a workflow runner.

use proptest::prelude::*;
use trueline_diagnostic::{Edit, LeftOut, Unit};
use trueline_source::{SourceKind, SourceMap};

use crate::testing::{finding, outcome};
use crate::{Format, Options, harmless, is_control};

/// What is wrong with a line of a report.
fn fault(line: &str, format: Format) -> Option<&'static str> {
    // The mark before the name of a second file in the human format has a third colon, which is not a command.
    let begins = line.trim_start();
    let is_command = begins.starts_with("::") && !begins.starts_with(":::");
    let is_own = format == Format::Github && begins.starts_with("::error ");
    if line.contains(is_control) {
        Some("a control character")
    } else if is_command && !is_own {
        Some("a command")
    } else if line.contains("##[") && !is_own {
        Some("a command in the old syntax")
    } else {
        None
    }
}

/// Text that tries to break out.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("::error::x".to_owned()),
        Just("\n::stop-commands::y\n".to_owned()),
        Just("\r\n  ::set-output name=a::b".to_owned()),
        Just("##[error]z".to_owned()),
        Just("\u{1b}[2J\u{9b}1m\u{7f}\0".to_owned()),
        Just("\u{202e}\u{2066}\u{2028}\u{85}".to_owned()),
        "[a-z`<>&\"\\\\{}%# \\t\\r\\n:]{0,8}",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_format_controls_a_terminal_or_a_runner(
        name in hostile(),
        text in hostile(),
        words in proptest::collection::vec(hostile(), 8),
        places in proptest::collection::vec(0usize..40, 6),
    ) {
        let sources = SourceMap::new();
        let file = sources.add(name.as_str(), SourceKind::File, text.as_str());
        let span = |index: usize| file.span(places[index], places[index + 1]);
        let found = finding(span(0), &words[0])
            .label(words[1].as_str())
            .related(span(1), words[2].as_str())
            .frame(span(2), words[3].as_str())
            .help(words[4].as_str())
            .path(format!("/{}", words[5]))
            .more(places[0])
            .fix(words[6].as_str(), vec![Edit { span: span(3), replacement: words[7].clone() }]);
        let skipped = Unit {
            name: words[0].clone(),
            kind: "yaml",
            skipped: Some(words[1].clone()),
            left_out: vec![LeftOut { what: words[2].clone(), why: words[3].clone() }],
            ..Unit::default()
        };
        let mut run = outcome(vec![Unit { name, kind: "yaml", findings: vec![found.clone()], ..Unit::default() }, skipped]);
        run.general.push(found);
        for format in Format::ALL.iter().copied() {
            let report = crate::render(format, run.clone(), &sources, &Options::default());
            for line in report.split('\n') {
                let fault = fault(line, format);
                prop_assert!(fault.is_none(), "{format}: {fault:?} in {line:?}");
            }
        }
        for line in harmless(&text).split('\n') {
            let fault = fault(&line.replace('\t', " "), Format::Human);
            prop_assert!(fault.is_none(), "{fault:?} in {line:?}");
        }
    }
}
