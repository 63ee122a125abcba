import type { SessionStatus } from '../../session/session-status.js';
import type { Change, SessionRow } from './session-row.js';

type OpenStatus = Exclude<SessionStatus, 'TERMINATED'>;

/** A time that a session spent in one status, in milliseconds since the epoch. */
export interface Span {
  readonly status: OpenStatus;
  readonly from: number;
  readonly to: number;
}

const next: Readonly<Record<string, { readonly from: readonly OpenStatus[]; readonly to: SessionStatus }>> = {
  'session.started': { from: ['IDLE'], to: 'ACTIVE' },
  'session.paused': { from: ['ACTIVE'], to: 'PAUSED' },
  'session.resumed': { from: ['PAUSED'], to: 'ACTIVE' },
  'session.terminated': { from: ['IDLE', 'ACTIVE', 'PAUSED'], to: 'TERMINATED' },
};

/** The spans of a session from its creation until now or its end; undefined if some of its events are missing. */
export const spansOf = (
  session: Pick<SessionRow, 'status' | 'created_at'>,
  changes: readonly Change[],
  now: number,
): readonly Span[] | undefined => {
  const spans: Span[] = [];
  let status: SessionStatus = 'IDLE';
  let from = Date.parse(session.created_at);
  for (const { type, at } of changes) {
    const change = next[type];
    if (change === undefined) continue;
    const former: OpenStatus | undefined = change.from.find((each) => each === status);
    if (former === undefined) return undefined;
    const to = Date.parse(at);
    spans.push({ status: former, from, to });
    status = change.to;
    from = to;
  }
  if (status !== session.status) return undefined;
  if (status !== 'TERMINATED') spans.push({ status, from, to: Math.max(from, now) });
  return spans;
};
