//! What functions cost when their input is doubled: about twice as much, and never less than the size of their
//! result.
//!
//! A function without a row is tried with large arguments of its parameters' types.

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use trueline_gotemplate::{
    Data, Environment, Error, Function, Limits, Map, Options, Origins, Templates, Type, Uses, Value, Variadic,
};

/// How large the smaller of two inputs is.
const SIZE: usize = 3_000;

/// The maximum growth of a call's cost when its input is doubled.
const MOST_GROWTH: f64 = 2.4;

/// How many bytes of the result one step covers at most; the call itself covers small results.
const BYTES_PER_STEP: u64 = 16;
const FREE_BYTES: u64 = 4_096;

/// The functions of a row, and their arguments. `F` is replaced by the function, `ARGS` by many numbers,
/// `TEXTS` by many strings.
const ROWS: &[(&str, &str)] = &[
    // Text.
    ("trim nospace title untitle swapcase upper lower initials camelcase snakecase kebabcase", "F .text"),
    ("upper lower kebabcase snakecase camelcase", "F .capitals"),
    ("kebabcase snakecase title untitle nospace trim", "F .broken"),
    ("trimAll trimall", "F .text .text"),
    ("trimPrefix trimSuffix contains hasPrefix hasSuffix splitList split", "F \"ab\" .text"),
    ("splitList split", "F \"\" .text"),
    ("splitn", "F \" \" .size .text"),
    ("trunc indent nindent wrap abbrev", "F 10 .text"),
    ("indent nindent", "F 8 .lines"),
    ("wrap", "F 1 .text"),
    ("wrapWith", "F 3 \"<br>\" .text"),
    ("abbrevboth substr", "F 10 500 .text"),
    ("repeat", "F .size \"abc\""),
    ("replace", "F \"a\" \"xyz\" .text"),
    ("replace", "F \"\" \"xyz\" .text"),
    ("plural", "F .text .text 2"),
    ("join", "F \", \" .texts"),
    ("sortAlpha", "F .texts"),
    ("cat quote squote", "F .text .numbers"),
    ("cat quote squote list tuple", "F TEXTS"),
    ("shuffle regexQuoteMeta", "F .text"),
    ("randAlpha randAlphaNum randAscii randNumeric randBytes", "F .size"),
    ("sha1sum sha256sum sha512sum adler32sum b64enc b32enc", "F .text"),
    ("b64dec", "F (b64enc .text)"),
    ("b32dec", "F (b32enc .text)"),
    ("encryptAES", "F \"password\" .text"),
    ("decryptAES", "F \"password\" (encryptAES \"password\" .text)"),
    // Go's own.
    ("html js urlquery print println", "F .text"),
    ("html js urlquery", "F .broken"),
    ("print println", "F .map"),
    ("print println html", "F .deep"),
    ("printf", "F .verbs ARGS"),
    ("printf", "F .percents"),
    ("printf", "F .brackets 1"),
    ("printf", "F .wide 1"),
    ("printf", "F \"%v %#v %q %x\" .map .texts .text .text"),
    ("len", "F .text"),
    ("index", "F .numbers 1"),
    ("eq ne lt le gt ge", "F .text .text"),
    ("and or", "F ARGS"),
    ("not", "F .map"),
    ("slice", "F .text 1"),
    // Patterns.
    ("regexMatch mustRegexMatch regexFind mustRegexFind", "F \"(a|b)+$\" .text"),
    ("regexFindAll mustRegexFindAll regexSplit mustRegexSplit", "F \"[a-z]\" .text -1"),
    ("regexReplaceAll mustRegexReplaceAll", "F \"([a-z])([a-z])\" .text \"${2}-${1}\""),
    ("regexReplaceAllLiteral mustRegexReplaceAllLiteral", "F \"[a-z]\" .text \"xyz\""),
    ("regexMatch", "F .alternatives \"x\""),
    // Lists.
    ("first last rest initial reverse uniq compact", "F .numbers"),
    ("mustFirst mustLast mustRest mustInitial mustReverse mustUniq mustCompact", "F .texts"),
    ("append push prepend mustAppend mustPush mustPrepend", "F .numbers 1"),
    ("concat", "F .numbers .texts"),
    ("without mustWithout", "F .texts TEXTS"),
    ("has mustHas", "F \"nothing\" .texts"),
    ("slice mustSlice", "F .numbers 1"),
    ("chunk mustChunk", "F 3 .numbers"),
    ("until", "F .size"),
    ("untilStep", "F 0 .size 1"),
    ("seq", "F .size"),
    ("toStrings", "F .numbers"),
    ("all any coalesce", "F ARGS"),
    // Maps.
    ("dict", "F TEXTS"),
    ("get hasKey", "F .map \"k1\""),
    ("unset", "F (dict \"k1\" .text) \"k1\""),
    ("pluck", "F \"k1\" .map .map"),
    ("set", "F (deepCopy .map) \"x\" 1"),
    ("keys values", "F .map"),
    ("pick omit", "F .map TEXTS"),
    ("merge mustMerge mergeOverwrite mustMergeOverwrite", "F (dict) .map"),
    ("deepCopy mustDeepCopy", "F .map"),
    ("deepEqual", "F .map (deepCopy .map)"),
    ("dig", "F \"k1\" \"x\" .map"),
    // Values as text and back.
    ("toJson mustToJson toPrettyJson mustToPrettyJson toRawJson mustToRawJson", "F .map"),
    ("toYaml mustToYaml toYamlPretty toToml mustToToml toString", "F .map"),
    ("toYaml toJson toPrettyJson toString", "F .deep"),
    ("toYaml toJson", "F .text"),
    ("fromJson", "F (toJson .map)"),
    ("mustFromJson fromJsonArray", "F (toJson .numbers)"),
    ("fromYaml", "F (toYaml .map)"),
    ("fromYamlArray", "F (toYaml .texts)"),
    ("fromToml", "F (toToml .map)"),
    // Numbers.
    ("add mul max biggest min maxf minf", "F ARGS"),
    ("addf subf divf", "F ARGS"),
    ("atoi int int64 float64 toDecimal add1 add1f", "F .digits"),
    ("floor ceil", "F .digits"),
    ("round", "F .digits 2"),
    // Addresses, paths, versions, dates.
    ("urlParse", "F (printf \"http://host/%s\" .text)"),
    ("urlJoin", "F (dict \"scheme\" \"http\" \"host\" \"h\" \"path\" .text)"),
    ("base dir clean ext isAbs osBase osDir osClean osExt osIsAbs", "F .path"),
    ("semver", "F (printf \"1.2.3-%s\" .digits)"),
    ("semverCompare", "F .constraints \"1.2.3\""),
    ("date", "F .layout now"),
    ("dateInZone date_in_zone", "F .layout now \"UTC\""),
    ("toDate mustToDate", "F .layout .layout"),
    ("duration durationRound", "F .digits"),
    ("default", "F .text .text"),
    ("ternary", "F .text .text true"),
    ("kindIs typeIs typeIsLike", "F .text .map"),
    ("htpasswd", "F .text \":\""),
];

