//! From texts to resources: documents are split at `---`, lists into their items.

use std::borrow::Cow;
use std::fmt::Display;
use std::sync::Arc;

use trueline_analysis::Strictness;
use trueline_source::SourceId;
use trueline_yaml::{
    Data, GoError, ReadOptions, ScalarValue, Value, read, yaml_to_json_strict, yaml_to_value,
};

use super::signature::{self, Signature, SignatureFault, found};

/// A resource, as far as it could be read.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    /// The file that it is in.
    pub(crate) path: Arc<str>,
    pub(crate) signature: Signature,
    pub(crate) body: Body,
}

/// What stands in a resource.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Nothing.
    Empty,
    /// Something that cannot be looked at, and why.
    Broken(String),
    Object(Value),
}

impl Resource {
    /// A path that could not be read, and why.
    pub(crate) fn unreadable(path: &str, words: String) -> Self {
        Resource { path: path.into(), signature: Signature::default(), body: Body::Broken(words) }
    }

    /// How many keys, items and values it has.
    pub(crate) fn parts(&self) -> u64 {
        match &self.body {
            Body::Object(value) => parts(value),
            Body::Empty | Body::Broken(_) => 0,
        }
    }
}

fn parts(value: &Value) -> u64 {
    match &value.data {
        Data::List(items) => items.iter().map(parts).fold(1, u64::saturating_add),
        Data::Map(map) => map.values().map(|entry| parts(&entry.value)).fold(1, u64::saturating_add),
        _ => 1,
    }
}

/// The resources of a file. One without any counts as a resource that is empty, so that the file is counted.
pub(crate) fn of_file(path: &str, bytes: &[u8], strictness: Strictness) -> Vec<Resource> {
    let path: Arc<str> = path.into();
    let mut documents = split(bytes).into_iter().filter(|document| !document.is_empty());
    let read = documents.by_ref().take(MOST_DOCUMENTS);
    let mut resources: Vec<Resource> =
        read.flat_map(|document| of_bytes(&path, document, strictness)).collect();
    if documents.next().is_some() {
        resources.push(too_many(&path));
    }
    if resources.is_empty() {
        resources.push(Resource { path, signature: Signature::default(), body: Body::Empty });
    }
    resources
}

/// The resources of a stream.
pub(crate) fn of_stream(path: &str, bytes: &[u8], strictness: Strictness) -> Vec<Resource> {
    let path: Arc<str> = path.into();
    let mut documents = split(bytes).into_iter();
    let read = documents.by_ref().take(MOST_DOCUMENTS);
    let mut resources: Vec<Resource> =
        read.flat_map(|document| of_bytes(&path, document, strictness)).collect();
    if documents.next().is_some() {
        resources.push(too_many(&path));
    }
    resources
}

/// How many documents of a file are read.
const MOST_DOCUMENTS: usize = 200_000;

/// What stands for the documents that are not read.
fn too_many(path: &str) -> Resource {
    let words = format!("there are more than {MOST_DOCUMENTS} documents; the rest is not read");
    Resource::unreadable(path, unmarshalling(&words))
}

/// The documents of a file: what is between lines that begin with `---`. The rest of such a line belongs to none,
/// as with kubeconform; but the last document counts even if such a line ends the text without a line break.
fn split(bytes: &[u8]) -> Vec<&[u8]> {
    const MARK: &[u8] = b"\n---";
    let mut documents = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some(end) = rest.windows(MARK.len()).position(|window| window == MARK) else {
            documents.push(rest);
            break;
        };
        let (document, behind) = rest.split_at(end);
        documents.push(document);
        let behind = behind.get(MARK.len()..).unwrap_or_default();
        let line = behind.iter().position(|byte| *byte == b'\n').map(|end| end + 1);
        rest = line.and_then(|end| behind.get(end..)).unwrap_or_default();
    }
    documents
}

fn of_bytes(path: &Arc<str>, bytes: &[u8], strictness: Strictness) -> Vec<Resource> {
    let resource = |signature, body| vec![Resource { path: Arc::clone(path), signature, body }];
    let text = match text_of(bytes) {
        Ok(text) => text,
        Err(words) => {
            return resource(Signature::default(), Body::Broken(converting(&format_args!("yaml: {words}"))));
        }
    };
    let Text { value, repeated } = match decode(&text, strictness) {
        Ok(text) => text,
        Err(error) => return resource(Signature::default(), Body::Broken(converting(&error))),
    };
    let (signature, verdict) = signature::of_document(&value);
    if verdict.is_ok() && signature.kind.eq_ignore_ascii_case("list") {
        return items(path, &value);
    }
    let body = match (repeated, &value.data, verdict) {
        (Some(error), ..) => Body::Broken(converting(&error)),
        (None, Data::Null, _) => Body::Empty,
        (None, Data::Map(_), Ok(())) => Body::Object(value),
        (None, Data::Map(_), Err(fault)) => Body::Broken(parsing(&fault)),
        (None, ..) => Body::Broken(no_map(&value)),
    };
    resource(signature, body)
}

