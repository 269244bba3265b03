// Texts that an agent wrote. Characters that hide, move or reorder others are written out, so that nobody is shown
// something else than what runs.

export interface Piece {
  text: string;
  /** Set for a character that is written out: its name. */
  hidden: string;
}

export interface Shown {
  pieces: Piece[];
  /** Characters that were left out. */
  rest: number;
}

const NAMES: Record<number, string> = {
  0x00: 'null',
  0x07: 'bell',
  0x08: 'backspace',
  0x0d: 'carriage return',
  0x1b: 'escape',
  0x7f: 'delete',
  0xad: 'soft hyphen',
  0x61c: 'Arabic letter mark',
  0x200b: 'zero-width space',
  0x200c: 'zero-width non-joiner',
  0x200d: 'zero-width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x2028: 'line separator',
  0x2029: 'paragraph separator',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'end of direction change',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'end of isolate',
  0xfeff: 'byte order mark',
};

// Control characters but tab and line feed, invisible and direction characters, tags, and halves of pairs.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}\u{1d173}-\u{1d17a}]|[\ud800-\udfff]/gu;

/** A text as pieces, cut to `max` characters. On one line, line breaks and tabs are written out, too. */
export function show(text: string, max: number, oneLine: boolean): Shown {
  const cut = cutAt(text, max);
  const pieces: Piece[] = [];
  let from = 0;
  const plain = (to: number) => {
    if (to > from) pieces.push(...(oneLine ? splitLines(cut.slice(from, to)) : [{ text: cut.slice(from, to), hidden: '' }]));
  };
  for (const match of cut.matchAll(HIDDEN)) {
    plain(match.index);
    pieces.push(written(match[0]));
    from = match.index + match[0].length;
  }
  plain(cut.length);
  return { pieces, rest: text.length - cut.length };
}

/** Never between the halves of a pair. */
function cutAt(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

function splitLines(text: string): Piece[] {
  if (!/[\n\t]/.test(text)) return [{ text, hidden: '' }];
  return text
    .split(/([\n\t])/)
    .filter((part) => part !== '')
    .map((part) =>
      part === '\n' ? { text: '⏎', hidden: 'line break' } : part === '\t' ? { text: '⇥', hidden: 'tab' } : { text: part, hidden: '' },
    );
}

function written(character: string): Piece {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  const text = code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex.padStart(4, '0')}}`;
  return { text, hidden: NAMES[code] ?? 'invisible character' };
}

/** The same as one string, for titles and labels. */
export function plain(text: string, max = 300): string {
  const { pieces, rest } = show(text, max, true);
  return pieces.map((piece) => piece.text).join('') + (rest > 0 ? '…' : '');
}
