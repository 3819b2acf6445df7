//! Names of hosts and addresses of mail.

use core::net::{Ipv4Addr, Ipv6Addr};

/// A host as RFC 1123 has it. Names that are written in other alphabets are taken for what they are, without
/// decoding them.
pub(super) fn hostname(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
            && (label.get(2..4) != Some("--") || label.starts_with("xn--"))
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

/// The same with letters of any alphabet.
pub(super) fn idn_hostname(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63 * 4
            && label.chars().all(|character| character.is_alphanumeric() || character == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    // Full stops of other scripts separate labels too.
    text.chars().count() <= 253 && text.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']).all(is_label)
}

/// A mailbox of RFC 5321.
pub(super) fn email(text: &str) -> bool {
    text.is_ascii() && mailbox(text, hostname)
}

/// The same with letters of any alphabet.
pub(super) fn idn_email(text: &str) -> bool {
    mailbox(text, idn_hostname)
}

fn mailbox(text: &str, is_host: fn(&str) -> bool) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    if local.is_empty() || local.len() > 64 {
        return false;
    }
    let is_local = match local.strip_prefix('"').and_then(|quoted| quoted.strip_suffix('"')) {
        Some(quoted) => is_quoted(quoted),
        None => local.split('.').all(is_atom),
    };
    let literal = domain.strip_prefix('[').and_then(|domain| domain.strip_suffix(']'));
    is_local
        && match literal {
            Some(literal) => match literal.get(..5).filter(|tag| tag.eq_ignore_ascii_case("IPv6:")) {
                Some(_) => literal.get(5..).is_some_and(|address| address.parse::<Ipv6Addr>().is_ok()),
                None => literal.parse::<Ipv4Addr>().is_ok(),
            },
            None => is_host(domain),
        }
}

fn is_atom(atom: &str) -> bool {
    !atom.is_empty()
        && atom.chars().all(|character| {
            character.is_ascii_alphanumeric()
                || "!#$%&'*+-/=?^_`{|}~".contains(character)
                || !character.is_ascii()
        })
}

fn is_quoted(text: &str) -> bool {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let is_printable = |character: char| matches!(character, ' '..='~') || !character.is_ascii();
        let is_fine = match character {
            '\\' => characters.next().is_some_and(is_printable),
            '"' => false,
            other => is_printable(other),
        };
        if !is_fine {
            return false;
        }
    }
    true
}
