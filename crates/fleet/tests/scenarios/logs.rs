//! Logs: whole, repeated, and tampered with.

use std::io::Write;

use tollgate_fleet::simulate::{Reply, Simulated, batch, write_log};
use tollgate_fleet_protocol::{
    Batch, BatchHead, Checked, ErrorAnswer, ErrorCode, Head, Hello, Missing, Stored,
};
use tollgate_store::{Link, Log};

use crate::world::World;

fn lines(log: &Log) -> Vec<String> {
    log.records().map(|entry| entry.line).collect()
}

fn head(log: &Log) -> Option<Head> {
    log.head().map(|head| Head { seq: head.seq, hash: head.hash() })
}

fn stored(reply: &Reply) -> Stored {
    reply.json().unwrap()
}

pub fn records_are_stored_once_and_in_order(world: &mut World) {
    let mut machine = world.machine("lab");
    let log = write_log(&world.state(), 0, 300).unwrap();
    let all = lines(&log);
    let first = stored(&machine.send(&all[..100], None).unwrap());
    assert_eq!((first.new, first.head.seq), (100, 100));
    let again = stored(&machine.send(&all[..100], None).unwrap());
    assert_eq!((again.new, again.head), (0, first.head.clone()), "a batch whose answer was lost");
    let overlapping = stored(&machine.send(&all[50..150], None).unwrap());
    assert_eq!((overlapping.new, overlapping.head.seq), (50, 150));
    let early = machine.send(&all[200..], None).unwrap();
    assert_eq!(early.error(), Some(ErrorCode::OutOfOrder));
    let answer: ErrorAnswer = serde_json::from_slice(&early.body).unwrap();
    assert_eq!(answer.error.known.first().map(|head| head.seq), Some(150));
    assert_eq!(machine.sync(&log).unwrap().unwrap().head, head(&log).unwrap());
    assert_eq!(world.stored(&machine), (1..=300).collect::<Vec<_>>());
    assert!(world.incidents(&machine).is_empty());
    let welcome = machine.hello(head(&log)).unwrap();
    assert_eq!(welcome.head, head(&log).unwrap());
    let refused =
        format!("SELECT sum(calls) FROM hourly WHERE machine = '{}' AND verdict = 'deny'", machine.id());
    assert_eq!(world.query(&refused).unwrap(), ["30"], "counted once, too");
}

pub fn what_is_no_batch_is_refused(world: &mut World) {
    let machine = world.machine("lab");
    let gzip = |bytes: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    };
    let whole = batch(&lines(&write_log(&world.state(), 0, 2).unwrap()), None).unwrap();
    let bomb = gzip(&vec![b' '; 12 << 20]);
    for (body, code) in [
        (b"no gzip".to_vec(), ErrorCode::BadRequest),
        (whole[..whole.len() - 20].to_vec(), ErrorCode::BadRequest),
        (gzip(b""), ErrorCode::BadRequest),
        (gzip(&Batch { lines: vec!["{}"], ..Batch::default() }.to_body()), ErrorCode::BadRequest),
        (bomb, ErrorCode::TooLarge),
        (vec![0; 5 << 20], ErrorCode::TooLarge),
    ] {
        assert_eq!(machine.request("POST", "/v1/records", &body).unwrap().error(), Some(code));
    }
    assert!(world.stored(&machine).is_empty());
    assert_eq!(machine.request("POST", "/v1/records", &whole).unwrap().status, 200);
}

pub fn edited_and_removed_records_are_found(world: &mut World) {
    let all = lines(&write_log(&world.state(), 0, 30).unwrap());
    let send = |machine: &Simulated, lines: &[String]| stored(&machine.send(lines, None).unwrap());
    let edited = world.machine("lab");
    let mut changed = all.clone();
    changed[9] = changed[9].replace("\"deny\"", "\"note\"");
    assert_ne!(changed[9], all[9]);
    assert_eq!(send(&edited, &changed).incidents, ["edited"]);
    assert_eq!(world.stored(&edited).len(), 30, "what was edited is stored all the same");
    let removed = world.machine("lab");
    let left: Vec<String> = all.iter().take(10).chain(&all[12..]).cloned().collect();
    assert_eq!(send(&removed, &left).incidents, ["removed"]);
    assert_eq!(send(&removed, &all).new, 0, "and what is brought later does not hide it");
    assert_eq!(world.incidents(&removed), ["removed"]);
    let reordered = world.machine("lab");
    let mut swapped = all.clone();
    swapped.swap(3, 4);
    assert!(send(&reordered, &swapped).incidents.contains(&"reordered".to_owned()));
    assert!(world.incidents(&reordered).contains(&"reordered".to_owned()));
}

