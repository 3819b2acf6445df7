//! How the server quotes strings in its sentences.

/// A string as Go quotes it.
pub fn go_quoted(text: &str) -> String {
    trueline_gostd::quote::quote(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_as_go_quotes_them() {
        let rows = [
            ("a\"b\\", r#""a\"b\\""#),
            ("\u{1}\n\u{7f}", r#""\x01\n\x7f""#),
            ("é\u{300}\u{200b}\u{a0}", "\"é\u{300}\\u200b\\u00a0\""),
        ];
        for (text, quoted) in rows {
            assert_eq!(go_quoted(text), quoted);
        }
    }
}
