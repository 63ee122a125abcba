import type { ResultAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { REMOVED } from '../../../adapters/redis/record-text.js';
import { type SessionError, SessionService } from '../../../src/index.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { randomFrom } from '../../support/random.js';
import { openClient } from '../../support/redis-clients.js';
import { ada, okOf } from '../../support/sessions.js';
import { effort, record, seeds, triedClients } from '../support/effort.js';

type Call = () => ResultAsync<unknown, SessionError>;

const ROUNDS = effort(60, 5000);

describeWithRedis('a session that is deleted while others work on it', ({ port }) => {
  test.each(triedClients)(
    'is gone from everywhere and stays so, or was created again and is whole, with %s',
    async (version) => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const clients = [1, 2].map(() => openClient(version, { port }));
      const prefix = `deletion-${process.pid}-${version.replace(' ', '-')}`;
      const services = clients.map(
        (client) => new SessionService({ store: new RedisSessionStore({ client, prefix }) }),
      );
      const [one, other] = services;
      const [client] = clients;
      if (one === undefined || other === undefined || client === undefined) throw new Error('no services');
      const keys = new Keyspace(prefix, 1);
      let createdAgain = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const sessions = one.forTenant(`t${round}`);
        const rival = other.forTenant(`t${round}`);
        const input = { ...ada, idempotencyKey: 'lesson' };
        const { id } = await okOf(sessions.create(input));
        await okOf(sessions.start(id));
        const said = (content: string) => [{ role: 'user', content }];
        await okOf(sessions.append(id, said('before')));
        const calls: Call[] = [
          () => sessions.append(id, said('meanwhile'), { operationId: 'meanwhile' }),
          () => rival.append(id, said('meanwhile too')),
          () => sessions.pause(id),
          () => rival.terminate(id),
          () => rival.list(),
          () => sessions.get(id),
          () => rival.delete(id),
        ];
        if (round % 2 === 1) calls.push(() => rival.create(input));
        const inAnyOrder = [() => sessions.delete(id), ...calls.sort(() => random() - 0.5)];
        if (round % 3 === 0) inAnyOrder.reverse();
        for (const result of await Promise.all(inAnyOrder.map((call) => call()))) {
          const type = result.isOk() ? 'ok' : result.error.type;
          expect(['ok', 'not_found', 'invalid_transition']).toContain(type);
        }
        const listed = await okOf(sessions.list());
        expect(listed.unreadable).toEqual([]);
        const found = (await sessions.get(id)).unwrapOr(undefined);
        expect(listed.sessions.map((session) => session.id)).toEqual(found === undefined ? [] : [id]);
        if (found !== undefined) {
          createdAgain += 1;
          expect(found.history.map(({ content }) => content)).not.toContain('before');
          await okOf(sessions.delete(id));
        }
        const { record: line, journal, names, index, deadlines, member } = keys.of({ tenant: `t${round}`, id });
        // The line by which a write that arrives late is recognised.
        expect(String(await client.call('GET', line)).charAt(38)).toBe(REMOVED);
        expect(await client.call('EXISTS', journal, names)).toBe(0);
        expect(await client.call('ZSCORE', index, member)).toBeNull();
        expect(await client.call('ZSCORE', deadlines, member)).toBeNull();
      }
      const promise = 'what is deleted stays deleted, or is created again whole';
      record({ promise, figure: `rounds, ${version}`, value: ROUNDS });
      record({ promise, figure: `rounds that ended with the session created again, ${version}`, value: createdAgain });
      record({ promise, figure: `rounds with a session half there, ${version}`, value: 0, bar: '0' });
    },
    effort(30_000, 600_000),
  );
});
