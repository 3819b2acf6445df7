//! Errors in the user's words.

use trueline_diagnostic::{Code, Diagnostic, Level};

use crate::codes::*;
use crate::{Document, Duplicate, SyntaxError, SyntaxErrorKind};

/// The message for a kind of error.
struct Wording {
    code: &'static Code,
    message: String,
    /// The label at the place itself.
    label: &'static str,
    /// The label where the construct started.
    context: &'static str,
    help: &'static str,
}

impl SyntaxError {
    /// The finding for a report.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let words = words(&self.kind);
        let mut diagnostic = Diagnostic::new(words.code, self.span, words.message).level(Level::Parse);
        if !words.label.is_empty() {
            diagnostic = diagnostic.label(words.label);
        }
        if let Some(context) = self.context
            && !words.context.is_empty()
        {
            diagnostic = diagnostic.related(context, words.context);
        }
        if words.help.is_empty() { diagnostic } else { diagnostic.help(words.help) }
    }
}

/// How many duplicate keys of a document get their own finding.
const MOST_DUPLICATES: usize = 10_000;

impl Document {
    /// A finding for each duplicate key in a map, with both places. If there are very many, the last finding
    /// represents the rest.
    #[inline]
    pub fn duplicate_diagnostics(&self) -> Vec<Diagnostic> {
        let duplicates = self.duplicates();
        let told = duplicates.iter().take(MOST_DUPLICATES);
        let mut findings: Vec<Diagnostic> =
            told.map(|duplicate| self.duplicate_diagnostic(duplicate)).collect();
        if let Some(last) = findings.last_mut() {
            let rest = duplicates.len().saturating_sub(MOST_DUPLICATES);
            last.more = u32::try_from(rest).unwrap_or(u32::MAX);
        }
        findings
    }

    fn duplicate_diagnostic(&self, duplicate: &Duplicate) -> Diagnostic {
        let (first, second) = (self.node(duplicate.first), self.node(duplicate.second));
        let key = second.key_text();
        let mut message = format!("the key `{key}` appears twice in this map");
        let mut help = "remove one of the two";
        // `y` and `on` are the same key although they look different.
        if let Some(typed) = second.text().filter(|typed| *typed != key) {
            message.push_str(&format!(": `{typed}` is read as `{key}`"));
            help = "remove one of the two, or put quotes around keys that are meant as strings";
        }
        Diagnostic::new(&DUPLICATE_KEY, second.span(), message)
            .label("only this one counts")
            .related(first.span(), "first set here")
            .help(help)
            .level(Level::Parse)
    }
}

