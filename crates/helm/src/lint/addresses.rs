//! Addresses of people and pages in Chart.yaml: what Helm takes for one.

use trueline_gostd::url::Url;
use trueline_sprig::regexp::Regexp;

/// Whether a string is an email address.
pub(super) fn is_mailbox(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_local = match local.strip_suffix('"') {
        Some(inside) => is_quoted(inside),
        None => local.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_atom)),
    };
    is_local && is_domain(domain.strip_suffix('.').unwrap_or(domain))
}

/// What stands before the last quote of a name in quotes. Helm's pattern has a slip: it wants a quote before each
/// character.
fn is_quoted(mut rest: &str) -> bool {
    let blank = [' ', '\t'];
    while !rest.trim_matches(blank).is_empty() {
        let Some(behind) = rest.strip_prefix('"').map(|behind| behind.trim_start_matches(blank)) else {
            return false;
        };
        let mut characters = behind.chars();
        let is_allowed = match characters.next() {
            // It may be followed by anything, as a comment would be.
            Some('(') => {
                if characters.as_str().starts_with(|next: char| next.is_ascii() && next != '"') {
                    characters.next();
                }
                true
            }
            Some(character) => {
                let is_control = matches!(character, '\u{1}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}');
                let is_plain = character.is_ascii_graphic() && !matches!(character, '"' | '\\');
                is_control || is_plain || is_foreign(character)
            }
            None => false,
        };
        if !is_allowed {
            return false;
        }
        rest = characters.as_str();
    }
    true
}

fn is_atom(character: char) -> bool {
    character.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(character) || is_foreign(character)
}

/// Letters beyond ASCII, as far as mailboxes have them.
fn is_foreign(character: char) -> bool {
    matches!(character, '\u{a0}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{ffef}')
}

/// A name with at least one dot, whose last part begins and ends with a letter.
fn is_domain(domain: &str) -> bool {
    let Some((name, top)) = domain.rsplit_once('.') else { return false };
    let letter = |character: char| character.is_ascii_alphabetic() || is_foreign(character);
    let letter_or_digit = |character: char| letter(character) || character.is_ascii_digit();
    let framed = |text: &str, end: &dyn Fn(char) -> bool, inside: &str| {
        text.starts_with(end)
            && text.ends_with(end)
            && text.chars().all(|character| letter_or_digit(character) || inside.contains(character))
    };
    framed(name, &letter_or_digit, "-._~") && framed(top, &letter, "-_~")
}

/// Whether a string can be requested: it has a scheme, and the rest is well formed.
pub(super) fn is_request(text: &str) -> bool {
    // A server is never asked for a fragment, so `#` is a character like any other.
    let escaped = text.replace('#', "%23");
    !text.is_empty() && Url::parse(escaped.as_bytes()).is_ok_and(|url| !url.scheme.is_empty())
}

/// Whether a string is the URL of a page, with or without a scheme.
pub(super) fn is_page(text: &str) -> bool {
    const LONGEST: usize = 2083;
    const SHORTEST: usize = 3;
    if text.len() <= SHORTEST || text.chars().count() >= LONGEST || text.starts_with('.') {
        return false;
    }
    let has_port_only = text.contains(':') && !text.contains("://");
    let whole = if has_port_only { format!("http://{text}") } else { text.to_owned() };
    let Ok(url) = Url::parse(whole.as_bytes()) else { return false };
    if url.host.starts_with(b".") {
        return false;
    }
    if url.host.is_empty() && !url.path.is_empty() && !url.path.contains(&b'.') {
        return false;
    }
    // Reading the pattern takes longer than all else that is said of a Chart.yaml.
    is_ordinary_page(text)
        || Regexp::compile(PAGE.as_bytes()).is_ok_and(|pattern| pattern.is_match(text.as_bytes()))
}

