//! The nodes and edges of a document, and three ways to draw them. Pure; it draws broken documents as well.

use segue_model::flow::Json;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drawing {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    pub id: String,
    pub kind: String,
    pub title: String,
    /// The condition under which it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    pub from: String,
    pub to: String,
    /// The way back of a rejection to the node that produced what was judged.
    pub repair: bool,
}

impl Drawing {
    #[must_use]
    pub fn of(steps: &[Json]) -> Self {
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        for step in steps {
            let text = |value: Option<&Json>| value.and_then(Json::as_str).unwrap_or_default().trim().to_owned();
            let id = text(step.get("id"));
            let title = text(step.get("params").and_then(|params| params.get("title")));
            let when = Some(text(step.get("when"))).filter(|when| !when.is_empty());
            let title = if title.is_empty() { id.clone() } else { title };
            let edge = |from: String, to: &str, repair| Edge { from, to: to.to_owned(), repair };
            match step.get("from") {
                Some(Json::Array(from)) => {
                    edges.extend(from.iter().filter_map(Json::as_str).map(|from| edge(from.to_owned(), &id, false)));
                }
                from => edges.extend(from.and_then(Json::non_blank).map(|from| edge(from.to_owned(), &id, false))),
            }
            if let Some(producer) = step.get("repair").and_then(|repair| repair.get("from")).and_then(Json::as_str) {
                edges.push(Edge { from: id.clone(), to: producer.to_owned(), repair: true });
            }
            nodes.push(Node { id, kind: text(step.get("type")), title, when });
        }
        Self { nodes, edges }
    }

    /// One line a node, in the document's order, and what it receives from.
    #[must_use]
    pub fn text(&self) -> String {
        let width = |of: fn(&Node) -> &str| self.nodes.iter().map(|node| of(node).chars().count()).max().unwrap_or(0);
        let (ids, kinds) = (width(|node| &node.id), width(|node| &node.kind));
        let mut text = String::new();
        for node in &self.nodes {
            let from: Vec<&str> = self
                .edges
                .iter()
                .filter(|edge| edge.to == node.id && !edge.repair)
                .map(|edge| edge.from.as_str())
                .collect();
            let mut line = format!("{:ids$}  {:kinds$}", node.id, node.kind);
            if !from.is_empty() {
                line.push_str(&format!("  <- {}", from.join(", ")));
            }
            if let Some(when) = &node.when {
                line.push_str(&format!("  when {when}"));
            }
            for edge in self.edges.iter().filter(|edge| edge.repair && edge.from == node.id) {
                line.push_str(&format!("  repairs {}", edge.to));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// For Graphviz.
    #[must_use]
    pub fn dot(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " "));
        let mut text = String::from("digraph flow {\n  rankdir=LR;\n  node [shape=box];\n");
        for node in &self.nodes {
            let label = format!("{} ({})", node.title, node.kind);
            text.push_str(&format!("  {} [label={}];\n", quoted(&node.id), quoted(&label)));
        }
        for edge in &self.edges {
            let style = if edge.repair { " [style=dashed, label=\"repair\"]" } else { "" };
            text.push_str(&format!("  {} -> {}{style};\n", quoted(&edge.from), quoted(&edge.to)));
        }
        text.push_str("}\n");
        text
    }

    /// For Mermaid. Nodes are numbered: an id may be a word of its language.
    #[must_use]
    pub fn mermaid(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "#quot;").replace('\n', " "));
        let number = |id: &str| self.nodes.iter().position(|node| node.id == id);
        let mut text = String::from("flowchart LR\n");
        for (at, node) in self.nodes.iter().enumerate() {
            text.push_str(&format!("  n{at}[{}]\n", quoted(&format!("{} ({})", node.title, node.kind))));
        }
        for edge in &self.edges {
            if let (Some(from), Some(to)) = (number(&edge.from), number(&edge.to)) {
                let arrow = if edge.repair { "-. repair .->" } else { "-->" };
                text.push_str(&format!("  n{from} {arrow} n{to}\n"));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing() -> Drawing {
        let steps = Json::parse(
            r#"[{"id":"a","type":"agent.task","from":null,"params":{"title":"Say \"a\""}},
                {"id":"b","type":"tool.task","from":["a"],"when":"input.ok"},
                {"id":"gate","type":"evaluation.task","from":["a","b"],"repair":{"from":"a","max_rounds":2}}]"#,
        );
        Drawing::of(steps.unwrap().as_array().unwrap())
    }

    #[test]
    fn text_has_one_line_for_each_node() {
        let expected = "a     agent.task\n\
                        b     tool.task        <- a  when input.ok\n\
                        gate  evaluation.task  <- a, b  repairs a\n";
        assert_eq!(drawing().text(), expected);
    }

    #[test]
    fn quotes_do_not_break_what_other_programs_read() {
        let drawing = drawing();
        let dot = "digraph flow {\n  rankdir=LR;\n  node [shape=box];\n  \"a\" [label=\"Say \\\"a\\\" (agent.task)\"];\n  \
                   \"b\" [label=\"b (tool.task)\"];\n  \"gate\" [label=\"gate (evaluation.task)\"];\n  \"a\" -> \"b\";\n  \
                   \"a\" -> \"gate\";\n  \"b\" -> \"gate\";\n  \"gate\" -> \"a\" [style=dashed, label=\"repair\"];\n}\n";
        assert_eq!(drawing.dot(), dot);
        let mermaid = "flowchart LR\n  n0[\"Say #quot;a#quot; (agent.task)\"]\n  n1[\"b (tool.task)\"]\n  \
                       n2[\"gate (evaluation.task)\"]\n  n0 --> n1\n  n0 --> n2\n  n1 --> n2\n  n2 -. repair .-> n0\n";
        assert_eq!(drawing.mermaid(), mermaid);
    }
}
