//! JUnit's XML, laid out as Go lays it out.

use std::sync::Arc;

use trueline_report::is_control;
use trueline_yaml::number;

use super::Output;
use crate::outcome::{Outcome, Status};

pub(crate) struct JUnit {
    start: (i64, u32),
    suites: Vec<Suite>,
}

/// The results of one file.
struct Suite {
    path: Arc<str>,
    cases: Vec<String>,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl JUnit {
    /// A run that begins now.
    pub(crate) fn new(start: (i64, u32)) -> Self {
        JUnit { start, suites: Vec::new() }
    }

    fn suite(&mut self, path: &Arc<str>) -> Option<&mut Suite> {
        // Results of a file come one after the other, but a file may be named twice.
        let known = self.suites.iter().rposition(|suite| suite.path == *path);
        let index = known.unwrap_or_else(|| {
            let suite =
                Suite { path: Arc::clone(path), cases: Vec::new(), failures: 0, errors: 0, skipped: 0 };
            self.suites.push(suite);
            self.suites.len() - 1
        });
        self.suites.get_mut(index)
    }
}

impl Output for JUnit {
    fn add(&mut self, outcome: &Outcome, _: &mut String) {
        let Outcome { path, signature, message, .. } = outcome;
        let Some(suite) = self.suite(path) else { return };
        let inside = match outcome.status {
            Status::Valid => String::new(),
            Status::Invalid => {
                suite.failures += 1;
                format!("      <failure message=\"{}\" type=\"\"></failure>\n", escaped(message))
            }
            Status::Error => {
                suite.errors += 1;
                format!("      <error message=\"{}\" type=\"\"></error>\n", escaped(message))
            }
            Status::Skipped => {
                suite.skipped += 1;
                "      <skipped message=\"\"></skipped>\n".to_owned()
            }
            Status::Empty => return,
        };
        let name = match signature.namespace.as_str() {
            "" => signature.name.clone(),
            namespace => format!("{namespace}/{}", signature.name),
        };
        let class = format!("{}@{}", signature.kind, signature.version);
        let inside = if inside.is_empty() { inside } else { format!("\n{inside}    ") };
        suite.cases.push(format!(
            "    <testcase name=\"{}\" classname=\"{}\" time=\"0\">{inside}</testcase>\n",
            escaped(&name),
            escaped(&class)
        ));
    }

    fn finish(&mut self, now: (i64, u32)) -> String {
        let sum = |count: fn(&Suite) -> usize| self.suites.iter().map(count).sum::<usize>();
        let seconds = now.0.saturating_sub(self.start.0) as f64
            + (f64::from(now.1) - f64::from(self.start.1)) / 1_000_000_000.0;
        let mut text = format!(
            "<testsuites name=\"kubeconform\" time=\"{}\" tests=\"{}\" failures=\"{}\" disabled=\"{}\" errors=\"{}\">",
            number::general(seconds.max(0.0)),
            sum(|suite| suite.cases.len()),
            sum(|suite| suite.failures),
            sum(|suite| suite.skipped),
            sum(|suite| suite.errors),
        );
        for (index, suite) in self.suites.iter().enumerate() {
            text.push_str(&format!(
                "\n  <testsuite name=\"{}\" id=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" disabled=\"0\" \
                 skipped=\"{}\">",
                escaped(&suite.path),
                index + 1,
                suite.cases.len(),
                suite.failures,
                suite.errors,
                suite.skipped
            ));
            if !suite.cases.is_empty() {
                text.push_str(&format!("\n{}  ", suite.cases.concat()));
            }
            text.push_str("</testsuite>");
        }
        text.push_str(if self.suites.is_empty() { "</testsuites>\n" } else { "\n</testsuites>\n" });
        text
    }
}

/// A string inside an attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\t' => out.push_str("&#x9;"),
            '\n' => out.push_str("&#xA;"),
            '\r' => out.push_str("&#xD;"),
            // What XML has no place for, and what steers a terminal.
            other if is_control(other) => out.push(char::REPLACEMENT_CHARACTER),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::printed;
    use super::JUnit;
    use crate::output::Output;

    #[test]
    fn documents_are_those_of_kubeconform() {
        assert_eq!(
            printed(JUnit::new((10, 0))),
            "<testsuites name=\"kubeconform\" time=\"1.25\" tests=\"6\" failures=\"1\" disabled=\"2\" errors=\"2\">
  <testsuite name=\"a.yaml\" id=\"1\" tests=\"2\" failures=\"1\" errors=\"0\" disabled=\"0\" skipped=\"0\">
    <testcase name=\"a\" classname=\"Pod@v1\" time=\"0\"></testcase>
    <testcase name=\"ns/b\" classname=\"Pod@v1\" time=\"0\">
      <failure message=\"problem: got &lt;a&gt; &amp; &#39;b&#39;\" type=\"\"></failure>
    </testcase>
  </testsuite>
  <testsuite name=\"b.yaml\" id=\"2\" tests=\"4\" failures=\"0\" errors=\"2\" disabled=\"0\" skipped=\"2\">
    <testcase name=\"c\" classname=\"Job@v1\" time=\"0\">
      <error message=\"could not find &#34;it&#34;\" type=\"\"></error>
    </testcase>
    <testcase name=\"\" classname=\"@v1\" time=\"0\">
      <error message=\"no&#xA;kind\" type=\"\"></error>
    </testcase>
    <testcase name=\"d\" classname=\"Job@v1\" time=\"0\">
      <skipped message=\"\"></skipped>
    </testcase>
    <testcase name=\"\" classname=\"Job@v1\" time=\"0\">
      <skipped message=\"\"></skipped>
    </testcase>
  </testsuite>
  <testsuite name=\"c.yaml\" id=\"3\" tests=\"0\" failures=\"0\" errors=\"0\" disabled=\"0\" skipped=\"0\"></testsuite>
</testsuites>
"
        );
        let empty = JUnit::new((10, 0)).finish((10, 0));
        assert_eq!(
            empty,
            "<testsuites name=\"kubeconform\" time=\"0\" tests=\"0\" failures=\"0\" disabled=\"0\" errors=\"0\"></testsuites>\n"
        );
    }
}
