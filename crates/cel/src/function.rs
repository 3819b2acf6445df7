//! Functions: what they take and give, what they do, and what they cost. One declaration holds all of it, so a function
//! is written in one place.

use std::sync::Arc;

use crate::types::Type;
use crate::value::Value;

pub use crate::fault::{Fault, FaultKind};
pub use crate::size::{STRING_TRAVERSAL, Size, by_factor};

/// A function with everything it can be called with.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name; operators have cel-go's names, such as `_+_`.
    pub name: &'static str,
    /// The ways to call it.
    pub overloads: Vec<Overload>,
    /// What all overloads do, where none of them says what it does by itself. Such a function gets arguments of any type
    /// and reports those it cannot take.
    pub singleton: Option<Run>,
    /// What a call costs for which the checker found several overloads, because it does not know the types of the
    /// arguments.
    pub unresolved: Actual,
    /// Which argument is a regular expression, counted from the receiver. If it is known when a program is built, it has to
    /// be one that can be read.
    pub pattern: Option<usize>,
}

impl Function {
    /// A function whose overloads say what they do.
    pub fn new(name: &'static str, overloads: Vec<Overload>) -> Self {
        Function { name, overloads, singleton: None, unresolved: Actual::Fixed(1), pattern: None }
    }

    /// A function that does the same for all its overloads, which have no `run` of their own.
    pub fn with_singleton(name: &'static str, overloads: Vec<Overload>, run: Run) -> Self {
        Function { name, overloads, singleton: Some(run), unresolved: Actual::Fixed(1), pattern: None }
    }

    /// The same with a regular expression as this argument, counted from the receiver.
    #[must_use]
    pub fn with_pattern(mut self, index: usize) -> Self {
        self.pattern = Some(index);
        self
    }

    /// The same with this cost for all its overloads, and for calls whose overload is not known.
    #[must_use]
    pub fn costing(mut self, cost: Cost) -> Self {
        for overload in &mut self.overloads {
            overload.cost = cost;
        }
        self.unresolved = cost.actual;
        self
    }
}

/// One way to call a function.
#[derive(Debug, Clone)]
pub struct Overload {
    /// Its name in cel-go, such as `add_int64`.
    pub id: &'static str,
    /// Whether the first parameter is the receiver.
    pub style: Style,
    /// What it takes, the receiver first.
    pub params: Vec<Type>,
    /// What it gives.
    pub result: Type,
    /// What it does. The arguments have the declared types when it is called; what lists, maps and optionals hold is
    /// not looked at before. Nothing if the function has a singleton, or if the overload can only be type-checked.
    pub run: Option<Run>,
    /// What it costs, where that is not the one unit of any call.
    pub cost: Cost,
    /// Whether arguments after one that fails are evaluated.
    pub binding: Binding,
}

impl Overload {
    /// `function(a, b)`
    pub fn global(id: &'static str, params: Vec<Type>, result: Type, run: Run) -> Self {
        Overload {
            id,
            style: Style::Global,
            params,
            result,
            run: Some(run),
            cost: Cost::UNIT,
            binding: Binding::Fixed,
        }
    }

    /// `a.function(b)`
    pub fn member(id: &'static str, params: Vec<Type>, result: Type, run: Run) -> Self {
        Overload {
            id,
            style: Style::Member,
            params,
            result,
            run: Some(run),
            cost: Cost::UNIT,
            binding: Binding::Fixed,
        }
    }

    /// Only the declaration of `function(a, b)`.
    pub fn declare_global(id: &'static str, params: Vec<Type>, result: Type) -> Self {
        Overload {
            id,
            style: Style::Global,
            params,
            result,
            run: None,
            cost: Cost::UNIT,
            binding: Binding::Fixed,
        }
    }

    /// Only the declaration of `a.function(b)`.
    pub fn declare_member(id: &'static str, params: Vec<Type>, result: Type) -> Self {
        Overload {
            id,
            style: Style::Member,
            params,
            result,
            run: None,
            cost: Cost::UNIT,
            binding: Binding::Fixed,
        }
    }

    /// The same with this cost.
    #[must_use]
    pub fn costing(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    /// The same, implemented as a function of any number of arguments, although it takes one or two.
    #[must_use]
    pub fn variadic(mut self) -> Self {
        self.binding = Binding::Variadic;
        self
    }
}

/// How cel-go implements an overload. The two differ in what a call costs whose first argument fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// As a function of exactly its parameters, if these are one or two (`UnaryBinding`, `BinaryBinding`). All arguments
    /// are evaluated.
    Fixed,
    /// As a function of any number of arguments (`FunctionBinding`). The first argument that fails is the last.
    Variadic,
}

/// How a function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `function(a, b)`
    Global,
    /// `a.function(b)`
    Member,
}

