//! The quality of service of a new pod, which the server works out from what its containers ask for.

use trueline_apimachinery::quantity::Quantity;
use trueline_yaml::{Data, Map, Value};

/// The amounts that count.
const COUNTED: [&str; 2] = ["cpu", "memory"];

/// What the amounts of a pod or a container say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Nothing.
    Nothing,
    /// As much of everything as is allowed.
    All,
    /// Something in between.
    Some,
}

/// The class of a pod with this spec.
pub(super) fn class(spec: &Map) -> &'static str {
    let whole = spec.get("resources").map(|entry| &entry.value);
    let asked: Vec<Asked> = match whole {
        // What is asked for the pod as a whole counts alone.
        Some(resources) => vec![asked(Some(resources))],
        None => ["containers", "initContainers"]
            .iter()
            .filter_map(|list| match &spec.get(*list)?.value.data {
                Data::List(items) => Some(items.iter()),
                _ => None,
            })
            .flatten()
            .map(|container| asked(container.get("resources")))
            .collect(),
    };
    if asked.iter().all(|asked| *asked == Asked::Nothing) {
        "BestEffort"
    } else if asked.iter().all(|asked| *asked == Asked::All) {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

fn asked(resources: Option<&Value>) -> Asked {
    let amount = |list: &str, name: &str| {
        let text = resources?.get(list)?.get(name)?.as_str()?;
        Quantity::read(text).ok().filter(|amount| amount.is_positive())
    };
    let pairs = COUNTED.map(|name| (amount("requests", name), amount("limits", name)));
    if pairs.iter().all(|pair| *pair == (None, None)) {
        Asked::Nothing
    } else if pairs.iter().all(|(requested, limit)| limit.is_some() && requested == limit) {
        Asked::All
    } else {
        Asked::Some
    }
}

#[cfg(test)]
mod tests {
    use trueline_yaml::{Data, Value};

    use super::class;

    #[test]
    fn pods_have_the_class_that_a_server_gives_them() {
        let full = r#"{"resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1000m","memory":"1024Mi"}}}"#;
        let rows = [
            (r#"{"containers":[{"name":"a"}]}"#.to_owned(), "BestEffort"),
            (r#"{"containers":[{"resources":{"limits":{"a.b/c":"1"}}}]}"#.to_owned(), "BestEffort"),
            (r#"{"containers":[{"resources":{"requests":{"cpu":"0"}}}]}"#.to_owned(), "BestEffort"),
            (r#"{"containers":[{"resources":{"requests":{"cpu":"1"}}}]}"#.to_owned(), "Burstable"),
            (
                r#"{"containers":[{"resources":{"limits":{"cpu":"1"},"requests":{"cpu":"1"}}}]}"#.to_owned(),
                "Burstable",
            ),
            (format!(r#"{{"containers":[{full}]}}"#), "Guaranteed"),
            (format!(r#"{{"containers":[{full}, {{"name":"b"}}]}}"#), "Burstable"),
            (format!(r#"{{"containers":[{full}],"initContainers":[{{"name":"b"}}]}}"#), "Burstable"),
            (format!(r#"{{"containers":[{full}],"resources":{{"requests":{{"cpu":"1"}}}}}}"#), "Burstable"),
        ];
        for (spec, expected) in rows {
            let Data::Map(spec) = Value::from_json_text(&spec).unwrap().data else { panic!("no map") };
            assert_eq!(class(&spec), expected, "{spec:?}");
        }
    }
}
