// The keyboard. Letters do something only while no field has the focus.

import { go } from './router.svelte';
import { theme } from './theme.svelte';

export const PAGES = [
  { page: 'now', name: 'Now', key: 'n' },
  { page: 'sessions', name: 'Sessions', key: 's' },
  { page: 'search', name: 'Search', key: 'f' },
  { page: 'rules', name: 'Rules', key: 'r' },
  { page: 'policy', name: 'Policy', key: 'p' },
  { page: 'undo', name: 'Undo', key: 'u' },
  { page: 'cost', name: 'Cost', key: 'c' },
  { page: 'health', name: 'Health', key: 'h' },
] as const;

class Keys {
  help = $state(false);
  /** `g` was typed: the next letter names a page. */
  going = false;
  /** Ends the wait for that letter. */
  timer = 0;
}

export const keys = new Keys();

export function listen(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || inField(event.target)) return;
    if (handle(event.key)) event.preventDefault();
  });
}

function inField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}

function handle(key: string): boolean {
  if (keys.going) {
    keys.going = false;
    const page = PAGES.find((entry) => entry.key === key);
    if (page) go(page.page);
    return page !== undefined;
  }
  switch (key) {
    case 'g':
      keys.going = true;
      clearTimeout(keys.timer);
      keys.timer = window.setTimeout(() => (keys.going = false), 1500);
      return true;
    case '/':
      return focusSearch();
    case '?':
      keys.help = !keys.help;
      return true;
    case 't':
      theme.toggle();
      return true;
    case 'j':
      return move(1);
    case 'k':
      return move(-1);
    default:
      return false;
  }
}

/** The page's own search or filter field; a page without one goes to the search page. */
function focusSearch(): boolean {
  const field = scope().querySelector<HTMLElement>('[data-search]');
  if (field) field.focus();
  else go('search', '', { focus: '1' });
  return true;
}

/** Moves the focus through everything that can be opened, from top to bottom. */
function move(by: 1 | -1): boolean {
  const rows = [...scope().querySelectorAll<HTMLElement>('[data-row]')].filter((row) => row.offsetParent !== null);
  if (rows.length === 0) return false;
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by));
  rows[next]?.focus({ preventScroll: true });
  rows[next]?.scrollIntoView({ block: 'nearest' });
  // A list draws the rows around what it shows once it hears of the scrolling. The browser tells it with the next frame; keys
  // that are pressed faster would come to the end of what is drawn, and leave the list.
  rows[next]?.closest('.viewport')?.dispatchEvent(new Event('scroll'));
  return true;
}

function scope(): ParentNode {
  return document.querySelector('dialog[open]') ?? document;
}
