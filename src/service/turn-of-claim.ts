import { ok, type Result } from 'neverthrow';
import type { StoreError } from '../session/errors.js';
import { sessionLeaseOf } from '../session/lease-state.js';
import { messagesIn } from '../session/message.js';
import type { PositionedEntry } from '../session/session.js';
import type { Claim } from '../session/turn-state.js';
import type { SessionKey } from '../store/session-store.js';
import type { ClaimedSession } from './operation-results.js';
import type { Settings } from './settings.js';
import { entriesOfTurn } from './turn-entries.js';

type TurnOfClaim = Pick<ClaimedSession, 'turn' | 'messages' | 'woken' | 'lease' | 'attempt'>;

export const turnOfClaim = async (
  settings: Settings,
  key: SessionKey,
  { isAgain, state, attempt }: Claim,
  taken: readonly PositionedEntry[] = [],
): Promise<Result<TurnOfClaim, StoreError>> => {
  const { turn, lease } = state.work;
  const part = { turn: turn.number, after: turn.start, areMessages: true };
  const found = isAgain ? await entriesOfTurn(settings, key, part) : ok(undefined);
  return found.map((all) => ({
    turn: turn.number,
    messages: messagesIn(all?.entries ?? taken),
    ...(turn.woken && { woken: turn.woken }),
    lease: sessionLeaseOf(lease),
    attempt,
  }));
};
