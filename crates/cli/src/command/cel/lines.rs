//! Expressions one a line: typed at a prompt, or read from a pipe.

use std::io::{self, BufRead, Read as _};

use trueline_analysis::query::Query;

use super::AnswerFormat;
use super::answer::{Printed, answer, cost_only, type_only, wrong};
use crate::command::{Ended, INVALID, VALID};
use crate::failure::Failure;

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
        let mut say = |text: &str| print(text).map_err(Failure::Output);
        loop {
            if self.prompts {
                say(PROMPT)?;
            }
            number += 1;
            let Some(line) = read_line(input, number)? else { break };
            let line = if self.prompts { without_keys(&line) } else { line };
            let line = line.trim();
            if line.is_empty() || line.starts_with("//") {
                continue;
            }
            let Some(printed) = self.line(line) else { return Ok(code) };
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

/// What was typed without the arrows and the like, which a terminal sends as `ESC [ A`. There is no line to go back to.
fn without_keys(line: &str) -> String {
    let mut typed = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => {
                if matches!(characters.next(), Some('[' | 'O')) {
                    // Numbers and semicolons, up to the letter or tilde that ends it.
                    let _ = characters.by_ref().find(|end| end.is_ascii_alphabetic() || *end == '~');
                }
            }
            other => typed.push(other),
        }
    }
    typed
}

/// The next line; nothing at the end.
fn read_line(input: &mut dyn BufRead, number: usize) -> Result<Option<String>, Failure> {
    let mut bytes = Vec::new();
    let read = input.take(LONGEST_LINE).read_until(b'\n', &mut bytes);
    let read = read.map_err(Failure::Input)?;
    if read == 0 {
        return Ok(None);
    }
    if read as u64 == LONGEST_LINE && !bytes.ends_with(b"\n") {
        return Err(Failure::LongLine(number, LONGEST_LINE));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| Failure::BinaryLine(number))
}

#[cfg(test)]
mod tests {
    use super::without_keys;

    #[test]
    fn keys_of_a_terminal_are_left_out() {
        for (line, typed) in [
            ("\u{1b}[A1 + 1", "1 + 1"),
            ("1\u{1b}[1;5D2", "12"),
            ("a\u{1b}OHb\u{1b}", "ab"),
            ("1 + 1", "1 + 1"),
        ] {
            assert_eq!(without_keys(line), typed);
        }
    }
}
