//! Which types can be assigned to which, and what the parameters of declarations are bound to.

use crate::types::{OpaqueKind, Params, Type};

/// What type variables are bound to. Changes that a failed attempt has made are taken back.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    bound: Vec<Option<Type>>,
    /// What changed, with what was there before.
    changes: Vec<(u32, Option<Type>)>,
}

impl Bindings {
    /// A variable that is bound to nothing yet.
    pub(super) fn fresh(&mut self) -> Type {
        let number = u32::try_from(self.bound.len()).unwrap_or(u32::MAX);
        self.bound.push(None);
        Type::Variable(number)
    }

    /// Whether `from` can be assigned to `to`; what variables are bound to changes only if so.
    pub(super) fn assign(&mut self, from: &Type, to: &Type) -> bool {
        self.attempt(|bindings| bindings.assignable(from, to))
    }

    /// Whether all of `from` can be assigned to all of `to`.
    pub(super) fn assign_all(&mut self, from: &[Type], to: &[Type]) -> bool {
        self.attempt(|bindings| {
            from.len() == to.len() && from.iter().zip(to).all(|(from, to)| bindings.assignable(from, to))
        })
    }

    fn attempt(&mut self, attempt: impl FnOnce(&mut Self) -> bool) -> bool {
        self.changes.clear();
        let fits = attempt(self);
        if !fits {
            while let Some((number, before)) = self.changes.pop() {
                if let Some(bound) = self.bound.get_mut(number as usize) {
                    *bound = before;
                }
            }
        }
        fits
    }

    fn find(&self, variable: &Type) -> Option<&Type> {
        match variable {
            Type::Variable(number) => self.bound.get(*number as usize)?.as_ref(),
            _ => None,
        }
    }

    fn bind(&mut self, variable: &Type, to: Type) {
        if let Type::Variable(number) = variable
            && let Some(bound) = self.bound.get_mut(*number as usize)
        {
            self.changes.push((*number, bound.replace(to)));
        }
    }

    fn assignable(&mut self, from: &Type, to: &Type) -> bool {
        if matches!(to, Type::Variable(_)) {
            match self.substitution(from, to) {
                (true, _) => return true,
                (false, true) => return false,
                (false, false) => {}
            }
        }
        if matches!(from, Type::Variable(_)) {
            return self.substitution(to, from).0;
        }
        if is_dyn_or_error(from) || is_dyn_or_error(to) {
            return true;
        }
        if matches!(from, Type::Null) {
            return is_nullable(to);
        }
        if matches!(to, Type::Null) {
            return is_nullable(from);
        }
        match (from, to) {
            (Type::Type(_), Type::Type(_)) => true,
            (Type::List(from), Type::List(to)) | (Type::Optional(from), Type::Optional(to)) => {
                self.assignable(from, to)
            }
            (Type::Map(from_key, from), Type::Map(to_key, to)) => {
                self.assignable(from_key, to_key) && self.assignable(from, to)
            }
            (from, to) => unwrapped(from) == unwrapped(to) && !is_aggregate(from),
        }
    }

    /// Whether `variable` can be bound to `other`, and whether it was bound before.
    fn substitution(&mut self, other: &Type, variable: &Type) -> (bool, bool) {
        if other == variable {
            return (true, true);
        }
        if let Some(bound) = self.find(variable).cloned() {
            if is_exact(other, &bound) {
                return (true, true);
            }
            if self.assignable(other, &bound) {
                let general = most_general(other, &bound).clone();
                if self.is_free_of(variable, &general) {
                    self.bind(variable, general);
                }
                return (true, true);
            }
            return (false, true);
        }
        if self.is_free_of(variable, other) {
            self.bind(variable, other.clone());
            return (true, false);
        }
        (false, false)
    }

    /// Whether a variable does not occur in a type.
    fn is_free_of(&self, variable: &Type, within: &Type) -> bool {
        if variable == within {
            return false;
        }
        match within {
            Type::Variable(_) => self.find(within).is_none_or(|bound| self.is_free_of(variable, bound)),
            other => match other.params() {
                Params::None => true,
                Params::One(inner) => self.is_free_of(variable, inner),
                Params::Two(key, value) => self.is_free_of(variable, key) && self.is_free_of(variable, value),
            },
        }
    }

    /// The type with variables replaced by what they are bound to.
    pub(super) fn substitute(&self, within: &Type) -> Type {
        self.replace(within, &|free| free.clone())
    }

