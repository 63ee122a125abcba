import type { OperationErrors, ResultAsync, SessionService } from '../../../src/index.js';

/** The kinds of writes that spend. A rewind has a name too. */
export type Kind = 'spend' | 'named spend' | 'append' | 'named append' | 'rewind';

/** A write that spends. */
export interface Asked {
  /** Who asks: one write at a time. */
  readonly by: string;
  /** The id of the session. */
  readonly id: string;
  readonly kind: Kind;
  /** The content of the entry, and the operation id of what has one. */
  readonly name: string;
  readonly usage: { readonly tokens: number; readonly writes: 1 };
  /** Where a rewind goes back to, and the end that it expects. */
  readonly to?: number;
  readonly ifPosition?: number;
}

/** Whether a write can be sent again. */
export const isNamed = ({ kind }: Asked): boolean => kind !== 'spend' && kind !== 'append';

/** The outcome of a write as its caller learned it. */
export interface Told {
  readonly by: string;
  readonly outcome: 'ok' | 'not_applied' | 'unknown';
  /** How often it was sent again. */
  readonly again: number;
}

/** Of a budget that nobody reaches. */
export const BUDGET = { tokens: 2 ** 50, writes: 2 ** 50 };

export const carryOut = (
  sessions: SessionService,
  { id, kind, name, usage, to = 0, ifPosition = 0 }: Asked,
): ResultAsync<{ readonly repeated?: true }, OperationErrors['rewind' | 'spend']> => {
  const entries = [{ role: 'user', content: name }];
  if (kind === 'append') return sessions.append(id, entries, { usage });
  if (kind === 'spend') return sessions.spend(id, usage);
  const once = { operationId: name };
  if (kind === 'named spend') return sessions.spend(id, usage, once);
  if (kind === 'named append') return sessions.append(id, entries, { usage, ...once });
  return sessions.rewind(id, { to, ifPosition, entries, usage, ...once });
};
