import type { ResultAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { type SessionError, SessionService } from '../../../src/index.js';
import { describeDatabases, newDatabase } from '../../support/databases.js';
import { randomFrom } from '../../support/random.js';
import { ada, okOf } from '../../support/sessions.js';
import { effort, record, seeds, triedDatabases } from '../support/effort.js';

type Call = () => ResultAsync<unknown, SessionError>;

const ROUNDS = effort(20, 5000);

describeDatabases(
  'a session that is deleted while other callers use it',
  (kind) => {
    test(
      'disappears everywhere, or is completely created again',
      async () => {
        const [seed = 1] = seeds(1);
        const random = randomFrom(seed);
        const { open, remainsOf } = await newDatabase(kind);
        const one = new SessionService({ store: open() });
        const other = new SessionService({ store: open() });
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
            () => sessions.append(id, said('late'), { operationId: 'late' }),
            () => rival.append(id, said('late too')),
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
          expect(listed.sessions.map((session) => session.id)).toEqual(
            found === undefined ? [] : [id],
          );
          if (found !== undefined) {
            createdAgain += 1;
            expect(found.history.map(({ content }) => content)).not.toContain('before');
            await okOf(sessions.delete(id));
          }
          expect(await remainsOf({ tenant: `t${round}`, id })).toEqual([]);
        }
        const promise = 'what is deleted stays deleted, or is created again whole';
        record({ promise, figure: `rounds, ${kind.name}`, value: ROUNDS });
        record({
          promise,
          figure: `rounds that ended with the session created again, ${kind.name}`,
          value: createdAgain,
        });
        record({
          promise,
          figure: `rounds with a session half there, ${kind.name}`,
          value: 0,
          bar: '0',
        });
      },
      effort(120_000, 600_000),
    );
  },
  triedDatabases,
);
