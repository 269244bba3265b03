//! An ordered map whose copies share what they have in common.
//!
//! The evaluator copies its state wherever a script may go two ways, and joins the copies again. With a `BTreeMap` each of
//! those steps costs as much as the script has said so far, and a script of n lines n². Here a copy costs nothing, a change
//! a few nodes, and a comparison or a join of two copies what they differ in.
//!
//! A weight-balanced tree of reference-counted nodes (Adams 1993). Written by hand: `imbl` has all of this, but its licence
//! is not among ours and each of its nodes has room for dozens of entries, which most maps here never hold; `rpds` cannot
//! join or compare without visiting every entry.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Bound;
use std::rc::Rc;

/// A side may be this many times as heavy as the other, which keeps the tree's depth logarithmic.
const DELTA: usize = 3;
/// A heavier side is rotated twice when its inner part is this many times as heavy as its outer one.
const GAMMA: usize = 2;

/// An ordered map; cloning it costs nothing.
pub struct SharedMap<K, V> {
    root: Link<K, V>,
}

/// An ordered set; cloning it costs nothing.
pub type SharedSet<K> = SharedMap<K, ()>;

type Link<K, V> = Option<Rc<Node<K, V>>>;

struct Node<K, V> {
    entry: Rc<Entry<K, V>>,
    size: usize,
    left: Link<K, V>,
    right: Link<K, V>,
}

/// Shared by itself, so that a node on the way to a change is copied without what it holds.
#[derive(Clone)]
struct Entry<K, V> {
    key: K,
    value: V,
}

impl<K, V> Clone for SharedMap<K, V> {
    fn clone(&self) -> Self {
        Self { root: self.root.clone() }
    }
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        Self { root: None }
    }
}

impl<K, V> Clone for Node<K, V> {
    fn clone(&self) -> Self {
        Self {
            entry: Rc::clone(&self.entry),
            size: self.size,
            left: self.left.clone(),
            right: self.right.clone(),
        }
    }
}

impl<K: fmt::Debug + Ord, V: fmt::Debug> fmt::Debug for SharedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Ord, V> SharedMap<K, V> {
    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        size(&self.root)
    }

    /// Is there no entry?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// The value of a key.
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.get_key_value(key).map(|(_, value)| value)
    }

    /// A key as it is kept, and its value.
    #[must_use]
    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        let mut at = self.root.as_deref();
        while let Some(node) = at {
            at = match key.cmp(node.entry.key.borrow()) {
                Ordering::Less => node.left.as_deref(),
                Ordering::Greater => node.right.as_deref(),
                Ordering::Equal => return Some((&node.entry.key, &node.entry.value)),
            };
        }
        None
    }

    /// Is there such a key?
    #[must_use]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get_key_value(key).is_some()
    }

    /// All entries, ordered by key.
    pub fn iter(&self) -> Iter<'_, K, V> {
        let mut iter = Iter { above: Vec::new() };
        iter.descend(self.root.as_deref());
        iter
    }

    /// The entries from this key on, ordered by key.
    pub fn from<Q: Ord + ?Sized>(&self, start: Bound<&Q>) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let mut iter = Iter { above: Vec::new() };
        let mut at = self.root.as_deref();
        while let Some(node) = at {
            let before = match start {
                Bound::Included(start) => node.entry.key.borrow() < start,
                Bound::Excluded(start) => node.entry.key.borrow() <= start,
                Bound::Unbounded => false,
            };
            at = if before {
                node.right.as_deref()
            } else {
                iter.above.push(node);
                node.left.as_deref()
            };
        }
        iter
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    /// All values, in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }
}

