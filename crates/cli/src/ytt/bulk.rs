//! Files and errors as JSON, for programs that call ytt.

use trueline_gostd::json::json_fault;
use trueline_yaml::json::{Escaping, write_string};
use trueline_ytt::files::{InputFile, OutputFile, numbered};

/// The files of `--bulk-in`. Errors are those of Go's reader; null is nothing for it, and names fit in any case.
pub(super) fn files(text: &str) -> Result<Vec<InputFile>, String> {
    let document: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| json_fault(text.as_bytes()).unwrap_or_else(|| error.to_string()))?;
    if !matches!(document, serde_json::Value::Object(_) | serde_json::Value::Null) {
        return Err(wrong(&document, "value", "template.BulkFiles"));
    }
    string(&document, "errors", "BulkFiles.errors")?;
    let list = match member(&document, "files") {
        serde_json::Value::Array(list) => list.as_slice(),
        serde_json::Value::Null => &[],
        other => return Err(wrong(other, "struct field BulkFiles.files", "[]template.BulkFile")),
    };
    let files: Result<Vec<InputFile>, String> = list.iter().map(file).collect();
    Ok(numbered(files?))
}

fn file(file: &serde_json::Value) -> Result<InputFile, String> {
    if !matches!(file, serde_json::Value::Object(_) | serde_json::Value::Null) {
        return Err(wrong(file, "struct field BulkFiles.files", "template.BulkFile"));
    }
    let name = string(file, "name", "BulkFile.files.name")?;
    let data = string(file, "data", "BulkFile.files.data")?;
    Ok(InputFile::new(name, data.as_bytes().to_vec()))
}

/// The last member with a name.
fn member<'j>(object: &'j serde_json::Value, name: &str) -> &'j serde_json::Value {
    let members = object.as_object().into_iter().flatten();
    let mut named = members.filter(|(key, _)| key.eq_ignore_ascii_case(name));
    named.next_back().map_or(&serde_json::Value::Null, |(_, value)| value)
}

fn string<'j>(object: &'j serde_json::Value, name: &str, field: &str) -> Result<&'j str, String> {
    match member(object, name) {
        serde_json::Value::String(text) => Ok(text),
        serde_json::Value::Null => Ok(""),
        other => Err(wrong(other, &format!("struct field {field}"), "string")),
    }
}

fn wrong(value: &serde_json::Value, place: &str, wanted: &str) -> String {
    let found = match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "bool",
        serde_json::Value::Number(_) => "number",
        serde_json::Value::String(_) => "string",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::Object(_) => "object",
    };
    format!("json: cannot unmarshal {found} into Go {place} of type {wanted}")
}

/// What `--bulk-out` prints.
pub(super) fn print(result: Result<&[OutputFile], &str>) -> String {
    let mut text = String::from("{");
    match result {
        Ok([]) => {}
        Ok(files) => {
            text.push_str("\"files\":[");
            for (index, file) in files.iter().enumerate() {
                text.push_str(if index > 0 { ",{\"name\":" } else { "{\"name\":" });
                write_string(&mut text, &file.path, Escaping::Html);
                text.push_str(",\"data\":");
                write_string(&mut text, &String::from_utf8_lossy(&file.bytes), Escaping::Html);
                text.push('}');
            }
            text.push(']');
        }
        Err(error) => {
            text.push_str("\"errors\":");
            write_string(&mut text, error, Escaping::Html);
        }
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_wrong_type_are_refused_in_gos_words() {
        for (text, expected) in [
            ("[]", "json: cannot unmarshal array into Go value of type template.BulkFiles"),
            (
                "{\"files\":1}",
                "json: cannot unmarshal number into Go struct field BulkFiles.files of type []template.BulkFile",
            ),
            (
                "{\"files\":[\"x\"]}",
                "json: cannot unmarshal string into Go struct field BulkFiles.files of type template.BulkFile",
            ),
            (
                "{\"files\":[{\"data\":{}}]}",
                "json: cannot unmarshal object into Go struct field BulkFile.files.data of type string",
            ),
            (
                "{\"errors\":true}",
                "json: cannot unmarshal bool into Go struct field BulkFiles.errors of type string",
            ),
        ] {
            assert_eq!(files(text).err().as_deref(), Some(expected), "{text}");
        }
        for (text, count) in [("null", 0), ("{\"files\":null}", 0), ("{\"FILES\":[{\"Name\":\"a.yml\"}]}", 1)]
        {
            assert_eq!(files(text).map(|files| files.len()), Ok(count), "{text}");
        }
    }
}
