//! The embedded API of all versions, as `cargo xtask api-pack` writes it.
//!
//! The file is the length of what it unpacks to (four bytes, little end first) and a zlib stream. Unpacked, it is a
//! sequence of numbers (seven bits a byte, low end first), each list with its length in front:
//! minor versions; texts; sets of versions (bit n is the n-th version); types (a tag and what belongs to it);
//! the types that fields name, as indices into the types; kinds; lifecycles; and definitions with the lengths of their
//! bodies, and then the bodies. Only a body that is asked for is read.

use std::io::Read;
use std::sync::OnceLock;

use flate2::read::ZlibDecoder;

static PACKED: &[u8] = include_bytes!("../data/api.pack");

/// A type, by its number in the pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeId(u32);

/// A definition, by its number in the pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionId(u32);

impl DefinitionId {
    /// The number itself.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a list behaves when it is merged; keys make its items unique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListType {
    /// Nothing is published.
    Unknown,
    /// It is replaced as a whole.
    Atomic,
    /// Its items are scalars, each once.
    Set,
    /// Its items are objects, each with other values of these fields.
    Map(Vec<&'static str>),
}

/// What a value may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// Anything.
    Any,
    /// True or false.
    Bool,
    /// An integer of 32 bits.
    Int32,
    /// An integer of 64 bits.
    Int64,
    /// Any number.
    Double,
    /// Text.
    String,
    /// Bytes, written as base64.
    Bytes,
    /// A time to the second.
    Time,
    /// A time to the microsecond.
    MicroTime,
    /// An amount, such as `500m` or `2Gi`.
    Quantity,
    /// An integer or text.
    IntOrString,
    /// An object with known fields.
    Object(DefinitionId),
    /// A list of one type.
    List(TypeId, ListType),
    /// A map from text to one type.
    Map(TypeId),
}

/// A kind that some versions serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// The group; empty for the oldest kinds.
    pub group: &'static str,
    /// The version of the group.
    pub version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The name in paths, such as `deployments`.
    pub plural: &'static str,
    /// Its definition.
    pub definition: DefinitionId,
    /// Whether its objects live in namespaces.
    pub is_namespaced: bool,
    pub(crate) versions: u32,
}

/// The end of a kind in one version of its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifecycle {
    /// The group.
    pub group: &'static str,
    /// The version of the group.
    pub version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The minor version of Kubernetes since which it is deprecated.
    pub deprecated: u16,
    /// The minor version of Kubernetes that no longer serves it, if one is named.
    pub removed: Option<u16>,
    /// Group, version and kind to use in its place, if there are any.
    pub replacement: Option<(&'static str, &'static str, &'static str)>,
}

/// A field as it is in the pack.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackedField {
    pub(crate) name: &'static str,
    pub(crate) r#type: TypeId,
    pub(crate) versions: u32,
    pub(crate) flags: u32,
    pub(crate) default: Option<&'static str>,
}

pub(crate) const REQUIRED: u32 = 1;
pub(crate) const ATOMIC: u32 = 2;
const DEFAULT: u32 = 4;
pub(crate) const EMBEDDED: u32 = 8;

/// The unpacked pack: tables, and the bodies of definitions as bytes.
#[derive(Debug, Default)]
pub(crate) struct Pack {
    bytes: &'static [u8],
    pub(crate) minors: Vec<u16>,
    /// Start and length of each.
    strings: Vec<(u32, u32)>,
    masks: Vec<u32>,
    types: Vec<Type>,
    field_types: Vec<TypeId>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) lifecycles: Vec<Lifecycle>,
    /// Name, start and length of each.
    definitions: Vec<(u32, u32, u32)>,
}

/// The pack; unpacked once.
pub(crate) fn pack() -> &'static Pack {
    static RAW: OnceLock<Vec<u8>> = OnceLock::new();
    static PACK: OnceLock<Pack> = OnceLock::new();
    PACK.get_or_init(|| {
        let bytes: &'static [u8] = RAW.get_or_init(|| unpack(PACKED).unwrap_or_default());
        Pack::read(bytes).unwrap_or_default()
    })
}

fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = packed.split_first_chunk::<4>()?;
    let mut bytes = Vec::with_capacity(u32::from_le_bytes(*length) as usize);
    ZlibDecoder::new(rest).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Reads numbers one after the other.
#[derive(Debug, Clone, Copy)]
struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl Reader<'_> {
    fn number(&mut self) -> Option<u32> {
        let mut value: u64 = 0;
        for shift in (0..35).step_by(7) {
            let byte = *self.bytes.get(self.position)?;
            self.position += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(value).ok();
            }
        }
        None
    }

    fn index(&mut self) -> Option<usize> {
        self.number().map(|number| number as usize)
    }

    /// A number of entries, and the entries.
    fn table<T>(&mut self, mut entry: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        // Each takes at least a byte.
        let count = self.index()?.min(self.bytes.len());
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            entries.push(entry(self)?);
        }
        Some(entries)
    }
}

