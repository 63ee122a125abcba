import { describe, expect, test } from 'vitest';
import type { SessionService } from '../../src/service/session-service.js';
import type { CallerCommand, SessionStatus } from '../../src/session/session-status.js';
import {
  ada,
  call,
  createdIn,
  errorOf,
  okOf,
  openSessions,
  startedIn,
} from '../support/sessions.js';

describe('the life of a session', () => {
  test('begins IDLE, with the given options and defaults for the others', async () => {
    const { sessions } = openSessions();
    const created = await okOf(sessions.create({ ...ada, timeLimit: 600 }));
    expect(created).toEqual({
      id: 's1',
      status: 'IDLE',
      options: { face: 'ada', profile: 'tutor', behavior: '', context: '', timeLimit: 600 },
      labels: {},
      metadata: {},
      revision: expect.any(Number),
      history: [],
      historyCount: 0,
      inbox: 0,
      createdAt: '2026-01-31T12:00:00.000Z',
      updatedAt: '2026-01-31T12:00:00.000Z',
      duration: 0,
      durationMs: 0,
    });
    expect(await okOf(sessions.get('s1'))).toEqual(created);
  });

  test('passes through start, append, pause, resume and end', async () => {
    const { sessions, clock } = openSessions();
    const id = await createdIn(sessions);
    clock.pass(1000);
    expect(await okOf(sessions.start(id))).toMatchObject({ id, status: 'ACTIVE', duration: 0 });
    await okOf(sessions.append(id, [{ role: 'user', content: 'Hello' }]));
    clock.pass(1500);
    expect(await okOf(sessions.pause(id))).toMatchObject({ id, status: 'PAUSED', duration: 1 });
    clock.pass(60_000);
    expect(await okOf(sessions.resume(id))).toMatchObject({ id, status: 'ACTIVE', duration: 1 });
    clock.pass(500);
    await okOf(sessions.append(id, [{ role: 'assistant', content: 'Goodbye' }]));
    expect(await okOf(sessions.terminate(id))).toMatchObject({
      id,
      status: 'TERMINATED',
      endReason: 'terminated',
      duration: 2,
    });
    clock.pass(1e9);
    expect(await okOf(sessions.get(id))).toEqual({
      id,
      status: 'TERMINATED',
      endReason: 'terminated',
      options: { ...ada, behavior: '', context: '', timeLimit: 0 },
      history: [
        { role: 'user', content: 'Hello', timestamp: '2026-01-31T12:00:01.000Z' },
        { role: 'assistant', content: 'Goodbye', timestamp: '2026-01-31T12:01:03.000Z' },
      ],
      labels: {},
      metadata: {},
      revision: expect.any(Number),
      historyCount: 2,
      inbox: 0,
      createdAt: '2026-01-31T12:00:00.000Z',
      startedAt: '2026-01-31T12:00:01.000Z',
      endedAt: '2026-01-31T12:01:03.000Z',
      updatedAt: '2026-01-31T12:01:03.000Z',
      duration: 2,
      durationMs: 2000,
    });
  });

  test('stays ended with its first reason if it is terminated again', async () => {
    const { sessions, store } = openSessions();
    const id = await startedIn(sessions);
    const failed = await okOf(sessions.fail(id));
    expect(failed).toMatchObject({ id, status: 'TERMINATED', endReason: 'failed', duration: 0 });
    const before = await store.findState({ tenant: 'default', id });
    expect(await okOf(sessions.terminate(id))).toEqual(failed);
    expect(await store.findState({ tenant: 'default', id })).toEqual(before);
  });

  test('ends with a deletion, which may be repeated', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    expect(await okOf(sessions.delete(id))).toBeUndefined();
    expect(await errorOf(sessions.get(id))).toEqual({
      type: 'not_found',
      message: 'there is no such session',
      id,
    });
    expect((await okOf(sessions.list())).total).toBe(0);
    expect(await okOf(sessions.delete(id))).toBeUndefined();
    expect(await okOf(sessions.delete('never there'))).toBeUndefined();
  });
});

const reach: Readonly<Record<SessionStatus, readonly CallerCommand[]>> = {
  IDLE: [],
  ACTIVE: ['start'],
  PAUSED: ['start', 'pause'],
  TERMINATED: ['start', 'terminate'],
};

/** The outcome of each command in the order of `reach`: a status, an end reason or an error. */
const outcomes: Readonly<Record<CallerCommand, readonly [string, string, string, string]>> = {
  start: ['ACTIVE', 'refused', 'refused', 'refused'],
  pause: ['refused', 'PAUSED', 'refused', 'refused'],
  resume: ['refused', 'refused', 'ACTIVE', 'refused'],
  terminate: ['terminated', 'terminated', 'terminated', 'terminated'],
  fail: ['failed', 'failed', 'failed', 'refused'],
};

const send = (sessions: SessionService, id: string, command: CallerCommand) =>
  sessions[command](id);

const cases = (['start', 'pause', 'resume', 'terminate', 'fail'] satisfies CallerCommand[]).flatMap(
  (command) =>
    (['IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'] satisfies SessionStatus[]).map(
      (status, index) => [command, status, outcomes[command][index] ?? ''] as const,
    ),
);

describe('a command in each status', () => {
  test.for(cases)('%s while %s: %s', async ([command, status, outcome]) => {
    const { sessions } = openSessions();
    const id = await createdIn(sessions);
    for (const step of reach[status]) await okOf(send(sessions, id, step));
    const before = await okOf(sessions.get(id));
    expect(before.status).toBe(status);

    const result = await send(sessions, id, command);
    const afterwards = await okOf(sessions.get(id));
    if (outcome === 'refused') {
      expect(result._unsafeUnwrapErr()).toEqual({
        type: 'invalid_transition',
        message: `a session that is ${status} does not allow ${command}`,
        status,
        command,
      });
      expect(afterwards).toEqual(before);
    } else {
      const state = result._unsafeUnwrap();
      expect(state.status === 'TERMINATED' ? state.endReason : state.status).toBe(outcome);
      expect(afterwards).toMatchObject(state);
    }
  });

  test.for(['start', 'pause', 'resume', 'terminate', 'fail', 'get'] as const)(
    '%s of a missing session fails with not_found',
    async (operation) => {
      const { sessions } = openSessions();
      await createdIn(sessions);
      expect(await errorOf(call(sessions, operation, 's2'))).toMatchObject({
        type: 'not_found',
        id: 's2',
      });
    },
  );
});
