import type { InputPolicy } from '../input/input-policy.js';
import { SAMPLE_ID, SAMPLE_TIME } from './descriptions.js';
import type { Example, Json } from './types.js';

type Values = Readonly<Record<string, Json | undefined>>;

/** The member `examples` of what has one; nothing for what has none. */
export const exampleOf = (
  value: Json | undefined,
): { readonly examples?: Readonly<Record<string, Example>> } =>
  value === undefined ? {} : { examples: { example: { value } } };

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
export const answerExamples: Values = {
  CreatedSession: { session_id: SAMPLE_ID },
  Session: session,
  GetOrCreateResult: { ...session, history: [], created: true },
  SessionState: {
    id: SAMPLE_ID,
    status: 'TERMINATED',
    duration: 120,
    duration_ms: 120_250,
    revision: 4_503_599_628,
    end_reason: 'terminated',
    started_at: SAMPLE_TIME,
    ended_at: '2026-01-31T18:02:00.250Z',
  },
  SessionLease: { holder: 'worker-1', fencing_token: 1, until: SAMPLE_TIME },
  WaitingCount: { count: 3, limit: 10_000 },
  Claims: { claimed: [], unreadable: [], limit: 10 },
  AppendedHistory: { position: 123 },
  HistoryPart: {
    entries: [{ ...entry, id: 'm-1', data: { tokens: 3 }, position: 123 }],
    start: 81,
    position: 123,
    has_more: false,
    limit: 100,
  },
};

/** What to create, with a face, a profile and a time limit that the host allows. */
const createExample = ({ limits, faces, profiles }: InputPolicy): Json | undefined => {
  const [face] = faces ?? ['ada'];
  const [profile] = profiles ?? ['tutor'];
  if (face === undefined || profile === undefined) return undefined;
  const behavior = 'You teach arithmetic.'.slice(0, limits.textBytes);
  return { face, profile, behavior, time_limit: Math.min(600, limits.timeLimit) };
};

/** Examples of request bodies, by schema name. */
export const bodyExamples = (policy: InputPolicy): Values => ({
  CreateSession: createExample(policy),
  GetOrCreateSession: createExample(policy),
  ExtendSession: { time_limit: Math.min(600, policy.limits.timeLimit) },
  UpdateSession: { labels: { title: 'Tax return', draft: null }, metadata: { rating: 4 } },
  RedactHistory: { positions: [1] },
  LeaseSession: { holder: 'worker-1', seconds: 30 },
  RenewSession: { fencing_token: 1, seconds: 30 },
  ReleaseSession: { fencing_token: 1, done: true },
  WakeSession: {},
  ClaimSessions: { holder: 'worker-1', seconds: 30, limit: 10 },
  CancelWork: { reason: 'The user has stopped it.' },
  AppendHistory: { entries: [{ role: 'user', content: 'Hello' }] },
  RewindHistory: {
    to: 0,
    entries: [{ role: 'assistant', content: 'They calculate.' }],
    if_position: 1,
  },
});
