//! Files the script wrote, descriptors, and the buffers behind pipes and here-documents.

use std::ops::Bound;
use std::rc::Rc;

use super::state::{Descriptor, Local, State, World};
use super::{Shell, Stream};
use crate::value::{Hole, HoleSource, Piece, Text, Value};

/// What the script put into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The content.
    pub value: Value,
    /// False when the file may also hold something else: what was there before, or what another way
    /// through the script left.
    pub certain: bool,
    /// The script wrote it from its start: nothing is left in it of what was there before.
    pub anew: bool,
}

/// What goes to a device cannot be read back; the paths of process substitutions can.
fn is_device(path: &Text) -> bool {
    let path = path.prefix();
    path.starts_with("/dev/") && !path.starts_with("/dev/fd/") && !path.starts_with("/dev/shm/")
}

/// Lines behind which a program may stop reading, and that are told apart.
const LINES: usize = 8;

/// Programs take their input in blocks: of a longer one any part may be left.
const BLOCK: usize = 4096;

/// Programs that usually read their input when they are given no file, with how many words come before the files.
const FILTERS: &[(&str, usize)] = &[
    ("awk", 1),
    ("cat", 0),
    ("cut", 0),
    ("dd", usize::MAX),
    ("grep", 1),
    ("head", 0),
    ("jq", 1),
    ("sed", 1),
    ("sort", 0),
    ("tac", 0),
    ("tail", 0),
    ("tee", usize::MAX),
    ("tr", usize::MAX),
    ("uniq", 0),
    ("wc", 0),
    ("xargs", usize::MAX),
];

/// May a program read what the shell would read next? Options may say that it reads nothing.
fn may_read_input(call: &super::Call) -> bool {
    let Some((_, before)) = FILTERS.iter().find(|(name, _)| call.name() == Some(name)) else { return false };
    let numbers = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = |field: &&super::Field| {
        field.value.as_literal().is_none_or(|word| !word.starts_with('-') && !numbers(word))
    };
    call.args().filter(plain).count() <= *before
}

/// Does it count bytes, so that it may stop within a line?
fn counts_bytes(call: &super::Call) -> bool {
    let bytes = |field: &super::Field| {
        field.value.as_literal().is_none_or(|word| {
            let letters = word.strip_prefix('-').unwrap_or_default();
            letters.strip_prefix('-').map_or(letters.contains('c'), |long| long.starts_with('b'))
        })
    };
    call.name() == Some("dd") || call.name() == Some("head") && call.args().any(bytes)
}

/// What may be left of a text behind the first ends of its lines.
fn cut_at_lines(text: &Text) -> Vec<Text> {
    let mut cuts = Vec::new();
    for (at, piece) in text.pieces.iter().enumerate() {
        let behind = |start: &str| {
            let mut rest = Text::literal(start);
            text.pieces.iter().skip(at + 1).for_each(|piece| rest.push(piece.clone()));
            rest
        };
        let Piece::Text(known) = piece else {
            // What is left of a file is no longer the file.
            let left = matches!(piece, Piece::Hole(Hole { source: HoleSource::File(_), .. }))
                .then(|| Piece::Hole(Hole::new(HoleSource::Input)));
            let first = left.unwrap_or_else(|| piece.clone());
            let rest = text.pieces.iter().skip(at + 1).cloned();
            cuts.push(Text { pieces: std::iter::once(first).chain(rest).collect() });
            continue;
        };
        let ends = known.match_indices('\n').take(LINES + 1 - cuts.len().min(LINES));
        cuts.extend(ends.filter_map(|(end, _)| known.get(end + 1..)).map(behind));
        if cuts.len() > LINES {
            break;
        }
    }
    cuts
}

/// The most pieces of text that are kept of a file of which several contents are possible. A log that a script goes on
/// writing in loops and on many ways would grow without end, and nobody runs it.
const HEAVY: usize = 512;

fn bounded(value: Value, most: usize) -> Value {
    let weight: usize = value.any.iter().map(|text| text.pieces.len()).sum();
    match value.any.len() > most && weight > HEAVY {
        true => Value::unknown(HoleSource::Output).with_taint(value.taint),
        false => value,
    }
}

impl Shell {
    /// What is in the files a path may name, as far as the script wrote them.
    pub(super) fn stored(&self, path: &Value) -> Option<Written> {
        let found: Vec<Option<Written>> = self
            .keys(path)
            .any
            .iter()
            .map(|key| self.descriptor_content(key).or_else(|| self.stored_at(key)))
            .collect();
        let certain = found.iter().all(|written| written.as_ref().is_some_and(|written| written.certain));
        let anew = found.iter().all(|written| written.as_ref().is_some_and(|written| written.anew));
        let value = found
            .into_iter()
            .flatten()
            .map(|written| written.value)
            .reduce(|left, right| left.union(&right))?;
        Some(Written { value, certain, anew })
    }

