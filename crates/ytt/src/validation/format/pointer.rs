//! JSON pointers of RFC 6901, and UUIDs.

pub(super) fn json_pointer(text: &str) -> bool {
    let is_escaped = |after: &str| after.starts_with(['0', '1']);
    (text.is_empty() || text.starts_with('/')) && text.split('~').skip(1).all(is_escaped)
}

/// So many levels up, and then either the name of what is there or a pointer from there.
pub(super) fn relative_json_pointer(text: &str) -> bool {
    let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let levels = text.get(..text.len() - rest.len()).unwrap_or_default();
    !levels.is_empty() && (levels == "0" || !levels.starts_with('0')) && (rest == "#" || json_pointer(rest))
}

pub(super) fn uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let is_part = |(part, length): (&str, usize)| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    text.split('-').count() == lengths.len() && text.split('-').zip(lengths).all(is_part)
}
