//! Lists, maps and messages that an expression writes down.

use std::sync::Arc;

use crate::ast::{Entry, Expr, ExprId};
use crate::check::{Checker, Reference, assign, unresolved};
use crate::shape::OtherFields;
use crate::syntax::IssueKind;
use crate::types::{OpaqueKind, Type};

impl Checker<'_> {
    pub(super) fn check_list(&mut self, id: ExprId, elements: &mut [Expr], optional: &[u32]) {
        let mut item = None;
        for (index, element) in elements.iter_mut().enumerate() {
            self.check(element);
            let mut found = self.type_of(element.id);
            if optional.iter().any(|&optional| optional as usize == index) {
                found = self.unwrap_optional(element.id, found);
            }
            item = Some(self.join(item, found));
        }
        let item = item.unwrap_or_else(|| self.bindings.fresh());
        self.set_type(id, Type::list(item));
    }

    pub(super) fn check_map(&mut self, id: ExprId, entries: &mut [Entry]) {
        let (mut key, mut value) = (None, None);
        for entry in entries {
            self.check(&mut entry.key);
            let found = self.type_of(entry.key.id);
            key = Some(self.join(key, found));
            self.check(&mut entry.value);
            let mut found = self.type_of(entry.value.id);
            if entry.is_optional {
                found = self.unwrap_optional(entry.value.id, found);
            }
            value = Some(self.join(value, found));
        }
        let key = key.unwrap_or_else(|| self.bindings.fresh());
        let value = value.unwrap_or_else(|| self.bindings.fresh());
        self.set_type(id, Type::map(key, value));
    }

    /// The type of what an optional holds. Anything else that is known is not allowed with a question mark.
    fn unwrap_optional(&mut self, id: ExprId, found: Type) -> Type {
        match found {
            Type::Optional(inner) => (*inner).clone(),
            other => {
                if !assign::is_dyn(&other) {
                    self.mismatch(id, &Type::optional(other.clone()), &other);
                }
                other
            }
        }
    }

    /// Checks a message literal, and gives the full name of its type.
    pub(super) fn check_struct(&mut self, id: ExprId, name: &str, fields: &mut [Entry]) -> Option<Arc<str>> {
        let Some((full, declared)) = self.lookup(name) else {
            self.undeclared(id, name);
            self.set_type(id, Type::Error);
            return None;
        };
        self.references.insert(id, Reference::Name);
        let result = match declared {
            Type::Error => Type::Error,
            Type::Type(Some(inner)) if is_message(&inner) => (*inner).clone(),
            Type::Type(inner) => {
                let inner = inner.as_ref().map_or(Type::Type(None), |inner| (**inner).clone());
                self.report(id, IssueKind::NotMessage(inner));
                Type::Error
            }
            other => {
                self.report(id, IssueKind::NotType(other));
                Type::Error
            }
        };
        self.set_type(id, result.clone());
        for entry in fields {
            self.check(&mut entry.value);
            let field = match &entry.key.kind {
                crate::ast::ExprKind::Literal(crate::value::Value::String(name)) => name.clone(),
                _ => "".into(),
            };
            let expected = self.field_type(entry.id, &full, &result, &field);
            let mut found = self.type_of(entry.value.id);
            if entry.is_optional {
                found = self.unwrap_optional(entry.value.id, found);
            }
            if let Type::Object(shape) = &result
                && shape.others == OtherFields::Readable
                && !shape.fields.contains_key(&field)
            {
                self.report(entry.id, IssueKind::FieldMismatch { field, expected: None, found });
            } else if !self.bindings.assign(&expected, &found) {
                let expected = Some(expected);
                self.report(entry.id, IssueKind::FieldMismatch { field, expected, found });
            }
        }
        Some(full)
    }

    fn field_type(&mut self, id: ExprId, name: &str, message: &Type, field: &str) -> Type {
        match message {
            Type::Object(shape) => match shape.fields.get(field) {
                Some(found) => return found.shape.declared(),
                None if shape.others != OtherFields::None => return Type::Dyn,
                None => self.report(id, IssueKind::UndefinedField(field.into())),
            },
            Type::Wrapper(inner) if field == "value" => return (**inner).clone(),
            Type::Duration | Type::Timestamp if field == "seconds" || field == "nanos" => return Type::Int,
            Type::Wrapper(_)
            | Type::Duration
            | Type::Timestamp
            | Type::Any
            | Type::Dyn
            | Type::List(_)
            | Type::Map(..) => {
                self.report(id, IssueKind::UndefinedField(field.into()));
            }
            _ => self.report(id, unresolved(name)),
        }
        Type::Error
    }
}

/// Whether a type can be written as a message.
fn is_message(of: &Type) -> bool {
    match of {
        Type::Any
        | Type::Timestamp
        | Type::Duration
        | Type::Dyn
        | Type::Null
        | Type::Wrapper(_)
        | Type::Object(_) => true,
        Type::List(item) => **item == Type::Dyn,
        Type::Map(key, value) => **key == Type::String && **value == Type::Dyn,
        Type::Opaque(opaque) => opaque.kind == OpaqueKind::Message,
        _ => false,
    }
}
