import { err } from 'neverthrow';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { misconfigured } from '../../src/session/errors.js';
import { describeWithChromium } from '../support/describe-with-chromium.js';
import { ManualClock } from '../support/manual-clock.js';
import { rewindTo } from '../support/rewind-to.js';
import { createdIn, okOf, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { createMany, inspected, listed, opened, said } from './opened.js';

/** The text of what is open. */
const titlesOf = async (elements: Locator) =>
  Promise.all((await elements.all()).map((element) => element.getAttribute('title')));

const textOf = (page: Page, selector: string) => page.locator(selector).innerText();

describeWithChromium('the inspector page', (running) => {
  test('lists sessions by status, newest first, one page at a time', async () => {
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

  test('shows a session live: appended entries, changes, and the end', async () => {
    const { sessions, handler } = inspected();
    const id = await startedIn(sessions, { timeLimit: 600 });
    await okOf(sessions.append(id, said('What is 6 times 7?')));
    const { page, origin, complaints, requested } = await opened(
      running.browser,
      handler,
      {},
      `/api/inspector#${id}`,
    );
    await page.getByText('What is 6 times 7?').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await okOf(sessions.append(id, said('42.', 'assistant')));
    await page.getByText('42.').waitFor();
    await page
      .locator('.timeline li:last-child')
      .getByText('Time limit, unless it is paused')
      .waitFor();
    await okOf(sessions.pause(id));
    await page.locator('#detail header').getByText('PAUSED').waitFor();
    expect(await page.locator('.timeline').getByText('Time limit').count()).toBe(0);
    await okOf(sessions.resume(id));
    await okOf(sessions.wake(id));
    await page.getByText('Waiting since').waitFor();
    await okOf(sessions.claim({ holder: 'worker-1', seconds: 60 }));
    await page.locator('.work').getByText('Running since').waitFor();
    await page
      .locator('.work')
      .getByText(/^worker-1 until \d/)
      .waitFor();
    await okOf(sessions.fail(id));
    await page.getByText('Terminated: failed').waitFor();
    await page.locator('#detail header').getByText('TERMINATED · failed').waitFor();
    const events = await page.locator('.timeline span').allInnerTexts();
    const commands = ['Created', 'Started', 'Entry appended', 'Paused', 'Resumed'];
    expect(events).toEqual([
      ...commands,
      'Leased by worker-1',
      'Released by worker-1',
      'Terminated: failed',
    ]);
    expect(
      await page.getByRole('meter', { name: 'Time limit' }).getAttribute('aria-valuetext'),
    ).toMatch(/^0:0\d of 10:00$/);
    expect(await page.locator('.history .content').allInnerTexts()).toEqual([
      'What is 6 times 7?',
      '42.',
    ]);
    expect(await page.getByRole('button', { name: 'Terminate…' }).count()).toBe(0);
    expect(
      requested.filter(
        (url) => !url.startsWith(`${origin}/api/inspector`) && !url.startsWith('data:'),
      ),
    ).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test.each([true, false])(
    'replaces superseded entries after a rewind, with events: %s',
    async (events) => {
      const { sessions, handler } = inspected({ events });
      const id = await startedIn(sessions);
      const { position } = await okOf(sessions.append(id, said('What is 6 times 7?')));
      await okOf(sessions.append(id, [...said('43.', 'assistant'), ...said('Sure?')]));
      const { page, complaints } = await opened(running.browser, handler);
      // Without events the page asks every three seconds.
      await page.clock.install();
      await page.goto(`${page.url()}#${id}`);
      await page.reload();
      const pass = async () => (events ? undefined : page.clock.runFor(3000));
      const contents = () => page.locator('.history .content').allInnerTexts();
      await page.getByText('Sure?').waitFor();
      await okOf(rewindTo(sessions, id, position, said('42.', 'assistant')));
      await pass();
      await page.getByText('42.').waitFor();
      expect(await contents()).toEqual(['What is 6 times 7?', '42.']);
      await page.getByText('2 entries', { exact: true }).waitFor();
      await okOf(rewindTo(sessions, id, 0));
      await pass();
      await page.getByText('0 entries', { exact: true }).waitFor();
      expect(await contents()).toEqual([]);
      await okOf(sessions.append(id, said('Afresh.')));
      await pass();
      await page.getByText('Afresh.').waitFor();
      expect(await contents()).toEqual(['Afresh.']);
      if (events) {
        expect(await page.locator('.timeline span').allInnerTexts()).toEqual([
          'Created',
          'Started',
          'History rewound or redacted',
          'History rewound or redacted',
          'Entry appended',
        ]);
      }
      expect(complaints).toEqual([]);
    },
  );

  test('shows when a session started and ended, and its spans, without events', async () => {
    const store = new MemorySessionStore({ events: { length: 1 } });
    const clock = new ManualClock();
    const { sessions, handler } = inspected({ store, clock });
    const id = await createdIn(sessions);
    clock.pass(10_000);
    await okOf(sessions.start(id));
    clock.pass(20_000);
    await okOf(sessions.pause(id));
    clock.pass(5000);
    await okOf(sessions.fail(id));
    for (let other = 0; other < 300; other += 1) await createdIn(sessions);
    const { page } = await opened(running.browser, handler, {}, `/api/inspector#${id}`);
    await page.locator('.timeline').getByText('Terminated: failed').waitFor();
    const times = await titlesOf(page.locator('.timeline time'));
    expect(times).toEqual([
      '2026-01-31T12:00:00.000Z',
      '2026-01-31T12:00:10.000Z',
      '2026-01-31T12:00:35.000Z',
    ]);
    expect(await page.locator('.timeline span').allInnerTexts()).toEqual([
      'Created',
      'Started',
      'Terminated: failed',
    ]);
    const spans = await titlesOf(page.locator('.spans div'));
    expect(spans).toEqual(['IDLE 0:10', 'ACTIVE 0:20', 'PAUSED 0:05']);
  });

  test('shows a new session and its changes without waiting for a poll', async () => {
    const { sessions, handler } = inspected();
    const { page } = await opened(running.browser, handler);
    // Timers run, and no time passes: no poll is ever due.
    await page.clock.setFixedTime(Date.now());
    await page.reload();
    await page.getByText('There are no sessions.').waitFor();
    const id = await startedIn(sessions);
    await page.locator(`#rows a[href="#${id}"]`).waitFor();
    await page.locator('#rows').getByText('ACTIVE').waitFor();
  });

  test('finds sessions by id, label and day, opens one on a click, and copies its id', async () => {
    const { sessions, handler } = inspected();
    await createMany(sessions, 2);
    const id = await createdIn(sessions);
    const labelled = await okOf(
      sessions.create({ face: 'ada', profile: 'tutor', labels: { user: 'u-1' } }),
    );
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, complaints } = await opened(running.browser, handler, { permissions });
    await page.getByText('1–4 of 4').waitFor();
    const search = page.getByRole('searchbox');
    await search.fill(id);
    await search.press('Enter');
    await page.getByText('1–1 of 1').waitFor();
    expect(await listed(page)).toEqual([id]);
    await page.locator('#rows').getByText('just now').click();
    await page.getByRole('button', { name: 'Copy id' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id);
    expect(complaints).toEqual([]);
    await search.fill('user:u-1');
    await search.press('Enter');
    await page.locator(`#rows a[href="#${labelled.id}"]`).waitFor();
    expect(await listed(page)).toEqual([labelled.id]);
    await page.getByRole('button', { name: 'Active 0' }).click();
    await page.getByText('There are no active sessions.').waitFor();
    await page.getByRole('button', { name: 'Idle 1' }).click();
    await page.locator(`#rows a[href="#${labelled.id}"]`).waitFor();
    await page.getByRole('button', { name: 'All 1' }).click();
    await search.fill('user:u-1 channel:web');
    await search.press('Enter');
    await page.getByText('There is no session with this id.').waitFor();
    await okOf(sessions.update(labelled.id, { labels: { channel: 'web' } }));
    await page.locator(`#rows a[href="#${labelled.id}"]`).click();
    await page.getByText('live', { exact: true }).waitFor();
    await okOf(sessions.update(labelled.id, { labels: { channel: 'web', draft: 'yes' } }));
    await page
      .locator('.timeline')
      .getByText('Labels: channel: web, draft: yes, user: u-1')
      .waitFor();
    await search.fill('nobody');
    await search.press('Enter');
    expect(await page.getByRole('button', { name: 'Idle' }).isDisabled()).toBe(true);
    await page.getByText('There is no session with this id.').waitFor();
    await search.press('Escape');
    await page.getByText('1–4 of 4').waitFor();
    const today: string = await page.evaluate(
      `new Date("${labelled.createdAt}").toLocaleDateString("sv")`,
    );
    await page.getByLabel('To', { exact: true }).fill(today);
    await page.getByLabel('From', { exact: true }).fill(today);
    await page.getByRole('button', { name: 'Idle 4' }).click();
    await page.getByText('1–4 of 4').waitFor();
    await page.getByLabel('To', { exact: true }).fill('2001-01-01');
    await page.getByText('There are no idle sessions of these days.').waitFor();
  });

  test('requests the page and all counts once each, and shows the page while counts are pending', async () => {
    const { sessions, handler } = inspected();
    const { page, requested } = await opened(running.browser, handler);
    await page.getByRole('button', { name: 'All 0' }).waitFor();
    const asked = (part: string) =>
      requested.filter((url) => url.includes(`/inspector/${part}?`)).length;
    expect(Math.abs(asked('sessions') - asked('counts'))).toBeLessThanOrEqual(1);
    await page.route('**/inspector/counts?*', () => undefined);
    for (let shown = 1; shown <= 3; shown += 1) {
      await createdIn(sessions);
      await page.getByText(`1–${shown} of ${shown}`).waitFor();
    }
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
    expect(await okOf(sessions.get(id))).toMatchObject({
      status: 'TERMINATED',
      endReason: 'terminated',
    });
    await page.getByText('Terminated: by command').waitFor();
  });

  test.each([true, false])(
    'shows a queue, withdraws a message and cancels the running turn, with events: %s',
    async (events) => {
      const clock = new ManualClock();
      const { sessions, handler } = inspected({ events, clock });
      const id = await startedIn(sessions);
      const claim = { holder: 'worker-1', seconds: 60 };
      await okOf(sessions.send(id, { id: 'm/0', content: 'A bridge' }));
      const { claimed } = await okOf(sessions.claim(claim));
      const fencingToken = claimed[0]?.lease.fencingToken ?? 0;
      await okOf(sessions.release(id, { fencingToken, error: '<b>no model</b>' }));
      const { page, complaints } = await opened(running.browser, handler);
      // Without events the page asks every three seconds.
      await page.clock.install();
      await page.goto(`${page.url()}#${id}`);
      await page.reload();
      const pass = async () => (events ? undefined : page.clock.runFor(3000));
      await page.getByText('Retrying since').waitFor();
      await page.getByText('Next attempt').waitFor();
      await page.locator('.work').getByText('<b>no model</b>').waitFor();
      for (const name of ['1', '2']) await okOf(sessions.send(id, { id: name, content: name }));
      await pass();
      await page.getByText('2 messages wait').waitFor();
      const inbox = page.getByRole('region', { name: 'Inbox' });
      await inbox.getByRole('button', { name: 'Withdraw' }).first().click();
      await page.getByText('1 message waits').waitFor();
      expect(await inbox.locator('.content').allInnerTexts()).toEqual(['2']);
      clock.pass(60_000);
      await okOf(sessions.claim(claim));
      await pass();
      await page.getByText('Running since').waitFor();
      expect(await page.locator('.work dd').nth(1).innerText()).toBe('2');
      await inbox.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Cancel turn' }).click();
      await page.locator('button:disabled', { hasText: 'Cancel turn' }).waitFor();
      clock.pass(5000);
      expect((await okOf(sessions.get(id))).work).toBeUndefined();
      expect((await okOf(sessions.history(id))).entries.map(({ content }) => content)).toEqual([
        'A bridge',
        '2',
      ]);
      expect(complaints).toEqual([]);
    },
  );

  test('shows the state of work in the list', async () => {
    const { sessions, handler } = inspected();
    const id = await startedIn(sessions);
    const { page } = await opened(running.browser, handler);
    await okOf(sessions.send(id, 'A bridge'));
    await page.getByText('ACTIVE · waiting').waitFor();
    await okOf(sessions.claim({ holder: 'worker-1', seconds: 60 }));
    await page.getByText('ACTIVE · running').waitFor();
  });

  test('polls every few seconds if the host has no events', async () => {
    const { sessions, handler } = inspected({ events: false, write: false });
    const id = await startedIn(sessions);
    const { page } = await opened(running.browser, handler);
    await page.clock.install();
    await page.goto(`${page.url()}#${id}`);
    await page.reload();
    await page.getByText('updates every 3 seconds').waitFor();
    await okOf(sessions.send(id, 'A bridge'));
    await okOf(sessions.claim({ holder: 'worker-1', seconds: 60 }));
    await okOf(sessions.send(id, 'A tunnel'));
    await page.clock.runFor(3000);
    await page.getByText('1 message waits').waitFor();
    for (const name of ['Terminate…', 'Withdraw', 'Cancel turn'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    await okOf(sessions.append(id, said('unheard')));
    await okOf(sessions.pause(id));
    await page.clock.runFor(3000);
    await page.getByText('unheard').waitFor();
    await page.locator('#detail header').getByText('PAUSED').waitFor();
    expect(await page.locator('.timeline li').allInnerTexts()).toContainEqual(
      expect.stringMatching(/\d\nPaused$/),
    );
  });

  test('explains missing status filters if the store cannot list by status', async () => {
    const store = new MemorySessionStore({ events: true });
    const { sessions, handler } = inspected({
      store: changed(store, {
        page: (tenant, range) =>
          range.status === undefined
            ? store.page(tenant, range)
            : err(misconfigured('no such lists')),
      }),
    });
    const id = await createdIn(sessions);
    const { page } = await opened(running.browser, handler);
    await page.getByText('This store cannot list by status').waitFor();
    expect(await listed(page)).toEqual([id]);
    expect(await page.locator('#filters').isHidden()).toBe(true);
  });
});
