//! What only a whole run can say of Kubernetes objects.

use trueline_diagnostic::{Code, Severity};

use super::services::{NO_POD, NO_PORT, NO_PROBE_PORT};

/// Two objects of one rendering or file are the same object.
pub(super) static SAME_OBJECT: Code = Code {
    id: "TL0780",
    name: "same-object",
    severity: Severity::Warning,
    summary: "an object is there twice",
    explanation: "Two objects of one file, or of one rendering of a chart, have the same kind, namespace and name. A \
                  cluster holds only one of them: the second overwrites the first, or `helm install` fails because \
                  it exists already. Objects that Helm runs as hooks are not counted.",
    wrong: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n---\napiVersion: v1\nkind: ConfigMap\n\
            metadata: {name: settings}\n",
    right: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n---\napiVersion: v1\nkind: ConfigMap\n\
            metadata: {name: more-settings}\n",
};

/// There is no schema for the kind of an object.
pub(super) static NO_SCHEMA: Code = Code {
    id: "TL0781",
    name: "no-schema",
    severity: Severity::Warning,
    summary: "there is no schema for a kind, so its objects were not checked",
    explanation: "Kubernetes itself does not define the kind, and neither does a CRD that the run knows. The summary \
                  names it; a strict run fails, because what was not checked was not found valid. It is a warning of its \
                  own where a definition in the same group has a kind that is near, or where Kubernetes has the kind in a \
                  group of nearly that name: then it is most likely misspelt. Give the CRD with \
                  `--crd`, a JSON Schema with `--schema-location`, or say `--ignore-missing-schemas`.",
    wrong: "apiVersion: example.com/v1\nkind: Backup\nmetadata: {name: nightly}\n",
    right: "",
};

/// The version of Kubernetes that was asked for is not known.
pub(super) static UNKNOWN_VERSION: Code = Code {
    id: "TL0782",
    name: "unknown-kubernetes-version",
    severity: Severity::Warning,
    summary: "the API of a version of Kubernetes is not known",
    explanation: "The program brings along the API of several minor versions of Kubernetes. Another one was asked for: \
                  objects are validated against the nearest that is known, which may have other fields and kinds.",
    wrong: "kube-version = \"1.12\"\n",
    right: "kube-version = \"1.35\"\n",
};

/// Kubernetes has no such kind.
pub(super) static UNKNOWN_KIND: Code = Code {
    id: "TL0786",
    name: "unknown-kind",
    severity: Severity::Error,
    summary: "Kubernetes has no such kind in this group and version",
    explanation: "The group belongs to Kubernetes itself, so no CRD can define the kind: the name or the version \
                  is misspelt, or the kind belongs to another group. A cluster answers that it knows no such kind.",
    wrong: "apiVersion: v1\nkind: Deployment\n",
    right: "apiVersion: apps/v1\nkind: Deployment\n",
};

/// A file or directory that was given for its definitions has none.
pub(crate) static NO_DEFINITION: Code = Code {
    id: "TL0787",
    name: "no-definition",
    severity: Severity::Warning,
    summary: "what `--crd` names, or what is checked with `--as crd`, defines no kind",
    explanation: "The file, or the files of the directory, hold no CustomResourceDefinition. Most likely another path \
                  was meant; the objects of the kinds are not checked without their definitions. It is an error where a \
                  file is checked with `--as crd`.",
    wrong: "",
    right: "",
};

/// The JSON Schema of a kind cannot be used.
pub(super) static UNUSABLE_SCHEMA: Code = Code {
    id: "TL0788",
    name: "unusable-kind-schema",
    severity: Severity::Error,
    summary: "the JSON Schema of a kind cannot be used",
    explanation: "A `--schema-location` has a file for the kind, but it is not a schema, or refers to something that cannot \
                  be read. No later location has a better one, so the object was not checked.",
    wrong: "",
    right: "",
};

/// A kind that is left out is not there.
pub(super) static UNUSED_SKIP: Code = Code {
    id: "TL0789",
    name: "unused-skip",
    severity: Severity::Warning,
    summary: "no object is of a kind that `--skip` names",
    explanation: "`--skip`, or `skip` in `trueline.toml`, leaves the objects of a kind out of the check. None of the \
                  objects is of this kind, so the name has no effect: most likely it is misspelt, or the kind is \
                  written in the plural or in another version. A name in `trueline.toml` is reported where all of the \
                  file's directory is checked, or where it is nearly that of a kind of Kubernetes.",
    wrong: "trueline check manifests --skip secrets\n",
    right: "trueline check manifests --skip Secret\n",
};

