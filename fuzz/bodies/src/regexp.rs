//! Go's regular expressions: a pattern and a string. No panic, errors in Go's form, matches inside the text and in order, and
//! all ways to search agree with each other.

use std::ops::Range;

use trueline_regexp::{Count, Matcher, Regexp, Wanted, quote_meta, texts};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "regexp",
    run,
    seeds: &[
        "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]+)*$\nexample.com",
        "(?i)(?P<name>[^:/]+)(:(?<tag>\\w{1,128}))?\nregistry/image:1.10\u{e9}",
        "a{2,5}?|\\Qb.c\\E|[[:alpha:]&&\\d]|\\pL\\P{Greek}\naab.c λ 中",
        "(?:(?:a*)*)*b\\b\\B\\z\n\u{0}aaaaaaaaaaaaaaaaaaaaaaaa",
        "\\x{10FFFF}[^\\x00-\\x{7f}]$(?m:^x$)(?s:.)\nx\ny",
        "(a|b|)*?\n",
    ],
};

/// Longer patterns of repetitions take long to make ready, and are refused in the end.
const LONGEST_PATTERN: usize = 1 << 12;

fn run(input: &[u8]) {
    let split = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (pattern, text) = (&input[..split.min(LONGEST_PATTERN)], input.get(split + 1..).unwrap_or_default());
    quoted_text_is_found(text.get(..64).unwrap_or(text));
    let regexp = match Regexp::new(pattern) {
        Ok(regexp) => regexp,
        Err(error) => {
            let error = error.to_string();
            assert!(error.starts_with("error parsing regexp: "), "an error that is not Go's: {error}");
            // Only one of the two notes where groups are, and refuses too many of them.
            let is_large = error.contains("expression too large");
            assert!(is_large || Matcher::new(pattern).is_err(), "one of the two takes the pattern");
            return;
        }
    };
    let all = regexp.find_all(text, Count::All);
    assert_eq!(regexp.is_match(text), !all.is_empty());
    assert_eq!(regexp.find(text), all.first().cloned());
    in_order(&all, text);
    in_order(&regexp.split(text, Count::All), text);
    let mut wholes: Vec<Option<Range<usize>>> = Vec::new();
    let kept = regexp.captures_for(text, &mut |groups, _| {
        wholes.push(groups.first().cloned().flatten());
        Ok::<(), ()>(())
    });
    assert_eq!(kept, Ok(()));
    assert_eq!(wholes, all.into_iter().map(Some).collect::<Vec<_>>());
    assert!(regexp.find_all(text, Count::AtMost(2)).len() <= 2);
    let Ok(matcher) = Matcher::new(pattern) else { return };
    if let Ok(text) = std::str::from_utf8(text)
        && let Some(matches) = matcher.is_match(text)
    {
        assert_eq!(matches, regexp.is_match(text.as_bytes()), "both engines say the same");
    }
    let wanted = Wanted { matching: vec![&matcher], most: Some(20), ..Wanted::default() };
    for text in texts(&wanted, 2, &mut 20_000).texts {
        assert!(regexp.is_match(text.as_bytes()), "{text:?} was made up to match");
    }
}

fn in_order(ranges: &[Range<usize>], text: &[u8]) {
    for range in ranges {
        assert!(text.get(range.clone()).is_some(), "{range:?} is outside the text");
    }
    assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "{ranges:?} overlap");
}

/// Quoted text is a pattern of itself, except where bytes are no UTF-8: Go reads those as U+FFFD.
fn quoted_text_is_found(text: &[u8]) {
    if std::str::from_utf8(text).is_ok() {
        let quoted = Regexp::new(&quote_meta(text)).expect("quoted text is a pattern");
        assert_eq!(quoted.find(text), Some(0..text.len()));
    }
}
