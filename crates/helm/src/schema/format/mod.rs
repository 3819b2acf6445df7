//! The formats that Helm's validator knows, with its reasons why a string does not have one.

mod address;
mod moment;
mod url;

use trueline_gostd::quote::{Keep, quote_character};

/// Nothing is wrong, or the reason.
type Verdict = Result<(), String>;

/// Validates a string against a format. An unknown format accepts every string.
pub(super) fn check(format: &str, text: &str) -> Verdict {
    match format {
        "json-pointer" => json_pointer(text),
        "relative-json-pointer" => relative_json_pointer(text),
        "uuid" => uuid(text),
        "semver" => semver(text),
        "regex" => super::compile(text).map(|_| ()),
        "duration" => moment::duration(text),
        "period" => moment::period(text),
        "date" => moment::date(text),
        "time" => moment::time(text),
        "date-time" => moment::date_time(text),
        "ipv4" => address::ipv4(text),
        "ipv6" => address::ipv6(text),
        "hostname" => address::hostname(text),
        "email" => address::email(text),
        "uri" | "iri" => url::absolute(text),
        "uri-reference" | "iri-reference" => url::reference(text),
        "uri-template" => url::template(text),
        _ => Ok(()),
    }
}

/// Validates a string against `duration` as kubeconform understands it.
pub(super) fn check_kubernetes_duration(text: &str) -> Verdict {
    moment::kubernetes_duration(text)
}

fn fail(reason: &str) -> Verdict {
    Err(reason.to_owned())
}

/// A character between single quotes, as Go writes it.
fn quoted(character: char) -> String {
    quote_character(character, Keep::Printable)
}

fn count_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn json_pointer(text: &str) -> Verdict {
    if text.is_empty() {
        return Ok(());
    }
    if !text.starts_with('/') {
        return fail("not starting with /");
    }
    let wrong = text.match_indices('~').any(|(index, _)| {
        let next = text.as_bytes().get(index + 1);
        !matches!(next, Some(b'0' | b'1'))
    });
    if wrong { fail("~ must be followed by 0 or 1") } else { Ok(()) }
}

fn relative_json_pointer(text: &str) -> Verdict {
    let digits = count_digits(text);
    if digits == 0 {
        return fail("must start with non-negative integer");
    }
    if digits > 1 && text.starts_with('0') {
        return fail("starts with zero");
    }
    match text.get(digits..).unwrap_or_default() {
        "#" => Ok(()),
        rest => json_pointer(rest),
    }
}

fn uuid(text: &str) -> Verdict {
    const LENGTHS: [usize; 5] = [8, 4, 4, 4, 12];
    let groups: Vec<&str> = text.split('-').collect();
    if groups.len() != LENGTHS.len() {
        return Err(format!("must have {} elements", LENGTHS.len()));
    }
    for (index, (group, length)) in groups.into_iter().zip(LENGTHS).enumerate() {
        if group.len() != length {
            return Err(format!("element {} must be {length} characters long", index + 1));
        }
        if let Some(wrong) = group.chars().find(|letter| !letter.is_ascii_hexdigit()) {
            return Err(format!("non-hex character {}", quoted(wrong)));
        }
    }
    Ok(())
}

fn semver(text: &str) -> Verdict {
    let stray = |identifier: &str| {
        identifier.chars().find(|letter| !letter.is_ascii_alphanumeric() && *letter != '-')
    };
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    if build == Some("") {
        return fail("build is empty");
    }
    for identifier in build.into_iter().flat_map(|build| build.split('.')) {
        if identifier.is_empty() {
            return fail("build identifier is empty");
        }
        if let Some(wrong) = stray(identifier) {
            return Err(format!("invalid character {} in build identifier", quoted(wrong)));
        }
    }
    let (core, before) = text.split_once('-').map_or((text, None), |(core, before)| (core, Some(before)));
    for identifier in before.into_iter().flat_map(|before| before.split('.')) {
        if identifier.is_empty() {
            return fail("pre-release identifier is empty");
        }
        if let Some(wrong) = stray(identifier) {
            return Err(format!("invalid character {} in pre-release identifier", quoted(wrong)));
        }
        if identifier.len() > 1 && identifier.starts_with('0') && count_digits(identifier) == identifier.len()
        {
            return fail("pre-release numeric identifier starts with zero");
        }
    }
    let numbers: Vec<&str> = core.split('.').collect();
    if numbers.len() != 3 {
        return fail("versionCore must have 3 numbers separated by dot");
    }
    for (name, number) in ["major", "minor", "patch"].into_iter().zip(numbers) {
        if number.is_empty() {
            return Err(format!("{name} is empty"));
        }
        if number.len() > 1 && number.starts_with('0') {
            return Err(format!("{name} starts with zero"));
        }
        if count_digits(number) != number.len() {
            return Err(format!("{name} contains non-digit"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn texts_are_of_their_formats_or_it_is_said_why_not() {
        for (format, text, reason) in [
            ("json-pointer", "/a~0b/c", ""),
            ("json-pointer", "a", "not starting with /"),
            ("json-pointer", "/a~2", "~ must be followed by 0 or 1"),
            ("relative-json-pointer", "1#", ""),
            ("relative-json-pointer", "x", "must start with non-negative integer"),
            ("relative-json-pointer", "01", "starts with zero"),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000", ""),
            ("uuid", "123", "must have 5 elements"),
            ("uuid", "123e4567-e89b-12d3-a456-42661417400", "element 5 must be 12 characters long"),
            ("uuid", "123e4567-e89b-12d3-a456-42661417400x", "non-hex character 'x'"),
            ("semver", "1.2.3-rc.1+b", ""),
            ("semver", "1.2", "versionCore must have 3 numbers separated by dot"),
            ("semver", "1.02.3", "minor starts with zero"),
            ("semver", "1.2.3-01", "pre-release numeric identifier starts with zero"),
            ("semver", "1.2.3+a_b", "invalid character '_' in build identifier"),
            ("no-such-format", "x", ""),
        ] {
            let found = check(format, text).err().unwrap_or_default();
            assert_eq!(found, reason, "{format} {text}");
        }
    }
}
