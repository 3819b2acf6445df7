//! Small charts, and what is found in them.

use std::sync::Arc;

use trueline_source::{MemoryLoader, SourceMap};
use trueline_yaml::Value;

use super::Usage;
use crate::chart::{self, Compat, read_values};
use crate::engine::Texts;

/// What is found in a chart of one template: `code path` for each finding. Other files follow as pairs.
fn findings(values: &str, template: &str, user: &str, others: &[(&str, &str)]) -> Vec<String> {
    let (usage, user, _) = usage(values, template, user, others);
    let found = usage.findings(&user);
    let describe = |finding: &trueline_diagnostic::Diagnostic| {
        format!("{} {}", finding.code.id, finding.path.as_deref().unwrap_or_default())
    };
    found.iter().map(describe).collect()
}

fn usage(
    values: &str,
    template: &str,
    user: &str,
    others: &[(&str, &str)],
) -> (Usage, Value, Arc<SourceMap>) {
    let mut loader = MemoryLoader::new("/c")
        .with_file("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n")
        .with_file("values.yaml", values)
        .with_file("templates/t.yaml", template);
    for (name, text) in others {
        loader = loader.with_file(name, *text);
    }
    let sources = Arc::new(SourceMap::new());
    let request = chart::Request {
        loader: &loader,
        path: "",
        absolute: "/c",
        sources: &sources,
        compat: Compat::Helm4,
    };
    let chart = chart::load(&request).unwrap().chart;
    let source = sources.add("user.yaml", trueline_source::SourceKind::File, user);
    let user = read_values(source, user.as_bytes(), &sources, Compat::Helm4).unwrap();
    let usage = Usage::of(&chart, &Texts::read(&chart, Compat::Helm4), &user, Compat::Helm4).unwrap();
    (usage, user, sources)
}

/// What Helm gives to templates has known fields; each finding is `place: message (label)`.
#[test]
fn fields_that_builtins_do_not_have() {
    for (template, expected) in [
        ("{{ .Chart.Nmae }}", "Nmae: `.Chart` has no field `Nmae` (did you mean `Name`?)"),
        (
            "{{ $.Release.Namesapce }}",
            "Namesapce: `.Release` has no field `Namesapce` (did you mean `Namespace`?)",
        ),
        (
            "{{ if .Release.IsUpgarde }}{{ end }}",
            "IsUpgarde: `.Release` has no field `IsUpgarde` (did you mean `IsUpgrade`?)",
        ),
        ("{{ .Chart.name }}", "name: `.Chart` has no field `name` (did you mean `Name`?)"),
        (
            "{{ .Capabilities.KubeVersion.Versoin }}",
            "Versoin: `.Capabilities.KubeVersion` has no field `Versoin` (did you mean `Version`?)",
        ),
        ("{{ .Template.BasPath }}", "BasPath: `.Template` has no field `BasPath` (did you mean `BasePath`?)"),
        ("{{ .Release.Time }}", "Time: `.Release` has no field `Time` ()"),
        (
            "{{ define \"x\" }}{{ with .Values }}{{ $.Chart.Verson }}{{ end }}{{ end }}{{ include \"x\" . }}",
            "Verson: `.Chart` has no field `Verson` (did you mean `Version`?)",
        ),
        (
            "{{ $c := .Chart }}{{ $c.AppVerison }}",
            "AppVerison: `.Chart` has no field `AppVerison` (did you mean `AppVersion`?)",
        ),
        ("{{ if .Release.Time }}{{ end }}{{ default 1 .Release.Time }}", ""),
        ("{{ .Chart.Name }}{{ .Chart.Annotations.x }}{{ range .Chart.Maintainers }}{{ .Nmae }}{{ end }}", ""),
        ("{{ .Capabilities.APIVersions.Has \"v1\" }}{{ .Capabilities.KubeVersion.GitVersion }}", ""),
        ("{{ $_ := set .Release \"Nmae\" 1 }}{{ .Release.Nmae }}", ""),
        ("{{ with dict \"Chart\" (dict \"Nmae\" 1) }}{{ .Chart.Nmae }}{{ end }}", ""),
        ("{{ define \"x\" }}{{ .Chart.Nmae }}{{ end }}", ""),
    ] {
        let (usage, _, sources) = usage("", template, "", &[]);
        let found = usage.unknown_fields().into_iter().map(|finding| {
            let place = sources.get(finding.primary.span.source).slice(finding.primary.span).to_owned();
            format!("{place}: {} ({})", finding.message, finding.primary.text)
        });
        assert_eq!(found.collect::<Vec<_>>().join("; "), expected, "{template}");
    }
}

