// A server that answers like `tollgate ui`: the built pages, the same headers, and data from `demo.mjs`, from the contract's
// fixtures, hostile or none. `npm run mock` serves it for a person.

import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { demo } from './demo.mjs';
import { hostile } from './hostile.mjs';

const WEB = fileURLToPath(new URL('..', import.meta.url));
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:";
const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
export const TOKEN = 'mock-token';
export const PIN = '2468';

/** `kind`: demo, hostile, empty or fixtures. */
export async function serve(kind = 'demo', port = 0) {
  const mock = { data: kind === 'fixtures' ? fixtures() : kind === 'hostile' ? hostile(demo()) : demo(), streams: new Set(), pinSet: true, requests: [] };
  if (kind === 'empty') empty(mock.data);
  const server = createServer((request, response) => void handle(mock, request, response));
  await new Promise((done) => server.listen(port, '127.0.0.1', done));
  mock.url = `http://127.0.0.1:${server.address().port}/#${TOKEN}`;
  mock.send = (rows) => {
    const head = Math.max(...rows.map((row) => row.seq));
    for (const row of rows) {
      const at = mock.data.rows.findIndex((old) => old.seq === row.seq);
      if (at < 0) mock.data.rows.push(row);
      else mock.data.rows[at] = row;
    }
    for (const stream of mock.streams) stream.write(`event: rows\nid: ${head}\ndata: ${JSON.stringify({ rows, head })}\n\n`);
  };
  mock.cutStreams = () => mock.streams.forEach((stream) => stream.destroy());
  mock.stop = () => {
    mock.cutStreams();
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return mock;
}

function empty(data) {
  Object.assign(data, { rows: [], sessions: [], waiting: [], snapshots: [], now: () => ({ at: new Date().toISOString(), head: 0, cards: [], today: { calls: 0, asked: 0, refused: 0, failed: 0, sessions: 0 } }) });
  data.cost = { ...data.cost, spent: [], by_model: [], by_project: [], by_day: [] };
  data.policy = () => ({ digest: 'abc', project: null, values: [{ name: 'mode', value: 'enforce', layer: 'built-in' }], files: [], problems: [], notices: [], exceptions: [] });
}

/** The contract's own examples: what the server's tests compare with. */
function fixtures() {
  const read = (name) => JSON.parse(readFileSync(join(WEB, 'fixtures', `${name}.json`), 'utf8'));
  const events = read('events');
  return {
    rows: [...events.rows].reverse(), sessions: read('sessions').sessions, waiting: read('waiting').calls, snapshots: read('undo').snapshots,
    now: () => read('now'), story: () => read('session'), event: (seq) => (seq === 118 ? read('event-edit') : read('event')), rules: read('rules').rules,
    rule: () => read('rule'), replay: () => read('replay'), policy: () => read('policy'), preview: () => read('undo-preview'), cost: read('cost'),
    doctor: read('doctor'), about: read('about'), next: events.head,
  };
}

async function handle(mock, request, response) {
  const url = new URL(request.url, 'http://local');
  const headers = { 'Content-Security-Policy': CSP, 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' };
  const json = (value, status = 200) => {
    response.writeHead(status, { ...headers, 'Content-Type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  const refuse = (status, code, message, more = {}) => json({ error: { code, message, ...more } }, status);
  if (!url.pathname.startsWith('/api/')) return file(url.pathname, headers, response);
  mock.requests.push(`${request.method} ${url.pathname}${url.search}`);
  if (url.pathname === '/api/health') return json({ ok: true });
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return refuse(401, 'no_token', 'The token is missing or wrong');
  if (mock.slow) await new Promise((done) => setTimeout(done, mock.slow));
  if (request.method === 'POST') return change(mock, url, await body(request), json, refuse);
  if (url.pathname === '/api/stream') {
    response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream' });
    response.write(`event: hello\ndata: ${JSON.stringify({ head: mock.data.next })}\n\n`);
    mock.streams.add(response);
    response.on('close', () => mock.streams.delete(response));
    return undefined;
  }
  if (/^\/api\/sessions\/[^/]+\/export$/.test(url.pathname)) {
    response.writeHead(200, { ...headers, 'Content-Type': 'text/html', 'Content-Disposition': 'attachment' });
    return response.end('<!doctype html><title>Session</title>');
  }
  const answer = read(mock, url);
  return answer === undefined ? refuse(404, 'not_found', 'There is nothing with this id') : json(answer);
}

function read(mock, { pathname, searchParams }) {
  const { data } = mock;
  const [, , what, id, verb] = pathname.split('/').map(decodeURIComponent);
  switch (what) {
    case 'about': return mock.pinSet ? data.about : { ...data.about, pin_set: false, pin_hint: 'Type in a terminal of your own: tollgate init --pin' };
    case 'now': return data.now();
    case 'waiting': return { calls: data.waiting, pin_set: mock.pinSet };
    case 'events': return id ? data.event(Number(id)) : events(data, searchParams);
    case 'sessions': return id ? data.story(id) : sessions(data, searchParams);
    case 'rules': return id ? (verb ? data.replay(id, searchParams.get('level')) : data.rule(id)) : { rules: data.rules };
    case 'policy': return data.policy(searchParams.get('project'));
    case 'undo': return id ? data.preview(id) : { snapshots: data.snapshots };
    case 'cost': return data.cost;
    case 'doctor': return data.doctor;
    default: return undefined;
  }
}

function parts(filter) {
  return [...(filter ?? '').matchAll(/(?:(\w+):)?("[^"]*"|\S+)/g)].map(([, key, value]) => [key, value.replaceAll('"', '').toLowerCase()]);
}

function events(data, query) {
  const limit = Number(query.get('limit') ?? 100);
  const before = Number(query.get('before') ?? Infinity);
  const fits = (row) => parts(query.get('filter')).every(([key, value]) => {
    const holds = (text) => String(text).toLowerCase().includes(value);
    switch (key) {
      case 'rule': return row.rules.some((rule) => rule === value);
      case 'agent': case 'verdict': case 'outcome': return String(row[key]).toLowerCase() === value;
      case 'path': return holds(row.subject);
      case 'project': case 'session': case 'tool': return holds(row[key]);
      case 'since': case 'until': return true;
      default: return holds(`${row.subject} ${row.reason ?? ''}`);
    }
  });
  const found = data.rows.filter((row) => row.seq < before && (query.get('kind') === 'all' || row.outcome !== 'event') && fits(row)).reverse();
  return { rows: found.slice(0, limit), next: found.length > limit ? found[limit - 1].seq : null, head: data.next, partial: false };
}

function sessions(data, query) {
  const fits = (row) => parts(query.get('filter')).every(([key, value]) => (key === 'since' ? Date.parse(row.last) > Date.now() - ({ '24h': 1, today: 1, '7d': 7 }[value] ?? 30) * 86_400_000 : String(row[key ?? 'cwd'] ?? row.id).toLowerCase().includes(value)));
  const found = data.sessions.filter(fits);
  return { sessions: found, total: found.length };
}

function change(mock, url, sent, json, refuse) {
  if (!mock.pinSet) return refuse(409, 'no_pin_set', 'No owner PIN is set', { hint: 'tollgate init --pin' });
  if (sent.pin !== PIN) return refuse(403, 'wrong_pin', 'That was not the PIN', { retry_after_s: 1 });
  if (url.pathname === '/api/approvals') {
    const call = mock.data.waiting.find((call) => call.digest === sent.digest);
    if (!call) return refuse(404, 'not_found', 'That call does not wait any more');
    call.approved = true;
    return json({ approved: true, digest: sent.digest, minutes: 10 });
  }
  mock.restored = { id: url.pathname.split('/')[3], force: sent.force };
  return json({ restored: 2, failed: [], undo: 'u9restored' });
}

async function body(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}

function file(path, headers, response) {
  const name = path === '/' ? 'index.html' : path.slice(1);
  try {
    if (!/^[a-z0-9._-]+$/i.test(name)) throw new Error('no such file');
    const content = readFileSync(join(WEB, 'dist', name));
    response.writeHead(200, { ...headers, 'Content-Type': TYPES[name.split('.').pop()] ?? 'application/octet-stream' });
    response.end(content);
  } catch {
    response.writeHead(404, headers);
    response.end();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mock = await serve(process.argv[2] ?? 'demo', Number(process.env.PORT ?? 4747));
  console.log(mock.url);
  setInterval(() => mock.send([mock.data.makeCall(mock.data.owners[Math.floor(Math.random() * 4)], 0)]), 900);
}
