//! Rules in CEL from the command line: definitions that hold them, and objects that have to keep them.

mod support;

use serde_json::Value;
use support::Sandbox;

/// A definition whose `spec` has these fields and rules, indented by twelve spaces.
fn definition(spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: backups.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {{kind: Backup, plural: backups}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
{spec}"
    )
}

fn object(spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Backup\nmetadata: {{name: nightly}}\nspec:\n{spec}")
}

fn findings(sandbox: &Sandbox, arguments: &[&str]) -> Vec<Value> {
    let ran = sandbox.run(&[arguments, &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    report["findings"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_wrong_expression_is_reported_at_its_own_characters() {
    let sandbox = Sandbox::new();
    let fields = "            properties:\n              minimum: {type: integer}\n              max-size: {type: integer}\n";
    // The rules, and the text that is marked.
    let cases = [
        ("            - rule: self.minimum < self.maximum\n", "maximum"),
        ("            - rule: \"self.minimum < \\\"a\\\"\"\n", "<"),
        (
            "            - message: too small\n              rule: |\n                self.minimum > 0 &&\n                  self.zz > 0\n",
            "zz",
        ),
        ("            - rule: 'self.minimum == ''a'' || nothing'\n", "=="),
        ("            - rule: >-\n                self.minimum\n                > nothing\n", "nothing"),
    ];
    for (rule, marked) in cases {
        let text = definition(&format!("{fields}            x-kubernetes-validations:\n{rule}"));
        sandbox.file("crd.yaml", &text);
        let found = findings(&sandbox, &["crd", "check", "crd.yaml"]);
        let [finding] = found.as_slice() else { panic!("{rule}: {found:#?}") };
        assert_eq!(finding["code"], "TL0901", "{finding:#}");
        let label = &finding["labels"][0];
        let number = |key: &str| usize::try_from(label[key].as_u64().unwrap()).unwrap();
        let line = text.lines().nth(number("line") - 1).unwrap();
        assert_eq!(
            line.get(number("column") - 1..number("end_column") - 1),
            Some(marked),
            "{rule}: {finding:#}"
        );
        assert!(
            finding["kube"]["detail"].as_str().is_some_and(|detail| detail.contains("compilation failed"))
        );
    }
    let rule = "            x-kubernetes-validations:\n            - rule: self.max > 0\n";
    sandbox.file("crd.yaml", definition(&format!("{fields}{rule}")));
    let found = findings(&sandbox, &["crd", "check", "crd.yaml"]);
    let help = found[0]["help"].as_str().unwrap_or_default();
    assert!(help.contains("max__dash__size"), "{found:#?}");
}

#[test]
fn what_is_wrong_with_a_rule_is_said_in_plain_words() {
    let sandbox = Sandbox::new();
    let fields = "            properties:\n              minimum: {type: integer}\n              in: {type: string}\n              namespace: {type: string}\n";
    // The rule, the message, and the help.
    let cases = [
        ("self.in == 'a'", "`in` is a reserved word", "in expressions, the field `in` is written `__in__`"),
        ("namespace == 'a'", "`namespace` is a reserved word", "write `self.__namespace__`"),
        ("self.minimum", "expected a boolean, found an integer", ""),
        ("self.minimum == ", "the expression ends too early", ""),
        ("self.minimum = 1 = 2", "unexpected `= `", ""),
    ];
    for (rule, message, help) in cases {
        let text =
            definition(&format!("{fields}            x-kubernetes-validations: [{{rule: \"{rule}\"}}]\n"));
        sandbox.file("crd.yaml", &text);
        let found = findings(&sandbox, &["crd", "check", "crd.yaml"]);
        let [finding] = found.as_slice() else { panic!("{rule}: {found:#?}") };
        assert_eq!(finding["code"], "TL0901", "{finding:#}");
        assert_eq!(finding["message"], message, "{finding:#}");
        assert_eq!(finding["help"].as_str().unwrap_or_default(), help, "{finding:#}");
        // It is one mistake, whatever the parser goes on to say.
        assert_eq!(finding["labels"].as_array().map(Vec::len), Some(1), "{finding:#}");
    }
}

#[test]
fn the_bounds_that_are_suggested_bring_the_cost_below_the_limit() {
    let sandbox = Sandbox::new();
    let schema = |list: &str, item: &str| {
        definition(&format!(
            "            properties:
              hosts:
                type: array{list}
                items:
                  type: string{item}
                x-kubernetes-validations:
                - rule: self.all(a, self.exists_one(b, a == b))
"
        ))
    };
    sandbox.file("crd.yaml", schema("", ""));
    let found = findings(&sandbox, &["crd", "check", "crd.yaml"]);
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(finding["code"], "TL0902", "{finding:#}");
    assert_eq!((&finding["labels"][0]["line"], &finding["labels"][0]["column"]), (&25.into(), &25.into()));
    let help = finding["help"].as_str().unwrap();
    let bound = |keyword: &str| -> Option<String> {
        let (_, rest) = help.split_once(&format!("`{keyword}: "))?;
        rest.split_once('`').map(|(number, _)| number.to_owned())
    };
    let list =
        bound("maxItems").map(|most| format!("\n                maxItems: {most}")).unwrap_or_default();
    let item =
        bound("maxLength").map(|most| format!("\n                  maxLength: {most}")).unwrap_or_default();
    assert!(!list.is_empty(), "{help}");
    sandbox.file("crd.yaml", schema(&list, &item));
    let ran = sandbox.run(&["crd", "check", "crd.yaml"]);
    assert_eq!(ran.code, Some(0), "{help}\n{ran:?}");
}

#[test]
fn an_object_that_breaks_a_rule_is_reported_with_the_rule_beside_it() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "crd.yaml",
        definition(
            "            properties:
              minimum: {type: integer}
              maximum: {type: integer}
            x-kubernetes-validations:
            - rule: self.minimum <= self.maximum
              message: the minimum is above the maximum
              fieldPath: .minimum
",
        ),
    );
    sandbox.file("good.yaml", object("  minimum: 1\n  maximum: 2\n"));
    sandbox.file("bad.yaml", object("  minimum: 3\n  maximum: 2\n"));
    let ran = sandbox.run(&["check", "good.yaml", "--crd", "crd.yaml", "--strict"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!ran.stdout.contains("not evaluated"), "{ran:?}");
    let found = findings(&sandbox, &["check", "bad.yaml", "--crd", "crd.yaml"]);
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(finding["code"], "TL0903", "{finding:#}");
    assert_eq!(finding["kube"]["field"], "spec.minimum");
    assert_eq!(finding["kube"]["detail"], "the minimum is above the maximum");
    let labels = finding["labels"].as_array().unwrap();
    assert_eq!((&labels[0]["file"], &labels[0]["line"]), (&"bad.yaml".into(), &5.into()), "{finding:#}");
    assert_eq!((&labels[1]["file"], &labels[1]["line"]), (&"crd.yaml".into(), &23.into()), "{finding:#}");
}

#[test]
fn a_rule_that_reads_one_field_is_reported_at_that_field() {
    let sandbox = Sandbox::new();
    let fields = "            properties:\n              size: {type: integer, default: 9}\n              most: {type: integer}\n              max-age: {type: integer}\n";
    // The rule, and where the finding points to.
    let cases = [
        ("self.most > 5", (5, 9)),
        ("self.max__dash__age > 5", (6, 12)),
        ("self.most > self.max__dash__age", (5, 3)),
        // The default is not what was typed here.
        ("self.size < 5", (5, 3)),
        ("self.all(key, false)", (5, 3)),
    ];
    sandbox.file("object.yaml", object("  most: 3\n  max-age: 4\n"));
    for (rule, (line, column)) in cases {
        let spec = match rule.contains("all(") {
            true => "            additionalProperties: {type: integer}\n",
            false => fields,
        };
        let rules = format!("            x-kubernetes-validations: [{{rule: {rule:?}}}]\n");
        sandbox.file("crd.yaml", definition(&format!("{spec}{rules}")));
        let found = findings(&sandbox, &["check", "object.yaml", "--crd", "crd.yaml"]);
        let [finding] = found.as_slice() else { panic!("{rule}: {found:#?}") };
        assert_eq!(finding["code"], "TL0903", "{finding:#}");
        let label = &finding["labels"][0];
        assert_eq!(label["file"], "object.yaml", "{rule}: {finding:#}");
        assert_eq!((&label["line"], &label["column"]), (&line.into(), &column.into()), "{rule}: {finding:#}");
    }
}

#[test]
fn a_rule_that_fails_is_reported_with_the_part_that_fails() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "crd.yaml",
        definition(
            "            properties: {size: {type: integer}, most: {type: integer}}
            x-kubernetes-validations: [{rule: 'self.size > 0 && self.most > 0'}]
",
        ),
    );
    sandbox.file("object.yaml", object("  size: 3\n"));
    let found = findings(&sandbox, &["check", "object.yaml", "--crd", "crd.yaml"]);
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(finding["code"], "TL0904", "{finding:#}");
    assert_eq!(finding["message"], "a rule cannot be evaluated on `spec`: `most` is not set");
    assert_eq!(finding["labels"][1]["text"], "this part of the rule fails", "{finding:#}");
    assert_eq!(finding["labels"][1]["end_column"], 73, "{finding:#}");
}

#[test]
fn what_an_update_does_not_change_is_a_warning_at_its_place() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "crd.yaml",
        definition(
            "            properties:
              size: {type: integer, x-kubernetes-validations: [{rule: self > 5, message: too small}]}
              other: {type: integer}
",
        ),
    );
    sandbox.file("old.yaml", object("  size: 3\n"));
    sandbox.file("new.yaml", object("  other: 1\n  size: 3\n"));
    let found = findings(&sandbox, &["check", "new.yaml", "--crd", "crd.yaml", "--old", "old.yaml"]);
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!((&finding["code"], &finding["severity"]), (&"TL0785".into(), &"warning".into()));
    assert_eq!(finding["message"], "`spec.size`: too small", "{finding:#}");
    assert_eq!((&finding["labels"][0]["line"], &finding["labels"][0]["column"]), (&6.into(), &9.into()));
    assert!(finding.get("kube").is_none(), "{finding:#}");
}