/// Whatever the order in which templates are run.
#[test]
fn what_is_put_into_values_is_known_to_all_templates() {
    const VALUES: &str = "real: {k: 1, w: 1}\nx: {}\n";
    for (reads, puts) in [
        ("{{ .Values.x.k }}", "{{ $_ := set .Values \"x\" .Values.real }}"),
        ("{{ .Values.x.k }}", "{{ $_ := merge .Values.x .Values.real }}"),
        (
            "{{ define \"h\" }}{{ .Values.x.k }}{{ end }}{{ include \"h\" . }}{{ include \"h\" . }}",
            "{{ $_ := set .Values \"x\" .Values.real }}",
        ),
        ("{{ .extra.k }}", "{{ $_ := set $ \"extra\" .Values.real }}"),
        ("{{ .Values.global.k }}", "{{ $_ := set .Values \"global\" .Values.real }}"),
        ("{{ tpl (print .Values.x .Chart) . }}", "{{ $text := \"{{ .Values.real.k }}\" }}"),
        ("{{ with .Values.x }}{{ .a.k }}{{ end }}", "{{ $_ := set .Values.x \"a\" .Values.real }}"),
    ] {
        for name in ["templates/a.yaml", "templates/z.yaml"] {
            let mut found = findings(VALUES, reads, "", &[(name, puts)]);
            found.retain(|finding| finding.contains(" /real"));
            assert_eq!(found, ["TL0680 /real/w"], "{reads} {puts} {name}");
        }
    }
}

#[test]
fn values_that_nothing_reads() {
    for (values, template, expected) in [
        ("a: 1\nb: 2\n", "{{ .Values.a }}", vec!["TL0680 /b"]),
        ("a: {b: 1, c: 2}\n", "{{ .Values.a.b }}", vec!["TL0680 /a/c"]),
        ("a: {b: 1, c: 2}\n", "{{ toYaml .Values.a }}", vec![]),
        ("a: {b: 1, c: 2}\n", "{{ if .Values.a }}x{{ end }}", vec![]),
        ("a: {b: 1, c: 2}\n", "{{ with .Values.a }}{{ .b }}{{ $.Values.a.c }}{{ end }}", vec![]),
        ("a: {b: 1, c: 2}\n", "{{ $x := .Values.a }}{{ $x.b }}", vec!["TL0680 /a/c"]),
        ("a: {b: 1, c: 2}\n", "{{ index .Values \"a\" \"b\" }}", vec!["TL0680 /a/c"]),
        ("a: {b: 1, c: 2}\n", "{{ get .Values.a \"b\" }}{{ dig \"a\" \"c\" 1 .Values }}", vec![]),
        ("a: {b: 1, c: 2}\n", "{{ range $k, $v := .Values.a }}{{ $k }}{{ end }}", vec![]),
        ("a: [{b: 1, c: 2}]\n", "{{ range .Values.a }}{{ .b }}{{ end }}", vec!["TL0680 /a/0/c"]),
        ("a: [{b: 1, c: 2}]\n", "{{ (index .Values.a 0).b }}", vec!["TL0680 /a/0/c"]),
        ("a: 1\nb: 2\n", "{{ tpl \"{{ .Values.a }}\" . }}", vec!["TL0680 /b"]),
        ("a: 1\nb: '{{ .Values.a }}'\n", "{{ tpl .Values.b $ }}", vec![]),
        ("a: 1\nb: ['{{ .Values.a }}']\nc: 1\n", "{{ tpl (toYaml .Values.b) $ }}", vec!["TL0680 /c"]),
        ("a: 1\nb: 1\n", "{{ toYaml .Values }}", vec![]),
        ("a: 1\nb: 1\n", "{{ unknownText . }}{{ define \"x\" }}{{ end }}", vec![]),
        ("a: {x: 1, w: 1}\nb: {x: 1}\n", "{{ (merge (dict) .Values.a .Values.b).x }}", vec!["TL0680 /a/w"]),
        (
            "a: {x: 1, w: 1}\n",
            "{{ $d := dict }}{{ $_ := set $d \"k\" .Values.a }}{{ $d.k.x }}",
            vec!["TL0680 /a/w"],
        ),
        ("a: 1\n", "{{ $v := list 1 2 }}{{ range $v }}{{ $.Values.a }}{{ end }}", vec![]),
        ("a: 1\nb: 1\n", "{{ with .Values }}{{ .a }}{{ end }}", vec!["TL0680 /b"]),
        ("a: 1\nb: ~\n", "{{ .Values.a }}", vec![]),
    ] {
        let template = template.replace("unknownText", "toJson");
        assert_eq!(findings(values, &template, "", &[]), expected, "{values} with {template}");
    }
}

