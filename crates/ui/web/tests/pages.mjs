// What the pages do, over data of our own.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { open } from './contract.mjs';
import { HOSTILE } from './hostile.mjs';
import { PIN, TOKEN, serve } from './mock.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const PHONE = { width: 320, height: 640 };

/** Every page, with something opened on it. */
export function everyPage(data) {
  const id = encodeURIComponent(data.sessions[0]?.id ?? 'none');
  const edit = data.rows.findLast((row) => row.class === 'edit')?.seq ?? 1;
  return [
    'now', 'sessions', `session/${id}`, 'search?q=git', 'rules', 'rules/outside-delete', 'policy', 'undo', 'undo/u7k2m9qa', 'cost', 'health',
    `now?call=${data.deleted?.seq ?? 1}`, `search?call=${edit}`,
  ];
}

export async function settle(page) {
  await page.waitForFunction(() => !document.querySelector('main .loading, dialog .loading'));
  await page.waitForTimeout(60);
}

/** Fails for each rule of WCAG 2.2 A and AA that the page breaks. */
export async function accessible(page, name, only = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']) {
  // Through the debugger: the page's policy allows no script but its own.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate((only) => globalThis.axe.run(document, { runOnly: only }), only);
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join(' | ')}`);
  assert.deepEqual(told, [], name);
}

export async function noSideways(page, name) {
  const wide = await page.evaluate(() => {
    const sheet = document.querySelector('dialog[open] .content');
    return document.documentElement.scrollWidth > innerWidth || (sheet !== null && sheet.scrollWidth > sheet.clientWidth);
  });
  assert.equal(wide, false, `${name} scrolls sideways`);
}

export async function pages(test) {
  for (const group of [reading, changing, keyboard, looks, hostility, trouble, load]) await group(test);
}

async function withMock(kind, run) {
  const mock = await serve(kind);
  try {
    await run(mock);
  } finally {
    await mock.stop();
  }
}

async function reading(test) {
  await test('live: new events appear, a result replaces its call', (page) => withMock('demo', async (mock) => {
    await open(page, mock);
    const row = { ...mock.data.makeCall(mock.data.owners[0], 0), tool: 'Bash', class: 'shell', subject: 'echo from-the-stream', verdict: 'allow', outcome: 'open', rules: [], error: undefined };
    mock.send([row]);
    const line = page.locator('.feed [data-row]', { hasText: 'from-the-stream' });
    await line.getByText('running').waitFor();
    mock.send([{ ...row, outcome: 'ran', took_ms: 1234 }]);
    await line.getByText('1.2 s').waitFor();
    assert.equal(await line.count(), 1);
  }));
  await test('live: the feed stops while somebody reads, and goes on', (page) => withMock('demo', async (mock) => {
    await open(page, mock);
    await page.locator('.feed .viewport').evaluate((list) => (list.scrollTop = 400));
    await page.waitForTimeout(400);
    const before = await page.locator('.feed [data-row]').nth(8).getAttribute('data-seq');
    mock.send([mock.data.makeCall(mock.data.owners[0], 0), mock.data.makeCall(mock.data.owners[0], 0)]);
    await page.getByText('2 new events').waitFor();
    assert.equal(await page.locator('.feed [data-row]').nth(8).getAttribute('data-seq'), before);
    await page.getByText('2 new events').click();
    const last = String(mock.data.rows.at(-1).seq);
    await page.locator(`.feed [data-seq="${last}"]`).waitFor();
  }));
  await test('live: comes back after the server was gone', (page) => withMock('demo', async (mock) => {
    await open(page, mock);
    mock.cutStreams();
    await page.locator('nav [role=status]', { hasText: 'Live' }).waitFor();
    await page.waitForTimeout(700);
    mock.send([{ ...mock.data.makeCall(mock.data.owners[0], 0), subject: 'echo after-the-gap' }]);
    await page.locator('.feed', { hasText: 'after-the-gap' }).waitFor();
  }), { expected: /ERR_|Failed to load/ });
  await test('the token leaves the address and is stored nowhere', (page) => withMock('demo', async (mock) => {
    await open(page, mock);
    assert.ok(!page.url().includes(TOKEN));
    const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie]));
    assert.ok(!stored.includes(TOKEN), stored);
    await page.reload();
    await page.getByText('access token').first().waitFor();
    assert.ok(mock.requests.every((request) => !request.includes(TOKEN)));
  }));
  await test('search: filters with completion, pages of results, a call beside them', (page) => withMock('demo', async (mock) => {
    await open(page, mock, 'search');
    const field = page.locator('[data-search]');
    await field.pressSequentially('verd');
    await page.getByRole('option', { name: 'verdict:' }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('option', { name: 'verdict:deny' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal(await field.inputValue(), 'verdict:deny ');
    await field.pressSequentially('rule:outs');
    await page.getByRole('option', { name: 'rule:outside-delete' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/verdict%3Adeny\+rule%3Aoutside-delete/);
    // The rows of the search before stay until the answer is there.
    await page.waitForFunction(() => {
      const rows = [...document.querySelectorAll('.results [data-row] .subject')];
      return rows.length > 0 && rows.every((row) => row.textContent.includes('rm -rf'));
    });
    await page.locator('.results [data-row]').first().click();
    await page.locator('dialog', { hasText: 'outside-delete' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    assert.match(page.url(), /q=verdict/);
  }));
  await test('sessions: filter by agent and project, open the subagents', (page) => withMock('demo', async (mock) => {
    await open(page, mock, 'sessions');
    await page.getByLabel('Agent', { exact: true }).selectOption('codex');
    await page.waitForFunction(() => [...document.querySelectorAll('.who .small')].every((line) => line.textContent.startsWith('Codex')));
    assert.ok(mock.requests.some((request) => request.includes('agent%3Acodex')));
    await page.getByLabel('Agent', { exact: true }).selectOption('');
    await page.getByLabel('Subagents of shop 5f0c1a2e').click();
    await page.locator('.tree', { hasText: 'Explore' }).waitFor();
    await page.locator('.tree', { hasText: 'Main agent' }).waitFor();
  }));
  await test('session: one agent of it, a call with effects and its change, export', (page) => withMock('demo', async (mock) => {
    const { data } = mock;
    await open(page, mock, `session/${encodeURIComponent(data.sessions[0].id)}`);
    await page.getByRole('button', { name: /Explore/ }).click();
    const actors = await page.locator('.story > li').evaluateAll((rows) => rows.map((row) => row.classList.contains('sub')));
    assert.ok(actors.length > 0 && actors.every(Boolean));
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()]);
    assert.match(download.suggestedFilename(), /^session-claude-code-5f0c1a2e.*\.html$/);
    await page.evaluate((seq) => (location.hash += `?call=${seq}`), data.deleted.seq);
    const marked = page.locator('dialog .mark.deny');
    assert.equal(await marked.textContent(), '../shop-backup');
    await page.evaluate((seq) => (location.hash = `#/search?call=${seq}`), data.rows.findLast((row) => row.class === 'edit').seq);
    await page.locator('dialog .add', { hasText: 'roundHalfUp' }).first().waitFor();
  }));
  await test('rules: sorted, filtered, and what another level would have done', (page) => withMock('demo', async (mock) => {
    await open(page, mock, 'rules');
    await page.getByRole('button', { name: 'Rule', exact: true }).click();
    await page.locator('th[aria-sort]', { hasText: 'Rule' }).waitFor();
    await page.locator('[data-search]').fill('force');
    await page.getByRole('link', { name: 'git-force-push' }).click();
    await page.locator('[data-replay]').selectOption('deny');
    await page.getByText('9 of 12,046 calls').waitFor();
    assert.ok(mock.requests.some((request) => request.endsWith('/api/rules/git-force-push/replay?level=deny')));
  }));
  await test('policy: problems with carets, layers, a project', (page) => withMock('demo', async (mock) => {
    await open(page, mock, 'policy');
    await page.locator('.caret', { hasText: '^^^^' }).waitFor();
    await page.getByLabel('Project', { exact: true }).selectOption('/home/kim/work/shop');
    await page.locator('.values li', { hasText: 'Project' }).first().waitFor();
    await page.getByLabel('Without built-in').check();
    assert.equal(await page.locator('.values .layer.built-in').count(), 0);
  }));
  await test('cost: bars, sums and sessions', (page) => withMock('demo', async (mock) => {
    await open(page, mock, 'cost');
    await page.locator('canvas').waitFor();
    await page.getByLabel('Tokens').check();
    await page.getByText('Figures by day').click();
    await page.getByLabel('Cost by day').locator('tr').nth(3).waitFor();
    assert.ok(await page.getByText('no price').count());
  }));
  await test('health: the worst first, with the command that helps', (page) => withMock('demo', async (mock) => {
    await open(page, mock, 'health');
    await page.locator('main li').first().getByText('problem').waitFor();
    await page.getByText('tollgate validate').waitFor();
  }));
}

