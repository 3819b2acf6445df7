//! Lists. None is changed in place: the functions return new lists.

use std::collections::BTreeSet;

use trueline_gotemplate::{Context, Data, Element, Error, Function, IntKind, List, Type, Uses, Value};

use crate::argument::{any, integer, items_or, rest};
use crate::cast::to_int;
use crate::defaults::is_empty;
use crate::define::{fixed, variadic};
use crate::equal::deep_equal;

const LIST: &[Type] = &[Type::Any];
const LIST_ITEM: &[Type] = &[Type::Any, Type::Any];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    variadic("list", LIST, list, "VALUE…", "A list with the values.").with(Uses::List),
    variadic("tuple", LIST, list, "VALUE…", "An older name of `list`.").with(Uses::List),
    fixed("first", LIST, first, "LIST", "The first item, or nil if there is none.").with(Uses::First),
    fixed("mustFirst", LIST, first, "LIST", "Like `first`.").with(Uses::First),
    fixed("last", LIST, last, "LIST", "The last item, or nil if there is none.").with(Uses::Item),
    fixed("mustLast", LIST, last, "LIST", "Like `last`.").with(Uses::Item),
    fixed("rest", LIST, rest_of, "LIST", "All items except the first.").with(Uses::Items),
    fixed("mustRest", LIST, rest_of, "LIST", "Like `rest`.").with(Uses::Items),
    fixed("initial", LIST, initial, "LIST", "All items except the last.").with(Uses::Items),
    fixed("mustInitial", LIST, initial, "LIST", "Like `initial`.").with(Uses::Items),
    fixed("append", LIST_ITEM, append, "LIST ITEM", "The list with the item added at its end.")
        .with(Uses::Appended),
    fixed("push", LIST_ITEM, append, "LIST ITEM", "Like `append`.").with(Uses::Appended),
    fixed("mustAppend", LIST_ITEM, append, "LIST ITEM", "Like `append`.").with(Uses::Appended),
    fixed("mustPush", LIST_ITEM, append, "LIST ITEM", "Like `append`.").with(Uses::Appended),
    fixed("prepend", LIST_ITEM, prepend, "LIST ITEM", "The list with the item added at its start.")
        .with(Uses::Appended),
    fixed("mustPrepend", LIST_ITEM, prepend, "LIST ITEM", "Like `prepend`.").with(Uses::Appended),
    variadic("concat", LIST, concat, "LIST…", "A list with the items of all lists.").with(Uses::Concatenated),
    fixed("reverse", LIST, reverse, "LIST", "The items in reverse order.").with(Uses::Reversed),
    fixed("mustReverse", LIST, reverse, "LIST", "Like `reverse`.").with(Uses::Reversed),
    fixed("uniq", LIST, uniq, "LIST", "The items without duplicates; the first of each is kept.")
        .with(Uses::Items),
    fixed("mustUniq", LIST, uniq, "LIST", "Like `uniq`.").with(Uses::Items),
    fixed("compact", LIST, compact, "LIST", "The non-empty items.").with(Uses::Items),
    fixed("mustCompact", LIST, compact, "LIST", "Like `compact`.").with(Uses::Items),
    variadic("without", LIST_ITEM, without, "LIST ITEM…", "The list without these items.").with(Uses::Items),
    variadic("mustWithout", LIST_ITEM, without, "LIST ITEM…", "Like `without`.").with(Uses::Items),
    fixed("has", LIST_ITEM, has, "ITEM LIST", "Whether the list contains the item, with the same type.")
        .with(Uses::Asked),
    fixed("mustHas", LIST_ITEM, has, "ITEM LIST", "Like `has`.").with(Uses::Asked),
    variadic(
        "slice",
        LIST_ITEM,
        slice,
        "LIST [START [END]]",
        "The items from the start up to, but not including, the end.",
    )
    .with(Uses::Items),
    variadic("mustSlice", LIST_ITEM, slice, "LIST [START [END]]", "Like `slice`.").with(Uses::Items),
    fixed("chunk", &[Type::INT, Type::Any], chunk, "SIZE LIST", "The items split into lists of this size.")
        .with(Uses::Chunks),
    fixed("mustChunk", &[Type::INT, Type::Any], chunk, "SIZE LIST", "Like `chunk`.").with(Uses::Chunks),
];

fn list(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::list(arguments.to_vec()))
}

fn first(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 0);
    Ok(items_or(&list, "Cannot find first on type")?.first().cloned().unwrap_or_default())
}

fn last(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 0);
    Ok(items_or(&list, "Cannot find last on type")?.last().cloned().unwrap_or_default())
}

fn rest_of(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 0);
    let items = items_or(&list, "Cannot find rest on type")?;
    made_or_nil(context, items.split_first().map(|(_, rest)| rest))
}

fn initial(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 0);
    let items = items_or(&list, "Cannot find initial on type")?;
    made_or_nil(context, items.split_last().map(|(_, rest)| rest))
}

