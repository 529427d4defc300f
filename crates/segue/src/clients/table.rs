//! The clients, one row each. From the documentation of each client.

use super::{Client, Shape, Spot};

const SERVERS: Shape = Shape::Table { key: "mcpServers", typed: false };

pub const CLIENTS: &[Client] = &[
    Client {
        id: "claude-code",
        name: "Claude Code",
        signs: &[Spot::Variable("CLAUDE_CONFIG_DIR", ""), Spot::Home(".claude.json"), Spot::Home(".claude")],
        files: &[Spot::Variable("CLAUDE_CONFIG_DIR", ".claude.json"), Spot::Home(".claude.json")],
        shape: Shape::Table { key: "mcpServers", typed: true },
    },
    Client {
        id: "claude-desktop",
        name: "Claude Desktop",
        signs: &[Spot::Application("Claude")],
        files: &[Spot::Application("Claude/claude_desktop_config.json")],
        shape: SERVERS,
    },
    Client {
        id: "cursor",
        name: "Cursor",
        signs: &[Spot::Home(".cursor")],
        files: &[Spot::Home(".cursor/mcp.json")],
        shape: SERVERS,
    },
    Client {
        id: "vscode",
        name: "VS Code",
        signs: &[Spot::Application("Code/User")],
        files: &[Spot::Application("Code/User/mcp.json")],
        shape: Shape::Table { key: "servers", typed: true },
    },
    Client {
        id: "codex",
        name: "Codex",
        signs: &[Spot::Variable("CODEX_HOME", ""), Spot::Home(".codex")],
        files: &[Spot::Variable("CODEX_HOME", "config.toml"), Spot::Home(".codex/config.toml")],
        shape: Shape::Toml,
    },
    Client {
        id: "cline",
        name: "Cline",
        signs: &[Spot::Home(".cline")],
        files: &[Spot::Home(".cline/data/settings/cline_mcp_settings.json")],
        shape: SERVERS,
    },
    Client {
        id: "cline-vscode",
        name: "Cline in VS Code",
        signs: &[Spot::Application("Code/User/globalStorage/saoudrizwan.claude-dev")],
        files: &[Spot::Application("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json")],
        shape: SERVERS,
    },
    Client {
        id: "opencode",
        name: "opencode",
        signs: &[Spot::Xdg("opencode")],
        files: &[Spot::Xdg("opencode/opencode.json"), Spot::Xdg("opencode/opencode.jsonc")],
        shape: Shape::OneCommand,
    },
    Client {
        id: "gemini",
        name: "Gemini CLI",
        signs: &[Spot::Home(".gemini")],
        files: &[Spot::Home(".gemini/settings.json")],
        shape: SERVERS,
    },
];
