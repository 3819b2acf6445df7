//! What is wrong with an expression, and why it has no value, in plain words.

use trueline_cel::function::FaultKind;
use trueline_cel::shape::ObjectShape;
use trueline_cel::syntax::{Issue, IssueKind, LimitIssue, LiteralIssue, MacroIssue, SyntaxIssue, names};
use trueline_cel::types::Type;

use crate::budget::PER_CALL;

/// What is wrong with an expression.
pub fn plain(kind: &IssueKind) -> String {
    match kind {
        IssueKind::Syntax(issue) => plain_syntax(issue),
        IssueKind::Limit(issue) => plain_limit(*issue),
        IssueKind::Reserved(name) => format!("`{name}` is a reserved word"),
        IssueKind::QuotedField => "field names in backquotes are not supported".to_owned(),
        IssueKind::Unsupported(syntax) => {
            format!("`{syntax}` is not supported by this version of Kubernetes")
        }
        IssueKind::Literal(issue) => match issue {
            LiteralIssue::Int | LiteralIssue::UInt => "this integer is out of range".to_owned(),
            LiteralIssue::Double => "this number is out of range".to_owned(),
            LiteralIssue::Escape(_) => "this string has an invalid escape sequence".to_owned(),
        },
        IssueKind::Macro(issue) => match issue {
            MacroIssue::Has => "the argument of `has` must be a field, such as `self.name`".to_owned(),
            MacroIssue::Variable(_) => "expected the name of a variable".to_owned(),
            MacroIssue::Accumulator => "this name is reserved and cannot be used for a variable".to_owned(),
            MacroIssue::Duplicate(name) => format!("both variables are named `{name}`"),
            MacroIssue::SortBy => "`sortBy` cannot be called on this expression".to_owned(),
        },
        IssueKind::Undeclared { name, .. } => format!("`{name}` is not defined"),
        IssueKind::UndefinedField(field) => format!("no field `{field}` is declared"),
        IssueKind::NoFields(found) => format!("{} has no fields", type_words(found)),
        IssueKind::NotIterable(found) => format!("expected a list or a map, found {}", type_words(found)),
        IssueKind::Mismatch { expected, found } => {
            let [expected, found] = both(expected, found);
            format!("expected {expected}, found {found}")
        }
        IssueKind::FieldMismatch { field, expected: None, .. } => {
            format!("the field `{field}` cannot be set")
        }
        IssueKind::FieldMismatch { field, expected: Some(expected), found } => {
            let [expected, found] = both(expected, found);
            format!("the field `{field}` takes {expected}, not {found}")
        }
        IssueKind::NoOverload { function, receiver, arguments } => {
            no_overload(function, receiver.as_ref(), arguments)
        }
        IssueKind::NotMessage(found) => format!("`{}` cannot be written with braces", found.runtime_name()),
        IssueKind::NotType(_) => "this is a value, not a type".to_owned(),
        IssueKind::LiteralArgument(function) => match *function {
            "matches" => "this is not a valid regular expression".to_owned(),
            function => format!("this is not a valid {function}"),
        },
        IssueKind::Format(words) | IssueKind::Internal(words) => words.clone(),
    }
}

/// The issues without those that follow from a syntax error: the parser goes on after it by guessing.
pub fn without_consequences(issues: Vec<Issue>) -> impl Iterator<Item = Issue> {
    let mut is_over = false;
    issues.into_iter().take_while(move |issue| {
        let was_over = is_over;
        is_over |= matches!(issue.kind, IssueKind::Syntax(_));
        !was_over
    })
}

/// What is wrong with an expression that gives another type than one of those that it should.
pub fn plain_result(wanted: &[Type], found: &Type) -> String {
    // Null says that there may be nothing; what is not known before an expression runs is no expectation.
    let wanted = wanted.iter().filter(|wanted| !matches!(wanted, Type::Null | Type::Any));
    let wanted: Vec<String> = wanted.map(type_words).collect();
    format!("expected {}, found {}", wanted.join(" or "), type_words(found))
}

/// The reserved word that is written in the place of a field.
pub fn reserved_field(issue: &SyntaxIssue) -> Option<&str> {
    let word = match issue {
        SyntaxIssue::NoAlternative { found: Some(found), token: Some(token) } => {
            let is_field = found.strip_suffix(token.as_str()).is_some_and(|before| before.ends_with('.'));
            is_field.then_some(token)?
        }
        SyntaxIssue::Mismatched { found: Some(found), expected } if expected == "IDENTIFIER" => found,
        _ => return None,
    };
    names::is_reserved(word).then_some(word)
}

