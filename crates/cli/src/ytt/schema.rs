//! `trueline ytt schema import FILE`: a JSON Schema or a CRD as a ytt schema.

use std::sync::Arc;

use trueline_source::{SourceMap, Span};
use trueline_yaml::ReadOptions;
use trueline_ytt::schema::import;

use crate::world::World;

/// Prints the ytt schema, and says on standard error what it does not say.
pub(super) fn run(path: &str, world: &mut World) -> Result<(), String> {
    let bytes = match path {
        "-" => world.read_stdin().map_err(|error| error.to_string())?,
        _ => world.read_file(path).map_err(|error| error.to_string())?,
    };
    let sources = SourceMap::new();
    let (source, not_text) = sources.add_file(path, bytes);
    let at = |span: Span| {
        let position = sources.position(span);
        format!("{path}:{}:{}", position.line, position.column)
    };
    if let Some(span) = not_text {
        return Err(format!("{}: the file is not UTF-8", at(span)));
    }
    let text = Arc::clone(sources.get(source).text());
    let stream = trueline_yaml::read(source, &text, &ReadOptions::default());
    if let Some(error) = stream.errors.first() {
        let finding = error.to_diagnostic();
        return Err(format!("{}: {}", at(finding.primary.span), finding.message));
    }
    let Some(document) = stream.documents.first() else {
        return Err(format!("{path}: expected a JSON Schema or a CRD, found an empty file"));
    };
    let imported = import(document.root()).map_err(|error| format!("{path}: {error}"))?;
    world.print(imported.text.as_bytes())?;
    for lost in &imported.unexpressed {
        let about = if lost.path.is_empty() { String::new() } else { format!("{}: ", lost.path) };
        world.complain(&format!(
            "{}: {about}`{}` is not expressed: {}",
            at(lost.span),
            lost.keyword,
            lost.effect
        ));
    }
    Ok(())
}
