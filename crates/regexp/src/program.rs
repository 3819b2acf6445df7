//! A pattern as a list of instructions, all paths of which are followed in parallel, character by character.

use std::collections::BTreeMap;

use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// How many instructions a program may have. Go allows about ten times as many.
const MAX_INSTRUCTIONS: usize = 400_000;

/// How many steps one search may take.
const MAX_STEPS: usize = 10_000_000;

#[derive(Debug, Clone, Copy)]
enum Instruction {
    /// A character of a class, then the next instruction.
    Class(usize),
    Character(char),
    Look(Look),
    /// Two paths, the first preferred.
    Split(usize, usize),
    Jump(usize),
    Match,
}

#[derive(Debug)]
pub(crate) struct Program {
    instructions: Vec<Instruction>,
    classes: Vec<Vec<(char, char)>>,
}

struct Compiler {
    program: Program,
    known: BTreeMap<Vec<(char, char)>, usize>,
}

impl Program {
    /// `None` if it would be too large.
    pub(crate) fn new(parsed: &Hir) -> Option<Self> {
        let program = Program { instructions: Vec::new(), classes: Vec::new() };
        let mut compiler = Compiler { program, known: BTreeMap::new() };
        compiler.compile(parsed)?;
        compiler.push(Instruction::Match)?;
        Some(compiler.program)
    }

    /// Whether a part of the text matches; `None` if that takes too long to find out.
    pub(crate) fn is_match(&self, text: &str) -> Option<bool> {
        let mut steps = MAX_STEPS;
        let mut now = Threads::new(self.instructions.len());
        let mut next = Threads::new(self.instructions.len());
        let mut before = None;
        let mut rest = text.chars();
        loop {
            let mut behind = rest.clone();
            let character = behind.next();
            // A match may start anywhere.
            if self.follow(0, &mut now, (before, character), &mut steps)? {
                return Some(true);
            }
            let Some(character) = character else { return Some(false) };
            let after = behind.clone().next();
            next.clear();
            for index in 0..now.waiting.len() {
                steps = steps.checked_sub(1)?;
                let Some(at) = now.waiting.get(index).copied() else { break };
                let fits = match self.instructions.get(at) {
                    Some(Instruction::Character(wanted)) => *wanted == character,
                    Some(Instruction::Class(class)) => self.has(*class, character),
                    _ => false,
                };
                if fits && self.follow(at + 1, &mut next, (Some(character), after), &mut steps)? {
                    return Some(true);
                }
            }
            std::mem::swap(&mut now, &mut next);
            before = Some(character);
            rest = behind;
        }
    }

    fn has(&self, class: usize, character: char) -> bool {
        let ranges = self.classes.get(class).map(Vec::as_slice).unwrap_or_default();
        let index = ranges.partition_point(|(_, last)| *last < character);
        ranges.get(index).is_some_and(|(first, _)| *first <= character)
    }

    /// Follows instructions that consume no character, and returns whether that leads to a match.
    fn follow(
        &self,
        from: usize,
        threads: &mut Threads,
        around: (Option<char>, Option<char>),
        steps: &mut usize,
    ) -> Option<bool> {
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if !threads.enter(at) {
                continue;
            }
            *steps = steps.checked_sub(1)?;
            match self.instructions.get(at) {
                Some(Instruction::Match) => return Some(true),
                Some(Instruction::Class(_) | Instruction::Character(_)) => threads.waiting.push(at),
                Some(Instruction::Look(look)) if holds(*look, around) => open.push(at + 1),
                Some(Instruction::Split(first, second)) => open.extend([*second, *first]),
                Some(Instruction::Jump(to)) => open.push(*to),
                Some(Instruction::Look(_)) | None => {}
            }
        }
        Some(false)
    }
}

/// Whether an assertion holds between two characters.
fn holds(look: Look, (before, after): (Option<char>, Option<char>)) -> bool {
    let is_word = |character: Option<char>| {
        character.is_some_and(|character| character.is_ascii_alphanumeric() || character == '_')
    };
    match look {
        Look::Start => before.is_none(),
        Look::End => after.is_none(),
        Look::StartLF => before.is_none_or(|character| character == '\n'),
        Look::EndLF => after.is_none_or(|character| character == '\n'),
        Look::WordAscii => is_word(before) != is_word(after),
        Look::WordAsciiNegate => is_word(before) == is_word(after),
        // Go has no other assertions.
        _ => false,
    }
}