fn plain_syntax(issue: &SyntaxIssue) -> String {
    if let Some(word) = reserved_field(issue) {
        return format!("`{word}` is a reserved word");
    }
    match issue {
        SyntaxIssue::NoAlternative { token: found, .. }
        | SyntaxIssue::Mismatched { found, .. }
        | SyntaxIssue::Extraneous { found, .. } => match found {
            Some(found) => format!("unexpected `{found}`"),
            None => "the expression ends too early".to_owned(),
        },
        SyntaxIssue::Missing { found, .. } => match found {
            Some(found) => format!("something is missing before `{found}`"),
            None => "the expression ends too early".to_owned(),
        },
        SyntaxIssue::Unreadable(found) if found.starts_with(['"', '\'']) => {
            let last_two: String = found.chars().rev().take(2).collect();
            match last_two.ends_with('\\') {
                true => "this string has an invalid escape sequence".to_owned(),
                false => "this string has no closing quote".to_owned(),
            }
        }
        SyntaxIssue::Unreadable(found) => format!("unexpected `{found}`"),
        SyntaxIssue::Recoveries(_) => "the expression has too many syntax errors".to_owned(),
    }
}

fn plain_limit(issue: LimitIssue) -> String {
    match issue {
        LimitIssue::Length { length, most } => {
            let [length, most] = [length, most].map(|count| grouped(count as u64));
            format!("the expression is {length} characters long; the limit is {most}")
        }
        LimitIssue::Bytes => "the expression is too long".to_owned(),
        LimitIssue::Nesting(_) | LimitIssue::Levels => "the expression is nested too deeply".to_owned(),
        LimitIssue::Skipped(_) | LimitIssue::Errors(_) => {
            "the expression has too many syntax errors".to_owned()
        }
        LimitIssue::Macros => "the expression is too large after its macros are expanded".to_owned(),
    }
}

/// Why an expression has no value.
pub fn plain_fault(kind: &FaultKind) -> String {
    match kind {
        FaultKind::MissingKey(key) => format!("`{key}` is not set"),
        FaultKind::NoOverload(_) => "an operator or function does not take values of these types".to_owned(),
        FaultKind::CostLimit => format!("it costs more than {} units", grouped(PER_CALL)),
        FaultKind::Crash(words) | FaultKind::Other(words) => words.to_string(),
    }
}

/// A number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn no_overload(function: &str, receiver: Option<&Type>, arguments: &[Type]) -> String {
    match (function, arguments) {
        (names::INDEX | names::OPTIONAL_INDEX, [of, by]) => {
            return format!("{} cannot be indexed with {}", type_words(of), type_words(by));
        }
        (names::CONDITIONAL, [Type::Bool | Type::Dyn, yes, no]) => {
            let [yes, no] = both(yes, no);
            return format!("the results of `? :` have different types: {yes} and {no}");
        }
        (names::CONDITIONAL, [condition, ..]) => {
            return format!("expected a boolean, found {}", type_words(condition));
        }
        (names::SORT_BY_KEYS, [.., keys]) => {
            return format!("`sortBy` cannot sort by {}", type_words(keys));
        }
        _ => {}
    }
    match (names::operator_text(function), receiver, arguments) {
        (Some(operator), _, [left, right]) => {
            let [left, right] = both(left, right);
            format!("`{operator}` does not take {left} and {right}")
        }
        (Some(operator), _, arguments) => format!("`{operator}` does not take {}", listed(arguments)),
        (None, None, arguments) => format!("no function `{function}` takes {}", listed(arguments)),
        (None, Some(receiver), []) => {
            format!("no function `{function}` can be called on {}", type_words(receiver))
        }
        (None, Some(receiver), arguments) => {
            let receiver = type_words(receiver);
            format!("no function `{function}` can be called on {receiver} with {}", listed(arguments))
        }
    }
}