    fn stored_at(&self, key: &Text) -> Option<Written> {
        self.looked.borrow_mut().insert(key.clone());
        if key.as_literal() == Some("/dev/null") {
            return Some(Written { value: Value::empty(), certain: true, anew: false });
        }
        let files = &self.state.world.files;
        if let Some(written) = files.get(key) {
            return Some(Written {
                certain: written.certain && key.as_literal().is_some(),
                ..written.clone()
            });
        }
        if !key.has_globs() || key.has_holes() {
            return None;
        }
        let pattern = super::pattern::Pattern::new(key);
        let hits = files
            .iter()
            .filter(|(path, _)| path.as_literal().is_some_and(|path| pattern.matches(path) != Some(false)));
        let value =
            hits.map(|(_, written)| written.value.clone()).reduce(|left, right| left.union(&right))?;
        Some(Written { value, certain: false, anew: false })
    }

    fn descriptor_content(&self, key: &Text) -> Option<Written> {
        let path = key.as_literal()?;
        let number = match path {
            "/dev/stdin" => 0,
            _ => ["/dev/fd/", "/proc/self/fd/"]
                .iter()
                .find_map(|prefix| path.strip_prefix(prefix)?.parse().ok())?,
        };
        let value = self.input_value(number)?;
        Some(Written { value, certain: true, anew: false })
    }

    /// Puts content into every file a path may name.
    pub(super) fn put(&mut self, path: &Value, content: &Value, append: bool) {
        let keys = self.keys(path);
        let sure = keys.any.len() == 1;
        self.state.is_there(&keys);
        // Where nothing is followed, a file is written on all ways one after the other.
        let most = usize::from(self.skim.is_none());
        let files = self.state.files_mut();
        for key in keys.any {
            if is_device(&key) {
                continue;
            }
            let old = files.get(&key);
            let base = match old {
                Some(old) if append => old.clone(),
                _ if append => {
                    Written { value: Value::unknown(HoleSource::Output), certain: true, anew: false }
                }
                _ => Written { value: Value::empty(), certain: true, anew: true },
            };
            let mut new = Written {
                value: base.value.concat(content),
                certain: base.certain && sure,
                anew: base.anew && sure,
            };
            if !sure && let Some(old) = old {
                new.value = new.value.union(&old.value);
            }
            new.value = bounded(new.value, most);
            files.insert(key, new);
        }
    }

    /// Writes over the start of a file, or goes on where it ended before.
    pub fn write_over(&mut self, path: &Value, content: &Value) {
        let old = self.stored(path).map(|written| written.value);
        self.put(path, content, true);
        let Some(old) = old else { return };
        let pairs = old.any.iter().flat_map(|old| content.any.iter().map(move |new| (old, new)));
        // Where the start ends within a letter, or is not known, nobody knows what the two come to.
        let over = pairs.map(|(old, new)| {
            let known = old.as_literal().zip(new.as_literal());
            let whole = known.and_then(|(old, new)| match old.get(new.len()..) {
                Some(rest) => Some([new, rest].concat()),
                None => (new.len() >= old.len()).then(|| new.to_owned()),
            });
            whole.map_or_else(|| Text::hole(Hole::new(HoleSource::Output)), |text| Text::literal(&text))
        });
        let over = Value::of(over.collect::<Vec<Text>>(), old.taint.union(content.taint));
        let keys = self.keys(path);
        for key in keys.any.iter().filter(|_| !over.any.is_empty()) {
            if let Some(written) = self.state.files_mut().get_mut(key) {
                written.value = written.value.union(&over);
            }
        }
    }

    /// The descriptor as it is now.
    pub(super) fn descriptor(&self, fd: u32) -> Descriptor {
        let open = self.state.local.fds.get(&fd).cloned();
        open.unwrap_or(if fd < 3 { Descriptor::Outer } else { Descriptor::Closed })
    }

    pub(super) fn set_descriptor(&mut self, fd: u32, descriptor: Descriptor) {
        self.state.local_mut().fds.insert(fd, descriptor);
    }

    /// The files that a descriptor may print into.
    pub(super) fn printed_to(&self, fd: u32) -> Vec<Text> {
        match self.state.local.fds.get(&fd) {
            Some(Descriptor::File { path, write: true, .. }) => self.keys(path).any,
            _ => Vec::new(),
        }
    }

    /// What the host is told of a descriptor.
    pub(super) fn stream(&self, fd: u32) -> Stream {
        match self.state.local.fds.get(&fd) {
            None if fd < 3 => Stream::Outer,
            None | Some(Descriptor::Closed) => Stream::Closed,
            Some(Descriptor::Outer) => Stream::Outer,
            Some(Descriptor::Pipe(_)) => Stream::Pipe,
            Some(Descriptor::Here(_)) => Stream::Here,
            Some(Descriptor::File { path, .. }) => Stream::File(path.clone()),
        }
    }

    /// What reading a descriptor yields, when something is known.
    pub(super) fn input_value(&self, fd: u32) -> Option<Value> {
        self.state.input(fd).cloned()
    }

