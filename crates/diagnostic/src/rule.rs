//! Rules: what a finding of a code is about in particular, by a name.

use std::fmt;

use crate::Code;

/// A rule that findings name beside their code: declared once, beside the check that uses it.
#[derive(Debug)]
pub struct RuleInfo {
    /// The stable name, `family/words-with-dashes`, such as `service/duplicate-node-port`; never reused.
    pub name: &'static str,
    /// The code of its findings.
    pub code: &'static Code,
    /// What it demands, line by line: the first paragraph is a summary, what follows explains it.
    pub about: &'static [&'static str],
}

impl PartialEq for RuleInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for RuleInfo {}

impl fmt::Display for RuleInfo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

impl RuleInfo {
    /// One sentence: what is wrong where it is broken.
    pub fn summary(&self) -> String {
        let lines = self.about.iter().map(|line| line.trim()).take_while(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join(" ")
    }

    /// What there is to say beyond the summary, in Markdown paragraphs; may be empty.
    pub fn explanation(&self) -> String {
        let lines = self.about.iter().map(|line| line.trim()).skip_while(|line| !line.is_empty());
        let mut text = String::new();
        for line in lines {
            match line {
                "" if !text.is_empty() => text.push_str("\n\n"),
                "" => {}
                line => {
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push(' ');
                    }
                    text.push_str(line);
                }
            }
        }
        text
    }
}