fn listed(types: &[Type]) -> String {
    let words: Vec<String> = types.iter().map(type_words).collect();
    match words.split_last() {
        None => "no arguments".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

/// Two different types, in words that differ too.
fn both(left: &Type, right: &Type) -> [String; 2] {
    let words = [left, right].map(type_words);
    if words[0] != words[1] {
        return words;
    }
    let [left, right] = words;
    [left, format!("{right} of another type")]
}

fn type_words(of: &Type) -> String {
    match of {
        Type::Dyn | Type::Any | Type::Param(_) | Type::Variable(_) => "a value of any type".to_owned(),
        Type::Error => "an invalid expression".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Bool => "a boolean".to_owned(),
        Type::Int => "an integer".to_owned(),
        Type::UInt => "an unsigned integer".to_owned(),
        Type::Double => "a number".to_owned(),
        Type::String => "a string".to_owned(),
        Type::Bytes => "bytes".to_owned(),
        Type::Duration => "a duration".to_owned(),
        Type::Timestamp => "a timestamp".to_owned(),
        Type::List(item) => match several(item) {
            _ if matches!(&**item, Type::Object(shape) if is_written(shape)) => {
                format!("a list of {}", type_words(item))
            }
            Some(items) => format!("a list of {items}"),
            None => "a list".to_owned(),
        },
        Type::Map(_, value) => match several(value) {
            Some(values) => format!("a map of {values}"),
            None => "a map".to_owned(),
        },
        Type::Optional(value) => match several(value) {
            Some(_) => format!("an optional that may hold {}", type_words(value)),
            None => "an optional".to_owned(),
        },
        Type::Wrapper(inner) => format!("{} or null", type_words(inner)),
        Type::Type(_) => "a type".to_owned(),
        Type::Object(shape) if is_written(shape) => format!("`{}{{…}}`", shape.name),
        Type::Object(_) => "an object".to_owned(),
        Type::Opaque(opaque) => format!("`{}`", opaque.name),
    }
}

/// Whether expressions write objects of a type down, by its name.
fn is_written(shape: &ObjectShape) -> bool {
    matches!(&*shape.name, "Object" | "JSONPatch")
}

/// Several values of a type, if there is a word for them.
fn several(of: &Type) -> Option<&'static str> {
    Some(match of {
        Type::Bool => "booleans",
        Type::Int => "integers",
        Type::UInt => "unsigned integers",
        Type::Double => "numbers",
        Type::String => "strings",
        Type::Bytes => "bytes",
        Type::Duration => "durations",
        Type::Timestamp => "timestamps",
        Type::List(_) => "lists",
        Type::Map(..) => "maps",
        Type::Object(_) => "objects",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use trueline_cel::env::Env;
    use trueline_cel::types::Type;

    use super::{grouped, plain, plain_fault};

    fn issue(text: &str) -> String {
        let mut env = Env::new();
        env.add_variable("n", Type::Int);
        env.add_variable("s", Type::String);
        env.add_variable("names", Type::list(Type::String));
        env.add_variable("anything", Type::Dyn);
        let issues = match env.compile(text) {
            Ok(_) => return "no issue".to_owned(),
            Err(issues) => issues,
        };
        issues.first().map(|issue| plain(&issue.kind)).unwrap_or_default()
    }

    #[test]
    fn issues_are_reported_in_plain_words() {
        let rows = [
            ("x", "`x` is not defined"),
            ("timestamp('x').zz", "a timestamp has no fields"),
            ("n == s", "`==` does not take an integer and a string"),
            ("n in names", "`in` does not take an integer and a list of strings"),
            ("names[s]", "a list of strings cannot be indexed with a string"),
            ("true ? 1 : s", "the results of `? :` have different types: an integer and a string"),
            ("-s", "`-` does not take a string"),
            ("!n", "`!` does not take an integer"),
            ("n ? 1 : 2", "expected a boolean, found an integer"),
            ("n && true", "expected a boolean, found an integer"),
            ("size(n)", "no function `size` takes an integer"),
            ("s.size(n)", "no function `size` can be called on a string with an integer"),
            ("names.contains(s)", "no function `contains` can be called on a list of strings with a string"),
            ("n.size()", "no function `size` can be called on an integer"),
            ("n.all(x, true)", "expected a list or a map, found an integer"),
            ("names.all(x.y, true)", "expected the name of a variable"),
            ("has(n)", "the argument of `has` must be a field, such as `self.name`"),
            ("namespace == s", "`namespace` is a reserved word"),
            ("anything.in == 1", "`in` is a reserved word"),
            ("anything.true == 1", "`true` is a reserved word"),
            ("anything.1", "unexpected `.1`"),
            ("n ==", "the expression ends too early"),
            ("(n", "the expression ends too early"),
            ("n == 1)", "unexpected `)`"),
            ("n + * 2", "unexpected `*`"),
            ("n # 2", "unexpected `#`"),
            ("s == 'a", "this string has no closing quote"),
            ("99999999999999999999", "this integer is out of range"),
            ("'a\\q'", "this string has an invalid escape sequence"),
            ("s.`a` == 1", "field names in backquotes are not supported"),
            ("int{}", "`int` cannot be written with braces"),
            ("n{}", "this is a value, not a type"),
        ];
        for (text, expected) in rows {
            assert_eq!(issue(text), expected, "{text}");
        }
    }

    #[test]
    fn faults_are_reported_in_plain_words() {
        use trueline_cel::program::Program;
        let mut env = Env::new();
        env.add_variable("anything", Type::Dyn);
        let rows = [
            ("{'a': 1}['b']", "`b` is not set"),
            ("dyn(1) + dyn('a')", "an operator or function does not take values of these types"),
            ("[1][2]", "index out of bounds: 2"),
        ];
        for (text, expected) in rows {
            let program = Program::new(&env, &env.compile(text).unwrap()).unwrap();
            let fault = program.run(&[None], 1_000).result.unwrap_err();
            assert_eq!(plain_fault(&fault.kind), expected, "{text}");
        }
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([1, 999, 1_000, 10_000_000].map(grouped), ["1", "999", "1,000", "10,000,000"]);
    }
}
