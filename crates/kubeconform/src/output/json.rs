//! A JSON document, laid out as Go lays it out.

use trueline_yaml::Value;

use super::{Counts, Options, Output};
use crate::outcome::{Outcome, Status};

pub(crate) struct Json {
    options: Options,
    counts: Counts,
    results: Vec<String>,
}

impl Json {
    pub(crate) fn new(options: Options) -> Self {
        Json { options, counts: Counts::default(), results: Vec::new() }
    }
}

/// A string as Go writes it.
fn quoted(text: &str) -> String {
    trueline_report::harmless_json(Value::from(text).to_json_text().unwrap_or_default())
}

/// The members of an object, one a line.
fn object(members: &[(&str, String)], indent: &str) -> String {
    let lines: Vec<String> =
        members.iter().map(|(name, value)| format!("{indent}  \"{name}\": {value}")).collect();
    format!("{{\n{}\n{indent}}}", lines.join(",\n"))
}

/// The items of a list, one a line.
fn list(items: &[String], indent: &str) -> String {
    if items.is_empty() {
        return "[]".to_owned();
    }
    let lines: Vec<String> = items.iter().map(|item| format!("{indent}  {item}")).collect();
    format!("[\n{}\n{indent}]", lines.join(",\n"))
}

impl Output for Json {
    fn add(&mut self, outcome: &Outcome, _: &mut String) {
        self.counts.add(outcome);
        let (status, is_wrong) = match outcome.status {
            Status::Valid => ("statusValid", false),
            Status::Invalid => ("statusInvalid", true),
            Status::Error => ("statusError", true),
            Status::Skipped => ("statusSkipped", false),
            Status::Empty => ("", false),
        };
        if !is_wrong && !self.options.verbose {
            return;
        }
        let Outcome { path, signature, message, causes, .. } = outcome;
        let mut members = vec![
            ("filename", quoted(path)),
            ("kind", quoted(&signature.kind)),
            ("name", quoted(&signature.name)),
            ("version", quoted(&signature.version)),
            ("status", quoted(status)),
            ("msg", quoted(message)),
        ];
        if !causes.is_empty() {
            let causes: Vec<String> = causes
                .iter()
                .map(|cause| {
                    object(&[("path", quoted(&cause.path)), ("msg", quoted(&cause.message))], "        ")
                })
                .collect();
            members.push(("validationErrors", list(&causes, "      ")));
        }
        self.results.push(object(&members, "    "));
    }

    fn finish(&mut self, _: (i64, u32)) -> String {
        let mut members = vec![("resources", list(&self.results, "  "))];
        if self.options.summary {
            let Counts { valid, invalid, errors, skipped, .. } = &self.counts;
            let counts = [("valid", valid), ("invalid", invalid), ("errors", errors), ("skipped", skipped)];
            let counts = counts.map(|(name, count)| (name, count.to_string()));
            members.push(("summary", object(&counts, "  ")));
        }
        format!("{}\n", object(&members, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{options, printed};
    use super::Json;
    use crate::output::Output;

    #[test]
    fn documents_are_those_of_kubeconform() {
        let printed_json = printed(Json::new(options(true, false)));
        let start = r#"{
  "resources": [
    {
      "filename": "a.yaml",
      "kind": "Pod",
      "name": "b",
      "version": "v1",
      "status": "statusInvalid",
      "msg": "problem: got \u003ca\u003e \u0026 'b'",
      "validationErrors": [
        {
          "path": "/x",
          "msg": "got \u003ca\u003e \u0026 'b'"
        }
      ]
    },
    {
      "filename": "b.yaml",
"#;
        let end = r#"      "msg": "no\nkind"
    }
  ],
  "summary": {
    "valid": 1,
    "invalid": 1,
    "errors": 2,
    "skipped": 2
  }
}
"#;
        assert!(printed_json.starts_with(start), "{printed_json}");
        assert!(printed_json.ends_with(end), "{printed_json}");
        let verbose = printed(Json::new(options(false, true)));
        assert_eq!(verbose.matches("\"filename\"").count(), 7);
        assert!(verbose.contains("\"status\": \"\",\n"), "{verbose}");
        assert_eq!(Json::new(options(false, true)).finish((0, 0)), "{\n  \"resources\": []\n}\n");
    }
}
