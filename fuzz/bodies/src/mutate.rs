//! Inputs made from other inputs, the same each time.

/// Makes inputs from seeds.
#[derive(Debug)]
pub struct Mutator {
    seeds: Vec<Vec<u8>>,
    state: u64,
}

/// No input is longer.
const LONGEST: usize = 256 << 10;

/// Pieces that readers treat in ways of their own.
const PIECES: [&str; 48] = [
    "\n",
    "\r\n",
    "\t",
    " ",
    "  ",
    ": ",
    "- ",
    "? ",
    "#",
    " #",
    "&a ",
    "*a",
    "!!str ",
    "!",
    "|",
    ">",
    "|2-\n",
    ">+\n",
    "'",
    "\"",
    "\\",
    "\\u",
    "\\ud83d",
    "{",
    "}",
    "[",
    "]",
    ",",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "<<: ",
    "~",
    "null",
    "true",
    "0x",
    "1e999",
    "-9223372036854775808",
    ".inf",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\u{0}",
    "\u{7f}",
    "é",
    "😀",
    "$ref",
    "\"$id\": ",
];

impl Mutator {
    /// A mutator of these seeds; the number decides what it makes of them.
    pub fn new(seeds: impl IntoIterator<Item = Vec<u8>>, number: u64) -> Self {
        let seeds: Vec<_> = seeds.into_iter().collect();
        Mutator { seeds, state: number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    /// The next input.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut input = self.seed();
        for _ in 0..=self.below(6) {
            self.change(&mut input);
        }
        // Few are long: most mistakes show in short ones, which are tried faster.
        if self.below(200) == 0 {
            self.stretch(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    /// Repeats a part of an input until it is long: what takes more time than it should shows only then.
    fn stretch(&mut self, input: &mut Vec<u8>) {
        let start = self.below(input.len() + 1);
        let end = (start + 1 + self.below(24)).min(input.len());
        let part = input[start..end].to_vec();
        let wanted = 1 << (12 + self.below(7));
        if let Some(times) = usize::checked_div(wanted, part.len()) {
            input.splice(start..start, part.repeat(times));
        }
    }

    fn seed(&mut self) -> Vec<u8> {
        let index = self.below(self.seeds.len());
        self.seeds.get(index).cloned().unwrap_or_default()
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let start = self.below(input.len() + 1);
        let end = (start + self.below(16)).min(input.len());
        match self.below(8) {
            0 => {
                input.drain(start..end);
            }
            1 => {
                let copy = input[start..end].to_vec();
                let times = 1 + self.below(40);
                input.splice(start..start, copy.repeat(times));
            }
            2 => input.truncate(start),
            3 => {
                let bit = 1 << self.below(8);
                if let Some(byte) = input.get_mut(start) {
                    *byte ^= bit;
                }
            }
            4 => {
                let other = self.seed();
                let from = self.below(other.len() + 1);
                input.splice(start..end, other[from..].iter().copied());
            }
            5 => {
                let byte = self.below(256) as u8;
                input.insert(start, byte);
            }
            _ => {
                let piece = PIECES[self.below(PIECES.len())];
                input.splice(start..start, piece.bytes());
            }
        }
    }

    /// A number below a limit, or zero. The generator is xorshift*.
    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let number = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        (number as usize).checked_rem(limit).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_makes_the_same_inputs() {
        let inputs = |number| {
            let mut mutator = Mutator::new([b"a: 1".to_vec(), b"[]".to_vec()], number);
            (0..50).map(|_| mutator.next_input()).collect::<Vec<_>>()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
    }
}
