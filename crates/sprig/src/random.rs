//! Random text, numbers and identifiers. The caller provides the randomness.

use trueline_gostd::base64::STANDARD;
use trueline_gotemplate::{Context, Data, Environment, Error, Function, Type, Uses, Value};

use crate::argument::{any, integer, text};
use crate::define::fixed;
use crate::text::check_size;

const COUNT: &[Type] = &[Type::INT];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed(
        "randAlphaNum",
        COUNT,
        rand_alpha_num,
        "LENGTH",
        "Random letters and digits, with at least one digit.",
    ),
    fixed("randAlpha", COUNT, rand_alpha, "LENGTH", "Random letters."),
    fixed("randNumeric", COUNT, rand_numeric, "LENGTH", "Random digits."),
    fixed("randAscii", COUNT, rand_ascii, "LENGTH", "Random printable characters of ASCII."),
    fixed("randBytes", COUNT, rand_bytes, "LENGTH", "Random bytes in base64."),
    fixed(
        "randInt",
        &[Type::INT, Type::INT],
        rand_int,
        "FROM TO",
        "A random number from the first up to, but not including, the second.",
    ),
    fixed("shuffle", &[Type::String], shuffle, "STRING", "The characters in random order.").with(Uses::Items),
    fixed("uuidv4", &[], uuidv4, "", "A random identifier such as `6ba7b810-9dad-41d1-80b4-00c04fd430c8`."),
];

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: &[u8] = b"0123456789";

/// The system's random numbers are slow to request, so several are requested at once.
const STEPS_PER_DRAW: u64 = 8;

/// A random number below a limit, all equally likely; 0 if the limit is.
fn below(environment: &dyn Environment, limit: u64) -> u64 {
    if limit == 0 {
        return 0;
    }
    // The numbers above the last multiple of the limit would make small results more likely.
    let unfair = (u64::MAX % limit + 1) % limit;
    loop {
        let mut bytes = [0; 8];
        environment.random(&mut bytes);
        let number = u64::from_le_bytes(bytes);
        if number <= u64::MAX - unfair {
            return number % limit;
        }
    }
}

fn pick(environment: &dyn Environment, from: &[u8]) -> u8 {
    let index = usize::try_from(below(environment, from.len() as u64)).unwrap_or(0);
    from.get(index).copied().unwrap_or_default()
}

/// COUNT random characters; none if it is negative.
fn random_text(context: &mut dyn Context, arguments: &[Value], from: &[u8]) -> Result<Vec<u8>, Error> {
    let count = u64::try_from(integer(arguments, 0)).unwrap_or(0);
    check_size(count)?;
    context.spend(count.saturating_mul(STEPS_PER_DRAW))?;
    let environment = context.environment();
    Ok((0..count).map(|_| pick(environment, from)).collect())
}

fn made(bytes: Vec<u8>) -> Value {
    Value::new(Data::String(bytes.into()))
}

fn rand_alpha_num(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let mut made_text = random_text(context, arguments, &[LETTERS, DIGITS].concat())?;
    if !made_text.iter().any(u8::is_ascii_digit) {
        let environment = context.environment();
        let place = usize::try_from(below(environment, made_text.len() as u64)).unwrap_or(0);
        if let Some(character) = made_text.get_mut(place) {
            *character = pick(environment, DIGITS);
        }
    }
    Ok(made(made_text))
}

fn rand_alpha(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    random_text(context, arguments, LETTERS).map(made)
}

fn rand_numeric(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    random_text(context, arguments, DIGITS).map(made)
}

fn rand_ascii(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let printable: Vec<u8> = (b' '..=b'~').collect();
    random_text(context, arguments, &printable).map(made)
}

fn rand_bytes(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let too_long = || Error::new("runtime error: makeslice: len out of range");
    let count = usize::try_from(integer(arguments, 0)).map_err(|_| too_long())?;
    check_size(count as u64)?;
    context.spend(count as u64)?;
    let mut bytes = vec![0; count];
    context.environment().random(&mut bytes);
    Ok(Value::from(STANDARD.encode(&bytes)))
}

fn rand_int(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (from, to) = (integer(arguments, 0), integer(arguments, 1));
    let span = u64::try_from(to.wrapping_sub(from)).ok().filter(|span| *span > 0);
    let span = span.ok_or_else(|| Error::new("invalid argument to Intn"))?;
    let chosen = i64::try_from(below(context.environment(), span)).unwrap_or(0);
    Ok(Value::int(from.wrapping_add(chosen)))
}

fn shuffle(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let text = text(arguments, 0);
    context.spend((text.len() as u64).saturating_mul(STEPS_PER_DRAW))?;
    let mut characters: Vec<char> = text.text().chars().collect();
    for last in (1..characters.len()).rev() {
        let other = usize::try_from(below(context.environment(), last as u64 + 1)).unwrap_or(0);
        characters.swap(last, other);
    }
    let shuffled: String = characters.into_iter().collect();
    Ok(Value::from(shuffled).at(any(arguments, 0).origin))
}

fn uuidv4(context: &mut dyn Context, _: &[Value]) -> Result<Value, Error> {
    let mut bytes = [0; 16];
    context.environment().random(&mut bytes);
    // The version and the variant have fixed positions.
    let number = u128::from_be_bytes(bytes) & !(0xf << 76) & !(0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    let digits = format!("{number:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| digits.get(range).unwrap_or_default());
    Ok(Value::from(parts.join("-")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, shown};

    #[test]
    fn strings_have_the_right_length_and_characters() {
        type Accepted = fn(&u8) -> bool;
        let table: &[(&str, Accepted)] = &[
            ("randAlphaNum", u8::is_ascii_alphanumeric),
            ("randAlpha", u8::is_ascii_alphabetic),
            ("randNumeric", u8::is_ascii_digit),
            ("randAscii", |byte| (b' '..=b'~').contains(byte)),
        ];
        for (name, accepted) in table {
            for length in [0, 1, 100] {
                let made = shown(call(FUNCTIONS, name, &[Value::int(length)]));
                assert_eq!(made.len() as i64, length, "{name}");
                assert!(made.as_bytes().iter().all(accepted), "{name}: {made}");
            }
            assert_eq!(shown(call(FUNCTIONS, name, &[Value::int(-5)])), "");
        }
        let one = shown(call(FUNCTIONS, "randAlphaNum", &[Value::int(1)]));
        assert!(one.as_bytes()[0].is_ascii_digit());
    }

    #[test]
    fn numbers_and_identifiers() {
        let number: i64 =
            shown(call(FUNCTIONS, "randInt", &[Value::int(-3), Value::int(4)])).parse().unwrap();
        assert!((-3..4).contains(&number));
        assert_eq!(
            shown(call(FUNCTIONS, "randInt", &[Value::int(4), Value::int(4)])),
            "invalid argument to Intn"
        );
        assert_eq!(
            shown(call(FUNCTIONS, "randBytes", &[Value::int(-1)])),
            "runtime error: makeslice: len out of range"
        );
        assert_eq!(shown(call(FUNCTIONS, "randBytes", &[Value::int(4)])).len(), 8);
        let uuid = shown(call(FUNCTIONS, "uuidv4", &[]));
        assert_eq!(uuid.len(), 36);
        assert_eq!(uuid.as_bytes()[14], b'4');
        assert!(b"89ab".contains(&uuid.as_bytes()[19]));
        let mut shuffled: Vec<char> = shown(call(FUNCTIONS, "shuffle", &["abcé".into()])).chars().collect();
        shuffled.sort_unstable();
        assert_eq!(shuffled, ['a', 'b', 'c', 'é']);
    }
}
