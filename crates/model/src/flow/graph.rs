//! The edges of a flow as indices into its nodes, and what must hold of them.

use std::collections::{HashMap, HashSet};

use super::{node::Node, problem::Problem, rules::Repair};

/// Edges of a sound flow: every reference is known and there is no cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    upstream: Vec<Vec<usize>>,
    downstream: Vec<Vec<usize>>,
}

impl Graph {
    /// Checks what no flow may break. `base` is the pointer to the list of nodes, for problems.
    ///
    /// # Errors
    /// A repeated id, an unknown reference, or a cycle.
    pub fn of(nodes: &[Node], base: &str) -> Result<Self, Problem> {
        let mut positions = HashMap::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            if positions.insert(node.id.as_str(), index).is_some() {
                return Err(Problem::new(format!("{base}/{index}/id"), format!("\"{}\" occurs twice", node.id)));
            }
        }
        for (index, node) in nodes.iter().enumerate() {
            if let Some(unknown) = node.upstream.ids().iter().find(|id| !positions.contains_key(id.as_str())) {
                let message = format!("there is no step \"{unknown}\"");
                return Err(Problem::new(format!("{base}/{index}/from"), message));
            }
        }
        let graph = Self::of_sound(nodes);
        match graph.cycle() {
            Some(index) => {
                let message = format!("\"{}\" waits for itself", nodes[index].id);
                Err(Problem::new(format!("{base}/{index}/from"), message))
            }
            None => Ok(graph),
        }
    }

    /// The edges of nodes that have been checked; an unknown reference has no edge.
    pub(super) fn of_sound(nodes: &[Node]) -> Self {
        let positions: HashMap<&str, usize> = nodes.iter().enumerate().map(|(i, node)| (node.id.as_str(), i)).collect();
        let mut downstream = vec![Vec::new(); nodes.len()];
        let mut upstream = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let sources = node.upstream.ids().iter().filter_map(|id| positions.get(id.as_str()).copied());
            let sources: Vec<usize> = sources.collect();
            for source in &sources {
                downstream[*source].push(index);
            }
            upstream.push(sources);
        }
        Self { upstream, downstream }
    }

    /// The nodes that a node receives from.
    #[must_use]
    pub fn upstream(&self, index: usize) -> &[usize] {
        &self.upstream[index]
    }

    /// The nodes that receive from a node, in document order.
    #[must_use]
    pub fn downstream(&self, index: usize) -> &[usize] {
        &self.downstream[index]
    }

    /// Everything a node depends on, without itself.
    #[must_use]
    pub fn ancestors(&self, index: usize) -> HashSet<usize> {
        reach(&self.upstream, index)
    }

    /// Everything that depends on a node, without itself.
    #[must_use]
    pub fn descendants(&self, index: usize) -> HashSet<usize> {
        reach(&self.downstream, index)
    }

    /// Every node on a path from `from` to `to`, both included; empty if there is none.
    #[must_use]
    pub fn between(&self, from: usize, to: usize) -> HashSet<usize> {
        let mut after = self.descendants(from);
        if !after.contains(&to) {
            return HashSet::new();
        }
        after.insert(from);
        let mut before = self.ancestors(to);
        before.insert(to);
        after.intersection(&before).copied().collect()
    }

    /// The first node, in document order, that is on a cycle or behind one.
    fn cycle(&self) -> Option<usize> {
        let mut waiting: Vec<usize> = self.upstream.iter().map(Vec::len).collect();
        let mut ready: Vec<usize> = (0..waiting.len()).filter(|index| waiting[*index] == 0).collect();
        while let Some(index) = ready.pop() {
            for &next in &self.downstream[index] {
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    ready.push(next);
                }
            }
        }
        waiting.iter().position(|count| *count > 0)
    }
}

fn reach(edges: &[Vec<usize>], start: usize) -> HashSet<usize> {
    let mut seen = HashSet::new();
    let mut open = edges[start].clone();
    while let Some(index) = open.pop() {
        if seen.insert(index) {
            open.extend(&edges[index]);
        }
    }
    seen
}

/// The rules of schema version 2 that need the whole graph. `base` is as for [`Graph::of`].
///
/// # Errors
/// The first that is broken, in document order.
pub fn check_rules(nodes: &[Node], graph: &Graph, base: &str) -> Result<(), Problem> {
    let mut regions: Vec<(usize, HashSet<usize>)> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let problem = |member: &str, message: String| Problem::new(format!("{base}/{index}/{member}"), message);
        let ancestors = graph.ancestors(index);
        for (member, expression) in node.rules.expressions() {
            let is_before = |id: &str| ancestors.iter().any(|ancestor| nodes[*ancestor].id.as_str() == id);
            if let Some(id) = expression.nodes().iter().find(|id| !is_before(id)) {
                return Err(problem(&member, format!("reads \"{id}\", which does not come before this step")));
            }
        }
        if let Some(group) = &node.session_group {
            let rival = nodes[..index].iter().enumerate().find(|(other, earlier)| {
                earlier.session_group.as_ref() == Some(group)
                    && !ancestors.contains(other)
                    && !graph.ancestors(*other).contains(&index)
            });
            if let Some((_, rival)) = rival {
                let message = format!("shares a session with \"{}\", which may run at the same time", rival.id);
                return Err(problem("session_group", message));
            }
        }
        if let Some(repair) = &node.rules.repair {
            let region = repair_region(nodes, graph, index, repair).map_err(|text| problem("repair/from", text))?;
            let overlapped = regions
                .iter()
                .find(|(_, other)| !region.is_disjoint(other) && !region.is_subset(other) && !other.is_subset(&region));
            if let Some((other, _)) = overlapped {
                let message =
                    format!("its region overlaps that of \"{}\" without one holding the other", nodes[*other].id);
                return Err(problem("repair/from", message));
            }
            regions.push((index, region));
        }
    }
    Ok(())
}

/// The nodes that a round of repair runs again.
fn repair_region(nodes: &[Node], graph: &Graph, evaluator: usize, repair: &Repair) -> Result<HashSet<usize>, String> {
    let from = nodes.iter().position(|node| node.id == repair.from);
    let from = from.ok_or_else(|| format!("there is no step \"{}\"", repair.from))?;
    let region = graph.between(from, evaluator);
    if region.is_empty() {
        return Err(format!("\"{}\" does not come before this step", repair.from));
    }
    let mut inside: Vec<usize> = region.iter().copied().filter(|index| *index != evaluator).collect();
    inside.sort_unstable();
    for index in inside {
        if let Some(exit) = graph.downstream(index).iter().find(|next| !region.contains(next)) {
            let (node, exit) = (&nodes[index].id, &nodes[*exit].id);
            return Err(format!("\"{exit}\" receives from \"{node}\", which is repaired, and does not pass this gate"));
        }
    }
    Ok(region)
}

impl Graph {
    /// The nodes that a repair of this evaluator runs again, in document order; empty if it has none.
    #[must_use]
    pub fn repair_region(&self, nodes: &[Node], evaluator: usize) -> Vec<usize> {
        let repair = nodes[evaluator].rules.repair.as_ref();
        let from = repair.and_then(|repair| nodes.iter().position(|node| node.id == repair.from));
        let mut region: Vec<usize> =
            from.map(|from| self.between(from, evaluator)).unwrap_or_default().into_iter().collect();
        region.sort_unstable();
        region
    }
}
