//! CRDs as the server sees them: structural schemas and their rules in CEL, what is demanded of a definition, what becomes
//! of its objects (decode, prune, default, validate), what a change of it breaks, and what is published.

pub mod cel;
pub mod check;
pub mod codes;
pub mod definition;
pub mod diff;
pub mod object;
pub mod props;
pub mod publish;
pub mod query;
pub mod structural;
mod value;

use trueline_kube_facts::ServerRule;

/// The rules that are declared in this crate.
pub static NAMED_LISTS: &[&[&ServerRule]] = &[
    cel::evaluate::NAMED,
    check::validate::approval::NAMED,
    check::validate::columns::NAMED,
    check::validate::conversion::NAMED,
    check::validate::defaults::NAMED,
    check::validate::expressions::NAMED,
    check::validate::NAMED,
    check::validate::names::NAMED,
    check::validate::schema::NAMED,
    check::validate::selectable::NAMED,
    check::validate::spec::NAMED,
    check::validate::subresources::NAMED,
    check::validate::version::NAMED,
    definition::condition::NAMED,
    object::coerce::NAMED,
    object::embedded::NAMED,
    object::list_types::NAMED,
    object::request::NAMED,
    object::scale::NAMED,
    structural::complete::NAMED,
    structural::unions::NAMED,
    structural::validate::NAMED,
];
