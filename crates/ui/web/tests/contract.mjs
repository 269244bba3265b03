// Every page over the examples of the contract, which the server's own tests compare with.

import assert from 'node:assert/strict';
import { serve } from './mock.mjs';

const WANTED = {
  'now': 'Force push|rm -rf ../shop-backup',
  // The examples are older than the day that the page shows by itself.
  'sessions?since=all': 'shop',
  'session/claude-code%3A5f0c1a2e': 'Fix the cart total, then push',
  'search': 'git push --force origin main',
  'rules': 'outside-delete',
  'rules/outside-delete': 'cannot be undone by git',
  'policy': 'unknown rule',
  'undo': 'git checkout -- .',
  'undo/u7k2m9qa': 'it was changed after the call',
  'cost': 'claude-opus-5-5',
  'health': 'Tollgate is',
  'search?call=118': 'cart.ts',
};

export async function contract(test) {
  for (const [hash, wanted] of Object.entries(WANTED)) {
    await test(`contract: ${hash}`, async (page) => {
      const mock = await serve('fixtures');
      await open(page, mock, hash);
      await page.locator('main, dialog').getByText(new RegExp(wanted)).and(page.locator(':visible')).first().waitFor();
      assert.equal(await page.locator('[role=alert]').count(), 0);
      await mock.stop();
    });
  }
}

/** Opens a page of a server by its fragment, with the token as the printed link has it. */
export async function open(page, server, hash = 'now') {
  await page.goto(server.url);
  await page.locator('nav .state.live').waitFor({ state: 'attached' });
  if (hash !== 'now') await page.evaluate((hash) => (location.hash = `#/${hash}`), hash);
}
