//! The kubeconform family on standard input: no panic, an exit code that kubeconform has, and output that its readers can
//! read.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::PathBuf;

use trueline_cli::World;

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "kubeconform",
    run,
    seeds: &[
        "0apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {a: 1}}\nspec: {containers: [{name: c, image: 1.10, ports: [{containerPort: x}]}]}\n---\n\n---\nkind: List\napiVersion: v1\nitems: [{apiVersion: v1, kind: Secret}]\n",
        "1{\"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\", \"metadata\": {\"name\": \"a\"}, \"spec\": {\"replicas\": \"x\"}}\n",
        "2apiVersion: example.com/v1\nkind: ../../etc/passwd\nmetadata: {name: \"\\e[31m::error::\\n\"}\n",
        "3kind: ConfigMap\napiVersion: v1\ndata: {a: b, a: c}\nfoo: &x {bar: *x}\n",
        "4apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"]]>&<\", namespace: n}\nextra: 1\n",
        "5- a\n- b\n",
    ],
};

/// The formats, and whether unknown and duplicate fields are refused.
const RUNS: [(&str, bool); 5] =
    [("json", false), ("junit", true), ("tap", false), ("text", true), ("pretty", false)];

fn run(input: &[u8]) {
    let Some((choice, manifests)) = input.split_first() else { return };
    let (format, strict) = RUNS[usize::from(*choice) % RUNS.len()];
    // Nothing is read below this directory: all locations of schemas are embedded.
    let (mut world, stdout, stderr) = World::new(PathBuf::from("/"), BTreeMap::new());
    world.set_standard_input(Box::new(Cursor::new(manifests.to_vec())));
    let flags =
        ["-summary", "-verbose", "-n", "1", "-output", format].into_iter().chain(strict.then_some("-strict"));
    let arguments: Vec<_> = flags.map(Into::into).collect();
    let code = trueline_cli::kubeconform(&arguments, &mut world);
    let (printed, complained) = (stdout.take(), stderr.take());
    assert!(code <= 1, "kubeconform ends with 0 or 1, not {code}");
    let printed = String::from_utf8(printed).expect("output is UTF-8");
    let complained = String::from_utf8(complained).expect("complaints are UTF-8");
    assert!(code == 1 || complained.is_empty(), "a complaint about a run that succeeded: {complained}");
    match format {
        "json" if complained.is_empty() => {
            let report: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
            assert!(report["summary"].is_object(), "{printed}");
        }
        "junit" => assert!(
            !printed.contains(|letter: char| letter.is_control() && !"\n\t\r".contains(letter)),
            "XML has no control characters: {printed:?}"
        ),
        _ => {}
    }
}
