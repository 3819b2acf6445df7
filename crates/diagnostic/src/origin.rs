//! Moves a finding out of rendered text to the places that somebody typed.

use trueline_source::{Resolved, SourceKind, SourceMap, Span};

use crate::{Diagnostic, Edit, Fix, Frame, Label};

/// The message at the rendered place that a finding was moved away from. That place is not moved.
pub const RENDERED: &str = "in the rendered text";

/// Where a place is shown, and which related places are shown with it.
struct ShownPlace {
    span: Span,
    /// The template that printed a value, the place that includes a helper, the values that make up parts of
    /// the text.
    related: Vec<Label>,
    /// The helper that printed it.
    helper: Option<Span>,
}

/// Maps a place in any source to the place to show: the value that the text was printed from, or else the text
/// of the template, or else the action that printed it. A helper is shown only if the finding is about its own
/// text and the helper belongs to the chart that includes it.
pub fn typed_place(span: Span, sources: &SourceMap) -> Span {
    shown(&sources.resolve(span), sources).span
}

fn shown(resolved: &Resolved, sources: &SourceMap) -> ShownPlace {
    let label = |span: Span, text: &str| Label::new(sources.resolve(span).span, text);
    let caller = resolved.caller.map(|caller| sources.resolve(caller).span);
    if let Some(value) = resolved.value {
        let template = caller.unwrap_or(resolved.span);
        let span = sources.resolve(value).span;
        let related = if template == span { Vec::new() } else { vec![label(template, "printed here")] };
        return ShownPlace { span, related, helper: caller.map(|_| resolved.span) };
    }
    let mut shown = match caller {
        None => ShownPlace { span: resolved.span, related: Vec::new(), helper: None },
        // A template typed as a value can be edited by whoever typed it, so it is shown.
        Some(caller) if !resolved.is_copied && !is_template(resolved.span, sources) => {
            ShownPlace { span: resolved.span, related: vec![label(caller, "printed here")], helper: None }
        }
        Some(caller) if !resolved.is_copied => {
            ShownPlace { span: caller, related: Vec::new(), helper: Some(resolved.span) }
        }
        Some(caller) if chart_of(caller, sources) == chart_of(resolved.span, sources) => {
            ShownPlace { span: resolved.span, related: vec![label(caller, "included here")], helper: None }
        }
        Some(caller) => {
            let helper = vec![label(resolved.span, "written by this helper")];
            ShownPlace { span: caller, related: helper, helper: None }
        }
    };
    for part in &resolved.parts {
        shown.related.push(label(*part, "this value is part of it"));
    }
    shown
}

fn is_template(span: Span, sources: &SourceMap) -> bool {
    let source = sources.get(span.source);
    source.name().starts_with("templates/") || source.name().contains("/templates/")
}

/// The chart that a template is in, by the path of its file.
fn chart_of(span: Span, sources: &SourceMap) -> String {
    let source = sources.get(span.source);
    source.name().rsplit_once("templates/").map_or("", |(chart, _)| chart).to_owned()
}

impl Diagnostic {
    /// The same finding with every place moved to text that somebody typed.
    ///
    /// If the text at the primary place was printed from a value, the value becomes the primary place and the
    /// action that printed it a further label. The rendered place becomes a step of the trace.
    pub fn at_origin(mut self, sources: &SourceMap) -> Self {
        let resolved = sources.resolve(self.primary.span);
        let primary = shown(&resolved, sources);
        self.primary.span = primary.span;
        for label in &mut self.related {
            label.span = typed_place(label.span, sources);
        }
        // A label without words that points at the primary place adds nothing, so it is dropped.
        self.related.retain(|label| label.span != primary.span || !label.text.is_empty());
        for frame in self.trace.iter_mut().filter(|frame| frame.text != RENDERED) {
            frame.span = typed_place(frame.span, sources);
        }
        for label in primary.related.into_iter().rev() {
            if !self.mentions(label.span) {
                self.related.insert(0, label);
            }
        }
        if let Some(helper) = primary.helper.filter(|helper| !self.mentions(*helper)) {
            self.trace.push(Frame { span: helper, text: "in this helper".to_owned() });
        }
        for rendered in resolved.through {
            self.trace.push(Frame { span: rendered, text: RENDERED.to_owned() });
        }
        self.fix = self.fix.and_then(|fix| {
            let edits: Option<Vec<Edit>> = fix.edits.into_iter().map(|edit| moved(edit, sources)).collect();
            edits.map(|edits| Fix { edits, ..fix })
        });
        self
    }

