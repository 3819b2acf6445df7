//! Data values and schemas with the library that they are addressed to, and whether that library took them.

use std::cell::Cell;
use std::rc::Rc;

use trueline_starlark::Thread;

use super::library_ref::{LIBRARY_REF, LibraryRef};
use crate::error::{Error, ErrorKind, Fact};
use crate::schema::Schema;
use crate::tree::{Document, Map, Position};
use crate::value::{Context, go_type_name};

/// The annotation of documents with data values.
pub const DATA_VALUES: &str = "data/values";

/// The annotation of documents with schemas.
pub const DATA_VALUES_SCHEMA: &str = "data/values-schema";

/// When data values count, compared with those that `with_data_values` hands to a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precedence {
    /// Before them.
    #[default]
    BeforeLibraryModule,
    /// After them: they win.
    AfterLibraryModule,
}

/// Where something is sent, and whether it arrived.
#[derive(Debug, Clone, Default)]
struct Address {
    /// The steps that are left.
    left: Vec<LibraryRef>,
    /// All steps, for messages.
    original: Rc<[LibraryRef]>,
    is_used: Cell<bool>,
}

impl Address {
    fn new(steps: Vec<LibraryRef>) -> Address {
        Address { original: steps.as_slice().into(), left: steps, is_used: Cell::new(false) }
    }

    /// The address as it is inside of a library; none if it leads elsewhere. What is already there stays there.
    fn inside(&self, library: &LibraryRef) -> Option<Address> {
        let left = match self.left.split_first() {
            Some((step, rest)) => step.matches(library).then_some(rest)?,
            None => &[],
        };
        self.is_used.set(true);
        Some(Address { left: left.to_vec(), original: Rc::clone(&self.original), is_used: Cell::new(false) })
    }

    /// The library, as an address is written.
    fn library(&self) -> String {
        let steps: Vec<String> = self.original.iter().map(LibraryRef::to_string).collect();
        format!("@{}", steps.join("@"))
    }

    fn describe(&self, what: &str, position: &Position) -> String {
        format!("{what} belonging to library '{}' on {}", self.library(), position.as_string())
    }
}

/// A document of data values.
#[derive(Debug, Clone)]
pub struct Envelope {
    /// The document.
    pub document: Document,
    /// When it counts in the library.
    pub precedence: Precedence,
    address: Address,
}

impl Envelope {
    /// A document that is addressed by its annotations.
    pub fn new(document: Document) -> Result<Envelope, Error> {
        let annotations = document.meta.annotations();
        let steps = LibraryRef::of_annotations(annotations)?;
        let mut precedence = Precedence::default();
        if let Some(annotation) = annotations.get(DATA_VALUES) {
            let fails = |text: String| Err(Error::other(text).at(annotation.position.clone()));
            for (name, value) in &annotation.kwargs {
                if **name != *"after_library_module" {
                    return fails(format!("Unknown kwarg {name} for annotation {DATA_VALUES}"));
                }
                precedence = match value.as_bool() {
                    Some(true) => Precedence::AfterLibraryModule,
                    Some(false) => Precedence::BeforeLibraryModule,
                    None => return fails(format!("expected starlark.Bool, but was {}", go_type_name(value))),
                };
                if steps.is_empty() {
                    return fails(format!(
                        "Annotation {DATA_VALUES}: Expected kwarg 'after_library_module' to be used with \
                         {LIBRARY_REF} annotation"
                    ));
                }
            }
        }
        Ok(Envelope { document, precedence, address: Address::new(steps) })
    }

    /// A document that is addressed by the prefix of a flag; an empty one addresses nobody.
    pub fn addressed(document: Document, address: &str) -> Result<Envelope, Error> {
        let steps = if address.is_empty() { Vec::new() } else { LibraryRef::parse(address)? };
        Ok(Envelope { document, precedence: Precedence::default(), address: Address::new(steps) })
    }

    /// Data values for which nobody wrote any.
    pub fn empty() -> Envelope {
        Envelope {
            document: empty_document(),
            precedence: Precedence::default(),
            address: Address::default(),
        }
    }

    /// Whether it is for a library inside of this one.
    pub fn is_for_other_library(&self) -> bool {
        !self.address.left.is_empty()
    }

