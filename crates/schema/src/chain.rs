//! How many schemas apply to one value in a row: `$ref` to `$ref`, `allOf` in `anyOf`, and so on. The
//! validator calls itself for each of them without looking at the document in between.

use crate::graph::{Graph, Vertex};

/// How many schemas may apply to one value in a row. People write fewer than twenty.
pub(crate) const LONGEST: usize = 400;

/// The length of the longest row, and one of its schemas. A cycle counts with all its schemas.
pub(crate) fn longest(graph: &Graph) -> Option<(usize, Vertex)> {
    let next = |index: usize| graph.steps(index).iter().map(|step| step.to).collect();
    let edges: Vec<Vec<usize>> = (0..graph.len()).map(next).collect();
    let lengths = lengths(&edges);
    let (longest, length) =
        lengths.iter().enumerate().max_by_key(|(index, length)| (**length, usize::MAX - index))?;
    Some((*length, graph.vertex(longest)?))
}

/// For each vertex, the length of the longest path from it; a cycle counts with all its vertices.
///
/// Tarjan's algorithm for cycles, with an explicit stack because these graphs may be deep.
fn lengths(edges: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let mut order = vec![NEW; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut open = vec![false; edges.len()];
    let mut length = vec![0; edges.len()];
    let mut path = Vec::new();
    let mut counter = 0;
    for root in 0..edges.len() {
        if order[root] != NEW {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((vertex, edge)) = calls.pop() {
            if edge == 0 {
                order[vertex] = counter;
                low[vertex] = counter;
                counter += 1;
                path.push(vertex);
                open[vertex] = true;
            }
            if let Some(&next) = edges[vertex].get(edge) {
                calls.push((vertex, edge + 1));
                if order[next] == NEW {
                    calls.push((next, 0));
                }
                continue;
            }
            for &next in &edges[vertex] {
                if open[next] {
                    low[vertex] = low[vertex].min(low[next]);
                }
            }
            if low[vertex] != order[vertex] {
                continue;
            }
            let start = path.iter().rposition(|&member| member == vertex).unwrap_or(0);
            let circle = path.split_off(start);
            circle.iter().for_each(|&member| open[member] = false);
            let below = circle.iter().flat_map(|&member| &edges[member]).map(|&next| length[next]).max();
            circle.iter().for_each(|&member| length[member] = circle.len() + below.unwrap_or(0));
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_measured_with_their_cycles() {
        assert_eq!(lengths(&[vec![1], vec![2], vec![]]), [3, 2, 1]);
        assert_eq!(lengths(&[vec![1, 2], vec![3], vec![], vec![]]), [3, 2, 1, 1]);
        assert_eq!(lengths(&[vec![0]]), [1]);
        assert_eq!(lengths(&[vec![1], vec![2], vec![1, 3], vec![]]), [4, 3, 3, 1]);
        assert_eq!(lengths(&[vec![1], vec![0], vec![0]]), [2, 2, 3]);
    }

    #[test]
    fn long_paths_do_not_use_the_stack() {
        let edges: Vec<Vec<usize>> =
            (0..200_000).map(|index| if index == 199_999 { vec![0] } else { vec![index + 1] }).collect();
        assert_eq!(lengths(&edges)[0], 200_000);
    }
}
