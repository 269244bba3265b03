// The pages in a real browser: `node tests/run.mjs [--shots FOLDER]`.
//
// First against a server of our own that answers by the contract, which can be slow, hostile, empty or gone. Then, where
// TOLLGATE_BIN names the program, against `tollgate ui` over a log that real hooks wrote.

import { existsSync } from 'node:fs';
import { CHROMIUM, launch } from './browser.mjs';
import { contract } from './contract.mjs';
import { pages } from './pages.mjs';
import { real } from './real.mjs';

if (!existsSync(CHROMIUM)) {
  console.error(`left out: ${CHROMIUM} is not installed (\`cargo xtask test\` installs it)`);
  process.exit(77);
}

const only = process.argv[2] ?? '';
const { context, close } = await launch();
let failed = 0;
let passed = 0;
const started = Date.now();

/** All tests, in the order of their files. */
const tests = [];
const test = async (name, run, options = {}) => {
  if (name.includes(only)) tests.push({ name, run, options });
};

/** Runs one test in a page of its own. A page that reports an error, or breaks its own security policy, fails. */
async function execute({ name, run, options }) {
  const page = await context.newPage();
  const problems = [];
  page.setDefaultTimeout(8000);
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    const expected = options.expected?.test(message.text());
    if (message.type() === 'error' && !expected) problems.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['127.0.0.1', ''].includes(url.hostname)) problems.push(`asked ${url.host}`);
  });
  await page.setViewportSize(options.size ?? { width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: options.scheme ?? 'light', reducedMotion: 'reduce' });
  const start = Date.now();
  try {
    await run(page);
    if (problems.length > 0) throw new Error(`the page reported:\n  ${problems.join('\n  ')}`);
    passed += 1;
    console.log(`ok    ${name} (${Date.now() - start} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n${String(error.stack ?? error).split('\n').slice(0, 14).join('\n')}`);
  } finally {
    await page.close();
  }
}

await contract(test);
await pages(test);
if (process.env.TOLLGATE_BIN) await real(test);
else console.log('left out: the pages over a real log (TOLLGATE_BIN names no program)');
// Two at a time, as there are mostly two processors; what measures time runs alone.
const together = tests.filter(({ options }) => !options.alone);
await Promise.all([0, 1].map(async () => {
  for (let next = together.shift(); next; next = together.shift()) await execute(next);
}));
for (const last of tests.filter(({ options }) => options.alone)) await execute(last);
await close();
console.log(`${passed} passed, ${failed} failed in ${((Date.now() - started) / 1000).toFixed(1)} s`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
