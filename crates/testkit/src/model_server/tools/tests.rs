use super::*;

fn tool(name: &str, schema: Value) -> Tool {
    Tool { name: name.to_owned(), input: Input::Schema(schema) }
}

fn json_call(tool: &str, arguments: Value) -> Option<Call> {
    Some(Call { tool: tool.to_owned(), arguments: Arguments::Json(arguments) })
}

fn write() -> Errand {
    Errand::Write { path: "/w/it's".to_owned(), text: "a\nb".to_owned() }
}

fn shell_errand(outside_sandbox: bool) -> Errand {
    Errand::Shell { command: "ls".to_owned(), outside_sandbox }
}

#[test]
fn arguments_are_found_by_meaning_and_the_rest_is_filled_in() {
    let schema = json!({
        "properties": {
            "filePath": {"type": "string"}, "file_text": {"type": "string"}, "mode": {"enum": ["x", "y"]},
            "why": {"type": "string"}, "count": {"type": ["null", "integer"], "minimum": 3},
            "sure": {"anyOf": [{"type": "null"}, {"type": "boolean"}]}, "left_out": {"type": "string"},
        },
        "required": ["filePath", "file_text", "mode", "why", "count", "sure"],
    });
    assert_eq!(
        call_for(&write(), &[tool("Read", json!({})), tool("Create_File", schema)]),
        json_call(
            "Create_File",
            json!({
                "filePath": "/w/it's", "file_text": "a\nb", "mode": "x", "why": "scripted why", "count": 3,
                "sure": false,
            })
        )
    );
}

#[test]
fn the_better_name_wins_over_the_earlier_tool() {
    let path = json!({"properties": {"path": {"type": "string"}}});
    assert_eq!(
        call_for(&Errand::Read { path: "/f".to_owned() }, &[tool("view", path.clone()), tool("read_file", path)]),
        json_call("read_file", json!({"path": "/f"}))
    );
}

#[test]
fn lists_are_filled_with_values_or_objects() {
    let files = json!({"properties": {"files": {"type": "array", "items": {"anyOf": [
        {"type": "string"}, {"type": "object", "properties": {"path": {"type": "string"}}},
    ]}}}});
    assert_eq!(
        call_for(&Errand::Read { path: "/f".to_owned() }, &[tool("read_files", files)]),
        json_call("read_files", json!({"files": [{"path": "/f"}]}))
    );
    let commands = json!({"properties": {"commands": {"type": "array", "items": {"type": "string"}}}});
    assert_eq!(
        call_for(&shell_errand(false), &[tool("run_commands", commands)]),
        json_call("run_commands", json!({"commands": ["ls"]}))
    );
}

#[test]
fn a_shell_gets_an_argument_vector_or_a_line_and_asks_to_leave_its_sandbox() {
    let vector = json!({"properties": {"command": {"type": "array", "items": {"type": "string"}}}});
    assert_eq!(
        call_for(&shell_errand(true), &[tool("shell", vector)]),
        json_call("shell", json!({"command": ["bash", "-lc", "ls"]}))
    );
    let line = json!({"properties": {"cmd": {"type": "string"}, "sandbox_permissions": {"type": "string"}}});
    assert_eq!(
        call_for(&shell_errand(true), &[tool("exec_command", line)]),
        json_call(
            "exec_command",
            json!({
                "cmd": "ls", "sandbox_permissions": "require_escalated",
                "justification": "scripted: may I run this?",
            })
        )
    );
    let built_in = Tool { name: "local_shell".to_owned(), input: Input::LocalShell };
    assert_eq!(
        call_for(&shell_errand(false), &[built_in]),
        Some(Call { tool: "local_shell".to_owned(), arguments: Arguments::LocalShell(bash("ls")) })
    );
}

#[test]
fn patches_are_written_as_text_or_as_an_argument() {
    let added = "*** Begin Patch\n*** Add File: /w/it's\n+a\n+b\n*** End Patch\n";
    let text_tool = Tool { name: "apply_patch".to_owned(), input: Input::Text };
    assert_eq!(
        call_for(&write(), &[text_tool]),
        Some(Call { tool: "apply_patch".to_owned(), arguments: Arguments::Text(added.to_owned()) })
    );
    let json_tool = tool("apply_patch", json!({"properties": {"input": {"type": "string"}}}));
    let edit = Errand::Edit { path: "/f".to_owned(), old: "a".to_owned(), new: "b".to_owned() };
    assert_eq!(
        call_for(&edit, &[json_tool]),
        json_call("apply_patch", json!({"input": "*** Begin Patch\n*** Update File: /f\n@@\n-a\n+b\n*** End Patch\n"}))
    );
}

#[test]
fn a_shell_stands_in_for_file_tools_and_nothing_stands_in_for_a_shell() {
    let shell = tool("bash", json!({"properties": {"command": {"type": "string"}}}));
    assert_eq!(
        call_for(&write(), &[shell]),
        json_call(
            "bash",
            json!({"command": r"printf '%s' 'a
b' > '/w/it'\''s'"})
        )
    );
    assert_eq!(call_for(&write(), &[]), None);
    assert_eq!(call_for(&shell_errand(false), &[tool("read", json!({}))]), None);
}

#[test]
fn a_plan_is_a_list_of_rows_or_a_checklist() {
    let errand = Errand::Plan { items: vec!["A".to_owned(), "B".to_owned()] };
    let rows = json!({"properties": {"plan": {"type": "array", "items": {"type": "object", "properties": {
        "step": {"type": "string"}, "status": {"enum": ["pending", "in_progress"]}, "owner": {"type": "string"},
    }, "required": ["step", "status", "owner"]}}}});
    assert_eq!(
        call_for(&errand, &[tool("update_plan", rows)]),
        json_call(
            "update_plan",
            json!({"plan": [
                {"step": "A", "status": "in_progress", "owner": "scripted owner"},
                {"step": "B", "status": "pending", "owner": "scripted owner"},
            ]})
        )
    );
    let checklist = json!({"properties": {"todos": {"type": "string"}}});
    assert_eq!(call_for(&errand, &[tool("todo", checklist)]), json_call("todo", json!({"todos": "- [ ] A\n- [ ] B"})));
}

#[test]
fn the_smallest_value_follows_the_schema() {
    let schema = json!({"type": "object", "required": ["title", "tags"], "properties": {
        "title": {"type": "string"}, "tags": {"type": "array"}, "more": {"type": "string"},
    }});
    assert_eq!(smallest("answer", &schema), json!({"title": "scripted title", "tags": []}));
}