impl<K: Ord + Clone, V: Clone> SharedMap<K, V> {
    /// Sets the value of a key; the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.get_mut(&key) {
            Some(old) => Some(std::mem::replace(old, value)),
            None => {
                insert_new(&mut self.root, Rc::new(Entry { key, value }));
                None
            }
        }
    }

    /// Takes a key out; the value it had.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let value = self.get(key)?.clone();
        remove(&mut self.root, key);
        Some(value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        // Looked for first: nothing is copied on the way to a key that is not there.
        if !self.contains_key(key) {
            return None;
        }
        let mut at = &mut self.root;
        loop {
            let node = Rc::make_mut(at.as_mut()?);
            at = match key.cmp(node.entry.key.borrow()) {
                Ordering::Less => &mut node.left,
                Ordering::Greater => &mut node.right,
                Ordering::Equal => return Some(&mut Rc::make_mut(&mut node.entry).value),
            };
        }
    }

    /// Keeps the entries that fit.
    pub fn retain(&mut self, mut fits: impl FnMut(&K, &V) -> bool) {
        let gone: Vec<K> =
            self.iter().filter(|(key, value)| !fits(key, value)).map(|(key, _)| key.clone()).collect();
        gone.iter().for_each(|key| remove(&mut self.root, key));
    }

    /// Both maps in one. `combine` says what becomes of a key that differs between them; it is not asked about what the two
    /// share. `None` leaves the key out.
    #[must_use]
    pub fn joined(&self, other: &Self, combine: &mut Combine<'_, K, V>) -> Self {
        Self { root: joined(&self.root, &other.root, combine) }
    }

    /// Tells every key that differs between two maps, with its value in each.
    pub fn differences(&self, other: &Self, tell: &mut Tell<'_, K, V>) {
        differences(&self.root, &other.root, tell);
    }

    /// Takes all entries out.
    pub fn clear(&mut self) {
        self.root = None;
    }

    /// Changes every value.
    pub fn update_all(&mut self, change: &mut dyn FnMut(&mut V)) {
        update_all(&mut self.root, change);
    }
}

impl<V> SharedMap<Rc<str>, V> {
    /// The entries whose keys start with this text.
    pub fn starting_with<'m>(&'m self, start: &'m str) -> impl Iterator<Item = (&'m Rc<str>, &'m V)> {
        self.from(Bound::Included(start)).take_while(move |(key, _)| key.starts_with(start))
    }
}

/// What becomes of a key: its value in the one map, and in the other.
pub type Combine<'c, K, V> = dyn FnMut(&K, Option<&V>, Option<&V>) -> Option<V> + 'c;

/// Hears of a key that differs: its value in the one map, and in the other.
pub type Tell<'t, K, V> = dyn FnMut(&K, Option<&V>, Option<&V>) + 't;

impl<K: Ord, V: PartialEq> PartialEq for SharedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        is_same(&self.root, &other.root)
    }
}

impl<K: Ord, V: Eq> Eq for SharedMap<K, V> {}

impl<K: Ord + Clone, V: Clone> FromIterator<(K, V)> for SharedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        map.extend(entries);
        map
    }
}

impl<K: Ord + Clone, V: Clone> Extend<(K, V)> for SharedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<'m, K: Ord, V> IntoIterator for &'m SharedMap<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Iter<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Entries in order: the nodes above the next one that are still to come, it included.
pub struct Iter<'m, K, V> {
    above: Vec<&'m Node<K, V>>,
}

impl<'m, K, V> Iter<'m, K, V> {
    fn descend(&mut self, mut at: Option<&'m Node<K, V>>) {
        while let Some(node) = at {
            self.above.push(node);
            at = node.left.as_deref();
        }
    }
}

impl<'m, K, V> Iterator for Iter<'m, K, V> {
    type Item = (&'m K, &'m V);

    fn next(&mut self) -> Option<Self::Item> {
        let node = self.above.pop()?;
        self.descend(node.right.as_deref());
        Some((&node.entry.key, &node.entry.value))
    }
}

fn size<K, V>(link: &Link<K, V>) -> usize {
    link.as_ref().map_or(0, |node| node.size)
}