/// What an overload does. The receiver comes first.
pub type Run = fn(&[Value]) -> Result<Value, Fault>;

impl Fault {
    /// What a function says of arguments that none of its overloads takes.
    pub fn no_such_call(function: &str, args: &[Value]) -> Self {
        let mut message = format!("no such overload: {function}(");
        for (index, arg) in args.iter().enumerate() {
            if index > 0 {
                message.push_str(", ");
            }
            message.push_str(arg.type_name());
        }
        message.push(')');
        Fault::of(FaultKind::NoOverload(message.into()))
    }
}

/// What a call costs: when it was made, and before anything runs.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// What a call costs that was made with these arguments, the receiver first. It is asked before the call, so nothing
    /// is done that costs more than is left. An argument that has no value because of a fault is [`Value::Null`] here.
    pub actual: Actual,
    /// What a call may cost and how large its result may be.
    pub estimate: fn(&Call<'_>) -> Estimate,
}

/// The cost that means a crash: cel-go cannot work out some costs for arguments it does not expect, and the whole run
/// ends there.
pub const CRASH: u64 = u64::MAX;

/// What a call costs when it is made.
#[derive(Debug, Clone, Copy)]
pub enum Actual {
    /// Always so much.
    Fixed(u64),
    /// It depends on the arguments.
    ByArguments(fn(&[Value]) -> u64),
    /// It depends on the result, which is [`Value::Null`] where the call failed.
    ByResult(fn(&[Value], &Value) -> u64),
}

impl Cost {
    /// One unit, whatever the arguments are.
    pub const UNIT: Cost = Cost { actual: Actual::Fixed(1), estimate: |_| Estimate::cost(Size::fixed(1)) };
}

/// The cost of one character of a regular expression.
pub const REGEX_LENGTH: f64 = 0.25;

/// What is known of a call before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// What the call costs, without its arguments.
    pub cost: Size,
    /// How large its result is, if that can be said.
    pub result: Option<Size>,
}

impl Estimate {
    /// A cost, and nothing about the result.
    pub fn cost(cost: Size) -> Self {
        Estimate { cost, result: None }
    }

    /// A cost and the size of the result.
    pub fn with_result(cost: Size, result: Size) -> Self {
        Estimate { cost, result: Some(result) }
    }
}

/// Sizes of variables and of what they hold, as whoever declares the variables knows them.
pub trait Sizes {
    /// How large the value at this path is. The first element of a path is a variable, the others are names of fields or
    /// `@items`, `@keys`, `@values` and `@indices`. The path is empty for values that come from no variable.
    fn size(&self, path: &[Arc<str>], declared: &Type) -> Option<Size>;
}

/// Nothing is known of any variable.
#[derive(Debug, Clone, Copy)]
pub struct NoSizes;

impl Sizes for NoSizes {
    fn size(&self, _: &[Arc<str>], _: &Type) -> Option<Size> {
        None
    }
}

/// A call whose cost is estimated.
pub struct Call<'a> {
    /// The receiver of `target.function(…)`.
    pub target: Option<Argument<'a>>,
    /// The arguments without the receiver.
    pub args: Vec<Argument<'a>>,
    /// What is known of variables.
    pub sizes: &'a dyn Sizes,
}

/// An argument of a call whose cost is estimated.
#[derive(Debug, Clone)]
pub struct Argument<'a> {
    /// Where it comes from: a variable and what is read from it. Empty if it is computed.
    pub path: Vec<Arc<str>>,
    /// Its type.
    pub declared: Type,
    /// Its value, if it is a literal.
    pub literal: Option<&'a Value>,
    /// Its size, if that follows from the expression.
    pub size: Option<Size>,
}

impl<'a> Call<'a> {
    /// The size of an argument, or that it is unknown.
    pub fn size(&self, argument: &Argument<'_>) -> Size {
        argument.size.or_else(|| self.sizes.size(&argument.path, &argument.declared)).unwrap_or(Size::UNKNOWN)
    }

    /// The size of the receiver, if there is one.
    pub fn target_size(&self) -> Option<Size> {
        self.target.as_ref().map(|target| self.size(target))
    }

    /// The size of an argument by its number, if there is one.
    pub fn arg_size(&self, index: usize) -> Option<Size> {
        self.args.get(index).map(|arg| self.size(arg))
    }

    /// What an argument is made of: the items of a list, but also the keys of a map. Nothing if its type is not made of
    /// another.
    pub fn items(&self, argument: &Argument<'_>) -> Option<Argument<'a>> {
        let declared = argument.declared.params().first()?.clone();
        let mut path = argument.path.clone();
        if !path.is_empty() {
            path.push("@items".into());
        }
        Some(Argument { path, declared, literal: None, size: None })
    }
}
