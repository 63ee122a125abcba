import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeWithChromium } from '../support/describe-with-chromium.js';
import { okOf, startedIn } from '../support/sessions.js';
import { createMany, inspected, opened, said } from './opened.js';

/** The text of what is open. */
const textOf = (page: Page, selector: string) => page.locator(selector).innerText();

/** The findings of the accessibility checker, for WCAG rules only. */
const violations = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(`(() => { const module = undefined; ${axe.source} })()`);
  const found: { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[] =
    await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes })))',
    );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

const MEBIBYTE = 1_048_576;

describeWithChromium('the inspector page with hostile content', (running) => {
  test('shows the worst histories as text, and runs nothing of them', async () => {
    const { sessions, handler } = inspected();
    const hostile = [
      '<script>document.title = "taken"</script><img src=x onerror="document.title = \'taken\'">',
      '</script></style><svg onload="document.title=1">',
      'javascript:document.title="taken"',
      'safe\u202egpj.exe\u0000\u200b\ud800',
    ];
    const session = await okOf(
      sessions.create({ face: hostile[0] ?? '', profile: '"><b>', behavior: hostile[1] ?? '' }),
    );
    await okOf(sessions.start(session.id));
    for (const content of hostile)
      await okOf(sessions.append(session.id, said(content, '<b>user</b>')));
    await okOf(sessions.append(session.id, said('x'.repeat(MEBIBYTE))));
    const { page, complaints, requested } = await opened(
      running.browser,
      handler,
      {},
      `/api/inspector#${session.id}`,
    );
    await page.locator('.history li').nth(4).waitFor();
    const shown = await page.locator('.history .content').allTextContents();
    expect(shown.slice(0, 3)).toEqual(hostile.slice(0, 3));
    expect(shown[3]).toBe('safe⟨U+202E⟩gpj.exe⟨U+0000⟩⟨U+200B⟩⟨U+D800⟩');
    expect(shown[4]).toHaveLength(4000);
    await page.getByRole('button', { name: 'Show all 1,048,576 characters' }).click();
    await page.waitForFunction(
      'document.querySelectorAll(".history .content")[4].textContent.length === 1048576',
    );
    expect(await textOf(page, '.facts dd:nth-of-type(1)')).toBe(hostile[0]);
    expect(await page.locator('#detail :is(script, img, svg, b b)').count()).toBe(0);
    expect(await page.title()).toBe('Sessions · Colloquy inspector');
    expect(requested.filter((url) => url.endsWith('/x'))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('runs only its own script, and sends nothing elsewhere', async () => {
    const { handler } = inspected();
    const { page, complaints } = await opened(running.browser, handler);
    await page.evaluate(`(() => {
      const script = document.createElement('script');
      try { script.textContent = 'document.title = "taken"'; } catch {}
      document.body.append(script);
      try { document.body.innerHTML += '<i>'; } catch {}
    })()`);
    const sent = page.evaluate(
      `fetch('https://example.invalid/').then(() => 'sent', () => 'refused')`,
    );
    expect(await sent).toBe('refused');
    expect(await page.title()).toBe('Sessions · Colloquy inspector');
    expect(await page.locator('i').count()).toBe(0);
    expect(complaints.join('\n')).toMatch(/Trusted/);
    expect(complaints.join('\n')).toMatch(/connect-src 'self'/);
  });

  test('keeps long histories usable: opens and follows their end, and shows older entries on demand', async () => {
    const { sessions, handler } = inspected();
    const id = await startedIn(sessions);
    for (let from = 0; from < 10_000; from += 1000) {
      const entries = Array.from({ length: 1000 }, (_, index) => ({
        role: 'user',
        content: `entry ${from + index + 1}`,
      }));
      for (let at = 0; at < 1000; at += 100)
        await okOf(sessions.append(id, entries.slice(at, at + 100)));
    }
    const { page } = await opened(running.browser, handler, {}, `/api/inspector#${id}`);
    await page.getByText('The last 200 of 10,000 entries').waitFor();
    const contents = page.locator('.history .content');
    const look = (entry: number) =>
      page.evaluate(`(() => {
        const items = [...document.querySelectorAll('.history .content')];
        const box = items.find(({ textContent }) => textContent === 'entry ${entry}')?.getBoundingClientRect();
        const frame = document.querySelector('.entries').getBoundingClientRect();
        return box?.top >= frame.top && box.bottom <= frame.bottom;
      })()`);
    const isSeen = (entry: number) => expect.poll(() => look(entry)).toBe(true);
    expect(await contents.first().innerText()).toBe('entry 9801');
    await isSeen(10_000);
    await okOf(sessions.append(id, said('entry 10001')));
    await isSeen(10_001);
    await page.getByRole('button', { name: 'Show 200 older' }).click();
    await page.getByText('The last 401 of 10,001 entries').waitFor();
    await isSeen(10_001);
    await page.locator('.entries').press('Home');
    await isSeen(9601);
    await okOf(sessions.append(id, said('entry 10002')));
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await isSeen(9601);
    await page.getByRole('button', { name: '1 new' }).click();
    await isSeen(10_002);
    expect(await page.getByRole('button', { name: 'Latest' }).count()).toBe(0);
    const shown = await contents.allTextContents();
    expect(shown).toEqual(Array.from({ length: 402 }, (_, index) => `entry ${9601 + index}`));
  });

  test('is usable with the keyboard alone', async () => {
    const { sessions, handler } = inspected();
    await createMany(sessions, 3);
    const { page } = await opened(running.browser, handler);
    const focused = () => page.evaluate('document.activeElement.textContent');
    const [first, second, third] = (await okOf(sessions.list())).sessions.map(({ id }) => id);
    await page.locator('#rows a').nth(2).waitFor();
    await page.keyboard.press('j');
    expect(await focused()).toBe(first);
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe(third);
    await page.keyboard.press('k');
    expect(await focused()).toBe(second);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Terminate…' }).waitFor();
    expect(await focused()).toBe(second);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Copy id');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Terminate…');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('Cancel');
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('Terminate…');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#detail header').getByText('TERMINATED').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#detail').waitFor({ state: 'hidden' });
    expect(await focused()).toBe(second);
    expect((await okOf(sessions.get(second ?? ''))).status).toBe('TERMINATED');
    await page.keyboard.press('/');
    await page.keyboard.type('jk/');
    expect(await page.locator('#search').inputValue()).toBe('jk/');
  });

  test.for(['light', 'dark'] as const)(
    'passes an accessibility check when it is %s, wide or narrow',
    async (colorScheme) => {
      const { sessions, handler } = inspected();
      await createMany(sessions, 3);
      const failed = await startedIn(sessions);
      await okOf(sessions.fail(failed));
      const id = await startedIn(sessions, { timeLimit: 60 });
      await okOf(sessions.append(id, [...said('What is 6 times 7?'), ...said('42.', 'assistant')]));
      await okOf(sessions.pause(id));
      // The checker is a script of its own.
      const { page } = await opened(running.browser, handler, { colorScheme, bypassCSP: true });
      await page.locator('#rows a').first().waitFor();
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
        colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 23, 27)',
      );
      expect(await violations(page)).toEqual([]);
      await page.locator(`#rows a[href="#${id}"]`).click();
      await page.getByText('42.').waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Terminate…' }).click();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 360, height: 640 });
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    },
  );
});
