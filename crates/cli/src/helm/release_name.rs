//! What a release may be called.

use trueline_helm::quote;

const RULE: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
const LONGEST: usize = 53;

/// What is wrong with a name, in Helm's words.
pub(crate) fn check(name: &str) -> Result<(), String> {
    let wrong = |what: String| Err(format!("release name {}: {what}", quote(name)));
    if name.is_empty() {
        return wrong("no name provided".to_owned());
    }
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        bytes.first().is_some_and(|&byte| is_word(byte))
            && bytes.last().is_some_and(|&byte| is_word(byte))
            && bytes.iter().all(|&byte| is_word(byte) || byte == b'-')
    };
    if name.len() > LONGEST || !name.split('.').all(is_label) {
        return wrong(format!(
            "invalid release name, must match regex {RULE} and the length must not be longer than {LONGEST}"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rule() {
        for name in ["a", "123", "a-b.c", &"a".repeat(53)] {
            assert_eq!(check(name), Ok(()));
        }
        for name in ["A", "a-", "-a", "a_b", "a..b", ".a", &"a".repeat(54)] {
            assert!(check(name).unwrap_err().contains("must match regex"), "{name}");
        }
        assert_eq!(check(""), Err("release name \"\": no name provided".to_owned()));
    }
}
