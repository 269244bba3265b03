//! As much HTTP/1.1 as the clients use: bodies by length or in chunks, connections kept or closed.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// No client of ours sends more; a broken length must not eat the machine's memory.
const BODY_LIMIT: usize = 64 << 20;
const LINE_LIMIT: u64 = 64 << 10;

/// A request as it came.
#[derive(Debug)]
pub struct Incoming {
    /// `GET`, `POST`, …
    pub method: String,
    /// The target as written, query included.
    pub target: String,
    /// Header names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, chunks joined.
    pub body: Vec<u8>,
}

/// One server-sent event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event:` line, where the API has one.
    pub name: Option<String>,
    /// The `data:` line.
    pub data: String,
}

impl SseEvent {
    /// An event with a name.
    pub fn named(name: &str, data: &Value) -> SseEvent {
        SseEvent { name: Some(name.to_owned()), data: data.to_string() }
    }

    /// An event without one.
    pub fn plain(data: &Value) -> SseEvent {
        SseEvent { name: None, data: data.to_string() }
    }
}

impl Incoming {
    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The target without its query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// Reads the next request, or nothing when the client has closed the connection.
pub fn read_request(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Incoming>> {
    let Some(start) = read_line(stream)? else { return Ok(None) };
    let mut words = start.split_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Err(bad("no request line"));
    };
    let mut incoming = Incoming {
        method: method.to_owned(),
        target: target.to_owned(),
        headers: read_headers(stream)?,
        body: Vec::new(),
    };
    if incoming.header("expect").is_some_and(|v| v.eq_ignore_ascii_case("100-continue")) {
        stream.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    incoming.body = read_body(stream, &incoming)?;
    Ok(Some(incoming))
}

/// Writes a JSON answer; the connection stays open.
pub fn write_json(stream: &mut TcpStream, status: u16, body: &Value, head_only: bool) -> io::Result<()> {
    let text = body.to_string();
    let mut out = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        reason(status),
        text.len()
    );
    if !head_only {
        out.push_str(&text);
    }
    stream.write_all(out.as_bytes())
}

/// Writes a stream of events, whose end is the end of the connection.
pub fn write_events(stream: &mut TcpStream, events: &[SseEvent]) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    for event in events {
        let name = event.name.as_ref().map(|name| format!("event: {name}\n")).unwrap_or_default();
        stream.write_all(format!("{name}data: {}\n\n", event.data).as_bytes())?;
    }
    stream.flush()
}

fn read_headers(stream: &mut BufReader<TcpStream>) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let line = read_line(stream)?.ok_or_else(|| bad("end of input in the headers"))?;
        if line.is_empty() {
            return Ok(headers);
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.trim().to_lowercase(), value.trim().to_owned()));
        }
    }
}

fn read_body(stream: &mut BufReader<TcpStream>, incoming: &Incoming) -> io::Result<Vec<u8>> {
    if incoming.header("transfer-encoding").is_some_and(|v| v.to_lowercase().contains("chunked")) {
        return read_chunks(stream);
    }
    let length =
        incoming.header("content-length").unwrap_or("0").parse().map_err(|_| bad("bad content length"))?;
    let mut body = Vec::new();
    read_exactly(stream, length, &mut body)?;
    Ok(body)
}

fn read_chunks(stream: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(stream)?.ok_or_else(|| bad("end of input in a chunk"))?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| bad("bad chunk size"))?;
        if size == 0 {
            read_headers(stream)?;
            return Ok(body);
        }
        read_exactly(stream, size, &mut body)?;
        read_line(stream)?;
    }
}

fn read_exactly(stream: &mut BufReader<TcpStream>, size: usize, body: &mut Vec<u8>) -> io::Result<()> {
    if size.saturating_add(body.len()) > BODY_LIMIT {
        return Err(bad("body too long"));
    }
    let read = stream.take(size as u64).read_to_end(body)?;
    if read == size { Ok(()) } else { Err(bad("end of input in the body")) }
}

fn read_line(stream: &mut BufReader<TcpStream>) -> io::Result<Option<String>> {
    let mut line = String::new();
    if stream.take(LINE_LIMIT).read_line(&mut line)? == 0 {
        return Ok(None);
    }
    if !line.ends_with('\n') {
        return Err(bad("line cut short"));
    }
    Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
}

fn bad(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        403 => "Forbidden",
        415 => "Unsupported Media Type",
        429 => "Too Many Requests",
        _ => "Answer",
    }
}
