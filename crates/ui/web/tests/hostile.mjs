// Texts that an agent may write to fool a reader or a page, in every field of every answer.

/** Script, markup, terminal escapes, direction and invisible characters, broken pairs, an endless word. */
export const HOSTILE =
  '<script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'">' +
  '\u001b]0;owned\u0007\u001b[2J\u202Egpj.exe\u202C\u2066\u200B\u0000\r\ud800{@html "owned"}${1+1}javascript:alert(1)' +
  'W'.repeat(300);

/** One line of a megabyte. */
export const MEGABYTE = 'x'.repeat(1_000_000) + '\u202E<b>end</b>';

/** Fields that the page reads as words of the contract stay as they are. */
const FIXED = new Set([
  'at', 'seq', 'verdict', 'level', 'default_level', 'outcome', 'state', 'phase', 'class', 'since', 'last', 'first', 'op', 'change', 'light',
  'severity', 'certainty', 'language', 'from', 'to', 'until', 'digest', 'day', 'id', 'session_id', 'parent', 'layer', 'code',
]);

export function spoil(value, key = '') {
  if (typeof value === 'string') {
    if (FIXED.has(key)) return value;
    // Of a project, its last folder is shown.
    return key === 'project' || key === 'cwd' ? value + HOSTILE : HOSTILE + value;
  }
  if (Array.isArray(value)) return value.map((entry) => spoil(entry, key));
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, spoil(entry, name)]));
  }
  return value;
}

export function hostile(data) {
  const made = { ...data, rows: spoil(data.rows).slice(-120), waiting: spoil(data.waiting), sessions: spoil(data.sessions), snapshots: spoil(data.snapshots) };
  for (const name of ['now', 'story', 'rule', 'replay', 'policy', 'preview']) made[name] = (...args) => spoil(data[name](...args));
  made.event = (seq) => {
    const event = data.event(seq);
    if (!event) return undefined;
    const bad = spoil(event);
    return { ...bad, source: HOSTILE + MEGABYTE, diff: [{ path: HOSTILE, cut: true, lines: [{ op: '+', text: MEGABYTE }, { op: '-', text: HOSTILE }] }], waiting: bad.waiting && { ...bad.waiting, text: MEGABYTE } };
  };
  for (const name of ['rules', 'cost', 'doctor', 'about']) made[name] = spoil(data[name]);
  made.rules = made.rules.map((rule, at) => ({ ...rule, id: `${data.rules[at].id}` }));
  return made;
}
