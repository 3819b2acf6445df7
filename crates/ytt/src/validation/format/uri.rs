//! URIs of RFC 3986, IRIs of RFC 3987, and templates of RFC 6570.

use core::net::Ipv6Addr;

/// Which characters may be there as they are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Ascii,
    Any,
}

pub(super) fn uri(text: &str) -> bool {
    absolute(text, Alphabet::Ascii)
}

pub(super) fn uri_reference(text: &str) -> bool {
    reference(text, Alphabet::Ascii)
}

pub(super) fn iri(text: &str) -> bool {
    absolute(text, Alphabet::Any)
}

pub(super) fn iri_reference(text: &str) -> bool {
    reference(text, Alphabet::Any)
}

/// The text after a scheme, if there is one.
fn after_scheme(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(rest)
}

fn absolute(text: &str, alphabet: Alphabet) -> bool {
    after_scheme(text).is_some_and(|rest| hierarchy(rest, alphabet))
}

fn reference(text: &str, alphabet: Alphabet) -> bool {
    if absolute(text, alphabet) {
        return true;
    }
    // Without a scheme, a colon in the first part of a path would look like one.
    let first = text.split(['/', '?', '#']).next().unwrap_or_default();
    !first.contains(':') && hierarchy(text, alphabet)
}

/// Authority, path, query and fragment.
fn hierarchy(text: &str, alphabet: Alphabet) -> bool {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (text, query) = text.split_once('?').unwrap_or((text, ""));
    let (authority, path) = match text.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", text),
    };
    is_authority(authority, alphabet)
        && consists_of(path, ":@/", alphabet)
        && consists_of(query, ":@/?", alphabet)
        && consists_of(fragment, ":@/?", alphabet)
}

fn is_authority(text: &str, alphabet: Alphabet) -> bool {
    let (user, host) = text.rsplit_once('@').unwrap_or(("", text));
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let is_host = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').is_some_and(|(literal, port)| {
            (literal.parse::<Ipv6Addr>().is_ok() || is_future_address(literal))
                && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
        }),
        None => {
            let (name, port) = host.split_once(':').unwrap_or((host, ""));
            consists_of(name, "", alphabet) && is_port(port)
        }
    };
    consists_of(user, ":", alphabet) && is_host
}

fn is_future_address(text: &str) -> bool {
    let Some((version, address)) = text.strip_prefix(['v', 'V']).and_then(|rest| rest.split_once('.')) else {
        return false;
    };
    !version.is_empty()
        && version.bytes().all(|byte| byte.is_ascii_hexdigit())
        && !address.is_empty()
        && consists_of(address, ":", Alphabet::Ascii)
        && !address.contains('%')
}

/// Whether a string is made of letters, digits, marks that are always allowed, escapes, and some more characters.
fn consists_of(text: &str, more: &str, alphabet: Alphabet) -> bool {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let is_fine = match character {
            '%' => {
                let mut hexadecimal = || characters.next().is_some_and(|digit| digit.is_ascii_hexdigit());
                hexadecimal() && hexadecimal()
            }
            _ if character.is_ascii() => {
                character.is_ascii_alphanumeric()
                    || "-._~!$&'()*+,;=".contains(character)
                    || more.contains(character)
            }
            _ => alphabet == Alphabet::Any && !character.is_control() && !character.is_whitespace(),
        };
        if !is_fine {
            return false;
        }
    }
    true
}

/// A template: literals, and expressions in braces.
pub(super) fn template(text: &str) -> bool {
    let mut rest = text;
    loop {
        let (literal, after) = match rest.split_once('{') {
            Some((literal, after)) => (literal, Some(after)),
            None => (rest, None),
        };
        let is_literal = |character: char| !character.is_control() && !" \"'<>\\^`{|}".contains(character);
        if !literal.chars().all(is_literal) || !has_whole_escapes(literal) {
            return false;
        }
        let Some(after) = after else { return true };
        let Some((expression, next)) = after.split_once('}') else { return false };
        let variables = expression.strip_prefix(['+', '#', '.', '/', ';', '?', '&', '=', ',', '!', '@', '|']);
        if !variables.unwrap_or(expression).split(',').all(is_variable) {
            return false;
        }
        rest = next;
    }
}

fn has_whole_escapes(text: &str) -> bool {
    text.split('%')
        .skip(1)
        .all(|after| after.len() >= 2 && after.bytes().take(2).all(|byte| byte.is_ascii_hexdigit()))
}

fn is_variable(text: &str) -> bool {
    let name = match text.split_once(':') {
        Some((name, length)) => {
            let is_length = (1..=4).contains(&length.len())
                && length.bytes().all(|byte| byte.is_ascii_digit())
                && !length.starts_with('0');
            if !is_length {
                return false;
            }
            name
        }
        None => text.strip_suffix('*').unwrap_or(text),
    };
    let is_name = |part: &str| {
        let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'%';
        !part.is_empty() && part.bytes().all(is_fine) && has_whole_escapes(part)
    };
    name.split('.').all(is_name)
}
