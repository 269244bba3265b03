// The page in the fragment: `#/session/ID?call=12`. It never reaches the server, and going back works.

export interface Route {
  page: string;
  id: string;
  query: URLSearchParams;
}

function read(): Route {
  const [path = '', query = ''] = location.hash.slice(1).split('?', 2);
  const [page = '', id = ''] = path.split('/').slice(1);
  return { page: page || 'now', id: decode(id), query: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

class Router {
  route = $state.raw<Route>(read());

  start(): void {
    this.route = read();
    addEventListener('hashchange', () => {
      this.route = read();
    });
  }
}

export const router = new Router();

/** For an address. Half a pair, which no address can hold, becomes a question mark of its own. */
export function encode(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'));
}

export function link(page: string, id = '', query: Record<string, string> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${page}${id ? `/${encode(id)}` : ''}${search ? `?${search}` : ''}`;
}

export function go(page: string, id = '', query: Record<string, string> = {}): void {
  location.hash = link(page, id, query);
}

/** Changes parts of the query; with `replace`, going back skips this state. */
export function setQuery(changes: Record<string, string>, replace = false): void {
  const { page, id, query } = router.route;
  const next = Object.fromEntries(query);
  const target = link(page, id, { ...next, ...changes });
  if (!replace) {
    location.hash = target;
    return;
  }
  history.replaceState(null, '', target);
  router.route = read();
}

/** The address of the present page with one call opened beside it. */
export function callLink(seq: number): string {
  const { page, id, query } = router.route;
  return link(page, id, { ...Object.fromEntries(query), call: String(seq) });
}
