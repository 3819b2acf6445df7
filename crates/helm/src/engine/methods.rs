//! The methods of `.Values` and `.Template`, which Helm's own type for them has.

use trueline_gotemplate::{Context, Data, Error, Map, MapKind, MapMethod, Type, Value};
use trueline_yaml as yaml;

/// The method of a map of Helm's own type.
pub(super) fn of(type_name: &str, method: &str) -> Option<&'static MapMethod> {
    if !matches!(type_name, "common.Values" | "chartutil.Values") {
        return None;
    }
    METHODS.iter().find(|candidate| candidate.name == method)
}

static METHODS: &[MapMethod] = &[
    MapMethod { name: "AsMap", parameters: &[], call: |map, _, _| Ok(map.with_kind(MapKind::Any).into()) },
    MapMethod { name: "YAML", parameters: &[], call: to_yaml },
    MapMethod { name: "Table", parameters: &[Type::String], call: table },
    MapMethod { name: "PathValue", parameters: &[Type::String], call: path_value },
];

fn to_yaml(map: &Map, _: &mut dyn Context, _: &[Value]) -> Result<Value, Error> {
    let plain =
        Value::from(map.clone()).to_plain().map_err(|_| Error::new("the values are nested too deep"))?;
    let text = yaml::marshal(&plain, yaml::Dialect::Sigs).map_err(|error| Error::new(error.to_string()))?;
    Ok(text.into())
}

fn path(arguments: &[Value]) -> String {
    arguments.first().and_then(Value::as_str).map(|text| text.text().into_owned()).unwrap_or_default()
}

fn table(map: &Map, _: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let mut table = map.clone();
    for part in path(arguments).split('.') {
        match table.get(part).and_then(|value| value.as_map().cloned()) {
            Some(inner) => table = inner.with_kind(map.kind()),
            None => {
                return Err(Error::new(format!("{} is not a table", trueline_gotemplate::fmt::quote(part))));
            }
        }
    }
    Ok(table.into())
}

/// The value at the end of a path; a map is none.
fn path_value(map: &Map, _: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let path = path(arguments);
    if path.is_empty() {
        return Err(Error::new("YAML path cannot be empty"));
    }
    let (tables, key) =
        path.rsplit_once('.').map_or((None, path.as_str()), |(tables, key)| (Some(tables), key));
    let mut table = Some(map.clone());
    for part in tables.into_iter().flat_map(|tables| tables.split('.')) {
        table = table.and_then(|table| table.get(part)?.as_map().cloned());
    }
    match table.and_then(|table| table.get(key)) {
        Some(value) if !matches!(value.data, Data::Map(_)) => Ok(value),
        _ => Err(Error::new(format!("{} is not a value", trueline_gotemplate::fmt::quote(key)))),
    }
}
