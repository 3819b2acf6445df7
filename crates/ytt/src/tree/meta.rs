//! What nodes have beside their content: where they are, and what few of them have.

use std::ptr;
use std::rc::{Rc, Weak};

use super::{Annotations, File, Position};

/// A comment, from after its `#` to the end of its line.
#[derive(Debug, Clone)]
pub struct Comment {
    /// What it says, without the `#`.
    pub text: Rc<str>,
    /// Where it is, with the `#`.
    pub position: Position,
}

/// What few nodes have.
#[derive(Debug, Clone, Default)]
pub struct Extra {
    /// The comments that belong to the node, in reading order.
    pub comments: Vec<Comment>,
    /// What annotations said.
    pub annotations: Annotations,
}

/// What every node has beside its content: a position and a place, and what few nodes have.
///
/// A run makes a node for each value of each document, so the files are not in the node itself: the nodes of one file
/// share them.
#[derive(Debug, Clone, Default)]
pub struct Meta {
    common: Option<Rc<Common>>,
    position: Stretch,
    place: Stretch,
}

/// Where a position is in its file: the start and the end.
pub(super) type Stretch = (u32, u32);

/// What is in common to nodes of the same files.
#[derive(Debug, Clone, Default)]
struct Common {
    position: Option<Rc<File>>,
    place: Option<Rc<File>>,
    extra: Option<Rc<Extra>>,
}

/// What nodes of a file have in common with each other, by the files of their position and their place.
#[derive(Debug, Default)]
pub(super) struct Commons(Vec<(*const File, *const File, Weak<Common>)>);

/// So many pairs with other files are remembered of a file. More would only be values of many flags in one template.
const MOST_COMMONS: usize = 16;

impl Common {
    /// What nodes of these files share that have nothing else.
    fn of(position: Option<&Rc<File>>, place: Option<&Rc<File>>) -> Option<Rc<Common>> {
        let owner = position.or(place)?;
        let address = |file: Option<&Rc<File>>| file.map_or(ptr::null(), Rc::as_ptr);
        let (of_position, of_place) = (address(position), address(place));
        let mut known = owner.commons().borrow_mut();
        let found = known.0.iter().position(|(one, two, _)| *one == of_position && *two == of_place);
        // Who is still there keeps its files, so an address stands for the file that it was noted for.
        if let Some(common) = found.and_then(|index| known.0.get(index)?.2.upgrade()) {
            return Some(common);
        }
        let common = Rc::new(Common { position: position.cloned(), place: place.cloned(), extra: None });
        let entry = (of_position, of_place, Rc::downgrade(&common));
        match found.and_then(|index| known.0.get_mut(index)) {
            Some(gone) => *gone = entry,
            None => {
                if known.0.len() >= MOST_COMMONS {
                    known.0.remove(0);
                }
                known.0.push(entry);
            }
        }
        Some(common)
    }
}

impl Meta {
    /// A node at a position.
    pub fn at(position: Position) -> Meta {
        Meta::new(position, Position::unknown())
    }

    /// A node at a position, whose value was typed at a place.
    pub fn new(position: Position, place: Position) -> Meta {
        let (file, position) = position.into_parts();
        let (typed_in, place) = place.into_parts();
        Meta { common: Common::of(file.as_ref(), typed_in.as_ref()), position, place }
    }

    /// The same, with the place where its value was typed.
    pub fn typed_at(mut self, place: Position) -> Meta {
        self.set_place(place);
        self
    }

    /// Where the node is: the line that ytt's messages name. For an item of a template's output, its template line.
    pub fn position(&self) -> Position {
        Position::of_parts(self.file(), self.position)
    }

    /// Where its value was typed: the scalar itself, in a file or a flag. A data value keeps its place in everything that
    /// it is put into, and so a report can point at it.
    pub fn place(&self) -> Position {
        Position::of_parts(self.typed_in(), self.place)
    }

    /// Says where the node is.
    pub fn set_position(&mut self, position: Position) {
        let (file, position) = position.into_parts();
        self.position = position;
        if !is_same(file.as_ref(), self.file()) {
            let typed_in = self.typed_in().cloned();
            self.set_files(file, typed_in);
        }
    }

    /// Says where its value was typed.
    pub fn set_place(&mut self, place: Position) {
        let (typed_in, place) = place.into_parts();
        self.place = place;
        if !is_same(typed_in.as_ref(), self.typed_in()) {
            let file = self.file().cloned();
            self.set_files(file, typed_in);
        }
    }

