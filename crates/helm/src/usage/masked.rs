//! The plain text of a template, with everything else blotted out at its place.

use std::sync::Arc;

use trueline_gotemplate::node::{List, Node, Nodes, TemplatePlace, Tree};

/// Stands where an action prints something.
pub(super) const ACTION: u8 = 1;

/// The text that templates print as it stands. All offsets stay; comments and what is trimmed become spaces, actions
/// become [`ACTION`].
pub(super) fn masked(text: &[u8], trees: &[Arc<Tree>]) -> Vec<u8> {
    let mut mask: Vec<u8> = text.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }).collect();
    for tree in trees {
        fill(&mut mask, &tree.nodes, &tree.root);
    }
    mask
}

fn fill(mask: &mut [u8], nodes: &Nodes, list: &List) {
    for node in list.nodes(nodes) {
        match node {
            Node::Text(place) => {
                let plain = nodes.at(*place);
                if let Some(target) = mask.get_mut(place.range())
                    && target.len() == plain.len()
                {
                    target.copy_from_slice(plain);
                }
            }
            Node::Action(action) if !nodes.pipe(action.pipe).has_variables() => blot(mask, action.place),
            Node::Template(call) => blot(mask, call.place),
            Node::Branch(branch) => {
                let branch = nodes.branch(*branch);
                fill(mask, nodes, &branch.list);
                branch.otherwise.iter().for_each(|otherwise| fill(mask, nodes, otherwise));
            }
            _ => {}
        }
    }
}

fn blot(mask: &mut [u8], place: TemplatePlace) {
    let target = mask.get_mut(place.range()).unwrap_or_default();
    target.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = ACTION);
}
