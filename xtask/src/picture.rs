//! The picture of a finding in README.md: what the program prints for an example, as SVG. It is made from the output
//! itself, so the README cannot show a report that the program does not write.

use std::fs;
use std::path::Path;
use std::process::Command;

use anstyle_svg::Term;

/// The picture, and the command whose output it shows.
const PICTURE: &str = "docs/finding.svg";
const COMMAND: &[&str] = &["check", "broken-examples/charts/shop"];

/// Writes the picture anew.
pub(crate) fn write(root: &Path) -> Vec<String> {
    match picture(root).and_then(|svg| fs::write(root.join(PICTURE), svg).map_err(|error| error.to_string()))
    {
        Ok(()) => Vec::new(),
        Err(problem) => vec![format!("{PICTURE}: {problem}")],
    }
}

/// Says whether the picture shows something else than the program prints today.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let committed = fs::read_to_string(root.join(PICTURE)).unwrap_or_default();
    match picture(root) {
        Ok(svg) if svg == committed => Vec::new(),
        Ok(_) => vec![format!("{PICTURE} is out of date: run `cargo xtask picture`")],
        Err(problem) => vec![format!("{PICTURE}: {problem}")],
    }
}

/// The command line and what it prints, as SVG.
fn picture(root: &Path) -> Result<String, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--package", "trueline", "--"])
        .args(COMMAND)
        .args(["--color", "always"])
        .current_dir(root)
        .output()
        .map_err(|error| error.to_string())?;
    let report = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    if report.trim().is_empty() {
        return Err(format!("no report was printed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let terminal = format!("\u{1b}[1m$ trueline {}\u{1b}[0m\n\n{}", COMMAND.join(" "), report.trim_end());
    Ok(Term::new().render_svg(&terminal))
}