#[test]
fn rules_about_updates_need_the_old_object() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "crd.yaml",
        definition(
            "            properties:
              size: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf, message: it cannot shrink}]}
",
        ),
    );
    sandbox.file("old.yaml", object("  size: 5\n"));
    sandbox.file("new.yaml", object("  size: 3\n"));
    let created = sandbox.run(&["check", "new.yaml", "--crd", "crd.yaml"]);
    assert_eq!(created.code, Some(0), "{created:?}");
    let found = findings(&sandbox, &["check", "new.yaml", "--crd", "crd.yaml", "--old", "old.yaml"]);
    let [finding] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(finding["kube"]["detail"], "it cannot shrink", "{finding:#}");
    let same = sandbox.run(&["check", "old.yaml", "--crd", "crd.yaml", "--old", "old.yaml"]);
    assert_eq!(same.code, Some(0), "{same:?}");
}

#[test]
fn functions_depend_on_the_version_of_the_server() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "crd.yaml",
        definition(
            "            properties:
              address: {type: string, maxLength: 40, x-kubernetes-validations: [{rule: isIP(self)}]}
",
        ),
    );
    let new = sandbox.run(&["crd", "check", "crd.yaml", "--kube-version", "1.33"]);
    assert_eq!(new.code, Some(0), "{new:?}");
    let old = sandbox.run(&["crd", "check", "crd.yaml", "--kube-version", "1.28"]);
    assert_eq!(old.code, Some(1), "{old:?}");
    assert!(old.stdout.contains("isIP"), "{old:?}");
}