/// The text that the bytes are: UTF-8, or UTF-16 if a mark in front says so.
fn text_of(bytes: &[u8]) -> Result<Cow<'_, str>, &'static str> {
    let (units, of_pair): (_, fn([u8; 2]) -> u16) = match bytes {
        [0xff, 0xfe, units @ ..] => (units, u16::from_le_bytes),
        [0xfe, 0xff, units @ ..] => (units, u16::from_be_bytes),
        _ => return str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| "invalid leading UTF-8 octet"),
    };
    let (pairs, rest) = units.as_chunks::<2>();
    if !rest.is_empty() {
        return Err("incomplete UTF-16 character");
    }
    let text: Result<String, _> = char::decode_utf16(pairs.iter().map(|pair| of_pair(*pair))).collect();
    text.map(Cow::Owned).map_err(|_| "incomplete UTF-16 surrogate pair")
}

fn converting(wrong: &dyn Display) -> String {
    unmarshalling(&format!("error converting YAML to JSON: {wrong}"))
}

fn unmarshalling(words: &str) -> String {
    format!("error unmarshalling resource: {words}")
}

fn parsing(fault: &SignatureFault) -> String {
    format!("error while parsing: {fault}")
}

fn no_map(value: &Value) -> String {
    unmarshalling(&format!(
        "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into Go value of type \
         map[string]interface {{}}",
        found(value)
    ))
}

/// A document that could be read.
struct Text {
    value: Value,
    /// What is wrong with keys that are there twice, where that matters.
    repeated: Option<GoError>,
}

/// Reads a document.
fn decode(text: &str, strictness: Strictness) -> Result<Text, GoError> {
    let stream = read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default());
    let Ok(Some(document)) = stream.first() else {
        // It is read again for the words alone.
        let value = yaml_to_value(text).map_err(|error| match strictness {
            Strictness::Strict => yaml_to_json_strict(text).err().unwrap_or(error),
            Strictness::Lenient => error,
        })?;
        return Ok(Text { value, repeated: None });
    };
    let is_repeated = strictness == Strictness::Strict && !document.duplicates().is_empty();
    let repeated = is_repeated.then(|| yaml_to_json_strict(text).err()).flatten();
    let is_json = |value| !matches!(value, ScalarValue::Float(number) if !number.is_finite());
    let value = if document.nodes().filter_map(|node| node.scalar()).all(is_json) {
        Value::from_node(document.root())
    } else {
        yaml_to_value(text)?
    };
    Ok(Text { value, repeated })
}

/// The items of a list, each a resource of its own.
fn items(path: &Arc<str>, list: &Value) -> Vec<Resource> {
    let Data::Map(map) = &list.data else { return Vec::new() };
    // Go fills the field with the last of the keys that fold to its name.
    let mut keys: Vec<_> = map.iter().filter(|(key, _)| key.eq_ignore_ascii_case("items")).collect();
    keys.sort_by(|left, right| left.0.cmp(right.0));
    let last = keys.into_iter().rev().find_map(|(_, entry)| match &entry.value.data {
        Data::List(items) => Some(items),
        _ => None,
    });
    last.into_iter().flat_map(|items| items.iter()).map(|value| item(path, value)).collect()
}

