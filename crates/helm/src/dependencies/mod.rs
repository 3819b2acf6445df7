//! Which subcharts take part, under which names, and what a chart imports from them.

mod arena;
mod enable;
mod import;

use trueline_yaml::Value;

use self::arena::Arena;
pub(crate) use self::import::Import;
use crate::chart::{Chart, Compat};
use crate::log::{Level, LogLine};
use crate::values::ValueError;

/// Works through the dependencies of a chart and of its subcharts: aliases, tags and conditions first,
/// from the root down, then imported values, from the leaves up.
///
/// The result has the subcharts that take part, under the names that they have here, and values with what
/// was imported.
pub fn process(
    chart: Chart,
    user: &Value,
    compat: Compat,
    log: &mut Vec<LogLine>,
) -> Result<Chart, ValueError> {
    let (mut arena, root) = Arena::new(chart);
    let result = arena.enable(root, user, "", compat, log).and_then(|()| arena.import(root, compat, log));
    match result {
        Ok(()) => Ok(arena.into_chart(root)),
        Err(error) => Err(failed(error, compat, log)),
    }
}

/// Helm 4 says what it was doing, and says it twice.
fn failed(error: ValueError, compat: Compat, log: &mut Vec<LogLine>) -> ValueError {
    const DOING: &str = "chart dependencies processing failed";
    match compat {
        Compat::Helm3 => error,
        Compat::Helm4 => {
            log.push(LogLine::new(Level::Error, DOING).with("error", error.to_string()));
            error.within(DOING)
        }
    }
}
