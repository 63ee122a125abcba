import type { InputPolicy } from '../input/input-policy.js';
import { SAMPLE_ID, SAMPLE_TIME } from './descriptions.js';
import type { Example } from './types.js';

type Examples = Readonly<Record<string, Example>>;

const entry = { role: 'user', content: 'Hello', timestamp: '2026-01-31T18:00:02.000Z' };

const session = {
  id: SAMPLE_ID,
  status: 'ACTIVE',
  options: { face: 'ada', profile: 'tutor', context: '', behavior: '', time_limit: 600 },
  history: [entry],
  created_at: SAMPLE_TIME,
  duration: 2,
};

/** Examples of responses, by schema name. */
export const answerExamples: Readonly<Record<string, Examples>> = {
  CreatedSession: { created: { value: { session_id: SAMPLE_ID } } },
  Session: { session: { value: session } },
  SessionState: {
    active: {
      value: {
        ...{
          id: SAMPLE_ID,
          status: 'ACTIVE',
          duration: 90,
          duration_ms: 90_250,
          revision: 4_503_599_627,
        },
        started_at: SAMPLE_TIME,
      },
    },
    terminated: {
      value: {
        ...{ id: SAMPLE_ID, status: 'TERMINATED', duration: 120, duration_ms: 120_000 },
        ...{ revision: 4_503_599_628, end_reason: 'terminated' },
        ...{ started_at: SAMPLE_TIME, ended_at: '2026-01-31T18:02:00.000Z' },
      },
    },
  },
  SessionLease: { lease: { value: { holder: 'worker-1', fencing_token: 1, until: SAMPLE_TIME } } },
  WaitingCount: { some: { value: { count: 3, limit: 10_000 } } },
  Claims: { none: { value: { claimed: [], unreadable: [], limit: 10 } } },
  AppendedHistory: { appended: { value: { position: 123 } } },
  HistoryPart: {
    part: {
      value: {
        entries: [{ ...entry, id: 'm-1', data: { tokens: 3 }, position: 123 }],
        start: 81,
        position: 123,
        has_more: false,
        limit: 100,
      },
    },
  },
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
  GetOrCreateSession: createExamples(policy),
  ExtendSession: { ten: { value: { time_limit: Math.min(600, policy.limits.timeLimit) } } },
  UpdateSession: {
    title: { value: { labels: { title: 'Tax return', draft: null } } },
    summary: { value: { metadata: { summary: 'The user asks about taxes.' } } },
  },
  RedactHistory: { one: { value: { positions: [1] } } },
  LeaseSession: { lease: { value: { holder: 'worker-1', seconds: 30 } } },
  RenewSession: { renew: { value: { fencing_token: 1, seconds: 30 } } },
  ReleaseSession: { release: { value: { fencing_token: 1, done: true } } },
  WakeSession: { now: { value: {} } },
  ClaimSessions: { ten: { value: { holder: 'worker-1', seconds: 30, limit: 10 } } },
  CancelWork: { stop: { value: { reason: 'The user has stopped it.' } } },
  AppendHistory: {
    entry: { value: { entries: [{ role: 'user', content: 'Hello' }] } },
  },
  RewindHistory: {
    summary: {
      value: {
        to: 0,
        entries: [{ role: 'assistant', content: 'They calculate.' }],
        if_position: 1,
      },
    },
  },
});
