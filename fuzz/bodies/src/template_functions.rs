//! The functions of charts, called by templates: whatever they are given, they come to an end, and what they make is
//! paid for.

use std::cell::Cell;
use std::sync::Arc;

use trueline_gotemplate::{Environment, Error, Limits, Options, Origins, Rendered, Templates, Value};
use trueline_source::SourceId;
use trueline_yaml as yaml;

use crate::Target;

/// Reads a template with the functions of charts and runs it.
pub(crate) const TARGET: Target = Target {
    name: "template_functions",
    run,
    seeds: &[
        "{{ .name | upper | trunc 5 | quote }}{{ repeat 3 .name | indent 2 }}{{ .name | b64enc | b64dec }}",
        "{{ kebabcase .name }}{{ snakecase \"HTTPServer 2x\" }}{{ camelcase .name }}{{ nospace .text }}{{ title .text }}",
        "{{ printf \"%5d|%-8s|%q|%x|%v\" 7 .name .text .name .map }}{{ printf \"%[2]*[1]d\" 3 9 }}",
        "{{ regexReplaceAll \"(a+)(b*)\" .text \"${2}$1\" }}{{ regexFindAll \"[a-z]\" .name -1 }}{{ regexSplit \"b\" .text 2 }}",
        "{{ regexMatch \"^(a|b)*c{2,5}$\" .text }}{{ mustRegexFind \"\\\\pL+\" .name }}{{ regexQuoteMeta .text }}",
        "{{ range until 5 }}{{ . }}{{ end }}{{ seq 1 2 9 }}{{ untilStep 3 30 7 | join \"-\" }}",
        "{{ $d := dict \"a\" 1 \"b\" .list }}{{ set $d \"c\" .map | toYaml | nindent 4 }}{{ omit $d \"a\" | toJson }}",
        "{{ merge (dict) .map (dict \"k\" 2) | toPrettyJson }}{{ deepCopy .map | keys | sortAlpha | first }}",
        "{{ fromYaml .yaml | toToml }}{{ fromJson \"{\\\"a\\\": [1]}\" }}{{ fromYamlArray \"[1, a]\" | last }}",
        "{{ splitList \",\" .csv | uniq | without \"a\" | compact | reverse | chunk 2 | toJson }}{{ split \",\" .csv }}",
        "{{ wrap 3 .text }}{{ wrapWith 4 \"\\t\" .text }}{{ abbrev 6 .text }}{{ substr 1 3 .name }}{{ trimAll \"ab\" .text }}",
        "{{ semver \"1.2.3-a+b\" }}{{ semverCompare \"^1.2 || ~2.0.x\" \"1.4.0\" }}{{ div 7 2 }}{{ mulf 1.1 2.2 }}{{ round 2.567 1 }}",
        "{{ now | date \"2006-01-02 MST\" }}{{ dateModify \"-1.5h\" now }}{{ durationRound \"3700s\" }}{{ toDate \"2006\" \"2020\" }}",
        "{{ urlParse \"http://a:b@c:1/d?e#f\" | urlJoin }}{{ base \"a/b.c\" }}{{ clean \"a//../b\" }}{{ sha256sum .name }}{{ adler32sum .text }}",
        "{{ default .name .none | ternary 1 2 true }}{{ coalesce .none .name }}{{ dig \"k\" \"x\" .map }}{{ kindOf .list }}{{ shuffle .name }}",
        "{{ randAlphaNum 5 }}{{ uuidv4 }}{{ genPrivateKey \"ed25519\" }}{{ encryptAES \"p\" .name | decryptAES \"p\" }}{{ htpasswd \"a:\" .name }}",
    ],
};

const VALUES: &str = r#"{"name": "wéB-x", "none": null, "list": [1, "b", [2.5], {"x": null}], "map": {"k": "v", "n": -7, "m": {"l": [1, 2]}}, "text": "aab b, Cabba\n cc", "csv": "a,b,,a,c", "yaml": "a: {b: [1, x]}\nc: |\n  t\n", "flag": true}"#;

/// Far less than a chart may, so that one input takes no time.
const STEPS: u64 = 300_000;

/// A step pays for no more than this.
const BYTES_PER_STEP: u64 = 64;

struct Counted(Cell<u64>);

impl Environment for Counted {
    fn now(&self) -> (i64, u32) {
        (1_257_894_000, 1)
    }

    fn random(&self, buffer: &mut [u8]) {
        for byte in buffer {
            self.0.set(self.0.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
            *byte = (self.0.get() >> 56) as u8;
        }
    }

    fn lookup_host(&self, _: &str) -> String {
        String::new()
    }
}

fn run(input: &[u8]) {
    let source = SourceId::from_index(0);
    let mut templates = Templates::new("set", Arc::new(trueline_sprig::functions()));
    if templates.parse("t", &Arc::from(input), Some(source)).is_err() {
        return;
    }
    let (plain, spent) = execute(&templates, Origins::Dropped);
    let (traced, _) = execute(&templates, Origins::Kept);
    match (plain, traced) {
        (Ok(plain), Ok(traced)) => {
            assert_eq!(plain.text, traced.text, "traces change what is written");
            let written = plain.text.len() as u64;
            // What is there already may be printed.
            let free = (input.len() + VALUES.len()) as u64 + BYTES_PER_STEP;
            assert!(written <= spent * BYTES_PER_STEP + free, "{written} bytes in {spent} steps");
        }
        (Err(plain), Err(traced)) => {
            assert!(plain.to_string().starts_with("template: "), "{plain}");
            assert!(!traced.to_diagnostic(source.span(0, 0)).message.is_empty());
        }
        // Traces are paid for, so one of the two may come further.
        (Ok(_), Err(error)) | (Err(error), Ok(_)) => {
            assert!(error.is_limit(), "traces change what happens: {error}");
        }
    }
}

fn execute(templates: &Templates, origins: Origins) -> (Result<Rendered, Error>, u64) {
    let value = yaml::Value::from_json_text(VALUES).expect("our own text can be read");
    let (dice, spent) = (Counted(Cell::new(7)), Cell::new(0));
    let mut options = Options::new(&dice, &());
    options.origins = origins;
    options.limits = Limits { steps: STEPS, output: 1 << 20, depth: 40 };
    options.spent = Some(&spent);
    let result = templates.execute("t", &Value::from_plain(&value, origins), &options);
    (result, spent.get())
}
