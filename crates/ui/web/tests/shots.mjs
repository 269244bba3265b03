// Screenshots of every page: `node tests/shots.mjs FOLDER [demo|hostile|empty|fixtures]`.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from './browser.mjs';
import { serve } from './mock.mjs';

const [folder = 'test-results', kind = 'demo', only = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const mock = await serve(kind);
const { context, close } = await launch();
const id = encodeURIComponent(mock.data.sessions[0]?.id ?? 'none');
const edit = mock.data.rows.findLast((row) => row.class === 'edit')?.seq ?? 1;
const PAGES = {
  now: '#/now', sessions: '#/sessions', session: `#/session/${id}`, search: '#/search?q=verdict:deny', rules: '#/rules', rule: '#/rules/outside-delete',
  policy: '#/policy', undo: '#/undo', restore: '#/undo/u7k2m9qa', cost: '#/cost', health: '#/health',
  call: `#/now?call=${mock.data.deleted?.seq ?? 1}`, edit: `#/search?call=${edit}`,
};
const SIZES = { wide: [1440, 900], phone: [360, 740] };
for (const scheme of ['light', 'dark']) {
  for (const [size, [width, height]] of Object.entries(SIZES)) {
    const page = await context.newPage();
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    page.on('console', (message) => message.type() === 'error' && console.log(scheme, size, message.text()));
    page.on('pageerror', (error) => console.log(scheme, size, error.message));
    await page.goto(mock.url);
    for (const [name, hash] of Object.entries(PAGES)) {
      if (only && !only.split(',').includes(name)) continue;
      await page.evaluate((hash) => (location.hash = hash), hash);
      await page.waitForTimeout(450);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      if (wide) console.log(`${name} ${size} ${scheme}: scrolls sideways`);
      await page.screenshot({ path: join(folder, `${name}-${size}-${scheme}.png`) });
    }
    await page.close();
  }
}
await close();
await mock.stop();
