//! New charts: what `helm create` writes, from our own scaffold or from a starter.

use trueline_gotemplate::fmt::quote;
use trueline_yaml::{Data, Dialect, Value, write};

use crate::chart::{Chart, Compat, File, Metadata};
use crate::package::{self, Times};
use crate::refusal::{Refusal, RefusalKind};

/// What stands for the name of the chart in a scaffold and in a starter.
const PLACEHOLDER: &str = "<CHARTNAME>";

/// The longest name of a chart.
const LONGEST_NAME: usize = 250;

/// The files of the scaffold, in the order in which Helm writes its own.
const SCAFFOLD: &[(&str, &str)] = &[
    ("Chart.yaml", include_str!("scaffold/Chart.yaml")),
    ("values.yaml", include_str!("scaffold/values.yaml")),
    (".helmignore", include_str!("scaffold/helmignore")),
    ("templates/ingress.yaml", include_str!("scaffold/templates/ingress.yaml")),
    ("templates/httproute.yaml", include_str!("scaffold/templates/httproute.yaml")),
    ("templates/deployment.yaml", include_str!("scaffold/templates/deployment.yaml")),
    ("templates/service.yaml", include_str!("scaffold/templates/service.yaml")),
    ("templates/serviceaccount.yaml", include_str!("scaffold/templates/serviceaccount.yaml")),
    ("templates/hpa.yaml", include_str!("scaffold/templates/hpa.yaml")),
    ("templates/NOTES.txt", include_str!("scaffold/templates/NOTES.txt")),
    ("templates/_helpers.tpl", include_str!("scaffold/templates/_helpers.tpl")),
    ("templates/tests/test-connection.yaml", include_str!("scaffold/templates/tests/test-connection.yaml")),
];

/// A file to be written, by its path in the chart's directory.
pub type NewFile = (String, Vec<u8>);

/// Whether a name leads to another directory than one of its own: Helm makes a chart called `..` in the directory above.
pub fn is_way_elsewhere(name: &str) -> bool {
    matches!(name, "." | ".." | "/")
}

/// Whether a chart can be called so. The error is Helm's text.
pub fn check_name(name: &str) -> Result<(), Refusal> {
    if name.is_empty() || name.len() > LONGEST_NAME {
        let text = format!("chart name must be between 1 and {LONGEST_NAME} characters");
        return Err(RefusalKind::Name.of(text));
    }
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if !name.bytes().all(is_allowed) {
        let text = "chart name must match the regular expression \"^[a-zA-Z0-9._-]+$\"";
        return Err(RefusalKind::Name.of(text));
    }
    Ok(())
}

/// The files of a new chart. Besides them it has an empty directory `charts`.
pub fn scaffold(name: &str) -> Vec<NewFile> {
    let files = SCAFFOLD.iter().map(|(path, text)| {
        let text = match *path {
            // A name such as `true` or `1e3` is a string only in quotes.
            "Chart.yaml" => {
                let quoted = write(&Value::new(Data::String(name.into())), Dialect::Sigs);
                text.replace(&format!("name: {PLACEHOLDER}"), &format!("name: {}", quoted.trim_end()))
            }
            _ => (*text).to_owned(),
        };
        ((*path).to_owned(), text.replace(PLACEHOLDER, name).into_bytes())
    });
    files.collect()
}

/// The files of a new chart that is made after another one: with a Chart.yaml of its own, and its name in the place of
/// `<CHARTNAME>` in every other file, as the document about charts says. Helm 4.3 leaves it as it is in files that are
/// neither templates nor values, and in subcharts. Subcharts are packed; what lies in `charts/` as an archive stays as it
/// is. The error is Helm's text.
pub fn from_starter(
    starter: &Chart,
    name: &str,
    times: Times,
    compat: Compat,
) -> Result<Vec<NewFile>, Refusal> {
    if name.contains('/') {
        return Err(RefusalKind::Name.of(format!("chart.metadata.name {} is invalid", quote(name))));
    }
    let metadata = Metadata {
        name: name.to_owned(),
        description: "A Helm chart for Kubernetes".to_owned(),
        kind: "application".to_owned(),
        version: "0.1.0".to_owned(),
        app_version: "0.1.0".to_owned(),
        api_version: "v2".to_owned(),
        ..Metadata::default()
    };
    let named = |bytes: &[u8]| replaced(bytes, PLACEHOLDER.as_bytes(), name.as_bytes());
    let mut files = vec![("Chart.yaml".to_owned(), metadata.to_yaml().into_bytes())];
    files.extend(starter.values_file.iter().map(|file| ("values.yaml".to_owned(), named(&file.data))));
    files.extend(starter.schema.iter().map(|file| ("values.schema.json".to_owned(), named(&file.data))));
    files.extend(starter.templates.iter().map(|file| (file.name.to_string(), named(&file.data))));
    files.extend(starter.files.iter().map(|file| (file.name.to_string(), named(&file.data))));
    for subchart in &starter.dependencies {
        let packed = package::pack(&with_name(subchart, name), times, compat)
            .map_err(|wrong| wrong.kind.of(format!("saving {name}/charts/{}: {wrong}", subchart.name())))?;
        files.push((format!("charts/{}", package::file_name(subchart)), packed));
    }
    Ok(files)
}

/// A subchart with a name in the place of `<CHARTNAME>` in its files. What it says of itself stays.
fn with_name(subchart: &Chart, name: &str) -> Chart {
    if subchart.is_packed {
        return subchart.clone();
    }
    let named = |file: &File| {
        let data = replaced(&file.data, PLACEHOLDER.as_bytes(), name.as_bytes());
        File { data: data.into(), ..file.clone() }
    };
    Chart {
        values_file: subchart.values_file.as_ref().map(named),
        schema: subchart.schema.as_ref().map(named),
        templates: subchart.templates.iter().map(named).collect(),
        files: subchart.files.iter().map(named).collect(),
        dependencies: subchart.dependencies.iter().map(|below| with_name(below, name)).collect(),
        ..subchart.clone()
    }
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut copied = 0;
    for start in memchr::memmem::find_iter(bytes, from) {
        out.extend_from_slice(bytes.get(copied..start).unwrap_or_default());
        out.extend_from_slice(to);
        copied = start + from.len();
    }
    out.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        let names = [".", "..", "/", "...", "a", "a..b"].map(is_way_elsewhere);
        assert_eq!(names, [true, true, true, false, false, false]);
    }

    #[test]
    fn names_are_plain() {
        for (name, wrong) in [
            ("web-app_2.0", ""),
            ("", "chart name must be between 1 and 250 characters"),
            ("a+b", "chart name must match the regular expression \"^[a-zA-Z0-9._-]+$\""),
            ("..", ""),
        ] {
            assert_eq!(check_name(name).err().map(String::from).unwrap_or_default(), wrong);
        }
        assert!(check_name(&"a".repeat(251)).is_err());
    }

    #[test]
    fn no_placeholder_is_left() {
        for (path, content) in scaffold("web") {
            let text = String::from_utf8(content).unwrap();
            assert!(!text.contains(PLACEHOLDER), "{path}");
        }
        let (_, chart) = scaffold("1e3").swap_remove(0);
        assert!(String::from_utf8(chart).unwrap().contains("\nname: \"1e3\"\n"));
    }

    #[test]
    fn bytes_are_replaced_everywhere() {
        assert_eq!(replaced(b"<x> a <x>", b"<x>", b"yy"), b"yy a yy");
        assert_eq!(replaced(b"none", b"<x>", b"y"), b"none");
    }
}