fn leaf<K, V>(entry: Rc<Entry<K, V>>) -> Link<K, V> {
    Some(Rc::new(Node { entry, size: 1, left: None, right: None }))
}

fn is_shared<K, V>(one: &Link<K, V>, two: &Link<K, V>) -> bool {
    match (one, two) {
        (Some(one), Some(two)) => Rc::ptr_eq(one, two),
        (None, None) => true,
        _ => false,
    }
}

fn is_same<K: Ord, V: PartialEq>(one: &Link<K, V>, two: &Link<K, V>) -> bool {
    if is_shared(one, two) {
        return true;
    }
    let (Some(one), Some(two)) = (one, two) else { return false };
    if one.size != two.size {
        return false;
    }
    let same_entry = |one: &Rc<Entry<K, V>>, two: &Rc<Entry<K, V>>| {
        Rc::ptr_eq(one, two) || one.key == two.key && one.value == two.value
    };
    if one.entry.key == two.entry.key {
        return same_entry(&one.entry, &two.entry)
            && is_same(&one.left, &two.left)
            && is_same(&one.right, &two.right);
    }
    // Trees with the same keys may have grown differently.
    let entries = |node: &Rc<Node<K, V>>| SharedMap { root: Some(Rc::clone(node)) };
    let (one, two) = (entries(one), entries(two));
    one.iter().eq(two.iter())
}

fn update_all<K: Clone, V: Clone>(link: &mut Link<K, V>, change: &mut dyn FnMut(&mut V)) {
    let Some(node) = link else { return };
    let node = Rc::make_mut(node);
    update_all(&mut node.left, change);
    change(&mut Rc::make_mut(&mut node.entry).value);
    update_all(&mut node.right, change);
}

fn insert_new<K: Ord + Clone, V: Clone>(link: &mut Link<K, V>, entry: Rc<Entry<K, V>>) {
    let Some(node) = link else {
        *link = leaf(entry);
        return;
    };
    let node = Rc::make_mut(node);
    let side = if entry.key < node.entry.key { &mut node.left } else { &mut node.right };
    insert_new(side, entry);
    settle(node);
}

fn remove<K: Ord + Clone + Borrow<Q>, V: Clone, Q: Ord + ?Sized>(link: &mut Link<K, V>, key: &Q) {
    let Some(node) = link else { return };
    match key.cmp(node.entry.key.borrow()) {
        Ordering::Less => {
            let node = Rc::make_mut(node);
            remove(&mut node.left, key);
            settle(node);
        }
        Ordering::Greater => {
            let node = Rc::make_mut(node);
            remove(&mut node.right, key);
            settle(node);
        }
        Ordering::Equal => *link = glued(node.left.clone(), node.right.clone()),
    }
}

/// A tree of the entries before and behind one that is taken out.
fn glued<K: Ord + Clone, V: Clone>(left: Link<K, V>, mut right: Link<K, V>) -> Link<K, V> {
    if left.is_none() {
        return right;
    }
    match take_first(&mut right) {
        Some(first) => linked(left, first, right),
        None => left,
    }
}

fn take_first<K: Ord + Clone, V: Clone>(link: &mut Link<K, V>) -> Option<Rc<Entry<K, V>>> {
    let node = Rc::make_mut(link.as_mut()?);
    if node.left.is_some() {
        let first = take_first(&mut node.left);
        settle(node);
        return first;
    }
    let first = Rc::clone(&node.entry);
    *link = node.right.clone();
    Some(first)
}

/// Sets a node's size and its balance right after one side has changed by one entry.
fn settle<K: Clone, V: Clone>(node: &mut Node<K, V>) {
    let (left, right) = (size(&node.left), size(&node.right));
    node.size = left + right + 1;
    if left + right <= 1 {
        return;
    }
    if right > DELTA * left {
        let inner = node.right.as_ref().map_or((0, 0), |right| (size(&right.left), size(&right.right)));
        if inner.0 >= GAMMA * inner.1 {
            turn(&mut node.right, Side::Right);
        }
        turn_node(node, Side::Left);
    } else if left > DELTA * right {
        let inner = node.left.as_ref().map_or((0, 0), |left| (size(&left.right), size(&left.left)));
        if inner.0 >= GAMMA * inner.1 {
            turn(&mut node.left, Side::Left);
        }
        turn_node(node, Side::Right);
    }
}

