//! The flags that every checking subcommand has.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use clap::{Args, ValueHint};
use trueline_analysis::{ConfigChoice, InputKind};
use trueline_report::Format;

/// The flags that every checking subcommand has.
#[derive(Debug, Args)]
pub(crate) struct CheckFlags {
    #[command(flatten)]
    pub(crate) report: ReportFlags,
    #[command(flatten)]
    pub(crate) sources: SourceFlags,
    #[command(flatten)]
    pub(crate) run: RunFlags,
}

/// What is reported, and where to.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportFlags {
    /// Format of the report on standard output
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "human",
        value_parser = format_parser(),
        long_help = format_help()
    )]
    pub(crate) format: Format,

    /// Write a further report into a file, such as sarif=report.sarif
    ///
    /// May be given several times. A file is written whole or not at all, and only when the run has ended. A link in its
    /// place is replaced by the file; what it leads to stays as it is.
    #[arg(short, long, value_name = "FORMAT=FILE", value_parser = output_parser)]
    pub(crate) output: Vec<Output>,

    /// Let warnings fail the run, and ask for more: deprecated and unknown fields, missing recommended ones
    #[arg(long)]
    pub(crate) strict: bool,

    /// Report only findings of these codes, such as TL0105, duplicate-key or TL07
    ///
    /// A list with commas, and the flag may be given several times: codes, their names, and the first letters of codes,
    /// which mean all codes that begin with them.
    #[arg(long, value_name = "CODE|NAME", value_delimiter = ',')]
    pub(crate) select: Vec<String>,

    /// Report no findings of these codes, written as for --select
    ///
    /// A code that is both selected and ignored is ignored.
    #[arg(long, value_name = "CODE|NAME", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,

    /// Show at most so many findings in the formats human and short; 0 shows all (default: 200 in human, all in short)
    ///
    /// So many errors are shown even if warnings came before them, and the summary counts all findings. The other
    /// formats have all of them, but for what is repeated more than 1,000 times in one file.
    #[arg(long, value_name = "N")]
    pub(crate) max_findings: Option<usize>,

    /// Show no notes and no progress, and say nothing at all where there is no error and no warning
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// What is read besides the inputs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Sources")]
pub(crate) struct SourceFlags {
    /// Extensions that are known: a registry.yaml, or a directory of extensions
    ///
    /// Dependencies on extensions are looked up there. Without it they are reported as not checked.
    #[arg(long, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) registry: Option<PathBuf>,

    /// Take extension schemas from this directory where it has them, in place of the embedded ones
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) schema_dir: Option<PathBuf>,

    /// Fetch schemas that are neither in --schema-dir nor embedded from below this http or https address
    /// (default: where the format itself is published)
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) schema_url: Option<String>,

    /// Fetch nothing: use only what is embedded, in the package or in the cache
    #[arg(long)]
    pub(crate) offline: bool,

    /// Where fetched documents are kept between runs
    ///
    /// By default TRUELINE_CACHE_DIR, or the directory `trueline` in the user's cache directory.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cache_dir: Option<PathBuf>,

    /// Longest time for fetching one document, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) timeout: Duration,
}

/// How the run is made.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunFlags {
    /// Use this configuration for every input, in place of the nearest trueline.toml
    #[arg(long, value_name = "FILE", conflicts_with = "no_config", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,

    /// Use no configuration file
    #[arg(long)]
    no_config: bool,

    /// How many files are checked at the same time (default: one for each processor)
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) jobs: Option<u16>,
}

impl RunFlags {
    /// Which configuration counts.
    pub(crate) fn config(&self) -> ConfigChoice {
        match (&self.config, self.no_config) {
            (Some(file), _) => ConfigChoice::File(file.clone()),
            (None, true) => ConfigChoice::None,
            (None, false) => ConfigChoice::Nearest,
        }
    }
}

/// One `--output`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) file: PathBuf,
}

/// What each format is for.
fn format_help() -> String {
    let formats: Vec<String> =
        Format::ALL.iter().map(|format| format!("{format}: {}", format.summary())).collect();
    format!("Format of the report on standard output\n\n{}.", formats.join("; "))
}

fn format_parser() -> impl clap::builder::TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.iter().map(|format| format.name()))
        .try_map(|name| name.parse::<Format>())
}

/// The values of `--as`.
pub(crate) fn kind_parser() -> impl clap::builder::TypedValueParser<Value = InputKind> {
    PossibleValuesParser::new(InputKind::choices().map(InputKind::as_str))
        .try_map(|name| name.parse::<InputKind>())
}

fn output_parser(text: &str) -> Result<Output, String> {
    let Some((format, file)) = text.split_once('=') else {
        return Err("expected a format and a file, such as `sarif=report.sarif`".to_owned());
    };
    let format = format.parse::<Format>().map_err(|error| error.to_string())?;
    match file {
        "" => Err("there is no file after the `=`".to_owned()),
        "-" => Err("a report on standard output is chosen with `--format`".to_owned()),
        file => Ok(Output { format, file: PathBuf::from(file) }),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    if (0.1..=3600.0).contains(&number) {
        Ok(Duration::from_secs_f64(number))
    } else {
        Err("expected a number of seconds between 0.1 and 3600".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_a_format_and_a_file() {
        assert_eq!(
            output_parser("sarif=a=b.sarif"),
            Ok(Output { format: Format::Sarif, file: PathBuf::from("a=b.sarif") })
        );
        for (text, part) in [
            ("sarif", "expected a format"),
            ("x=y", "unknown report format `x`"),
            ("json=", "no file"),
            ("json=-", "--format"),
        ] {
            assert!(output_parser(text).unwrap_err().contains(part), "{text}");
        }
    }

    #[test]
    fn times_are_bounded() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        for text in ["0", "-1", "x", "NaN", "inf", "1e9"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
