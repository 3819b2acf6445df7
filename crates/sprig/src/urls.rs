//! Addresses.

use trueline_gotemplate::{Context, Error, Function, Kind, Map, Str, Type, Value};

use crate::argument::{any, map, nil_dereference, text};
use crate::define::fixed;
use crate::url::Url;

/// The family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed(
        "urlParse",
        &[Type::String],
        url_parse,
        "URL",
        "A map of the parts: `scheme`, `host`, `hostname`, `path`, `query`, `opaque`, `fragment`, `userinfo`.",
    ),
    fixed("urlJoin", &[Type::MAP], url_join, "MAP", "The address that has these parts."),
];

fn url_parse(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let origin = any(arguments, 0).origin;
    let url = Url::parse(text(arguments, 0).as_bytes())
        .map_err(|words| Error::new(format!("unable to parse url: {words}")))?;
    let hostname = url.hostname().to_vec();
    let userinfo = url.user.as_ref().map(|user| user.text()).unwrap_or_default();
    let parts = [
        ("scheme", url.scheme),
        ("host", url.host),
        ("hostname", hostname),
        ("path", url.path),
        ("query", url.query),
        ("opaque", url.opaque),
        ("fragment", url.fragment),
        ("userinfo", userinfo),
    ];
    let parts = parts.into_iter().map(|(name, bytes)| (name, Value::from(Str::from(bytes)).at(origin)));
    Ok(Value::from(Map::from_iter(parts)))
}

fn url_join(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let map = map(arguments, 0);
    let part = |name: &str| match map.get(name) {
        None => Ok(Vec::new()),
        Some(value) => match value.as_str() {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None if value.kind() == Kind::Invalid => Err(nil_dereference()),
            None => Err(Error::new(format!(
                "unable to parse {name} key, must be of type string, but {} found",
                value.kind().name()
            ))),
        },
    };
    let mut url = Url {
        scheme: part("scheme")?,
        host: part("host")?,
        path: part("path")?,
        query: part("query")?,
        opaque: part("opaque")?,
        fragment: part("fragment")?,
        user: None,
        raw_path: Vec::new(),
    };
    let userinfo = part("userinfo")?;
    if !userinfo.is_empty() {
        let address = [b"proto://", &*userinfo, b"@host"].concat();
        let parsed = Url::parse(&address)
            .map_err(|words| Error::new(format!("unable to parse userinfo in dict: {words}")))?;
        url.user = parsed.user;
    }
    Ok(Value::from(Str::from(url.text())))
}