impl Pack {
    fn read(bytes: &'static [u8]) -> Option<Self> {
        let mut reader = Reader { bytes, position: 0 };
        let mut pack = Pack { bytes, ..Pack::default() };
        pack.minors = reader.table(|reader| reader.number()?.try_into().ok())?;
        pack.strings = reader.table(|reader| {
            let length = reader.number()?;
            let start = reader.position;
            reader.position = start.checked_add(length as usize)?;
            Some((start as u32, length))
        })?;
        pack.masks = reader.table(Reader::number)?;
        pack.types = reader.table(|reader| pack.read_type(reader))?;
        pack.field_types = reader.table(|reader| reader.number().map(TypeId))?;
        pack.kinds = reader.table(|reader| {
            Some(Kind {
                group: pack.text(reader.number()?)?,
                version: pack.text(reader.number()?)?,
                kind: pack.text(reader.number()?)?,
                plural: pack.text(reader.number()?)?,
                definition: DefinitionId(reader.number()?),
                is_namespaced: reader.number()? != 0,
                versions: *pack.masks.get(reader.index()?)?,
            })
        })?;
        pack.lifecycles = reader.table(|reader| {
            let mut next = || pack.text(reader.number()?);
            let (group, version, kind) = (next()?, next()?, next()?);
            let replacement = (next()?, next()?, next()?);
            Some(Lifecycle {
                group,
                version,
                kind,
                deprecated: reader.number()?.try_into().ok()?,
                removed: Some(u16::try_from(reader.number()?).ok()?).filter(|minor| *minor > 0),
                replacement: Some(replacement).filter(|(_, _, kind)| !kind.is_empty()),
            })
        })?;
        let mut start = 0;
        pack.definitions = reader.table(|reader| {
            let (name, length) = (reader.number()?, reader.number()?);
            let place = start;
            start += length;
            Some((name, place, length))
        })?;
        for (_, place, _) in &mut pack.definitions {
            *place += reader.position as u32;
        }
        Some(pack)
    }

    fn read_type(&self, reader: &mut Reader<'_>) -> Option<Type> {
        Some(match reader.number()? {
            0 => Type::Any,
            1 => Type::Bool,
            2 => Type::Int32,
            3 => Type::Int64,
            4 => Type::Double,
            5 => Type::String,
            6 => Type::Bytes,
            7 => Type::Time,
            8 => Type::MicroTime,
            9 => Type::Quantity,
            10 => Type::IntOrString,
            11 => Type::Object(DefinitionId(reader.number()?)),
            12 => {
                let items = TypeId(reader.number()?);
                let list = reader.number()?;
                let keys = reader.table(|reader| self.text(reader.number()?))?;
                Type::List(
                    items,
                    match list {
                        1 => ListType::Atomic,
                        2 => ListType::Set,
                        3 => ListType::Map(keys),
                        _ => ListType::Unknown,
                    },
                )
            }
            13 => Type::Map(TypeId(reader.number()?)),
            _ => return None,
        })
    }

    fn text(&self, number: u32) -> Option<&'static str> {
        let (start, length) = *self.strings.get(number as usize)?;
        std::str::from_utf8(self.bytes.get(start as usize..start.checked_add(length)? as usize)?).ok()
    }

    /// A type by its number.
    pub(crate) fn r#type(&self, id: TypeId) -> &Type {
        self.types.get(id.0 as usize).unwrap_or(&Type::Any)
    }

    /// How many definitions there are.
    pub(crate) fn definition_count(&self) -> usize {
        self.definitions.len()
    }

    /// All definitions.
    pub(crate) fn definition_ids(&self) -> impl Iterator<Item = DefinitionId> {
        (0..self.definitions.len() as u32).map(DefinitionId)
    }

    /// The full name of a definition.
    pub(crate) fn definition_name(&self, id: DefinitionId) -> &'static str {
        self.definitions.get(id.index()).and_then(|(name, ..)| self.text(*name)).unwrap_or_default()
    }

    /// Whether a definition is merged as a whole, and all forms of its fields.
    pub(crate) fn fields(&self, id: DefinitionId) -> Option<(bool, Vec<PackedField>)> {
        let (_, start, length) = *self.definitions.get(id.index())?;
        let body = self.bytes.get(..start.checked_add(length)? as usize)?;
        let mut reader = Reader { bytes: body, position: start as usize };
        let is_atomic = reader.number()? != 0;
        let fields = reader.table(|reader| {
            let name = self.text(reader.number()?)?;
            let r#type = *self.field_types.get(reader.index()?)?;
            let versions = *self.masks.get(reader.index()?)?;
            let flags = reader.number()?;
            let default = if flags & DEFAULT != 0 { Some(self.text(reader.number()?)?) } else { None };
            Some(PackedField { name, r#type, versions, flags, default })
        })?;
        Some((is_atomic, fields))
    }
}