async function changing(test) {
  await test('approve: a wrong PIN says so, the right one lets exactly this call pass', (page) => withMock('demo', async (mock) => {
    await open(page, mock);
    const call = page.getByLabel('Stopped call 7f3b0a91');
    await call.locator('.mark').first().waitFor();
    await call.locator('[data-pin]').fill('0000');
    await call.getByRole('button', { name: 'Approve once' }).click();
    await call.getByRole('alert').getByText('That was not the PIN').waitFor();
    assert.equal(await call.locator('[data-pin]').inputValue(), '');
    await call.locator('[data-pin]').fill(PIN);
    await call.getByRole('button', { name: 'Approve once' }).click();
    await call.getByText('approved once').waitFor();
    assert.equal(mock.data.waiting.filter((call) => call.approved).length, 1);
    assert.ok(mock.requests.every((request) => !request.includes(PIN)));
  }), { expected: /403/ });
  await test('deny: the call stays refused and leaves the board', (page) => withMock('demo', async (mock) => {
    await open(page, mock);
    await page.getByLabel('Stopped call 7f3b0a91').getByRole('button', { name: 'Deny' }).click();
    await page.getByLabel('Stopped call 7f3b0a91').waitFor({ state: 'detached' });
    assert.ok(!mock.requests.some((request) => request.startsWith('POST')));
  }));
  await test('restore: nothing before the conflict is accepted, then with the PIN', (page) => withMock('demo', async (mock) => {
    await open(page, mock, 'undo');
    await page.getByText('git checkout -- .').click();
    await page.getByText('it was changed after the call').waitFor();
    await page.locator('dialog [data-pin]').fill(PIN);
    assert.ok(await page.getByRole('button', { name: 'Restore', exact: true }).isDisabled());
    await page.getByLabel(/Also where something changed/).check();
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText('2 paths restored').waitFor();
    assert.deepEqual(mock.restored, { id: 'u7k2m9qa', force: true });
  }));
  await test('without a PIN the page only reads and says how to set one', (page) => withMock('demo', async (mock) => {
    mock.pinSet = false;
    await open(page, mock);
    await page.getByText('tollgate init --pin').first().waitFor();
    assert.equal(await page.locator('[data-pin]').count(), 0);
  }));
}