pub fn a_log_on_two_machines_has_two_chains(world: &mut World) {
    let mut machine = world.machine("lab");
    let (one, two) = (world.state(), world.state());
    let first = write_log(&one, 0, 20).unwrap();
    machine.sync(&first).unwrap();
    std::fs::create_dir_all(&two).unwrap();
    for entry in std::fs::read_dir(&one).unwrap().map(|entry| entry.unwrap()) {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), two.join(entry.file_name())).unwrap();
        }
    }
    let second = Log::at(&two);
    for round in 1..=3 {
        write_log(&one, round * 100, 5).unwrap();
        write_log(&two, round * 1000, 7).unwrap();
        machine.sync(&first).unwrap();
        machine.sync(&second).unwrap();
    }
    let chains = world.stored(&machine);
    let expected: Vec<u64> = (1..=35).chain(21..=41).collect();
    assert_eq!(chains, expected, "all of both, and what they share once");
    assert_eq!(world.incidents(&machine), ["fork"]);
    let chains = format!("SELECT count(*) FROM chains WHERE machine = '{}'", machine.id());
    assert_eq!(world.query(&chains).unwrap(), ["2"]);
}

pub fn a_log_that_was_cut_or_begun_anew_is_found(world: &mut World) {
    let mut cut = world.machine("lab");
    let log = write_log(&world.state(), 0, 20).unwrap();
    cut.sync(&log).unwrap();
    let earlier = Link::of(lines(&log)[14].as_bytes()).unwrap();
    cut.hello(Some(Head { seq: 15, hash: earlier.hash.to_string() })).unwrap();
    assert_eq!(world.incidents(&cut), ["rollback"]);
    let mut anew = world.machine("lab");
    anew.sync(&log).unwrap();
    let other = write_log(&world.state(), 500, 4).unwrap();
    let answer = stored(&anew.send(&lines(&other), head(&other)).unwrap());
    assert_eq!((answer.new, answer.head.seq), (4, 4));
    assert_eq!(answer.incidents, ["begun-anew"]);
    let again = stored(&anew.send(&lines(&other), head(&other)).unwrap());
    assert_eq!(again.new, 0, "the new chain is repeated like any other");
    let replaced = world.machine("lab");
    stored(&replaced.send(&lines(&log), None).unwrap());
    replaced.hello(Some(Head { seq: 20, hash: "f".repeat(32) })).unwrap();
    assert_eq!(world.incidents(&replaced), ["fork"]);
}

pub fn a_record_that_was_rewritten_later_is_found(world: &mut World) {
    let mut machine = world.machine("lab");
    let log = write_log(&world.state(), 0, 20).unwrap();
    machine.sync(&log).unwrap();
    let all = lines(&log);
    let asked = machine.hello(head(&log)).unwrap().check;
    assert!(!asked.is_empty() && asked.iter().all(|seq| (1..=20).contains(seq)), "{asked:?}");
    let honest = |seq: &u64| {
        let link = Link::of(all[*seq as usize - 1].as_bytes()).unwrap();
        Checked { seq: *seq, hash: link.hash.to_string() }
    };
    let hello = |checked: Vec<Checked>| Hello { head: head(&log), checked, ..Hello::default() };
    let asked = machine.greet(&hello(asked.iter().map(honest).collect())).unwrap().check;
    assert!(world.incidents(&machine).is_empty());
    let lie = Checked { seq: asked[0], hash: "e".repeat(32) };
    machine.greet(&hello(vec![lie])).unwrap();
    assert_eq!(world.incidents(&machine), ["edited"]);
}

pub fn a_pruned_log_is_taken_from_where_it_begins(world: &mut World) {
    let machine = world.machine("lab");
    let all = lines(&write_log(&world.state(), 0, 30).unwrap());
    let first = Link::of(all[10].as_bytes()).unwrap();
    let after = Head { seq: first.seq - 1, hash: first.prev.to_string() };
    let send = |missing: Option<Missing>, from: usize, after: Head| {
        let lines = all[from..].iter().map(String::as_str).collect();
        let body = Batch { head: BatchHead { after, head: None, missing }, lines }.to_body();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&body).unwrap();
        machine.request("POST", "/v1/records", &gzip.finish().unwrap()).unwrap()
    };
    assert_eq!(send(None, 10, after.clone()).error(), Some(ErrorCode::OutOfOrder));
    let missing = |why: &str| Some(Missing { from: 1, to: 10, why: why.into() });
    let answer = stored(&send(missing("pruned"), 10, after.clone()));
    assert_eq!((answer.new, answer.head.seq), (20, 30));
    assert_eq!(answer.incidents, ["pruned"]);
    assert_eq!(stored(&send(missing("pruned"), 10, after)).new, 0);
    assert_eq!(world.stored(&machine), (11..=30).collect::<Vec<_>>());
}
