import {
  endFrame,
  endOfEvent,
  eventFrame,
  heartbeatLine,
  oneLine,
  preamble,
  snapshotHead,
} from '../http/event-frame.js';
import type { InputPolicy } from '../input/input-policy.js';
import { sessionState } from '../operations/outputs.js';
import { toWireSession } from '../operations/session-form.js';
import type { Session } from '../session/session.js';
import { SAMPLE_ID, SAMPLE_TIME } from './descriptions.js';
import type { Example, Json } from './types.js';

type Examples = Readonly<Record<string, Example>>;

const session: Session = {
  id: SAMPLE_ID,
  status: 'ACTIVE',
  options: { face: 'ada', profile: 'tutor', context: '', behavior: '', timeLimit: 600 },
  history: [{ role: 'user', content: 'Hello', timestamp: '2026-01-31T18:00:02.000Z' }],
  historyCount: 1,
  createdAt: SAMPLE_TIME,
  duration: 2,
};

const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value));

const sessionExample = { value: jsonOf(toWireSession(session)) };

/** Examples of responses, by schema name. */
export const answerExamples: Readonly<Record<string, Examples>> = {
  CreatedSession: { created: { value: { session_id: SAMPLE_ID } } },
  Session: { session: sessionExample },
  SessionState: {
    active: { value: { id: SAMPLE_ID, status: 'ACTIVE', duration: 90 } },
    terminated: {
      value: jsonOf(
        sessionState.write({ id: SAMPLE_ID, status: 'TERMINATED', duration: 120, endReason: 'terminated' }),
      ),
    },
  },
  AppendedHistory: { appended: { value: { position: 123 } } },
  HistoryPart: { part: { value: { entries: jsonOf(session.history), position: 123, has_more: false } } },
};

/** Examples with a face, a profile and a time limit that the host allows. */
const createExamples = ({ limits, faces, profiles }: InputPolicy): Examples => {
  if (faces?.size === 0 || profiles?.size === 0) return {};
  const [face = 'ada'] = faces ?? [];
  const [profile = 'tutor'] = profiles ?? [];
  const behavior = 'You teach arithmetic.'.slice(0, limits.textBytes);
  return {
    minimal: { value: { face, profile } },
    full: { value: { face, profile, behavior, time_limit: Math.min(600, limits.timeLimit) } },
  };
};

/** Examples of request bodies, by schema name. */
export const bodyExamples = (policy: InputPolicy): Readonly<Record<string, Examples>> => ({
  CreateSession: createExamples(policy),
  AppendHistory: {
    entry: { value: { entries: [{ role: 'user', content: 'Hello' }] } },
    told: { value: { entries: [{ role: 'user', content: 'Hi', timestamp: '2026-01-31T19:00:02+01:00' }] } },
  },
});

/** A stream up to the end of its session. */
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
      sessionId: SAMPLE_ID,
      type: 'session.terminated',
      sequence: 4,
      at: '2026-01-31T18:02:00.000Z',
      position: '1769882520000-kR3vYw0aTq1x.4',
      endReason: 'terminated',
    }),
    endFrame('terminated'),
  ].join(''),
};
