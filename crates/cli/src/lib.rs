//! The edge of the program: flags, exit codes, the terminal, the disk and the network. Nothing below
//! this crate touches any of them.

mod cache;
mod certificates;
mod chart_flags;
mod checking;
mod command;
mod disk;
mod environment;
mod flags;
mod helm;
mod http;
mod kube_flags;
mod kubeconform;
mod machine;
mod output;
mod pflag;
mod printer;
mod progress;
mod terminal;
mod transport;
mod world;
mod ytt;
mod ytt_flags;

pub use command::{command, run};
pub use helm::run as helm;
pub use kubeconform::run as kubeconform;
pub use world::{Captured, World};
pub use ytt::run as ytt;
