//! Chart repositories: what an index and a registry say, which version is meant, and how dependencies are chosen
//! and locked. Nothing here reads the disk or the network.

pub mod address;
pub mod authorization;
mod choose;
mod codes;
mod index;
mod lock;
pub mod oci;
mod repositories;
mod resolve;
mod search;
mod unanswered;
mod write;

pub use choose::{choose_tag, fits, is_strict_version, is_version, same_version};
pub use codes::*;
pub use index::{ChartVersion, Index, read as read_index};
pub use lock::{digest, digest_of_helm2};
pub use repositories::{Repositories, Repository};
pub use resolve::{DependencySource, Plan, Sources, plan, resolve, unknown_repositories, unmanaged_name};
pub use search::{SearchHit, Term, Versions, search};
pub use trueline_gostd::hash::sha256_text;
pub use trueline_gostd::time::rfc3339;
pub use unanswered::{CUT_SHORT, coded, unanswered, unusable};
pub use write::Form;
