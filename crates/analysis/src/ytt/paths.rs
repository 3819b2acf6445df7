//! The path of a data value, such as `db.hosts[0]`.

use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::{NodeRef, ReadOptions};

/// The keys and indices that lead to what was typed at a place of a file of data values or of a flag.
pub(super) fn path_of(place: Span, sources: &SourceMap) -> Option<String> {
    let source = sources.get(place.source);
    match source.kind() {
        // Where the prefix of a variable ends is not known here.
        SourceKind::Flag if source.name().starts_with('$') => None,
        SourceKind::Flag => {
            let key = source.text().split_once('=')?.0;
            let key = key
                .split_once(':')
                .filter(|(library, _)| library.starts_with('@'))
                .map_or(key, |(_, key)| key);
            (!key.is_empty()).then(|| key.to_owned())
        }
        SourceKind::File if source.name().ends_with(".yml") || source.name().ends_with(".yaml") => {
            let stream = trueline_yaml::read(place.source, source.text(), &ReadOptions::default());
            let mut path = String::new();
            let mut roots = stream.documents.iter().map(trueline_yaml::Document::root);
            let is_found = roots.any(|root| {
                path.clear();
                find(root, place, &mut path)
            });
            (is_found && !path.is_empty()).then_some(path)
        }
        _ => None,
    }
}

/// Goes down to the node at a place; only what surrounds the place is looked into.
fn find(node: NodeRef<'_>, place: Span, path: &mut String) -> bool {
    let mut node = node;
    loop {
        if node.span() == place {
            return true;
        }
        if let Some(mut entries) = node.entries() {
            let holds = |(key, value): &(NodeRef<'_>, NodeRef<'_>)| {
                key.span() == place || surrounds(value.span(), place)
            };
            let Some((key, value)) = entries.find(holds) else { return false };
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&key.key_text());
            if key.span() == place {
                return true;
            }
            node = value;
        } else if let Some(items) = node.items() {
            let mut items = items.enumerate();
            let Some((index, item)) = items.find(|(_, item)| surrounds(item.span(), place)) else {
                return false;
            };
            path.push_str(&format!("[{index}]"));
            node = item;
        } else {
            return false;
        }
    }
}

fn surrounds(outer: Span, place: Span) -> bool {
    outer.source == place.source && outer.start <= place.start && place.end <= outer.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_what_was_typed() {
        let sources = SourceMap::new();
        let text = "#@data/values\n---\ndb:\n  hosts:\n  - a\n  - bad\nport: x\n";
        let file = sources.add("v.yml", SourceKind::File, text);
        let flag = sources.add("--data-value @lib:db.port=5", SourceKind::Flag, "@lib:db.port=5");
        let at = |word: &str| {
            let start = text.find(word).unwrap_or_default();
            path_of(file.span(start, start + word.len()), &sources)
        };
        assert_eq!(at("bad").as_deref(), Some("db.hosts[1]"));
        assert_eq!(at("port").as_deref(), Some("port"));
        assert_eq!(at("x").as_deref(), Some("port"));
        assert_eq!(at("---"), None);
        assert_eq!(path_of(flag.span(13, 14), &sources).as_deref(), Some("db.port"));
    }
}