#[test]
fn defaults_have_to_keep_the_rules() {
    let sandbox = Sandbox::new();
    let field = |default: u32| {
        definition(&format!(
            "            properties:\n              size: {{type: integer, default: {default}, x-kubernetes-validations: [{{rule: self > 2}}]}}\n"
        ))
    };
    sandbox.file("crd.yaml", field(1));
    let ran = sandbox.run(&["crd", "check", "crd.yaml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    sandbox.file("crd.yaml", field(3));
    let ran = sandbox.run(&["crd", "check", "crd.yaml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn expressions_of_policies_are_compiled() {
    let sandbox = Sandbox::new();
    let policy = |expression: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: few}}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules: [{{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}}]
  variables:
  - {{name: most, expression: '3'}}
  validations:
  - expression: {expression}
"
        )
    };
    for good in ["object.spec.replicas <= variables.most", "request.operation == 'CREATE'"] {
        sandbox.file("policy.yaml", policy(good));
        let ran = sandbox.run(&["check", "policy.yaml"]);
        assert_eq!(ran.code, Some(0), "{good}: {ran:?}");
    }
    for (bad, detail) in [
        ("object.spec.replicas <= variables.least", "undefined field 'least'"),
        ("request.operation", "must evaluate to bool but got string"),
        ("params.most > 1", "undeclared reference to 'params'"),
    ] {
        sandbox.file("policy.yaml", policy(bad));
        let found = findings(&sandbox, &["check", "policy.yaml"]);
        let [finding] = found.as_slice() else { panic!("{bad}: {found:#?}") };
        assert_eq!(finding["code"], "TL0901", "{finding:#}");
        assert_eq!(finding["kube"]["field"], "spec.validations[0].expression");
        assert!(finding["kube"]["detail"].as_str().is_some_and(|text| text.contains(detail)), "{finding:#}");
    }
}