fn words(kind: &SyntaxErrorKind) -> Wording {
    use SyntaxErrorKind as Kind;
    let say = |code: &'static Code, message: &str, label: &'static str, help: &'static str| Wording {
        code,
        message: message.to_owned(),
        label,
        context: "",
        help,
    };
    match kind {
        Kind::Grammar(words) => say(&JSON_SYNTAX, words, "", ""),
        Kind::ControlCharacter(character) => Wording {
            code: &FORBIDDEN_CHARACTER,
            message: format!("the character U+{:04X} is not allowed in YAML", *character as u32),
            label: "a control character",
            context: "",
            help: "remove it, or write it as an escape inside double quotes",
        },
        Kind::CannotStart('\t') => say(
            &TAB_INDENTATION,
            "a line cannot be indented with a tab",
            "a tab",
            "replace the tab with spaces",
        ),
        Kind::TabInPlain | Kind::TabInBlockScalar => Wording {
            context: "the string continues on that line",
            ..say(
                &TAB_INDENTATION,
                "a line cannot be indented with a tab",
                "a tab",
                "replace the tab with spaces",
            )
        },
        Kind::CannotStart(character) => Wording {
            code: &RESERVED_CHARACTER,
            message: format!("a string without quotes cannot begin with `{character}`"),
            label: "",
            context: "",
            help: "put the string in quotes",
        },
        Kind::UnclosedQuote => say(
            &UNCLOSED_QUOTE,
            "this quote is never closed",
            "opened here",
            "close the quote where the string ends",
        ),
        Kind::DocumentMarkerInQuotes => Wording {
            context: "the document ends here",
            ..say(
                &UNCLOSED_QUOTE,
                "this quote is never closed",
                "opened here",
                "close the quote where the string ends",
            )
        },
        Kind::UnclosedBracket(bracket) | Kind::UnfilledBracket(bracket) => Wording {
            code: &UNCLOSED_BRACKET,
            message: format!("this `{bracket}` is never closed"),
            label: "opened here",
            context: "something else follows here",
            help: if *bracket == '[' {
                "close the list with `]`, and put a comma between its items"
            } else {
                "close the map with `}`, and put a comma between its entries"
            },
        },
        Kind::ExpectedCommaOrBracket => Wording {
            context: "the list begins here",
            ..say(
                &UNCLOSED_BRACKET,
                "a `,` or `]` is missing here",
                "expected `,` or `]` before this",
                "put a comma between the items, or quotes around a string with special characters",
            )
        },
        Kind::ExpectedCommaOrBrace => Wording {
            context: "the map begins here",
            ..say(
                &UNCLOSED_BRACKET,
                "a `,` or `}` is missing here",
                "expected `,` or `}` before this",
                "put a comma between the entries, or quotes around a string with special characters",
            )
        },
        Kind::ValueNotAllowed => say(
            &MISPLACED_COLON,
            "a map entry is not allowed here",
            "this colon",
            "put quotes around a string that contains a colon, or check the indentation of the line",
        ),
        Kind::MissingColon => say(
            &MISSING_COLON,
            "this line has no `:` after its key",
            "read as a key without a value",
            "write `key: value`, or indent the line if it continues the string above",
        ),
        Kind::ExpectedKey => Wording {
            context: "the map begins here",
            ..say(
                &BAD_INDENTATION,
                "this line does not fit the map around it",
                "expected a key of the map here",
                "indent it like the other keys, and check quotes and brackets before it",
            )
        },
        Kind::ExpectedItem => Wording {
            context: "the list begins here",
            ..say(
                &BAD_INDENTATION,
                "this line does not fit the list around it",
                "expected `- ` here",
                "begin the item with `- `, or fix the indentation",
            )
        },
        Kind::ItemNotAllowed => say(
            &BAD_INDENTATION,
            "a list item is not allowed here",
            "this `-`",
            "begin the list on its own line, or put the string in quotes",
        ),
        Kind::KeyNotAllowed => say(
            &BAD_INDENTATION,
            "a key is not allowed here",
            "this `?`",
            "begin the key on its own line, or put the string in quotes",
        ),
        Kind::ExpectedNode => say(
            &MISSING_NODE,
            "a value is missing here",
            "expected a value before this",
            "write the value, or put quotes around a string that begins like this",
        ),
        Kind::UnknownEscape => {
            say(&BAD_ESCAPE, "unknown escape", "", "write `\\\\` for a backslash, or use single quotes")
        }
        Kind::BadHexEscape => say(
            &BAD_ESCAPE,
            "this escape has too few hexadecimal digits",
            "expected a hexadecimal digit",
            "`\\x` needs two digits, `\\u` four and `\\U` eight",
        ),
        Kind::NoSuchCharacter => say(
            &BAD_ESCAPE,
            "no character has this number",
            "",
            "write characters above U+FFFF with `\\U` and eight digits, not as two halves",
        ),
        Kind::ZeroIndentation => say(
            &BAD_BLOCK_HEADER,
            "the indentation of a block string cannot be 0",
            "",
            "write a number from 1 to 9, or leave it out",
        ),
        Kind::TextAfterBlockIndicator => Wording {
            context: "the block string begins here",
            ..say(
                &BAD_BLOCK_HEADER,
                "only a comment may follow on this line",
                "unexpected",
                "begin the string on the next line, or put it in quotes",
            )
        },
        Kind::UnknownDirective
        | Kind::DirectiveWithoutName
        | Kind::BadDirectiveName
        | Kind::TextAfterDirective
        | Kind::VersionMissing
        | Kind::VersionWithoutDot
        | Kind::LongVersion
        | Kind::TagDirectiveWithoutPrefix => say(
            &BAD_DIRECTIVE,
            "unknown YAML directive",
            "",
            "remove the line, or indent it if it belongs to a string",
        ),
        Kind::IncompatibleVersion => {
            say(&BAD_DIRECTIVE, "only YAML 1.1 is supported", "unsupported version", "remove the line")
        }
        Kind::DuplicateVersion | Kind::DuplicateTagDirective => {
            say(&BAD_DIRECTIVE, "this directive is duplicated", "", "remove one of the two")
        }
        Kind::ExpectedDocumentStart => say(
            &TEXT_AFTER_DOCUMENT,
            "the document ends before this",
            "not part of the document",
            "check the colons and the indentation of the lines above, or write `---` in between",
        ),
        Kind::BadName => say(
            &BAD_ANCHOR_NAME,
            "`&` and `*` must be followed by a name of letters and digits",
            "",
            "put quotes around a string that begins with `&` or `*`",
        ),
        Kind::UnknownAnchor(name) => Wording {
            code: &UNKNOWN_ANCHOR,
            message: format!("no anchor `&{name}` is defined before this"),
            label: "unknown anchor",
            context: "",
            help: "put quotes around a string that begins with `*`, or mark the value with an anchor",
        },
        Kind::AnchorInItself(name) => Wording {
            code: &RECURSIVE_ANCHOR,
            message: format!("the value marked `&{name}` would contain itself"),
            label: "",
            context: "",
            help: "use another anchor",
        },
        Kind::UndefinedTagHandle(handle) => Wording {
            code: &BAD_TAG,
            message: format!("no `%TAG` line defines the handle `{handle}`"),
            label: "",
            context: "",
            help: "write the tag with one `!`, or put quotes around a string that begins with `!`",
        },
        Kind::TagHandleNotClosed
        | Kind::TagNotClosed
        | Kind::TextAfterTag
        | Kind::TagWithoutUri
        | Kind::BadUriEscape
        | Kind::BadUriLead
        | Kind::BadUriTrail => {
            say(&BAD_TAG, "this tag is malformed", "", "put quotes around a string that begins with `!`")
        }
        Kind::WrongTag { tag, .. } => Wording {
            code: &WRONG_TAG,
            message: format!("the tag `{tag}` does not fit this value"),
            label: "",
            context: "",
            help: "correct the value, or remove the tag",
        },
        Kind::BadBase64 => say(
            &WRONG_TAG,
            "the value of `!!binary` must be base64",
            "",
            "correct the value, or remove the tag",
        ),
        Kind::MergeNotMap => say(
            &MERGE_NOT_MAP,
            "the value of `<<` must be a map or a list of maps",
            "not a map",
            "use an alias of a map, or put `<<` in quotes if it is an ordinary key",
        ),
        Kind::KeyNotScalar(_) => say(
            &KEY_NOT_SCALAR,
            "a list or map cannot be a key",
            "used as a key",
            "put the key in quotes; a value that begins with a template needs quotes too",
        ),
        Kind::UnsupportedKey(_) => {
            say(&KEY_NOT_JSON, "this key is not allowed in JSON", "used as a key", "put the key in quotes")
        }
        Kind::NotFinite(_) => {
            say(&NUMBER_NOT_JSON, "JSON has no such number", "", "put it in quotes, or write a number")
        }
        Kind::TooDeep => say(
            &TOO_DEEP,
            "lists and maps are nested too deeply",
            "limit reached here",
            "flatten the document",
        ),
        Kind::TooLarge => say(&TOO_LARGE, "the file is too large", "", "split it into several files"),
        Kind::TooManyDocuments => say(
            &TOO_LARGE,
            "the file has too many documents; the rest is not read",
            "limit reached here",
            "split it into several files",
        ),
        Kind::TooManyNodes => say(
            &TOO_LARGE,
            "the file has too many values, keys and comments; the rest is not read",
            "limit reached here",
            "split it into several files",
        ),
        Kind::LongTags => say(
            &TOO_LARGE,
            "the tags of this file are too long when written in full",
            "limit reached here",
            "shorten the prefix of the `%TAG` directive",
        ),
        Kind::TooManyAliases => say(
            &TOO_MANY_ALIASES,
            "the aliases of this document expand to too many values",
            "",
            "write the values without aliases, or repeat fewer of them",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trueline_source::SourceId;

    use super::*;
    use crate::{Limits, ReadOptions, json, read};

    fn findings(text: &str) -> Vec<Diagnostic> {
        let stream = read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default());
        let mut findings: Vec<Diagnostic> = stream.errors.iter().map(SyntaxError::to_diagnostic).collect();
        findings.extend(stream.documents.iter().flat_map(Document::duplicate_diagnostics));
        findings
    }

    #[test]
    fn every_code_has_a_wrong_and_a_right_example() {
        for code in CODES.iter().filter(|code| !code.wrong.is_empty()) {
            let (wrong, right) = if **code == JSON_SYNTAX {
                let read =
                    |text: &str| json::read(SourceId::from_index(0), &Arc::from(text), Limits::default());
                let wrong = read(code.wrong).map_err(|error| error.to_diagnostic()).err();
                (wrong.into_iter().collect(), read(code.right).map_err(|error| error.to_diagnostic()).err())
            } else {
                (findings(code.wrong), findings(code.right).into_iter().next())
            };
            assert_eq!(wrong.first().map(|finding| finding.code.id), Some(code.id), "{}", code.wrong);
            assert!(right.is_none(), "{}: {right:?}", code.right);
        }
    }

    #[test]
    fn an_unclosed_bracket_is_reported_as_such() {
        for (text, bracket) in [
            ("a: [", '['),
            ("a: [b,\n", '['),
            ("a: [b: \n", '['),
            ("a: {b: {", '{'),
            ("a: {b: [\n---\nc: d\n", '['),
            ("a: {b:\n...\n", '{'),
            ("a: [{b,", '{'),
        ] {
            let words: Vec<String> = findings(text).into_iter().map(|finding| finding.message).collect();
            assert_eq!(words, [format!("this `{bracket}` is never closed")], "{text:?}");
        }
    }

    #[test]
    fn keys_read_as_other_values_are_reported_as_such() {
        let words: Vec<String> =
            findings("y: 1\non: 2\n").into_iter().map(|finding| finding.message).collect();
        assert_eq!(words, ["the key `true` appears twice in this map: `on` is read as `true`"]);
        let words: Vec<String> =
            findings("a: 1\na: 2\n").into_iter().map(|finding| finding.message).collect();
        assert_eq!(words, ["the key `a` appears twice in this map"]);
    }

    #[test]
    fn codes_are_complete_and_in_order() {
        assert!(CODES.windows(2).all(|pair| pair[0].id < pair[1].id));
        for code in CODES {
            assert!(!code.explanation.is_empty() && !code.summary.ends_with('.'), "{}", code.id);
        }
    }

    /// The finding's place and its related places, as strings.
    fn places(text: &str) -> Vec<(&'static str, String, Vec<String>)> {
        findings(text)
            .into_iter()
            .map(|finding| {
                let at = |span: trueline_source::Span| format!("{}:{}", span.start, &text[span.range()]);
                let related = finding.related.iter().map(|label| at(label.span)).collect();
                (finding.code.name, at(finding.primary.span), related)
            })
            .collect()
    }

    #[test]
    fn findings_point_at_the_mistake() {
        for (text, name, place, related) in [
            ("a: \"b\nc: d\n", "unclosed-quote", "3:\"", vec![]),
            ("a: 'b\n---\nc: d\n", "unclosed-quote", "3:'", vec!["6:---"]),
            ("a: [1, 2\nb: 3\n", "unclosed-bracket", "3:[", vec!["10::"]),
            ("a: [1 2, 'x' 'y']\n", "unclosed-bracket", "13:'y'", vec!["3:["]),
            ("a: b: c\n", "misplaced-colon", "4::", vec![]),
            ("a: 1\nbcd\ne: 2\n", "missing-colon", "5:bcd", vec![]),
            ("a:\n\tb: 1\n", "tab-indentation", "3:\t", vec![]),
            ("a: |\n\tb\n", "tab-indentation", "5:\t", vec!["3:|"]),
            ("a:\n    b: 1\n  c: 2\n", "bad-indentation", "14:c", vec!["0:a"]),
            ("- a\nb: 1\n", "bad-indentation", "4:b", vec!["0:-"]),
            ("a: @b\n", "reserved-character", "3:@", vec![]),
            ("a: *b\n", "unknown-anchor", "3:*b", vec![]),
            ("a: 1\nb: 2\na: 3\n", "duplicate-key", "10:a", vec!["0:a"]),
            ("a: \"\\q\"\n", "bad-escape", "4:\\q", vec![]),
        ] {
            let found = places(text);
            let related: Vec<String> = related.into_iter().map(str::to_owned).collect();
            assert!(found.contains(&(name, place.to_owned(), related)), "{text:?}: {found:?}");
        }
    }

    #[test]
    fn several_mistakes_are_found_in_one_run() {
        let text = "a: [1\n---\nok: 1\n---\nb: @\n---\nalso: 2\n--- \nc: 'x\n";
        let stream = read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default());
        let codes: Vec<_> = stream.errors.iter().map(|error| error.to_diagnostic().code.name).collect();
        assert_eq!(codes, ["unclosed-bracket", "reserved-character", "unclosed-quote"]);
        assert_eq!(stream.documents.len(), 2);
        assert!(stream.first().is_err());
    }

    #[test]
    fn reading_continues_after_forbidden_characters() {
        let text = "a: \u{7}\n---\nok: 1\n---\nb: \u{1b}\n---\n@\n---\nalso: 2\n";
        let stream = read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default());
        let places: Vec<_> = stream.errors.iter().map(|error| error.span.start).collect();
        assert_eq!(places, [3, 22, 28]);
        assert_eq!(stream.documents.len(), 2);
        let text = "\u{feff}a: 1\n---\nb: \u{7}";
        let stream = read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default());
        assert!(stream.first().is_err());
        assert_eq!((stream.documents.len(), stream.errors.len()), (1, 1));
        assert!(stream.documents[0].root().get("a").is_some());
    }

    #[test]
    fn a_reader_of_one_document_ignores_errors_after_it() {
        let text = "a: 1\n---\nb: [\n";
        let stream = read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default());
        assert_eq!(stream.errors.len(), 1);
        assert!(stream.first().is_ok_and(|document| document.is_some()));
    }
}