#[test]
fn values_are_followed_through_includes() {
    let helpers = "{{ define \"own\" }}{{ .Values.a }}{{ end }}\
                   {{ define \"context\" }}{{ .context.Values.b }}{{ .value.x }}{{ end }}\
                   {{ define \"listed\" }}{{ (index . 1).w }}{{ (first .).Values.c }}{{ end }}\
                   {{ define \"again\" }}{{ if .value }}{{ include \"again\" (dict \"value\" .value.next) }}{{ end }}{{ end }}";
    for (values, template, expected) in [
        ("a: 1\nb: 1\n", "{{ include \"own\" . }}", vec!["TL0680 /b"]),
        ("a: 1\nb: 1\n", "{{ template \"own\" $ }}", vec!["TL0680 /b"]),
        (
            "a: 1\nb: 1\nm: {x: 1, w: 1}\n",
            "{{ include \"context\" (dict \"context\" $ \"value\" .Values.m) }}",
            vec!["TL0680 /a", "TL0680 /m/w"],
        ),
        ("c: 1\nm: {x: 1, w: 1}\n", "{{ include \"listed\" (list $ .Values.m) }}", vec!["TL0680 /m/x"]),
        ("a: 1\nb: 1\n", "{{ include (printf \"%s\" \"own\") . }}", vec!["TL0680 /b"]),
        ("a: 1\nb: 1\n", "{{ include (print \"o\" .Release.Name) . }}", vec!["TL0680 /b"]),
        (
            "m: {next: {next: {next: {next: {next: {next: 1}}}}}}\n",
            "{{ include \"again\" (dict \"value\" .Values.m) }}",
            vec![],
        ),
    ] {
        let found = findings(values, template, "", &[("templates/_h.tpl", helpers)]);
        assert_eq!(found, expected, "{values} with {template}");
    }
}

#[test]
fn names_that_stand_in_templates_are_followed() {
    let helpers = "{{- define \"at\" -}}{{- $at := .context.Values -}}{{- range splitList \".\" .path -}}\
                   {{- $at = index $at . -}}{{- end -}}{{- printf \"%v\" $at -}}{{- end -}}\
                   {{- define \"name\" -}}{{- $name := first .names -}}{{- printf \"%s\" $name -}}{{- end -}}";
    for (template, expected) in [
        ("{{ include \"at\" (dict \"path\" \"a.b\" \"context\" $) }}", vec!["TL0680 /a/c", "TL0680 /d"]),
        (
            "{{ $n := include \"name\" (dict \"names\" (list \"a.c\" \"d\")) }}\
             {{ include \"at\" (dict \"path\" $n \"context\" $) }}",
            vec!["TL0680 /a/b", "TL0680 /d"],
        ),
        ("{{ include \"at\" (dict \"path\" .Release.Name \"context\" $) }}", vec![]),
        ("{{ range list \"a\" \"d\" }}{{ index $.Values . }}{{ end }}", vec![]),
        (
            "{{ $x := .Values.a }}{{ if .Values.d }}{{ $x = dict }}{{ end }}{{ range list 1 2 }}{{ $x.b }}{{ end }}",
            vec!["TL0680 /a/c"],
        ),
        (
            "{{ $x := .Values }}{{ range list \"a\" \"b\" }}{{ $x = index $x . }}{{ break }}{{ end }}{{ $x }}",
            vec![],
        ),
    ] {
        let found = findings("a: {b: 1, c: 2}\nd: 1\n", template, "", &[("templates/_h.tpl", helpers)]);
        assert_eq!(found, expected, "{template}");
    }
}

#[test]
fn given_values_that_are_misspelt() {
    for (user, expected) in [
        ("replicacount: 3\n", vec!["TL0681 /replicacount"]),
        ("replicaCount: 3\nimagee: {tag: 1}\n", vec!["TL0681 /imagee"]),
        ("image: {tga: 1}\n", vec!["TL0681 /image/tga"]),
        ("zzz: 1\n", vec!["TL0680 /zzz"]),
        ("image: {tag: 1}\n", vec![]),
    ] {
        let template = "{{ .Values.replicaCount }}{{ .Values.image.tag }}";
        assert_eq!(findings("replicaCount: 1\nimage: {tag: 1}\n", template, user, &[]), expected, "{user}");
    }
}

