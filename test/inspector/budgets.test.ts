import { expect, test } from 'vitest';
import { describeWithChromium } from '../support/describe-with-chromium.js';
import { PATIENT_MS } from '../support/patience.js';
import { ada, okOf } from '../support/sessions.js';
import { inspected, opened } from './opened.js';

describeWithChromium('the budgets of a session in the inspector', (running) => {
  test(
    'appear as bars of the remaining amount, which follow each spend until the end',
    async () => {
      const { sessions, handler } = inspected();
      const budget = { tokens: 100_000, microUsd: 1_500_000 };
      const { id } = await okOf(sessions.create({ ...ada, start: true, timeLimit: 600, budget }));
      await okOf(sessions.spend(id, { tokens: 42_000, calls: 1234 }));
      const { page, complaints } = await opened(running.browser, handler);
      const row = page.locator('tbody tr');
      await row.getByText('ACTIVE · tokens 42%').waitFor();
      expect(await row.locator('.status').getAttribute('title')).toBe(
        'calls 1,234\nmicroUsd 0 of 1,500,000\ntokens 42,000 of 100,000',
      );
      await row.locator('a').click();
      const limits = page.locator('.progress .limits');
      await limits.getByText('tokens 42,000 of 100,000').waitFor();
      await limits.getByText('58,000 left').waitFor();
      expect(await limits.getByRole('meter').count()).toBe(3);
      await limits.getByText('calls 1,234', { exact: true }).waitFor();
      const tokens = page.getByRole('meter', { name: 'tokens' });
      expect(await tokens.getAttribute('aria-valuetext')).toBe('tokens 42,000 of 100,000');
      await okOf(sessions.spend(id, { tokens: 50_000, constructor: 7 }));
      await limits.getByText('8,000 left').waitFor();
      await limits.getByText('constructor 7', { exact: true }).waitFor();
      expect(await tokens.getAttribute('class')).toBe('gauge scarce');
      await row.getByText('ACTIVE · tokens 92%').waitFor();
      await okOf(sessions.spend(id, { microUsd: 2_000_000 }));
      await page.locator('#detail header').getByText('TERMINATED · budget').waitFor();
      await page.getByText('Terminated: budget').waitFor();
      expect(await limits.getByText(/ left$/).count()).toBe(0);
      expect(complaints).toEqual([]);
    },
    PATIENT_MS,
  );

  test('are hidden for a session without counters', async () => {
    const { sessions, handler } = inspected();
    const { id } = await okOf(sessions.create({ ...ada, start: true }));
    const { page } = await opened(running.browser, handler, {}, `/api/inspector#${id}`);
    await page.locator('.progress').getByText('active, no time limit').waitFor();
    expect(await page.locator('.progress .limit').count()).toBe(1);
    expect(await page.locator('tbody tr .status').innerText()).toBe('ACTIVE');
  });
});