    /// A program that may read its input leaves all of it, nothing, or what comes behind some line. Who is given
    /// the rest must never be judged by less than it may get.
    pub(super) fn use_input(&mut self, call: &super::Call) {
        if !may_read_input(call) {
            return;
        }
        let Some((id, input)) = self.state.input_buffer(0).zip(self.input_value(0)) else { return };
        let cuts: Vec<Vec<Text>> = input.any.iter().map(cut_at_lines).collect();
        let anywhere = counts_bytes(call)
            || cuts.iter().any(|cuts| cuts.len() > LINES)
            || input.any.iter().any(|text| text.bytes() > BLOCK);
        let rest = cuts.into_iter().flat_map(|cuts| cuts.into_iter().take(LINES)).chain([Text::default()]);
        let mut rest = input.union(&Value::of(rest, input.taint));
        if anywhere && !input.is_empty() {
            rest = rest.union(&Value::unknown(HoleSource::Input).with_taint(input.taint));
        }
        self.state.buffers_mut().insert(id, Rc::new(rest));
    }

    /// A new buffer holding this.
    pub(super) fn new_buffer(&mut self, content: Value) -> u32 {
        let id = self.next_buffer;
        self.next_buffer = id.wrapping_add(1);
        self.state.buffers_mut().insert(id, Rc::new(content));
        id
    }

    /// Takes a buffer away; what was in it.
    pub(super) fn take_buffer(&mut self, id: u32) -> Value {
        self.state.buffers_mut().remove(&id).map_or_else(Value::empty, Rc::unwrap_or_clone)
    }

    /// Prints to a descriptor.
    pub(super) fn emit(&mut self, fd: u32, content: &Value) {
        if content.is_empty() && content.taint.is_empty() {
            return;
        }
        match self.state.local.fds.get(&fd) {
            Some(Descriptor::Pipe(id)) => {
                let id = *id;
                if let Some(old) = self.state.world.buffers.get(&id) {
                    self.budget.charge(old);
                }
                let buffers = self.state.buffers_mut();
                let whole = buffers.get(&id).map_or_else(|| content.clone(), |old| old.concat(content));
                buffers.insert(id, Rc::new(whole));
            }
            Some(Descriptor::File { path, write: true, over, .. }) => {
                let (path, over) = (path.clone(), *over);
                if over { self.write_over(&path, content) } else { self.put(&path, content, true) }
            }
            _ => {}
        }
    }
}

impl Local {
    /// The pipes that output goes to, and that nothing here reads.
    pub fn printed(&self) -> Vec<u32> {
        let pipe = |fd: u32| match self.fds.get(&fd) {
            Some(Descriptor::Pipe(id)) => Some(*id),
            _ => None,
        };
        let read =
            |id: &u32| self.fds.iter().any(|(fd, open)| !(1..=2).contains(fd) && open.buffer() == Some(*id));
        [pipe(1), pipe(2)].into_iter().flatten().filter(|id| !read(id)).collect()
    }
}

impl World {
    /// Are all files the same, but for the content of some?
    pub fn files_like(&self, other: &Self, without: impl Fn(&Text) -> bool) -> bool {
        let mut like = true;
        self.files.differences(&other.files, &mut |key, now, before| {
            like &= now.is_some() && (now == before || without(key));
        });
        like
    }

    /// Are all buffers the same, but for these?
    pub fn buffers_like(&self, other: &Self, without: &[u32]) -> bool {
        let mut like = true;
        self.buffers.differences(&other.buffers, &mut |id, now, before| {
            like &= now == before || without.contains(id);
        });
        like
    }
}

impl State {
    /// What was printed since `before` may have been printed any number of times.
    pub fn open_printed(&mut self, before: &Self, printed: &[u32]) {
        for id in printed {
            let Some(value) = self.world.buffers.get(id) else { continue };
            if before.world.buffers.get(id) != Some(value) {
                let any = Value::unknown(HoleSource::Budget).with_taint(value.taint);
                let value = Rc::new(value.union(&any));
                self.buffers_mut().insert(*id, value);
            }
        }
    }

    /// The buffer that a descriptor reads from.
    pub fn input_buffer(&self, fd: u32) -> Option<u32> {
        self.local.fds.get(&fd)?.buffer()
    }

    /// What reading a descriptor yields.
    pub fn input(&self, fd: u32) -> Option<&Value> {
        self.world.buffers.get(&self.input_buffer(fd)?).map(|value| &**value)
    }

    /// Drops buffers that nothing reads any more.
    pub fn drop_buffers(&mut self, ids: std::ops::Range<u32>) {
        let open = self.world.buffers.from(Bound::Included(&ids.start)).map(|(id, _)| *id);
        let dropped: Vec<u32> = open.take_while(|id| ids.contains(id)).collect();
        dropped.iter().for_each(|id| drop(self.buffers_mut().remove(id)));
    }
}
