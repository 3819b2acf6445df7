//! What the flags mean, flag by flag. Every line was compared with Helm.

use std::sync::Arc;

use trueline_source::{SourceMap, TypedReadError, TypedReadErrorKind};
use trueline_yaml::{Data, Value};

use crate::chart::Compat;
use crate::values::{GivenError, ValueOptions};

/// The values of some flags as JSON, or the error text.
fn merged(flags: &[(&str, &str)], compat: Compat) -> Result<String, String> {
    let (value, _) = with_sources(flags, compat);
    value.map(|value| value.to_json_text().unwrap())
}

fn with_sources(flags: &[(&str, &str)], compat: Compat) -> (Result<Value, String>, SourceMap) {
    let mut options = ValueOptions::default();
    for (flag, text) in flags {
        let list = match *flag {
            "-f" => &mut options.files,
            "--set" => &mut options.set,
            "--set-string" => &mut options.string,
            "--set-json" => &mut options.json,
            "--set-file" => &mut options.file,
            "--set-literal" => &mut options.literal,
            _ => panic!("no such flag: {flag}"),
        };
        list.push((*text).to_owned());
    }
    let sources = SourceMap::new();
    let mut read = |path: &str| match path {
        "a.yaml" => Ok(b"k: a\nlist: [1, 2]\nm: {x: 1, z: 2}\n".to_vec()),
        "b.yaml" => Ok(b"k: b\nm: {x: 3}\n".to_vec()),
        "empty-key.yaml" => Ok(b"\"\": [1]\n".to_vec()),
        "f.txt" => Ok(b"content, = {x}\n".to_vec()),
        "list.yaml" => Ok(b"- a\n".to_vec()),
        _ => Err(GivenError::File(TypedReadError {
            typed: path.to_owned(),
            kind: TypedReadErrorKind::Open(std::io::ErrorKind::NotFound.into()),
        })),
    };
    let value = options.merge(&sources, compat, &mut read).map_err(|error| error.to_string());
    (value, sources)
}

