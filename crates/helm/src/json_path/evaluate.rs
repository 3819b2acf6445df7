//! What the nodes of a template find in values, and how it is printed.

use std::cmp::Ordering;

use trueline_yaml::{Data, Value};

use super::{Node, Slice};
use crate::values::go_value;

/// More than this many things are not looked at: paths that go down everywhere multiply.
const MOST_STEPS: usize = 2_000_000;

/// Something that was found.
#[derive(Debug, Clone, Copy)]
enum Item<'a> {
    Value(&'a Value),
    Text(&'a str),
    Int(i64),
    Float(f64),
    Bool(bool),
    /// A byte of a string.
    Byte(u8),
}

static NOTHING: Value = Value { data: Data::Null, origin: None };

type Items<'a> = Vec<Item<'a>>;

/// What was found; what a failure leaves counts in filters that ask whether something exists.
type Matches<'a> = Result<Items<'a>, Items<'a>>;

/// The whole output, or nothing if a part of it cannot be found.
pub(super) fn print(nodes: &[Node], values: &Value) -> Option<String> {
    let mut evaluator = Evaluator::default();
    let mut output = Vec::new();
    evaluator.run(nodes, 0, Item::Value(values), &mut output).ok()?;
    let mut text = String::new();
    for items in output {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                text.push(' ');
            }
            text.push_str(&item.text()?);
        }
    }
    Some(text)
}

impl<'a> Item<'a> {
    fn text(self) -> Option<String> {
        Some(match self {
            Item::Value(value) => match &value.data {
                Data::Null => "null".to_owned(),
                Data::List(_) | Data::Map(_) => value.to_json_text().ok()?,
                _ => go_value(value),
            },
            Item::Text(text) => text.to_owned(),
            Item::Int(number) => number.to_string(),
            Item::Float(number) => go_value(&Value::new(Data::Float(number))),
            Item::Bool(truth) => truth.to_string(),
            Item::Byte(byte) => byte.to_string(),
        })
    }

    /// What it holds.
    fn children(self) -> Items<'a> {
        let bytes = |text: &'a str| text.bytes().map(Item::Byte).collect();
        match self {
            Item::Text(text) => bytes(text),
            Item::Value(value) => match &value.data {
                // Go's order is random.
                Data::Map(map) => map.values().map(|entry| Item::Value(&entry.value)).collect(),
                Data::List(items) => items.iter().map(Item::Value).collect(),
                Data::String(text) => bytes(text),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn is_null(self) -> bool {
        matches!(self, Item::Value(Value { data: Data::Null, .. }))
    }

    /// The order of two things of one kind; others are not compared.
    fn compare(self, other: Self) -> Option<Compared> {
        let scalar = |item: Item<'a>| match item {
            Item::Value(value) => match &value.data {
                Data::Bool(truth) => Some(Item::Bool(*truth)),
                Data::Int(number) => Some(Item::Int(*number)),
                Data::Float(number) => Some(Item::Float(*number)),
                Data::String(text) => Some(Item::Text(text)),
                _ => None,
            },
            Item::Byte(byte) => Some(Item::Int(byte.into())),
            other => Some(other),
        };
        Some(match (scalar(self)?, scalar(other)?) {
            (Item::Bool(one), Item::Bool(two)) => Compared::Equality(one == two),
            (Item::Int(one), Item::Int(two)) => Compared::Order(Some(one.cmp(&two))),
            (Item::Float(one), Item::Float(two)) => Compared::Order(one.partial_cmp(&two)),
            (Item::Text(one), Item::Text(two)) => Compared::Order(Some(one.cmp(two))),
            _ => return None,
        })
    }
}

enum Compared {
    /// Of things that have no order.
    Equality(bool),
    Order(Option<Ordering>),
}

#[derive(Default)]
struct Evaluator {
    /// `range` and `end` that were met and not yet acted upon.
    begins: usize,
    ends: usize,
    /// How many ranges are open.
    open: usize,
    last_end: Option<usize>,
    steps: usize,
}

impl Evaluator {
    /// Runs the nodes from one on; a range runs the nodes after it once for each item.
    fn run<'a>(
        &mut self,
        nodes: &'a [Node],
        start: usize,
        current: Item<'a>,
        output: &mut Vec<Items<'a>>,
    ) -> Result<(), Items<'a>> {
        let mut index = start;
        while let Some(node) = nodes.get(index) {
            let found = self.node(vec![current], node)?;
            if self.ends > 0 && self.ends <= self.open {
                self.ends -= 1;
                self.last_end = Some(index);
                break;
            }
            if self.begins > 0 {
                self.begins -= 1;
                self.open += 1;
                if found.is_empty() {
                    // What stands in the range must be right all the same, and its end has to be found.
                    self.run(nodes, index + 1, Item::Value(&NOTHING), &mut Vec::new())?;
                }
                for item in found {
                    self.run(nodes, index + 1, item, output)?;
                }
                self.open -= 1;
                index = self.last_end.filter(|end| *end > index).unwrap_or(index);
            } else {
                output.push(found);
            }
            index += 1;
        }
        Ok(())
    }

    fn node<'a>(&mut self, input: Items<'a>, node: &'a Node) -> Matches<'a> {
        self.steps = self.steps.saturating_add(input.len()).saturating_add(1);
        if self.steps > MOST_STEPS {
            return Err(Vec::new());
        }
        let constant = |item: Item<'a>| Ok(vec![item; input.len()]);
        match node {
            Node::List(nodes) => self.list(input, nodes),
            Node::Text(text) => Ok(vec![Item::Text(text)]),
            Node::Int(number) => constant(Item::Int(*number)),
            Node::Float(number) => constant(Item::Float(*number)),
            Node::Bool(truth) => constant(Item::Bool(*truth)),
            Node::Field(name) => field(&input, name),
            Node::Slice(slice) => slice.of(input),
            Node::Wildcard => Ok(input.into_iter().flat_map(Item::children).collect()),
            Node::Recursive => {
                let mut found = Vec::new();
                self.below(&input, &mut found)?;
                Ok(found)
            }
            Node::Union(lists) => {
                let mut found = Vec::new();
                for nodes in lists {
                    found.extend(self.list(input.clone(), nodes).map_err(|_| input.clone())?);
                }
                Ok(found)
            }
            Node::Filter { left, operator, right } => self.filter(input, left, operator, right),
            Node::Identifier(name) => match name.as_str() {
                "range" => {
                    self.begins += 1;
                    Ok(input)
                }
                "end" if self.open > 0 => {
                    self.ends += 1;
                    Ok(Vec::new())
                }
                "end" => Err(Vec::new()),
                _ => Err(input),
            },
        }
    }

    fn list<'a>(&mut self, input: Items<'a>, nodes: &'a [Node]) -> Matches<'a> {
        nodes.iter().try_fold(input, |current, node| self.node(current, node))
    }

    fn below<'a>(&mut self, items: &[Item<'a>], found: &mut Items<'a>) -> Result<(), Items<'a>> {
        for item in items {
            let children = item.children();
            if children.is_empty() {
                continue;
            }
            self.steps = self.steps.saturating_add(children.len());
            if self.steps > MOST_STEPS {
                return Err(Vec::new());
            }
            found.push(*item);
            self.below(&children, found)?;
        }
        Ok(())
    }

    fn filter<'a>(
        &mut self,
        input: Items<'a>,
        left: &'a [Node],
        operator: &str,
        right: &'a [Node],
    ) -> Matches<'a> {
        let mut found = Vec::new();
        for item in &input {
            let Item::Value(Value { data: Data::List(items), .. }) = item else { return Err(input) };
            for item in items.iter().map(Item::Value) {
                let lefts = self.list(vec![item], left);
                if operator == "exists" {
                    if !lefts.unwrap_or_else(|left| left).is_empty() {
                        found.push(item);
                    }
                    continue;
                }
                let lefts = lefts.map_err(|_| input.clone())?;
                let one = match lefts.as_slice() {
                    [] => continue,
                    [one] => *one,
                    _ => return Err(input),
                };
                let rights = self.list(vec![item], right).map_err(|_| input.clone())?;
                let two = match rights.as_slice() {
                    [] => continue,
                    [two] => *two,
                    _ => return Err(input),
                };
                if holds(one, operator, two).ok_or_else(|| found.clone())? {
                    found.push(item);
                }
            }
        }
        Ok(found)
    }
}

