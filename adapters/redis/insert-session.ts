import { err, ok } from 'neverthrow';
import { statusDetailOf } from '../../src/session/event-detail.js';
import { unleasedSince } from '../../src/session/lease-state.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { endsAt } from '../../src/session/state-at.js';
import type { Inserted, Opening } from '../../src/store/session-store.js';
import { newId } from './connection.js';
import type { OpenCall } from './deployment.js';
import { type Answer, noStatusIndex, tooManyEnded } from './failure.js';
import { encodeLines } from './journal.js';
import { labelKey, type SessionKeys } from './keyspace.js';
import { encodeRecord } from './record.js';
import { insertScript, openScript } from './scripts/insert-script.js';
import { letterOf } from './status-letters.js';
import { dueText, write } from './write.js';

/** Number of the arguments of `insertScript` before those of `openScript` alone. */
const OPENING_AT = 8;

/** The keys and arguments of `openScript` that `insertScript` does not have. */
const openingOf = (
  { keys: keyspace, eventsLength }: OpenCall,
  session: SessionKeys,
  { incarnation, state }: { readonly incarnation: string; readonly state: StateRecord },
  { entries, source, active }: Opening,
) => {
  const { tenant, record, deadlines, byStatus, records, path } = session;
  const read = source === undefined ? record : keyspace.of({ tenant, id: source.id }).record;
  const keys = [read, byStatus.ACTIVE ?? record, deadlines];
  const isStarted = state.status !== 'IDLE';
  const detail = statusDetailOf(false, state);
  const started = isStarted && eventsLength !== '' ? `1 ${detail.type} ${incarnation} 2 ${detail.at} ${path} -` : '';
  const number = isStarted ? 3 : 2;
  const appended = eventsLength === '' ? '' : `1 appended ${incarnation} ${number} ${state.lastActivityAt} ${path} `;
  const args = [encodeLines(entries), String(entries.length), isStarted ? '1' : '', started, appended];
  args.push(source?.version ?? '');
  if (active !== undefined) args.push(String(active.sessions), String(active.now), records);
  return { keys, args };
};

const OUTCOMES = ['inserted', 'taken', 'source_changed', 'too_many', 'ended'] as const;

/** Adds a session, by one script. */
export const insertSession = async (
  opened: OpenCall,
  tenant: string,
  head: SessionHead,
  state: StateRecord,
  opening: Opening | undefined,
): Answer<Inserted> => {
  const { call, eventsLength } = opened;
  const session = opened.keys.of({ tenant, id: head.id });
  const { record, journal, deadlines, tenants, events, index, byStatus, unleased, member, owner, path } = session;
  if (opening?.active !== undefined && byStatus.ACTIVE === undefined) return err(noStatusIndex);
  const incarnation = newId();
  const created = String(Date.parse(head.createdAt));
  const keys = [record, journal, index];
  const args = [member, created, encodeRecord(incarnation, head, state)];
  const status = byStatus[state.status];
  if (status !== undefined) keys.push(status);
  for (const [name, value] of Object.entries(state.labels ?? {})) keys.push(labelKey(session, name, value));
  const due = dueText(endsAt(state));
  const isWaiting = unleased !== undefined && state.status !== 'TERMINATED';
  if (isWaiting) keys.push(unleased + letterOf(state.status));
  if (due !== '') keys.push(deadlines, tenants);
  if (due !== '' || eventsLength !== '' || isWaiting) args.push(due, owner);
  if (eventsLength !== '') {
    keys.push(events);
    args.push(eventsLength, `1 created ${incarnation} 1 ${created} ${path} -`);
  }
  if (isWaiting) args.push(...(eventsLength === '' ? ['', ''] : []), String(unleasedSince(state)));
  if (opening === undefined) return write(call, session, insertScript, keys, args, ['inserted', 'taken']);
  while (args.length < OPENING_AT) args.push('');
  const more = openingOf(opened, session, { incarnation, state }, opening);
  keys.push(...more.keys);
  args.push(...more.args);
  const outcome = await write(call, session, openScript, keys, args, OUTCOMES);
  return outcome.andThen((value) => (value === 'ended' ? err(tooManyEnded) : ok(value)));
};
