//! The lists of expected failures: a line a case, with its reason after `#`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The list of a suite: case and reason. A suite without a list has no expected failures.
pub(crate) fn read(folder: &Path, suite: &str) -> Result<BTreeMap<String, String>, String> {
    let path = folder.join(format!("{suite}.txt"));
    let Ok(text) = fs::read_to_string(&path) else { return Ok(BTreeMap::new()) };
    parse(&text).map_err(|line| {
        format!("expected-failures/{suite}.txt:{line}: a line has the form `case # reason`, each case once")
    })
}

fn parse(text: &str) -> Result<BTreeMap<String, String>, usize> {
    let mut cases = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (case, reason) = line.split_once(" # ").ok_or(index + 1)?;
        let known = cases.insert(case.trim().to_owned(), reason.trim().to_owned());
        if reason.trim().is_empty() || known.is_some() {
            return Err(index + 1);
        }
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_needs_a_reason() {
        assert_eq!(parse("# head\n\na:b # because\n").unwrap().len(), 1);
        assert_eq!(parse("a:b\n"), Err(1));
        assert_eq!(parse("a # x\na # y\n"), Err(2));
    }
}
