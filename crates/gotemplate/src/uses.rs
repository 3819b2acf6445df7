//! What functions do with their arguments, for those who follow values through templates without running them.

/// What a function does with the values that it is given: which parts it takes out, what it puts together, what it only
/// asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uses {
    /// Everything that it is given counts as used, and its result is made of all of it. A function for which nothing else
    /// is said is like this, which is never wrong.
    All,
    /// Like `All`, and a missing value becomes a string as if it were there (`quote`).
    Printed,
    /// A string of its arguments, one after the other (`print`).
    Joined,
    /// A string of its arguments by the pattern that comes first (`printf`).
    Formatted,
    /// The text of the template that the first names, with the second as dot (`include`).
    Template,
    /// The first, run as a template with the second as dot (`tpl`).
    TemplateText,
    /// Each argument decides whether the next one counts; the result is one of them (`and`, `or`).
    Decides,
    /// Only whether a value is there, or what it is, counts (`empty`, `eq`).
    Asked,
    /// Only the type of a value counts (`kindOf`).
    TypeAsked,
    /// What is found in the first by following the keys (`index`).
    Index,
    /// What is found in the first under the second (`get`).
    Entry,
    /// Whether something is found in the first under the second (`hasKey`).
    EntryAsked,
    /// What is found in the last by following the keys; before it comes what is taken in its place (`dig`).
    Path,
    /// What is found under the first in all others (`pluck`).
    Entries,
    /// The keys of all arguments (`keys`).
    Keys,
    /// A list of what the first has under its keys (`values`).
    Values,
    /// A map of keys and values that follow each other (`dict`).
    Map,
    /// A list of the arguments (`list`).
    List,
    /// The first, with the third put under the second (`set`).
    Set,
    /// The first, without what it has under the others (`unset`, `pick`, `omit`).
    Chosen,
    /// The first, with what the others hold put into it (`merge`).
    Merged,
    /// A copy of the first (`deepCopy`).
    Copy,
    /// The second, or the first in its place (`default`).
    Default,
    /// One of them, depending on what they are (`coalesce`, `ternary`).
    OneOf,
    /// The second, which has to be there (`required`).
    Required,
    /// The first item of a list (`first`).
    First,
    /// One item of a list (`last`).
    Item,
    /// The items of a list, from the last to the first (`reverse`).
    Reversed,
    /// Some items of the first, in any order (`rest`, `uniq`).
    Items,
    /// The items of the first, and the second (`append`).
    Appended,
    /// The items of all arguments (`concat`).
    Concatenated,
    /// Lists of items of the second (`chunk`).
    Chunks,
    /// A list of the parts of the second between what the first says (`splitList`).
    Parts,
    /// The same as a map with numbers (`split`).
    NumberedParts,
}
