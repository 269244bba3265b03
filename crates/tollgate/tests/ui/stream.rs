//! The live feed.

use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Server, busy, call, done};

#[test]
fn a_call_is_in_the_feed_while_it_runs_and_its_result_after() {
    let scratch = busy();
    let server = Server::start(&scratch);
    let mut stream = server.connect();
    let request = format!(
        "GET /api/stream HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\n\r\n",
        server.host(),
        server.bearer()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok).filter_map(|line| {
        line.strip_prefix("data: ").map(|data| serde_json::from_str::<Value>(data).unwrap())
    });
    assert!(lines.next().unwrap()["head"].as_u64().unwrap() > 5);
    let begun = Instant::now();
    call(&scratch, "s-new", "n1", "Bash", json!({"command": "echo live"}));
    let row = lines.find(|batch| batch["rows"][0]["subject"] == "echo live").unwrap()["rows"][0].clone();
    assert_eq!(row["outcome"], "open");
    assert!(begun.elapsed() < Duration::from_secs(10));
    done(&scratch, "s-new", "n1", "Bash", json!({"command": "echo live"}));
    let after = lines.find(|batch| batch["rows"][0]["outcome"] == "ran").unwrap()["rows"][0].clone();
    assert_eq!(after["seq"], row["seq"], "the result is the call's own row");
}
