//! How large values may be, and how costs follow from that.

/// How large a value may be, or what something may cost. Sizes are characters of a string, bytes, items of a list and
/// entries of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// At least.
    pub min: u64,
    /// At most; `u64::MAX` where nothing is known.
    pub max: u64,
}

impl Size {
    /// Nothing is known.
    pub const UNKNOWN: Size = Size { min: 0, max: u64::MAX };

    /// Exactly so much.
    pub const fn fixed(size: u64) -> Self {
        Size { min: size, max: size }
    }

    /// Between the two.
    pub const fn between(min: u64, max: u64) -> Self {
        Size { min, max }
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Size) -> Self {
        Size { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    /// The product.
    #[must_use]
    pub fn times(self, other: Size) -> Self {
        Size { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// The product with a cost per unit, rounded up.
    #[must_use]
    pub fn by_factor(self, factor: f64) -> Self {
        Size { min: by_factor(self.min, factor), max: by_factor(self.max, factor) }
    }

    /// What has room for both.
    #[must_use]
    pub fn union(self, other: Size) -> Self {
        Size { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// The product of a size and a cost per unit, rounded up.
pub fn by_factor(size: u64, factor: f64) -> u64 {
    // A float is made an integer by `as` with saturation, which is where cel-go cuts too.
    (size as f64 * factor).ceil() as u64
}

/// The cost of reading one character of a string.
pub const STRING_TRAVERSAL: f64 = 0.1;
