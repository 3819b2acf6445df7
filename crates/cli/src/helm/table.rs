//! Tables and lists as Helm prints them.

use trueline_yaml::json::{self, KeyOrder, WriteOptions};
use trueline_yaml::{Dialect, Value};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::flag::{Flag, FlagKind, Parsed};

/// The flag that chooses a form.
pub(super) const FLAG: Flag =
    Flag::new("output", FlagKind::Checked, "how to print it: table, json or yaml").short('o');

/// How something is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Table,
    Json,
    Yaml,
}

impl Form {
    /// The form that a word names.
    pub(super) fn parse(word: &str) -> Result<Self, String> {
        match word {
            "table" => Ok(Form::Table),
            "json" => Ok(Form::Json),
            "yaml" => Ok(Form::Yaml),
            _ => Err("invalid format type".to_owned()),
        }
    }

    /// The form that was chosen.
    pub(super) fn chosen(parsed: &Parsed) -> Self {
        parsed.text("output").and_then(|word| Form::parse(word).ok()).unwrap_or(Form::Table)
    }
}

/// A list as JSON or YAML.
pub(super) fn list(value: &Value, form: Form) -> String {
    match form {
        Form::Yaml => trueline_yaml::write(value, Dialect::Sigs),
        Form::Json | Form::Table => {
            let options = WriteOptions { order: KeyOrder::Given, ..WriteOptions::default() };
            format!("{}\n", json::write(value, options).unwrap_or_default())
        }
    }
}

/// Rows of cells, each as wide as the widest of its column, with a tab between them and no line break at the end.
/// Cells that are wider than `widest` are cut; 0 means that none is.
pub(super) fn table(rows: &[Vec<String>], widest: usize) -> String {
    // Names and descriptions are whatever a repository says.
    let plain = |cell: &String| trueline_report::harmless(cell).into_owned();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(plain).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        let width = cells.max().unwrap_or_default();
        if widest == 0 { width } else { width.min(widest) }
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| sized(cell, *width));
        cells.collect::<Vec<String>>().join("\t")
    };
    rows.iter().map(line).collect::<Vec<String>>().join("\n")
}

fn sized(cell: &str, width: usize) -> String {
    let own = cell.width();
    if own <= width || width == 0 {
        return format!("{cell}{}", " ".repeat(width.saturating_sub(own)));
    }
    let mut cut = String::new();
    let mut taken = 0;
    for character in cell.chars() {
        cut.push(character);
        let next = taken + character.width().unwrap_or_default();
        if next + 3 >= width {
            break;
        }
        taken = next;
    }
    cut + "..."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_padded_and_cut_as_helm_does_it() {
        let rows = [["NAME", "CHART VERSION"], ["r/web", "1.2.3"], ["é", "漢字"]];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        assert_eq!(table(&rows, 0), "NAME \tCHART VERSION\nr/web\t1.2.3        \né    \t漢字         ");
        assert_eq!(table(&rows, 5), "NAME \tCH...\nr/web\t1.2.3\né    \t漢字 ");
        assert_eq!(table(&rows[..1], 2), "N...\tC...");
        assert_eq!(table(&[], 5), "");
    }
}
