//! File marks: `--file-mark PATH:KEY=VALUE` changes what a file counts as.

use super::{FileType, InputFile, Output, Templating};
use crate::error::{Error, ErrorKind};

/// Applies marks in their order. Files that a mark excludes are left out.
pub fn apply_marks(mut files: Vec<InputFile>, marks: &[String]) -> Result<Vec<InputFile>, Error> {
    // Files are known by their numbers: marks exclude some, and the others keep theirs.
    let mut exclusive = Vec::new();
    for mark in marks {
        let Mark { pattern, effect } = parse(mark)?;
        let mut has_matched = false;
        let mut kept = Vec::with_capacity(files.len());
        for mut file in files {
            if !matches(&pattern, &file.original_path) {
                kept.push(file);
                continue;
            }
            has_matched = true;
            match effect.clone().map_err(flag)? {
                Effect::Path(path) => file.marked_path = Some(path.into()),
                Effect::Exclude => continue,
                Effect::Type(file_type, templating) => {
                    file.marked_type = Some(file_type);
                    file.marked_templating = Some(templating);
                }
                Effect::ForOutput => file.marked_output.set(Some(Output::Printed)),
                Effect::ExclusiveForOutput => exclusive.push(file.order),
            }
            kept.push(file);
        }
        if !has_matched {
            return Err(flag(format!(
                "Expected file mark '{mark}' to match at least one file by path, but did not"
            )));
        }
        files = kept;
    }
    if !exclusive.is_empty() {
        exclusive.sort_unstable();
        for file in &files {
            let is_chosen = exclusive.binary_search(&file.order).is_ok();
            file.marked_output.set(Some(if is_chosen { Output::Printed } else { Output::NotPrinted }));
        }
    }
    Ok(files)
}

fn flag(text: String) -> Error {
    Error::new(ErrorKind::Flag, text)
}

struct Mark {
    pattern: Vec<Piece>,
    /// What it does, or why it cannot be done, which is only an error if a file matches.
    effect: Result<Effect, String>,
}

#[derive(Debug, Clone)]
enum Effect {
    Path(String),
    Exclude,
    Type(FileType, Templating),
    ForOutput,
    ExclusiveForOutput,
}

fn parse(mark: &str) -> Result<Mark, Error> {
    let Some((path, setting)) = mark.split_once(':') else {
        return Err(flag(format!("Expected file mark '{mark}' to be in format path:key=value")));
    };
    let Some((key, value)) = setting.split_once('=') else {
        return Err(flag(format!("Expected file mark '{mark}' key-value portion to be in format key=value")));
    };
    Ok(Mark { pattern: pattern(path), effect: effect(mark, key, value) })
}

fn effect(mark: &str, key: &str, value: &str) -> Result<Effect, String> {
    use Templating::{Plain, Template};
    let unknown_value = || Err(format!("Unknown value in file mark '{mark}'"));
    match (key, value) {
        ("path", path) => Ok(Effect::Path(path.to_owned())),
        ("exclude", "true") => Ok(Effect::Exclude),
        ("for-output", "true") => Ok(Effect::ForOutput),
        ("exclusive-for-output", "true") => Ok(Effect::ExclusiveForOutput),
        ("type", "yaml-template") => Ok(Effect::Type(FileType::Yaml, Template)),
        ("type", "yaml-plain") => Ok(Effect::Type(FileType::Yaml, Plain)),
        ("type", "text-template") => Ok(Effect::Type(FileType::Text, Template)),
        ("type", "text-plain") => Ok(Effect::Type(FileType::Text, Plain)),
        ("type", "starlark") => Ok(Effect::Type(FileType::Starlark, Plain)),
        ("type", "data") => Ok(Effect::Type(FileType::Unknown, Plain)),
        ("exclude" | "for-output" | "exclusive-for-output" | "type", _) => unknown_value(),
        _ => Err(format!("Unknown key in file mark '{mark}'")),
    }
}

/// A part of a pattern for paths.
enum Piece {
    Literal(String),
    /// At least one character.
    Anything,
    /// At least one character, and no `/`.
    InSegment,
}

/// The first `**/*` stands for any number of directories with a file, then the first `*` for a part of a name.
fn pattern(path: &str) -> Vec<Piece> {
    let split = |text: &str| match text.split_once('*') {
        Some((before, after)) => {
            vec![Piece::Literal(before.to_owned()), Piece::InSegment, Piece::Literal(after.to_owned())]
        }
        None => vec![Piece::Literal(text.to_owned())],
    };
    match path.split_once("**/*") {
        None => split(path),
        // Only one `*` counts, wherever it is.
        Some((before, after)) if before.contains('*') => {
            let mut pieces = split(before);
            pieces.extend([Piece::Anything, Piece::Literal(after.to_owned())]);
            pieces
        }
        Some((before, after)) => {
            let mut pieces = vec![Piece::Literal(before.to_owned()), Piece::Anything];
            pieces.extend(split(after));
            pieces
        }
    }
}

