//! What is checked of each definition of a version: worked out once, when a definition is first met.

use std::sync::OnceLock;

use trueline_kube_api::{Api, Definition, Field, Type};

use super::fields::FieldCheck;
use super::gates::Dropped;
use super::unread::Unread;
use super::{RULES, Rule, fields, gates, required, short_name, unread};

/// What is checked of a definition besides the types of its fields.
#[derive(Debug)]
pub(crate) struct DefinitionChecks {
    /// Fields that must not be absent or empty.
    pub(crate) required: Vec<&'static str>,
    /// Fields that are objects and must not be absent.
    pub(crate) pointers: Vec<&'static str>,
    /// The places of fields that are objects and count as empty ones where they are absent.
    pub(crate) embedded: Vec<usize>,
    /// Checks of single fields.
    pub(crate) fields: &'static [FieldCheck],
    /// Rules.
    pub(crate) rules: Vec<Rule>,
    /// Fields that this version drops unread; empty for nearly all definitions.
    pub(crate) dropped: Vec<Dropped>,
    /// Fields that are not looked at in some objects; empty for nearly all definitions.
    pub(crate) unread: Vec<Unread>,
}

/// What is checked where nothing is known of a definition.
static NOTHING: DefinitionChecks = DefinitionChecks {
    required: Vec::new(),
    pointers: Vec::new(),
    embedded: Vec::new(),
    fields: &[],
    rules: Vec::new(),
    dropped: Vec::new(),
    unread: Vec::new(),
};

/// The checks of all definitions of one version.
#[derive(Debug)]
pub(crate) struct Checks {
    minor: u16,
    /// Those of each definition, at its number.
    slots: Vec<OnceLock<Box<DefinitionChecks>>>,
}

impl Checks {
    /// Those of a version.
    pub(crate) fn of(api: &'static Api) -> &'static Checks {
        static TABLES: OnceLock<Vec<Checks>> = OnceLock::new();
        static NONE: Checks = Checks { minor: 0, slots: Vec::new() };
        let minor = api.version().minor;
        let tables = TABLES.get_or_init(|| {
            let slots = || (0..Api::definition_count()).map(|_| OnceLock::new()).collect();
            Api::versions().map(|version| Checks { minor: version.minor, slots: slots() }).collect()
        });
        tables.iter().find(|table| table.minor == minor).unwrap_or(&NONE)
    }

    /// Those of a definition.
    pub(crate) fn of_definition(&self, definition: &Definition) -> &DefinitionChecks {
        let slot = self.slots.get(definition.id.index());
        slot.map_or(&NOTHING, |slot| slot.get_or_init(|| Box::new(work_out(definition, self.minor))))
    }
}

fn work_out(definition: &Definition, minor: u16) -> DefinitionChecks {
    let fields = &definition.fields;
    let short = short_name(definition.name);
    let is_embedded = |field: &Field| field.is_embedded && matches!(field.r#type, Type::Object(_));
    let (required, pointers) = required::of(&short, fields);
    DefinitionChecks {
        required,
        pointers,
        embedded: (0..).zip(fields).filter(|(_, field)| is_embedded(field)).map(|(index, _)| index).collect(),
        fields: fields::of(&short),
        rules: RULES.iter().filter(|(known, _)| *known == short).map(|(_, rule)| *rule).collect(),
        dropped: gates::of(&short, fields, minor),
        unread: unread::of(&short, fields),
    }
}
