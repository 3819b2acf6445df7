//! Pieces of text and code to a program.

use std::cell::RefCell;
use std::rc::Rc;

use super::parse::{Piece, PieceKind, Signs, parse};
use crate::error::Error;
use crate::template::{
    Fixed, InstructionNames, KeyOverrides, Listing, NodeKind, NodeTable, Program, Prototype, ROOT, Source,
    trim_end, trim_start,
};
use crate::tree::{File, Meta, Position, Value};

/// Compiles a text template.
///
/// # Errors
/// If `(@` and `@)` do not match.
pub fn compile(file: &Rc<File>, text: &[u8], id: u32) -> Result<Rc<Program>, Error> {
    let names = InstructionNames::new(id);
    let mut nodes = NodeTable::new();
    let mut listing = Listing::default();
    let pieces = parse(text, 1).map_err(|error| error.at(Position::of_line(file, 1)))?;
    let origin = Origin {
        file: Some(file),
        start: (file.text().as_bytes() == text).then_some(0),
        line: RefCell::default(),
    };
    compile_pieces(&pieces, &origin, &names, &mut nodes, &mut listing);
    listing.push(format!("{}()", names.end_ctx), None);
    Ok(Program::new(file.name(), names, nodes, listing, KeyOverrides::default()))
}

/// Compiles a string of a YAML template into the program of that template, up to the call that ends the text.
///
/// # Errors
/// If `(@` and `@)` do not match.
pub(crate) fn compile_inline(
    text: &[u8],
    position: &Position,
    names: &InstructionNames,
    nodes: &mut NodeTable,
    listing: &mut Listing,
) -> Result<(), Error> {
    let line = position.line().unwrap_or(1);
    let pieces = parse(text, line).map_err(|error| error.at(position.clone()))?;
    let origin = Origin { file: position.file(), start: None, line: RefCell::default() };
    compile_pieces(&pieces, &origin, names, nodes, listing);
    Ok(())
}

/// Where the pieces of the template are.
struct Origin<'f> {
    file: Option<&'f Rc<File>>,
    /// Where the text starts in the file, if it is there exactly as written.
    start: Option<u32>,
    /// The last line that was asked for: a long line may have many pieces.
    line: RefCell<Option<(u32, Position)>>,
}

impl Origin<'_> {
    fn source(&self, piece: &Piece<'_>, content: &[u8], line: u32) -> Option<Source> {
        let file = self.file?;
        let mut known = self.line.borrow_mut();
        let position = match &*known {
            Some((number, position)) if *number == line => position.clone(),
            _ => {
                let position = Position::of_line(file, line);
                *known = Some((line, position.clone()));
                position
            }
        };
        let source = Source::piece(position, content);
        Some(match self.start {
            Some(start) => {
                let start = start + piece.offset as u32;
                source.with_code(Position::new(file, start..start + piece.content.len() as u32))
            }
            None => source,
        })
    }
}

fn compile_pieces(
    pieces: &[Piece<'_>],
    origin: &Origin<'_>,
    names: &InstructionNames,
    nodes: &mut NodeTable,
    listing: &mut Listing,
) {
    let root = nodes.add(ROOT, Prototype::new(NodeKind::TextRoot, Meta::default()));
    listing.push(format!("{}(\"text\")", names.set_ctx_type), None);
    listing.push(format!("{}(\"text\")", names.start_ctx), None);
    listing.push(format!("{}({})", names.start_node, nodes.tag(root)), None);
    let mut trims_after = false;
    for (index, piece) in pieces.iter().enumerate() {
        let id = match piece.kind {
            PieceKind::Text => {
                let content = if trims_after { trim_start(piece.content) } else { piece.content };
                trims_after = false;
                let is_cut = pieces.get(index + 1).is_some_and(|next| Signs::read(next.content).trims_before);
                let mut prototype = Prototype::new(NodeKind::Text, Meta::default());
                prototype.fixed = Fixed::Whole;
                prototype.value = Value::string(if is_cut { trim_end(content) } else { content });
                let id = nodes.add(root, prototype);
                let source = origin.source(piece, content, piece.line);
                listing.push_start(names, nodes.tag(id), id, source);
                id
            }
            PieceKind::Code => {
                let signs = Signs::read(piece.content);
                trims_after = signs.trims_after;
                if !signs.prints {
                    for (offset, line) in signs.code.split(|&byte| byte == b'\n').enumerate() {
                        listing.push_written(line, origin.source(piece, line, piece.line + offset as u32));
                    }
                    continue;
                }
                let id = nodes.add(root, Prototype::new(NodeKind::Text, Meta::default()));
                let tag = nodes.tag(id);
                let source = origin.source(piece, piece.content, piece.line);
                listing.push(format!("{}({tag})", names.start_node), source.clone());
                let mut code = format!("{}({tag}, (", names.set_node).into_bytes();
                code.extend_from_slice(signs.code);
                code.extend_from_slice(b"))");
                listing.push_written(code, source);
                id
            }
        };
        nodes.close(id);
    }
    nodes.close(root);
}