    fn mentions(&self, span: Span) -> bool {
        self.primary.span == span || self.related.iter().any(|label| label.span == span)
    }
}

/// The same change applied to what somebody typed. `None` if the text was not typed as it is rendered, or if
/// the new text would not be printed unchanged.
fn moved(edit: Edit, sources: &SourceMap) -> Option<Edit> {
    let resolved = sources.resolve(edit.span);
    if resolved.through.is_empty() {
        return Some(edit);
    }
    // The quotes that are printed around a value are kept.
    let (span, bare) = match sources.typed(edit.span) {
        Some(span) => (span, edit.replacement.as_str()),
        None => {
            bare(sources.get(edit.span.source).slice(edit.span))?;
            let inner = Span { start: edit.span.start + 1, end: edit.span.end - 1, ..edit.span };
            (sources.typed(inner)?, bare(&edit.replacement)?)
        }
    };
    let source = sources.get(span.source);
    if !matches!(source.kind(), SourceKind::File) {
        return None;
    }
    let is_word = |text: &str| {
        !text.is_empty()
            && text.chars().all(|character| {
                character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.' | '/')
            })
    };
    let template = sources.get(resolved.span.source);
    let is_yaml = template.slice(resolved.span).contains("toYaml");
    let replacement = match resolved.value {
        None if bare.contains("{{") || bare.contains('\n') => return None,
        None => bare.to_owned(),
        // Quotes reach the rendered text only if the value is written as YAML.
        Some(_) if is_yaml && !edit.replacement.contains('\n') => match is_in_quotes(span, source.text()) {
            true => within_quotes(&edit.replacement)?,
            false => edit.replacement,
        },
        Some(_) if is_word(bare) => bare.to_owned(),
        Some(_) => return None,
    };
    (source.slice(span) != replacement).then_some(Edit { span, replacement })
}

