//! Addresses of the web: `url`, `isURL` and their parts, as Go takes them apart.

use std::any::Any;

use trueline_cel::arguments::{opaque, size, string};
use trueline_cel::function::{
    Actual, Cost, Estimate, Fault, Function, Overload, STRING_TRAVERSAL, Size, by_factor,
};
use trueline_cel::types::{OpaqueKind, OpaqueType, Type};
use trueline_cel::value::{ComputedMap, Opaque, Value};
use trueline_gostd::url::{self, Colons, parse_query_leniently};

use crate::cost::{UNIT, first_size};

/// What the Go does that Kubernetes is built with.
pub(crate) const COLONS: Colons = Colons::OfAllSchemes;

/// `kubernetes.URL`
pub static URL: OpaqueType =
    OpaqueType { name: "kubernetes.URL", kind: OpaqueKind::Message, equality: Some(estimate_equality) };

/// Comparing two is taken to read the right one, if its size is known.
fn estimate_equality(right: Option<Size>) -> Size {
    Size::between(1, right.map_or(1, |size| size.max)).by_factor(STRING_TRAVERSAL)
}

/// A URL as a value.
#[derive(Debug, Clone)]
pub struct Url(url::Url);

impl Opaque for Url {
    fn opaque_type(&self) -> &'static OpaqueType {
        &URL
    }

    fn equals(&self, other: &Value) -> Option<bool> {
        let other = opaque::<Url>(std::slice::from_ref(other), 0).ok()?;
        Some(self.0.text() == other.0.text())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn go_type(&self) -> &'static str {
        "cel.URL"
    }

    fn text(&self) -> String {
        words(self.0.text())
    }
}

/// The functions of URLs.
pub(crate) fn functions() -> Vec<Function> {
    let part = |name, id, run| {
        let overload = Overload::member(id, vec![Type::Opaque(&URL)], Type::String, run);
        Function::new(name, vec![overload]).costing(UNIT)
    };
    vec![
        Function::new(
            "url",
            vec![Overload::global("string_to_url", vec![Type::String], Type::Opaque(&URL), to_url)],
        )
        .costing(read_with_result()),
        Function::new(
            "isURL",
            vec![Overload::global("is_url_string", vec![Type::String], Type::Bool, is_url)],
        ),
        part("getScheme", "url_get_scheme", |args| text_of(args, |url| url.scheme.clone())),
        part("getHost", "url_get_host", |args| text_of(args, |url| url.host.clone())),
        part("getHostname", "url_get_hostname", |args| text_of(args, |url| url.hostname().to_vec())),
        part("getPort", "url_get_port", |args| text_of(args, |url| url.port().to_vec())),
        part("getEscapedPath", "url_get_escaped_path", |args| text_of(args, url::Url::escaped_path)),
        Function::new(
            "getQuery",
            vec![Overload::member(
                "url_get_query",
                vec![Type::Opaque(&URL)],
                Type::map(Type::String, Type::list(Type::String)),
                query,
            )],
        )
        .costing(UNIT),
    ]
}

/// Reading the string that is the first argument; the result is as large.
pub(crate) const fn read_with_result() -> Cost {
    Cost {
        actual: Actual::ByArguments(|args| by_factor(size(args, 0), STRING_TRAVERSAL)),
        estimate: |call| {
            let size = first_size(call);
            Estimate::with_result(size.by_factor(STRING_TRAVERSAL), size)
        },
    }
}

/// Go's strings may hold any bytes; those of CEL are Unicode.
fn words(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn to_url(args: &[Value]) -> Result<Value, Fault> {
    let text = string(args, 0)?;
    // A fragment is only taken for one when it is read the second time.
    let read = url::Url::parse_request(text.as_bytes(), COLONS)
        .and_then(|_| url::Url::parse_with(text.as_bytes(), COLONS));
    match read {
        Ok(url) => Ok(Value::opaque(Url(url))),
        Err(words) => Err(Fault::new(format!("URL parse error during conversion from string: {words}"))),
    }
}

fn is_url(args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::Bool(url::Url::parse_request(string(args, 0)?.as_bytes(), COLONS).is_ok()))
}

fn text_of(args: &[Value], part: fn(&url::Url) -> Vec<u8>) -> Result<Value, Fault> {
    Ok(Value::from(words(part(&opaque::<Url>(args, 0)?.0))))
}

fn query(args: &[Value]) -> Result<Value, Fault> {
    let parameters = parse_query_leniently(&opaque::<Url>(args, 0)?.0.query);
    let entries = parameters.into_iter().map(|(key, values)| {
        let values = values.into_iter().map(|value| Value::from(words(value))).collect();
        (Value::from(words(key)), Value::list(values))
    });
    Ok(entries.collect::<ComputedMap>().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_absolute_and_keep_their_fragment_out_of_the_path() {
        let read = |text: &str| to_url(&[Value::from(text)]);
        let url = read("https://u@a:80/b c?x=1&x=2#f").unwrap();
        let part =
            |part: fn(&url::Url) -> Vec<u8>| text_of(std::slice::from_ref(&url), part).unwrap().to_string();
        assert_eq!(part(url::Url::escaped_path), "/b%20c");
        assert_eq!(part(|url| url.host.clone()), "a:80");
        let Ok(Value::Map(map)) = query(std::slice::from_ref(&url)) else { panic!("no map") };
        assert_eq!(map.len(), 1);
        let fault = read("a/b").unwrap_err();
        assert_eq!(
            fault.to_string(),
            "URL parse error during conversion from string: parse \"a/b\": invalid URI for request"
        );
    }
}
