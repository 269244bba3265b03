//! The scripted model, asked over plain sockets.

use std::io::{Read, Write};
use std::net::TcpStream;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tollgate_e2e::mock::{EXHAUSTED, MAIN, SIDE};
use tollgate_e2e::{Conversation, MockModel, Script, Turn};

/// Sends bytes, half-closes, and returns all that comes back.
fn exchange(mock: &MockModel, bytes: &[u8]) -> Result<String> {
    let address = mock.url().replace("http://", "");
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(bytes)?;
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn post(mock: &MockModel, path: &str, body: &Value) -> Result<String> {
    let body = body.to_string();
    exchange(mock, format!("POST {path} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
}

/// The JSON of an answer that is not a stream.
fn json_of(answer: &str) -> Result<Value> {
    let (_, body) = answer.split_once("\r\n\r\n").context("no body")?;
    Ok(serde_json::from_str(body)?)
}

/// The `data:` objects of a stream.
fn events_of(answer: &str) -> Vec<Value> {
    answer
        .lines()
        .filter_map(|l| l.strip_prefix("data: "))
        .filter_map(|d| serde_json::from_str(d).ok())
        .collect()
}

struct Case {
    path: &'static str,
    /// A request that offers tools and says `PROMPT`.
    request: Value,
    stream: &'static str,
    /// Where the first tool's name stands in a plain answer, and where its input.
    name: &'static str,
    input: &'static str,
    /// A request that also carries a tool result `RESULT`.
    with_result: Value,
}

fn cases() -> [Case; 4] {
    let responses_tools = json!([{"type": "function", "name": "sh"}]);
    let chat_tools = json!([{"type": "function", "function": {"name": "sh"}}]);
    let gemini_tools = json!([{"functionDeclarations": [{"name": "sh"}]}]);
    [
        Case {
            path: "/v1/messages?beta=true",
            request: json!({"model": "m", "tools": [{"name": "sh"}],
                            "messages": [{"role": "user", "content": "PROMPT"}]}),
            stream: "/v1/messages",
            name: "/content/1/name",
            input: "/content/1/input",
            with_result: json!({"model": "m", "tools": [{"name": "sh"}], "messages": [
                {"role": "user", "content": "PROMPT"},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": true,
                                              "content": [{"type": "text", "text": "RESULT"}]}]}]}),
        },
        Case {
            path: "/v1/responses",
            request: json!({"model": "m", "tools": responses_tools, "input": "PROMPT"}),
            stream: "/responses",
            name: "/output/1/name",
            input: "/output/1/arguments",
            with_result: json!({"model": "m", "tools": responses_tools, "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "PROMPT"}]},
                {"type": "function_call_output", "call_id": "t1", "output": "RESULT"}]}),
        },
        Case {
            path: "/v1/chat/completions",
            request: json!({"model": "m", "tools": chat_tools, "messages": [{"role": "user", "content": "PROMPT"}]}),
            stream: "/chat/completions",
            name: "/choices/0/message/tool_calls/0/function/name",
            input: "/choices/0/message/tool_calls/0/function/arguments",
            with_result: json!({"model": "m", "tools": chat_tools, "messages": [
                {"role": "user", "content": "PROMPT"},
                {"role": "tool", "tool_call_id": "t1", "content": "RESULT"}]}),
        },
        Case {
            path: "/v1beta/models/m:generateContent",
            request: json!({"tools": gemini_tools, "contents": [{"role": "user", "parts": [{"text": "PROMPT"}]}]}),
            stream: "/v1beta/models/m:streamGenerateContent?alt=sse",
            name: "/candidates/0/content/parts/1/functionCall/name",
            input: "/candidates/0/content/parts/1/functionCall/args",
            with_result: json!({"tools": gemini_tools, "contents": [
                {"role": "user", "parts": [{"text": "PROMPT"}]},
                {"role": "user", "parts": [{"functionResponse": {"id": "t1", "response": {"output": "RESULT"}}}]}]}),
        },
    ]
}

fn call_then_say() -> Script {
    let mut turn = Turn::call("sh", json!({"cmd": "ls"}));
    turn.text = "FIRST".to_owned();
    Script::new([turn, Turn::say("SECOND")])
}

#[test]
fn each_api_plays_its_turns_in_order() -> Result<()> {
    for case in cases() {
        let mock = MockModel::start(call_then_say())?;
        let reply = json_of(&post(&mock, case.path, &case.request)?)?;
        assert_eq!(reply.pointer(case.name), Some(&json!("sh")), "{reply}");
        let input = reply.pointer(case.input).context("no input")?;
        // OpenAI's arguments are JSON inside a string.
        let input = input.as_str().map(serde_json::from_str).transpose()?.unwrap_or_else(|| input.clone());
        assert_eq!(input, json!({"cmd": "ls"}), "{reply}");
        let second = post(&mock, case.path, &case.with_result)?;
        assert!(second.contains("SECOND"), "{second}");
        let third = post(&mock, case.path, &case.with_result)?;
        assert!(third.contains(EXHAUSTED), "{third}");
        let requests = mock.requests();
        assert!(requests.iter().all(|r| r.conversation == MAIN), "{requests:?}");
        let results = requests[1].tool_results();
        assert_eq!(results.len(), 1, "{results:?}");
        assert!(results[0].id == "t1" && results[0].text.contains("RESULT"), "{results:?}");
        assert_eq!(results[0].is_error, case.path.contains("messages?"), "{results:?}");
    }
    Ok(())
}

