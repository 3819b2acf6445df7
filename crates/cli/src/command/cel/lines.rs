//! Expressions one a line: typed at a prompt, or read from a pipe.

use std::io::{self, BufRead, Read as _};

use trueline_kube::cel::query::Query;

use super::AnswerFormat;
use super::answer::{Printed, answer, cost_only, type_only, wrong};
use crate::command::{Ended, INVALID, VALID, unwritable};
use trueline_source::plain;

/// The longest line that is read, in bytes. Expressions have at most 100,000 characters.
const LONGEST_LINE: u64 = 1 << 20;

const PROMPT: &str = "> ";

const HELP: &str = "Type an expression to evaluate it, or
  :type EXPR   its type, without evaluating it
  :cost EXPR   what it may cost, without evaluating it
  :help        this text
  :quit        leave
";

/// What reads expressions and prints what they give.
#[derive(Debug)]
pub(super) struct Lines<'q> {
    pub(super) query: &'q Query,
    pub(super) format: AnswerFormat,
    /// Whether somebody types.
    pub(super) prompts: bool,
}

impl Lines<'_> {
    /// Reads to the end, or to `:quit`. At a prompt, a mistake does not fail the run.
    pub(super) fn run(
        &self,
        input: &mut dyn BufRead,
        print: &mut dyn FnMut(&str) -> io::Result<()>,
    ) -> Ended {
        let (mut code, mut number, mut has_printed) = (VALID, 0_usize, false);
        let mut say = |text: &str| print(text).map_err(|error| unwritable(&error));
        loop {
            if self.prompts {
                say(PROMPT)?;
            }
            number += 1;
            let Some(line) = read_line(input, number)? else { break };
            let line = line.trim();
            if line.is_empty() || line.starts_with("//") {
                continue;
            }
            let Some(printed) = self.line(line) else { break };
            if has_printed && !self.prompts && self.format == AnswerFormat::Human {
                say("\n")?;
            }
            has_printed = true;
            say(&printed.text)?;
            if printed.code != VALID && !self.prompts {
                code = INVALID;
            }
        }
        if self.prompts {
            say("\n")?;
        }
        Ok(code)
    }

    /// What a line asks for; nothing if it is to leave.
    fn line(&self, line: &str) -> Option<Printed> {
        let Some(command) = line.strip_prefix(':') else {
            return Some(answer(self.query, line, self.format));
        };
        let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        let rest = rest.trim();
        Some(match (name, rest) {
            ("quit" | "q", _) => return None,
            ("help", _) => Printed { text: HELP.to_owned(), code: VALID },
            ("type" | "cost", "") => wrong(&format!("`:{name}` needs an expression"), self.format),
            ("type", expression) => type_only(self.query, expression, self.format),
            ("cost", expression) => cost_only(self.query, expression, self.format),
            _ => wrong(&format!("unknown command `:{name}`; `:help` lists them all"), self.format),
        })
    }
}

/// The next line; nothing at the end.
fn read_line(input: &mut dyn BufRead, number: usize) -> Result<Option<String>, String> {
    let mut bytes = Vec::new();
    let read = input.take(LONGEST_LINE).read_until(b'\n', &mut bytes);
    let read = read.map_err(|error| format!("standard input cannot be read: {}", plain(&error)))?;
    if read == 0 {
        return Ok(None);
    }
    if read as u64 == LONGEST_LINE && !bytes.ends_with(b"\n") {
        return Err(format!("line {number} of standard input is longer than {} MiB", LONGEST_LINE >> 20));
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| format!("line {number} of standard input is not UTF-8 text"))
}
