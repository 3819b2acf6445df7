//! The name of a release from a template, as `--name-template` gives it.

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_gotemplate::{
    Context, Environment, Error, Function, Options, Templates, Type, Uses, Value, Variadic,
};

use super::version::on_stack;
use crate::expand_variables;
use crate::refusal::Refusal;

/// The name of the template in messages.
const NAME: &str = "name-template";

/// Sprig's own `fail`: the one of charts marks its words for Helm's texts.
const FAIL: Function = Function {
    name: "fail",
    parameters: &[Type::String],
    variadic: Variadic::No,
    call: |_, arguments| Err(Error::new(text(arguments))),
    usage: "MESSAGE",
    doc: "Gives up with MESSAGE",
    uses: Uses::All,
};

/// Sprig's functions that charts do not have, because they show the machine; whoever types a name owns it.
const VARIABLES: &[Function] = &[
    Function {
        name: "env",
        parameters: &[Type::String],
        variadic: Variadic::No,
        call: |context, arguments| Ok(variable(context, &text(arguments)).into()),
        usage: "NAME",
        doc: "The variable of the environment",
        uses: Uses::All,
    },
    Function {
        name: "expandenv",
        parameters: &[Type::String],
        variadic: Variadic::No,
        call: |context, arguments| {
            Ok(expand_variables(&text(arguments), |name| variable(context, name)).into())
        },
        usage: "TEXT",
        doc: "The text with variables of the environment in place of their names",
        uses: Uses::All,
    },
];

/// The variables that a name can be made of.
pub type Variables = BTreeMap<String, String>;

fn text(arguments: &[Value]) -> String {
    arguments.first().and_then(Value::as_str).map(|text| text.text().into_owned()).unwrap_or_default()
}

fn variable(context: &dyn Context, name: &str) -> String {
    context.host().downcast_ref().and_then(|known: &Variables| known.get(name).cloned()).unwrap_or_default()
}

/// What a template makes of nothing: it sees no chart and no values. The error is Go's text.
pub fn name_from_template(
    text: &str,
    variables: &Variables,
    environment: &(dyn Environment + Sync),
) -> Result<String, Refusal> {
    on_stack(|| run(text, variables, environment))
}

fn run(text: &str, variables: &Variables, environment: &dyn Environment) -> Result<String, String> {
    let mut functions = trueline_sprig::functions();
    functions.extend(&[FAIL]);
    functions.extend(VARIABLES);
    let mut templates = Templates::new(NAME, Arc::new(functions));
    templates
        .parse(NAME, &text.as_bytes().into(), None)
        .map_err(|errors| errors.first().map_or_else(String::new, ToString::to_string))?;
    let rendered = templates
        .execute(NAME, &Value::nil(), &Options::new(environment, variables))
        .map_err(|error| error.to_string())?;
    Ok(rendered.text.text().into_owned())
}