#[test]
fn each_api_streams_the_same_answer() -> Result<()> {
    let ends = ["message_stop", "response.completed", "[DONE]", "finishReason"];
    for (case, end) in cases().into_iter().zip(ends) {
        let mock = MockModel::start(call_then_say())?;
        let mut request = case.request;
        request["stream"] = json!(true);
        let answer = post(&mock, case.stream, &request)?;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("text/event-stream"), "{answer}");
        let events = events_of(&answer);
        assert!(!events.is_empty() && answer.contains(end), "{answer}");
        let all = json!(events).to_string();
        assert!(all.contains("FIRST") && all.contains("sh") && all.contains("cmd"), "{all}");
    }
    Ok(())
}

#[test]
fn side_requests_do_not_use_up_the_script() -> Result<()> {
    let check = |request: Value, answer: &str| -> Result<()> {
        let mock = MockModel::start(Script::new([Turn::say("MAIN-TURN")]).side_text("ASIDE"))?;
        let reply = json_of(&post(&mock, "/v1/messages", &request)?)?;
        assert_eq!(reply.pointer("/content/0/text"), Some(&json!(answer)), "{request}");
        let expected = if answer == "MAIN-TURN" { MAIN } else { SIDE };
        assert_eq!(mock.requests()[0].conversation, expected);
        Ok(())
    };
    let said = json!([{"role": "user", "content": "hello"}]);
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"}}});
    check(json!({"messages": said, "tools": [{"name": "sh"}]}), "MAIN-TURN")?;
    check(json!({"messages": said}), "ASIDE")?;
    check(json!({"messages": said, "tools": []}), "ASIDE")?;
    check(json!({"messages": said, "tools": [{"name": "sh"}], "max_tokens": 1}), "ASIDE")?;
    let format = json!({"format": {"type": "json_schema", "schema": schema}});
    check(json!({"messages": said, "tools": [{"name": "sh"}], "output_config": format}), r#"{"title":"ok"}"#)
}

#[test]
fn other_conversations_are_told_apart_and_keep_their_own_place() -> Result<()> {
    let sub = Conversation::new("sub", |f| f.first.contains("SUB"), [Turn::say("s1"), Turn::say("s2")])
        .repeat_last();
    let mock = MockModel::start(Script::new([Turn::say("m1"), Turn::say("m2")]).beside(sub))?;
    let ask = |text: &str| -> Result<String> {
        let request = json!({"tools": [{"name": "sh"}], "messages": [{"role": "user", "content": text}]});
        let reply = json_of(&post(&mock, "/v1/messages", &request)?)?;
        Ok(reply.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default().to_owned())
    };
    let said = ["a", "SUB", "b", "SUB", "SUB"].into_iter().map(ask).collect::<Result<Vec<_>>>()?;
    assert_eq!(said, ["m1", "s1", "m2", "s2", "s2"]);
    Ok(())
}

#[test]
fn an_input_can_be_made_from_the_results_so_far() -> Result<()> {
    let echo =
        Turn::call_with("sh", |results| json!({"n": results.len(), "last": results.last().map(|r| &r.text)}));
    let mock = MockModel::start(Script::new([echo]))?;
    let [case, ..] = cases();
    let reply = json_of(&post(&mock, case.path, &case.with_result)?)?;
    assert_eq!(reply.pointer("/content/0/input"), Some(&json!({"n": 1, "last": "RESULT"})));
    Ok(())
}

#[test]
fn an_error_turn_fails_with_its_status() -> Result<()> {
    let mock = MockModel::start(Script::new([Turn::fail(429, "rate_limit_error", "slow down")]))?;
    let [case, ..] = cases();
    let answer = post(&mock, case.path, &case.request)?;
    assert!(answer.starts_with("HTTP/1.1 429 ") && answer.contains("slow down"), "{answer}");
    Ok(())
}

#[test]
fn bodies_come_in_chunks_and_connections_are_kept() -> Result<()> {
    let mock = MockModel::start(Script::new([]))?;
    let chunked =
        "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"x\r\n5;e=1\r\n\": 1}\r\n0\r\n\r\n";
    let plain = "POST /b HTTP/1.1\r\nContent-Length: 7\r\n\r\n{\"y\":2}";
    let last = "HEAD /c HTTP/1.1\r\nConnection: close\r\n\r\n";
    let answer = exchange(&mock, format!("{chunked}{plain}{last}").as_bytes())?;
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 3, "{answer}");
    let bodies: Vec<Value> = mock.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies, [json!({"x": 1}), json!({"y": 2}), json!("")]);
    Ok(())
}

#[test]
fn broken_requests_are_dropped_and_the_server_lives_on() -> Result<()> {
    let mock = MockModel::start(Script::new([]))?;
    let check = |bytes: &str| -> Result<()> {
        assert_eq!(exchange(&mock, bytes.as_bytes())?, "", "{bytes:?}");
        Ok(())
    };
    check("")?;
    check("GET\r\n\r\n")?;
    check("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nshort")?;
    check("POST / HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n")?;
    check("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")?;
    check("GET / HTTP/1.1\r\nHost: x")?;
    assert!(exchange(&mock, b"GET / HTTP/1.1\r\n\r\n")?.ends_with("{}"));
    Ok(())
}

#[test]
fn there_is_no_way_out() -> Result<()> {
    let mock = MockModel::start(Script::new([]))?;
    let check = |bytes: &str| -> Result<()> {
        let answer = exchange(&mock, bytes.as_bytes())?;
        assert!(answer.starts_with("HTTP/1.1 403 "), "{bytes:?}: {answer}");
        Ok(())
    };
    check("CONNECT api.example.com:443 HTTP/1.1\r\n\r\n")?;
    check("GET http://example.com/x HTTP/1.1\r\n\r\n")?;
    let outside: Vec<String> = mock.requests().into_iter().filter(|r| r.outside).map(|r| r.target).collect();
    assert_eq!(outside, ["api.example.com:443", "http://example.com/x"]);
    Ok(())
}
