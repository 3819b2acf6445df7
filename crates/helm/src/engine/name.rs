//! The name of a release from a template, as `--name-template` gives it.

use std::sync::Arc;

use trueline_gotemplate::{Environment, Error, Function, Options, Templates, Type, Value, Variadic};

/// The name of the template in messages.
const NAME: &str = "name-template";

/// Deep nesting is bounded for templates; this is room enough for it.
const STACK_BYTES: usize = 256 << 20;

/// Sprig's own `fail`: the one of charts marks its words for Helm's texts.
const FAIL: Function = Function {
    name: "fail",
    parameters: &[Type::String],
    variadic: Variadic::No,
    call: |_, arguments| {
        let message = arguments.first().and_then(Value::as_str).map(|message| message.text().into_owned());
        Err(Error::new(message.unwrap_or_default()))
    },
    usage: "MESSAGE",
    doc: "Gives up with MESSAGE",
};

/// What a template makes of nothing: it sees no chart and no values. The error is Go's text.
pub fn name_from_template(text: &str, environment: &(dyn Environment + Sync)) -> Result<String, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, || run(text, environment)) {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err("rendering stopped".to_owned())),
            Err(error) => Err(format!("no thread to render on: {error}")),
        }
    })
}

fn run(text: &str, environment: &dyn Environment) -> Result<String, String> {
    let mut functions = trueline_sprig::functions();
    functions.extend(&[FAIL]);
    let mut templates = Templates::new(NAME, Arc::new(functions));
    templates
        .parse(NAME, &text.as_bytes().into(), None)
        .map_err(|errors| errors.first().map_or_else(String::new, ToString::to_string))?;
    let rendered = templates
        .execute(NAME, &Value::nil(), &Options::new(environment, &()))
        .map_err(|error| error.to_string())?;
    Ok(rendered.text.text().into_owned())
}
