import {
  endFrame,
  endOfEvent,
  eventFrame,
  heartbeatLine,
  oneLine,
  preamble,
  snapshotHead,
} from '../http/event-frames.js';
import type { Session, SessionState } from '../session/session.js';
import { toWireSession, toWireState } from '../wire.js';
import type { Example, Json } from './types.js';

export const SESSION_ID = 'V1StGXR8_Z5jdHi6B-myT';

const CREATED_AT = '2026-01-31T18:00:00.000Z';

const session: Session = {
  id: SESSION_ID,
  status: 'ACTIVE',
  options: { face: 'ada', profile: 'tutor', context: '', behavior: '', timeLimit: 600 },
  history: [{ role: 'user', content: 'Hello', timestamp: '2026-01-31T18:00:02.000Z' }],
  historyCount: 1,
  createdAt: CREATED_AT,
  duration: 2,
};

const shown = (value: unknown): Json => JSON.parse(JSON.stringify(value));

export const sessionExample: Example = { value: shown(toWireSession(session)) };

export const pageExample: Example = { value: [sessionExample.value] };

const stateExample = (state: SessionState): Example => ({ value: shown(toWireState(state)) });

/** What a command answers. */
export const stateExamples = {
  active: stateExample({ id: SESSION_ID, status: 'ACTIVE', duration: 90 }),
  terminated: stateExample({ id: SESSION_ID, status: 'TERMINATED', duration: 120, endReason: 'terminated' }),
} as const;

/** What a watched session says that ends. */
export const streamExample: Example = {
  value: [
    preamble,
    snapshotHead({ type: 'session.snapshot', session, sequence: 3, position: '1769882400000-3' }),
    oneLine(JSON.stringify(toWireSession(session))),
    endOfEvent,
    heartbeatLine,
    eventFrame({
      id: 'kR3vYw0aTq1x.4',
      tenant: '',
      sessionId: SESSION_ID,
      type: 'session.terminated',
      sequence: 4,
      at: '2026-01-31T18:02:00.000Z',
      position: '1769882520000-kR3vYw0aTq1x.4',
      endReason: 'terminated',
    }),
    endFrame('terminated'),
  ].join(''),
};
