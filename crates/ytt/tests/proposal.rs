//! The YAML of the proposal for validations, block by block; what had to be corrected is listed in
//! docs/ytt-validations.md.

use trueline_ytt::files::{InputFile, in_order};
use trueline_ytt::run::{Inspect, Options, run};
use trueline_ytt::tree::Format;
use trueline_ytt::values::{FlagInputs, FoundFile};

struct NoFlags;

impl FlagInputs for NoFlags {
    fn environment(&self) -> Vec<String> {
        Vec::new()
    }

    fn find(&self, path: &str) -> Result<Vec<FoundFile>, trueline_ytt::input_error::InputError> {
        Err(trueline_ytt::input_error::InputErrorKind::Unreadable.of(path))
    }
}

fn ran(files: &[&str], inspect: Inspect) -> String {
    let named = files.iter().enumerate();
    let files = named.map(|(index, text)| InputFile::new(&format!("f{index}.yml"), text.as_bytes().to_vec()));
    let options = Options { inspect, ..Options::default() };
    let ended = run(in_order(vec![files.collect()]), &options, &NoFlags);
    match ended.result.and_then(|produced| produced.print(Format::Yaml)) {
        Ok(text) => text,
        Err(error) => error.to_string(),
    }
}

/// The paths of the values that break rules.
#[track_caller]
fn broken(files: &[&str]) -> Vec<String> {
    let printed = ran(files, Inspect::Values);
    assert!(!printed.contains("rror") && !printed.contains("nvalid @"), "{printed}");
    if !printed.starts_with("Validating final data values:\n") {
        return Vec::new();
    }
    let paths = printed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    paths.map(|path| path.trim_start().to_owned()).collect()
}

const VALUES: &str = "#@data/values\n---\n";

/// A schema, with the values that break its rules by default and after others are set.
#[track_caller]
fn schema(text: &str, by_default: &[&str], values: &str, after: &[&str]) {
    assert_eq!(broken(&[text]), by_default, "{text}");
    let values = format!("{VALUES}{values}");
    assert_eq!(broken(&[text, &values]), after, "{text}{values}");
}

#[test]
fn required_input() {
    schema(
        "#@data/values-schema\n---\ndex:\n  #@schema/validation min_len=1\n  namespace: \"\"\n  #@schema/validation min_len=1\n  username: \"\"\n",
        &["dex.namespace", "dex.username"],
        "dex:\n  namespace: a\n  username: b\n",
        &[],
    );
    schema(
        "#@data/values-schema\n#@schema/validation-defaults-for-strings min_len=1\n---\ndex:\n  namespace: \"\"\n  username: \"\"\n",
        &["dex.namespace", "dex.username"],
        "dex:\n  namespace: a\n",
        &["dex.username"],
    );
    schema(
        "#@data/values-schema\n---\ndex:\n  oauth2:\n    #@schema/validation min_len=1\n    responseTypes:\n    - \"\"\n",
        &["dex.oauth2.responseTypes"],
        "dex:\n  oauth2:\n    responseTypes: [code]\n",
        &[],
    );
    schema(
        "#@data/values-schema\n---\ndex:\n  #@schema/validation min=1024, max=65535\n  port: 0\n",
        &["dex.port"],
        "dex:\n  port: 5556\n",
        &[],
    );
    let credential = "#@data/values-schema\n---\n#@schema/nullable\n#@schema/validation not_null=(\"Cloud credentials are required.\", True)\ncredential:\n  name: \"\"\n  secretContents:\n    cloud: \"\"\n";
    schema(credential, &["credential"], "credential:\n  name: a\n", &[]);
    assert!(ran(&[credential], Inspect::Values).contains("must be: Cloud credentials are required."));
}