#[test]
fn set() {
    for (text, expected) in [
        ("", Ok("{}")),
        ("a=1,b=x,c=", Ok(r#"{"a":1,"b":"x","c":""}"#)),
        ("a=true,b=FALSE,c=null,d=yes", Ok(r#"{"a":true,"b":false,"c":null,"d":"yes"}"#)),
        (
            "a=0,b=007,c=-5,d=+5,e=1.5,f=1e3,g=0x10",
            Ok(r#"{"a":0,"b":"007","c":-5,"d":5,"e":"1.5","f":"1e3","g":"0x10"}"#),
        ),
        (
            "a=9223372036854775807,b=9223372036854775808",
            Ok(r#"{"a":9223372036854775807,"b":"9223372036854775808"}"#),
        ),
        (r"a\.b=1,c\.d\.e.f=2", Ok(r#"{"a.b":1,"c.d.e":{"f":2}}"#)),
        (r"a=1\,2,b=c:\\x\n", Ok(r#"{"a":"1,2","b":"c:\\xn"}"#)),
        (r"a=x\", Ok(r#"{"a":"x"}"#)),
        (r"a\", Err(r#"key "a" has no value"#)),
        (r"\", Ok("{}")),
        (" a = b ,c= d", Ok(r#"{" a ":" b ","c":" d"}"#)),
        ("a=x\ny", Ok(r#"{"a":"x\ny"}"#)),
        ("a.b.c=1,a.b.d=2", Ok(r#"{"a":{"b":{"c":1,"d":2}}}"#)),
        ("a={1,b,true,null}", Ok(r#"{"a":[1,"b",true,null]}"#)),
        ("a={}", Ok(r#"{"a":[""]}"#)),
        ("a={,}", Ok(r#"{"a":["",""]}"#)),
        (r"a={x\,y,z},b=1", Ok(r#"{"a":["x,y","z"],"b":1}"#)),
        ("a={x}b=1", Ok(r#"{"a":["x"],"b":1}"#)),
        ("a=x{y},b=1", Ok(r#"{"a":"x{y}","b":1}"#)),
        ("a={x", Err("list must terminate with '}'")),
        ("a={1,2}x,b=3", Err(r#"key "x" has no value (cannot end with ,)"#)),
        ("a={x,{y,z}}", Err(r#"key "}" has no value"#)),
        ("a[0]=x,a[2]=z", Ok(r#"{"a":["x",null,"z"]}"#)),
        ("a[0].b=1,a[0].c=2,a[1].b=3", Ok(r#"{"a":[{"b":1,"c":2},{"b":3}]}"#)),
        ("a[1]={x,y}", Ok(r#"{"a":[null,["x","y"]]}"#)),
        ("a[0][1]=x,a[0][0]=y", Ok(r#"{"a":[["y","x"]]}"#)),
        ("a[0]=1,a[0].b=2", Ok(r#"{"a":[{"b":2}]}"#)),
        ("a[1]=x,a[0].b=2", Ok(r#"{"a":[{"b":2},"x"]}"#)),
        ("a[+1]=x", Ok(r#"{"a":[null,"x"]}"#)),
        ("a[0]=", Ok(r#"{"a":[""]}"#)),
        ("a[0]", Ok(r#"{"a":[]}"#)),
        ("a[0].", Ok(r#"{"a":[]}"#)),
        ("a[0][0]", Ok(r#"{"a":[]}"#)),
        ("x.a[0]", Ok(r#"{"x":{"a":[]}}"#)),
        ("a[0].b=1,a[0].c[1]", Ok(r#"{"a":[{"b":1,"c":[]}]}"#)),
        ("a[0]=5,a[0].", Ok(r#"{"a":[{}]}"#)),
        ("a[0].=1", Ok(r#"{"a":[{}]}"#)),
        ("a[0]x=1", Err("unexpected data at end of array index: ['x']")),
        ("a[0]'\"=1", Err("unexpected data at end of array index: ['\\'' '\"']")),
        ("a[x]=1", Err(r#"error parsing index: strconv.Atoi: parsing "x": invalid syntax"#)),
        ("a[]=1", Err(r#"error parsing index: strconv.Atoi: parsing "": invalid syntax"#)),
        (
            "a[99999999999999999999]=1",
            Err(r#"error parsing index: strconv.Atoi: parsing "99999999999999999999": value out of range"#),
        ),
        ("a[-1]=1", Err("negative -1 index not allowed")),
        (
            "a=1,a[-1]=1",
            Err("unable to parse key: interface conversion: interface {} is int64, not []interface {}"),
        ),
        ("a[65537]=1", Err("index of 65537 is greater than maximum supported index of 65536")),
        ("a[70000][80000]=1", Err("index of 80000 is greater than maximum supported index of 65536")),
        ("a", Err(r#"key "a" has no value"#)),
        ("a.b", Err(r#"key "b" has no value"#)),
        ("a,b=1", Err(r#"key "a" has no value (cannot end with ,)"#)),
        (",a=1", Err(r#"key "" has no value (cannot end with ,)"#)),
        ("a=1,", Ok(r#"{"a":1}"#)),
        ("a=1,,", Err(r#"key "" has no value (cannot end with ,)"#)),
        ("=1", Ok("{}")),
        (".a=1", Ok("{}")),
        ("a.=1", Err(r#"key map "a" has no value"#)),
        ("a..b=1", Err(r#"key map "a" has no value"#)),
        ("a.b.=1", Err(r#"key map "b" has no value"#)),
        ("a.x=1,a.=1", Ok(r#"{"a":{"x":1}}"#)),
        ("a.", Ok("{}")),
        (
            "a=5,a.b=1",
            Err(
                "unable to parse key: interface conversion: interface {} is int64, not map[string]interface {}",
            ),
        ),
        (
            "a=5,a.b",
            Err(
                "unable to parse key: interface conversion: interface {} is int64, not map[string]interface {}",
            ),
        ),
        (
            "a=null,a.b=1",
            Err(
                "unable to parse key: interface conversion: interface {} is nil, not map[string]interface {}",
            ),
        ),
        (
            "a=x,a[0]=1",
            Err("unable to parse key: interface conversion: interface {} is string, not []interface {}"),
        ),
        (
            "a.b=1,a[0]=2",
            Err(
                "unable to parse key: interface conversion: interface {} is map[string]interface {}, not []interface {}",
            ),
        ),
        (
            "a[0]=1,a.b=2",
            Err(
                "unable to parse key: interface conversion: interface {} is []interface {}, not map[string]interface {}",
            ),
        ),
        (
            "a[0]=true,a[0][1]=2",
            Err("unable to parse key: interface conversion: interface {} is bool, not []interface {}"),
        ),
    ] {
        let expected = match expected {
            Ok(json) => Ok(json.to_owned()),
            Err(text) => Err(format!("failed parsing --set data: {text}")),
        };
        for compat in [Compat::Helm4, Compat::Helm3] {
            assert_eq!(merged(&[("--set", text)], compat), expected, "{text:?}");
        }
    }
}

#[test]
fn names_have_a_largest_depth() {
    let path = |dots: usize| vec!["a"; dots + 1].join(".") + "=1";
    assert!(merged(&[("--set", &path(30))], Compat::Helm4).is_ok());
    let text = "failed parsing --set data: value name nested level is greater than maximum supported nested level of 30";
    assert_eq!(merged(&[("--set", &path(31))], Compat::Helm4), Err(text.to_owned()));
    assert!(merged(&[("--set", &format!("a{}=1", "[0]".repeat(150)))], Compat::Helm4).is_ok());
    assert!(merged(&[("--set", &format!("a{}=1", "[0]".repeat(1_000_000)))], Compat::Helm4).is_err());
    assert!(merged(&[("--set", &format!("a{}=1", "[0].b".repeat(1_000_000)))], Compat::Helm4).is_err());
    let many: Vec<String> = (0..30).map(|list| format!("a{list}[65536]=1")).collect();
    assert!(merged(&[("--set", &many.join(","))], Compat::Helm4).is_err(), "two million gaps");
}

#[test]
fn an_open_index_ends_the_text_or_is_an_error() {
    for (text, helm4) in
        [("a[0=1", "{}"), ("b=1,a[0=1,c=2", r#"{"b":1}"#), ("a[0][1=1", r#"{"a":[]}"#), ("x.a[0=1", "{}")]
    {
        assert_eq!(merged(&[("--set", text)], Compat::Helm4).as_deref(), Ok(helm4), "{text}");
        let error = "failed parsing --set data: error parsing index: EOF";
        assert_eq!(merged(&[("--set", text)], Compat::Helm3), Err(error.to_owned()), "{text}");
    }
}

#[test]
fn set_string() {
    for (text, expected) in [
        (
            "a=1,b=true,c=null,d={1,2},e[0]=0,f=,g=1.0",
            r#"{"a":"1","b":"true","c":"null","d":["1","2"],"e":["0"],"f":"","g":"1.0"}"#,
        ),
        (r"a=1\,2", r#"{"a":"1,2"}"#),
    ] {
        assert_eq!(merged(&[("--set-string", text)], Compat::Helm4).as_deref(), Ok(expected), "{text}");
    }
    let error = r#"failed parsing --set-string data: key "a" has no value"#;
    assert_eq!(merged(&[("--set-string", "a")], Compat::Helm4), Err(error.to_owned()));
}

#[test]
fn set_literal() {
    for (text, expected) in [
        (r"a=x,y={z}.w[0]\n", Ok(r#"{"a":"x,y={z}.w[0]\\n"}"#)),
        ("a.b=c,d=e", Ok(r#"{"a":{"b":"c,d=e"}}"#)),
        (r"a\.b=c", Ok(r#"{"a\\":{"b":"c"}}"#)),
        ("a=true", Ok(r#"{"a":"true"}"#)),
        ("a=", Ok(r#"{"a":""}"#)),
        ("a,b=1", Ok(r#"{"a,b":"1"}"#)),
        ("a[0]=x,y", Ok(r#"{"a":["x,y"]}"#)),
        ("a[1].b=x=y", Ok(r#"{"a":[null,{"b":"x=y"}]}"#)),
        ("a[-1]=x", Err("negative -1 index not allowed")),
        ("a", Err(r#"key "a" has no value"#)),
        ("", Ok("{}")),
    ] {
        let expected = match expected {
            Ok(json) => Ok(json.to_owned()),
            Err(text) => Err(format!("failed parsing --set-literal data: {text}")),
        };
        assert_eq!(merged(&[("--set-literal", text)], Compat::Helm4), expected, "{text}");
    }
}

#[test]
fn set_json() {
    for (text, expected) in [
        (r#"a=1,b={"x":[1,2]},c="s,t""#, Some(r#"{"a":1,"b":{"x":[1,2]},"c":"s,t"}"#)),
        ("a=", Some(r#"{"a":null}"#)),
        ("b=,c=1", Some(r#"{"b":null,"c":1}"#)),
        (r#"a.b[1].c={"d":1}"#, Some(r#"{"a":{"b":[null,{"c":{"d":1}}]}}"#)),
        (r#"a={"x":1,"x":2}"#, Some(r#"{"a":{"x":2}}"#)),
        ("a=1 b=2", Some(r#"{"a":1,"b":2}"#)),
        ("a= 1 , b=2", Some(r#"{" b":2,"a":1}"#)),
        ("a=12345678901234567890,b=1e21", Some(r#"{"a":12345678901234567000,"b":1e+21}"#)),
        ("a=[1,null][2]=3", Some(r#"{"a":[1,null]}"#)),
        ("a=01", None),
        ("a=1x", None),
        ("a=x", None),
        ("a='x'", None),
        ("a=1e999", None),
        ("a={\"x\":1", None),
        ("a", None),
    ] {
        for compat in [Compat::Helm4, Compat::Helm3] {
            let expected = match expected {
                Some(json) => Ok(json.to_owned()),
                None => Err(format!("failed parsing --set-json data {text}")),
            };
            assert_eq!(merged(&[("--set-json", text)], compat), expected, "{text}");
        }
    }
    let object = r#" {"a":1,"m":{"x":null}} "#;
    let flags = [("-f", "a.yaml"), ("--set-json", object)];
    let expected = r#"{"a":1,"k":"a","list":[1,2],"m":{"x":null,"z":2}}"#;
    assert_eq!(merged(&flags, Compat::Helm4).as_deref(), Ok(expected));
    assert_eq!(merged(&flags, Compat::Helm3), Err(format!("failed parsing --set-json data {object}")));
    let error = Err("failed parsing --set-json data JSON: {\"a\":1".to_owned());
    assert_eq!(merged(&[("--set-json", "{\"a\":1")], Compat::Helm4), error);
}

#[test]
fn files_and_flags_have_an_order() {
    for (flags, expected) in [
        (&[("-f", "a.yaml"), ("-f", "b.yaml")][..], r#"{"k":"b","list":[1,2],"m":{"x":3,"z":2}}"#),
        (&[("-f", "b.yaml"), ("-f", "a.yaml")], r#"{"k":"a","list":[1,2],"m":{"x":1,"z":2}}"#),
        (&[("--set", "k=set"), ("--set-json", "k=\"json\""), ("-f", "b.yaml")], r#"{"k":"set","m":{"x":3}}"#),
        (&[("--set-string", "k=5"), ("--set", "k=6")], r#"{"k":"5"}"#),
        (&[("--set-literal", "k=l"), ("--set-file", "k=f.txt")], r#"{"k":"l"}"#),
        (
            &[("--set-file", "a.b=f.txt,c={f.txt}")],
            r#"{"a":{"b":"content, = {x}\n"},"c":["content, = {x}\n"]}"#,
        ),
        (
            &[("-f", "a.yaml"), ("--set", "list[1]=B,list[3]=D,m.x=null")],
            r#"{"k":"a","list":[1,"B",null,"D"],"m":{"x":null,"z":2}}"#,
        ),
        (&[("-f", "empty-key.yaml"), ("--set", "=1")], r#"{"":[1]}"#),
    ] {
        assert_eq!(merged(flags, Compat::Helm4).as_deref(), Ok(expected), "{flags:?}");
    }
    for (flags, expected) in [
        (&[("-f", "no.yaml")][..], "open no.yaml: no such file or directory"),
        (
            &[("--set-file", "a=no.txt")],
            "failed parsing --set-file data: open no.txt: no such file or directory",
        ),
        (
            &[("-f", "list.yaml")],
            "failed to parse list.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
    ] {
        assert_eq!(merged(flags, Compat::Helm3), Err(expected.to_owned()), "{flags:?}");
    }
}

#[test]
fn every_value_points_to_its_flag_or_file() {
    let flags = [
        ("-f", "a.yaml"),
        ("--set", r"list[3].deep=x\,y,n=12"),
        ("--set-json", r#"j={"p": [true]},e="#),
        ("--set-file", "f=f.txt"),
        ("--set-literal", "l=a=b"),
    ];
    let (value, sources) = with_sources(&flags, Compat::Helm4);
    let value = value.unwrap();
    let place = |path: &[&str]| {
        let value = path.iter().fold(&value, |value, step| match &value.data {
            Data::List(items) => &items[step.parse::<usize>().unwrap()],
            _ => value.get(step).unwrap(),
        });
        let span = value.origin.unwrap();
        let source = sources.get(span.source);
        (source.name().to_owned(), source.slice(span).to_owned())
    };
    let set = r"--set list[3].deep=x\,y,n=12";
    for (path, name, text) in [
        (&["k"][..], "a.yaml", "a"),
        (&["list", "0"], "a.yaml", "1"),
        (&["list", "2"], set, "3"),
        (&["list", "3", "deep"], set, r"x\,y"),
        (&["n"], set, "12"),
        (&["j", "p", "0"], r#"--set-json j={"p": [true]},e="#, "true"),
        (&["e"], r#"--set-json j={"p": [true]},e="#, ""),
        (&["f"], "f.txt", "content, = {x}\n"),
        (&["l"], "--set-literal l=a=b", "a=b"),
    ] {
        assert_eq!(place(path), (name.to_owned(), text.to_owned()), "{path:?}");
    }
}

#[test]
fn errors_stand_at_their_column() {
    for (text, place) in
        [("a=1,bc", "bc"), ("a=1,b[x]=2", "x"), ("a=5,a.b=1", "a"), ("a={1,2", ""), ("a[0]zz=1", "zz")]
    {
        let sources = SourceMap::new();
        let options = ValueOptions { set: vec![text.to_owned()], ..ValueOptions::default() };
        let error = options.merge(&sources, Compat::Helm4, &mut |_| Err(GivenError::Nowhere)).unwrap_err();
        let span = error.diagnostics[0].primary.span;
        assert_eq!(sources.get(span.source).slice(span), place, "{text}");
        assert!(span.start > 0, "{text}");
    }
}

#[test]
fn secrets_are_not_part_of_a_name() {
    for (text, name) in [
        ("db.password=hunter2", "--set db.password=…"),
        ("a=1,token=hunter2", "--set a=1,token=…"),
        ("a=1", "--set a=1"),
        ("a=x\ny", "--set a=x y"),
    ] {
        let options = ValueOptions { set: vec![text.to_owned()], ..ValueOptions::default() };
        let sources = Arc::new(SourceMap::new());
        let value = options.merge(&sources, Compat::Helm4, &mut |_| Err(GivenError::Nowhere)).unwrap();
        let Data::Map(map) = &value.data else { panic!() };
        let span = map.values().next().unwrap().key_origin.unwrap();
        assert_eq!(sources.get(span.source).name(), name);
    }
}
