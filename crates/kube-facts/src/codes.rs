//! The codes of findings in objects.

use trueline_diagnostic::{Code, Severity};

use crate::reason::Reason;

/// The codes of findings in objects of built-in kinds.
pub const CODES: &[&Code] = &[
    &UNKNOWN_FIELD,
    &WRONG_TYPE,
    &MISSING_FIELD,
    &INVALID_VALUE,
    &FORBIDDEN_FIELD,
    &DUPLICATE_ITEM,
    &UNKNOWN_REFERENCE,
    &REMOVED_API,
    &DEPRECATED_API,
    &NAMESPACE_DROPPED,
    &SAME_KEYS,
    &NO_HEAD,
    &IMMUTABLE_FIELD,
    &DEPRECATED_FIELD,
    &DOUBTFUL_FIELD,
];

/// The code of what the server refuses, by the kind of error.
pub const fn code_of(reason: Reason) -> &'static Code {
    match reason {
        Reason::Required => &MISSING_FIELD,
        Reason::Forbidden => &FORBIDDEN_FIELD,
        Reason::Duplicate => &DUPLICATE_ITEM,
        Reason::NotFound => &UNKNOWN_REFERENCE,
        Reason::Invalid
        | Reason::TypeInvalid
        | Reason::NotSupported
        | Reason::TooLong
        | Reason::TooMany
        | Reason::Internal => &INVALID_VALUE,
    }
}

/// An object has a field that its kind does not have.
pub static UNKNOWN_FIELD: Code = Code {
    id: "TL0701",
    name: "unknown-object-field",
    severity: Severity::Error,
    summary: "An object has a field that its kind does not have",
    explanation: "The API server drops fields that it does not know. kubectl asks it to refuse them instead, because \
        what is dropped is nearly always a mistyped name or a line with the wrong indentation.\n\nThe nearest name that \
        the kind has at this place is offered. `--field-validation warn` makes this a warning, `ignore` silences it. \
        Fields come with versions of Kubernetes: `--kube-version` chooses which one is meant.",
    wrong: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  contaniers:\n    - name: web\n      image: nginx\n",
    right: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n",
};

/// A field of an object has a value of another type than its kind wants.
pub static WRONG_TYPE: Code = Code {
    id: "TL0702",
    name: "wrong-object-type",
    severity: Severity::Error,
    summary: "A field of an object has a value of another type than its kind wants",
    explanation: "The API server cannot read an object with a number where a string belongs, a string where a number belongs, \
        a list where a map belongs, and so on. YAML takes `80`, `1.5`, `yes` and `null` for something other than strings \
        unless they are in quotes.\n\nQuantities are written like `500m` or `2Gi`, bytes in base64, times like \
        `2006-01-02T15:04:05Z`.",
    wrong: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  port: 80\n",
    right: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  port: \"80\"\n",
};

/// An object lacks a field that the API server demands.
pub static MISSING_FIELD: Code = Code {
    id: "TL0703",
    name: "missing-field",
    severity: Severity::Error,
    summary: "An object lacks a field that the API server demands",
    explanation: "The API server refuses an object without this field. An empty string or list counts as missing \
        too.\n\nThe finding points at what should hold the field.",
    wrong: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n",
    right: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n",
};

/// A field of an object has a value that the API server refuses.
pub static INVALID_VALUE: Code = Code {
    id: "TL0704",
    name: "invalid-value",
    severity: Severity::Error,
    summary: "A field of an object has a value that the API server refuses",
    explanation: "The value has the right type, but the API server has a rule that it breaks: a range, a list of \
        words, a syntax of names, or a rule that joins several fields. The server's own words say which.",
    wrong: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n      \
        ports:\n        - containerPort: 80\n          protocol: HTTP\n",
    right: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n      \
        ports:\n        - containerPort: 80\n          protocol: TCP\n",
};

