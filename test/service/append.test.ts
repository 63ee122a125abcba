import { describe, expect, test } from 'vitest';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const hello = { role: 'user', content: 'hello' };

describe('an append', () => {
  test('keeps the entries in order, each with its own time or the current one', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions);
    await okOf(
      sessions.append(id, [
        hello,
        { role: 'assistant', content: 'Hi', timestamp: '2026-01-31T13:00:00+02:00' },
      ]),
    );
    clock.pass(250);
    await okOf(sessions.append(id, [{ ...hello, timestamp: new Date(Date.UTC(2026, 0, 1)) }]));
    await okOf(sessions.append(id, [hello]));
    expect((await okOf(sessions.get(id))).history).toEqual([
      { ...hello, timestamp: '2026-01-31T12:00:00.000Z' },
      { role: 'assistant', content: 'Hi', timestamp: '2026-01-31T11:00:00.000Z' },
      { ...hello, timestamp: '2026-01-01T00:00:00.000Z' },
      { ...hello, timestamp: '2026-01-31T12:00:00.250Z' },
    ]);
  });

  test('returns the position of the history, which grows each time', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const first = await okOf(sessions.append(id, [hello]));
    const second = await okOf(sessions.append(id, [hello, hello]));
    expect(second.position).toBeGreaterThan(first.position);
  });

  test('succeeds while ACTIVE or PAUSED, and fails otherwise', async () => {
    const { sessions } = openSessions();
    const id = await createdIn(sessions);
    const refused = (status: string) => ({
      type: 'invalid_transition',
      message: `a session that is ${status} does not allow append`,
      status,
      command: 'append',
    });
    expect(await errorOf(sessions.append(id, [hello]))).toEqual(refused('IDLE'));
    await okOf(sessions.start(id));
    await okOf(sessions.append(id, [hello]));
    await okOf(sessions.pause(id));
    await okOf(sessions.append(id, [hello]));
    await okOf(sessions.terminate(id));
    expect(await errorOf(sessions.append(id, [hello]))).toEqual(refused('TERMINATED'));
    expect((await okOf(sessions.get(id))).history).toHaveLength(2);
  });

  test('fails with not_found for a missing session', async () => {
    const { sessions } = openSessions();
    expect(await errorOf(sessions.append('s1', [hello]))).toMatchObject({
      type: 'not_found',
      id: 's1',
    });
  });

  test('stores all entries or no entry', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const error = await errorOf(sessions.append(id, [hello, { role: '', content: 'nobody' }]));
    expect(error).toMatchObject({ type: 'invalid_input', issues: [{ path: 'entries[1].role' }] });
    expect((await okOf(sessions.get(id))).history).toEqual([]);
  });

  test('keeps any text exactly', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const texts = [
      '',
      '\0',
      '\uD800',
      '\u2028',
      '"\\',
      '\n"op",\n',
      '__proto__',
      '\u{1F600}',
      'x'.repeat(262_144),
    ];
    await okOf(
      sessions.append(
        id,
        texts.map((content) => ({ role: 'user', content })),
      ),
    );
    expect((await okOf(sessions.get(id))).history.map(({ content }) => content)).toEqual(texts);
  });

  test("is limited by the host's settings", async () => {
    const { sessions } = openSessions({ limits: { contentBytes: 5, entriesPerAppend: 2 } });
    const id = await startedIn(sessions);
    await okOf(sessions.append(id, [hello, hello]));
    expect(await errorOf(sessions.append(id, [hello, hello, hello]))).toMatchObject({
      issues: [{ path: 'entries', message: 'must be an array of 1 to 2 entries' }],
    });
    expect(await errorOf(sessions.append(id, [{ role: 'user', content: 'hello!' }]))).toMatchObject(
      {
        issues: [{ path: 'entries[0].content', message: 'must have at most 5 bytes of UTF-8' }],
      },
    );
  });
});
