//! Which subcharts take part, under which names, and what a chart imports from them.

mod arena;
mod enable;
mod import;

use trueline_source::Span;
use trueline_yaml::Value;

use self::arena::Arena;
pub(crate) use self::import::Import;
use crate::chart::{Chart, Compat};
use crate::log::{Level, LogLine};
use crate::values::ValueError;

/// A value that a condition or a tag of a dependency names, and that enables or disables nothing because it is not a
/// boolean.
#[derive(Debug, Clone)]
pub struct IgnoredSwitch {
    /// The name of the dependency, or its alias.
    pub dependency: String,
    /// The path of the value from the values of the root chart.
    pub path: String,
    /// The value.
    pub value: Value,
    /// Where `condition` or `tags` is written.
    pub named: Option<Span>,
}

/// A chart whose dependencies were worked out.
#[derive(Debug)]
pub struct Processed {
    /// The chart with the subcharts that take part.
    pub chart: Chart,
    /// The switches that had no effect.
    pub ignored: Vec<IgnoredSwitch>,
}

/// Works through the dependencies of a chart as [`process_and_tell`] does, for those who only want the chart.
pub fn process(
    chart: Chart,
    user: &Value,
    compat: Compat,
    log: &mut Vec<LogLine>,
) -> Result<Chart, ValueError> {
    process_and_tell(chart, user, compat, log).map(|processed| processed.chart)
}

/// Works through the dependencies of a chart and of its subcharts: aliases, tags and conditions first,
/// from the root down, then imported values, from the leaves up.
///
/// The result has the subcharts that take part, under the names that they have here, and values with what
/// was imported.
pub fn process_and_tell(
    chart: Chart,
    user: &Value,
    compat: Compat,
    log: &mut Vec<LogLine>,
) -> Result<Processed, ValueError> {
    let (mut arena, root) = Arena::new(chart);
    let result = arena.enable(root, user, "", compat, log).and_then(|()| arena.import(root, compat, log));
    match result {
        Ok(()) => {
            let ignored = std::mem::take(&mut arena.ignored);
            Ok(Processed { chart: arena.into_chart(root), ignored })
        }
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
