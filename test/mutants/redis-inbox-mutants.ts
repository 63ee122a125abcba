import type { Mutant } from './mutant.js';

const contract = ['test/stores/redis.contract.test.ts'];
const inbox = ['test/adapters/redis/inbox.test.ts'];
const torn = ['test/faults/crashes/torn-tail.test.ts'];

/** A script of the Redis store. */
const script = (name: string): string => `adapters/redis/scripts/${name}.lua`;

export const redisInboxMutants: readonly Mutant[] = [
  {
    bug: 'a torn log loses a message that a change took, which nobody was told of',
    file: script('deliver'),
    from: '  clearInbox(c.inbox, header)\n',
    to: "  clearInbox(c.inbox, header)\n  for at = 1, #c.taken do call('HDEL', c.inbox, format('%d', header.last - header.inbox + at)) end\n",
    tests: torn,
  },
  {
    bug: 'an append after a torn log leaves a message neither waiting nor taken',
    file: script('append'),
    from: 'finish) .. others)',
    to: "finish) .. match(others, '^%d+'))",
    tests: torn,
  },
  {
    bug: 'a message that nobody was told of cannot be sent again after a torn log',
    file: script('inbox'),
    from: '  if upto then return digest, upto end\n',
    to: '  return digest, upto\n',
    tests: inbox,
  },
  {
    bug: 'a message behind one that is withdrawn is lost',
    file: script('deliver'),
    from: 'c.placed = isBroken and remain or',
    to: 'c.placed = false or',
    tests: contract,
  },
  {
    bug: 'Redis contains the content of messages that were withdrawn',
    file: 'adapters/redis/redis-session-store.ts',
    from: 'await make(clearing(keys));',
    to: '',
    tests: inbox,
  },
  {
    bug: 'Redis contains the content of messages that were redacted',
    file: script('redact'),
    from: '  clearInbox(c.inbox, header)\n',
    to: '',
    tests: inbox,
  },
  {
    bug: 'a session that is deleted leaves its messages in Redis',
    file: script('remove'),
    from: "call('DEL', c.record, c.journal, c.operations, c.inbox)",
    to: "call('DEL', c.record, c.journal, c.operations)",
    tests: inbox,
  },
  {
    bug: 'a message to a paused session makes it wait for a worker',
    file: script('change'),
    from: "header.status == 'I' or header.status == 'A'\n    local at",
    to: "header.status ~= 'T'\n    local at",
    tests: contract,
  },
  {
    bug: 'Redis accepts the fencing token of a cancelled turn',
    file: 'src/session/lease-state.ts',
    from: 'lease === undefined || lease.cancelled !== undefined ? 0',
    to: 'lease === undefined ? 0',
    tests: ['test/adapters/redis/record.test.ts'],
  },
];
