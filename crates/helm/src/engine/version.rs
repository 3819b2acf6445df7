//! Which Helm is followed, as `helm version` prints it.

use std::sync::Arc;

use trueline_gotemplate::{Environment, Functions, Options, Templates, Value};

use super::capabilities::{BuildInfo, GO_VERSION, helm_version};
use crate::chart::Compat;
use crate::refusal::{Refusal, RefusalKind};

/// The name of the template in messages.
const NAME: &str = "_";

/// Deep nesting is bounded for templates; this is room enough for it.
const STACK_BYTES: usize = 256 << 20;

/// All that there is to say, in the form of Go.
pub fn build_info(compat: Compat) -> String {
    let client = match compat {
        Compat::Helm4 => ", KubeClientVersion:\"v1.37\"",
        Compat::Helm3 => "",
    };
    let version = helm_version(compat);
    format!(
        "version.BuildInfo{{Version:\"{version}\", GitCommit:\"\", GitTreeState:\"\", GoVersion:\"{GO_VERSION}\"{client}}}"
    )
}

/// What a template makes of it. The error is Go's text.
pub fn version_from_template(
    text: &str,
    compat: Compat,
    environment: &(dyn Environment + Sync),
) -> Result<String, Refusal> {
    on_stack(|| run(text, compat, environment))
}

/// Runs a template of the command line on a thread with a large stack.
pub(super) fn on_stack(run: impl FnOnce() -> Result<String, String> + Send) -> Result<String, Refusal> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, run) {
            Ok(thread) => match thread.join() {
                Ok(result) => result.map_err(|text| RefusalKind::Template.of(text)),
                Err(_) => Err(RefusalKind::Thread.of("rendering stopped")),
            },
            Err(error) => Err(RefusalKind::Thread.of(format!("no thread to render on: {error}"))),
        }
    })
}

fn run(text: &str, compat: Compat, environment: &dyn Environment) -> Result<String, String> {
    let mut templates = Templates::new(NAME, Arc::new(Functions::builtin()));
    templates
        .parse(NAME, &text.as_bytes().into(), None)
        .map_err(|errors| errors.first().map_or_else(String::new, ToString::to_string))?;
    let rendered = templates
        .execute(NAME, &Value::object(BuildInfo { compat }), &Options::new(environment, &()))
        .map_err(|error| error.to_string())?;
    Ok(rendered.text.text().into_owned())
}
