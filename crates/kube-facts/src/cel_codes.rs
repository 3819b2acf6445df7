//! The codes of rules in CEL: what `explain` prints about them.

use trueline_diagnostic::{Code, Severity};

/// An expression does not compile.
pub static NOT_COMPILED: Code = Code {
    id: "TL0901",
    name: "cel-not-compiled",
    severity: Severity::Error,
    summary: "A CEL expression does not compile",
    explanation: "The server compiles every expression when the object that holds it is written, and refuses the object if one has a syntax error, reads a field that its schema does not declare, or compares values of different types.\n\nIn the rules of a CRD, `self` is the value that the rule is written on, and only fields that the schema declares can be read. Fields whose names are not identifiers are escaped: `foo-bar` is `self.foo__dash__bar`.",
    wrong: "properties:\n  replicas: {type: integer}\nx-kubernetes-validations:\n- rule: self.replicas < \"10\"\n",
    right: "properties:\n  replicas: {type: integer}\nx-kubernetes-validations:\n- rule: self.replicas < 10\n",
};

/// An expression may cost more than is allowed.
pub static TOO_EXPENSIVE: Code = Code {
    id: "TL0902",
    name: "cel-too-expensive",
    severity: Severity::Error,
    summary: "A CEL rule may cost more than the server allows",
    explanation: "The server estimates what a rule costs on the largest object that the schema allows, and refuses the CRD if that is above a limit: 10 million units for one rule, 100 million for all rules of a schema. A list, map or string without a bound counts as large as a request can be (3 MiB).\n\nGive lists `maxItems`, maps `maxProperties` and strings `maxLength`, around the rule and in what it reads.",
    wrong: "hosts:\n  type: array\n  items: {type: string}\n  x-kubernetes-validations:\n  - rule: self.all(a, self.exists_one(b, a == b))\n",
    right: "hosts:\n  type: array\n  maxItems: 32\n  items: {type: string, maxLength: 253}\n  x-kubernetes-validations:\n  - rule: self.all(a, self.exists_one(b, a == b))\n",
};

/// An object breaks a rule.
pub static RULE_BROKEN: Code = Code {
    id: "TL0903",
    name: "cel-rule-broken",
    severity: Severity::Error,
    summary: "A custom resource breaks a CEL rule of its CRD",
    explanation: "The CRD has a rule (`x-kubernetes-validations`) that is false for this object. The finding points at the value that the rule is written on and, as a second place, at the rule.",
    wrong: "spec:\n  minReplicas: 5\n  maxReplicas: 3   # rule: self.minReplicas <= self.maxReplicas\n",
    right: "spec:\n  minReplicas: 3\n  maxReplicas: 5\n",
};

/// A rule cannot be evaluated on an object.
pub static RULE_FAILED: Code = Code {
    id: "TL0904",
    name: "cel-rule-failed",
    severity: Severity::Error,
    summary: "A CEL rule fails on an object instead of giving an answer",
    explanation: "The server refuses an object on which a rule of its CRD cannot be evaluated: it reads a field that is not there, divides by zero, or costs more than is allowed. Usually the rule has to be fixed: guard optional fields with `has(self.field)`.",
    wrong: "x-kubernetes-validations:\n- rule: self.limit > 0        # `limit` is optional\n",
    right: "x-kubernetes-validations:\n- rule: \"!has(self.limit) || self.limit > 0\"\n",
};

/// All codes of rules in CEL.
pub const CODES: &[&Code] = &[&NOT_COMPILED, &TOO_EXPENSIVE, &RULE_BROKEN, &RULE_FAILED];