#[test]
fn enumerations_and_unions() {
    schema(
        "#@data/values-schema\n---\nvolumeSnapshotLocation:\n  spec:\n    #@schema/validation one_of=[\"aws\", \"azure\", \"vsphere\"]\n    provider: \"\"\n",
        &["volumeSnapshotLocation.spec.provider"],
        "volumeSnapshotLocation:\n  spec:\n    provider: aws\n",
        &[],
    );
    let union = "#@data/values-schema\n---\ndex:\n  #@schema/validation one_not_null=[\"oidc\", \"ldap\"]\n  config:\n    #@schema/nullable\n    oidc:\n      CLIENT_ID: \"\" #! required if oidc enabled\n      CLIENT_SECRET: \"\"\n      issuer: \"\"\n    #@schema/nullable\n    ldap:\n      host: \"\"\n      bindDN: \"\"\n      bindPW: \"\"\n";
    schema(union, &["dex.config"], "dex:\n  config:\n    oidc:\n      issuer: a\n", &[]);
    schema(union, &["dex.config"], "dex:\n  config:\n    oidc: {}\n    ldap: {}\n", &["dex.config"]);
    // With a discriminator, without a schema.
    let discriminator = "#@data/values\n---\ndex:\n  config:\n    type: \"oidc\"\n    oidc:\n      CLIENT_ID: null #! required if oidc enabled\n      CLIENT_SECRET: null\n      issuer: null\n    ldap:\n      host: null\n      bindDN: null\n      bindPW: null\n";
    assert_eq!(broken(&[discriminator]), Vec::<String>::new());
}

#[test]
fn several_values() {
    let registry = "#@ def one_registry_if_pvc_is_filesystem(val):\n#@   if val.persistence.imageChartStorage.type == \"filesystem\" and \\\n#@      val.persistence.persistentVolumeClaim.registry.accessMode == \"ReadWriteOnce\":\n#@      return val.registry.replicas == 1 \\\n#@          or (False, \"there are {} replicas.\".format(val.registry.replicas))\n#@   end\n#@ end\n\n#@data/values-schema\n#@schema/validation (\"There should be exactly one (1) registry replica if Helm Charts are stored on the filesystem.\", one_registry_if_pvc_is_filesystem)\n---\npersistence:\n  imageChartStorage:\n    type: filesystem\n  persistentVolumeClaim:\n    registry:\n      accessMode: ReadWriteOnce\nregistry:\n  replicas: 2\n";
    schema(registry, &["(document)"], "registry:\n  replicas: 1\n", &[]);
    schema(registry, &["(document)"], "persistence:\n  imageChartStorage:\n    type: s3\n", &[]);
    assert!(ran(&[registry], Inspect::Values).contains("found: there are 2 replicas."));
    // The function of the first block, which is a program and not a rule.
    let program = "load(\"@ytt:data\", \"data\")\nload(\"@ytt:assert\", \"assert\")\ndef validate_registry():\n if data.values.type == \"filesystem\":\n   data.values.replicas == 1 or assert.fail(\"The registry replicas must be 1\")\n end\nend\n";
    let files = vec![
        InputFile::new("v.star", program.as_bytes().to_vec()),
        InputFile::new("s.yml", b"#@data/values-schema\n---\ntype: filesystem\nreplicas: 2\n".to_vec()),
        InputFile::new(
            "c.yml",
            b"#@ load(\"v.star\", \"validate_registry\")\n#@ validate_registry()\na: 1\n".to_vec(),
        ),
    ];
    let ended = run(in_order(vec![files]), &Options::default(), &NoFlags);
    assert!(ended.result.unwrap_err().to_string().contains("The registry replicas must be 1"));
}

#[test]
fn nullables_and_conditions() {
    schema(
        "#@data/values-schema\n---\n#@schema/validation min=42, max=42\n#@schema/nullable\nfoo: 13\n",
        &[],
        "foo: 13\n",
        &["foo"],
    );
    schema(
        "#@data/values-schema\n---\n#@schema/validation min=42, max=42, not_null=True\n#@schema/nullable\nfoo: 13\n",
        &["foo"],
        "foo: 42\n",
        &[],
    );
    let service = "#@ def valid_service_config(val):\n#@   return val.type in [\"ClusterIP\", \"LoadBalancer\"]\n#@ end\n#@data/values-schema\n---\n#@schema/validation (\"\", valid_service_config), when=lambda v: v.enabled\nservice:\n  enabled: true\n  type: NodePort\n";
    schema(service, &["service"], "service:\n  enabled: false\n", &[]);
    let of_parent = "#@data/values-schema\n---\nservice:\n  enabled: true\n  #@schema/validation one_of=[\"NodePort\", \"LoadBalancer\"], when=lambda _, ctx: ctx.parent[\"enabled\"]\n  type: NodePort\n";
    schema(of_parent, &[], "service:\n  type: X\n", &["service.type"]);
    schema(of_parent, &[], "service:\n  type: X\n  enabled: false\n", &[]);
}

