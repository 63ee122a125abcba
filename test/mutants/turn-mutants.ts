import type { Mutant } from './mutant.js';

const routes = ['test/http/messages.test.ts'];
const client = ['test/client/messages.test.ts'];
const spans = ['test/telemetry/turns.test.ts'];
const messageRoutes = 'src/http/message-routes.ts';
const awaitAnswer = 'src/client/await-answer.ts';
const telemetry = 'src/telemetry/open-telemetry.ts';

/** What HTTP, the client and telemetry do with messages and turns. */
export const turnMutants: readonly Mutant[] = [
  {
    bug: 'an answer over HTTP ignores the id of its message',
    file: messageRoutes,
    from: 'const waited = waitFor(call, messageId,',
    to: "const waited = waitFor(call, messageId && 'm-1',",
    tests: routes,
  },
  {
    bug: 'a message creates a session where the host does not allow it',
    file: messageRoutes,
    from: 'return isServed ? ok(true) :',
    to: 'if (!isServed) return ok(true); return isServed ? ok(true) :',
    tests: routes,
  },
  {
    bug: 'a request that has its answer still counts as waiting',
    file: messageRoutes,
    from: 'await waited.finally(place.release)',
    to: 'await waited',
    tests: routes,
  },
  {
    bug: 'a request waits for an answer after its connection is lost',
    file: messageRoutes,
    from: 'request.onClose?.(end);',
    to: '',
    tests: routes,
  },
  {
    bug: 'the client takes messages again that were perhaps taken already',
    file: 'src/client/session-client.ts',
    from: 'this.#calls.request(work.take, { id, input, options, isOnce: true })',
    to: 'this.#calls.request(work.take, { id, input, options })',
    tests: client,
  },
  {
    bug: 'a message of the client has another id in each attempt',
    file: 'src/client/client-request.ts',
    from: "const input = { ...fields, id: fields['id'] ?? randomIds.next() };",
    to: 'const input = fields;',
    tests: client,
  },
  {
    bug: 'the client gives an answer up before its time is over',
    file: awaitAnswer,
    from: 'if (!isEarly) continue;',
    to: 'if (!isEarly) return err(answer.error);',
    tests: client,
  },
  {
    bug: 'the client asks a session that is over for its answer without end',
    file: awaitAnswer,
    from: 'failures += 1;',
    to: '',
    tests: client,
  },
  {
    bug: 'the span of a turn does not end',
    file: telemetry,
    from: '      finish(span, result);',
    to: '      if (operation.turn === undefined) finish(span, result);',
    tests: spans,
  },
  {
    bug: 'a cancelled turn is shown as a failed one',
    file: telemetry,
    from: "return result.error.type === 'cancelled' ? 'stopped' : 'failed';",
    to: "return 'failed';",
    tests: spans,
  },
  {
    bug: 'a turn that has said its last words is shown as done',
    file: telemetry,
    from: "return operation === 'turn' && value.stopped ? 'stopped' : 'done';",
    to: "return operation === 'turn' ? 'done' : 'done';",
    tests: spans,
  },
];
