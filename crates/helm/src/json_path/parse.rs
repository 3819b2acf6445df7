//! From the text of a template to its nodes, with kubectl's errors.

use trueline_gotemplate::{is_alphanumeric, is_print, unquote};

use super::{Node, Slice};

/// Filters in filters.
const DEEPEST: usize = 50;

pub(super) fn parse(text: &str) -> Result<Vec<Node>, String> {
    within(text, 0)
}

fn within(text: &str, depth: usize) -> Result<Vec<Node>, String> {
    if depth > DEEPEST {
        return Err(format!("filters are nested more than {DEEPEST} deep"));
    }
    let mut nodes = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, behind) = rest.split_at_checked(start).unwrap_or((rest, ""));
        if !before.is_empty() {
            nodes.push(Node::Text(before.to_owned()));
        }
        let mut action =
            Action { rest: behind.strip_prefix('{').unwrap_or_default(), nodes: Vec::new(), depth };
        action.read()?;
        nodes.push(Node::List(action.nodes));
        rest = action.rest;
    }
    if !rest.is_empty() {
        nodes.push(Node::Text(rest.to_owned()));
    }
    Ok(nodes)
}

/// The nodes of an expression, as if it were written between braces.
fn inside(text: &str, depth: usize) -> Result<Vec<Node>, String> {
    let nodes = within(&format!("{{{text}}}"), depth + 1)?;
    Ok(match nodes.into_iter().next() {
        Some(Node::List(nodes)) => nodes,
        _ => Vec::new(),
    })
}

/// What stands between braces.
struct Action<'a> {
    rest: &'a str,
    nodes: Vec<Node>,
    depth: usize,
}

impl<'a> Action<'a> {
    /// Reads up to the brace that closes the action.
    fn read(&mut self) -> Result<(), String> {
        loop {
            if let Some(behind) = self.rest.strip_prefix('}') {
                self.rest = behind;
                return Ok(());
            }
            if let Some(behind) = self.rest.strip_prefix("[?(") {
                self.rest = behind;
                self.filter()?;
                continue;
            }
            if let Some(behind) = self.rest.strip_prefix("..") {
                if self.nodes.last() == Some(&Node::Recursive) {
                    return Err("invalid multiple recursive descent".to_owned());
                }
                self.rest = behind;
                self.nodes.push(Node::Recursive);
                if behind.chars().next().is_some_and(is_alphanumeric) {
                    self.field();
                }
                continue;
            }
            let Some(first) = self.rest.chars().next() else { return Err("unclosed action".to_owned()) };
            match first {
                '\r' | '\n' => return Err("unclosed action".to_owned()),
                ' ' | '@' | '$' => self.skip(first),
                '[' => {
                    self.skip(first);
                    self.array()?;
                }
                '"' | '\'' => {
                    self.skip(first);
                    self.quoted(first)?;
                }
                '.' => {
                    self.skip(first);
                    self.field();
                }
                '+' | '-' | '0'..='9' => self.number()?,
                other if is_alphanumeric(other) => self.identifier(),
                other => {
                    let shown = if is_print(other) { format!(" '{other}'") } else { String::new() };
                    let code = u32::from(other);
                    return Err(format!("unrecognized character in action: U+{code:04X}{shown}"));
                }
            }
        }
    }

    fn skip(&mut self, character: char) {
        self.rest = self.rest.get(character.len_utf8()..).unwrap_or_default();
    }

