//! Running a program: the functions that its instructions call.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use trueline_starlark::{Args, Builtin, Error, Globals, Thread, Value as Starlark, View};

use super::builder::{Builder, Built};
use super::listing::InstructionNames;
use super::node::NodeId;
use super::program::{Loader, Output, Program};
use crate::tree::Annotation;
use crate::value::{Content, Context, Noop, tree_value};

/// What one evaluation of a program builds. Functions that it defines keep it, and build in it whenever they are called.
struct Evaluation {
    program: Rc<Program>,
    context: Context,
    builders: RefCell<Vec<Builder>>,
    /// What the file itself built.
    root: RefCell<Root>,
}

/// Which node an error is about, if it is not the one whose line the error comes from.
pub(super) struct NodeFault {
    pub(super) program: Rc<Program>,
    pub(super) id: NodeId,
    /// What was known of the error before.
    pub(super) payload: Option<Rc<dyn Any>>,
}

/// What the file itself built, as opposed to its functions.
#[derive(Default)]
enum Root {
    #[default]
    Unfinished,
    Finished(Built),
    Taken,
}

pub(super) fn evaluate(
    program: &Rc<Program>,
    thread: &mut Thread,
    loader: &Rc<dyn Loader>,
    context: &Context,
) -> Result<(Globals, Output), Error> {
    let code = program.code()?;
    let evaluation = Rc::new(Evaluation {
        program: Rc::clone(program),
        context: context.clone(),
        builders: RefCell::default(),
        root: RefCell::default(),
    });
    let replace = evaluation.replace_function();
    let files = Rc::clone(loader);
    thread.set_loader(move |thread, module| files.load(thread, module, &replace));
    let mut globals = code.init(thread, &evaluation.instructions())?;
    globals.freeze();
    globals.retain(|name| !name.starts_with('_'));
    let output = match evaluation.root.replace(Root::Taken) {
        Root::Finished(Built::Text(text)) => Output::Text(text),
        Root::Finished(Built::Yaml(Content::Documents(documents), _)) => {
            Output::Documents(Rc::unwrap_or_clone(documents))
        }
        _ => Output::Nothing,
    };
    Ok((globals, output))
}