async function keyboard(test) {
  await test('keyboard: pages, rows, search, help, colours', (page) => withMock('demo', async (mock) => {
    await open(page, mock);
    for (const [key, title] of [['s', 'Sessions'], ['f', 'Search'], ['r', 'Rules'], ['p', 'Policy'], ['u', 'Undo'], ['c', 'Cost'], ['h', 'Health'], ['n', 'Now']]) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    }
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.locator('tbody [data-row]').nth(3).waitFor();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    const at = await page.evaluate(() => [...document.querySelectorAll('[data-row]')].indexOf(document.activeElement));
    assert.equal(at, 1);
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    assert.ok(await page.evaluate(() => document.activeElement.matches('[data-search]')));
    await page.keyboard.type('gt?');
    assert.equal(await page.locator('[data-search]').inputValue(), 'gt?');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('?');
    await page.getByText('Search filters').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('t');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await page.reload();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await page.evaluate(() => localStorage.clear());
  }));
  await test('keyboard: every call of the feed can be reached', (page) => withMock('demo', async (mock) => {
    await open(page, mock);
    await page.locator('.feed [data-row]').first().focus();
    for (let at = 0; at < 60; at += 1) await page.keyboard.press('j');
    // The list follows the focus a frame later.
    await page.waitForFunction(() => Number(document.activeElement.getAttribute('data-seq')) > 0
      && document.querySelector('.feed .viewport').scrollTop > 800);
  }));
}