    /// Whether a library took it.
    pub fn is_used(&self) -> bool {
        self.address.is_used.get()
    }

    /// The envelope as a library gets it, if it is for that library or for one inside of it.
    pub fn used_in(&self, library: &LibraryRef) -> Option<Envelope> {
        let address = self.address.inside(library)?;
        Some(Envelope { document: self.document.clone(), precedence: self.precedence, address })
    }

    /// What messages call it.
    pub fn describe(&self) -> String {
        self.address.describe("Data Value", &self.document.meta.position())
    }
}

/// A schema document.
#[derive(Debug, Clone)]
pub struct SchemaEnvelope {
    /// The schema of this document alone.
    schema: Schema,
    /// Whether it edits annotations, which only counts where it is an overlay.
    is_edit: bool,
    document: Document,
    address: Address,
}

impl SchemaEnvelope {
    /// A document that is addressed by its annotations.
    pub fn new(
        mut document: Document,
        thread: &mut Thread,
        context: &Context,
    ) -> Result<SchemaEnvelope, Error> {
        let steps = LibraryRef::of_annotations(document.meta.annotations())?;
        Schema::prepare(&mut document, thread)?;
        let is_edit = Schema::is_edit(&document);
        let schema = match is_edit {
            true => Schema::without_edits(&document, thread, context)?,
            false => Schema::new(&document, thread, context)?,
        };
        Ok(SchemaEnvelope { schema, is_edit, document, address: Address::new(steps) })
    }

    /// The schema, if no other document is overlaid with this one.
    pub fn alone(&self) -> Option<&Schema> {
        (!self.is_edit).then_some(&self.schema)
    }

    /// The document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Whether it is for a library inside of this one.
    pub fn is_for_other_library(&self) -> bool {
        !self.address.left.is_empty()
    }

    /// Whether a library took it.
    pub fn is_used(&self) -> bool {
        self.address.is_used.get()
    }

    /// The envelope as a library gets it, if it is for that library or for one inside of it.
    pub fn used_in(&self, library: &LibraryRef) -> Option<SchemaEnvelope> {
        let address = self.address.inside(library)?;
        let (schema, document) = (self.schema.clone(), self.document.clone());
        Some(SchemaEnvelope { schema, is_edit: self.is_edit, document, address })
    }

    /// What messages call it.
    pub fn describe(&self) -> String {
        self.address.describe("Schema", &self.document.meta.position())
    }
}

/// Refuses data values and schemas that no library took.
pub fn check_all_used(values: &[Rc<Envelope>], schemas: &[Rc<SchemaEnvelope>]) -> Result<(), Error> {
    let values: Vec<_> = values.iter().filter(|envelope| !envelope.is_used()).collect();
    let schemas: Vec<_> = schemas.iter().filter(|envelope| !envelope.is_used()).collect();
    let kinds = match (values.is_empty(), schemas.is_empty()) {
        (true, true) => return Ok(()),
        (false, true) => "data values",
        (true, false) => "schema",
        (false, false) => "data values, and schema",
    };
    let mut names: Vec<String> = values.iter().map(|envelope| envelope.describe()).collect();
    names.extend(schemas.iter().map(|envelope| envelope.describe()));
    let mut libraries = values.iter().map(|envelope| &envelope.address);
    let mut of_schemas = schemas.iter().map(|envelope| &envelope.address);
    let library = match (libraries.next().or_else(|| of_schemas.next()), names.len()) {
        (Some(address), 1) => Some(address.library()),
        _ => None,
    };
    let fact = Fact::Unused { kinds, names, library };
    let metas = values.iter().map(|envelope| &envelope.document.meta);
    let metas = metas.chain(schemas.iter().map(|envelope| &envelope.document.meta));
    // A flag is shown as it was typed.
    let places = metas.map(|meta| if meta.place().is_known() { meta.place() } else { meta.position() });
    Err(Error::known(ErrorKind::Other, fact).at_all(places))
}

/// The document of data values for which nobody wrote any.
pub(super) fn empty_document() -> Document {
    Document { value: Map::default().into(), ..Document::default() }
}
