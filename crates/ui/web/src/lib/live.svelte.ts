// The live feed. `EventSource` cannot send the token, so the stream is read with `fetch`.

import { ask, asFailure, get, type Failure } from './api';
import type { About, Now, Row, Waiting } from './types';

/** Rows that are kept; older ones are found by search. */
const MOST = 5000;
const SLACK = 1000;

export type Connection = 'connecting' | 'live' | 'lost';

class Live {
  about = $state.raw<About | undefined>();
  now = $state.raw<Now | undefined>();
  waiting = $state.raw<Waiting | undefined>();
  failure = $state.raw<Failure | undefined>();
  connection = $state<Connection>('connecting');
  /** Time for everything that says "since"; moves once a second. */
  clock = $state(Date.now());
  /** Grows with each change of `rows`, which is one array for ever: copying it for each batch would cost frames. */
  version = $state(0);
  /** Events in each of the last seconds. */
  rate = $state(0);
  loaded = $state(false);
  rows: Row[] = [];

  #last = 0;
  #fresh: Row[] = [];
  #frame = 0;
  #arrived = 0;
  #boardTimer = 0;

  start(): void {
    setInterval(() => {
      this.clock = Date.now();
      this.rate = this.#arrived;
      this.#arrived = 0;
    }, 1000);
    setInterval(() => this.#askBoard(), 15_000);
    void this.#run();
  }

  /** Loads the board anew; after an approval, or when the feed says that something changed. */
  refresh = async (): Promise<void> => {
    try {
      const [now, waiting] = await Promise.all([get<Now>('/api/now'), get<Waiting>('/api/waiting')]);
      this.now = now;
      this.waiting = waiting;
      this.failure = undefined;
    } catch (error) {
      this.failure = asFailure(error);
    }
  };

  async #run(): Promise<never> {
    let pause = 500;
    for (;;) {
      try {
        await this.#begin();
        pause = 500;
        await this.#follow();
      } catch (error) {
        this.failure = asFailure(error);
      }
      this.connection = 'lost';
      await new Promise((done) => setTimeout(done, pause));
      pause = Math.min(pause * 2, 8000);
    }
  }

  async #begin(): Promise<void> {
    this.about = await get<About>('/api/about');
    await this.refresh();
    if (this.#last === 0) {
      const { rows, head } = await get<{ rows: Row[]; head: number }>('/api/events?limit=200&kind=all');
      this.#last = head;
      this.#take(rows.reverse());
    }
    this.loaded = true;
  }

  async #follow(): Promise<void> {
    const response = await ask(`/api/stream?after=${this.#last}`, { headers: { Accept: 'text/event-stream' } });
    if (!response.body) throw new Error('This browser cannot read a stream.');
    this.connection = 'live';
    this.failure = undefined;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + value).replaceAll('\r\n', '\n').split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) this.#message(part);
    }
  }

  #message(part: string): void {
    let name = 'message';
    let data = '';
    for (const line of part.split('\n')) {
      if (line.startsWith('event:')) name = line.slice(6).trim();
      else if (line.startsWith('data:')) data += line.slice(5).trimStart();
      else if (line.startsWith('id:')) this.#last = Number(line.slice(3)) || this.#last;
    }
    if (!data) return;
    const message = JSON.parse(data) as { rows?: Row[] | number; head?: number };
    if (typeof message.head === 'number') this.#last = Math.max(this.#last, message.head);
    if (name === 'rows' && Array.isArray(message.rows)) {
      this.#take(message.rows);
      this.#askBoard();
    } else if (name === 'skipped') {
      void this.#catchUp();
    }
  }

  async #catchUp(): Promise<void> {
    try {
      const { rows } = await get<{ rows: Row[] }>('/api/events?limit=500&kind=all');
      this.#take(rows.reverse());
    } catch {
      // The next batch brings what is newer.
    }
  }

  /** Keeps rows until the next frame: however many batches arrive, the page changes once. */
  #take(rows: Row[]): void {
    this.#arrived += this.loaded ? rows.length : 0;
    this.#fresh.push(...rows);
    if (document.hidden) this.#merge();
    else this.#frame ||= requestAnimationFrame(() => this.#merge());
  }

  #merge(): void {
    this.#frame = 0;
    for (const row of this.#fresh) insert(this.rows, row);
    this.#fresh = [];
    if (this.rows.length > MOST + SLACK) this.rows.splice(0, this.rows.length - MOST);
    this.version += 1;
  }

  /** At most one load of the board a second. */
  #askBoard(): void {
    if (this.#boardTimer || this.connection !== 'live') return;
    this.#boardTimer = window.setTimeout(() => {
      this.#boardTimer = 0;
      void this.refresh();
    }, 1000);
  }
}

/** Puts a row where its number belongs; one with a number that is known replaces the older one. */
function insert(rows: Row[], row: Row): void {
  const last = rows[rows.length - 1];
  if (!last || last.seq < row.seq) {
    rows.push(row);
    return;
  }
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.seq ?? 0) < row.seq) low = middle + 1;
    else high = middle;
  }
  if (rows[low]?.seq === row.seq) rows[low] = row;
  else if (low > 0 || rows.length < MOST) rows.splice(low, 0, row);
}

export const live = new Live();
