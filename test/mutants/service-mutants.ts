import type { Mutant } from './mutant.js';

export const serviceMutants: readonly Mutant[] = [
  {
    bug: 'a repeated command with its operation id is applied again',
    file: 'src/service/check-command.ts',
    from: 'if (known !== undefined) return known === command ? ok(current) : err(operationMismatch(id));',
    to: '',
    tests: ['test/service'],
  },
  {
    bug: 'a change gives up when another was faster once',
    file: 'src/service/update-state.ts',
    from: 'const MAX_ATTEMPTS = 32;',
    to: 'const MAX_ATTEMPTS = 1;',
    tests: ['test/service'],
  },
  {
    bug: 'a fork copies what was redacted after it was read',
    file: 'src/service/create-session.ts',
    from: '...(source && { source: { id: source.origin.id, version: source.version } }),',
    to: '',
    tests: ['test/service'],
  },
  {
    bug: 'a fork of a long history mixes two versions of it',
    file: 'src/service/read-source.ts',
    from: 'if (found.version !== last.version) return ok(undefined);',
    to: '',
    tests: ['test/service'],
  },
  {
    bug: 'an idempotency key with other options gives the first session',
    file: 'src/service/create-session.ts',
    from: 'if (found.value.head.digest !== digestOf(content)) return',
    to: 'if (found.value.head.digest === "") return',
    tests: ['test/service'],
  },
  {
    bug: 'a change of a deleted session is applied to the one created again under its id',
    file: 'src/session/random-revision.ts',
    from: '1 + Math.floor(random() * 2 ** 52)',
    to: '1',
    tests: ['test/service', 'test/faults/races/deletion.test.ts'],
  },
  {
    bug: 'an append after the time limit is refused as if the session were ACTIVE',
    file: 'src/service/append-history.ts',
    from: 'stateAt(appended.state, time.value).status',
    to: 'appended.state.status',
    tests: ['test/service'],
  },
  {
    bug: 'a session that is larger than a page can never be listed',
    file: 'src/service/list-sessions.ts',
    from: 'sessions > 1 && bytes > pageBytes',
    to: 'bytes > pageBytes',
    tests: ['test/service'],
  },
  {
    bug: 'two observers run an operation twice',
    file: 'src/service/run-operation.ts',
    from: 'executed ??= execute();',
    to: 'executed = execute();',
    tests: ['test/service'],
  },
  {
    bug: 'a tenant that is not a text reads the sessions of the empty tenant',
    file: 'src/service/settings.ts',
    from: "new Settings(this, '', tenant.error)",
    to: "new Settings(this, '')",
    tests: ['test/service'],
  },
];