#[test]
fn values_that_nothing_sets() {
    for (values, template, expected) in [
        ("b: 1\n", "{{ .Values.a.x }}{{ .Values.b }}", vec!["TL0682 /a"]),
        ("b: {}\n", "{{ .Values.b.a.x }}", vec!["TL0682 /b/a"]),
        ("b: 1\n", "{{ .Values.a }}{{ .Values.b }}", vec!["TL0683 /a"]),
        ("b: 1\n", "{{ .Values.b }}{{ if .Values.a }}{{ .Values.a.x }}{{ end }}", vec![]),
        ("b: 1\n", "{{ .Values.b }}{{ with .Values.a }}{{ .x }}{{ end }}", vec![]),
        ("b: 1\n", "{{ .Values.b }}{{ (.Values.a).x }}", vec![]),
        ("b: 1\n", "{{ .Values.b }}{{ $a := .Values.a }}{{ if $a }}{{ $a.x }}{{ end }}", vec![]),
        ("b: 1\na:\n", "{{ .Values.b }}{{ .Values.a }}", vec![]),
        ("b: 1\n", "{{ .Values.b }}{{ .Values.a | default 1 }}", vec![]),
        ("b: 1\n", "{{ .Values.b }}{{ if and .Values.a .Values.a.x }}x{{ end }}", vec![]),
        ("b: 1\n", "{{ .Values.b }}{{ required \"x\" .Values.a }}", vec![]),
        ("b: 1\n", "{{ .Values.b }}{{ $x := .Values.a | default dict }}{{ $x.w }}", vec![]),
        ("b: 1\n", "{{ .Values.b }}{{ $_ := set .Values \"a\" dict }}{{ .Values.a.x }}", vec![]),
        (
            "replicaCount: 1\n",
            "{{ .Values.replicacount }}",
            vec!["TL0680 /replicaCount", "TL0684 /replicacount"],
        ),
    ] {
        let found = findings(values, template, "", &[]);
        assert_eq!(found, expected, "{values} with {template}");
    }
}

#[test]
fn subcharts_read_their_part_and_the_globals() {
    let chart = "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n\
                 - {name: s, version: 1.0.0, alias: one, condition: one.enabled}\n\
                 - {name: gone, version: 1.0.0}\n";
    let files = [
        ("Chart.yaml", chart),
        ("charts/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 1.0.0\n"),
        ("charts/s/values.yaml", "x: 1\n"),
        ("charts/s/templates/t.yaml", "{{ .Values.x }}{{ .Values.global.g }}"),
    ];
    let values = "a: 1\none: {enabled: true, x: 2, w: 3}\ngone: {z: 1}\nglobal: {g: 1, h: 2}\n";
    assert_eq!(findings(values, "{{ .Values.a }}", "", &files), ["TL0680 /one/w", "TL0680 /global/h"]);
}

/// A chart that imports from its subchart `one`, which imports from its own. Neither takes part by default.
const IMPORTING: &[(&str, &str)] = &[
    (
        "Chart.yaml",
        "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n\
         - {name: s, version: 9.9.9, alias: one, condition: one.enabled,\n\
         \x20  import-values: [data, {child: conn, parent: to.conn}, {child: plain, parent: none}]}\n",
    ),
    (
        "charts/s/Chart.yaml",
        "apiVersion: v2\nname: s\nversion: 1.0.0\ndependencies:\n\
         - {name: t, version: 1.0.0, tags: [off], import-values: [{child: m, parent: conn.deep}]}\n",
    ),
    ("charts/s/values.yaml", "exports: {data: {port: 1}}\nconn: {host: h}\nplain: 1\n"),
    ("charts/s/charts/t/Chart.yaml", "apiVersion: v2\nname: t\nversion: 1.0.0\n"),
    ("charts/s/charts/t/values.yaml", "m: {k: 1}\n"),
];

#[test]
fn values_that_are_imported_are_set() {
    let values = "one: {enabled: false, conn: {host: z}}\ntags: {off: false}\n";
    for (template, expected) in [
        ("{{ .Values.port }}", vec![]),
        ("{{ .Values.to.conn.host }}{{ .Values.to.conn.deep.k }}", vec![]),
        ("{{ .Values.one.conn.deep.k }}", vec![]),
        ("{{ .Values.ports }}", vec!["TL0684 /ports"]),
        ("{{ .Values.elsewhere }}", vec!["TL0683 /elsewhere"]),
    ] {
        assert_eq!(findings(values, template, "", IMPORTING), expected, "{template}");
    }
}