/// Nothing is an update of what is there.
pub(super) static UNUSED_OLD: Code = Code {
    id: "TL0790",
    name: "unused-old",
    severity: Severity::Warning,
    summary: "no object is an update of one that `--old` names",
    explanation: "`--old` names objects that a cluster holds, and the objects that are checked are compared with them. \
                  None of them has the kind, the namespace and the name of one of these, so nothing was compared: \
                  most likely another file was meant, or the namespace differs (`--namespace` is that of objects which \
                  name none).",
    wrong: "",
    right: "",
};

/// An old object is there twice.
pub(super) static OLD_OBJECT_TWICE: Code = Code {
    id: "TL0791",
    name: "old-object-twice",
    severity: Severity::Warning,
    summary: "an object is there twice in what `--old` names",
    explanation: "A cluster holds one object of a kind, namespace and name. `--old` names two of them, in one file or in \
                  several, and updates can only be compared with one: the last that was read counts.",
    wrong: "",
    right: "",
};

/// A location of schemas is not there.
pub(super) static MISSING_LOCATION: Code = Code {
    id: "TL0792",
    name: "missing-schema-location",
    severity: Severity::Warning,
    summary: "the directory of a `--schema-location` does not exist",
    explanation: "A location of schemas is a path with variables in it, such as `schemas/{{.ResourceKind}}.json`. The \
                  directory that all its paths begin with does not exist, so no schema is ever found there: most \
                  likely it is misspelt. On the command line it is seen from the working directory, in \
                  `trueline.toml` from that file.",
    wrong: "",
    right: "",
};

/// A kind is no object by itself.
pub(super) static NO_OBJECT: Code = Code {
    id: "TL0793",
    name: "no-object",
    severity: Severity::Error,
    summary: "a kind of Kubernetes cannot be applied by itself",
    explanation: "Some kinds of the API are never kept as objects: they are sent to a part of another object (an Eviction \
                  to a pod, a Scale to a Deployment, a TokenRequest to a ServiceAccount), say how a request is meant, or are \
                  what the server answers. `kubectl apply` and `helm install` find no resource for them and fail. Kinds that \
                  ask something and can be created, such as SubjectAccessReview, are checked as any other.",
    wrong: "apiVersion: autoscaling/v1\nkind: Scale\nmetadata: {name: web}\nspec: {replicas: 3}\n",
    right: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n  selector: \
            {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: \
            [{name: web, image: nginx}]}\n",
};

/// A key is not what was typed.
pub(super) static REREAD_KEY: Code = Code {
    id: "TL0794",
    name: "reread-key",
    severity: Severity::Warning,
    summary: "a key of an object is not read as it was typed",
    explanation: "Kubernetes reads YAML 1.1, in which `y`, `yes`, `on`, `n`, `no` and `off` without quotes are true or \
                  false, and `0x10` or `1_000` are numbers. As keys they become text again, but other text: the key `y` of a \
                  ConfigMap is stored as `true`, and whoever asks for `y` finds nothing.",
    wrong: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:\n  x: left\n  y: top\n",
    right: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:\n  x: left\n  \"y\": top\n",
};

/// An object is longer than a request may be.
pub(super) static TOO_LARGE: Code = Code {
    id: "TL0795",
    name: "object-too-large",
    severity: Severity::Error,
    summary: "an object is larger than any API server takes",
    explanation: "An API server refuses requests of more than 3 MiB, whatever is in them, and what keeps the objects of a \
                  cluster refuses most that are larger than half of that. An object that is longer as JSON than a request may \
                  be is not looked at any further. CRDs are often that long for their descriptions, which \
                  can be left out.",
    wrong: "",
    right: "",
};

/// The codes of this stage.
pub(crate) const CODES: &[&Code] = &[
    &SAME_OBJECT,
    &NO_SCHEMA,
    &UNKNOWN_VERSION,
    &UNKNOWN_KIND,
    &NO_DEFINITION,
    &UNUSABLE_SCHEMA,
    &UNUSED_SKIP,
    &UNUSED_OLD,
    &OLD_OBJECT_TWICE,
    &MISSING_LOCATION,
    &NO_OBJECT,
    &REREAD_KEY,
    &TOO_LARGE,
    &NO_POD,
    &NO_PORT,
    &NO_PROBE_PORT,
];
