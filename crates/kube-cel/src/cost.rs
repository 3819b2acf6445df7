//! Costs that several libraries share.

use trueline_cel::arguments::size;
use trueline_cel::function::{Actual, Call, Cost, Estimate, STRING_TRAVERSAL, Size, by_factor};

/// One unit, whatever the arguments are.
pub(crate) const UNIT: Cost = Cost::UNIT;

/// Comparing two values of a library costs one unit.
pub(crate) fn fixed_equality(_: Option<Size>) -> Size {
    Size::fixed(1)
}

/// Reading the string that is the first argument of a function without a receiver.
pub(crate) const fn parse_first() -> Cost {
    Cost {
        actual: Actual::ByArguments(|args| by_factor(size(args, 0), STRING_TRAVERSAL)),
        estimate: |call| Estimate::cost(first_size(call).by_factor(STRING_TRAVERSAL)),
    }
}

/// Reading that string twice.
pub(crate) const fn parse_first_twice() -> Cost {
    Cost {
        actual: Actual::ByArguments(|args| by_factor(size(args, 0), 2.0 * STRING_TRAVERSAL)),
        estimate: |call| Estimate::cost(first_size(call).by_factor(2.0 * STRING_TRAVERSAL)),
    }
}

/// The size of the first argument without the receiver.
pub(crate) fn first_size(call: &Call<'_>) -> Size {
    call.arg_size(0).unwrap_or(Size::UNKNOWN)
}