/// Whether a comparison holds; nothing where the two cannot be compared so.
fn holds(one: Item<'_>, operator: &str, two: Item<'_>) -> Option<bool> {
    let compared = one.compare(two)?;
    let order = match compared {
        Compared::Equality(equal) => {
            return match operator {
                "==" => Some(equal),
                "!=" => Some(!equal),
                _ => None,
            };
        }
        Compared::Order(order) => order,
    };
    Some(match operator {
        "==" => order == Some(Ordering::Equal),
        "!=" => order != Some(Ordering::Equal),
        "<" => order == Some(Ordering::Less),
        "<=" => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        ">" => !matches!(order, Some(Ordering::Less | Ordering::Equal)),
        ">=" => order != Some(Ordering::Less),
        _ => return None,
    })
}

fn field<'a>(input: &[Item<'a>], name: &str) -> Matches<'a> {
    let found: Items<'a> = input
        .iter()
        .filter_map(|item| match item {
            Item::Value(value) => value.get(name).map(Item::Value),
            _ => None,
        })
        .collect();
    if found.is_empty() && !input.is_empty() { Err(found) } else { Ok(found) }
}

impl Slice {
    fn of<'a>(self, input: Items<'a>) -> Matches<'a> {
        let mut found = Vec::new();
        for item in &input {
            if item.is_null() {
                continue;
            }
            let Item::Value(Value { data: Data::List(items), .. }) = item else { return Err(input) };
            let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
            let mut start = self.start.unwrap_or(0);
            if start < 0 {
                start = start.saturating_add(length);
            }
            let mut end = self.end.unwrap_or(length);
            if end < 0 || end == 0 && self.is_single {
                end = end.saturating_add(length);
            }
            if start == end {
                return Ok(found);
            }
            let step = self.step.unwrap_or(1);
            if !(0..length).contains(&start) || !(0..=length).contains(&end) || start > end || step <= 0 {
                return Err(input);
            }
            let whole = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
            let part = items.get(whole(start)..whole(end)).unwrap_or_default();
            found.extend(part.iter().step_by(whole(step)).map(Item::Value));
        }
        Ok(found)
    }
}
