import type { SessionStatus } from '../../session/session-status.js';
import type { SessionDetail } from './session-row.js';

/** The time that a session has spent in one status. */
export interface Span {
  readonly status: Exclude<SessionStatus, 'TERMINATED'>;
  readonly seconds: number;
}

type Times = Pick<SessionDetail, 'created_at' | 'started_at' | 'ended_at'>;

/** Splits the time of a session, until now or its end, by status. `active` is in seconds. */
export const spansOf = (session: Times, active: number, now: number): readonly Span[] => {
  const timeOf = (time: string | undefined, otherwise: number): number =>
    time === undefined ? otherwise : Date.parse(time);
  const created = Date.parse(session.created_at);
  const end = timeOf(session.ended_at, Math.max(now, created));
  const started = timeOf(session.started_at, end);
  const spans: readonly Span[] = [
    { status: 'IDLE', seconds: (started - created) / 1000 },
    { status: 'ACTIVE', seconds: active },
    { status: 'PAUSED', seconds: (end - started) / 1000 - active },
  ];
  return spans.filter(({ seconds }) => seconds >= 1);
};