/// The text inside the quotes of a quoted text.
fn bare(text: &str) -> Option<&str> {
    ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

/// Whether the same quote was typed before and after a place.
fn is_in_quotes(span: Span, text: &str) -> bool {
    let before = text.get(..span.start as usize).and_then(|text| text.chars().next_back());
    let behind = text.get(span.end as usize..).and_then(|text| text.chars().next());
    before == behind && matches!(before, Some('"' | '\''))
}

/// A scalar as written inside existing quotes. `None` if it would need escapes.
fn within_quotes(scalar: &str) -> Option<String> {
    let text = bare(scalar).unwrap_or(scalar);
    (!text.contains(['\\', '"', '\''])).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Edit, Severity};
    use trueline_source::{Call, Origin, OriginMap, SourceId};

    static CODE: Code = Code {
        id: "TL0000",
        name: "test",
        severity: Severity::Error,
        summary: "",
        explanation: "",
        wrong: "",
        right: "",
    };

    #[test]
    fn a_finding_about_a_printed_value_moves_to_that_value() {
        let sources = SourceMap::new();
        let template = sources.add("t.yaml", SourceKind::File, "replicas: {{ .Values.n }}\n");
        let values = sources.add("values.yaml", SourceKind::File, "n: many\n");
        let mut origins = OriginMap::new();
        origins.push(0, Origin::Verbatim(template.span(0, 10)));
        origins.push(10, Origin::Computed { action: template.span(10, 25), value: Some(values.span(3, 7)) });
        origins.push(14, Origin::Verbatim(template.span(25, 26)));
        let rendered = sources.add("r", SourceKind::Rendered(origins), "replicas: many\n");

        let finding = Diagnostic::new(&CODE, rendered.span(10, 14), "wrong")
            .related(rendered.span(0, 8), "this field")
            .fix("write 1", vec![Edit { span: rendered.span(10, 14), replacement: "1".into() }])
            .at_origin(&sources);
        assert_eq!(finding.primary.span, values.span(3, 7));
        assert_eq!(finding.related[0].span, template.span(10, 25));
        assert_eq!(finding.related[1].span, template.span(0, 8));
        assert_eq!(finding.trace[0].span, rendered.span(10, 14));
        let fix = finding.fix.clone().expect("the value is printed as it was typed");
        assert_eq!(fix.edits, [Edit { span: values.span(3, 7), replacement: "1".into() }]);
        let again = finding.clone().at_origin(&sources);
        assert_eq!(again.trace, finding.trace, "it is moved once");
        assert_eq!(again.related, finding.related);
    }

    /// `image: {{ .Values.a }}:{{ .Values.b }}` and a helper `name`, which prints `{{ .Values.c }}-x` and is included
    /// on the second line; the third line is text of the helper, and so is the fourth, of another chart.
    fn composed() -> (SourceMap, [SourceId; 5]) {
        let sources = SourceMap::new();
        let values = sources.add("c/values.yaml", SourceKind::File, "a: 1\nb: 2\nc: 3\n");
        let template_text = "image: {{ .Values.a }}:{{ .Values.b }}\nname: {{ include \"n\" . }}\n{{ template \"t\" }}\n{{ template \"l\" }}\n";
        let template = sources.add("c/templates/a.yaml", SourceKind::File, template_text);
        let helper = sources.add("c/templates/_h.tpl", SourceKind::File, "{{ .Values.c }}{{ print 9 }}tt: u");
        let library = sources.add("c/charts/l/templates/_l.tpl", SourceKind::File, "ll: m");
        let computed = |action: Span, value: Option<Span>| Origin::Computed { action, value };
        let mut origins = OriginMap::new();
        for (start, origin) in [
            (0, Origin::Verbatim(template.span(0, 7))),
            (7, computed(template.span(7, 22), Some(values.span(3, 4)))),
            (8, Origin::Verbatim(template.span(22, 23))),
            (9, computed(template.span(23, 38), Some(values.span(8, 9)))),
            (10, Origin::Verbatim(template.span(38, 45))),
            (17, computed(helper.span(0, 15), Some(values.span(13, 14)))),
            (18, computed(helper.span(15, 28), None)),
            (19, Origin::Verbatim(template.span(64, 65))),
            (20, Origin::Verbatim(helper.span(28, 33))),
            (25, Origin::Verbatim(template.span(83, 84))),
            (26, Origin::Verbatim(library.span(0, 5))),
        ] {
            origins.push(start, origin);
        }
        origins.push_call(Call { start: 17, end: 19, action: template.span(45, 64) });
        origins.push_call(Call { start: 20, end: 25, action: template.span(65, 83) });
        origins.push_call(Call { start: 26, end: 31, action: template.span(84, 102) });
        let text = "image: 1:2\nname: 39\ntt: u\nll: m";
        let rendered = sources.add("r", SourceKind::Rendered(origins), text);
        (sources, [values, template, helper, library, rendered])
    }

    #[test]
    fn text_made_of_several_values_stays_in_the_template() {
        let (sources, [values, template, .., rendered]) = composed();
        let finding = Diagnostic::new(&CODE, rendered.span(7, 10), "wrong").at_origin(&sources);
        assert_eq!(finding.primary.span, template.span(7, 38), "the whole expression");
        let related: Vec<Span> = finding.related.iter().map(|label| label.span).collect();
        assert_eq!(related, [values.span(3, 4), values.span(8, 9)]);
    }

    #[test]
    fn a_helper_gives_way_to_the_template_that_includes_it() {
        let (sources, [values, template, helper, library, rendered]) = composed();
        let at = |start: usize, end: usize| {
            Diagnostic::new(&CODE, rendered.span(start, end), "wrong").at_origin(&sources)
        };
        let include = template.span(45, 64);
        let printed = at(17, 18);
        assert_eq!((printed.primary.span, printed.related[0].span), (values.span(13, 14), include));
        assert_eq!(printed.trace[0].span, helper.span(0, 15));
        let computed = at(18, 19);
        assert_eq!((computed.primary.span, computed.trace[0].span), (include, helper.span(15, 28)));
        let own = at(20, 22);
        assert_eq!((own.primary.span, own.related[0].span), (helper.span(28, 30), template.span(65, 83)));
        let foreign = at(26, 28);
        assert_eq!(foreign.primary.span, template.span(84, 102));
        assert_eq!(foreign.related[0].span, library.span(0, 2));
    }

    #[test]
    fn a_change_moves_to_where_the_text_was_typed_verbatim() {
        let (sources, [values, template, .., rendered]) = composed();
        let moved = |start: usize, end: usize, replacement: &str| {
            let edits = vec![Edit { span: rendered.span(start, end), replacement: replacement.into() }];
            let finding = Diagnostic::new(&CODE, rendered.span(start, end), "wrong").fix("write", edits);
            finding.at_origin(&sources).fix.map(|fix| fix.edits[0].span)
        };
        assert_eq!(moved(0, 5, "images"), Some(template.span(0, 5)), "text of the template");
        assert_eq!(moved(7, 8, "4"), Some(values.span(3, 4)), "a value that is printed as it was typed");
        assert_eq!(moved(7, 8, "\"4\""), None, "quotes would not be printed");
        assert_eq!(moved(7, 10, "4"), None, "parts of several origins");
        assert_eq!(moved(18, 19, "4"), None, "made by an action");
    }

    #[test]
    fn a_change_inside_quotes_keeps_them() {
        let sources = SourceMap::new();
        let template = sources.add(
            "c/templates/a.yaml",
            SourceKind::File,
            "a: {{ .Values.a | quote }}\nb: \"{{ .Values.b }}\"",
        );
        let values = sources.add("c/values.yaml", SourceKind::File, "a: one\nb: 'two'\n");
        let mut origins = OriginMap::new();
        origins.push(0, Origin::Verbatim(template.span(0, 3)));
        origins.push(3, Origin::Computed { action: template.span(3, 26), value: Some(values.span(3, 6)) });
        origins.push(8, Origin::Verbatim(template.span(26, 31)));
        origins
            .push(13, Origin::Computed { action: template.span(31, 46), value: Some(values.span(10, 15)) });
        origins.push(16, Origin::Verbatim(template.span(46, 47)));
        let rendered = sources.add("r", SourceKind::Rendered(origins), "a: \"one\"\nb: \"two\"");
        for (start, end, typed) in [(3, 8, values.span(3, 6)), (12, 17, values.span(11, 14))] {
            let edits = vec![Edit { span: rendered.span(start, end), replacement: "\"six\"".into() }];
            let finding = Diagnostic::new(&CODE, rendered.span(start, end), "wrong").fix("write", edits);
            let fix = finding.at_origin(&sources).fix.expect("it can be changed where it was typed");
            assert_eq!(fix.edits, [Edit { span: typed, replacement: "six".into() }]);
        }
    }

    #[test]
    fn a_change_of_a_value_written_as_yaml_keeps_the_typed_quotes() {
        for (typed, printed, replacement, expected) in [
            ("500 m", "500 m", "\"500m\"", Some("\"500m\"")),
            ("'500 m'", "500 m", "\"500m\"", Some("'500m'")),
            ("\"500 m\"", "500 m", "\"500m\"", Some("\"500m\"")),
            ("\"Alway\"", "Alway", "Always", Some("\"Always\"")),
            ("'080'", "\"080\"", "\"80\"", Some("'80'")),
            ("\"080\"", "\"080\"", "\"80\"", Some("\"80\"")),
            ("\"*\"", "'*'", "'a b'", Some("\"a b\"")),
            ("y", "\"y\"", "\"5\"", Some("\"5\"")),
            ("'80'", "\"80\"", "80", None),
            ("'a'", "a", "\"\\\"\"", None),
            ("'a'", "a", "\"a\"", None),
        ] {
            let sources = SourceMap::new();
            let template = sources.add("c/templates/a.yaml", SourceKind::File, "{{ toYaml .Values }}");
            let text = format!("a: {typed} # as it is\n");
            let values = sources.add("c/values.yaml", SourceKind::File, text.as_str());
            let mut origins = OriginMap::new();
            let action = template.span(0, 20);
            origins.push(0, Origin::Computed { action, value: None });
            origins.push(3, Origin::Computed { action, value: Some(values.span(3, 3 + typed.len())) });
            let end = 3 + printed.len();
            origins.push(end as u32, Origin::Computed { action, value: None });
            let rendered = sources.add("r", SourceKind::Rendered(origins), format!("a: {printed}\n"));
            let span = rendered.span(3, end);
            let edits = vec![Edit { span, replacement: replacement.into() }];
            let fix = Diagnostic::new(&CODE, span, "wrong").fix("write", edits).at_origin(&sources).fix;
            let changed = fix.map(|fix| {
                let edit = &fix.edits[0];
                let (start, end) = (edit.span.start as usize, edit.span.end as usize);
                format!("{}{}{}", &text[..start], edit.replacement, &text[end..])
            });
            let expected = expected.map(|value| format!("a: {value} # as it is\n"));
            assert_eq!(changed, expected, "{typed} printed as {printed}");
        }
    }

    #[test]
    fn a_finding_in_a_file_stays() {
        let sources = SourceMap::new();
        let file = sources.add("t.yaml", SourceKind::File, "a: 1\n");
        let fix = vec![Edit { span: file.span(3, 4), replacement: "2".into() }];
        let finding =
            Diagnostic::new(&CODE, file.span(3, 4), "wrong").fix("write 2", fix).at_origin(&sources);
        assert_eq!(finding.primary.span, file.span(3, 4));
        assert!(finding.related.is_empty() && finding.trace.is_empty() && finding.fix.is_some());
    }
}