/// A field of an object must not be set beside the others.
pub static FORBIDDEN_FIELD: Code = Code {
    id: "TL0705",
    name: "forbidden-field",
    severity: Severity::Error,
    summary: "A field of an object must not be set beside the others",
    explanation: "The API server refuses this field together with what else is set, such as a second handler of one \
        probe or a second source of one volume. Keep one of them.",
    wrong: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n      \
        livenessProbe:\n        exec:\n          command: [\"true\"]\n        tcpSocket:\n          port: 80\n",
    right: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n      \
        livenessProbe:\n        tcpSocket:\n          port: 80\n",
};

/// Two items of a list have the same name where each needs its own.
pub static DUPLICATE_ITEM: Code = Code {
    id: "TL0706",
    name: "duplicate-object-item",
    severity: Severity::Error,
    summary: "Two items of a list have the same name where each needs its own",
    explanation: "The API server refuses containers, volumes, ports and the like that share a name. Give each its own.",
    wrong: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n    \
        - name: web\n      image: redis\n",
    right: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n    \
        - name: cache\n      image: redis\n",
};

/// An object refers to a part of itself that it does not have.
pub static UNKNOWN_REFERENCE: Code = Code {
    id: "TL0707",
    name: "unknown-reference",
    severity: Severity::Error,
    summary: "An object refers to a part of itself that it does not have",
    explanation: "A mount names a volume, and a target names a container, of the same pod. The API server refuses \
        one that is missing. The nearest one that is there is offered.",
    wrong: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n      \
        volumeMounts:\n        - name: date\n          mountPath: /data\n  volumes:\n    - name: data\n      emptyDir: {}\n",
    right: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n      \
        volumeMounts:\n        - name: data\n          mountPath: /data\n  volumes:\n    - name: data\n      emptyDir: {}\n",
};

/// The chosen version of Kubernetes does not serve this version of a kind.
pub static REMOVED_API: Code = Code {
    id: "TL0708",
    name: "removed-api",
    severity: Severity::Error,
    summary: "The chosen version of Kubernetes does not serve this version of a kind",
    explanation: "Kinds move through versions of their group, and old ones are removed; new ones come later. \
        `--kube-version` says which Kubernetes is meant; without it, the newest.\n\nThe finding names what to use \
        instead, if there is something. Its fields may have other names.",
    wrong: "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata:\n  name: web\n",
    right: "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: web\nspec:\n  defaultBackend:\n    service:\n      \
        name: web\n      port:\n        number: 80\n",
};

/// This version of a kind will be removed.
pub static DEPRECATED_API: Code = Code {
    id: "TL0709",
    name: "deprecated-api",
    severity: Severity::Warning,
    summary: "This version of a kind will be removed",
    explanation: "The API server still serves it, with the same warning. The finding says when it ends and what to use \
        instead.",
    wrong: "apiVersion: v1\nkind: Endpoints\nmetadata:\n  name: web\n",
    right: "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata:\n  name: web-1\naddressType: IPv4\nendpoints: []\n",
};

/// An object that belongs to the whole cluster names a namespace.
pub static NAMESPACE_DROPPED: Code = Code {
    id: "TL0710",
    name: "namespace-dropped",
    severity: Severity::Warning,
    summary: "An object that belongs to the whole cluster names a namespace",
    explanation: "Kinds such as ClusterRole or PersistentVolume have no namespaces. The API server drops the one that \
        is named, which may not be what was meant.",
    wrong: "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: web\n  namespace: web\n",
    right: "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: web\n",
};

/// Two items of a list have the same key, so one hides the other.
pub static SAME_KEYS: Code = Code {
    id: "TL0711",
    name: "same-keys",
    severity: Severity::Warning,
    summary: "Two items of a list have the same key, so one hides the other",
    explanation: "Lists such as `env` are merged by a key. The API server takes an object with two items of the same \
        key when it is created, but one of them hides the other, and server-side apply refuses it.",
    wrong: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n      \
        env:\n        - name: MODE\n          value: a\n        - name: MODE\n          value: b\n",
    right: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n      \
        env:\n        - name: MODE\n          value: b\n",
};

/// An object does not say what it is.
pub static NO_HEAD: Code = Code {
    id: "TL0712",
    name: "no-head",
    severity: Severity::Error,
    summary: "An object does not say what it is",
    explanation: "`apiVersion` and `kind` say what an object is; without both, nothing can read it.",
    wrong: "kind: Pod\nmetadata:\n  name: web\n",
    right: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n",
};

/// An update changes a field that cannot change.
pub static IMMUTABLE_FIELD: Code = Code {
    id: "TL0713",
    name: "immutable-field",
    severity: Severity::Error,
    summary: "An update changes a field that cannot change",
    explanation: "`--old` names the objects that a cluster has. Some of their fields are settled when an object is made: \
        the selector of a Deployment, most of a StatefulSet, a Pod or a Job, the class of a volume claim, the role of a \
        binding. The API server refuses an update that changes them, in the words of the finding.\n\nA field that is \
        missing in one of the two and that the server fills in is no change. If the old object came from a cluster (it \
        has a `uid`), fields that the new one leaves out are kept, unless `kubectl apply` wrote them and now removes \
        them. Keep the old value, or delete the object and create \
        it anew; for a StatefulSet `kubectl delete --cascade=orphan` keeps its pods.",
    wrong: "# in the cluster: selector: {matchLabels: {app: web}}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  \
        name: web\nspec:\n  selector:\n    matchLabels:\n      app: web\n      tier: front\n  template:\n    metadata:\n      \
        labels:\n        app: web\n        tier: front\n    spec:\n      containers:\n        - name: web\n          image: nginx\n",
    right: "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  selector:\n    matchLabels:\n      \
        app: web\n  template:\n    metadata:\n      labels:\n        app: web\n        tier: front\n    spec:\n      containers:\n        \
        - name: web\n          image: nginx\n",
};

/// A field, an annotation or a label of an object is deprecated.
pub static DEPRECATED_FIELD: Code = Code {
    id: "TL0714",
    name: "deprecated-field",
    severity: Severity::Warning,
    summary: "A field, an annotation or a label of an object is deprecated",
    explanation: "The API server takes the object and sends the same warning along with its answer: labels of nodes that \
        have other names now, annotations that became fields, volumes whose drivers are gone, addresses with zeros before \
        their numbers. The words are the server's, and so is the version that they begin with: `--kube-version` chooses it.",
    wrong: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  nodeSelector:\n    beta.kubernetes.io/arch: amd64\n  \
        containers:\n    - name: web\n      image: nginx\n",
    right: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  nodeSelector:\n    kubernetes.io/arch: amd64\n  \
        containers:\n    - name: web\n      image: nginx\n",
};

/// A field of an object does nothing, or something else than it seems to.
pub static DOUBTFUL_FIELD: Code = Code {
    id: "TL0715",
    name: "doubtful-field",
    severity: Severity::Warning,
    summary: "A field of an object does nothing, or something else than it seems to",
    explanation: "The API server takes the object and sends the same warning along with its answer: a selector that \
        matches no pod, memory in thousandths of a byte, a field that is ignored beside the others. The words are the \
        server's. What it does not look at when the object is made and refuses where it is used, such as the pods of a \
        StatefulSet before Kubernetes 1.34, is reported here too.",
    wrong: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n      \
        resources:\n        limits:\n          memory: 128m\n",
    right: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: nginx\n      \
        resources:\n        limits:\n          memory: 128Mi\n",
};
