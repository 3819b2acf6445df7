//! Moves a finding out of rendered text to the places that somebody wrote.

use trueline_source::{SourceMap, Span};

use crate::{Diagnostic, Frame, Label};

/// What is said of a place in rendered text that a finding was moved away from. It stays where it is.
const RENDERED: &str = "in the rendered text";

impl Diagnostic {
    /// The same finding with every place in a text that somebody wrote.
    ///
    /// Where the primary place was printed from a value, the place of that value becomes a further
    /// label, and the rendered place becomes a step of the trace.
    pub fn at_origin(mut self, sources: &SourceMap) -> Self {
        let resolved = sources.resolve(self.primary.span);
        self.primary.span = resolved.span;
        for label in &mut self.related {
            label.span = sources.resolve(label.span).span;
        }
        for frame in self.trace.iter_mut().filter(|frame| frame.text != RENDERED) {
            frame.span = sources.resolve(frame.span).span;
        }
        if let Some(value) = resolved.value {
            let span = sources.resolve(value).span;
            if !self.mentions(span) {
                self.related.insert(0, Label::new(span, "the value was typed here"));
            }
        }
        for rendered in resolved.through {
            self.trace.push(Frame { span: rendered, text: RENDERED.to_owned() });
        }
        // A change can only be offered where the text stands as it was typed.
        if let Some(fix) = &self.fix
            && fix.edits.iter().any(|edit| !sources.resolve(edit.span).through.is_empty())
        {
            self.fix = None;
        }
        self
    }

    fn mentions(&self, span: Span) -> bool {
        self.primary.span == span || self.related.iter().any(|label| label.span == span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Edit, Severity};
    use trueline_source::{Origin, OriginMap, SourceKind};

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
    fn a_finding_in_rendered_text_moves_to_template_and_value() {
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
        assert_eq!(finding.primary.span, template.span(10, 25));
        assert_eq!(finding.related[0].span, values.span(3, 7));
        assert_eq!(finding.related[1].span, template.span(0, 8));
        assert_eq!(finding.trace[0].span, rendered.span(10, 14));
        assert_eq!(finding.fix, None);
        let again = finding.clone().at_origin(&sources);
        assert_eq!(again.trace, finding.trace, "it is moved once");
        assert_eq!(again.related, finding.related);
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
