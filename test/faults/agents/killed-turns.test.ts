import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SessionService } from '../../../src/service/session-service.js';
import { playTurn } from '../../adapters/openai-agents/play-turn.js';
import { databases, describeDatabases, newDatabase } from '../../support/databases.js';
import { ada, okOf } from '../../support/sessions.js';
import { effort } from '../support/effort.js';

const worker = fileURLToPath(new URL('../../support/workers/agent-turn.ts', import.meta.url));

const steps = [
  'before the read',
  'in call 1 of the model',
  'in the tool look_up',
  'in call 2 of the model',
  'in call 3 of the model',
  'before the append',
  'after the append',
];
const turn = [
  'user',
  'function_call',
  'function_call_result',
  'function_call',
  'function_call_result',
  'assistant',
];

describeDatabases(
  'an agent turn whose process is killed',
  (kind) => {
    const open = async () => {
      const database = await newDatabase(kind);
      const sessions = new SessionService({ store: database.open() });
      const { id } = await okOf(sessions.create({ ...ada, start: true }));
      const rolesOf = async () => (await okOf(sessions.get(id))).history.map(({ role }) => role);
      const kill = async (job: object) => {
        const args = [
          '--import',
          './.ci/sources.mjs',
          worker,
          JSON.stringify({ id, address: database.address, ...job }),
        ];
        const [, signal] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
        expect(signal).toBe('SIGKILL');
      };
      return { id, sessions, rolesOf, kill };
    };

    const tried = effort(steps.slice(-1), steps);

    test.each(tried)(
      'killed %s, is stored completely or not at all, and once when it is run again',
      async (step) => {
        const { id, sessions, rolesOf, kill } = await open();
        await kill({ first: 'look_up', turn: 'job-1', step });
        const isRecorded = step === 'after the append';
        expect(await rolesOf()).toEqual(isRecorded ? turn : []);
        const again = await playTurn(sessions, 'look_up', { id, turn: 'job-1' });
        expect(again).toEqual(
          isRecorded
            ? { rejected: expect.stringContaining('operation_mismatch') }
            : { answered: expect.stringContaining('Here it is') },
        );
        expect(await rolesOf()).toEqual(turn);
        await playTurn(sessions, 'look_up', { id, turn: 'job-2' });
        expect(await rolesOf()).toEqual([...turn, ...turn]);
      },
    );

    test.each(
      effort(['after the append'], ['in the tool delete', 'before the append', 'after the append']),
    )(
      'killed %s, continues after an approval in another process, with one tool result',
      async (step) => {
        const { id, sessions, rolesOf, kill } = await open();
        const { interrupted } = Object(await playTurn(sessions, 'delete', { id, turn: 'job-1' }));
        expect(await rolesOf()).toEqual(['user', 'function_call']);
        const approved = { id, turn: 'job-1:approved', interrupted };
        await kill({ ...approved, first: 'delete', step });
        const answered = await playTurn(sessions, 'delete', approved);
        expect(answered).toEqual({ answered: expect.stringContaining('Here it is') });
        expect(await rolesOf()).toEqual([
          'user',
          'function_call',
          'function_call_result',
          'assistant',
        ]);
      },
    );
  },
  effort(databases.slice(1, 2), databases),
);