#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

fn turn<K: Clone, V: Clone>(link: &mut Link<K, V>, to: Side) {
    if let Some(node) = link {
        turn_node(Rc::make_mut(node), to);
    }
}

/// A rotation: the node goes down on one side, and its child of the other side takes its place.
fn turn_node<K: Clone, V: Clone>(node: &mut Node<K, V>, to: Side) {
    let child = match to {
        Side::Left => node.right.take(),
        Side::Right => node.left.take(),
    };
    let Some(child) = child else { return };
    let mut child = Rc::unwrap_or_clone(child);
    let inner = match to {
        Side::Left => child.left.take(),
        Side::Right => child.right.take(),
    };
    std::mem::swap(node, &mut child);
    // `child` is what `node` was now.
    match to {
        Side::Left => child.right = inner,
        Side::Right => child.left = inner,
    }
    child.size = size(&child.left) + size(&child.right) + 1;
    let down = Some(Rc::new(child));
    match to {
        Side::Left => node.left = down,
        Side::Right => node.right = down,
    }
    node.size = size(&node.left) + size(&node.right) + 1;
}

/// A tree of one entry between two trees of any sizes.
fn linked<K: Clone, V: Clone>(left: Link<K, V>, entry: Rc<Entry<K, V>>, right: Link<K, V>) -> Link<K, V> {
    let (before, behind) = (size(&left), size(&right));
    let is_heavy = |one: usize, other: usize| one + other > 1 && one > DELTA * other;
    match (left, right) {
        (Some(left), right) if is_heavy(before, behind) => {
            let mut node = Rc::unwrap_or_clone(left);
            node.right = linked(node.right.take(), entry, right);
            settle(&mut node);
            Some(Rc::new(node))
        }
        (left, Some(right)) if is_heavy(behind, before) => {
            let mut node = Rc::unwrap_or_clone(right);
            node.left = linked(left, entry, node.left.take());
            settle(&mut node);
            Some(Rc::new(node))
        }
        (left, right) => Some(Rc::new(Node { entry, size: before + behind + 1, left, right })),
    }
}

/// The entries before a key, that of the key, and those behind it.
type Parts<K, V> = (Link<K, V>, Option<Rc<Entry<K, V>>>, Link<K, V>);

fn split<K: Ord + Clone, V: Clone>(link: &Link<K, V>, key: &K) -> Parts<K, V> {
    let Some(node) = link else { return (None, None, None) };
    match key.cmp(&node.entry.key) {
        Ordering::Equal => (node.left.clone(), Some(Rc::clone(&node.entry)), node.right.clone()),
        Ordering::Less => {
            let (before, found, behind) = split(&node.left, key);
            (before, found, linked(behind, Rc::clone(&node.entry), node.right.clone()))
        }
        Ordering::Greater => {
            let (before, found, behind) = split(&node.right, key);
            (linked(node.left.clone(), Rc::clone(&node.entry), before), found, behind)
        }
    }
}

fn joined<K: Ord + Clone, V: Clone>(
    one: &Link<K, V>,
    two: &Link<K, V>,
    combine: &mut Combine<'_, K, V>,
) -> Link<K, V> {
    if is_shared(one, two) {
        return one.clone();
    }
    let Some(node) = one else {
        let Some(only) = two else { return None };
        // Only the second map has these.
        let left = joined(&None, &only.left, combine);
        let entry = combined(None, Some(&only.entry), combine);
        let right = joined(&None, &only.right, combine);
        return placed(left, entry, right);
    };
    let (before, found, behind) = split(two, &node.entry.key);
    let left = joined(&node.left, &before, combine);
    let entry = combined(Some(&node.entry), found.as_ref(), combine);
    let right = joined(&node.right, &behind, combine);
    let kept = entry.as_ref().is_some_and(|entry| Rc::ptr_eq(entry, &node.entry));
    if kept && is_shared(&left, &node.left) && is_shared(&right, &node.right) {
        return one.clone();
    }
    placed(left, entry, right)
}

