//! `$name` and `${name}` in a string, as Go's `os.Expand` reads them.

/// Puts variables in place of their names. What is no name is left out as far as Go leaves it out.
pub fn expand_variables(text: &str, variable: impl Fn(&str) -> String) -> String {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('$') {
        expanded.push_str(before);
        match name(behind) {
            Some(("", width)) => rest = behind.get(width..).unwrap_or_default(),
            Some((name, width)) => {
                expanded.push_str(&variable(name));
                rest = behind.get(width..).unwrap_or_default();
            }
            None => {
                expanded.push('$');
                rest = behind;
            }
        }
    }
    expanded.push_str(rest);
    expanded
}

/// The name after a dollar sign and how many bytes it takes; an empty name for empty braces.
/// `None`: the sign stands for itself.
fn name(text: &str) -> Option<(&str, usize)> {
    let is_special = |byte: u8| b"*#$@!?-0123456789".contains(&byte);
    if let Some(inside) = text.strip_prefix('{') {
        if let [first, b'}', ..] = inside.as_bytes()
            && is_special(*first)
        {
            return Some((inside.get(..1)?, 3));
        }
        return Some(match inside.find('}') {
            Some(end) => (inside.get(..end)?, end + 2),
            None => ("", 1),
        });
    }
    if text.bytes().next().is_some_and(is_special) {
        return Some((text.get(..1)?, 1));
    }
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let width = text.bytes().take_while(is_word).count();
    (width > 0).then(|| (text.get(..width).unwrap_or_default(), width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_go_finds_them() {
        for (text, expected) in [
            ("a$b/${c}d", "a<b>/<c>d"),
            ("$$-$1x-${*}", "<$>-<1>x-<*>"),
            ("${}a", "a"),
            ("${a", "a"),
            ("${-${}b", "<-${>b"),
            ("$", "$"),
            ("$/é$é", "$/é$é"),
            ("$a_B9.", "<a_B9>."),
        ] {
            assert_eq!(expand_variables(text, |name| format!("<{name}>")), expected, "{text}");
        }
    }
}
