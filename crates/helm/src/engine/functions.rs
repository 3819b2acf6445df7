//! The functions that only a chart's templates have: they reach into the set or give up the rendering.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_gotemplate::{
    Context, Data, Error, Function, Functions, Map, MapKind, Reason, Str, StrBuilder, TextError, Trace, Type,
    Uses, Value, Variadic,
};

use crate::chart::Compat;
use crate::log::{Level, LogLine};

/// What the functions share during one rendering.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) mode: Mode,
    /// How often each template is being included right now.
    included: RefCell<FxHashMap<Arc<[u8]>, u32>>,
    /// How many includes and texts are being run inside one another.
    depth: Cell<u32>,
    pub(super) log: RefCell<Vec<LogLine>>,
}

/// What a rendering is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The output counts.
    #[default]
    Render,
    /// Only whether it can be rendered counts: values that a user must give may be missing.
    Lint,
}

impl Host {
    pub(super) fn new(mode: Mode) -> Self {
        Host { mode, included: RefCell::default(), depth: Cell::new(0), log: RefCell::default() }
    }
}

/// Helm gives up when a template includes itself this many times.
const MAX_INCLUDES: u32 = 1_000;

/// Includes and texts inside one another, of whatever name: beyond it the stack would be at risk.
const MAX_NESTING: u32 = 2_500;

/// The functions that templates know.
pub(crate) fn all(compat: Compat) -> Functions {
    let mut functions = trueline_sprig::functions();
    functions.extend(FUNCTIONS);
    if compat == Compat::Helm3 {
        trueline_sprig::SINCE_HELM_4.iter().for_each(|name| functions.remove(name));
    }
    functions
}

const FUNCTIONS: &[Function] = &[
    Function {
        name: "include",
        parameters: &[Type::String, Type::Any],
        variadic: Variadic::No,
        call: include,
        usage: "NAME DOT",
        doc: "The text that the template NAME gives for DOT",
        uses: Uses::Template,
    },
    Function {
        name: "tpl",
        parameters: &[Type::String, Type::Any],
        variadic: Variadic::No,
        call: tpl,
        usage: "TEXT DOT",
        doc: "TEXT run as a template with DOT",
        uses: Uses::TemplateText,
    },
    Function {
        name: "required",
        parameters: &[Type::String, Type::Any],
        variadic: Variadic::No,
        call: required,
        usage: "MESSAGE VALUE",
        doc: "VALUE, or the end of the rendering with MESSAGE if it is nil or an empty string",
        uses: Uses::Required,
    },
    Function {
        name: "fail",
        parameters: &[Type::String],
        variadic: Variadic::No,
        call: fail,
        usage: "MESSAGE",
        doc: "Ends the rendering with MESSAGE",
        uses: Uses::All,
    },
    Function {
        name: "lookup",
        parameters: &[Type::String, Type::String, Type::String, Type::String],
        variadic: Variadic::No,
        call: |_, _| Ok(Map::new(MapKind::Any).into()),
        usage: "API-VERSION KIND NAMESPACE NAME",
        doc: "An object of the cluster; always an empty map, because no cluster is asked",
        uses: Uses::All,
    },
];

fn host(context: &dyn Context) -> Result<&Host, Error> {
    context.host().downcast_ref().ok_or_else(|| Error::new("no chart is being rendered"))
}

fn text(arguments: &[Value]) -> Str {
    arguments.first().and_then(Value::as_str).cloned().unwrap_or_else(Str::empty)
}

fn second(arguments: &[Value]) -> Value {
    arguments.get(1).cloned().unwrap_or_default()
}

/// Runs something that may come back here, as long as it is not nested too deep.
fn nested<T>(
    context: &mut dyn Context,
    run: impl FnOnce(&mut dyn Context) -> Result<T, Error>,
) -> Result<T, Error> {
    let depth = host(context)?.depth.get() + 1;
    if depth > MAX_NESTING {
        return Err(Error::limit(format!("templates are nested more than {MAX_NESTING} deep")));
    }
    host(context)?.depth.set(depth);
    let result = run(context);
    host(context)?.depth.set(depth - 1);
    result
}

fn include(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let text = text(arguments);
    let name = text.text();
    let dot = second(arguments);
    {
        let mut included = host(context)?.included.borrow_mut();
        let count = included.entry(Arc::clone(text.shared())).or_default();
        if *count > MAX_INCLUDES {
            let cause = Error::new("unable to execute template").because(Reason::Depth);
            return Err(Error::wrap(
                format!("rendering template has a nested reference name: {name}: "),
                cause,
            ));
        }
        *count += 1;
    }
    let result = nested(context, |context| context.execute(&name, &dot));
    if let Some(count) = host(context)?.included.borrow_mut().get_mut(text.as_bytes()) {
        *count = count.saturating_sub(1);
    }
    result.map(Value::from)
}

/// The first argument's text; all of it leads to where the value was typed, unless it knows better.
fn traced(arguments: &[Value]) -> Str {
    let text = text(arguments);
    match arguments.first().and_then(|value| value.origin) {
        Some(origin) if text.runs().is_empty() => {
            let mut builder = StrBuilder::with_capacity(text.len());
            builder.push(text.as_bytes(), Trace::Value(origin));
            builder.finish()
        }
        _ => text,
    }
}

fn tpl(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let text = traced(arguments);
    let dot = second(arguments);
    let quoted = |text: &Str| trueline_gotemplate::fmt::quote(text.as_bytes());
    let result = nested(context, |context| match context.execute_text("gotpl", &text, &dot) {
        Ok(result) => Ok(result),
        Err(TextError::Parse(message)) => {
            let cause = Error::new(message);
            Err(Error::wrap(format!("cannot parse template {}: ", quoted(&text)), cause))
        }
        Err(TextError::Execute(cause)) => {
            Err(Error::wrap(format!("error during tpl function execution for {}: ", quoted(&text)), cause))
        }
    })?;
    Ok(super::no_value::without_no_value(result).into())
}

/// Marks a chart's own words in Go's text, as Helm does, so that they can be found again.
pub(super) const OWN_WORDS_START: &str = "HELM_ERR_START";
pub(super) const OWN_WORDS_END: &str = "HELM_ERR_END";

fn own_words(message: &str) -> Error {
    Error::new(format!("{OWN_WORDS_START}{message}{OWN_WORDS_END}"))
        .because(Reason::Stopped { message: message.to_owned() })
}

fn required(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let value = second(arguments);
    let (what, place) = match &value.data {
        Data::Nil | Data::Invalid => ("missing required value", "engine.go:206"),
        Data::String(text) if text.is_empty() => ("missing required values", "engine.go:214"),
        _ => return Ok(value),
    };
    let message = text(arguments);
    let message = message.text();
    let host = host(context)?;
    if host.mode == Mode::Render {
        return Err(own_words(&message));
    }
    let line = LogLine::new(Level::Warn, what).with("message", &*message);
    let helm3 = format!("[INFO] Missing required value: {}", message.strip_suffix('\n').unwrap_or(&message));
    host.log.borrow_mut().push(line.in_helm3(place, helm3));
    Ok("".into())
}

fn fail(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let message = text(arguments);
    let message = message.text();
    let host = host(context)?;
    if host.mode == Mode::Render {
        return Err(own_words(&message));
    }
    let line = LogLine::new(Level::Info, "funcMap fail").with("message", &*message);
    // Go's log ends a line only where the message does not.
    let helm3 = format!("[INFO] Fail: {}", message.strip_suffix('\n').unwrap_or(&message));
    host.log.borrow_mut().push(line.in_helm3("engine.go:227", helm3));
    Ok("".into())
}