async function looks(test) {
  for (const scheme of ['light', 'dark']) {
    await test(`accessible: every page, ${scheme}`, (page) => withMock('demo', async (mock) => {
      await open(page, mock);
      for (const hash of everyPage(mock.data)) {
        await page.evaluate((hash) => (location.hash = `#/${hash}`), hash);
        await settle(page);
        // Of all rules, this one alone depends on the colours.
        await accessible(page, `${hash} ${scheme}`, scheme === 'dark' ? ['color-contrast'] : undefined);
      }
      await page.evaluate(() => (location.hash = '#/now'));
      await page.keyboard.press('?');
      await accessible(page, `help ${scheme}`);
    }), { scheme });
  }
  await test('phone: nothing scrolls sideways at 320 px, and it is accessible', (page) => withMock('demo', async (mock) => {
    await open(page, mock);
    for (const hash of everyPage(mock.data)) {
      await page.evaluate((hash) => (location.hash = `#/${hash}`), hash);
      await settle(page);
      await noSideways(page, hash);
    }
    await page.evaluate(() => (location.hash = '#/now'));
    await settle(page);
    await accessible(page, 'now on a phone');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByText('Tollgate is active').waitFor();
  }), { size: PHONE });
  await test('empty: every page says so in one friendly line', (page) => withMock('empty', async (mock) => {
    await open(page, mock);
    const lines = { now: 'No agent was at work', sessions: 'No session fits', search: 'Nothing fits', undo: 'Nothing to take back yet', cost: 'No transcript', policy: 'No policy file' };
    for (const [hash, line] of Object.entries(lines)) {
      await page.evaluate((hash) => (location.hash = `#/${hash}`), hash);
      await page.getByText(new RegExp(line)).first().waitFor();
    }
  }));
  await test('loading: nothing jumps when a slow answer comes', (page) => withMock('demo', async (mock) => {
    mock.slow = 250;
    await page.addInitScript(() => {
      globalThis.shift = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((entry) => (globalThis.shift += entry.hadRecentInput ? 0 : entry.value))).observe({ type: 'layout-shift', buffered: true });
    });
    for (const hash of ['sessions', 'search', 'rules', 'undo', 'cost', 'health']) {
      await open(page, mock, hash);
      await settle(page);
      assert.ok((await page.evaluate(() => globalThis.shift)) < 0.1, hash);
    }
  }));
}

