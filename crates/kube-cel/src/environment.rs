//! Which functions, types and settings expressions have, by version of Kubernetes.

use std::sync::OnceLock;

use trueline_cel::env::{Env, Numbers, ReservedFields};
use trueline_cel::library::strings::Version as Strings;
use trueline_cel::library::{comprehensions, format_check, lists as lists_library, optional, sets, strings};
use trueline_cel::types::Type;
use trueline_cel::validate;

use crate::cidr::CIDR;
use crate::ip::IP;
use crate::{authorizer, cidr, format, ip, lists, quantity, regex, semver, url};

/// What one evaluation may cost.
pub const PER_CALL_LIMIT: u64 = 1_000_000;

/// The first version after which nothing was taken away or added before 1.27, and the last one that added something.
const FIRST: u32 = 26;
const LAST: u32 = 34;

/// What new expressions may use where Kubernetes 1.`minor` has to understand them. A server that validates an expression
/// asks with the version before its own, so it can be rolled back.
///
/// Variables and types of objects are added by whoever knows them.
pub fn environment(minor: u32) -> Env {
    static READY: [OnceLock<Env>; (LAST - FIRST + 1) as usize] =
        [const { OnceLock::new() }; (LAST - FIRST + 1) as usize];
    let minor = minor.clamp(FIRST, LAST);
    match READY.get((minor - FIRST) as usize) {
        Some(ready) => ready.get_or_init(|| make(minor)).clone(),
        None => make(minor),
    }
}

fn make(minor: u32) -> Env {
    let mut env = Env::new();
    if minor < 31 {
        env.options.reserved_fields = ReservedFields::Escaped;
    }
    env.add_validator(validate::homogeneous_literals);
    env.add_functions(url::functions());
    env.add_functions(regex::functions());
    env.add_functions(lists::functions());
    if minor >= 27 {
        env.add_functions(authorizer::functions());
    }
    if minor >= 28 {
        env.options.numbers = Numbers::OfAllTypes;
        env.syntax.optional = true;
        env.add_functions(optional::functions());
        for (name, declared) in optional::types() {
            env.add_type(name, declared);
        }
        env.add_functions(quantity::functions());
    }
    if minor >= 29 {
        env.add_validator(validate::duration_literals);
        env.add_validator(validate::timestamp_literals);
        env.add_validator(validate::regex_literals);
        env.add_functions(strings::functions(Strings::V2));
        env.add_validator(format_check::format_literals);
        env.add_functions(sets::functions());
    } else {
        env.add_functions(strings::functions(Strings::V0));
    }
    if minor >= 30 {
        env.add_functions(ip::functions());
        env.add_functions(cidr::functions());
        env.add_type(IP.name, Type::Opaque(&IP));
        env.add_type(CIDR.name, Type::Opaque(&CIDR));
    }
    if minor >= 31 {
        env.add_functions(format::functions());
        env.add_functions(authorizer::selector_functions());
    }
    if minor >= 32 {
        env.syntax.two_variable_comprehensions = true;
        env.add_functions(comprehensions::functions());
    }
    if minor >= 33 {
        env.add_functions(semver::functions());
    }
    if minor >= 34 {
        env.syntax.sort_by = true;
        env.add_functions(lists_library::functions());
    }
    env
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_come_with_versions() {
        for (name, first) in [
            ("url", 23),
            ("find", 23),
            ("isSorted", 23),
            ("charAt", 23),
            ("check", 27),
            ("quantity", 28),
            ("hasValue", 28),
            ("sets.contains", 29),
            ("strings.quote", 29),
            ("isIP", 30),
            ("isCIDR", 30),
            ("format.named", 31),
            ("labelSelector", 31),
            ("isSemver", 33),
            ("lists.range", 34),
        ] {
            assert!(environment(first).function(name).is_some(), "{name} in 1.{first}");
            assert!(
                first == 23 || environment(first - 1).function(name).is_none(),
                "{name} before 1.{first}"
            );
            assert!(environment(99).function(name).is_some(), "{name} in the newest version");
        }
        assert!(environment(31).compile("[1].all(i, v, v > 0)").is_err());
        assert!(environment(32).compile("[1].all(i, v, v > 0)").is_ok());
        assert!(environment(33).compile("[1].sortBy(i, i)").is_err());
        assert!(environment(34).compile("[1].sortBy(i, i)").is_ok());
    }
}
