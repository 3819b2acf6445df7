//! The calendar: days to dates and back, in the Gregorian calendar extended to all years.

use super::NANOSECONDS;

/// The names of the months.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The names of the days of the week.
pub const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const SECONDS_PER_DAY: i64 = 86_400;

/// Days of 400 years, after which the calendar repeats.
const DAYS_PER_ERA: i64 = 146_097;

/// Days from the first of March of the year 0 to 1970.
const DAYS_TO_UNIX: i64 = 719_468;

/// The first second of Go's calendar, counted from 1970.
const EARLIEST: i64 = -9_223_372_028_741_760_000;

/// A date and time of day. The numbers may be out of range until they are normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    /// The year, which may be before the first.
    pub year: i64,
    /// The month, from 1.
    pub month: i64,
    /// The day of the month, from 1.
    pub day: i64,
    /// The hour, from 0.
    pub hour: i64,
    /// The minute, from 0.
    pub minute: i64,
    /// The second, from 0.
    pub second: i64,
    /// The nanoseconds of the second.
    pub nanosecond: i64,
}

impl Civil {
    /// Date and time of day for seconds since 1970, counted in local time.
    pub fn from_unix(seconds: i64, nanosecond: u32) -> Self {
        // Go counts unsigned from a very early day, so anything earlier becomes the far future.
        let wrapped = i128::from(seconds) + if seconds < EARLIEST { 1 << 64 } else { 0 };
        let days = i64::try_from(wrapped.div_euclid(SECONDS_PER_DAY.into())).unwrap_or(i64::MAX);
        let rest = i64::try_from(wrapped.rem_euclid(SECONDS_PER_DAY.into())).unwrap_or_default();
        let since_march = days + DAYS_TO_UNIX;
        let (era, day_of_era) = (since_march.div_euclid(DAYS_PER_ERA), since_march.rem_euclid(DAYS_PER_ERA));
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self {
            year,
            month,
            day,
            hour: rest / 3_600,
            minute: rest / 60 % 60,
            second: rest % 60,
            nanosecond: i64::from(nanosecond) % NANOSECONDS,
        }
    }

    /// Seconds since 1970, counted in local time; out-of-range values carry over.
    pub fn unix_seconds(&self) -> i64 {
        let month = self.month.wrapping_sub(1);
        let year = self.year.wrapping_add(month.div_euclid(12));
        let days = days_to(year, month.rem_euclid(12) + 1).wrapping_add(self.day.wrapping_sub(1));
        days.wrapping_mul(SECONDS_PER_DAY)
            .wrapping_add(self.hour.wrapping_mul(3_600))
            .wrapping_add(self.minute.wrapping_mul(60))
            .wrapping_add(self.second)
    }

    /// The day of the week, from Sunday as 0.
    pub fn weekday(&self) -> i64 {
        (self.unix_seconds().div_euclid(SECONDS_PER_DAY) + 4).rem_euclid(7)
    }

    /// The day of the year, from 1.
    pub fn year_day(&self) -> i64 {
        days_to(self.year, self.month) - days_to(self.year, 1) + self.day
    }
}

/// Days from 1970 to the first of a month.
fn days_to(year: i64, month: i64) -> i64 {
    let year = if month <= 2 { year.wrapping_sub(1) } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month_from_march = if month > 2 { month - 3 } else { month + 9 };
    let day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + (153 * month_from_march + 2) / 5;
    era.wrapping_mul(DAYS_PER_ERA).wrapping_add(day_of_era - DAYS_TO_UNIX)
}

pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The days of a month.
pub fn days_in(month: i64, year: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for seconds in (-80_000_000_000..300_000_000_000).step_by(86_399 * 17) {
            let civil = Civil::from_unix(seconds, 0);
            assert_eq!(civil.unix_seconds(), seconds);
            assert!((1..=12).contains(&civil.month) && civil.day >= 1);
            assert!(civil.day <= days_in(civil.month, civil.year));
        }
    }

    #[test]
    fn times_before_the_calendar_become_the_far_future() {
        for (seconds, expected) in [
            (i64::MIN, (292_277_026_596, 12, 4)),
            (i64::MAX, (292_277_026_596, 12, 4)),
            (EARLIEST - 1, (292_277_026_854, 1, 7)),
            (EARLIEST, (-292_277_022_400, 3, 1)),
        ] {
            let civil = Civil::from_unix(seconds, 0);
            assert_eq!((civil.year, civil.month, civil.day), expected, "{seconds}");
        }
    }

    #[test]
    fn days_of_week_and_year() {
        for (seconds, weekday, year_day) in
            [(0, 4, 1), (1_709_164_800, 4, 60), (1_735_603_200, 2, 366), (1_609_459_200, 5, 1)]
        {
            let civil = Civil::from_unix(seconds, 0);
            assert_eq!((civil.weekday(), civil.year_day()), (weekday, year_day));
        }
    }
}