/// The instructions that wait for a character, each once.
struct Threads {
    waiting: Vec<usize>,
    seen: Vec<u32>,
    round: u32,
}

impl Threads {
    fn new(count: usize) -> Self {
        Threads { waiting: Vec::new(), seen: vec![0; count], round: 1 }
    }

    fn clear(&mut self) {
        self.waiting.clear();
        // Text is always shorter than four billion characters.
        self.round = self.round.saturating_add(1);
    }

    fn enter(&mut self, at: usize) -> bool {
        match self.seen.get_mut(at) {
            Some(seen) if *seen != self.round => {
                *seen = self.round;
                true
            }
            _ => false,
        }
    }
}

impl Compiler {
    fn push(&mut self, instruction: Instruction) -> Option<usize> {
        let at = self.program.instructions.len();
        if at >= MAX_INSTRUCTIONS {
            return None;
        }
        self.program.instructions.push(instruction);
        Some(at)
    }

    fn here(&self) -> usize {
        self.program.instructions.len()
    }

    fn set(&mut self, at: usize, instruction: Instruction) {
        if let Some(found) = self.program.instructions.get_mut(at) {
            *found = instruction;
        }
    }

    fn class(&mut self, ranges: Vec<(char, char)>) -> usize {
        if let Some(known) = self.known.get(&ranges) {
            return *known;
        }
        let index = self.program.classes.len();
        self.program.classes.push(ranges.clone());
        self.known.insert(ranges, index);
        index
    }

    /// The depth is that of the pattern, which is limited during parsing.
    fn compile(&mut self, part: &Hir) -> Option<()> {
        match part.kind() {
            HirKind::Empty => {}
            HirKind::Literal(literal) => {
                for character in std::str::from_utf8(&literal.0).ok()?.chars() {
                    self.push(Instruction::Character(character))?;
                }
            }
            HirKind::Class(class) => {
                let ranges = match class {
                    Class::Unicode(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
                    Class::Bytes(class) => {
                        class.iter().map(|range| (range.start().into(), range.end().into())).collect()
                    }
                };
                let index = self.class(ranges);
                self.push(Instruction::Class(index))?;
            }
            HirKind::Look(look) => _ = self.push(Instruction::Look(*look))?,
            HirKind::Capture(capture) => self.compile(&capture.sub)?,
            HirKind::Concat(parts) => {
                for part in parts {
                    self.compile(part)?;
                }
            }
            HirKind::Alternation(parts) => self.alternation(parts)?,
            HirKind::Repetition(repetition) => {
                for _ in 0..repetition.min {
                    self.compile(&repetition.sub)?;
                }
                match repetition.max {
                    None => self.any_number(&repetition.sub)?,
                    Some(most) => self.at_most(&repetition.sub, most.saturating_sub(repetition.min))?,
                }
            }
        }
        Some(())
    }

    fn alternation(&mut self, parts: &[Hir]) -> Option<()> {
        let mut ends = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if index + 1 == parts.len() {
                self.compile(part)?;
                break;
            }
            let split = self.push(Instruction::Match)?;
            self.compile(part)?;
            ends.push(self.push(Instruction::Match)?);
            self.set(split, Instruction::Split(split + 1, self.here()));
        }
        for end in ends {
            self.set(end, Instruction::Jump(self.here()));
        }
        Some(())
    }

    fn any_number(&mut self, part: &Hir) -> Option<()> {
        let split = self.push(Instruction::Match)?;
        self.compile(part)?;
        self.push(Instruction::Jump(split))?;
        self.set(split, Instruction::Split(split + 1, self.here()));
        Some(())
    }

    fn at_most(&mut self, part: &Hir, count: u32) -> Option<()> {
        let mut splits = Vec::new();
        for _ in 0..count {
            splits.push(self.push(Instruction::Match)?);
            self.compile(part)?;
        }
        for split in splits {
            self.set(split, Instruction::Split(split + 1, self.here()));
        }
        Some(())
    }
}