#[test]
fn the_story_of_a_value_tells_of_imports() {
    let template = "{{ .Values.port }}{{ .Values.to.conn.host }}{{ .Values.to.conn.deep.k }}";
    let values = "port: 2\none: {conn: {host: z}}\n";
    let (usage, _, sources) = usage(values, template, "", IMPORTING);
    for (path, set, reads) in [
        ("port", vec!["charts/s/values.yaml 1", "values.yaml 2"], 1),
        ("to.conn.host", vec!["charts/s/values.yaml \"h\"", "values.yaml \"z\""], 1),
        ("to.conn.deep.k", vec!["charts/s/charts/t/values.yaml 1"], 1),
        ("one.conn.deep.k", vec!["charts/s/charts/t/values.yaml 1"], 1),
        ("one.t.m.k", vec!["charts/s/charts/t/values.yaml 1"], 1),
        ("one.exports.data.port", vec!["charts/s/values.yaml 1"], 1),
        ("one.plain", vec!["charts/s/values.yaml 1"], 0),
        ("none.x", vec![], 0),
    ] {
        let keys = super::keys_of_path(path).unwrap();
        let story = usage.story(&keys, &[]);
        let told: Vec<String> = story
            .set
            .iter()
            .map(|setting| {
                assert_eq!(setting.depth, keys.len(), "{path}");
                let file = sources.get(setting.span.unwrap().source).name().replace("/c/", "");
                format!("{file} {}", setting.value.to_json_text().unwrap())
            })
            .collect();
        assert_eq!(
            (told, story.reads.len()),
            (set.into_iter().map(str::to_owned).collect(), reads),
            "{path}"
        );
    }
}

#[test]
fn what_a_schema_names_is_no_mistake() {
    let schema = r##"{"properties": {"a": {}, "m": {"$ref": "#/definitions/m"}}, "definitions": {"m": {"properties": {"x": {}}}}}"##;
    let files = [("values.schema.json", schema)];
    assert_eq!(findings("a: 1\nb: 1\nm: {x: 1, w: 2}\n", "", "", &files), ["TL0680 /b", "TL0680 /m/w"]);
}

#[test]
fn branches_that_run_for_another_chart_only_are_not_read_here() {
    // The helper of the chart is run for the chart and for its subchart, and finds out where it is.
    let subchart = [
        ("charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
        ("charts/db/values.yaml", "auth: {database: x}\n"),
        ("charts/db/templates/t.yaml", "a: {{ include \"database\" . }}\n"),
    ];
    for (helper, expected) in [
        (
            "{{ if .Values.db }}{{ .Values.db.auth.database }}{{ else }}{{ .Values.auth.database }}{{ end }}",
            vec![],
        ),
        ("{{ if not .Values.db }}{{ .Values.auth.database }}{{ end }}", vec![]),
        ("{{ with .Values.db }}{{ .auth.database }}{{ else }}{{ .Values.auth.database }}{{ end }}", vec![]),
        ("{{ if eq .Chart.Name \"db\" }}{{ .Values.auth.database }}{{ end }}", vec![]),
        ("{{ if ne $.Chart.Name \"c\" }}{{ .Values.auth.database }}{{ end }}", vec![]),
        ("{{ if and (eq .Chart.Name \"db\") .Values.x }}{{ .Values.auth.database }}{{ end }}", vec![]),
        ("{{ if or .Values.db .Values.x }}{{ else }}{{ .Values.auth.database }}{{ end }}", vec![]),
        // A user may reach these.
        ("{{ if .Values.x }}{{ else }}{{ .Values.auth.database }}{{ end }}", vec!["TL0682 /auth"]),
        ("{{ if .Values.flag }}{{ else }}{{ .Values.auth.database }}{{ end }}", vec!["TL0682 /auth"]),
        ("{{ if eq .Chart.Name \"c\" }}{{ .Values.auth.database }}{{ end }}", vec!["TL0682 /auth"]),
        (
            "{{ if and .Values.db .Values.x }}{{ else }}{{ .Values.auth.database }}{{ end }}",
            vec!["TL0682 /auth"],
        ),
    ] {
        let define = format!("{{{{ define \"database\" }}}}{helper}{{{{ end }}}}");
        let others = [&subchart[..], &[("templates/_h.tpl", define.as_str())]].concat();
        let found = findings("flag: true\n", "a: {{ include \"database\" . }}\n", "", &others);
        let found: Vec<String> = found.into_iter().filter(|line| line.starts_with("TL0682")).collect();
        assert_eq!(found, expected, "{helper}");
    }
}
