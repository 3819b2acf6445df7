//! The fields of Kubernetes' own kinds, to say where a field belongs that is not known at its place.

use trueline_kube_api::{Api, Definition, Type};
use trueline_kube_facts::belongs::{Form, Shape};

use crate::place::FieldPlace;

/// A type of the API.
#[derive(Debug, Clone, Copy)]
pub(super) struct ApiShape<'a> {
    api: &'static Api,
    of: Described<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Described<'a> {
    Definition(&'a Definition),
    /// Any other.
    Type(&'static Type),
}

impl<'a> ApiShape<'a> {
    pub(super) fn new(api: &'static Api, definition: &'a Definition) -> Self {
        ApiShape { api, of: Described::Definition(definition) }
    }

    fn of_type(api: &'static Api, wanted: &'static Type) -> Option<Self> {
        let of = match wanted {
            Type::Object(id) => Described::Definition(api.definition(*id)?),
            other => Described::Type(other),
        };
        Some(ApiShape { api, of })
    }
}

impl Shape<'static> for ApiShape<'_> {
    fn form(self) -> Form<Self> {
        let of = |id| Self::of_type(self.api, self.api.r#type(id));
        match self.of {
            Described::Definition(_) => Form::Fields,
            Described::Type(Type::Map(values)) => Form::Map(of(*values)),
            Described::Type(Type::List(items, _)) => Form::List(of(*items)),
            Described::Type(Type::Any) => Form::Any,
            Described::Type(_) => Form::Scalar,
        }
    }

    fn field(self, name: &str) -> Option<Self> {
        match self.of {
            Described::Definition(definition) => Self::of_type(self.api, definition.field(name)?.1.r#type),
            Described::Type(_) => None,
        }
    }

    fn fields(self, most: usize) -> Vec<(&'static str, Self)> {
        let Described::Definition(definition) = self.of else { return Vec::new() };
        let fields = definition.fields.iter().take(most);
        fields.filter_map(|field| Some((field.name, Self::of_type(self.api, field.r#type)?))).collect()
    }
}

/// The maps with known fields from the top of an object down to a place, with their places.
pub(super) fn maps_on_the_way<'p, 'd>(
    api: &'static Api,
    top: &'static Definition,
    place: &'p FieldPlace<'p, 'd>,
) -> Option<Vec<(&'static Definition, &'p FieldPlace<'p, 'd>)>> {
    let mut way: Vec<_> = place.and_around().collect();
    way.reverse();
    let mut maps = vec![(top, *way.first()?)];
    let mut wanted: Option<&'static Type> = None;
    for here in way.into_iter().skip(1) {
        let next = match wanted {
            None => maps.last()?.0.field(&here.last_name())?.1.r#type,
            Some(Type::List(items, _)) => api.r#type(*items),
            Some(Type::Map(values)) => api.r#type(*values),
            Some(_) => return None,
        };
        wanted = match next {
            Type::Object(id) => {
                maps.push((api.definition(*id)?, here));
                None
            }
            other => Some(other),
        };
    }
    wanted.is_none().then_some(maps)
}
