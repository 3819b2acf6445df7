//! Why something is not JSON, in the words of Go's stream decoder.

use trueline_gostd::json::json_fault;

/// What Go's reader of streams says of bytes that are to hold one JSON value; nothing if they do.
pub fn stream_fault(bytes: &[u8]) -> Option<String> {
    if bytes.iter().all(|byte| b" \t\r\n".contains(byte)) {
        return Some("EOF".to_owned());
    }
    Some(match json_fault(bytes)?.as_str() {
        "unexpected end of JSON input" => "unexpected EOF".to_owned(),
        fault if fault.ends_with(" after top-level value") => {
            "invalid character after top-level value".to_owned()
        }
        fault => fault.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::stream_fault;

    #[test]
    fn faults_are_told_as_go_tells_them() {
        for (text, told) in [
            ("{\"a\": [1, -2.5e3, \"\\u00e9\", true, false, null, {}]}", ""),
            ("", "EOF"),
            (" \n", "EOF"),
            ("{", "unexpected EOF"),
            ("[1", "unexpected EOF"),
            ("{} x", "invalid character after top-level value"),
            ("{\"a\": 1,}", "invalid character '}' looking for beginning of object key string"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\": 1 \"b\"}", "invalid character '\"' after object key:value pair"),
            ("[1 2]", "invalid character '2' after array element"),
            ("{a: 1}", "invalid character 'a' looking for beginning of object key string"),
            ("tru}", "invalid character '}' in literal true (expecting 'e')"),
            ("\"a\nb\"", "invalid character '\\n' in string literal"),
            ("\"\\x\"", "invalid character 'x' in string escape code"),
            ("\"\\u12x\"", "invalid character 'x' in \\u hexadecimal character escape"),
            ("-x", "invalid character 'x' in numeric literal"),
            ("[1.]", "invalid character ']' after decimal point in numeric literal"),
            ("[1e]", "invalid character ']' in exponent of numeric literal"),
            ("'", "invalid character '\\'' looking for beginning of value"),
        ] {
            assert_eq!(stream_fault(text.as_bytes()).unwrap_or_default(), told, "{text}");
        }
    }
}
