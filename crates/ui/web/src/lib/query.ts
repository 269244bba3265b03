// Completion for the search field. The server reads the query; this only knows its words.

export const FILTERS = ['rule', 'agent', 'verdict', 'path', 'project', 'session', 'tool', 'outcome', 'since', 'until'];

const FIXED: Record<string, string[]> = {
  verdict: ['allow', 'note', 'save', 'ask', 'deny', 'halt'],
  outcome: ['open', 'ran', 'failed', 'refused', 'none'],
  tool: ['Bash', 'Read', 'Write', 'Edit', 'Grep', 'Glob', 'WebFetch', 'Task'],
  since: ['1h', '24h', '7d', '30d', 'today'],
  until: ['today', '1h', '24h'],
};

export interface Completion {
  /** What is shown. */
  text: string;
  /** The whole query with it. */
  query: string;
  /** Where the cursor stands then. */
  caret: number;
}

/** What could follow at the cursor. */
export function complete(query: string, caret: number, known: Record<string, string[]>): Completion[] {
  const start = wordStart(query, caret);
  const word = query.slice(start, caret);
  const colon = word.indexOf(':');
  const options =
    colon < 0
      ? FILTERS.filter((name) => word !== '' && name.startsWith(word.toLowerCase())).map((name) => `${name}:`)
      : values(word.slice(0, colon).toLowerCase(), word.slice(colon + 1), known).map(
          (value) => `${word.slice(0, colon)}:${quoted(value)}`,
        );
  return options
    .filter((text) => text !== word)
    .slice(0, 8)
    .map((text) => {
      const end = text.endsWith(':') ? text : `${text} `;
      const rest = query.slice(caret).trimStart();
      return { text, query: query.slice(0, start) + end + rest, caret: start + end.length };
    });
}

function values(filter: string, typed: string, known: Record<string, string[]>): string[] {
  const wanted = typed.replaceAll('"', '').toLowerCase();
  const all = known[filter] ?? FIXED[filter] ?? [];
  const starts = all.filter((value) => value.toLowerCase().startsWith(wanted));
  const holds = all.filter((value) => !starts.includes(value) && value.toLowerCase().includes(wanted));
  return [...starts, ...holds];
}

function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}

/** A space inside quotes ends no word. */
function wordStart(query: string, caret: number): number {
  let start = 0;
  let quotes = false;
  for (let at = 0; at < caret; at += 1) {
    if (query[at] === '"') quotes = !quotes;
    else if (query[at] === ' ' && !quotes) start = at + 1;
  }
  return start;
}