#[test]
fn output_documents() {
    let template = |limit: i32| {
        format!(
            "#@ load(\"@ytt:assert\", \"assert\")\n#@ load(\"@ytt:data\", \"data\")\n#@ def calc_replicas():\n#@   return 3\n#@ end\n#@ def labels():\napp: nginx\n#@ end\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: nginx-deployment\n  labels:\n    app: nginx\nspec:\n  #@assert/validate max=4\n  replicas: #@ calc_replicas()\n  selector:\n    matchLabels: #@ labels()\n  template:\n    metadata:\n      #@assert/validate (\"Istio sidecar inbound port must be present and >= 9000\", lambda v: (\"excludeInboundPorts\" in v) and int(v[\"excludeInboundPorts\"]) >= 9000)\n      annotations:\n        excludeInboundPorts: #@ \"{{}}\".format({limit})\n      labels: #@ labels()\n    spec:\n      containers:\n        - name: nginx\n          image: nginx:1.14.2\n          ports:\n            - containerPort: 80\n"
        )
    };
    assert!(ran(&[&template(9000)], Inspect::Nothing).starts_with("apiVersion: apps/v1\n"));
    let failed = ran(&[&template(80)], Inspect::Nothing);
    assert_eq!(
        failed,
        "Validating output documents:\n  spec.template.metadata.annotations\n    from: f0.yml:24\n    - must be: Istio sidecar inbound port must be present and >= 9000 (by: f0.yml:23)\n\n"
    );
    let failed = ran(&[&template(9000).replace("return 3", "return 5")], Inspect::Nothing);
    assert!(failed.contains("  spec.replicas\n"), "{failed}");
}

const IS_DYNAMIC: &str = "#@ load(\"@ytt:assert\", \"assert\")\n#@ def is_dynamic_port(n):\n#@   n >= 49142 and n <= 65535 or assert.fail(\"{} is not in the dynamic port range\".format(n))\n#@ end\n#@ def is_valid_port(n):\n#@   return n >= 49142 and n <= 65535\n#@ end\n";

#[test]
fn ports() {
    // Each as a schema, and as the document that it becomes.
    for (rule, expected) in [
        ("min=49142, max=65535", "- must be: a value >= 49142 (by: f0.yml:10)\n      found: value < 49142\n"),
        (
            "(\"a TCP/IP port in the \\\"dynamic\\\" range: 49142 and 65535, inclusive\", is_dynamic_port)",
            "- must be: a TCP/IP port in the \"dynamic\" range: 49142 and 65535, inclusive (by: f0.yml:10)\n      found: assert.fail: fail: 1024 is not in the dynamic port range\n",
        ),
        (
            "(\"a TCP/IP port in the \\\"dynamic\\\" range: 49142 and 65535, inclusive\", is_dynamic_port, \"\\\"{key}\\\" (={value}) must be between 49142 and 65535\")",
            "- \"adminPort\" (=1024) must be between 49142 and 65535 (by: f0.yml:10)\n",
        ),
        (
            "(\"A TCP/IP port in the \\\"dynamic\\\" range: 49142 and 65535, inclusive\", is_valid_port)",
            "- must be: A TCP/IP port in the \"dynamic\" range: 49142 and 65535, inclusive (by: f0.yml:10)\n",
        ),
        (
            "(\"d\", is_valid_port, \"\\\"{key}\\\" requires a valid value: {desc}; {failure}.\")",
            "- \"adminPort\" requires a valid value: d; \"is_valid_port()\" returned False. (by: f0.yml:10)\n",
        ),
    ] {
        for (kind, annotation) in
            [("data/values-schema", "schema/validation"), ("data/values", "assert/validate")]
        {
            let text =
                |port: u32| format!("{IS_DYNAMIC}#@{kind}\n---\n#@{annotation} {rule}\nadminPort: {port}\n");
            let found = ran(&[&text(1024)], Inspect::Values);
            let expected =
                format!("Validating final data values:\n  adminPort\n    from: f0.yml:11\n    {expected}\n");
            assert_eq!(found, expected, "{rule}");
            assert_eq!(ran(&[&text(50000)], Inspect::Values), "adminPort: 50000\n", "{rule}");
        }
    }
}

