//! The template parser: no panic, every place inside the text, and each part of a tree inside of what it is a
//! part of.

use trueline_gotemplate::node::{Command, List, Node, Nodes, Operand, Pipe, Syntax, TemplatePlace};
use trueline_gotemplate::{Delimiters, Functions, parse};
use trueline_source::SourceId;

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "template_parse",
    run,
    seeds: &[
        "a: {{ .Values.a.b | printf \"%d\" }}\n{{- if and .x (eq .y 1) -}}\nb\n{{- else if $ }}c{{ else }}d{{ end }}\n",
        "{{- define \"d\" -}}{{ range $k, $v := .m }}{{ $k }}{{ break }}{{ else }}{{ continue }}{{ end }}{{- end }}",
        "{{ $x := 1 }}{{ $x = (index .a 0).b.c }}{{ with $y := `raw` }}{{ $y }}{{ else with .z }}{{ end }}",
        "{{/* comment */}}{{- /* trim */ -}} {{ template \"t\" . }}{{ block \"b\" .x }}{{ nil }}{{ end }}",
        "{{ 0x1F }}{{ 1_000 }}{{ 0x1.8p-3 }}{{ 1+2i }}{{ 'a' }}{{ '\\n' }}{{ -3 }}{{ 1e3 }}{{ .5 }}{{ true }}",
        "{{ nope }}{{ $y }}{{ if }}{{ end }}{{ end }}{{ .a-b }}{{ (.x }}{{ \"a }}\n{{ `b }}{{/* c",
        "{{ if .a }}{{ define \"n\" }}{{ else }}{{ end }}{{ define \"n\" }}x{{ end }}{{ range . }}{{ else if . }}",
        "{{ . | }}{{ .a | 1 }}{{ \"\\q\" }}{{ 1.x }}{{ print.x }}{{ é.ü }}{{ “ }}{{ $a, $b := . }}{{ : }}{{ {{",
    ],
};

fn run(input: &[u8]) {
    let parsed = parse(&"t".into(), &input.into(), &Functions::builtin(), Delimiters::default());
    for error in &parsed.errors {
        assert!(input.get(error.range.clone()).is_some(), "a place outside the text: {error:?}");
        assert!(error.line >= 1, "{error:?}");
        error.to_diagnostic(SourceId::from_index(0));
    }
    let whole = TemplatePlace { start: 0, end: input.len() as u32, position: 0 };
    for tree in &parsed.trees {
        inside(whole, tree.place);
        list(&tree.nodes, whole, &tree.root);
        tree.root.to_bytes(&tree.nodes);
    }
}

fn inside(outer: TemplatePlace, inner: TemplatePlace) {
    let kept = outer.start <= inner.start && inner.start <= inner.end && inner.end <= outer.end;
    let named = inner.start <= inner.position && inner.position <= inner.end;
    assert!(kept && named, "{inner:?} is not inside of {outer:?}");
}

fn list(nodes: &Nodes, outer: TemplatePlace, list: &List) {
    inside(outer, list.place);
    let mut end = list.place.start;
    for node in list.nodes(nodes) {
        let place = node.place(nodes);
        inside(list.place, place);
        assert!(end <= place.start, "{place:?} begins before the end of what stands before it, {end}");
        end = place.end;
        match node {
            Node::Text(_) | Node::Break(_) | Node::Continue(_) => {}
            Node::Action(action) => pipe(nodes, place, nodes.pipe(action.pipe)),
            Node::Template(template) => {
                template.pipe.iter().for_each(|dot| pipe(nodes, place, nodes.pipe(*dot)));
            }
            Node::Branch(branch) => {
                let branch = nodes.branch(*branch);
                pipe(nodes, place, &branch.pipe);
                for part in [Some(&branch.list), branch.otherwise.as_ref()].into_iter().flatten() {
                    self::list(nodes, TemplatePlace { start: place.start, ..list.place }, part);
                    end = end.max(part.place.end);
                }
            }
        }
    }
}

fn pipe(nodes: &Nodes, outer: TemplatePlace, pipe: &Pipe) {
    inside(outer, pipe.place);
    pipe.variables(nodes).iter().for_each(|variable| inside(pipe.place, variable.place));
    pipe.commands(nodes).iter().for_each(|each| command(nodes, pipe.place, each));
}

fn command(nodes: &Nodes, outer: TemplatePlace, command: &Command) {
    inside(outer, command.place);
    for part in std::iter::once(&command.head).chain(command.arguments(nodes)) {
        operand(nodes, command.place, part);
    }
}

fn operand(nodes: &Nodes, outer: TemplatePlace, part: &Operand) {
    inside(outer, part.place(nodes));
    match part {
        Operand::Pipe(part) => pipe(nodes, outer, nodes.pipe(*part)),
        Operand::Chain(chain) => {
            let chain = nodes.chain(*chain);
            operand(nodes, chain.place, &chain.operand);
        }
        _ => {}
    }
}
