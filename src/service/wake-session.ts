import { parseWake } from '../input/command-inputs.js';
import { wakeState } from '../session/lease-state.js';
import type { SessionKey } from '../store/session-store.js';
import type { Done } from './lease-session.js';
import type { Settings } from './settings.js';
import { decideState } from './update-state.js';

/** Options of `wake`. */
export interface WakeOptions {
  /** When the session begins to wait for a worker: an RFC 3339 string or a `Date`. Default: now. */
  readonly at?: string | Date | undefined;
}

export const wakeSession = (settings: Settings, key: SessionKey, options: unknown): Done<'wake'> =>
  decideState(
    settings,
    key,
    parseWake(options),
    (current, { at }, now) => wakeState(current, at ?? now, now),
    () => undefined,
  );
