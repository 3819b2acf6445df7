//! The kinds of errors that the server reports.

/// What kind of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A value is missing.
    Required,
    /// A value is not allowed.
    Invalid,
    /// A value has a type that is not allowed.
    TypeInvalid,
    /// A value is none of those listed.
    NotSupported,
    /// A field must not be set.
    Forbidden,
    /// A value occurs twice.
    Duplicate,
    /// A string is too long.
    TooLong,
    /// A list has too many items.
    TooMany,
    /// What is referred to does not exist.
    NotFound,
    /// The server itself failed.
    Internal,
}

impl Reason {
    /// The name that machines read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::Duplicate => "FieldValueDuplicate",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::NotFound => "FieldValueNotFound",
            Self::Internal => "InternalError",
        }
    }

    /// The words that people read.
    pub fn text(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::Duplicate => "Duplicate value",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::NotFound => "Not found",
            Self::Internal => "Internal error",
        }
    }

    /// Whether the server prints the value with errors of this kind.
    pub fn shows_value(self) -> bool {
        !matches!(self, Self::Required | Self::Forbidden | Self::TooLong | Self::Internal)
    }
}
