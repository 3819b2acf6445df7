//! URLs.

use trueline_gostd::url::Url;
use trueline_gotemplate::{Context, Error, Function, Kind, Map, Str, Type, Value};

use crate::argument::{any, map, nil_dereference, text};
use crate::define::fixed;

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed(
        "urlParse",
        &[Type::String],
        url_parse,
        "URL",
        "A map with the parts of the URL: `scheme`, `host`, `hostname`, `path`, `query`, `opaque`, `fragment`, \
         `userinfo`.",
    ),
    fixed("urlJoin", &[Type::MAP], url_join, "MAP", "The URL with these parts."),
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
        ..Url::default()
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

#[cfg(test)]
mod tests {
    use crate::test_context::check;

    #[test]
    fn functions_give_what_sprig_gives() {
        check(&[
            (
                r#"urlParse "http://admin:secret@server.com:8080/api/list?a=b#anchor""#,
                r#"map[string]interface {} {"fragment":"anchor","host":"server.com:8080","hostname":"server.com","opaque":"","path":"/api/list","query":"a=b","scheme":"http","userinfo":"admin:secret"}"#,
            ),
            (
                r#"urlParse "https://[::1]:80/%41%2f""#,
                r#"map[string]interface {} {"fragment":"","host":"[::1]:80","hostname":"::1","opaque":"","path":"/A/","query":"","scheme":"https","userinfo":""}"#,
            ),
            (
                r#"urlParse "mailto:a@b.c?x""#,
                r#"map[string]interface {} {"fragment":"","host":"","hostname":"","opaque":"a@b.c","path":"","query":"x","scheme":"mailto","userinfo":""}"#,
            ),
            (
                r#"urlParse "a/b c""#,
                r#"map[string]interface {} {"fragment":"","host":"","hostname":"","opaque":"","path":"a/b c","query":"","scheme":"","userinfo":""}"#,
            ),
            (
                r#"urlParse "//h/p""#,
                r#"map[string]interface {} {"fragment":"","host":"h","hostname":"h","opaque":"","path":"/p","query":"","scheme":"","userinfo":""}"#,
            ),
            (
                r#"urlParse """#,
                r#"map[string]interface {} {"fragment":"","host":"","hostname":"","opaque":"","path":"","query":"","scheme":"","userinfo":""}"#,
            ),
            (
                r#"urlParse "http://h/%zz""#,
                r#"! unable to parse url: parse "http://h/%zz": invalid URL escape "%zz""#,
            ),
            (
                r#"urlParse "http://a b/""#,
                r#"! unable to parse url: parse "http://a b/": invalid character " " in host name"#,
            ),
            (
                r#"urlParse "http://[::1""#,
                r#"! unable to parse url: parse "http://[::1": missing ']' in host"#,
            ),
            (
                r#"urlParse "http://h:x/""#,
                r#"! unable to parse url: parse "http://h:x/": invalid port ":x" after host"#,
            ),
            (r#"urlParse ":x""#, r#"! unable to parse url: parse ":x": missing protocol scheme"#),
            (
                r#"urlParse "a:b/c""#,
                r#"map[string]interface {} {"fragment":"","host":"","hostname":"","opaque":"b/c","path":"","query":"","scheme":"a","userinfo":""}"#,
            ),
            (
                r#"urlParse "1a:b""#,
                r#"! unable to parse url: parse "1a:b": first path segment in URL cannot contain colon"#,
            ),
            (
                r#"urlParse "http://u ser@h/""#,
                r#"! unable to parse url: parse "http://u ser@h/": net/url: invalid userinfo"#,
            ),
            (
                r#"urlJoin (dict "scheme" "http" "host" "h:80" "path" "/a b?" "query" "x=1" "fragment" "f é" "userinfo" "u:p@ss")"#,
                r#"string "http://u:p%40ss@h:80/a%20b%3F?x=1#f%20%C3%A9""#,
            ),
            (r#"urlJoin (dict "path" "a:b")"#, r#"string "./a:b""#),
            (r#"urlJoin (dict "scheme" "x" "opaque" "y")"#, r#"string "x:y""#),
            (r#"urlJoin (dict "host" "h" "path" "p")"#, r#"string "//h/p""#),
            ("urlJoin (dict)", r#"string """#),
            (
                r#"urlJoin (dict "host" 1)"#,
                "! unable to parse host key, must be of type string, but int found",
            ),
            (
                r#"urlJoin (dict "host" nil)"#,
                "! runtime error: invalid memory address or nil pointer dereference",
            ),
            (r#"urlJoin (dict "host" "h" "userinfo" "a/b")"#, r#"string "//h""#),
        ]);
    }
}
