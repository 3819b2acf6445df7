//! Go's layouts: a time is formatted and parsed like the reference time `Mon Jan 2 15:04:05 MST 2006`.

/// One element of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    LongMonth,
    Month,
    NumberMonth,
    ZeroMonth,
    LongWeekday,
    Weekday,
    Day,
    UnderDay,
    ZeroDay,
    UnderYearDay,
    ZeroYearDay,
    Hour,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    Year,
    UpperHalf,
    LowerHalf,
    ZoneName,
    Offset(Offset),
    /// `.000`: exactly this many digits.
    Fraction {
        digits: usize,
        mark: u8,
    },
    /// `.999`: at most this many digits, without trailing zeros.
    TrimmedFraction {
        digits: usize,
        mark: u8,
    },
}

/// How an offset from UTC is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offset {
    /// `Z` means no offset.
    pub(super) zulu: bool,
    pub(super) colon: bool,
    pub(super) precision: Precision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Hours,
    Minutes,
    Seconds,
}

/// The first element of a layout: the length of the text before it, the element, and its length.
pub(super) fn first(layout: &[u8]) -> Option<(usize, Element, usize)> {
    (0..layout.len()).find_map(|start| {
        let rest = layout.get(start..)?;
        // `_2006` is an underscore before the year.
        if rest.starts_with(b"_2006") {
            return Some((start + 1, Element::LongYear, 4));
        }
        element_at(rest).map(|(element, length)| (start, element, length))
    })
}

/// Elements that are recognized by their text alone; longer ones precede their prefixes.
const FIXED: &[(&[u8], Element)] = &[
    (b"January", Element::LongMonth),
    (b"Monday", Element::LongWeekday),
    (b"MST", Element::ZoneName),
    (b"01", Element::ZeroMonth),
    (b"02", Element::ZeroDay),
    (b"03", Element::ZeroHour12),
    (b"04", Element::ZeroMinute),
    (b"05", Element::ZeroSecond),
    (b"06", Element::Year),
    (b"002", Element::ZeroYearDay),
    (b"15", Element::Hour),
    (b"1", Element::NumberMonth),
    (b"2006", Element::LongYear),
    (b"2", Element::Day),
    (b"_2", Element::UnderDay),
    (b"__2", Element::UnderYearDay),
    (b"3", Element::Hour12),
    (b"4", Element::Minute),
    (b"5", Element::Second),
    (b"PM", Element::UpperHalf),
    (b"pm", Element::LowerHalf),
];

/// Offsets without their first character, `-` or `Z`.
const OFFSETS: &[(&[u8], bool, Precision)] = &[
    (b"070000", false, Precision::Seconds),
    (b"07:00:00", true, Precision::Seconds),
    (b"0700", false, Precision::Minutes),
    (b"07:00", true, Precision::Minutes),
    (b"07", false, Precision::Hours),
];

fn element_at(text: &[u8]) -> Option<(Element, usize)> {
    match text.first()? {
        sign @ (b'-' | b'Z') => {
            let rest = text.get(1..)?;
            let (written, colon, precision) =
                OFFSETS.iter().find(|(written, ..)| rest.starts_with(written))?;
            let offset = Offset { zulu: *sign == b'Z', colon: *colon, precision: *precision };
            Some((Element::Offset(offset), written.len() + 1))
        }
        mark @ (b'.' | b',') => {
            let digit = *text.get(1).filter(|digit| matches!(digit, b'0' | b'9'))?;
            let digits = text.iter().skip(1).take_while(|byte| **byte == digit).count();
            if text.get(digits + 1).is_some_and(u8::is_ascii_digit) {
                return None;
            }
            let element = match digit {
                b'0' => Element::Fraction { digits, mark: *mark },
                _ => Element::TrimmedFraction { digits, mark: *mark },
            };
            Some((element, digits + 1))
        }
        _ => {
            if let Some((written, element)) = FIXED.iter().find(|(written, _)| text.starts_with(written)) {
                return Some((*element, written.len()));
            }
            // `Month` is not a short name of a day.
            let ends = !text.get(3).is_some_and(u8::is_ascii_lowercase);
            match text.get(..3)? {
                b"Jan" if ends => Some((Element::Month, 3)),
                b"Mon" if ends => Some((Element::Weekday, 3)),
                _ => None,
            }
        }
    }
}
