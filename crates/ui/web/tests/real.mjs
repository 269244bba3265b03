// The pages over a log that real hooks wrote: `tollgate ui` in a home of its own, with a PIN, as a person runs it.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open } from './contract.mjs';
import { HOSTILE } from './hostile.mjs';
import { PHONE, accessible, noSideways, settle } from './pages.mjs';

const BIN = process.env.TOLLGATE_BIN;
const PIN = 'zebra-42';
const SESSION = '5122a393-eb39-4719-8deb-297f5cd1e162';
/** Outside the folders for temporary files, so that the home is judged as a home. */
const BASE = process.env.TOLLGATE_UI_SCRATCH ?? fileURLToPath(new URL('../../../../target/ui-pages', import.meta.url));

export class Home {
  constructor() {
    mkdirSync(BASE, { recursive: true });
    this.folder = mkdtempSync(join(BASE, 'home-'));
    this.project = join(this.folder, 'work/shop');
    mkdirSync(join(this.project, 'src'), { recursive: true });
    this.write('.ssh/id_rsa', 'PRIVATE-KEY-MATERIAL');
    this.write('work/shop/notes.txt', 'one line\ntwo lines\n');
    this.write('work/shop/src/cart.ts', 'export const total = 1;\n');
    this.write('.config/tollgate/tollgate.yaml', 'version: 1\nrules: {work-delete: note, work-file-delete: note}\n');
    this.write('.claude/settings.json', '{}');
    const set = this.person('init --pin --yes', `${PIN}\n${PIN}\n`);
    assert.ok(existsSync(join(this.folder, '.local/state/tollgate/owner.pin')), set.stdout + set.stderr);
  }

