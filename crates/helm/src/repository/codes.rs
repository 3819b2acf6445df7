//! The codes of repositories and the network: what `explain` prints about them.

use trueline_diagnostic::{Code, Severity};

/// An archive is not the one that the index names.
pub static DIGEST_MISMATCH: Code = Code {
    id: "TL1101",
    name: "chart-digest",
    severity: Severity::Error,
    summary: "An archive is not the one that the index of its repository names",
    explanation: "The index of a repository holds the SHA-256 sum of each archive, and the archive that the server sent has another one: it was replaced without a new version, damaged on the way, or somebody put another in its place. Nothing of it is kept.\n\nAsk for the index again with `trueline helm repo update`. If the sums still differ, tell whoever runs the repository: they have to make the index again with `trueline helm repo index`, or publish the archive as a new version. Helm does not compare the sums.",
    wrong: "",
    right: "",
};

/// A server answered with a web page.
pub static WEB_PAGE: Code = Code {
    id: "TL1102",
    name: "web-page",
    severity: Severity::Error,
    summary: "A server answered with a web page in place of an index or a chart",
    explanation: "The answer is HTML: most often a login page, an error page of a proxy, or the page that describes a repository rather than the repository itself. The URL of a repository is the one below which `index.yaml` is found.",
    wrong: "dependencies:\n  - name: redis\n    version: 1.x\n    repository: https://example.com/about-our-charts\n",
    right: "dependencies:\n  - name: redis\n    version: 1.x\n    repository: https://charts.example.com\n",
};

/// Something would have to be fetched, and nothing may be.
pub static OFFLINE: Code = Code {
    id: "TL1103",
    name: "fetch-offline",
    severity: Severity::Error,
    summary: "Something would have to be fetched, and `--offline` forbids it",
    explanation: "With `--offline` no server is asked for anything. Indexes that were fetched before are still used, and so are archives that were fetched from a repository whose index has their sums, and charts that lie on the disk. Leave `--offline` out once, or give the chart as a directory or an archive.",
    wrong: "",
    right: "",
};

/// A dependency is deprecated.
pub static DEPRECATED_DEPENDENCY: Code = Code {
    id: "TL1104",
    name: "deprecated-dependency",
    severity: Severity::Warning,
    summary: "A chart depends on one that is deprecated",
    explanation: "If the latest version of a chart is marked as `deprecated`, the whole chart is: it is no longer maintained. Its description often names the chart that replaces it.",
    wrong: "dependencies:\n  - name: old-redis\n    version: 1.x\n    repository: https://charts.example.com\n",
    right: "dependencies:\n  - name: redis\n    version: 2.x\n    repository: https://charts.example.com\n",
};

/// An archive holds another chart than it was fetched for.
pub static OTHER_CHART: Code = Code {
    id: "TL1105",
    name: "other-chart",
    severity: Severity::Error,
    summary: "An archive holds another chart, or another version, than it was fetched for",
    explanation: "The name and version in the Chart.yaml of an archive must match the repository's index and the name of the file. Otherwise the dependency would be ignored when the chart is rendered, or a version other than the locked one would be used.",
    wrong: "",
    right: "",
};

/// An answer is larger than any index or chart may be.
pub static TOO_LARGE: Code = Code {
    id: "TL1106",
    name: "answer-too-large",
    severity: Severity::Error,
    summary: "A server sends more than an index or a chart may have",
    explanation: "Indexes may be up to 256 MiB and archives up to 128 MiB. If a server sends more, the download is stopped and nothing is kept.",
    wrong: "",
    right: "",
};

/// A redirect is not followed.
pub static REDIRECT: Code = Code {
    id: "TL1107",
    name: "redirect",
    severity: Severity::Error,
    summary: "A server redirects to where nothing is fetched from",
    explanation: "Redirects are followed ten times at most, to `http` and `https` addresses without a user name, and never from `https` to plain `http`: everybody on the way could read and change the chart. Give the address that it redirects to if you trust it.",
    wrong: "",
    right: "",
};

/// All codes of repositories and the network.
pub const CODES: &[&Code] =
    &[&DIGEST_MISMATCH, &WEB_PAGE, &OFFLINE, &DEPRECATED_DEPENDENCY, &OTHER_CHART, &TOO_LARGE, &REDIRECT];
