import { err } from 'neverthrow';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { storeUnavailable } from '../../src/errors.js';
import { describeWithChromium } from '../support/describe-with-chromium.js';
import { createdIn, okOf, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { createMany, inspected, listed, opened, said } from './opened.js';

/** The text of what is open. */
const textOf = (page: Page, selector: string) => page.locator(selector).innerText();

describeWithChromium('the inspector in a browser', (running) => {
  test('lists sessions by status, newest first, a page at a time', async () => {
    const { sessions, handler } = inspected();
    await createMany(sessions, 30);
    const id = await startedIn(sessions);
    const { page, complaints } = await opened(running.browser, handler);
    await page.locator('#rows a').first().waitFor();
    const all = await okOf(sessions.list({ limit: 100 }));
    const ids = all.sessions.map((session) => session.id);
    expect(await listed(page)).toEqual(ids.slice(0, 25));
    expect(await textOf(page, '#range')).toBe('1–25 of 31');
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText('26–31 of 31').waitFor();
    expect(await listed(page)).toEqual(ids.slice(25));
    expect(await page.getByRole('button', { name: 'Older' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Newer' }).click();
    await page.getByText('1–25 of 31').waitFor();
    await page.getByRole('button', { name: 'Active 1', exact: true }).click();
    await page.getByText('1–1 of 1').waitFor();
    expect(await listed(page)).toEqual([id]);
    await page.getByRole('button', { name: 'Paused 0' }).click();
    await page.getByText('There are no paused sessions.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('shows one session live: what is appended, what happens, and its end', async () => {
    const { sessions, handler } = inspected();
    const id = await startedIn(sessions, { timeLimit: 600 });
    await okOf(sessions.append(id, said('What is 6 times 7?')));
    const { page, origin, complaints, requested } = await opened(running.browser, handler, {}, `/api/inspector#${id}`);
    await page.getByText('What is 6 times 7?').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await okOf(sessions.append(id, said('42.', 'assistant')));
    await page.getByText('42.').waitFor();
    await okOf(sessions.pause(id));
    await page.locator('#detail header').getByText('PAUSED').waitFor();
    await okOf(sessions.resume(id));
    await okOf(sessions.fail(id));
    await page.getByText('Terminated: failed').waitFor();
    await page.locator('#detail header').getByText('TERMINATED · failed').waitFor();
    const events = await page.locator('.timeline span').allInnerTexts();
    expect(events).toEqual([
      'Created',
      'Started',
      'Appended, 2 times in a row',
      'Paused',
      'Resumed',
      'Terminated: failed',
    ]);
    expect(await page.locator('.history .content').allInnerTexts()).toEqual(['What is 6 times 7?', '42.']);
    expect(await page.getByRole('button', { name: 'Terminate…' }).count()).toBe(0);
    expect(requested.filter((url) => !url.startsWith(`${origin}/api/inspector`) && !url.startsWith('data:'))).toEqual(
      [],
    );
    expect(complaints).toEqual([]);
  });

  test('ends a session after a confirmation', async () => {
    const { sessions, handler } = inspected();
    const id = await startedIn(sessions);
    const { page } = await opened(running.browser, handler, {}, `/api/inspector#${id}`);
    await page.getByRole('button', { name: 'Terminate…' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await okOf(sessions.get(id))).status).toBe('ACTIVE');
    await page.getByRole('button', { name: 'Terminate…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Terminate' }).click();
    await page.locator('#detail header').getByText('TERMINATED').waitFor();
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'TERMINATED', endReason: 'terminated' });
    await page.getByText('Terminated: by command').waitFor();
  });

  test('updates every few seconds if the host has no events', async () => {
    const { sessions, handler } = inspected({ events: false, terminate: false });
    const id = await startedIn(sessions);
    const { page } = await opened(running.browser, handler);
    await page.clock.install();
    await page.goto(`${page.url()}#${id}`);
    await page.reload();
    await page.getByText('updates every 3 seconds').waitFor();
    expect(await page.getByRole('button', { name: 'Terminate…' }).count()).toBe(0);
    await okOf(sessions.append(id, said('unheard')));
    await okOf(sessions.pause(id));
    await page.clock.runFor(3000);
    await page.getByText('unheard').waitFor();
    await page.locator('#detail header').getByText('PAUSED').waitFor();
    expect(await page.locator('.timeline li').allInnerTexts()).toContain('noticed\nPAUSED');
  });

  test('explains why there are no status filters if the store cannot list by status', async () => {
    const store = new MemorySessionStore({ events: true });
    const { sessions, handler } = inspected({
      store: changed(store, {
        list: (tenant, range) =>
          range.status === undefined
            ? store.list(tenant, range)
            : err(storeUnavailable('no such lists', 'not_applied')),
      }),
    });
    const id = await createdIn(sessions);
    const { page } = await opened(running.browser, handler);
    await page.getByText('This store cannot list by status').waitFor();
    expect(await listed(page)).toEqual([id]);
    expect(await page.locator('#filters').isHidden()).toBe(true);
  });
});