/// A list with these items; Go's nil slice if there were none to start with.
fn made_or_nil(context: &mut dyn Context, items: Option<&[Value]>) -> Result<Value, Error> {
    match items {
        Some(items) => made(context, items.to_vec()),
        None => Ok(Value::from(List::nil(Element::Any))),
    }
}

/// A new list; its items are charged.
fn made(context: &mut dyn Context, items: Vec<Value>) -> Result<Value, Error> {
    context.spend(items.len() as u64)?;
    Ok(Value::list(items))
}

fn append(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 0);
    let items = items_or(&list, "Cannot push on type")?;
    made(context, items.iter().cloned().chain([any(arguments, 1)]).collect())
}

fn prepend(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 0);
    let items = items_or(&list, "Cannot prepend on type")?;
    made(context, std::iter::once(any(arguments, 1)).chain(items.iter().cloned()).collect())
}

fn concat(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let mut all = Vec::new();
    for list in arguments {
        let items = items_or(list, "Cannot concat type").map_err(|error| {
            if list.is_nil() { error } else { Error::new(format!("{} as list", error.words)) }
        })?;
        context.spend(items.len() as u64)?;
        all.extend_from_slice(&items);
    }
    if all.is_empty() {
        return Ok(Value::from(List::nil(Element::Any)));
    }
    Ok(Value::list(all))
}

fn reverse(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 0);
    made(context, items_or(&list, "Cannot find reverse on type")?.iter().rev().cloned().collect())
}

fn uniq(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 0);
    let items = items_or(&list, "Cannot find uniq on type")?;
    let mut kept: Vec<Value> = Vec::new();
    let mut seen = BTreeSet::new();
    // A value without a key is compared with all others without one.
    let mut odd: Vec<Value> = Vec::new();
    for item in items.iter() {
        let is_new = match key(item) {
            Some(key) => {
                context.spend(8 + item.as_str().map_or(0, |text| text.len() as u64 / 16))?;
                seen.insert(key)
            }
            None => {
                let is_new = !is_among(context, &odd, item)?;
                odd.extend(is_new.then(|| item.clone()));
                is_new
            }
        };
        kept.extend(is_new.then(|| item.clone()));
    }
    Ok(Value::list(kept))
}

/// A key that two values share exactly if they are equal: their type and content.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'v> {
    Bool(bool),
    Int(IntKind, i64),
    Text(&'v [u8]),
}

fn key(value: &Value) -> Option<Key<'_>> {
    match &value.data {
        Data::Bool(value) => Some(Key::Bool(*value)),
        Data::Int(kind, value) => Some(Key::Int(*kind, *value)),
        Data::String(text) => Some(Key::Text(text.as_bytes())),
        _ => None,
    }
}

fn is_among(context: &mut dyn Context, items: &[Value], wanted: &Value) -> Result<bool, Error> {
    context.spend(items.len() as u64)?;
    for item in items {
        if deep_equal(context, wanted, item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn compact(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 0);
    let items = items_or(&list, "Cannot compact on type")?;
    made(context, items.iter().filter(|item| !is_empty(item)).cloned().collect())
}

fn without(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 0);
    let others = rest(arguments, 1);
    let known: BTreeSet<Key<'_>> = others.iter().filter_map(key).collect();
    let odd: Vec<Value> = others.iter().filter(|other| key(other).is_none()).cloned().collect();
    let mut kept = Vec::new();
    for item in items_or(&list, "Cannot find without on type")?.iter() {
        context.spend(8)?;
        let is_among = match key(item) {
            Some(key) => known.contains(&key),
            None => is_among(context, &odd, item)?,
        };
        kept.extend((!is_among).then(|| item.clone()));
    }
    Ok(Value::list(kept))
}

fn has(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 1);
    if list.is_nil() {
        return Ok(Value::from(false));
    }
    let items = items_or(&list, "Cannot find has on type")?;
    Ok(Value::from(is_among(context, &items, &any(arguments, 0))?))
}

fn slice(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let list = any(arguments, 0);
    let items = items_or(&list, "list should be type of slice or array but")?;
    if items.is_empty() {
        return Ok(Value::nil());
    }
    let start = arguments.get(1).map_or(0, to_int);
    let end = arguments.get(2).map_or(items.len() as i64, to_int);
    let range =
        usize::try_from(start).ok().zip(usize::try_from(end).ok()).filter(|(start, end)| start <= end);
    let Some(part) = range.and_then(|(start, end)| items.get(start..end)) else {
        return Err(Error::new("reflect.Value.Slice: slice index out of bounds"));
    };
    context.spend(part.len() as u64)?;
    Ok(match &list.data {
        Data::List(list) => Value::from(List::new(list.element(), part.to_vec())),
        Data::Bytes(bytes) => {
            let start = usize::try_from(start).unwrap_or(0);
            Value::new(Data::Bytes(bytes.get(start..start + part.len()).unwrap_or_default().into()))
        }
        _ => Value::list(part.to_vec()),
    })
}