fn differences<K: Ord + Clone, V: Clone>(one: &Link<K, V>, two: &Link<K, V>, tell: &mut Tell<'_, K, V>) {
    if is_shared(one, two) {
        return;
    }
    let Some(node) = one else {
        let only = SharedMap { root: two.clone() };
        return only.iter().for_each(|(key, value)| tell(key, None, Some(value)));
    };
    let (before, found, behind) = split(two, &node.entry.key);
    differences(&node.left, &before, tell);
    if !found.as_ref().is_some_and(|found| Rc::ptr_eq(found, &node.entry)) {
        tell(&node.entry.key, Some(&node.entry.value), found.as_ref().map(|found| &found.value));
    }
    differences(&node.right, &behind, tell);
}

fn placed<K: Ord + Clone, V: Clone>(
    left: Link<K, V>,
    entry: Option<Rc<Entry<K, V>>>,
    right: Link<K, V>,
) -> Link<K, V> {
    match entry {
        Some(entry) => linked(left, entry, right),
        None => glued(left, right),
    }
}

fn combined<K: Clone, V: Clone>(
    one: Option<&Rc<Entry<K, V>>>,
    two: Option<&Rc<Entry<K, V>>>,
    combine: &mut Combine<'_, K, V>,
) -> Option<Rc<Entry<K, V>>> {
    let either = one.or(two)?;
    if let (Some(one), Some(two)) = (one, two)
        && Rc::ptr_eq(one, two)
    {
        return Some(Rc::clone(one));
    }
    let value = combine(&either.key, one.map(|one| &one.value), two.map(|two| &two.value))?;
    Some(Rc::new(Entry { key: either.key.clone(), value }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    type Plain = BTreeMap<u32, u32>;
    type Map = SharedMap<u32, u32>;

    /// Numbers that look random and are the same in every run.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, most: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from(self.0 >> 33).unwrap_or_default() % most
        }
    }

    fn depth<K, V>(link: &Link<K, V>) -> usize {
        link.as_ref().map_or(0, |node| 1 + depth(&node.left).max(depth(&node.right)))
    }

    fn assert_like(map: &Map, plain: &Plain) {
        assert!(map.iter().eq(plain.iter()), "{map:?} is not {plain:?}");
        assert_eq!(map.len(), plain.len());
        let most = 3 * (usize::BITS - plain.len().leading_zeros()) as usize;
        assert!(depth(&map.root) <= most, "{} entries are {} deep", plain.len(), depth(&map.root));
    }

    fn change(map: &mut Map, plain: &mut Plain, numbers: &mut Numbers, keys: u32) {
        let (key, value) = (numbers.below(keys), numbers.below(9));
        match numbers.below(3) {
            0 => assert_eq!(map.remove(&key), plain.remove(&key)),
            1 => {
                if let Some(old) = map.get_mut(&key) {
                    *old += 1;
                }
                plain.entry(key).and_modify(|old| *old += 1);
            }
            _ => assert_eq!(map.insert(key, value), plain.insert(key, value)),
        }
    }

    #[test]
    fn a_map_is_like_the_one_of_the_standard_library() {
        let mut numbers = Numbers(1);
        for keys in [1, 2, 7, 40, 1_000] {
            let (mut map, mut plain) = (Map::default(), Plain::new());
            for _ in 0..2_000 {
                change(&mut map, &mut plain, &mut numbers, keys);
                let start = numbers.below(keys);
                assert!(map.from(Bound::Included(&start)).eq(plain.range(start..)));
            }
            assert_like(&map, &plain);
        }
    }

    #[test]
    fn a_copy_does_not_change_with_the_other() {
        let mut map: Map = (0..100).map(|number| (number, number)).collect();
        let copy = map.clone();
        for number in 0..100 {
            map.insert(number, 7);
            map.remove(&(number / 2));
        }
        assert!(copy.iter().eq((0..100).collect::<Vec<u32>>().iter().map(|number| (number, number))));
        assert_ne!(map, copy);
    }

    #[test]
    fn ascending_keys_stay_balanced() {
        let map: Map = (0..50_000).map(|number| (number, 0)).collect();
        assert!(depth(&map.root) <= 32, "{}", depth(&map.root));
    }

    #[test]
    fn two_copies_are_joined_by_what_differs() {
        let mut numbers = Numbers(3);
        for round in 0..300 {
            let (mut left, mut plain_left) = (Map::default(), Plain::new());
            for _ in 0..round {
                change(&mut left, &mut plain_left, &mut numbers, 200);
            }
            let (mut right, mut plain_right) = (left.clone(), plain_left.clone());
            for _ in 0..numbers.below(20) {
                change(&mut left, &mut plain_left, &mut numbers, 200);
                change(&mut right, &mut plain_right, &mut numbers, 200);
            }
            let both = left.joined(&right, &mut |_, one, two| match (one, two) {
                (Some(one), Some(two)) => Some(*one.max(two)),
                (Some(one), None) => Some(*one),
                (None, Some(two)) if *two > 1 => Some(*two),
                _ => None,
            });
            let mut plain = plain_left.clone();
            for (key, two) in &plain_right {
                match plain.get_mut(key) {
                    Some(one) => *one = (*one).max(*two),
                    None if *two > 1 => drop(plain.insert(*key, *two)),
                    None => {}
                }
            }
            // What only the right one has may have been left out already where the trees are shared: they are not.
            assert_like(&both, &plain);
            assert_eq!(left == right, plain_left == plain_right);
        }
    }

    #[test]
    fn a_join_asks_only_about_what_differs() {
        let left: Map = (0..10_000).map(|number| (number, 0)).collect();
        let mut right = left.clone();
        right.insert(5_000, 1);
        right.insert(20_000, 1);
        let mut asked = Vec::new();
        let both = left.joined(&right, &mut |key, one, two| {
            asked.push(*key);
            two.or(one).copied()
        });
        assert_eq!(both, right);
        assert_eq!(asked, [5_000, 20_000]);
        let mut told = Vec::new();
        left.differences(&right, &mut |key, one, two| told.push((*key, one.copied(), two.copied())));
        assert_eq!(told, [(5_000, Some(0), Some(1)), (20_000, None, Some(1))]);
        let same = left.joined(&left.clone(), &mut |_, _, _| None);
        assert!(is_shared(&same.root, &left.root));
    }

    #[test]
    fn what_lies_below_a_folder_is_found() {
        let paths = ["/a", "/a/b", "/a/b/c", "/a/b/d/e", "/a/b-c", "/a/b0", "/b"];
        let map: SharedMap<Rc<str>, ()> = paths.into_iter().map(|path| (Rc::from(path), ())).collect();
        let below: Vec<&str> = map.starting_with("/a/b/").map(|(path, ())| &**path).collect();
        assert_eq!(below, ["/a/b/c", "/a/b/d/e"]);
        assert_eq!(map.starting_with("/c").count(), 0);
    }

    #[test]
    fn every_value_is_changed_in_one_copy_alone() {
        let mut map: Map = (0..50).map(|number| (number, number)).collect();
        let copy = map.clone();
        map.update_all(&mut |value| *value += 1);
        assert!(
            map.iter().all(|(key, value)| key + 1 == *value) && copy.iter().all(|(key, value)| key == value)
        );
    }
}
