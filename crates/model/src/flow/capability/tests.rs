//! Every rule of contract §13, and our own two kinds.

use super::{
    super::{canonical::canonical, json::Json, problem::Problem},
    descriptor::read_descriptors,
    read::Author,
    *,
};

/// A machine on which one command and one file exist.
fn resolve(executable: &str) -> Option<String> {
    match executable {
        "tool" => Some("/usr/bin/tool".to_owned()),
        "/opt/agent" => Some("/opt/agent".to_owned()),
        _ => None,
    }
}

fn read(text: &str) -> Result<Capability, Problem> {
    Capability::read(&Json::parse(text).expect("valid JSON"), &resolve, Author::Caller)
}

fn good(text: &str) -> Capability {
    read(text).unwrap_or_else(|problem| panic!("{text}: {problem}"))
}

/// The path of what is wrong.
fn wrong(text: &str) -> String {
    read(text).expect_err(text).path
}

fn config(text: &str) -> String {
    canonical(&good(text).config.to_json())
}

/// Contract §2, HTTP capability vector.
#[test]
fn the_http_vector() {
    let capability = good(r#"{"kind":"http","name":"x","config":{"url":"http://127.0.0.1:1/x"}}"#);
    assert_eq!(capability.id.as_str(), "http-x");
    assert_eq!(capability.effects, [Effect::ReadExternal, Effect::WriteExternal]);
    assert_eq!(capability.timeout_seconds, 30);
    let normal = r#"{"body":{},"context_key":"context","method":"POST","url":"http://127.0.0.1:1/x"}"#;
    assert_eq!(canonical(&capability.config.to_json()), normal);
    let fingerprint = "8e382b95313965d0b405bd70852b533f5f558c418631c36bf465ab485ce20b27";
    assert_eq!(capability.fingerprint().as_str(), fingerprint);
    assert_eq!(capability.executor(), ExecutorRef::new("capability.http-x.8e382b95313965d0", "1.0.0"));
}

/// Contract §2: name, id, description and source are not part of the fingerprint.
#[test]
fn the_fingerprint_covers_what_it_does() {
    let base = good(r#"{"kind":"cli","name":"a","config":{"executable":"tool"}}"#).fingerprint();
    let renamed = r#"{"kind":"cli","name":"b","id":"other","description":"d","source":"discovered",
        "config":{"executable":"tool","args":[],"unknown":1}}"#;
    assert_eq!(good(renamed).fingerprint(), base);
    for other in [
        r#"{"kind":"cli","name":"a","timeout_seconds":31,"config":{"executable":"tool"}}"#,
        r#"{"kind":"cli","name":"a","effects":["execute_process"],"config":{"executable":"tool"}}"#,
        r#"{"kind":"cli","name":"a","config":{"executable":"tool","args":["x"]}}"#,
        r#"{"kind":"cli","name":"a","config":{"executable":"/opt/agent"}}"#,
    ] {
        assert_ne!(good(other).fingerprint(), base, "{other}");
    }
}

/// Contract §2 and §13: what is hashed, written out for every kind and mode.
#[test]
fn the_fingerprint_of_every_kind_is_the_hash_of_its_normal_form() {
    let all = r#"["execute_process","read_local","read_external","write_local","write_external"]"#;
    let reads = r#"["execute_process","read_local","read_external"]"#;
    let program = good(r#"{"kind":"cli","name":"n","config":{"executable":"tool"}}"#).config;
    let tool = program.executable().expect("a program");
    for (kind, given, normal, effects, timeout) in [
        (
            "agent_cli",
            r#""executable":"tool""#.to_owned(),
            format!(r#""args":[],"executable":"{tool}","input_mode":"stdin","output_format":"text""#),
            all,
            120,
        ),
        (
            "agent_cli",
            r#""executable":"tool","args":["a"],"input_mode":"session_json","output_format":"session_json","probe_args":["-v"],
               "session_protocol":"symphlo.agent-session.v1","version":" 1.2 ""#
                .to_owned(),
            format!(
                r#""args":["a"],"executable":"{tool}","input_mode":"session_json","output_format":"session_json","probe_args":["-v"],"session_protocol":"symphlo.agent-session.v1","version":"1.2""#
            ),
            all,
            120,
        ),
        (
            "agent_cli",
            r#""executable":"tool","adapter_protocol":"opencode.server.v1","workspace_profile":"ephemeral_text_only","version":"1""#
                .to_owned(),
            format!(
                r#""adapter_protocol":"opencode.server.v1","executable":"{tool}","version":"1","workspace_profile":"ephemeral_text_only""#
            ),
            all,
            120,
        ),
        (
            "model_cli",
            r#""executable":"tool","protocol":"symphlo.model-inference.v1""#.to_owned(),
            format!(r#""args":[],"executable":"{tool}","protocol":"symphlo.model-inference.v1""#),
            reads,
            120,
        ),
        (
            "evaluator_cli",
            r#""executable":"tool","protocol":"symphlo.evaluation.v1""#.to_owned(),
            format!(r#""args":[],"executable":"{tool}","protocol":"symphlo.evaluation.v1""#),
            reads,
            120,
        ),
        (
            "cli",
            r#""executable":"tool","args":["-x"]"#.to_owned(),
            format!(r#""args":["-x"],"executable":"{tool}""#),
            r#"["execute_process","read_local","write_local"]"#,
            30,
        ),
        (
            "mcp_stdio",
            r#""executable":"tool","tool":"t","context_key":null"#.to_owned(),
            format!(r#""args":[],"arguments":{{}},"context_key":null,"executable":"{tool}","tool":"t""#),
            all,
            30,
        ),
        (
            "http",
            r#""url":"http://h/","method":"get","body":{"b":1.0,"a":1}"#.to_owned(),
            r#""body":{"a":1,"b":1.0},"context_key":"context","method":"GET","url":"http://h/""#.to_owned(),
            r#"["read_external","write_external"]"#,
            30,
        ),
        (
            "mcp_http",
            r#""url":"http://h/","tool":"t","token_env":"T""#.to_owned(),
            r#""arguments":{},"context_key":"context","token_env":"T","tool":"t","url":"http://h/""#.to_owned(),
            r#"["read_external","write_external"]"#,
            30,
        ),
        ("acp_agent", r#""agent":"codex""#.to_owned(), r#""agent":"codex","allow":[]"#.to_owned(), all, 3600),
    ] {
        let capability = good(&format!(r#"{{"kind":"{kind}","name":"n","config":{{{given}}}}}"#));
        let hashed =
            format!(r#"{{"config":{{{normal}}},"effects":{effects},"kind":"{kind}","timeout_seconds":{timeout}}}"#);
        assert_eq!(capability.fingerprint(), Hash::of_bytes(hashed.as_bytes()), "{kind}: {given}");
    }
}

/// Contract §13 drops them; of our own kinds it says nothing, and there nothing is lost in silence.
#[test]
fn unknown_keys_of_a_config_are_dropped_by_the_contracts_kinds_and_refused_by_ours() {
    let session =
        r#""input_mode":"session_json","output_format":"session_json","session_protocol":"symphlo.agent-session.v1""#;
    let server = r#""adapter_protocol":"opencode.server.v1","workspace_profile":"ephemeral_text_only","version":"1""#;
    let of = |kind: &str, config: &str| format!(r#"{{"kind":"{kind}","name":"n","config":{{{config}}}}}"#);
    for (kind, config) in [
        ("agent_cli", r#""executable":"tool""#.to_owned()),
        ("agent_cli", format!(r#""executable":"tool",{session}"#)),
        ("agent_cli", format!(r#""executable":"tool",{server}"#)),
        ("model_cli", r#""executable":"tool","protocol":"symphlo.model-inference.v1""#.to_owned()),
        ("evaluator_cli", r#""executable":"tool","protocol":"symphlo.evaluation.v1""#.to_owned()),
        ("cli", r#""executable":"tool""#.to_owned()),
        ("mcp_stdio", r#""executable":"tool","tool":"t""#.to_owned()),
        ("http", r#""url":"http://h""#.to_owned()),
    ] {
        let more = of(kind, &format!(r#"{config},"environment":{{"A":"b"}},"x":1"#));
        assert_eq!(good(&more), good(&of(kind, &config)), "{more}");
    }
    for (kind, config) in [
        ("acp_agent", r#""agent":"codex","alow":["read"]"#),
        ("mcp_http", r#""url":"http://h","tool":"t","alow":"TOKEN""#),
    ] {
        let problem = read(&of(kind, config)).expect_err(kind);
        assert_eq!(problem, Problem::new("/config/alow", "is not known here"));
    }
}

/// What the runtime installs may take longer than what a caller saves (contract §13, §14.8).
#[test]
fn an_agent_of_the_runtime_may_take_an_hour() {
    let of = |seconds: u32, author| {
        let text =
            format!(r#"{{"kind":"agent_cli","name":"n","timeout_seconds":{seconds},"config":{{"executable":"/x"}}}}"#);
        let definition = Json::parse(&text).expect("JSON");
        Capability::read(&definition, &|program| Some(program.to_owned()), author).map(|read| read.timeout_seconds)
    };
    assert_eq!(of(3600, Author::Runtime), Ok(3600));
    for refused in [of(3601, Author::Runtime), of(601, Author::Caller)] {
        assert_eq!(refused.expect_err("too long").path, "/timeout_seconds");
    }
}

/// Contract §13, input rules, and default effects and time-outs.
#[test]
fn defaults_of_every_kind() {
    let all = "execute_process,read_local,read_external,write_local,write_external";
    for (kind, config, effects, timeout) in [
        ("agent_cli", r#""executable":"tool""#, all, 120),
        (
            "model_cli",
            r#""executable":"tool","protocol":"symphlo.model-inference.v1""#,
            "execute_process,read_local,read_external",
            120,
        ),
        (
            "evaluator_cli",
            r#""executable":"tool","protocol":"symphlo.evaluation.v1""#,
            "execute_process,read_local,read_external",
            120,
        ),
        ("cli", r#""executable":"tool""#, "execute_process,read_local,write_local", 30),
        ("mcp_stdio", r#""executable":"tool","tool":"t""#, all, 30),
        ("http", r#""url":"http://h""#, "read_external,write_external", 30),
        ("acp_agent", r#""agent":"codex""#, all, 3600),
        ("mcp_http", r#""url":"http://h","tool":"t""#, "read_external,write_external", 30),
    ] {
        let capability = good(&format!(r#"{{"kind":"{kind}","name":"n","config":{{{config}}}}}"#));
        let named: Vec<_> = capability.effects.iter().map(|effect| effect.as_str()).collect();
        assert_eq!((named.join(",").as_str(), capability.timeout_seconds), (effects, timeout), "{kind}");
        assert_eq!(capability.kind().as_str(), kind);
        assert_eq!(capability.source, Source::Manual);
    }
}

#[test]
fn common_fields_are_checked() {
    let with = |fields: &str| format!(r#"{{"kind":"http","name":"n","config":{{"url":"http://h"}}{fields}}}"#);
    for (fields, path) in [
        (r#","kind":"ftp""#, "/kind"),
        (r#","kind":null"#, "/kind"),
        (r#","name":" ""#, "/name"),
        (r#","name":1"#, "/name"),
        (r#","id":"ab""#, "/id"),
        (r#","id":"Abc""#, "/id"),
        (r#","id":7"#, "/id"),
        (r#","source":"sample""#, "/source"),
        (r#","source":"found""#, "/source"),
        (r#","description":1"#, "/description"),
        (r#","timeout_seconds":0"#, "/timeout_seconds"),
        (r#","timeout_seconds":601"#, "/timeout_seconds"),
        (r#","timeout_seconds":1.0"#, "/timeout_seconds"),
        (r#","timeout_seconds":true"#, "/timeout_seconds"),
        (r#","effects":[]"#, "/effects"),
        (r#","effects":["read_local","read_local"]"#, "/effects"),
        (r#","effects":["fly"]"#, "/effects"),
        (r#","effects":"read_local""#, "/effects"),
        (r#","config":null"#, "/config"),
        (r#","config":[]"#, "/config"),
    ] {
        assert_eq!(wrong(&with(fields)), path, "{fields}");
    }
    assert_eq!(wrong(&with(&format!(r#","name":"{}""#, "n".repeat(121)))), "/name");
    let widest = "é".repeat(120);
    assert_eq!(good(&with(&format!(r#","name":" {widest} ""#))).name, widest, "trimmed");
    let long = good(&with(&format!(r#","description":"{}","timeout_seconds":600"#, "é".repeat(501))));
    assert_eq!((long.description.chars().count(), long.timeout_seconds), (500, 600));
    let order = good(&with(r#","effects":["write_external","pure_compute"]"#));
    assert_eq!(order.effects, [Effect::WriteExternal, Effect::PureCompute]);
    let runtime = Json::parse(&with(r#","source":"sample""#)).expect("valid JSON");
    assert!(Capability::read(&runtime, &resolve, Author::Runtime).is_ok());
}

/// Contract §13: default id.
#[test]
fn the_default_id_is_a_slug() {
    for (name, id) in [
        ("My Tool", "http-my-tool"),
        ("a//b  c", "http-a-b-c"),
        ("v1.2_x-", "http-v1.2_x"),
        ("ÄÖ", "http"),
        (&"n".repeat(100), &format!("http-{}", "n".repeat(59))),
    ] {
        let capability = good(&format!(r#"{{"kind":"http","name":"{name}","config":{{"url":"http://h"}}}}"#));
        assert_eq!(capability.id.as_str(), id);
    }
}

/// Contract §13, process kinds.
#[test]
fn programs_are_found_and_arguments_bounded() {
    let cli = |fields: &str| format!(r#"{{"kind":"cli","name":"n","config":{{{fields}}}}}"#);
    assert_eq!(config(&cli(r#""executable":" tool ""#)), r#"{"args":[],"executable":"/usr/bin/tool"}"#);
    for fields in [r#""executable":"missing""#, r#""executable":"""#, r#""executable":1"#, ""] {
        assert_eq!(wrong(&cli(fields)), "/config/executable", "{fields}");
    }
    let argument = format!(r#""{}""#, "a".repeat(2048));
    let most = vec![argument.as_str(); 32].join(",");
    assert!(read(&cli(&format!(r#""executable":"tool","args":[{most}]"#))).is_ok());
    for args in [
        format!("[{most},1]"),
        format!("[{most},\"\"]"),
        "[1]".into(),
        "\"x\"".into(),
        format!("[\"a{}", &argument[1..]) + "]",
    ] {
        let path = wrong(&cli(&format!(r#""executable":"tool","args":{args}"#)));
        assert!(path.starts_with("/config/args"), "{path}");
    }
}

/// Contract §13, `agent_cli`.
#[test]
fn agents_on_the_command_line() {
    let agent = |fields: &str| format!(r#"{{"kind":"agent_cli","name":"n","config":{{"executable":"tool"{fields}}}}}"#);
    let plain = r#"{"args":[],"executable":"/usr/bin/tool","input_mode":"stdin","output_format":"text"}"#;
    assert_eq!(config(&agent("")), plain);
    let session =
        r#","input_mode":"session_json","output_format":"session_json","session_protocol":"symphlo.agent-session.v1""#;
    let capability = good(&agent(session));
    assert!(capability.keeps_sessions());
    assert!(!good(&agent("")).keeps_sessions());
    let version = format!(r#","version":"{}","probe_args":["-v"]"#, "v".repeat(161));
    assert_eq!(
        good(&agent(&version)).config,
        Config::AgentCli {
            command: config::Command { executable: "/usr/bin/tool".into(), args: vec![] },
            input: config::InputMode::Stdin,
            output: config::OutputFormat::Text,
            probe: config::Probe { args: Some(vec!["-v".into()]), version: Some("v".repeat(160)) },
        }
    );
    for (fields, path) in [
        (r#","input_mode":"pipe""#, "/config/input_mode"),
        (r#","output_format":"json""#, "/config/output_format"),
        (r#","input_mode":"session_json""#, "/config/output_format"),
        (r#","output_format":"session_json""#, "/config/input_mode"),
        (r#","session_protocol":"symphlo.agent-session.v1""#, "/config/input_mode"),
        (r#","input_mode":"session_json","output_format":"session_json""#, "/config/session_protocol"),
        (
            r#","input_mode":"session_json","output_format":"session_json","session_protocol":"v2""#,
            "/config/session_protocol",
        ),
        (r#","probe_args":[]"#, "/config/probe_args"),
    ] {
        assert_eq!(wrong(&agent(fields)), path, "{fields}");
    }
}

/// Contract §13, managed mode.
#[test]
fn a_managed_agent_server() {
    let server = |fields: &str| {
        agent_config(&format!(
            r#""adapter_protocol":"opencode.server.v1","workspace_profile":"ephemeral_text_only"{fields}"#
        ))
    };
    fn agent_config(fields: &str) -> String {
        format!(r#"{{"kind":"agent_cli","name":"n","config":{{"executable":"tool",{fields}}}}}"#)
    }
    let normal = concat!(
        r#"{"adapter_protocol":"opencode.server.v1","executable":"/usr/bin/tool","version":"1.2","#,
        r#""workspace_profile":"ephemeral_text_only"}"#
    );
    assert_eq!(config(&server(r#","version":" 1.2 ""#)), normal);
    assert!(!good(&server(r#","version":"1""#)).keeps_sessions());
    let long = good(&server(&format!(r#","probe_args":["-v"],"version":"{}""#, "v".repeat(161))));
    let expected = Config::AgentServer {
        executable: "/usr/bin/tool".into(),
        probe_args: Some(vec!["-v".into()]),
        version: "v".repeat(160),
    };
    assert_eq!(long.config, expected);
    assert_eq!(wrong(&server("")), "/config/version");
    assert_eq!(wrong(&agent_config(r#""adapter_protocol":"x","version":"1""#)), "/config/adapter_protocol");
    let no_profile = r#""adapter_protocol":"opencode.server.v1","version":"1""#;
    assert_eq!(wrong(&agent_config(no_profile)), "/config/workspace_profile");
    for name in ["args", "input_mode", "output_format", "session_protocol"] {
        let path = wrong(&server(&format!(r#","version":"1","{name}":[]"#)));
        assert_eq!(path, format!("/config/{name}"));
    }
}

/// Contract §13: `model_cli`, `evaluator_cli`.
#[test]
fn models_and_evaluators_name_their_protocol() {
    for (kind, protocol) in [("model_cli", config::protocol::MODEL), ("evaluator_cli", config::protocol::EVALUATION)] {
        let with = |fields: &str| format!(r#"{{"kind":"{kind}","name":"n","config":{{"executable":"tool"{fields}}}}}"#);
        let normal = format!(r#"{{"args":[],"executable":"/usr/bin/tool","protocol":"{protocol}"}}"#);
        assert_eq!(config(&with(&format!(r#","protocol":"{protocol}""#))), normal);
        assert_eq!(wrong(&with("")), "/config/protocol");
        assert_eq!(wrong(&with(r#","protocol":"other""#)), "/config/protocol");
    }
    let evaluator = |effect: &str| {
        format!(
            r#"{{"kind":"evaluator_cli","name":"n","effects":["execute_process","{effect}"],
                "config":{{"executable":"tool","protocol":"symphlo.evaluation.v1"}}}}"#
        )
    };
    assert!(read(&evaluator("read_external")).is_ok());
    for effect in ["write_local", "write_external"] {
        assert_eq!(wrong(&evaluator(effect)), "/effects");
    }
}

/// Contract §13: `mcp_stdio`, `http`.
#[test]
fn tools_and_context_keys() {
    let mcp = |fields: &str| format!(r#"{{"kind":"mcp_stdio","name":"n","config":{{"executable":"tool"{fields}}}}}"#);
    let normal = r#"{"args":[],"arguments":{},"context_key":"context","executable":"/usr/bin/tool","tool":"t"}"#;
    assert_eq!(config(&mcp(r#","tool":"t""#)), normal);
    let http = |fields: &str| format!(r#"{{"kind":"http","name":"n","config":{{"url":"http://h"{fields}}}}}"#);
    let given = r#","method":"get","body":{"a":1},"context_key":null"#;
    let normal = r#"{"body":{"a":1},"context_key":null,"method":"GET","url":"http://h"}"#;
    assert_eq!(config(&http(given)), normal);
    for (text, path) in [
        (mcp(""), "/config/tool"),
        (mcp(&format!(r#","tool":"{}""#, "t".repeat(129))), "/config/tool"),
        (mcp(r#","tool":" ""#), "/config/tool"),
        (mcp(r#","tool":"t","arguments":[]"#), "/config/arguments"),
        (mcp(r#","tool":"t","context_key":1"#), "/config/context_key"),
        (http(r#","method":"PUT""#), "/config/method"),
        (http(r#","body":"x""#), "/config/body"),
        (http(r#","url":"ftp://h""#), "/config/url"),
        (http(&format!(r#","url":"http://h/{}""#, "a".repeat(2048))), "/config/url"),
    ] {
        assert_eq!(wrong(&text), path, "{text}");
    }
    assert!(read(&mcp(&format!(r#","tool":"{}""#, "t".repeat(128)))).is_ok());
    assert!(read(&http(&format!(r#","url":"http://h/{}""#, "a".repeat(2039)))).is_ok());
}

/// Design §7: what an ACP agent may do is not what its `allow` list says.
#[test]
fn an_acp_agent_always_has_the_effects_of_an_agent() {
    let acp = |fields: &str, more: &str| {
        format!(r#"{{"kind":"acp_agent","name":"n","config":{{"agent":"claude_code"{fields}}}{more}}}"#)
    };
    let read_only = good(&acp(r#","allow":["read"]"#, ""));
    assert_eq!(read_only.effects, Kind::AcpAgent.default_effects());
    assert!(read_only.keeps_sessions());
    assert_eq!(wrong(&acp("", r#","effects":["read_local"]"#)), "/effects");
    let full = r#","model":"m","effort":"high","allow":["edit","read"],"keep_idle":60,"keep_turns":3"#;
    let normal =
        r#"{"agent":"claude_code","allow":["edit","read"],"effort":"high","keep_idle":60,"keep_turns":3,"model":"m"}"#;
    assert_eq!(config(&acp(full, "")), normal);
    for (fields, path) in [
        (r#","allow":["switch_mode"]"#, "/config/allow"),
        (r#","allow":["read","read"]"#, "/config/allow"),
        (r#","keep_idle":601"#, "/config/keep_idle"),
        (r#","keep_turns":0"#, "/config/keep_turns"),
        (r#","agent":"a b""#, "/config/agent"),
    ] {
        assert_eq!(wrong(&acp(fields, "")), path, "{fields}");
    }
    assert_eq!(good(&acp("", r#","timeout_seconds":86400"#)).timeout_seconds, 86_400);
}

#[test]
fn a_remote_tool_names_its_token_and_does_not_hold_it() {
    let mcp = |fields: &str| {
        format!(r#"{{"kind":"mcp_http","name":"n","config":{{"url":"https://h/mcp","tool":"t"{fields}}}}}"#)
    };
    let normal = r#"{"arguments":{},"context_key":"context","token_env":"TOKEN_1","tool":"t","url":"https://h/mcp"}"#;
    assert_eq!(config(&mcp(r#","token_env":"TOKEN_1""#)), normal);
    assert_eq!(wrong(&mcp(r#","token_env":"Bearer abc""#)), "/config/token_env");
}

/// Contract §27.2: one whose program vanished stays readable.
#[test]
fn a_saved_definition_reads_back_though_its_program_is_gone() {
    let saved = Saved::validated(good(r#"{"kind":"cli","name":"n","config":{"executable":"tool"}}"#));
    let record = saved.to_json();
    let again = Capability::from_saved(&record);
    assert_eq!(again.as_ref(), Ok(&saved.capability));
    let shape: Vec<_> = record.as_object().expect("an object").keys().map(String::as_str).collect();
    let expected =
        "id version name kind source description effects timeout_seconds config fingerprint status last_probe";
    assert_eq!(shape.join(" "), expected);
    assert_eq!(record.get("status").and_then(Json::as_str), Some("validated"));
}

/// Contract §13, probe record.
#[test]
fn a_probe_decides_the_status() {
    let capability = || good(r#"{"kind":"cli","name":"n","config":{"executable":"tool"}}"#);
    for (ok, status) in [(true, "ready"), (false, "unavailable")] {
        let at = "2026-01-02T03:04:05.678901+00:00".to_owned();
        let probe = ProbeRecord::new(ok, at, &"s".repeat(501), object([]));
        let record = Saved::validated(capability()).probed(probe).to_json();
        assert_eq!(record.get("status").and_then(Json::as_str), Some(status));
        let summary = record.get("last_probe").and_then(|probe| probe.get("summary")).and_then(Json::as_str);
        assert_eq!(summary.map(str::len), Some(500));
    }
}

/// Contract §13, descriptor file.
#[test]
fn agent_descriptors() {
    let file = |agents: &str| Json::parse(&format!(r#"{{"version":1,"agents":[{agents}]}}"#)).expect("valid JSON");
    let entry = r#"{"id":"agent.mine","name":"Mine","executable_names":["mine"],"args":["run"],"timeout_seconds":60}"#;
    let found = read_descriptors(&file(entry)).expect("valid");
    let [mine] = found.as_slice() else { panic!("one entry") };
    assert_eq!(mine.version_args, ["--version"]);
    let capability = Capability::from_saved(&mine.definition("/usr/bin/mine", "mine 1.0")).expect("valid");
    assert_eq!((capability.id.as_str(), capability.timeout_seconds), ("agent.mine", 60));
    assert_eq!(capability.source, Source::Discovered);
    let normal = concat!(
        r#"{"args":["run"],"executable":"/usr/bin/mine","input_mode":"stdin","output_format":"text","#,
        r#""version":"mine 1.0"}"#
    );
    assert_eq!(canonical(&capability.config.to_json()), normal);
    let default = r#"{"id":"agent.mine","name":"Mine","executable_paths":["/opt/a b"]}"#;
    let defaults = read_descriptors(&file(default)).expect("valid");
    let capability = Capability::from_saved(&defaults[0].definition("/opt/a b", "")).expect("valid");
    assert_eq!(capability.timeout_seconds, 300);

    let entry = |fields: &str| format!(r#"{{"id":"agent.mine","name":"Mine","executable_names":["mine"],{fields}}}"#);
    for (agents, path) in [
        (entry(r#""environment":{}"#), "/agents/0/environment"),
        (entry(r#""executable_names":["a/b"]"#), "/agents/0/executable_names"),
        (entry(r#""executable_names":[]"#), "/agents/0/executable_names"),
        (entry(r#""executable_paths":["bin/a"]"#), "/agents/0/executable_paths"),
        (entry(r#""version_args":[]"#), "/agents/0/version_args"),
        (entry(r#""id":"A""#), "/agents/0/id"),
        (entry(r#""timeout_seconds":0"#), "/agents/0/timeout_seconds"),
        (entry(r#""name":"""#), "/agents/0/name"),
        (format!("{0},{0}", entry(r#""args":[]"#)), "/agents/1/id"),
        ("1".to_owned(), "/agents/0"),
        (vec![entry(r#""args":[]"#); 17].join(","), "/agents"),
    ] {
        assert_eq!(read_descriptors(&file(&agents)).expect_err(&agents).path, path, "{agents}");
    }
    let version = Json::parse(r#"{"version":2,"agents":[]}"#).expect("valid JSON");
    assert_eq!(read_descriptors(&version).expect_err("version").path, "/version");
}
