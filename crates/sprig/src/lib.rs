//! The functions that chart templates call, one family per file.
