//! Upper and lower case, and the cases of names.

use trueline_gotemplate::{Context, Error, Function, Str, Type, Uses, Value, is_alphanumeric};

use crate::argument::{any, text};
use crate::case::{is_lower, is_title, is_upper, to_lower, to_title, to_upper};
use crate::define::fixed;
use crate::traced::mapped;
use crate::words;

const TEXT: &[Type] = &[Type::String];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("upper", TEXT, upper, "STRING", "The string in upper case.").with(Uses::Printed),
    fixed("lower", TEXT, lower, "STRING", "The string in lower case.").with(Uses::Printed),
    fixed(
        "title",
        TEXT,
        title,
        "STRING",
        "The string with each letter in upper case that follows a character other than a letter.",
    ),
    fixed("untitle", TEXT, untitle, "STRING", "The string with the first letter of each word in lower case."),
    fixed("swapcase", TEXT, swapcase, "STRING", "The string with upper and lower case swapped."),
    fixed(
        "camelcase",
        TEXT,
        camelcase,
        "STRING",
        "The words joined without separators, each with an upper-case first letter.",
    ),
    fixed("snakecase", TEXT, snakecase, "STRING", "The words in lower case joined by `_`."),
    fixed("kebabcase", TEXT, kebabcase, "STRING", "The words in lower case joined by `-`."),
    fixed("initials", TEXT, initials, "STRING", "The first letters of the words."),
];

fn made(arguments: &[Value], made: Str) -> Result<Value, Error> {
    Ok(Value::from(made).at(any(arguments, 0).origin))
}

fn upper(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    made(arguments, mapped(&text(arguments, 0), to_upper))
}

fn lower(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    made(arguments, mapped(&text(arguments, 0), to_lower))
}

fn title(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let mut previous = ' ';
    let title = mapped(&text(arguments, 0), |character| {
        let separated = !is_alphanumeric(previous) && (previous.is_ascii() || previous.is_whitespace());
        previous = character;
        if separated { to_title(character) } else { character }
    });
    made(arguments, title)
}

fn untitle(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let mut first = true;
    let untitled = mapped(&text(arguments, 0), |character| {
        if character.is_whitespace() {
            first = true;
            return character;
        }
        if std::mem::take(&mut first) { to_lower(character) } else { character }
    });
    made(arguments, untitled)
}

fn swapcase(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let mut after_space = true;
    let swapped = mapped(&text(arguments, 0), |character| {
        if is_upper(character) || is_title(character) {
            after_space = false;
            to_lower(character)
        } else if is_lower(character) {
            if std::mem::take(&mut after_space) { to_title(character) } else { to_upper(character) }
        } else {
            after_space = character.is_whitespace();
            character
        }
    });
    made(arguments, swapped)
}

fn camelcase(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    made(arguments, words::camel_case(text(arguments, 0).as_bytes()).into())
}

fn snakecase(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    separated(context, arguments, '_')
}

fn kebabcase(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    separated(context, arguments, '-')
}

/// The words joined by a character. Splitting takes several times as long as other string functions.
fn separated(context: &mut dyn Context, arguments: &[Value], between: char) -> Result<Value, Error> {
    let whole = text(arguments, 0);
    context.spend(whole.len() as u64)?;
    made(arguments, words::separated(whole.as_bytes(), between).into())
}

/// Each byte counts as a character, as in the original.
fn initials(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let mut after_space = true;
    let mut initials = String::new();
    for byte in text(arguments, 0).as_bytes() {
        let character = char::from(*byte);
        if character.is_whitespace() {
            after_space = true;
        } else if std::mem::take(&mut after_space) {
            initials.push(character);
        }
    }
    made(arguments, initials.into())
}

#[cfg(test)]
mod tests {
    use crate::test_context::check;

    #[test]
    fn functions_return_what_sprig_returns() {
        check(&[
            (r#"upper "aß é1""#, r#"string "Aß É1""#),
            (r#"lower "AİÉ""#, r#"string "aié""#),
            (r#"title "it's a hello-world é_x 2nd""#, r#"string "It'S A Hello-World É_x 2nd""#),
            (r#"untitle "Hello World ÉA""#, r#"string "hello world éA""#),
            (r#"swapcase "This is ONE ǅ""#, r#"string "tHIS IS one ǆ""#),
            (r#"camelcase "http_server""#, r#"string "HttpServer""#),
            (r#"snakecase "HTTPServer 2x""#, r#"string "http_server_2x""#),
            (r#"kebabcase "A1B2c3""#, r#"string "a1-b-2c3""#),
            (r#"snakecase "a漢Bé…X""#, r#"string "a_漢_bé…x""#),
            (r#"initials "First Try""#, r#"string "FT""#),
            (r#"initials "éa b""#, r#"string "Ãb""#),
        ]);
    }
}
