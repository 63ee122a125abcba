import type { SessionStatus } from '../../session/session-status.js';
import type { SessionDetail } from './session-row.js';

/** The time that a session has spent in one status. */
export interface Span {
  readonly status: Exclude<SessionStatus, 'TERMINATED'>;
  readonly seconds: number;
}

type Times = Pick<SessionDetail, 'created_at' | 'started_at' | 'ended_at'>;

/** The time of a session until now or its end, of which it was ACTIVE for so many seconds. */
export const spansOf = (session: Times, active: number, now: number): readonly Span[] => {
  const created = Date.parse(session.created_at);
  const end =
    session.ended_at === undefined ? Math.max(now, created) : Date.parse(session.ended_at);
  const started = session.started_at === undefined ? end : Date.parse(session.started_at);
  const spans: readonly Span[] = [
    { status: 'IDLE', seconds: (started - created) / 1000 },
    { status: 'ACTIVE', seconds: active },
    { status: 'PAUSED', seconds: (end - started) / 1000 - active },
  ];
  return spans.filter(({ seconds }) => seconds >= 1);
};