/// Whether a path fits. There are at most two wildcards, so trying all their lengths is cheap.
fn matches(pattern: &[Piece], path: &str) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((Piece::Literal(text), rest)) => {
            path.strip_prefix(text.as_str()).is_some_and(|path| matches(rest, path))
        }
        Some((Piece::Anything, rest)) => {
            // A wildcard of a regular expression does not match line breaks.
            let end = path.find('\n').unwrap_or(path.len());
            ends(path).take_while(|&at| at <= end).any(|at| matches(rest, path.get(at..).unwrap_or_default()))
        }
        Some((Piece::InSegment, rest)) => {
            let end = path.find('/').unwrap_or(path.len());
            ends(path).take_while(|&at| at <= end).any(|at| matches(rest, path.get(at..).unwrap_or_default()))
        }
    }
}

/// Where each character ends.
fn ends(text: &str) -> impl Iterator<Item = usize> {
    text.char_indices().map(|(at, character)| at + character.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::numbered;

    #[test]
    fn patterns_have_two_wildcards() {
        for (mark, path, fits) in [
            ("a.yml", "a.yml", true),
            ("a.yml", "b/a.yml", false),
            ("**/*", "a/b/c.yml", true),
            ("**/*", "", false),
            ("a/**/*", "a/b/c.yml", true),
            ("a/**/*", "b/c.yml", false),
            ("*.yml", "a.yml", true),
            ("*.yml", "b/a.yml", false),
            ("*.yml", ".yml", false),
            ("a/*/c.yml", "a/b/c.yml", true),
            ("*/*.yml", "a/*.yml", true),
            ("*/*.yml", "a/b.yml", false),
            ("*/**/*.yml", "a/b/c.yml", true),
            ("a.y+l", "a.yl", false),
        ] {
            assert_eq!(matches(&pattern(mark), path), fits, "{mark} {path}");
        }
    }

    fn marked(marks: &[&str]) -> Result<Vec<InputFile>, String> {
        let files = ["a.yml", "b.txt", "d/c.yml"].map(|path| InputFile::new(path, Vec::new()));
        let marks: Vec<String> = marks.iter().map(|mark| (*mark).to_owned()).collect();
        apply_marks(numbered(files.into()), &marks).map_err(|error| error.to_string())
    }

    fn shown(marks: &[&str]) -> String {
        let files = marked(marks).expect("the marks are right");
        let words: Vec<String> = files
            .iter()
            .map(|file| {
                let output = if file.is_for_output() { "+" } else { "-" };
                format!("{output}{}:{:?}", file.path(), file.file_type())
            })
            .collect();
        words.join(" ")
    }

    #[test]
    fn marks_change_files() {
        assert_eq!(shown(&["a.yml:exclude=true"]), "+b.txt:Text +d/c.yml:Yaml");
        assert_eq!(shown(&["d/c.yml:exclusive-for-output=true"]), "-a.yml:Yaml -b.txt:Text +d/c.yml:Yaml");
        assert_eq!(shown(&["a.yml:path=x.star"]), "-x.star:Starlark +b.txt:Text +d/c.yml:Yaml");
        assert_eq!(shown(&["**/*:type=data"]), "-a.yml:Unknown -b.txt:Unknown -d/c.yml:Unknown");
        assert_eq!(shown(&["b.txt:type=yaml-plain"]), "+a.yml:Yaml +b.txt:Yaml +d/c.yml:Yaml");
    }

    #[test]
    fn wrong_marks_are_reported() {
        for (mark, words) in [
            ("a.yml", "Expected file mark 'a.yml' to be in format path:key=value"),
            ("a.yml:x", "Expected file mark 'a.yml:x' key-value portion to be in format key=value"),
            ("a.yml:x=y", "Unknown key in file mark 'a.yml:x=y'"),
            ("a.yml:type=y", "Unknown value in file mark 'a.yml:type=y'"),
            ("x.yml:x=y", "Expected file mark 'x.yml:x=y' to match at least one file by path, but did not"),
        ] {
            assert_eq!(marked(&[mark]).err().as_deref(), Some(words));
        }
    }
}