type Instruction = fn(&Evaluation, &mut Thread, &Args<'_>) -> Result<Starlark, Error>;

impl InstructionNames {
    pub(super) fn contains(&self, name: &str) -> bool {
        self.table().iter().any(|(known, _)| *known == name)
    }

    fn table(&self) -> [(&str, Instruction); 8] {
        [
            (&self.set_ctx_type, |_, _, _| Ok(Starlark::NONE)),
            (&self.start_ctx, Evaluation::start_ctx),
            (&self.end_ctx, Evaluation::end_ctx),
            (&self.start_node_annotation, Evaluation::start_node_annotation),
            (&self.collect_node_annotation, Evaluation::collect_node_annotation),
            (&self.start_node, Evaluation::start_node),
            (&self.set_node, Evaluation::set_node),
            (&self.set_map_item_key, Evaluation::set_map_item_key),
        ]
    }
}

impl Evaluation {
    fn instructions(self: &Rc<Self>) -> Globals {
        let mut globals = Globals::new();
        for (name, instruction) in self.program.names().table() {
            let evaluation = Rc::clone(self);
            let prefix = name.to_owned();
            let function = move |thread: &mut Thread, args: &Args<'_>| {
                instruction(&evaluation, thread, args).map_err(|error| error.prefixed(&prefix))
            };
            globals.set(name, Starlark::builtin(Builtin::new(name, function)));
        }
        globals
    }

    fn replace_function(self: &Rc<Self>) -> Starlark {
        let evaluation = Rc::clone(self);
        Starlark::builtin(Builtin::new("template.replace", move |thread, args| {
            evaluation.replace(thread, args).map_err(|error| error.prefixed("template.replace"))
        }))
    }

    /// Lets `act` use the innermost builder. Those of functions that have failed are gone.
    fn with<R>(
        &self,
        thread: &Thread,
        act: impl FnOnce(&mut Builder) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut builders = self.builders.borrow_mut();
        let depth = thread.depth();
        while builders.last().is_some_and(|builder| builder.depth > depth) {
            builders.pop();
        }
        match builders.last_mut() {
            Some(builder) => act(builder),
            None => Err(Error::new("expected to be inside of a template or of a function with YAML")),
        }
    }

    fn start_ctx(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        let depth = thread.depth();
        // Texts are built beside the node that they belong to, by the same function.
        let is_text = args.positional.first().and_then(Starlark::as_str) == Some("text");
        let limit = if is_text { depth + 1 } else { depth };
        let mut builders = self.builders.borrow_mut();
        while builders.last().is_some_and(|builder| builder.depth >= limit) {
            builders.pop();
        }
        builders.push(Builder::new(depth));
        Ok(Starlark::NONE)
    }

    fn end_ctx(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        // Nothing but this uses the builder from here on.
        let built = self.with(thread, |builder| {
            let depth = builder.depth;
            std::mem::replace(builder, Builder::new(depth)).finish()
        })?;
        let mut builders = self.builders.borrow_mut();
        builders.pop();
        let is_root = builders.is_empty() && matches!(*self.root.borrow(), Root::Unfinished);
        if is_root {
            *self.root.borrow_mut() = Root::Finished(built);
            return Ok(Starlark::NONE);
        }
        match args.positional {
            [] => Ok(match built {
                Built::Nothing if self.program.nodes().is_text() => Starlark::string(""),
                built => built.into_starlark(&self.context),
            }),
            [value] => Ok(value.clone()),
            _ => Err(Error::new("expected zero or one argument")),
        }
    }

    fn start_node(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        let [tag] = args.positional else { return Err(Error::new("expected exactly one argument")) };
        let first = self.node(tag)?;
        self.with(thread, |builder| {
            builder.start(thread, &self.program, first, &self.context).map_err(|(id, error)| {
                let payload = error.payload().cloned();
                let fault = NodeFault { program: Rc::clone(&self.program), id, payload };
                if id == first { error } else { error.with_payload(Rc::new(fault)) }
            })
        })?;
        Ok(Starlark::NONE)
    }

    fn set_node(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        let value = match args.positional {
            [_, value] => value,
            // Sets nothing: the value is what the node was started with.
            [_] => return Ok(Starlark::NONE),
            _ => return Err(Error::new("expected exactly 2 arguments")),
        };
        self.with(thread, |builder| builder.set_value(value, &self.context))?;
        Ok(Starlark::NONE)
    }

    fn set_map_item_key(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        let [tag, key] = args.positional else { return Err(Error::new("expected exactly 2 arguments")) };
        let id = self.node(tag)?;
        let key = tree_value(key, &self.context)?;
        self.with(thread, |builder| {
            builder.set_key(id, key);
            Ok(())
        })?;
        Ok(Starlark::NONE)
    }

    fn node(&self, tag: &Starlark) -> Result<NodeId, Error> {
        let Some(tag) = tag.as_int() else { return Err(Error::new("expected starlark.Int")) };
        let id = u32::try_from(tag).ok().and_then(|tag| self.program.nodes().find(tag));
        id.ok_or_else(|| Error::new(format!("expected to find node tag {tag}")))
    }

    /// The arguments of an annotation as a tuple: those without names in a tuple, then pairs.
    #[allow(clippy::unused_self, reason = "all instructions have the same type")]
    fn collect_node_annotation(&self, _: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        let named = args.named.iter().map(|(name, value)| Starlark::tuple(vec![name.clone(), value.clone()]));
        Ok(Starlark::tuple(std::iter::once(Starlark::tuple(args.positional.to_vec())).chain(named).collect()))
    }

    fn start_node_annotation(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        let [tag, name, collected] = args.positional else {
            return Err(Error::new("expected exactly 3 arguments"));
        };
        let id = self.node(tag)?;
        let name = name.as_str().unwrap_or_default();
        let Some((name, position)) = self.program.nodes().annotation(id, name) else {
            return Err(Error::new(format!("expected to find {name} on the node")));
        };
        let View::Tuple([positional, named @ ..]) = collected.view() else {
            return Err(Error::new("expected the arguments of an annotation"));
        };
        let pair = |pair: &Starlark| match pair.view() {
            View::Tuple([name, value]) => Some((name.as_str()?.into(), value.clone())),
            _ => None,
        };
        let annotation = Annotation {
            args: match positional.view() {
                View::Tuple(values) => values.to_vec(),
                _ => Vec::new(),
            },
            kwargs: named.iter().filter_map(pair).collect(),
            position: position.clone(),
        };
        self.with(thread, |builder| {
            builder.annotate(id, |annotations| annotations.set(Rc::clone(name), annotation));
            Ok(())
        })?;
        Ok(Starlark::NONE)
    }

    fn replace(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        let [value] = args.positional else { return Err(Error::new("expected exactly one argument")) };
        let overrides = self.program.overrides();
        self.with(thread, |builder| builder.replace(thread, value, overrides, &self.context))?;
        Ok(Starlark::custom(Noop))
    }
}
