//! Go's template language: text to a tree, a tree and a value to text, and for every run of that text
//! where it came from. Nothing in here knows charts.
