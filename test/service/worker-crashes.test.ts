import { describe, expect, test } from 'vitest';
import { lasting, openWorkers } from '../support/open-workers.js';
import { okOf } from '../support/sessions.js';

describe('a worker that claims a session whose last worker crashed', () => {
  const crash = async () => {
    const bench = openWorkers();
    const { sessions, waiting, pass } = bench;
    const suspect = await waiting();
    await okOf(sessions.claim({ holder: 'crashed', seconds: 1 }));
    await pass(2000);
    return { ...bench, suspect };
  };

  test('claims no other session until that work is over', async () => {
    const { work, waiting, pass, suspect } = await crash();
    const { run, begun, finish } = lasting();
    work({ run });
    await pass(500);
    const other = await waiting();
    await pass(2000);
    expect(begun.map(({ session }) => session.id)).toEqual([suspect]);
    finish();
    await pass(500);
    expect(begun.map(({ session }) => session.id)).toEqual([suspect, other]);
  });

  test('claims others again once that work has run for the length of a lease', async () => {
    const { work, waiting, pass, suspect } = await crash();
    const { run, begun } = lasting();
    work({ run, seconds: 4 });
    await pass(500);
    const other = await waiting();
    await pass(3000);
    expect(begun.map(({ session }) => session.id)).toEqual([suspect]);
    await pass(1000);
    expect(begun.map(({ session }) => session.id)).toEqual([suspect, other]);
  });
});
