//! The properties that the embedded schemas must have. Used by the build script, and by the test that shows
//! that it finds broken schemas.

use serde_json::Value;

/// What is wrong with a set of schema files (name and text); empty if nothing is.
pub(crate) fn problems(files: &[(String, String)]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut schemas: Vec<(&str, Value)> = Vec::new();
    for (name, text) in files {
        match serde_json::from_str(text) {
            Ok(schema) => schemas.push((name, schema)),
            Err(error) => problems.push(format!("schemas/{name} is not JSON: {error}")),
        }
    }
    for (name, schema) in &schemas {
        problems.extend(identity(name, schema));
        problems.extend(against_metaschema(name, schema));
    }
    // References can only be followed if all schemas are valid.
    if problems.is_empty() { references(&schemas) } else { problems }
}

fn identity(name: &str, schema: &Value) -> Option<String> {
    match schema.get("$id").and_then(Value::as_str) {
        Some(id) if id.contains(':') => None,
        _ => Some(format!("schemas/{name} must have an `$id` with a full address")),
    }
}

fn against_metaschema(name: &str, schema: &Value) -> Vec<String> {
    if schema.get("$schema").is_none() {
        return vec![format!("schemas/{name} must name its draft in `$schema`")];
    }
    match jsonschema::meta::validator_for(schema) {
        Ok(metaschema) => metaschema
            .iter_errors(schema)
            .map(|error| {
                format!("schemas/{name} breaks its metaschema at `{}`: {error}", error.instance_path())
            })
            .collect(),
        Err(error) => vec![format!("schemas/{name} names an unknown draft: {error}")],
    }
}

fn references(schemas: &[(&str, Value)]) -> Vec<String> {
    let resources = schemas.iter().filter_map(|(_, schema)| Some((schema.get("$id")?.as_str()?, schema)));
    let registry = match jsonschema::Registry::new().extend(resources).and_then(|builder| builder.prepare()) {
        Ok(registry) => registry,
        Err(error) => return vec![format!("a reference between the schemas cannot be resolved: {error}")],
    };
    let build = |(name, schema): &(&str, Value)| {
        let error = jsonschema::options().with_registry(&registry).build(schema).err()?;
        Some(format!("schemas/{name} does not compile: {error}"))
    };
    schemas.iter().filter_map(build).collect()
}
