//! The nearest known name: "did you mean".

/// Longer names are not compared: two of them are rarely a typo apart, and comparing costs time.
const LONGEST: usize = 64;

/// The candidate nearest to what was typed, if it is near enough to be what the user meant.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = folded(typed);
    if letters.is_empty() || letters.len() > LONGEST {
        return None;
    }
    // A third of the letters may differ; in very short names, one.
    let allowed = match letters.len() {
        0..=1 => return same_letters(&letters, candidates),
        2..=4 => 1,
        5..=7 => 2,
        length => length / 3,
    };
    let mut best: Option<(usize, &'a str)> = None;
    let mut other: Vec<char> = Vec::with_capacity(LONGEST + 1);
    for candidate in candidates {
        other.clear();
        other.extend(letters_of(candidate));
        if other.len() > LONGEST || other.is_empty() {
            continue;
        }
        let limit = best.map_or(allowed, |(distance, _)| distance.saturating_sub(1).min(allowed));
        let found = if other == letters { Some(0) } else { distance_within(&letters, &other, limit.max(1)) };
        // `tool` for `tools`, `dir` for `directory`: the beginning is there, the rest was left out.
        let found = found.or_else(|| shortened(&letters, &other).then_some(allowed));
        if let Some(distance) = found
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn folded(name: &str) -> Vec<char> {
    letters_of(name).collect()
}

/// Letters and digits in lower case: `configFile`, `config_file` and `config-file` are one name.
fn letters_of(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).take(LONGEST + 1)
}

fn same_letters<'a>(letters: &[char], candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates.into_iter().find(|candidate| folded(candidate) == letters)
}

fn shortened(left: &[char], right: &[char]) -> bool {
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    short.len() >= 3 && long.starts_with(short)
}

/// How many letters must be changed, added, left out or swapped with their neighbour; `None` if more than
/// `limit`.
pub(crate) fn distance_within(left: &[char], right: &[char], limit: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > limit {
        return None;
    }
    let mut before_last: Vec<usize> = vec![0; right.len() + 1];
    let mut last: Vec<usize> = (0..=right.len()).collect();
    let mut current: Vec<usize> = vec![0; right.len() + 1];
    for (row, letter) in left.iter().enumerate() {
        current[0] = row + 1;
        for (column, other) in right.iter().enumerate() {
            let change = last[column] + usize::from(letter != other);
            let mut least = change.min(last[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && *letter == right[column - 1] && left[row - 1] == *other {
                least = least.min(before_last[column - 1] + 1);
            }
            current[column + 1] = least;
        }
        if current.iter().all(|distance| *distance > limit) {
            return None;
        }
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut current);
    }
    last.last().copied().filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_find_their_name() {
        let names =
            ["name", "version", "description", "category", "configFile", "on", "tools", "id", "directory"];
        for (typed, wanted) in [
            ("verison", Some("version")),
            ("Version", Some("version")),
            ("nmae", Some("name")),
            ("config_file", Some("configFile")),
            ("config-file", Some("configFile")),
            ("tool", Some("tools")),
            ("dir", Some("directory")),
            ("descripton", Some("description")),
            ("zzz", None),
            ("author", None),
            ("x", None),
            ("", None),
            ("ON", Some("on")),
        ] {
            assert_eq!(nearest(typed, names), wanted, "{typed}");
        }
        assert_eq!(nearest(&"a".repeat(10_000), ["a"]), None);
    }

    #[test]
    fn the_nearest_of_several_wins_and_the_first_of_equals() {
        assert_eq!(nearest("cat", ["bat", "car", "cats"]), Some("bat"));
        assert_eq!(nearest("commands", ["command", "commando"]), Some("command"));
        assert_eq!(nearest("enable", ["enabled", "enabler", "enable_"]), Some("enable_"));
    }
}
