//! What `helm show` prints of a chart.

use crate::chart::{Chart, Compat, File};

/// A part of a chart that can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of them.
    All,
    /// Chart.yaml, as Helm understands it.
    Chart,
    /// values.yaml as it stands.
    Values,
    /// The README.
    Readme,
    /// The custom resource definitions of the chart and its subcharts.
    Crds,
}

impl Part {
    fn has(self, part: Part) -> bool {
        self == part || self == Part::All
    }
}

/// The text of a part, as Helm prints it.
pub fn show(chart: &Chart, part: Part, compat: Compat) -> Vec<u8> {
    let mut out = Vec::new();
    if part.has(Part::Chart) {
        line(&mut out, chart.metadata.to_yaml().as_bytes());
    }
    if part.has(Part::Values)
        && let Some(file) = &chart.values_file
    {
        separate(&mut out, part);
        line(&mut out, &file.data);
    }
    if part.has(Part::Readme)
        && let Some(file) = chart.files.iter().find(|file| is_readme(file))
    {
        separate(&mut out, part);
        line(&mut out, &file.data);
    }
    if part.has(Part::Crds) {
        for (index, crd) in chart.crds().iter().enumerate() {
            // Helm 3 separates only what stands before them.
            let is_separated = match compat {
                Compat::Helm4 => true,
                Compat::Helm3 => index == 0 && part == Part::All,
            };
            if is_separated && !crd.file.data.starts_with(b"---") {
                line(&mut out, b"---");
            }
            line(&mut out, &crd.file.data);
        }
    }
    out
}

fn separate(out: &mut Vec<u8>, part: Part) {
    if part == Part::All {
        line(out, b"---");
    }
}

fn line(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(text);
    out.push(b'\n');
}

fn is_readme(file: &File) -> bool {
    ["readme.md", "readme.txt", "readme"].iter().any(|name| file.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Request, load_plain};
    use trueline_source::{MemoryLoader, SourceMap};

    fn shown(part: Part, compat: Compat) -> String {
        let files = [
            ("c/Chart.yaml", "name: t\nversion: 0.1.0\napiVersion: v2\nunknown: x\n"),
            ("c/values.yaml", "# why\na: 1\n"),
            ("c/ReadMe.MD", "# T\n"),
            ("c/docs/README.md", "no\n"),
            ("c/crds/a.yaml", "kind: A\n"),
            ("c/crds/b.yaml", "---\nkind: B\n"),
            ("c/crds/c.yaml", "kind: C\n"),
        ];
        let loader =
            files.iter().fold(MemoryLoader::new(""), |loader, (name, text)| loader.with_file(name, *text));
        let sources = SourceMap::new();
        let request = Request { loader: &loader, path: "c", absolute: "/c", sources: &sources, compat };
        String::from_utf8(show(&load_plain(&request).unwrap().chart, part, compat)).unwrap()
    }

    #[test]
    fn each_part_is_printed_as_helm_prints_it() {
        for (part, helm4, helm3) in [
            (Part::Chart, "apiVersion: v2\nname: t\nversion: 0.1.0\n\n", None),
            (Part::Values, "# why\na: 1\n\n", None),
            (Part::Readme, "# T\n\n", None),
            (
                Part::Crds,
                "---\nkind: A\n\n---\nkind: B\n\n---\nkind: C\n\n",
                Some("kind: A\n\n---\nkind: B\n\nkind: C\n\n"),
            ),
        ] {
            assert_eq!(shown(part, Compat::Helm4), helm4);
            assert_eq!(shown(part, Compat::Helm3), helm3.unwrap_or(helm4));
        }
        let all =
            "apiVersion: v2\nname: t\nversion: 0.1.0\n\n---\n# why\na: 1\n\n---\n# T\n\n---\nkind: A\n\n";
        assert_eq!(shown(Part::All, Compat::Helm4), format!("{all}---\nkind: B\n\n---\nkind: C\n\n"));
        assert_eq!(shown(Part::All, Compat::Helm3), format!("{all}---\nkind: B\n\nkind: C\n\n"));
    }
}
