//! Rules of the Common Expression Language, as CRDs have them.

use std::borrow::Cow;

use trueline_kube_cel::escape::escape;

use super::default::name_of;
use crate::schema::types::{MapType, Type};
use crate::tree::Value;

/// How a key of a map can be null when its map is validated: missing keys are added before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    /// It never is.
    Set,
    /// It is null unless it is set.
    NullByDefault,
    /// It is only null if it is set to null.
    SetByDefault,
    /// It is not declared, and so it is never there.
    Absent,
}

/// What is known of the keys that a rule names; all of them if it names none.
pub(super) fn members(declared: &MapType, keys: &[Value]) -> Vec<(String, Member)> {
    let member = |key: &Value| {
        let Some((item, default)) =
            declared.items.iter().zip(declared.default_items()).find(|(_, item)| item.key.is_same(key))
        else {
            return Member::Absent;
        };
        match (&item.value, default.value.is_null()) {
            (Type::Nullable(_) | Type::Any(_), true) => Member::NullByDefault,
            (Type::Nullable(_) | Type::Any(_), false) => Member::SetByDefault,
            _ => Member::Set,
        }
    };
    if keys.is_empty() {
        return declared.keys().map(|key| (name_of(key), member(key))).collect();
    }
    let mut known: Vec<(String, Member)> = Vec::new();
    for key in keys {
        let found = (name_of(key), member(key));
        if found.1 != Member::Absent {
            known.push(found);
        }
    }
    known
}

/// The name of a field in an expression; none if it cannot be named.
fn field(name: &str) -> Option<String> {
    escape(name).map(Cow::into_owned)
}

/// The rule that exactly one of these members is not null. A null is kept where null is allowed, and then the member is
/// there: it has to be compared with null besides. `dyn` lets values of any type be compared.
pub(super) fn exactly_one(declared: &MapType, members: &[(String, Member)]) -> Option<String> {
    // Expressions do not see fields without a type.
    let is_any = |name: &String| {
        let keys = declared.keys().zip(&declared.items);
        keys.into_iter().any(|(key, item)| name_of(key) == *name && matches!(item.value, Type::Any(_)))
    };
    if members.iter().any(|(name, _)| is_any(name)) {
        return None;
    }
    let mut terms = Vec::with_capacity(members.len());
    for (name, member) in members {
        terms.push(match member {
            Member::Set => "true".to_owned(),
            Member::NullByDefault | Member::SetByDefault => {
                let field = field(name)?;
                format!("has(self.{field}) && dyn(self.{field}) != null")
            }
            Member::Absent => "false".to_owned(),
        });
    }
    Some(format!("[{}].exists_one(is_set, is_set)", terms.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_are_escaped() {
        for (name, expected) in [
            ("oidc", Some("oidc")),
            ("tls.crt", Some("tls__dot__crt")),
            ("a-b/c", Some("a__dash__b__slash__c")),
            ("a__b", Some("a__underscores__b")),
            ("namespace", Some("__namespace__")),
            ("1a", None),
            ("ä", None),
            ("", None),
        ] {
            assert_eq!(field(name).as_deref(), expected, "{name}");
        }
    }
}
