//! The codes of admission policies: what `explain` prints about them.

use trueline_diagnostic::{Code, Severity};

/// A policy refuses an object.
pub(crate) static DENIED: Code = Code {
    id: "TL0905",
    name: "policy-denies",
    severity: Severity::Error,
    summary: "an admission policy refuses an object",
    explanation: "A ValidatingAdmissionPolicy has a rule that is false for this object, and its binding says `Deny`: the \
                  API server refuses the object. The message is the one of the policy. The first place is the object, or \
                  the field that the rule reads if it reads only one; the second is the rule.\n\nPolicies, bindings and \
                  their parameters are taken from the manifests that are checked, from what charts and ytt folders render, \
                  and from the files that `--policy` names.",
    wrong: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: replicas}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}\n  validations:\n  - expression: object.data.size() <= 5\n    message: at most five entries\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: replicas}\nspec: {policyName: replicas, validationActions: [Deny]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: x, b: x, c: x, d: x, e: x, f: x}\n",
    right: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: replicas}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}\n  validations:\n  - expression: object.data.size() <= 5\n    message: at most five entries\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: replicas}\nspec: {policyName: replicas, validationActions: [Deny]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: x}\n",
};

/// A policy warns of an object.
pub(crate) static WARNED: Code = Code {
    id: "TL0906",
    name: "policy-warns",
    severity: Severity::Warning,
    summary: "an admission policy warns of an object",
    explanation: "As TL0905, but the binding of the policy says `Warn`: the API server takes the object, and sends a warning \
                  to whoever applies it.",
    wrong: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: replicas}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}\n  validations:\n  - expression: object.data.size() <= 5\n    message: at most five entries\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: replicas}\nspec: {policyName: replicas, validationActions: [Warn]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: x, b: x, c: x, d: x, e: x, f: x}\n",
    right: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: replicas}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}\n  validations:\n  - expression: object.data.size() <= 5\n    message: at most five entries\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: replicas}\nspec: {policyName: replicas, validationActions: [Warn]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: x}\n",
};

/// A policy notes an object in the audit log.
pub(crate) static AUDITED: Code = Code {
    id: "TL0907",
    name: "policy-audits",
    severity: Severity::Note,
    summary: "an admission policy reports an object in the audit log",
    explanation: "As TL0905, but the binding of the policy says `Audit`: the API server takes the object without a word, and \
                  adds an annotation to the event in its audit log.",
    wrong: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: replicas}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}\n  validations:\n  - expression: object.data.size() <= 5\n    message: at most five entries\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: replicas}\nspec: {policyName: replicas, validationActions: [Audit]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: x, b: x, c: x, d: x, e: x, f: x}\n",
    right: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: replicas}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}\n  validations:\n  - expression: object.data.size() <= 5\n    message: at most five entries\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: replicas}\nspec: {policyName: replicas, validationActions: [Audit]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: x}\n",
};

/// A policy fails on an object.
pub(crate) static FAILED: Code = Code {
    id: "TL0908",
    name: "policy-fails",
    severity: Severity::Error,
    summary: "an admission policy fails on an object instead of giving an answer",
    explanation: "An expression of the policy cannot be evaluated on this object: it reads a field that is not there, costs \
                  more than is allowed, or its binding has no parameters. With `failurePolicy: Fail`, which is the default, \
                  the API server treats that as a violation. Usually the policy has to be fixed: guard optional fields with \
                  `has(object.spec.field)`. With `failurePolicy: Ignore` nothing is reported.",
    wrong: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: replicas}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}\n  validations:\n  - expression: object.data.mode == 'fast'\n    message: at most five entries\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: replicas}\nspec: {policyName: replicas, validationActions: [Deny]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: x}\n",
    right: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: replicas}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}\n  validations:\n  - expression: \"!has(object.data.mode) || object.data.mode == 'fast'\"\n    message: at most five entries\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: replicas}\nspec: {policyName: replicas, validationActions: [Deny]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: x}\n",
};

/// A policy, or a part of it, is not applied.
pub(crate) static NOT_APPLIED: Code = Code {
    id: "TL0909",
    name: "policy-not-applied",
    severity: Severity::Note,
    summary: "an admission policy, or a rule of one, was not applied",
    explanation: "The policy has no binding, its binding names a policy that is not among the inputs, or a rule depends on \
                  something that only a cluster knows: who sends the request (`request.userInfo`), what they are allowed to do \
                  (`authorizer`), or the labels of a namespace. It is reported once for each rule; objects that only this rule \
                  could refuse were not checked against it.\n\nAdd the binding, or the Namespace, to what is checked or to \
                  `--policy`.",
    wrong: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: replicas}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}\n  validations:\n  - expression: object.data.size() <= 5\n    message: at most five entries\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: x}\n",
    right: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: replicas}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}\n  validations:\n  - expression: object.data.size() <= 5\n    message: at most five entries\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: replicas}\nspec: {policyName: replicas, validationActions: [Deny]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: x}\n",
};

/// What was given for its policies has none.
pub(crate) static NO_POLICY: Code = Code {
    id: "TL0910",
    name: "no-policy",
    severity: Severity::Warning,
    summary: "what `--policy` names holds no policy, binding or parameter",
    explanation: "The file, or the files of the directory, hold no Kubernetes object. Most likely another path was meant.",
    wrong: "",
    right: "",
};

/// The codes of policies.
pub(crate) const CODES: &[&Code] = &[&DENIED, &WARNED, &AUDITED, &FAILED, &NOT_APPLIED, &NO_POLICY];
