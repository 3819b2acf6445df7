//! Files and errors as JSON, for programs that call ytt.

use trueline_gostd::json::json_fault;
use trueline_yaml::json::{Escaping, write_string};
use trueline_ytt::files::{InputFile, OutputFile, numbered};

/// The files of `--bulk-in`.
pub(super) fn files(text: &str) -> Result<Vec<InputFile>, String> {
    let document: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| json_fault(text.as_bytes()).unwrap_or_else(|| error.to_string()))?;
    let text = |file: &serde_json::Value, name: &str| file[name].as_str().unwrap_or_default().to_owned();
    let list = document["files"].as_array().into_iter().flatten();
    Ok(numbered(
        list.map(|file| InputFile::new(&text(file, "name"), text(file, "data").into_bytes())).collect(),
    ))
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
