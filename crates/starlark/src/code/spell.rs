//! The name that was probably meant.

/// The candidate that is nearest to a name, if any is near. Case and underscores do not count.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let fold = |text: &str| -> Vec<u8> {
        let folded = text.chars().filter(|character| *character != '_').map(crate::unicode::to_lower);
        folded.collect::<String>().into_bytes()
    };
    let name = fold(name);
    let mut best = None;
    // Up to half of it may differ.
    let mut best_distance = name.len().div_ceil(2);
    for candidate in candidates {
        let distance = distance(&name, &fold(candidate), best_distance);
        if distance < best_distance {
            best_distance = distance;
            best = Some(candidate);
        }
    }
    best
}

/// How many bytes must be changed, added or removed. Above `limit`, any number above it.
fn distance(one: &[u8], two: &[u8], limit: usize) -> usize {
    let (mut short, mut long) = if one.len() > two.len() { (two, one) } else { (one, two) };
    // A common prefix is skipped only if a difference follows it, as in the original.
    if let Some(common) = short.iter().zip(long).position(|(one, two)| one != two) {
        short = short.get(common..).unwrap_or_default();
        long = long.get(common..).unwrap_or_default();
    }
    if short.is_empty() {
        return long.len();
    }
    if long.len() - short.len() > limit {
        return long.len() - short.len();
    }
    let mut row: Vec<usize> = (0..=long.len()).collect();
    for (above, short_byte) in short.iter().enumerate() {
        let mut diagonal = above;
        let mut left = above + 1;
        let mut best = left;
        for (place, long_byte) in row.iter_mut().skip(1).zip(long) {
            let changed = diagonal + usize::from(short_byte != long_byte);
            let distance = changed.min(1 + left).min(1 + *place);
            diagonal = std::mem::replace(place, distance);
            left = distance;
            best = best.min(distance);
        }
        if let Some(first) = row.first_mut() {
            *first = above + 1;
        }
        if best > limit {
            return best;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        for (name, candidates, expected) in [
            ("lne", vec!["len", "line"], Some("line")),
            ("nam", vec!["name", "nome"], Some("name")),
            ("Name", vec!["na_me"], Some("na_me")),
            ("x", vec!["y"], None),
            ("xx", vec!["xy"], None),
            ("abc", vec![], None),
            ("replcas", vec!["replicas", "name"], Some("replicas")),
        ] {
            assert_eq!(nearest(name, candidates), expected, "{name}");
        }
    }
}
