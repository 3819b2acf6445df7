//! The list of flags in a help text.

use super::{Flag, FlagKind};

/// The widest that help texts are.
const WIDTH: usize = 110;

/// A line or more a flag, sorted by name.
pub(crate) fn usages(flags: &[Flag]) -> String {
    let mut shown: Vec<&Flag> = flags.iter().filter(|flag| !flag.is_hidden).collect();
    shown.sort_by_key(|flag| flag.name);
    let names: Vec<String> = shown.iter().map(|flag| name(flag)).collect();
    let column = names.iter().map(|name| name.len()).max().unwrap_or_default() + 3;
    let mut text = String::new();
    for (flag, name) in shown.iter().zip(&names) {
        let mut line = format!("{name:column$}");
        let start = line.len();
        for word in flag.help.split(' ') {
            if line.len() + word.len() > WIDTH && line.len() > start {
                text.push_str(line.trim_end());
                text.push('\n');
                line = " ".repeat(column);
            }
            line.push_str(word);
            line.push(' ');
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn name(flag: &Flag) -> String {
    let mut name = match flag.short {
        Some(short) => format!("  -{short}, --{}", flag.name),
        None => format!("      --{}", flag.name),
    };
    let value = match flag.kind {
        FlagKind::Switch => "",
        FlagKind::Text | FlagKind::Checked => "string",
        FlagKind::Array | FlagKind::CheckedArray => "stringArray",
        FlagKind::Slice => "strings",
        FlagKind::Integer => "int",
        FlagKind::Float => "float32",
        FlagKind::Duration => "duration",
        FlagKind::Pairs => "key=value,...",
    };
    match (flag.alone, value) {
        (_, "") => {}
        (Some(alone), value) => name.push_str(&format!(" {value}[=\"{alone}\"]")),
        (None, value) => name.push_str(&format!(" {value}")),
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_listed_by_name_in_columns() {
        let flags = [
            Flag::text("version", "which version").short('v'),
            Flag::switch("atomic", "old").deprecated("use another"),
            Flag::new("set", FlagKind::Array, "set a value"),
        ];
        assert_eq!(
            usages(&flags),
            "      --set stringArray   set a value\n  -v, --version string    which version\n"
        );
    }
}