/// Whether an address has the form that nearly all have, which the pattern takes: names of letters and digits with dots
/// between them, and a path.
fn is_ordinary_page(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else {
        return false;
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let Some((names, last)) = host.rsplit_once('.') else { return false };
    let is_name = |name: &str| name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    names.split('.').all(is_name)
        && !last.is_empty()
        && last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && path.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The form of a page's address: a scheme, a login, a host, a dot, a port, a path; all but the host can be missing.
const PAGE: &str = concat!(
    r"^(?:(?:ftp|tcp|udp|wss?|https?)://)?(?:\S+@)?(?:",
    // Four numbers; the first one is not that of a group of machines.
    r"(?:[1-9]\d?|1\d\d|2[01]\d|22[0-3]|24\d|25[0-5])",
    r"(?:\.(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5])){3}",
    r"|\[[0-9a-zA-Z:.%]+\]",
    // A name: parts before it in ASCII, then the name itself and the end of it.
    r"|(?:[a-zA-Z0-9][\w-]*[a-zA-Z0-9](?:[-.][a-zA-Z0-9]+)*",
    r"|www\.|[a-zA-Z0-9]+(?:[-_.]?[a-zA-Z0-9])*[a-zA-Z0-9]\.[a-zA-Z0-9]+)?",
    r"(?:[a-zA-Z0-9\x{a1}-\x{ffff}]+-{0,2})*[a-zA-Z0-9\x{a1}-\x{ffff}]+(?:\.[a-zA-Z\x{a1}-\x{ffff}]+)?",
    r")\.?(?::\d{1,5})?(?:[/?#]\S*)?$"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mailboxes_are_told_from_other_texts() {
        for (text, is_right) in [
            ("n@e.example", true),
            ("first.last+tag@sub.example.co", true),
            ("o'neil@example.com.", true),
            ("\"a\"@example.com", true),
            ("\"a b\"@example.com", false),
            ("\" (x\"@example.com", true),
            ("\"\"@example.com", false),
            ("é@exämple.com", true),
            ("nope", false),
            ("a@b", false),
            ("a@b.c1", false),
            ("a..b@example.com", false),
            ("@example.com", false),
            ("a b@example.com", false),
            ("a@-example.com", false),
            ("a@example.com>", false),
        ] {
            assert_eq!(is_mailbox(text), is_right, "{text}");
        }
    }

    #[test]
    fn requests_have_a_scheme() {
        for (text, is_right) in [
            ("https://example.com/a.png", true),
            ("data:image/png;base64,AAAA", true),
            ("mailto:x", true),
            ("git@github.com:a/b.git", false),
            ("example.com/a.png", false),
            ("./icon.png", false),
            ("/icon.png", false),
            ("not a url", false),
            ("", false),
            ("http://[::1", false),
            ("https://example.com/#%zz", false),
        ] {
            assert_eq!(is_request(text), is_right, "{text}");
        }
    }

    #[test]
    fn pages_may_have_no_scheme() {
        for (text, is_right) in [
            ("https://example.com", true),
            ("example.com", true),
            ("www.example.com/path?x=1#y", true),
            ("http://localhost:8080/x", true),
            ("http://127.0.0.1/", true),
            ("http://[::1]:80/", true),
            ("https://user:pass@example.com", true),
            ("https://github.com/some-one_x/y", true),
            ("ht tp://x", false),
            ("word", false),
            ("x", false),
            (".example.com", false),
            ("http://.example.com", false),
            ("http://example.com:123456", false),
            ("http://-a.com", false),
            ("http://a_b.c", false),
            ("http://a__b.com", true),
            ("http://a---b.com", true),
            ("http://a-.com", false),
            ("http://a..com", false),
            ("http://a.b.c.d.1", false),
            ("http://x", true),
            ("http://é.fr", true),
            ("http://a.é.fr", false),
            ("http://a.com.", true),
            ("http://300.1.1.1", false),
            ("ssh://x.y", false),
            ("http:///x.y", false),
            ("x:80", true),
            ("a.b:80/x", true),
            ("a@b", false),
            ("mailto:a@b.c", true),
            ("http://a/@", true),
            ("@abc", false),
            ("http://b@", false),
            ("http://www.", true),
            ("http://a1.2b", true),
            ("https://www.sub.example.com/a/b?c#d", true),
        ] {
            assert_eq!(is_page(text), is_right, "{text}");
            let is_taken = Regexp::compile(PAGE.as_bytes()).unwrap().is_match(text.as_bytes());
            assert!(is_taken || !is_ordinary_page(text), "{text}");
        }
    }
}
