import type { SessionKey } from '../session/session-key.js';
import type { Redaction } from '../store/commit.js';

/** Overwrites entries in any status. The state does not change. */
export const planRedact = (
  key: SessionKey,
  positions: readonly number[],
  now: number,
): Redaction => ({ key, guards: {}, effects: { redact: positions, at: now } });