/// The counts are computed with floats, as in the original, which determines the behaviour for sizes of zero
/// and below.
fn chunk(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let too_long = || Error::new("runtime error: makeslice: len out of range");
    let list = any(arguments, 1);
    let items = items_or(&list, "Cannot chunk type")?;
    context.spend(items.len() as u64)?;
    let size = integer(arguments, 0) as f64;
    let count = ((items.len() as f64 - 1.0) / size).floor() + 1.0;
    if !(0.0..=items.len() as f64 + 2.0).contains(&count) {
        return Err(too_long());
    }
    let mut chunks = Vec::new();
    let mut position = 0;
    for number in 1..=count as usize {
        let left = (items.len() as f64 % size).floor();
        let length = if number == count as usize && left != 0.0 { left } else { size };
        if length < 0.0 {
            return Err(too_long());
        }
        let end = position + length as usize;
        let Some(chunk) = items.get(position..end) else {
            return Err(Error::new("reflect: slice index out of range"));
        };
        chunks.push(Value::list(chunk.to_vec()));
        position = end;
    }
    Ok(Value::from(List::new(Element::AnyList, chunks)))
}

#[cfg(test)]
mod tests {
    use crate::test_context::check;

    #[test]
    fn functions_return_what_sprig_returns() {
        check(&[
            (r#"list 1 "x" nil"#, r#"[]interface {} [1,"x",null]"#),
            ("tuple", "[]interface {} []"),
            ("first (list 1 2)", "int 1"),
            ("first (list)", "<nil> null"),
            (r#"first "x""#, "! Cannot find first on type string"),
            ("first nil", "! runtime error: invalid memory address or nil pointer dereference"),
            ("last (until 3)", "int 2"),
            ("last (dict)", "! Cannot find last on type map"),
            ("rest (list 1 2 3)", "[]interface {} [2,3]"),
            ("rest (list 1)", "[]interface {} []"),
            ("rest (list)", "[]interface {} null"),
            ("rest 1", "! Cannot find rest on type int"),
            ("initial (list 1 2 3)", "[]interface {} [1,2]"),
            ("initial (list)", "[]interface {} null"),
            (r#"initial """#, "! Cannot find initial on type string"),
            ("append (list 1) 2", "[]interface {} [1,2]"),
            (r#"push (splitList "," "a") 1"#, r#"[]interface {} ["a",1]"#),
            ("append nil 1", "! runtime error: invalid memory address or nil pointer dereference"),
            (r#"append "x" 1"#, "! Cannot push on type string"),
            ("prepend (list 1) 0", "[]interface {} [0,1]"),
            ("prepend true 1", "! Cannot prepend on type bool"),
            ("concat (list 1) (until 2) (list)", "[]interface {} [1,0,1]"),
            ("concat", "[]interface {} null"),
            ("concat (list)", "[]interface {} null"),
            ("concat 1", "! Cannot concat type int as list"),
            ("concat nil", "! runtime error: invalid memory address or nil pointer dereference"),
            ("reverse (list 1 2 3)", "[]interface {} [3,2,1]"),
            ("reverse 1", "! Cannot find reverse on type int"),
            (r#"uniq (list 1 1.0 "1" 1 nil nil (list 1) (list 1))"#, r#"[]interface {} [1,1,"1",null,[1]]"#),
            ("uniq 1", "! Cannot find uniq on type int"),
            (r#"compact (list 0 1 "" "x" nil false (list) (dict))"#, r#"[]interface {} [1,"x"]"#),
            (r#"compact "x""#, "! Cannot compact on type string"),
            ("without (list 1 2 3 1) 1 3", "[]interface {} [2]"),
            ("without (list 1)", "[]interface {} [1]"),
            ("without 1 2", "! Cannot find without on type int"),
            ("has 1 (list 1)", "bool true"),
            ("has 1 (list 1.0)", "bool false"),
            ("has 1 nil", "bool false"),
            (r#"has 1 "x""#, "! Cannot find has on type string"),
            ("has nil (list nil)", "bool true"),
            ("slice (list 1 2 3 4) 1 3", "[]interface {} [2,3]"),
            ("slice (list 1 2 3) 1", "[]interface {} [2,3]"),
            ("slice (list 1 2 3)", "[]interface {} [1,2,3]"),
            ("slice (list)", "<nil> null"),
            ("slice (list 1) 2", "! reflect.Value.Slice: slice index out of bounds"),
            ("slice (list 1 2) 1 0", "! reflect.Value.Slice: slice index out of bounds"),
            (r#"slice (splitList "," "a,b") 1"#, r#"[]string ["b"]"#),
            (r#"slice "x" 1"#, "! list should be type of slice or array but string"),
            ("chunk 2 (list 1 2 3)", "[][]interface {} [[1,2],[3]]"),
            ("chunk 2 (list)", "[][]interface {} []"),
            ("chunk 0 (list 1)", "! runtime error: makeslice: len out of range"),
            ("chunk -2 (list 1)", "[][]interface {} [[1]]"),
            ("chunk -2 (list 1 2 3)", "[][]interface {} []"),
            ("chunk -1 (list 1)", "! runtime error: makeslice: len out of range"),
            ("chunk -1 (list)", "! runtime error: makeslice: len out of range"),
            (r#"chunk 1 "x""#, "! Cannot chunk type string"),
        ]);
    }
}