fn item(path: &Arc<str>, value: &Value) -> Resource {
    let (signature, body) = match &value.data {
        Data::Null => (Signature::default(), Body::Empty),
        Data::Map(_) => match signature::of_item(value) {
            Ok(signature) => (signature, Body::Object(value.clone())),
            Err(fault) => (signature::of_document(value).0, Body::Broken(parsing(&fault))),
        },
        _ => (Signature::default(), Body::Broken(no_map(value))),
    };
    Resource { path: Arc::clone(path), signature, body }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(resources: &[Resource]) -> Vec<String> {
        let show = |resource: &Resource| match &resource.body {
            Body::Empty => "empty".to_owned(),
            Body::Broken(words) => words.clone(),
            Body::Object(_) => resource.signature.qualified_name(),
        };
        resources.iter().map(show).collect()
    }

    fn file(text: &str, strictness: Strictness) -> Vec<String> {
        shown(&of_file("f", text.as_bytes(), strictness))
    }

    const A: &str = "apiVersion: v1\nkind: A";

    #[test]
    fn a_file_has_so_many_documents_and_no_more() {
        let bytes = "#\n---\n".repeat(MOST_DOCUMENTS + 5);
        for resources in [
            of_file("a", bytes.as_bytes(), Strictness::Lenient),
            of_stream("a", bytes.as_bytes(), Strictness::Lenient),
        ] {
            let broken = resources.iter().filter(|one| matches!(one.body, Body::Broken(_))).count();
            assert_eq!((resources.len() <= MOST_DOCUMENTS + 1, broken), (true, 1));
        }
    }

    #[test]
    fn documents_are_split_as_kubeconform_does() {
        let found = |text: &str| file(text, Strictness::Lenient);
        assert_eq!(found(&format!("{A}\n---\n{A}\n")), ["v1/A//", "v1/A//"]);
        assert_eq!(found(&format!("---\n{A}\n--- # next\n{A}")), ["v1/A//", "v1/A//"]);
        assert_eq!(found(&format!("# note\n---\n{A}\n---")), ["empty", "v1/A//"]);
        assert_eq!(found(&format!("{A}\n--- # the end")), ["v1/A//"], "kubeconform loses this one");
        assert_eq!(found(&format!("{A}\r\n---\r\n{A}\r\n")), ["v1/A//", "v1/A//"]);
        assert_eq!(found(""), ["empty"]);
        assert_eq!(found("\n---\n"), ["empty"]);
        let stream = |text: &str| shown(&of_stream("stdin", text.as_bytes(), Strictness::Lenient));
        assert_eq!(stream(""), [""; 0]);
        assert_eq!(stream("\n---\n\n---\n"), ["empty", "empty"]);
    }

    #[test]
    fn lists_are_split_into_items() {
        let found = |text: &str| file(text, Strictness::Lenient);
        let list = |items: &str| format!("{{apiVersion: v1, kind: List, items: {items}}}");
        let item = "{apiVersion: v1, kind: A, metadata: {name: x}}";
        assert_eq!(found(&list(&format!("[{item}, ~, 5, {{kind: B}}]")))[..2], ["v1/A//x", "empty"]);
        assert_eq!(
            found(&list("[[], {kind: B}]")),
            [
                "error unmarshalling resource: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal \
                 array into Go value of type map[string]interface {}",
                "error while parsing: missing 'apiVersion' key"
            ]
        );
        assert_eq!(found(&list("[]")), ["empty"]);
        assert_eq!(found(&list("5")), ["empty"]);
        assert_eq!(found(&list(&format!("[{}]", list("[]")))), ["v1/List//"], "one level only");
    }

    #[test]
    fn what_cannot_be_read_is_told_in_go_s_words() {
        let prefix = "error unmarshalling resource: error converting YAML to JSON: yaml: ";
        let twice = "apiVersion: v1\nkind: A\nkind: B\n";
        assert_eq!(file(twice, Strictness::Lenient), ["v1/B//"]);
        assert_eq!(
            file(twice, Strictness::Strict),
            [format!("{prefix}unmarshal errors:\n  line 3: key \"kind\" already set in map")]
        );
        for strictness in [Strictness::Lenient, Strictness::Strict] {
            assert_eq!(
                file("a: 1\nb: [\n", strictness),
                [format!("{prefix}line 2: did not find expected node content")]
            );
            assert_eq!(
                file("- 1", strictness),
                ["error unmarshalling resource: error unmarshaling JSON: while decoding JSON: json: cannot \
                     unmarshal array into Go value of type map[string]interface {}"]
            );
        }
        for (bytes, words) in [
            (&b"a: \xff"[..], format!("{prefix}invalid leading UTF-8 octet")),
            (b"\xff\xfea", format!("{prefix}incomplete UTF-16 character")),
            (b"\xfe\xff\xd8\x00", format!("{prefix}incomplete UTF-16 surrogate pair")),
            // Nothing but a mark is nothing.
            (b"\xff\xfe", "empty".to_owned()),
            (b"\xfe\xff", "empty".to_owned()),
        ] {
            assert_eq!(shown(&of_file("f", bytes, Strictness::Lenient)), [words], "{bytes:?}");
        }
        let wide: Vec<u8> = A.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = [&b"\xff\xfe"[..], &wide].concat();
        assert_eq!(shown(&of_file("f", &marked, Strictness::Lenient)), ["v1/A//"]);
        assert!(file("a: .inf", Strictness::Lenient)[0].contains("unsupported value: +Inf"));
    }
}
