import { expect, test } from 'vitest';
import { describeWithChromium } from '../support/describe-with-chromium.js';
import { rewindTo } from '../support/rewind-to.js';
import { okOf, startedIn } from '../support/sessions.js';
import { inspected, opened, said } from './opened.js';

describeWithChromium('the history on the inspector page', (running) => {
  test('reloads after a rewind to before the shown entries', async () => {
    const { sessions, handler } = inspected();
    const id = await startedIn(sessions);
    const { position } = await okOf(sessions.append(id, said('the first')));
    await okOf(
      sessions.append(
        id,
        Array.from({ length: 300 }, (_, at) => ({ role: 'user', content: `turn ${at}` })),
      ),
    );
    const { page } = await opened(running.browser, handler, {}, `/api/inspector#${id}`);
    await page.getByText('The last 200 of 301 entries').waitFor();
    await okOf(rewindTo(sessions, id, position, said('the second')));
    await page.getByText('the second').waitFor();
    expect(await page.locator('.history .content').allInnerTexts()).toEqual([
      'the first',
      'the second',
    ]);
    expect(await page.getByRole('button', { name: /older/ }).isVisible()).toBe(false);
  });

  test('shows folded data below an entry, and tool calls as such', async () => {
    const { sessions, handler } = inspected();
    const id = await startedIn(sessions);
    const data = { toolCalls: [{ toolName: 'weather', input: { city: 'Zurich' } }] };
    const entries = [
      { role: 'assistant', content: 'Let me see.', id: 'm-1', data },
      { role: 'user', content: 'Well?', data: { latency: 7 } },
    ];
    await okOf(sessions.append(id, entries));
    const { page } = await opened(running.browser, handler, {}, `/api/inspector#${id}`);
    await page.getByText('Tool calls: weather').click();
    expect(await page.locator('.entry-data summary').allInnerTexts()).toEqual([
      'Tool calls: weather',
      'Data',
    ]);
    expect(JSON.parse(await page.locator('.entry-data[open] pre').innerText())).toEqual(data);
    expect(await page.locator('.entry-id').allInnerTexts()).toEqual(['m-1']);
  });

  test('hides what was redacted', async () => {
    const { sessions, handler } = inspected();
    const id = await startedIn(sessions);
    const { position } = await okOf(sessions.append(id, said('my secret')));
    await okOf(sessions.append(id, said('the answer')));
    const { page } = await opened(running.browser, handler, {}, `/api/inspector#${id}`);
    await page.getByText('my secret').waitFor();
    await page.locator('.live').getByText('live').waitFor();
    await okOf(sessions.redact(id, [position]));
    await page.locator('.timeline').getByText('History rewound or redacted').waitFor();
    await page.getByText('my secret').waitFor({ state: 'detached' });
    expect(await page.locator('.history .content').allInnerTexts()).toEqual(['', 'the answer']);
  });
});
