import { dueKeyOf, Keyspace, keyOf, labelKey } from '../../../adapters/redis/keyspace.js';
import { decodeRecord } from '../../../adapters/redis/record.js';
import { unescapeName } from '../../../adapters/stored/escape-name.js';
import { dueAtOf } from '../../../src/session/time-limits.js';
import { wakeAtOf } from '../../../src/session/work-state.js';

/** As much of a client as it takes to look at everything. */
interface LookingClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

const textsOf = (reply: unknown): readonly string[] =>
  Array.isArray(reply) ? reply.flat().map(String) : [];

const keysUnder = async (client: LookingClient, prefix: string): Promise<readonly string[]> =>
  textsOf(await client.call('KEYS', `${prefix}:{*`)).toSorted();

const scoresOf = async (
  client: LookingClient,
  key: string,
): Promise<ReadonlyMap<string, number>> => {
  const flat = textsOf(await client.call('ZRANGE', key, '0', '-1', 'WITHSCORES'));
  return new Map(
    flat.flatMap((member, at) => (at % 2 === 0 ? [[member, Number(flat[at + 1])]] : [])),
  );
};

const BY_CREATION = ['index', 'idle', 'active', 'paused', 'terminated', 'label'];
const SORTED_SETS = [...BY_CREATION, 'deadlines', 'tenants', 'work', 'waiting'];

/** The sets of the tenants of a partition, which follow from those of their sessions. */
const OF_TENANTS = ['tenants', 'waiting'];

/**
 * Where the indexes of a store with one partition, also that by status, differ from its records,
 * entry by entry, and what is there of sessions without a record.
 */
export const wrongEntries = async (
  client: LookingClient,
  prefix: string,
): Promise<readonly string[]> => {
  const keys = new Keyspace(prefix, 1);
  const names = await keysUnder(client, prefix);
  const expected = new Map<string, Map<string, number>>();
  const wrong: string[] = [];
  const expect = (set: string, member: string, score: number) => {
    const members = expected.get(set) ?? new Map<string, number>();
    expected.set(set, members.set(member, score));
  };
  for (const name of names) {
    const { kind, rest } = keys.parse(name) ?? { kind: '', rest: '' };
    const session = keys.of(keyOf(rest));
    if (kind === 'remains') {
      const [owner = '', ...member] = rest.split(':');
      const left = keys.of(dueKeyOf(unescapeName(owner), member.join(':')));
      const record = decodeRecord(left.id, String(await client.call('GET', name)));
      if (record !== undefined) expect(left.deadlines, left.idKey, dueAtOf(record.state));
    }
    if (kind === 'journal' || kind === 'operations') {
      if (!names.includes(session.record)) wrong.push(`${name} has no record`);
    }
    if (kind !== 'record') continue;
    const record = decodeRecord(session.id, String(await client.call('GET', name)));
    if (record === undefined) continue;
    const { head, state } = record;
    const labels = Object.entries(state.labels ?? {}).map(([label, value]) =>
      labelKey(session, label, value),
    );
    for (const set of [session.index, session.byStatus[state.status] ?? '', ...labels])
      expect(set, session.idKey, Date.parse(head.createdAt));
    const [dueAt, wakeAt] = [dueAtOf(state), wakeAtOf(state)];
    if (dueAt < Number.POSITIVE_INFINITY) expect(session.deadlines, session.idKey, dueAt);
    if (wakeAt < Number.POSITIVE_INFINITY) expect(session.work, session.idKey, wakeAt);
  }
  const sets = names.filter((name) => SORTED_SETS.includes(keys.parse(name)?.kind ?? ''));
  for (const set of new Set([...sets, ...expected.keys()])) {
    if (OF_TENANTS.includes(keys.parse(set)?.kind ?? '')) continue;
    const found = await scoresOf(client, set);
    const wanted = expected.get(set) ?? new Map<string, number>();
    for (const member of new Set([...found.keys(), ...wanted.keys()])) {
      const [is, must] = [found.get(member), wanted.get(member)];
      // A claim moves a session to a later time for a while.
      const isOut =
        keys.parse(set)?.kind === 'work' && is !== undefined && must !== undefined && is > must;
      if (is !== must && !isOut)
        wrong.push(`${member} in ${set}: ${is ?? 'missing'}, not ${must ?? 'missing'}`);
    }
  }
  for (const [owner, time] of await scoresOf(client, keys.ofPartition(0, 'tenants'))) {
    const first = [...(await scoresOf(client, keys.tenant(owner).deadlines)).values()][0];
    if (first !== time) wrong.push(`${owner} is due at ${time}, not ${first ?? 'never'}`);
  }
  const waiting = await scoresOf(client, keys.ofPartition(0, 'waiting'));
  for (const set of [...expected.keys()].filter((each) => keys.parse(each)?.kind === 'work')) {
    const owner = keys.parse(set)?.rest ?? '';
    const first = [...(await scoresOf(client, set)).values()][0] ?? Number.POSITIVE_INFINITY;
    const noted = waiting.get(owner) ?? Number.POSITIVE_INFINITY;
    // A time that is too early costs a claim that finds nothing; the claim sets it right.
    if (noted > first) wrong.push(`${owner} waits from ${noted} on, not ${first}`);
  }
  return wrong;
};

/**
 * Where the events differ from the changes: every change of a session has one event, in order.
 * Ghosts are events of changes that no session has.
 */
export const wrongEvents = async (
  client: LookingClient,
  prefix: string,
): Promise<{ readonly wrong: readonly string[]; readonly ghosts: readonly string[] }> => {
  const keys = new Keyspace(prefix, 1);
  const reply = await client.call('XRANGE', `${prefix}:{0}:events`, '-', '+');
  const told = new Map<string, number[]>();
  const deleted = new Set<string>();
  for (const entry of Array.isArray(reply) ? reply : []) {
    const [, incarnation, sequence, path, ...json] = String(entry[1][1]).split(' ');
    const { type } = JSON.parse(json.join(' '));
    const life = `${path} ${incarnation}`;
    told.set(life, [...(told.get(life) ?? []), Number(sequence)]);
    if (type === 'deleted') deleted.add(life);
  }
  const [wrong, ghosts]: [string[], string[]] = [[], []];
  const living = new Set<string>();
  for (const name of await keysUnder(client, prefix)) {
    const { kind, rest } = keys.parse(name) ?? { kind: '', rest: '' };
    if (kind !== 'record') continue;
    const record = decodeRecord(keyOf(rest).id, String(await client.call('GET', name)))?.header;
    if (record === undefined) continue;
    const life = `${rest} ${record.incarnation}`;
    living.add(life);
    const numbers = told.get(life) ?? [];
    const wanted = Array.from({ length: record.sequence }, (_, at) => at + 1);
    if (deleted.has(life)) ghosts.push(`${rest} is there, and was told to be deleted`);
    const strays = numbers.filter(
      (number, at) => number > record.sequence || numbers.indexOf(number) !== at,
    );
    for (const number of strays) ghosts.push(`${number} of ${rest}`);
    if (wanted.some((number) => !numbers.includes(number)))
      wrong.push(`${rest} has ${numbers.join()} of ${wanted.length}`);
    const firsts = numbers.filter((number, at) => numbers.indexOf(number) === at);
    if (firsts.some((number, at) => at > 0 && number < (firsts[at - 1] ?? 0)))
      wrong.push(`${rest}: ${numbers.join()}`);
  }
  for (const life of told.keys())
    if (!living.has(life) && !deleted.has(life)) ghosts.push(`${life} has no session`);
  return { wrong, ghosts };
};
