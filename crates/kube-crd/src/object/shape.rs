//! The fields of kinds that a CRD defines, to say where a field belongs that is not known at its place.

use trueline_kube_facts::belongs::{Budget, Form, Shape, Way};
use trueline_kube_facts::decode::{GoType, UnknownField, types};
use trueline_kube_facts::meant::Meant;
use trueline_kube_facts::{FieldPath, Segment};
use trueline_yaml::Value;

use crate::props::OrBool;
use crate::structural::Structural;

/// A schema of a custom resource.
#[derive(Debug, Clone, Copy)]
pub(super) enum SchemaShape<'s> {
    Part(&'s Structural),
    /// The schema of a whole resource, whose metadata is that of any other.
    Resource(&'s Structural),
    /// A part of metadata.
    Metadata(&'static GoType),
}

static METADATA: GoType = GoType::Struct(&types::OBJECT_META);

/// Says where fields belong that the metadata of an object does not have: its fields are known without a schema, but not
/// what is around them.
pub(super) fn place_outside(unknown: &mut [UnknownField], object: &Value, schema: &Structural) {
    let metadata = object.get("metadata");
    let maps = [(SchemaShape::Resource(schema), Some(object)), (SchemaShape::Metadata(&METADATA), metadata)];
    let path = |index: usize| FieldPath::of(if index == 0 { "" } else { "metadata" });
    let budget = Budget::default();
    for field in unknown.iter_mut().filter(|field| field.meant == Meant::Unknown) {
        let [metadata_name, Segment::Field(name)] = field.path.segments() else { continue };
        if !metadata_name.is("metadata") {
            continue;
        }
        let Some(value) = metadata.and_then(|metadata| metadata.get(name)) else { continue };
        field.meant = Way { maps: &maps, path, budget: &budget }.meant(name, value, &mut Vec::new());
    }
}

impl<'s> SchemaShape<'s> {
    /// The shape of a part of a schema.
    pub(super) fn of(schema: &'s Structural) -> Self {
        match schema.extensions.embedded_resource {
            true => SchemaShape::Resource(schema),
            false => SchemaShape::Part(schema),
        }
    }
}

impl<'s> Shape<'s> for SchemaShape<'s> {
    fn form(self) -> Form<Self> {
        let schema = match self {
            SchemaShape::Resource(_) => return Form::Fields,
            SchemaShape::Metadata(of) => {
                return match of {
                    GoType::Struct(_) => Form::Fields,
                    GoType::List(items) | GoType::NamedList(_, items) => {
                        Form::List(Some(SchemaShape::Metadata(items)))
                    }
                    GoType::Map(values) | GoType::NamedMap(_, values) => {
                        Form::Map(Some(SchemaShape::Metadata(values)))
                    }
                    GoType::Json | GoType::SchemaOrList => Form::Any,
                    _ => Form::Scalar,
                };
            }
            SchemaShape::Part(schema) => schema,
        };
        let values = match schema.additional_properties.as_deref() {
            Some(OrBool::Schema(values)) => Some(SchemaShape::of(values)),
            _ => None,
        };
        let is_map = schema.additional_properties.is_some() || schema.extensions.preserve_unknown_fields;
        match &*schema.generic.type_name {
            _ if schema.extensions.int_or_string => Form::Scalar,
            "object" if schema.properties.is_empty() && is_map => Form::Map(values),
            "object" => Form::Fields,
            "array" => Form::List(schema.items.as_deref().map(SchemaShape::of)),
            "" if schema.properties.is_empty() => Form::Any,
            "" => Form::Fields,
            _ => Form::Scalar,
        }
    }

    fn field(self, name: &str) -> Option<Self> {
        match self {
            SchemaShape::Resource(_) if name == "metadata" => Some(SchemaShape::Metadata(&METADATA)),
            SchemaShape::Resource(schema) | SchemaShape::Part(schema) => {
                schema.property(name).map(SchemaShape::of)
            }
            SchemaShape::Metadata(GoType::Struct(of)) => {
                let field = of.fields.iter().find(|(known, _)| *known == name);
                field.map(|(_, of)| SchemaShape::Metadata(of))
            }
            SchemaShape::Metadata(_) => None,
        }
    }

    fn fields(self, most: usize) -> Vec<(&'s str, Self)> {
        let named = |schema: &'s Structural| {
            let fields = schema.properties.iter().take(most);
            fields.map(|(name, property)| (&**name, SchemaShape::of(property)))
        };
        match self {
            SchemaShape::Part(schema) => named(schema).collect(),
            SchemaShape::Resource(schema) => {
                let others = named(schema).filter(|(name, _)| *name != "metadata");
                others.chain([("metadata", SchemaShape::Metadata(&METADATA))]).collect()
            }
            SchemaShape::Metadata(GoType::Struct(of)) => {
                of.fields.iter().map(|(name, of)| (*name, SchemaShape::Metadata(of))).collect()
            }
            SchemaShape::Metadata(_) => Vec::new(),
        }
    }
}