async function hostility(test) {
  await test('hostile texts in every field are shown, and do nothing', (page) => withMock('hostile', async (mock) => {
    await open(page, mock);
    for (const hash of everyPage(mock.data)) {
      await page.evaluate((hash) => (location.hash = `#/${hash}`), hash);
      await settle(page);
      await noSideways(page, hash);
      const told = await page.evaluate(() => ({
        title: document.title,
        scripts: document.querySelectorAll('main script, main img, main b, dialog script, dialog img, dialog b').length,
        // Walks text nodes: what is shown, not what is in attributes.
        raw: document.body.innerText.match(/.{0,60}[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/)?.[0] ?? '',
        shown: document.body.innerText.includes('<script>'),
        escaped: document.querySelectorAll('.ctl').length,
      }));
      assert.match(told.title, /· Tollgate$/, hash);
      assert.equal(told.scripts, 0, hash);
      assert.equal(told.raw, '', `${hash} shows a control character`);
      if (!['cost', 'rules'].includes(hash)) assert.ok(told.shown && told.escaped > 0, `${hash} does not show it`);
    }
    assert.ok(HOSTILE.includes('\u202E'));
  }));
  await test('hostile: a line of a megabyte opens at once and can be read on', (page) => withMock('hostile', async (mock) => {
    await open(page, mock);
    const start = Date.now();
    await page.evaluate((seq) => (location.hash = `#/search?call=${seq}`), mock.data.rows.findLast((row) => row.class === 'shell').seq);
    await page.locator('dialog .source').waitFor();
    await page.locator('dialog').getByRole('button', { name: 'Show more' }).first().click();
    assert.ok(Date.now() - start < 3000, `${Date.now() - start} ms`);
  }), { alone: true });
}

async function trouble(test) {
  await test('no token: says which link to open', (page) => withMock('demo', async (mock) => {
    await page.goto(new URL('/', mock.url).href);
    await page.getByText('tollgate ui --print-url').waitFor();
    assert.deepEqual(mock.requests, []);
    await accessible(page, 'no token');
  }));
  await test('wrong token: says so', (page) => withMock('demo', async (mock) => {
    await page.goto(`${new URL('/', mock.url).href}#wrong`);
    await page.getByText('not valid any more').waitFor();
  }), { expected: /401/ });
  await test('server gone: says how to start it again', async (page) => {
    const mock = await serve('demo');
    await open(page, mock);
    await mock.stop();
    await page.getByText('tollgate ui').first().waitFor();
    await page.locator('nav [role=status]', { hasText: 'Not connected' }).waitFor();
    await accessible(page, 'server gone');
  }, { expected: /ERR_|Failed to load/ });
  await test('an unknown session, call, rule and snapshot each say so', (page) => withMock('demo', async (mock) => {
    await open(page, mock);
    for (const hash of ['session/none', 'now?call=999999', 'rules/none', 'undo/none']) {
      await page.evaluate((hash) => (location.hash = `#/${hash}`), hash);
      await page.getByRole('alert').getByText('There is nothing with this id').waitFor();
    }
  }), { expected: /404/ });
}

async function load(test) {
  await test('load: 1,000 events a second, few elements, no long pause', (page) => withMock('demo', async (mock) => {
    await open(page, mock);
    await page.evaluate(() => {
      globalThis.gaps = [];
      let last = performance.now();
      const tick = (now) => {
        globalThis.gaps.push(now - last);
        last = now;
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    });
    const started = Date.now();
    let sent = 0;
    while (Date.now() - started < 4000) {
      const due = Math.min(4000, Date.now() - started) - sent;
      const rows = Array.from({ length: due }, () => mock.data.makeCall(mock.data.owners[sent % 4], 0));
      sent += due;
      if (rows.length > 0) mock.send(rows);
      await new Promise((done) => setTimeout(done, 100));
    }
    await page.locator(`.feed [data-seq="${mock.data.rows.at(-1).seq}"]`).waitFor();
    const { gaps, rows } = await page.evaluate(() => ({ gaps: globalThis.gaps, rows: document.querySelectorAll('.feed [data-row]').length }));
    gaps.sort((a, b) => a - b);
    const at = (share) => Math.round(gaps[Math.floor((gaps.length - 1) * share)]);
    console.log(`      ${sent} events in 4 s: ${gaps.length} frames, median ${at(0.5)} ms, 99th ${at(0.99)} ms, longest ${at(1)} ms, ${rows} rows in the page`);
    assert.ok(sent >= 3500 && rows < 80, `${sent} events, ${rows} rows`);
    assert.ok(at(0.5) < 34 && at(0.95) < 120, 'frames were dropped');
  }), { alone: true });
}