/// Functions whose work does not grow with their input, or that fail on anything long.
const CONSTANT: &str = "ago bcrypt buildCustomCert call dateModify date_modify derivePassword div durationDays durationHours \
    durationMicroseconds durationMilliseconds durationMinutes durationNanoseconds durationRoundTo durationSeconds \
    durationTruncateTo durationWeeks empty genCA genCAWithKey genPrivateKey genSelfSignedCert \
    genSelfSignedCertWithKey genSignedCert genSignedCertWithKey getHostByName hello htmlDate htmlDateInZone kindOf mod \
    mustDateModify must_date_modify mustToDuration now randInt sub typeOf unixEpoch uuidv4";

/// A product is as long as all its factors together, so the cost is inevitably quadratic.
const SQUARE: &str = "mulf";

struct Dice(Cell<u64>);

impl Environment for Dice {
    fn now(&self) -> (i64, u32) {
        (1_257_894_000, 1)
    }

    fn random(&self, buffer: &mut [u8]) {
        for byte in buffer {
            self.0.set(self.0.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
            *byte = (self.0.get() >> 56) as u8;
        }
    }

    fn lookup_host(&self, _: &str) -> String {
        String::new()
    }
}

/// Records the size of a value.
const KEEP: Function = Function {
    name: "keep",
    parameters: &[Type::Any],
    variadic: Variadic::No,
    call: |context, arguments| {
        let made = arguments.first().map_or(0, |value| {
            let runs = value.as_str().map_or(0, |text| std::mem::size_of_val(text.runs()));
            value.weight_up_to(usize::MAX) + runs
        });
        let host: &dyn Any = context.host();
        host.downcast_ref::<Cell<u64>>().ok_or_else(|| Error::new("no host"))?.set(made as u64);
        Ok(Value::from(""))
    },
    usage: "VALUE",
    doc: "",
    uses: Uses::All,
};

/// Inputs of a given size.
fn dot(size: usize) -> Value {
    let texts: Vec<Value> = (0..size).map(|number| format!("t{number}").into()).collect();
    let map = Map::from_iter((0..size).map(|number| (format!("k{number}"), Value::int(number as i64))));
    // Many deeply nested values.
    let mut deep = Value::list((0..size as i64).map(Value::int).collect());
    for _ in 0..50 {
        deep = Value::list(vec![deep]);
    }
    let repeated = |unit: &str| Value::from(unit.repeat(size / unit.len().max(1)));
    let entries = [
        ("size", Value::int(size as i64)),
        ("text", repeated("ab cd,Ef-g1 ")),
        ("capitals", repeated("ABcDE1f")),
        ("broken", Value::new(Data::String(b"a\xffB \xc3<".repeat(size / 6).into()))),
        ("lines", repeated("ab\n")),
        ("digits", repeated("7")),
        ("path", repeated("a/../b//c.d/")),
        ("constraints", Value::from(vec![">=1.0.0"; size / 12].join(" || "))),
        ("layout", repeated("2006-01-02 ")),
        ("alternatives", Value::from((0..size / 8).map(|number| format!("a{number}|")).collect::<String>())),
        ("verbs", repeated("%v")),
        ("percents", repeated("%z")),
        ("brackets", repeated("%[")),
        ("wide", Value::from(format!("%{size}d"))),
        ("texts", Value::list(texts)),
        ("numbers", Value::list((0..size as i64).map(Value::int).collect())),
        ("map", map.into()),
        ("deep", deep),
    ];
    Map::from_iter(entries).into()
}

/// The cost of a call, and the size of its result.
fn cost(function: &str, call: &str, size: usize, origins: Origins) -> Option<(u64, u64)> {
    let mut functions = trueline_sprig::functions();
    functions.extend(&[KEEP]);
    let texts: String = (0..size / 8).map(|number| format!("\"t{number}\" ")).collect();
    let call =
        call.replacen('F', function, 1).replace("ARGS", &"1.5 ".repeat(size / 8)).replace("TEXTS", &texts);
    let mut templates = Templates::new("t", Arc::new(functions));
    let text = format!("{{{{ keep ({call}) }}}}");
    templates.parse("t", &text.into_bytes().into(), None).unwrap();
    let (made, spent) = (Cell::new(0_u64), Cell::new(0));
    let dice = Dice(Cell::new(1));
    let limits = Limits { steps: u64::MAX, ..Limits::default() };
    let options = Options { limits, origins, spent: Some(&spent), ..Options::new(&dice, &made) };
    let result = templates.execute("t", &dot(size), &options);
    // A function that refuses its arguments has still read them.
    let _ = result.ok();
    (spent.get() > 0).then(|| (spent.get(), made.get()))
}

/// What is wrong with what a call costs.
fn wrong(function: &str, call: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for origins in [Origins::Dropped, Origins::Kept] {
        let small = cost(function, call, SIZE, origins);
        let large = cost(function, call, 2 * SIZE, origins);
        let (Some((small, _)), Some((large, made))) = (small, large) else {
            wrong.push(format!("{function} in `{call}` costs nothing"));
            continue;
        };
        if large as f64 > MOST_GROWTH * small as f64 + 64.0 {
            wrong.push(format!("{function} in `{call}`: {small} steps, then {large}"));
        }
        if made > BYTES_PER_STEP * large + FREE_BYTES {
            wrong.push(format!("{function} in `{call}` makes {made} bytes in {large} steps"));
        }
    }
    wrong
}

#[test]
fn twice_the_input_costs_twice_as_much_and_covers_the_result() {
    let rows =
        ROWS.iter().flat_map(|(functions, call)| functions.split_whitespace().map(move |name| (name, call)));
    let wrong: Vec<String> = rows.flat_map(|(function, call)| wrong(function, call)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The functions that are looked at by name.
fn named() -> BTreeSet<&'static str> {
    ROWS.iter()
        .flat_map(|(functions, _)| functions.split_whitespace())
        .chain(CONSTANT.split_whitespace())
        .chain(SQUARE.split_whitespace())
        .collect()
}

/// A large argument for a parameter.
fn argument(parameter: &Type) -> &'static str {
    match parameter {
        Type::String => ".text",
        Type::Int(_) | Type::Uint(_) => ".size",
        Type::Float64 => "1.5",
        Type::Map(_) => ".map",
        Type::List(_) => ".texts",
        _ => ".numbers",
    }
}

/// A function that needs other arguments than these gets a row.
#[test]
fn functions_without_a_row_are_tried_by_their_parameters() {
    let functions = trueline_sprig::functions();
    let named = named();
    let mut wrong_ones = Vec::new();
    for name in functions.names().into_iter().filter(|name| !named.contains(name)) {
        let function = functions.id(name).and_then(|id| functions.get(id)).unwrap();
        let arguments: Vec<&str> = function.parameters.iter().map(argument).collect();
        wrong_ones.extend(wrong(name, &format!("F {}", arguments.join(" "))));
    }
    assert!(wrong_ones.is_empty(), "{wrong_ones:#?}");
}

#[test]
fn every_function_of_a_row_is_there() {
    let all: BTreeSet<&str> = trueline_sprig::functions().names().into_iter().collect();
    let gone: Vec<_> = named().difference(&all).copied().collect();
    assert!(gone.is_empty(), "not there: {gone:?}");
}

#[test]
fn slow_functions_cost_as_much_as_they_take() {
    // In steps, 28 of which equal a microsecond.
    for (call, least) in [
        ("bcrypt \"x\"", 1_000_000),
        ("htpasswd \"a\" \"b\"", 1_000_000),
        ("derivePassword 1 \"long\" \"a\" \"b\" \"c\"", 2_000_000),
    ] {
        let (function, rest) = call.split_once(' ').unwrap();
        let (steps, _) = cost(function, &format!("F {rest}"), 8, Origins::Dropped).unwrap();
        assert!(steps >= least, "{call}: {steps}");
    }
}

#[test]
fn groups_are_charged_for_each_state() {
    // Each state of a pattern records where all groups are: twice as many groups in twice as many states.
    let steps = |groups: usize| {
        let call = format!("F (repeat {groups} \"(a?)\") .text \"$1\"");
        cost("regexReplaceAll", &call, 1_000, Origins::Dropped).unwrap().0
    };
    let (small, large) = (steps(150), steps(300));
    assert!(large > 3 * small && large < 8 * small, "{small} steps, then {large}");
}

#[test]
fn a_product_is_charged_quadratically() {
    let steps = |size| cost("mulf", "F ARGS", size, Origins::Dropped).unwrap().0;
    assert!(steps(2 * SIZE) < 5 * steps(SIZE));
}
