//! The dates of lock files: whether Go's `time.Time` takes a text, and its error where it does not.

use trueline_gostd::time::days_in;
use trueline_gotemplate::fmt::quote;

const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

/// Go's error text for a date that is not RFC 3339.
pub(super) fn check(text: &str) -> Result<(), String> {
    Reader { whole: text, rest: text }.date()
}

struct Reader<'a> {
    whole: &'a str,
    rest: &'a str,
}

impl Reader<'_> {
    fn date(mut self) -> Result<(), String> {
        let year = self.number("2006", 4)?;
        self.literal("-")?;
        let month = self.number("01", 2)?;
        if !(1..=12).contains(&month) {
            return Err(self.out_of_range("month"));
        }
        self.literal("-")?;
        let day = self.number("02", 2)?;
        self.literal("T")?;
        let hour = self.number("15", 2)?;
        if hour > 23 {
            return Err(self.out_of_range("hour"));
        }
        self.literal(":")?;
        if self.number("04", 2)? > 59 {
            return Err(self.out_of_range("minute"));
        }
        self.literal(":")?;
        if self.number("05", 2)? > 59 {
            return Err(self.out_of_range("second"));
        }
        // A fraction may follow the seconds though the layout has none.
        if self.rest.starts_with(['.', ',']) {
            let digits = self.rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                self.rest = self.rest.get(digits + 1..).unwrap_or_default();
            }
        }
        self.zone()?;
        if !self.rest.is_empty() {
            let extra = quote(self.rest);
            return Err(format!("parsing time {}: extra text: {extra}", quote(self.whole)));
        }
        if !(1..=days_in(month.into(), year.into())).contains(&day.into()) {
            return Err(self.out_of_range("day"));
        }
        Ok(())
    }

    fn zone(&mut self) -> Result<(), String> {
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(());
        }
        let bytes = self.rest.as_bytes();
        let digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
        let shaped = matches!(bytes.first(), Some(b'+' | b'-'))
            && [1, 2, 4, 5].into_iter().all(digit)
            && bytes.get(3) == Some(&b':');
        if !shaped {
            return Err(self.cannot_parse("Z07:00"));
        }
        let two = |index: usize| self.rest.get(index..index + 2).and_then(|text| text.parse::<u32>().ok());
        if two(1) > Some(24) {
            return Err(self.out_of_range("time zone offset hour"));
        }
        if two(4) > Some(60) {
            return Err(self.out_of_range("time zone offset minute"));
        }
        self.rest = self.rest.get(6..).unwrap_or_default();
        Ok(())
    }

    fn number(&mut self, layout: &str, width: usize) -> Result<u32, String> {
        let digits = self.rest.get(..width).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(value) = digits.and_then(|digits| digits.parse().ok()) else {
            // Go takes an hour of one digit too.
            if layout == "15" && self.rest.as_bytes().first().is_some_and(u8::is_ascii_digit) {
                let (digit, rest) = self.rest.split_at(1);
                self.rest = rest;
                return Ok(digit.parse().unwrap_or_default());
            }
            return Err(self.cannot_parse(layout));
        };
        self.rest = self.rest.get(width..).unwrap_or_default();
        Ok(value)
    }

    fn literal(&mut self, text: &str) -> Result<(), String> {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(self.cannot_parse(text)),
        }
    }

    fn cannot_parse(&self, part: &str) -> String {
        let (whole, rest) = (quote(self.whole), quote(self.rest));
        format!("parsing time {whole} as \"{LAYOUT}\": cannot parse {rest} as \"{part}\"")
    }

    fn out_of_range(&self, part: &str) -> String {
        format!("parsing time {}: {part} out of range", quote(self.whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_taken_as_go_takes_them() {
        for text in [
            "2024-05-01T12:00:00Z",
            "2024-02-29T12:00:00.123456789+02:00",
            "2019-08-21T10:43:32.150346-06:00",
            "2024-05-01T1:00:00Z",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        for (text, error) in [
            ("x", "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\""),
            (
                "2024-05-01",
                "parsing time \"2024-05-01\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"T\"",
            ),
            ("2024-13-01T00:00:00Z", "parsing time \"2024-13-01T00:00:00Z\": month out of range"),
            ("2023-02-29T00:00:00Z", "parsing time \"2023-02-29T00:00:00Z\": day out of range"),
            ("2023-02-28T24:00:00Z", "parsing time \"2023-02-28T24:00:00Z\": hour out of range"),
            ("2023-02-28T00:00:00Zx", "parsing time \"2023-02-28T00:00:00Zx\": extra text: \"x\""),
            (
                "2023-02-28T00:00:00",
                "parsing time \"2023-02-28T00:00:00\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"Z07:00\"",
            ),
        ] {
            assert_eq!(check(text).as_ref().map_err(String::as_str), Err(error), "{text}");
        }
    }
}
