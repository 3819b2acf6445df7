//! CEL from the text to the result: no panic, the same result each time, and a limit that ends what costs more.

use std::sync::{Arc, LazyLock};

use trueline_cel::cost;
use trueline_cel::env::Env;
use trueline_cel::function::NoSizes;
use trueline_cel::program::{End, Program};
use trueline_cel::shape::{FieldShape, ListKind, ListShape, ObjectShape, OtherFields, Shape};
use trueline_cel::syntax;
use trueline_cel::types::Type;
use trueline_cel::value::{Value, read};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "cel_eval",
    run,
    seeds: &[
        "self.items.all(x, has(x.name) && x.name.matches('^[a-z]+$')) ? -1 : size(self.items) + 2 * 3",
        "any.?spec[?'x'].orValue({'k': [1, ?any.?y]}).size() == 1 || optional.of(2).optMap(v, v + 1).hasValue()",
        "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, [k].map(x, x + 'y')) == {'b': ['by']}",
        "timestamp('2024-02-29T12:00:00+02:00') - duration('1h') > timestamp(0) && int('12') / 5 == 2u",
        "self.items.map(i, i.port).sum() + [3, 1, 2].sort()[0] + '%d-%s'.format([1, [2.5, b'x']]).size()",
        "quantity('1Ki').add(1).isGreaterThan(quantity('1k')) && cidr('10.0.0.0/8').containsIP(ip('10.1.2.3'))",
        "url('https://a:8/b?c=d').getPort() + 'a,b'.split(',', 1)[0].replace('a', 'b').upperAscii()",
        "[[1]].map(l, l + l).map(l, l + l).exists(l, l == l) && !(any.items in [1, 'a']) && type(any) == map",
        "semver('1.2.3').isLessThan(semver('1.3.0')) && sets.contains([1, 2.0], [2u]) && format.uuid().hasValue()",
    ],
};

/// What one expression may cost here.
const LIMIT: u64 = 20_000;

/// Environments with an object whose fields are known and one of which nothing is known, and the values of both.
static READY: LazyLock<(Vec<Env>, [Option<Value>; 2])> = LazyLock::new(|| {
    let field = |name: &str, shape: Shape| (Arc::from(name), FieldShape { key: name.into(), shape });
    let object = |name: &str, fields: Vec<(Arc<str>, FieldShape)>| {
        Shape::Object(Arc::new(ObjectShape {
            name: name.into(),
            fields: fields.into_iter().collect(),
            others: OtherFields::None,
        }))
    };
    let item = object("item", vec![field("name", Shape::String), field("port", Shape::Int)]);
    let list = ListShape { item, kind: ListKind::Keyed(vec!["name".into()]) };
    let this = object("this", vec![field("items", Shape::List(Arc::new(list)))]);
    let text = r#"{"items": [{"name": "web", "port": 80}, {"name": "dns", "port": 53}], "spec": {"x": 1.5}}"#;
    let document = trueline_yaml::Value::from_json_text(text).expect("valid JSON");
    let values = [Some(read(&document, &this)), Some(read(&document, &Shape::Dyn))];
    let environments = [27, 29, 34].map(|minor| {
        let mut env = trueline_kube_cel::environment(minor);
        env.add_variable("self", this.declared());
        env.add_variable("any", Type::Dyn);
        env
    });
    (environments.into(), values)
});

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (environments, values) = &*READY;
    for env in environments {
        if let Ok(ast) = syntax::parse(&text, &env.syntax)
            && let Ok(program) = Program::unchecked(env, &ast)
        {
            let _ = program.run(values, LIMIT);
        }
        let checked = match env.compile(&text) {
            Ok(checked) => checked,
            Err(issues) => {
                assert!(!issues.is_empty());
                continue;
            }
        };
        let estimate = cost::estimate(&checked, &NoSizes);
        assert!(estimate.min <= estimate.max, "{estimate:?}");
        let Ok(program) = Program::new(env, &checked) else { continue };
        let outcome = program.run(values, LIMIT);
        let again = program.run(values, outcome.cost);
        match outcome.end {
            End::LimitExceeded => assert!(outcome.cost > LIMIT),
            End::Done => {
                assert_eq!(again.end, End::Done);
                assert_eq!(again.cost, outcome.cost);
                match (outcome.result, again.result) {
                    (Ok(left), Ok(right)) => assert_eq!(left.to_string(), right.to_string()),
                    (Err(left), Err(right)) => assert_eq!(left.to_string(), right.to_string()),
                    (left, right) => panic!("{left:?} is not {right:?}"),
                }
            }
        }
    }
}