    /// Takes so many bytes.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn identifier(&mut self) {
        let word = self.take(self.rest.find(is_terminator).unwrap_or(self.rest.len()));
        self.nodes.push(match word {
            "true" => Node::Bool(true),
            "false" => Node::Bool(false),
            word => Node::Identifier(word.to_owned()),
        });
    }

    fn field(&mut self) {
        let mut is_escaped = false;
        let mut ends = self.rest.char_indices().filter(|(_, character)| {
            let ends = !is_escaped && is_terminator(*character);
            is_escaped = !is_escaped && *character == '\\';
            ends
        });
        let end = ends.next().map_or(self.rest.len(), |(end, _)| end);
        let name = self.take(end);
        self.nodes.push(match name {
            "*" => Node::Wildcard,
            name => Node::Field(name.replace('\\', "")),
        });
    }

    fn number(&mut self) -> Result<(), String> {
        let sign = usize::from(self.rest.starts_with(['+', '-']));
        let is_part = |character: char| character == '.' || character.is_ascii_digit();
        let digits = self.rest.get(sign..).unwrap_or_default();
        let length = digits.find(|character| !is_part(character)).unwrap_or(digits.len());
        let text = self.take(sign + length);
        let node = match (text.parse(), text.parse()) {
            (Ok(number), _) => Node::Int(number),
            (_, Ok(number)) => Node::Float(number),
            _ => return Err(format!("cannot parse number {text}")),
        };
        self.nodes.push(node);
        Ok(())
    }

    fn quoted(&mut self, quote: char) -> Result<(), String> {
        let unterminated = || "unterminated quoted string".to_owned();
        let mut before = quote;
        let mut end = None;
        for (offset, character) in self.rest.char_indices() {
            match character {
                '\n' => return Err(unterminated()),
                character if character == quote && before != '\\' => {
                    end = Some(offset);
                    break;
                }
                _ => before = character,
            }
        }
        let text = self.take(end.ok_or_else(unterminated)?);
        self.skip(quote);
        let unquoted = u8::try_from(quote).ok().and_then(|quote| unquote(text.as_bytes(), quote));
        let unquoted =
            unquoted.ok_or_else(|| format!("unquote string {quote}{text}{quote} error invalid syntax"))?;
        self.nodes.push(Node::Text(String::from_utf8_lossy(&unquoted).into_owned()));
        Ok(())
    }

    fn array(&mut self) -> Result<(), String> {
        let end = self
            .rest
            .find([']', '\n'])
            .filter(|end| self.rest.get(*end..).is_some_and(|end| end.starts_with(']')));
        let text = self.take(end.ok_or("unterminated array")?);
        self.skip(']');
        let text = if text == "*" { ":" } else { text };
        if text.contains(',') {
            let parts =
                text.split(',').map(|part| inside(&format!("[{}]", part.trim_matches(' ')), self.depth));
            self.nodes.push(Node::Union(parts.collect::<Result<_, _>>()?));
            return Ok(());
        }
        let key = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        if let Some(key) = key.filter(|key| !key.contains('\'')) {
            self.nodes.extend(inside(&format!(".{key}"), self.depth)?);
            return Ok(());
        }
        self.nodes.push(Node::Slice(slice(text)?));
        Ok(())
    }

    fn filter(&mut self) -> Result<(), String> {
        let unterminated = || "unterminated filter".to_owned();
        let mut quote = None;
        let mut is_closed = false;
        let mut before = ' ';
        let mut end = None;
        for (offset, character) in self.rest.char_indices() {
            match character {
                '\n' => return Err(unterminated()),
                '"' | '\'' if quote.is_none() => quote = Some(character),
                '"' | '\'' if before != '\\' && quote == Some(character) => is_closed = true,
                // One pair of quotes is looked for, and no more.
                ')' if quote.is_some() == is_closed => {
                    end = Some(offset);
                    break;
                }
                _ => {}
            }
            before = character;
        }
        let text = self.take(end.ok_or_else(unterminated)?);
        self.skip(')');
        self.rest = self.rest.strip_prefix(']').ok_or("unclosed array expect ]")?;
        let is_operator = |character: char| matches!(character, '!' | '<' | '>' | '=');
        let compared = text.find(is_operator).filter(|start| *start > 0).and_then(|start| {
            let (left, behind) = text.split_at_checked(start)?;
            let length = behind.find(|character| !is_operator(character)).unwrap_or(behind.len());
            // The right side is not empty: the operator gives one of its characters away if need be.
            let length = if length == behind.len() { length.checked_sub(1)? } else { length };
            let (operator, right) = behind.split_at_checked(length)?;
            (!operator.is_empty()).then_some((left, operator, right))
        });
        self.nodes.push(match compared {
            Some((left, operator, right)) => Node::Filter {
                left: inside(left, self.depth)?,
                operator: operator.to_owned(),
                right: inside(right, self.depth)?,
            },
            None => Node::Filter {
                left: inside(text, self.depth)?,
                operator: "exists".to_owned(),
                right: Vec::new(),
            },
        });
        Ok(())
    }
}

/// `start:end:step`, each of which may be left out.
fn slice(text: &str) -> Result<Slice, String> {
    let invalid = || format!("invalid array index {text}");
    let parts: Vec<&str> = text.split(':').collect();
    let digits =
        |part: &str| part.strip_prefix('-').unwrap_or(part).bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(|part| digits(part)) {
        return Err(invalid());
    }
    let number = |index: usize| match parts.get(index).copied() {
        None | Some("") => Ok(None),
        Some(part) => {
            part.parse::<i64>().map(Some).map_err(|_| format!("array index {part} is not a number"))
        }
    };
    let (start, end, step) = (number(0)?, number(1)?, number(2)?);
    let is_single = parts.len() == 1;
    let end = if is_single { Some(start.unwrap_or(0).saturating_add(1)) } else { end };
    Ok(Slice { start, end, is_single, step })
}

/// What ends a word.
fn is_terminator(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}