  write(path, text) {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  get env() {
    return { HOME: this.folder, PATH: '/usr/bin:/bin', TERM: 'xterm' };
  }

  /** A command in a terminal of its own, as a person types it. */
  person(words, typed = '') {
    return spawnSync('script', ['-qec', `${BIN} ${words}`, '/dev/null'], { env: this.env, cwd: this.project, input: typed, encoding: 'utf8', timeout: 20_000 });
  }

  /** One event, as Claude Code sends it. */
  hook(event, parts, session = SESSION) {
    const payload = JSON.stringify({
      session_id: session, transcript_path: join(this.folder, 't.jsonl'), cwd: this.project, permission_mode: 'default', hook_event_name: event, ...parts,
    });
    const env = { ...this.env, CLAUDE_PROJECT_DIR: this.project, CLAUDE_CODE_SESSION_ATTENDED: '1' };
    const { status, stdout, stderr } = spawnSync(BIN, ['hook', 'claude-code', event], { env, cwd: this.project, input: payload, encoding: 'utf8' });
    if (status === 2) return { decision: 'deny', reason: stderr };
    const answer = stdout ? JSON.parse(stdout).hookSpecificOutput : undefined;
    return { decision: answer?.permissionDecision ?? 'none', reason: answer?.permissionDecisionReason ?? '' };
  }

  call(tool, input, id, session) {
    return this.hook('PreToolUse', { tool_name: tool, tool_input: input, tool_use_id: id }, session);
  }

  done(tool, input, id, session) {
    return this.hook('PostToolUse', { tool_name: tool, tool_input: input, tool_use_id: id, tool_response: { stdout: 'ok', stderr: '' } }, session);
  }

  play() {
    this.hook('SessionStart', { source: 'startup' });
    this.hook('UserPromptSubmit', { prompt: 'Fix the cart total, then clean up' });
    for (const [at, command] of ['npm test', 'git status --short', 'ls src'].entries()) {
      this.call('Bash', { command }, `toolu_${at}`);
      this.done('Bash', { command }, `toolu_${at}`);
    }
    const edit = { file_path: join(this.project, 'src/cart.ts'), old_string: 'total = 1', new_string: 'total = 2' };
    this.call('Edit', edit, 'toolu_edit');
    this.write('work/shop/src/cart.ts', 'export const total = 2;\n');
    this.done('Edit', edit, 'toolu_edit');
    const loss = { command: 'rm notes.txt' };
    this.call('Bash', loss, 'toolu_loss');
    rmSync(join(this.project, 'notes.txt'));
    this.done('Bash', loss, 'toolu_loss');
    this.refused = this.call('Bash', { command: 'cat ~/.ssh/id_rsa' }, 'toolu_key');
    this.call('Bash', { command: 'git push --force origin main' }, 'toolu_push', 'aaaa1111-0000-4000-8000-000000000000');
    this.call('Bash', { command: `echo '${HOSTILE.replaceAll("'", '').replaceAll('\ud800', '')}'` }, 'toolu_bad');
  }

  async serve() {
    this.server = spawn('script', ['-qfec', `${BIN} ui --no-open --print-url`, '/dev/null'], { env: this.env, cwd: this.project, stdio: ['pipe', 'pipe', 'ignore'] });
    let text = '';
    this.url = await new Promise((done, fail) => {
      const late = setTimeout(() => fail(new Error(`no URL within 20 s: ${text}`)), 20_000);
      this.server.stdout.on('data', (chunk) => {
        text += chunk;
        const url = text.match(/http:\/\/127\.0\.0\.1:\d+\/#\S+/)?.[0];
        if (url && text.includes('\n')) {
          clearTimeout(late);
          done(url);
        }
      });
      this.server.on('exit', (code) => fail(new Error(`tollgate ui ended with ${code}: ${text}`)));
    });
    return this;
  }

  async stop() {
    if (this.server && this.server.exitCode === null) {
      this.server.removeAllListeners('exit');
      const ended = new Promise((done) => this.server.on('exit', done));
      this.server.kill();
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function withHome(page, run) {
  const home = new Home();
  try {
    home.play();
    await home.serve();
    await run(home);
    // Before the server ends, so that the page does not report that it is gone.
    await page.goto('about:blank');
  } finally {
    await home.stop();
  }
}

export async function real(test) {
  await test('real log: every page, the feed, search, a session with its change', (page) => withHome(page, async (home) => {
    await open(page, home);
    await page.locator('.feed', { hasText: 'cat ~/.ssh/id_rsa' }).waitFor();
    home.call('Bash', { command: 'echo seen-while-it-is-open' }, 'toolu_live');
    await page.locator('.feed [data-row]', { hasText: 'seen-while-it-is-open' }).waitFor();
    const pages = { sessions: 'shop', 'search?q=verdict%3Adeny': 'id_rsa', rules: 'git-force-push', policy: 'work-delete', undo: 'rm notes.txt', cost: 'Cost', health: 'Tollgate is' };
    for (const [hash, wanted] of Object.entries(pages)) {
      await page.evaluate((hash) => (location.hash = `#/${hash}`), hash);
      await page.locator('main').getByText(wanted).and(page.locator(':visible')).first().waitFor();
      await settle(page);
      if (['undo', 'health'].includes(hash)) await accessible(page, hash);
      await noSideways(page, hash);
    }
    await page.evaluate(() => (location.hash = '#/sessions'));
    await page.locator('a.link').first().click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await page.evaluate(() => (location.hash = '#/search?q=tool:Edit'));
    await page.locator('.results [data-row]').first().click();
    await page.locator('dialog .add', { hasText: 'total = 2' }).waitFor();
  }));
  await test('real log: a refused call is approved with the PIN and passes once', (page) => withHome(page, async (home) => {
    assert.equal(home.refused.decision, 'deny', home.refused.reason);
    await open(page, home);
    const call = page.locator('article.waiting', { hasText: 'id_rsa' });
    await call.locator('[data-pin]').fill('wrong-1');
    await page.keyboard.press('Enter');
    await call.getByRole('alert').waitFor();
    assert.equal(home.call('Bash', { command: 'cat ~/.ssh/id_rsa' }, 'toolu_again').decision, 'deny');
    await page.waitForTimeout(1500);
    const again = page.locator('article.waiting', { hasText: 'id_rsa' }).first();
    await again.locator('[data-pin]').fill(PIN);
    await again.getByRole('button', { name: 'Approve once' }).click();
    await page.getByText('approved once').waitFor();
    assert.notEqual(home.call('Bash', { command: 'cat ~/.ssh/id_rsa' }, 'toolu_pass').decision, 'deny');
    assert.equal(home.call('Bash', { command: 'cat ~/.ssh/id_rsa' }, 'toolu_twice').decision, 'deny');
  }), { expected: /403|429/ });
  await test('real log: what a call deleted is restored with the PIN', (page) => withHome(page, async (home) => {
    const notes = join(home.project, 'notes.txt');
    assert.ok(!existsSync(notes));
    await open(page, home, 'undo');
    await page.locator('main a', { hasText: 'rm notes.txt' }).click();
    await page.locator('dialog [data-pin]').fill(PIN);
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.locator('dialog').getByText('restored', { exact: true }).waitFor();
    assert.equal(readFileSync(notes, 'utf8'), 'one line\ntwo lines\n');
  }));
  await test('real log: on a phone, in the dark', (page) => withHome(page, async (home) => {
    await open(page, home);
    for (const hash of ['now', 'sessions', 'search', 'rules', 'policy', 'undo', 'health']) {
      await page.evaluate((hash) => (location.hash = `#/${hash}`), hash);
      await settle(page);
      await noSideways(page, hash);
      const told = await page.evaluate(() => [document.title, document.querySelectorAll('main script, main img').length]);
      assert.match(told[0], /· Tollgate$/);
      assert.equal(told[1], 0);
    }
    await accessible(page, 'health on a phone');
  }), { size: PHONE, scheme: 'dark' });
}
