//! The codes of findings in objects of kinds that CRDs define.

use trueline_diagnostic::{Code, Severity};

/// The codes of findings in objects of kinds that CRDs define.
pub const CODES: &[&Code] = &[&NOT_SERVED, &UNREADABLE_OBJECT, &SERVER_WARNING];

/// The CRD of a kind does not serve the version that an object is written in.
pub(super) static NOT_SERVED: Code = Code {
    id: "TL0783",
    name: "version-not-served",
    severity: Severity::Error,
    summary: "the CRD of a kind does not serve the version of an object",
    explanation: "A CRD lists the versions of its kind, and says which of them the cluster serves. An object that is \
                  written in another version is refused as if the kind did not exist.",
    wrong: "apiVersion: example.com/v1alpha1\nkind: Backup\nmetadata: {name: nightly}\n",
    right: "apiVersion: example.com/v1\nkind: Backup\nmetadata: {name: nightly}\n",
};

/// A cluster cannot read an object at all.
pub(super) static UNREADABLE_OBJECT: Code = Code {
    id: "TL0784",
    name: "unreadable-object",
    severity: Severity::Error,
    summary: "a cluster cannot read an object",
    explanation: "Before an object is validated against the schema of its kind, the API server reads its `apiVersion`, \
                  `kind` and `metadata`. A value of the wrong type there is refused at once, in the words of the \
                  server: labels and annotations are strings, for example, and must be quoted if they look like \
                  numbers.",
    wrong: "apiVersion: example.com/v1\nkind: Backup\nmetadata:\n  name: nightly\n  labels: {tier: 1}\n",
    right: "apiVersion: example.com/v1\nkind: Backup\nmetadata:\n  name: nightly\n  labels: {tier: \"1\"}\n",
};

/// The API server would warn.
pub(super) static SERVER_WARNING: Code = Code {
    id: "TL0785",
    name: "server-warning",
    severity: Severity::Warning,
    summary: "the API server takes an object, but warns of something in it",
    explanation: "The API server sends warnings along with its answer, for example for a version of a kind that its \
                  CRD calls deprecated, or for a finalizer without a domain. The sentence is the server's own.",
    wrong: "",
    right: "",
};