#[test]
fn arguments_of_named_rules() {
    for (rule, must) in
        [("min_len=1", "length >= 1"), ("min_len=(\"a non-empty string\", 1)", "a non-empty string")]
    {
        let text = format!("#@data/values\n---\n#@assert/validate {rule}\nusername: \"\"\n");
        let expected = format!(
            "Validating final data values:\n  username\n    from: f0.yml:4\n    - must be: {must} (by: f0.yml:3)\n      found: length = 0\n\n"
        );
        assert_eq!(ran(&[&text], Inspect::Values), expected);
    }
}

#[test]
fn approaches_that_were_not_taken() {
    schema("#@data/values-schema\n---\nfoo: \"\"\n", &[], "foo: a\n", &[]);
    schema(
        "#@data/values-schema\n---\n#@schema/validation min_len=1\nfoo: \"\"\n",
        &["foo"],
        "foo: a\n",
        &[],
    );
    schema(
        "#@data/values-schema\n---\nkp_default_repository: \"\"\nkp_default_repository_username: \"\"\nkp_default_repository_password: \"\"\n\nhttp_proxy: \"\"\nhttps_proxy: \"\"\nno_proxy: \"\"\n",
        &[],
        "no_proxy: a\n",
        &[],
    );
    // Sequence numbers are other annotations, which mean nothing.
    assert_eq!(
        broken(&["#@data/values\n---\n#@assert/validate min=1\n#@assert/validate1 min=9\na: 5\n"]),
        Vec::<String>::new()
    );
    let all = "#@ load(\"@ytt:assert\", \"assert\")\na: #@ assert.validate_all()\n";
    assert!(ran(&[all], Inspect::Nothing).contains("module has no .validate_all field or method"));
}

#[test]
fn defaults_for_strings_in_an_overlay() {
    let base = "#! base-schema.yml\n\n#@data/values-schema\n---\n#@schema/validation min_len=5\nhostname: \"\"\n\nproxy: \"\"\n";
    let overlay = "#! schema-overlay.yml\n\n#@data/values-schema\n#@overlay/match-child-defaults missing_ok=True\n#@schema/validation-defaults-for-strings min_len=1\n---\nkp_default_repository: \"\"\n#@schema/validation min_len=0\nkp_username: \"\"\nlimit: #@ 30\n";
    assert_eq!(broken(&[base, overlay]), ["hostname", "kp_default_repository"]);
    // Handed down by hand, and the result of the merge.
    let handed_down = "#@data/values-schema\n#@overlay/match-child-defaults missing_ok=True\n---\n#@schema/validation-defaults-for-strings min_len=1\nkp_default_repository: \"\"\n#@schema/validation min_len=0\n#@schema/validation-defaults-for-strings min_len=1\nkp_username: \"\"\n#@schema/validation-defaults-for-strings min_len=1\nlimit: 30\n";
    assert_eq!(broken(&[base, handed_down]), ["hostname", "kp_default_repository"]);
    let merged = "#@data/values-schema\n---\n#@schema/validation min_len=5\nhostname: \"\"\n\nproxy: \"\"\n#@schema/validation-defaults-for-strings min_len=1\nkp_default_repository: \"\"\n#@schema/validation min_len=0\n#@schema/validation-defaults-for-strings min_len=1\nkp_username: \"\"\n#@schema/validation-defaults-for-strings min_len=1\nlimit: 30\n";
    assert_eq!(broken(&[merged]), ["hostname", "kp_default_repository"]);
    let compiled = "#@data/values-schema\n---\n#@schema/validation min_len=5\nhostname: \"\"\n\nproxy: \"\"\n#@schema/validation min_len=1\nkp_default_repository: \"\"\n#@schema/validation min_len=0\nkp_username: \"\"\nlimit: 30\n";
    assert_eq!(broken(&[compiled]), ["hostname", "kp_default_repository"]);
    // What the annotation would mean on the result: it counts for all strings.
    let naive = "#@data/values-schema\n#@schema/validation-defaults-for-strings min_len=1\n---\n#@schema/validation min_len=5\nhostname: \"\"\n\nhttp_proxy: \"\"\n\nkp_default_repository: \"\"\n#@schema/validation min_len=0\nkp_username: \"\"\nlimit: 30\n";
    assert_eq!(broken(&[naive]), ["hostname", "http_proxy", "kp_default_repository"]);
    let today = "#@data/values-schema\n---\n#@schema/validation min_len=5\nhostname: \"\"\n\nproxy: \"\"\nkp_default_repository: \"\"\n#@schema/validation min_len=0\nkp_username: \"\"\nlimit: 30\n";
    assert_eq!(broken(&[today]), ["hostname"]);
}