    /// As [`Bindings::substitute`], where variables that are bound to nothing are `dyn`.
    pub(super) fn settle(&self, within: &Type) -> Type {
        self.replace(within, &|_| Type::Dyn)
    }

    fn replace(&self, within: &Type, free: &dyn Fn(&Type) -> Type) -> Type {
        match within {
            Type::Param(_) => free(within),
            Type::Variable(_) => match self.find(within) {
                Some(bound) => self.replace(bound, free),
                None => free(within),
            },
            Type::List(item) => Type::list(self.replace(item, free)),
            Type::Map(key, value) => Type::map(self.replace(key, free), self.replace(value, free)),
            Type::Optional(value) => Type::optional(self.replace(value, free)),
            Type::Type(Some(inner)) => Type::type_of(self.replace(inner, free)),
            other => other.clone(),
        }
    }
}

/// A declared type whose parameters are replaced by variables.
pub(super) fn instantiate(
    declared: &Type,
    variables: &mut Vec<(&'static str, Type)>,
    bindings: &mut Bindings,
) -> Type {
    match declared {
        Type::Param(name) => match variables.iter().find(|(known, _)| known == name) {
            Some((_, variable)) => variable.clone(),
            None => {
                let variable = bindings.fresh();
                variables.push((name, variable.clone()));
                variable
            }
        },
        Type::List(item) => Type::list(instantiate(item, variables, bindings)),
        Type::Map(key, value) => {
            let key = instantiate(key, variables, bindings);
            Type::map(key, instantiate(value, variables, bindings))
        }
        Type::Optional(value) => Type::optional(instantiate(value, variables, bindings)),
        Type::Type(Some(inner)) => Type::type_of(instantiate(inner, variables, bindings)),
        other => other.clone(),
    }
}

/// Whether nothing is known of a value of this type.
pub(super) fn is_dyn(of: &Type) -> bool {
    matches!(of, Type::Dyn | Type::Any)
}

fn is_dyn_or_error(of: &Type) -> bool {
    is_dyn(of) || matches!(of, Type::Error)
}

fn is_aggregate(of: &Type) -> bool {
    matches!(of, Type::List(_) | Type::Map(..) | Type::Optional(_))
}

/// A scalar without the possibility of being null.
fn unwrapped(of: &Type) -> &Type {
    match of {
        Type::Wrapper(inner) => inner,
        other => other,
    }
}

/// Whether null can be assigned to it.
fn is_nullable(of: &Type) -> bool {
    match of {
        Type::Optional(_)
        | Type::Object(_)
        | Type::Duration
        | Type::Timestamp
        | Type::Wrapper(_)
        | Type::Null => true,
        Type::Opaque(opaque) => matches!(opaque.kind, OpaqueKind::Message | OpaqueKind::Abstract),
        _ => false,
    }
}

/// Whether two types are the same; scalars that may be null are the same as those that may not.
pub(super) fn is_exact(left: &Type, right: &Type) -> bool {
    match (left, right) {
        (Type::List(left), Type::List(right)) | (Type::Optional(left), Type::Optional(right)) => {
            is_exact(left, right)
        }
        (Type::Map(left_key, left), Type::Map(right_key, right)) => {
            is_exact(left_key, right_key) && is_exact(left, right)
        }
        (Type::Type(Some(left)), Type::Type(Some(right))) => is_exact(left, right),
        (left, right) => unwrapped(left) == unwrapped(right),
    }
}

/// The more general of two types that are known to fit.
pub(super) fn most_general<'a>(left: &'a Type, right: &'a Type) -> &'a Type {
    if is_less_specific(left, right) { left } else { right }
}

fn is_less_specific(left: &Type, right: &Type) -> bool {
    if is_dyn(left) || matches!(left, Type::Variable(_)) {
        return true;
    }
    if is_dyn(right) || matches!(right, Type::Variable(_)) {
        return false;
    }
    match (left, right) {
        (Type::List(left), Type::List(right)) | (Type::Optional(left), Type::Optional(right)) => {
            is_less_specific(left, right)
        }
        (Type::Map(left_key, left), Type::Map(right_key, right)) => {
            is_less_specific(left_key, right_key) && is_less_specific(left, right)
        }
        (Type::Type(_), Type::Type(_)) => true,
        (left, right) => is_exact(left, right),
    }
}
