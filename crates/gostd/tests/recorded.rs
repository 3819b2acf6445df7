//! Go's results, row by row. Cells are Go string literals with tabs between them; `recorded/` has a file for
//! each primitive.

use std::fmt::Display;

use trueline_gostd::base64::{Alphabet, Encoding, Padding, STANDARD, Trailing};
use trueline_gostd::ip::{Addr, Net, Prefix, parse_addr};
use trueline_gostd::quote::{self, Keep};
use trueline_gostd::time::{self, Duration, Zone};
use trueline_gostd::url::{self, Colons, Url};
use trueline_gostd::{json, strconv};

type Row = Vec<Vec<u8>>;

fn rows(table: &str) -> Vec<Row> {
    let cell = |cell: &str| quote::unquote_literal(cell.as_bytes()).expect("a literal");
    table.lines().map(|line| line.split('\t').map(cell).collect()).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The two cells of a result.
fn verdict<T: AsRef<[u8]>, E: Display>(result: Result<T, E>) -> [Vec<u8>; 2] {
    match result {
        Ok(value) => [b"ok".to_vec(), value.as_ref().to_vec()],
        Err(error) => [b"error".to_vec(), error.to_string().into_bytes()],
    }
}

/// Compares the results of `ours` with each row, and shows all differences.
fn check(table: &str, ours: impl Fn(&Row) -> Row) {
    let mut wrong = Vec::new();
    for row in rows(table) {
        let found = ours(&row);
        if !row.ends_with(&found) {
            let shown = |row: &[Vec<u8>]| row.iter().map(quote::quote).collect::<Vec<_>>().join(" ");
            wrong.push(format!("Go: {}\nwe: {}", shown(&row), shown(&found)));
        }
    }
    assert!(wrong.is_empty(), "{} rows differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn base64() {
    check(include_str!("recorded/base64.tsv"), |row| {
        let name = text(&row[0]);
        let encoding = Encoding {
            alphabet: if name.contains("url") { Alphabet::Url } else { Alphabet::Standard },
            padding: if name.contains("raw") { Padding::Raw } else { Padding::Padded },
            trailing: if name.contains("strict") { Trailing::Zero } else { Trailing::Any },
        };
        verdict(encoding.decode(&row[1])).into()
    });
    assert_eq!(STANDARD.encode(b"passwd"), "cGFzc3dk");
}

#[test]
fn quotes() {
    check(include_str!("recorded/quote.tsv"), |row| {
        let mut ascii = String::new();
        quote::write_quoted(&mut ascii, &row[0], Keep::Ascii);
        let first = text(&row[0]).chars().next().unwrap_or('x');
        [
            quote::quote(&row[0]),
            ascii,
            quote::quote_character(first, Keep::Printable),
            quote::can_be_raw(&row[0]).to_string(),
        ]
        .map(String::into_bytes)
        .into()
    });
    check(include_str!("recorded/unquote.tsv"), |row| {
        verdict(quote::unquote_literal(&row[0]).ok_or("invalid syntax")).into()
    });
}

#[test]
fn durations() {
    check(include_str!("recorded/duration.tsv"), |row| {
        verdict(Duration::parse(&row[0]).map(|duration| duration.to_string())).into()
    });
}

#[test]
fn times() {
    check(include_str!("recorded/time.tsv"), |row| {
        let read = time::parse(&row[0], &row[1], &Zone::Utc);
        verdict(read.map(|time| time.format(b"2006-01-02T15:04:05.999999999Z07:00"))).into()
    });
}

#[test]
fn addresses() {
    check(include_str!("recorded/address.tsv"), |row| {
        let shown = text(&row[0]);
        let read = parse_addr(&shown).map(|(addr, zone)| match zone {
            Some(zone) => format!("{addr}%{zone}"),
            None => addr.to_string(),
        });
        let older = Addr::parse(&shown).map_or_else(|| "<nil>".to_owned(), |addr| addr.to_string());
        let [word, value] = verdict(read);
        vec![word, value, older.into_bytes()]
    });
    check(include_str!("recorded/prefix.tsv"), |row| {
        let shown = text(&row[0]);
        let [first, second] = verdict(Prefix::parse(&shown).map(|prefix| prefix.to_string()));
        let older = Net::parse_cidr(&shown).map(|(addr, net)| format!("{addr} {net}"));
        let [third, fourth] = verdict(older.ok_or_else(|| format!("invalid CIDR address: {shown}")));
        vec![first, second, third, fourth]
    });
}

#[test]
fn urls() {
    check(include_str!("recorded/url.tsv"), |row| {
        let read = match &*row[0] {
            b"request" => Url::parse_request(&row[1], Colons::OfOtherSchemes),
            _ => Url::parse(&row[1]),
        };
        verdict(read.map(|url| {
            let user = url.user.as_ref().map_or_else(|| b"<none>".to_vec(), url::User::text);
            [
                &url.text()[..],
                &url.scheme,
                &url.opaque,
                &user,
                &url.host,
                url.hostname(),
                url.port(),
                &url.escaped_path(),
                &url.query,
                &url.fragment,
            ]
            .join(&0x1f)
        }))
        .into()
    });
    check(include_str!("recorded/escape.tsv"), |row| {
        let mut found = vec![url::escape_segment(&row[0]), url::escape_query(&row[0])];
        found.extend(verdict(url::unescape_segment(&row[0])));
        found.extend(verdict(url::unescape_query(&row[0])));
        found.extend(verdict(url::parse_query(&row[0]).map(|query| url::query_text(&query))));
        found
    });
}

#[test]
fn numbers() {
    check(include_str!("recorded/integer.tsv"), |row| {
        let read = |base| {
            let read = strconv::parse_int(&row[0], base).map(|number| number.to_string());
            verdict(read.map_err(|why| why.of("ParseInt", &row[0])))
        };
        let short = strconv::parse_int(&row[0], 10).err();
        let short = short.map_or_else(String::new, |why| why.of("Atoi", &row[0]).to_string());
        let unsigned = row[5..7].to_vec();
        [&read(0)[..], &read(10)[..], &unsigned, &[short.into_bytes()]].concat()
    });
    for row in rows(include_str!("recorded/float.tsv")) {
        let ours = strconv::parse_float(&row[0]);
        assert_eq!(ours.is_some(), row[1] == b"ok", "{}", text(&row[0]));
        if let Some(ours) = ours {
            let theirs: f64 = text(&row[2]).parse().unwrap();
            assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan(), "{}", text(&row[0]));
        }
    }
}

#[test]
fn json_errors() {
    check(include_str!("recorded/json.tsv"), |row| {
        let [word, value] = verdict(json::json_fault(&row[0]).map_or(Ok(""), Err));
        vec![word, value, row[3].clone()]
    });
}