    fn set_files(&mut self, position: Option<Rc<File>>, place: Option<Rc<File>>) {
        let extra = self.common.as_ref().and_then(|common| common.extra.clone());
        self.common = match extra {
            None => Common::of(position.as_ref(), place.as_ref()),
            Some(_) => Some(Rc::new(Common { position, place, extra })),
        };
    }

    fn file(&self) -> Option<&Rc<File>> {
        self.common.as_ref()?.position.as_ref()
    }

    fn typed_in(&self) -> Option<&Rc<File>> {
        self.common.as_ref()?.place.as_ref()
    }

    /// Where its key was typed. The position of a key from a flag is in the flag as ytt shows it, or in its value, which
    /// has no name; but its place is in the flag as it was typed, which ends with either.
    pub fn key_place(&self) -> Position {
        let (position, place) = (self.position(), self.place());
        let (Some(shown), Some(typed)) = (position.file(), place.file()) else {
            return if position.is_known() { position } else { place };
        };
        if !position.is_known() {
            return place;
        }
        let is_of_flag = shown.is_argument() || shown.name().is_empty();
        match position.range() {
            Some(range) if is_of_flag && typed.text().ends_with(&**shown.text()) => {
                let offset = (typed.text().len() - shown.text().len()) as u32;
                Position::new(typed, range.start + offset..range.end + offset)
            }
            _ => position,
        }
    }

    /// Comments, annotations and the like, if it has any.
    pub fn extra(&self) -> Option<&Extra> {
        self.common.as_ref()?.extra.as_deref()
    }

    /// Comments, annotations and the like, to be changed.
    pub fn extra_mut(&mut self) -> &mut Extra {
        let common = Rc::make_mut(self.common.get_or_insert_default());
        Rc::make_mut(common.extra.get_or_insert_default())
    }

    /// Removes comments, annotations and the like.
    pub fn clear_extra(&mut self) {
        if self.extra().is_some() {
            self.common = Common::of(self.file(), self.typed_in());
        }
    }

    /// Its comments.
    pub fn comments(&self) -> &[Comment] {
        self.extra().map_or(&[], |extra| &extra.comments)
    }

    /// Its annotations.
    pub fn annotations(&self) -> &Annotations {
        self.extra().map_or(const { &Annotations::new() }, |extra| &extra.annotations)
    }

    /// Its annotations, to be changed.
    pub fn annotations_mut(&mut self) -> &mut Annotations {
        &mut self.extra_mut().annotations
    }
}

fn is_same(one: Option<&Rc<File>>, two: Option<&Rc<File>>) -> bool {
    match (one, two) {
        (Some(one), Some(two)) => Rc::ptr_eq(one, two),
        (None, None) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_small() {
        assert_eq!(size_of::<Meta>(), 24);
        assert_eq!(size_of::<super::super::MapItem>(), 56);
    }

    #[test]
    fn nodes_of_the_same_files_share_them() {
        let (file, other) = (File::new("a.yml", "a: 1\n"), File::new("b.yml", "b: 2\n"));
        let at = |file: &Rc<File>| Position::new(file, 3..4);
        let one = Meta::at(at(&file)).typed_at(at(&other));
        let mut two = Meta::new(Position::new(&file, 0..1), Position::new(&other, 0..1));
        let is_shared = |one: &Meta, two: &Meta| match (&one.common, &two.common) {
            (Some(one), Some(two)) => Rc::ptr_eq(one, two),
            _ => false,
        };
        assert!(is_shared(&one, &two));
        assert_eq!((two.position().range(), two.place().range()), (Some(0..1), Some(0..1)));
        two.extra_mut().comments.push(Comment { text: "x".into(), position: Position::unknown() });
        assert!(!is_shared(&one, &two) && one.comments().is_empty());
        two.set_place(at(&file));
        assert_eq!((two.place().to_string().as_str(), two.comments().len()), ("a.yml:1", 1));
        two.set_place(at(&other));
        two.clear_extra();
        assert!(is_shared(&one, &two));
        two.set_position(Position::unknown());
        assert!(!two.position().is_known() && two.place().is_known());
    }

    #[test]
    fn a_file_goes_with_its_last_node() {
        let file = File::new("a.yml", "a: 1\n");
        let gone = Rc::downgrade(&file);
        let meta = Meta::at(Position::new(&file, 0..1));
        drop(file);
        assert!(gone.upgrade().is_some());
        drop(meta);
        assert!(gone.upgrade().is_none());
    }
}