const IS_EVEN: &str = "#@ def is_even(n):\n#@   return n % 2 == 0\n#@ end\n";

#[test]
fn overlays_edit_annotations() {
    // Replaced.
    let base = format!("{IS_EVEN}#@data/values-schema\n---\n#@schema/validation is_even\nfoo: 42\nbar: 13\n");
    let overlay = "#@data/values-schema\n---\n#@schema/validation lambda n: n < 1000\n#@overlay/replace-ann\nfoo: 13\n#@schema/validation lambda n: n < 1000\n#@overlay/replace-ann\nbar: 1001\n";
    let result = "#@data/values-schema\n---\n#@schema/validation lambda n: n < 1000\nfoo: 13\n#@schema/validation lambda n: n < 1000\nbar: 1001\n";
    assert_eq!(broken(&[&base, overlay]), ["bar"]);
    assert_eq!(broken(&[result]), ["bar"]);
    // Merged.
    let base = format!(
        "{IS_EVEN}#@data/values-schema\n---\n#@schema/validation is_even, not_null=True\nfoo: 42\nbar: 13\n"
    );
    let overlay = "#@data/values-schema\n---\n#@schema/validation lambda n: n < 1000, min=10, not_null=False\n#@overlay/noop\n#@overlay/merge-anns\nfoo: ~\n#@schema/validation lambda n: n < 1000\n#@overlay/noop\n#@overlay/merge-anns\nbar: ~\n";
    let result = format!(
        "{IS_EVEN}#@data/values-schema\n---\n#@schema/validation is_even, lambda n: n < 1000, not_null=False, min=10\nfoo: 42\n#@schema/validation lambda n: n < 1000\nbar: 13\n"
    );
    assert_eq!(ran(&[&base, overlay], Inspect::Values), "foo: 42\nbar: 13\n");
    for (foo, expected) in [(42, ""), (13, "is_even"), (2000, "lambda"), (8, "a value >= 10")] {
        let values = format!("{VALUES}foo: {foo}\n");
        for found in
            [ran(&[&base, overlay, &values], Inspect::Values), ran(&[&result, &values], Inspect::Values)]
        {
            let is_broken = found.starts_with("Validating");
            assert_eq!(is_broken, !expected.is_empty(), "{foo}: {found}");
            assert!(found.contains(expected), "{foo}: {found}");
        }
    }
    // Removed.
    let base = format!(
        "{IS_EVEN}#@data/values-schema\n---\n#@schema/validation is_even, not_null=True\nfoo: 42\n#@schema/nullable\n#@schema/validation not_null=True\nbar: 13\n"
    );
    let overlay = "#@data/values-schema\n---\n#@overlay/noop\n#@overlay/remove-anns \"schema/validate\"\nfoo: 13\n#@overlay/noop\n#@overlay/remove-anns \"schema/validate\"\n#@schema/validation min=1, max=1000\nbar: 0\n";
    let result = "#@data/values-schema\n---\nfoo: 42\n#@schema/nullable\n#@schema/validation min=1, max=1000\nbar: 13\n";
    for files in [vec![base.as_str(), overlay], vec![result]] {
        assert_eq!(ran(&files, Inspect::Values), "foo: 42\nbar: null\n");
        let with = |values: &'static str| [&files[..], &[values]].concat();
        assert_eq!(broken(&with("#@data/values\n---\nfoo: 13\nbar: 0\n")), ["bar"]);
        assert_eq!(broken(&with("#@data/values\n---\nfoo: 13\nbar: 1000\n")), Vec::<String>::new());
    }
}

/// The page about validations shows schemas that can be used.
#[test]
fn the_page_about_validations_has_schemas() {
    let page = include_str!("../../../docs/ytt-validations.md");
    let blocks = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let mut count = 0;
    for block in blocks {
        let schema = match block.contains("#@data/values-schema") {
            true => format!("{block}\n"),
            false => format!("#@data/values-schema\n---\n{block}\n"),
        };
        // Overlays of schemas need something to change.
        let base = "#@data/values-schema\n---\nport: 80\n";
        let files = if block.contains("#@overlay/") { vec![base, &schema] } else { vec![&*schema] };
        broken(&files);
        count += 1;
    }
    assert!(count >= 10, "{count}");
}
