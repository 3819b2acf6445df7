//! The schemas of schemas as Helm's validator has them: of the three older drafts it keeps the first print, in which
//! an `enum` names at least one value and none twice.

use std::sync::LazyLock;

use serde_json::{Value as Json, json};
use trueline_schema::official_schema;

static DRAFT4: LazyLock<Json> = LazyLock::new(|| {
    let mut schema = first_print("http://json-schema.org/draft-04/schema");
    if let Some(properties) = schema.get_mut("properties").and_then(Json::as_object_mut) {
        properties.insert("$ref".to_owned(), json!({"type": "string"}));
        properties.insert("$schema".to_owned(), json!({"type": "string", "format": "uri"}));
    }
    schema
});
static DRAFT6: LazyLock<Json> = LazyLock::new(|| {
    let mut schema = first_print("http://json-schema.org/draft-06/schema");
    if let Some(properties) = schema.get_mut("properties").and_then(Json::as_object_mut) {
        properties.shift_remove("examples");
        if let Some(Json::Object(patterns)) = properties.get_mut("patternProperties") {
            patterns.shift_remove("propertyNames");
        }
    }
    schema
});
static DRAFT7: LazyLock<Json> = LazyLock::new(|| first_print("http://json-schema.org/draft-07/schema"));

fn first_print(address: &str) -> Json {
    let mut schema = official_schema(address).map_or(Json::Bool(true), |(_, schema)| schema.clone());
    if let Some(Json::Object(choice)) = schema.pointer_mut("/properties/enum") {
        choice.insert("minItems".to_owned(), json!(1));
        choice.insert("uniqueItems".to_owned(), json!(true));
    }
    schema
}

/// As [`official_schema`], in the print that Helm's validator has.
pub(super) fn metaschema(address: &str) -> Option<(&'static str, &'static Json)> {
    let (name, schema) = official_schema(address)?;
    let schema = match name {
        "http://json-schema.org/draft-04/schema" => &*DRAFT4,
        "http://json-schema.org/draft-06/schema" => &*DRAFT6,
        "http://json-schema.org/draft-07/schema" => &*DRAFT7,
        _ => schema,
    };
    Some((name, schema))
}
