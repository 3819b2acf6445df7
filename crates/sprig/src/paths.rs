//! Paths with slashes.

use trueline_gotemplate::{Context, Error, Function, Str, Type, Value};

use crate::argument::{any, text};
use crate::define::fixed;

const PATH: &[Type] = &[Type::String];

/// The functions of this family. The system's paths have the same form on the machines that render charts.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("base", PATH, base, "PATH", "The last element of the path."),
    fixed("dir", PATH, dir, "PATH", "The path without its last element, cleaned."),
    fixed("clean", PATH, clean, "PATH", "The shortest equivalent path."),
    fixed("ext", PATH, ext, "PATH", "The extension of the file name, with its dot."),
    fixed("isAbs", PATH, is_abs, "PATH", "Whether the path is absolute."),
    fixed("osBase", PATH, base, "PATH", "Like `base`."),
    fixed("osDir", PATH, dir, "PATH", "Like `dir`."),
    fixed("osClean", PATH, clean, "PATH", "Like `clean`."),
    fixed("osExt", PATH, ext, "PATH", "Like `ext`."),
    fixed("osIsAbs", PATH, is_abs, "PATH", "Like `isAbs`."),
];

fn base(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let path = text(arguments, 0);
    let bytes = path.as_bytes();
    let end = bytes.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let start = bytes.iter().take(end).rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    made(
        arguments,
        match (end, path.is_empty()) {
            (_, true) => Str::from("."),
            (0, false) => path.slice(0..1),
            _ => path.slice(start..end),
        },
    )
}

fn dir(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let path = text(arguments, 0);
    let end = path.as_bytes().iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    made(arguments, cleaned(&path.slice(0..end)))
}

fn clean(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    made(arguments, cleaned(&text(arguments, 0)))
}

fn ext(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let path = text(arguments, 0);
    let bytes = path.as_bytes();
    let name = bytes.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let dot = bytes.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot >= name);
    made(arguments, path.slice(dot.unwrap_or(path.len())..path.len()))
}

fn is_abs(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(text(arguments, 0).as_bytes().starts_with(b"/")))
}

fn made(arguments: &[Value], made: Str) -> Result<Value, Error> {
    Ok(Value::from(made).at(any(arguments, 0).origin))
}

/// The path without empty elements and `.`, and with `..` resolved where possible.
fn cleaned(path: &Str) -> Str {
    let rooted = path.as_bytes().starts_with(b"/");
    let mut elements: Vec<&[u8]> = Vec::new();
    for element in path.as_bytes().split(|byte| *byte == b'/') {
        match element {
            b"" | b"." => {}
            b".." if elements.last().is_some_and(|last| *last != b"..") => {
                elements.pop();
            }
            b".." if rooted => {}
            element => elements.push(element),
        }
    }
    let joined = elements.join(&b'/');
    let cleaned = match (rooted, joined.is_empty()) {
        (true, _) => [b"/", &*joined].concat(),
        (false, true) => b".".to_vec(),
        (false, false) => joined,
    };
    if cleaned == path.as_bytes() { path.clone() } else { Str::from(cleaned) }
}

#[cfg(test)]
mod tests {
    use crate::test_context::check;

    #[test]
    fn functions_return_what_sprig_returns() {
        check(&[
            (r#"base "/a/b.txt""#, r#"string "b.txt""#),
            (r#"base "/a/b/""#, r#"string "b""#),
            (r#"base "///""#, r#"string "/""#),
            (r#"base """#, r#"string ".""#),
            (r#"dir "/a/b.txt""#, r#"string "/a""#),
            (r#"dir "a""#, r#"string ".""#),
            (r#"dir "/""#, r#"string "/""#),
            (r#"dir "a/../b/c""#, r#"string "b""#),
            (r#"clean "/a//b/./../c/""#, r#"string "/a/c""#),
            (r#"clean "../../x""#, r#"string "../../x""#),
            (r#"clean "/..""#, r#"string "/""#),
            (r#"clean """#, r#"string ".""#),
            (r#"ext "a/b.tar.gz""#, r#"string ".gz""#),
            (r#"ext "a.b/c""#, r#"string """#),
            (r#"isAbs "/a""#, "bool true"),
            (r#"osIsAbs "a""#, "bool false"),
            (r#"osClean "a/..""#, r#"string ".""#),
        ]);
    }
}
