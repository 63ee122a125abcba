import { err, ok } from 'neverthrow';
import type { AppendOutcome, HistoryAppend, SessionKey } from '../../src/store/session-store.js';
import { labelsOf } from '../shared/label-texts.js';
import { decodeState } from '../shared/stored-json.js';
import type { OpenCall } from './deployment.js';
import { type Answer, isOneOf, toStoreError, unreadable } from './failure.js';
import { encodeLines } from './journal.js';
import { appendScript, rewindScript } from './scripts/append-script.js';

/** Adds entries to a history, by one script. */
export const appendEntries = async (
  { call, keys: keyspace, eventsLength }: OpenCall,
  key: SessionKey,
  { entries, now, operation, after, maxEntries = Number.MAX_SAFE_INTEGER, ...conditions }: HistoryAppend,
): Answer<AppendOutcome> => {
  const { ifPosition = '', fencingToken = '' } = conditions;
  const { writes, record, journal, names, events, path } = keyspace.of(key);
  const keys = [record, journal];
  const args = [String(now), encodeLines(entries), String(entries.length), String(maxEntries)];
  const isBare = ifPosition === '' && after === undefined && fencingToken === '' && operation === undefined;
  if (eventsLength !== '' || !isBare) keys.push(events);
  args.push(eventsLength, path, String(ifPosition), String(fencingToken));
  if (operation !== undefined) {
    keys.push(names);
    args.push(operation.id, operation.digest);
  }
  if (after !== undefined) args.push(...(operation === undefined ? ['', ''] : []), String(after));
  const script = after === undefined ? appendScript : rewindScript;
  const reply = await call.writeScript(script, writes, keys, args);
  if (reply.isErr()) return err(toStoreError(key)(reply.error));
  const { value } = reply;
  if (typeof value === 'number') return ok({ outcome: 'appended', position: value });
  if (isOneOf(value, ['lease_lost', 'invalid_position', 'full', 'mismatch', 'missing'])) return ok({ outcome: value });
  const [outcome, detail, lastActivity, line]: readonly unknown[] = Array.isArray(value) ? value : [];
  if (outcome === 'repeated') return ok({ outcome: 'appended', position: Number(detail), repeated: true });
  if (outcome === 'moved') return ok({ outcome, position: Number(detail) });
  const labels = typeof line === 'string' && line !== '' ? labelsOf(line.split(' ')) : undefined;
  const state = outcome === 'closed' ? decodeState(detail, Number(lastActivity), labels) : undefined;
  return state === undefined ? err(unreadable(key)) : ok({ outcome: 'closed', state });
};
