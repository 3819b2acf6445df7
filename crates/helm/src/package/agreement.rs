//! Whether the name of an archive is that of the chart in it.

use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_source::Span;

use crate::chart::Chart;

/// The file name of an archive and its Chart.yaml disagree.
pub static ARCHIVE_NAME: Code = Code {
    id: "TL0460",
    name: "archive-name",
    severity: Severity::Error,
    summary: "The name of a packed chart is not that of the chart in it",
    explanation: "A packed chart is a file of the name `NAME-VERSION.tgz`, with the name and the version that its Chart.yaml says. Repositories and people look for it by that name. A file that was renamed, or packed anew with another version, is found under the wrong one, and `helm dependency` calls it misnamed. In the version, `+` may be written as `_`, because not every store takes a `+`.",
    wrong: "# web-1.2.3.tgz holds web/Chart.yaml:\nname: web\nversion: 1.2.4\n",
    right: "# web-1.2.4.tgz holds web/Chart.yaml:\nname: web\nversion: 1.2.4\n",
};

/// What is wrong with the name of an archive that holds a chart; nothing if the two agree. `file` is the last part
/// of the archive's path.
pub fn name_agrees(file: &str, chart: &Chart) -> Option<Diagnostic> {
    let stem = file.strip_suffix(".tgz").or_else(|| file.strip_suffix(".tar.gz")).unwrap_or(file);
    let metadata = &chart.metadata;
    let (name, version) = (metadata.name.as_str(), metadata.version.as_str());
    let rest = stem.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
    let (field, message) = match rest {
        Some(rest) if rest == version || rest == version.replace('+', "_") => return None,
        // What follows a name that only begins the same is no version.
        Some(rest) if rest.starts_with(|first: char| first == 'v' || first.is_ascii_digit()) => {
            ("version", format!("the archive says version `{rest}`, and the chart in it `{version}`"))
        }
        _ => ("name", format!("the archive `{file}` holds a chart of the name `{name}`")),
    };
    let place = metadata
        .place(field)
        .or_else(|| chart.chart_file.as_ref().and_then(|chart_file| chart_file.source).map(Span::whole))?;
    let finding = Diagnostic::new(&ARCHIVE_NAME, place, message)
        .help(format!("call it `{name}-{version}.tgz`, or pack the chart anew"))
        .path(format!("/{field}"))
        .level(Level::Semantic);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Compat, Request, load};
    use trueline_source::{MemoryLoader, SourceMap};

    fn told(file: &str, chart: &str) -> Option<String> {
        let loader = MemoryLoader::new("").with_file("c/Chart.yaml", chart);
        let sources = SourceMap::new();
        let request =
            Request { loader: &loader, path: "c", absolute: "/c", sources: &sources, compat: Compat::Helm4 };
        let chart = load(&request).unwrap().chart;
        let finding = name_agrees(file, &chart)?;
        let source = sources.get(finding.primary.span.source);
        Some(format!("{}: {}", source.slice(finding.primary.span), finding.message))
    }

    #[test]
    fn names_and_versions_are_compared() {
        let chart = "apiVersion: v2\nname: web-app\nversion: 1.2.3+b.1\n";
        for (file, finding) in [
            ("web-app-1.2.3+b.1.tgz", None),
            ("web-app-1.2.3_b.1.tgz", None),
            ("web-app-1.2.3+b.1.tar.gz", None),
            (
                "web-app-1.2.4.tgz",
                Some("1.2.3+b.1: the archive says version `1.2.4`, and the chart in it `1.2.3+b.1`"),
            ),
            (
                "web-1.2.3+b.1.tgz",
                Some("web-app: the archive `web-1.2.3+b.1.tgz` holds a chart of the name `web-app`"),
            ),
            (
                "web-app-ui-1.2.3+b.1.tgz",
                Some("web-app: the archive `web-app-ui-1.2.3+b.1.tgz` holds a chart of the name `web-app`"),
            ),
            ("web-app.tgz", Some("web-app: the archive `web-app.tgz` holds a chart of the name `web-app`")),
        ] {
            assert_eq!(told(file, chart).as_deref(), finding, "{file}");
        }
    }
}
