// Colloquy in a script: no server, no framework, sessions in memory. The script checks each result:
// errors are values, so nothing needs a `try`.
import {
  err,
  type HistoryEntry,
  ok,
  type Result,
  type SessionError,
  SessionService,
} from 'colloquy';
import { MemorySessionStore } from 'colloquy/memory';

const sessions = new SessionService({
  store: new MemorySessionStore(),
  faces: ['ada', 'grace'], // with a list of those allowed, a typing error is refused immediately
  profiles: ['tutor'],
  limits: { timeLimit: 3600, contentBytes: 4096, historyEntries: 200 },
});

/** Replace this with your model. */
const answerTo = (question: string): string => {
  const [left = 0, right = 0] = (question.match(/\d+/g) ?? []).map(Number);
  return `${left} times ${right} is ${left * right}.`;
};

/**
 * Safe to repeat: the operation id stores the question once, and any entry of the assistant after
 * it is its answer, since `ifPosition` refuses an answer to a history that has changed.
 */
const takeTurn = (id: string, turn: number, question: string) =>
  sessions
    .append(id, [{ role: 'user', content: question }], { operationId: `question-${turn}` })
    .andThen(({ position }) => sessions.history(id, { after: position }))
    .andThen(({ entries, position: ifPosition }) => {
      if (entries.some(({ role }) => role === 'assistant')) return ok(undefined);
      const answer = { role: 'assistant', content: answerTo(question) };
      return sessions.append(id, [answer], { ifPosition }).map(() => undefined);
    });

const hold = async (
  questions: readonly string[],
): Promise<Result<readonly HistoryEntry[], SessionError>> => {
  const begun = await sessions
    .create({ face: 'ada', profile: 'tutor', behavior: 'You teach arithmetic.', timeLimit: 600 })
    .andThen(({ id }) => sessions.start(id));
  if (begun.isErr()) return err(begun.error);
  const { id } = begun.value;
  for (const [turn, question] of questions.entries()) {
    const taken = await takeTurn(id, turn, question);
    if (taken.isErr()) {
      await sessions.fail(id);
      return err(taken.error);
    }
  }
  return sessions
    .terminate(id)
    .andThen(() => sessions.get(id))
    .map(({ history }) => history);
};

/** What the user can do about an error. The compiler checks that every type of error is handled. */
const adviceOn = (error: SessionError): string => {
  switch (error.type) {
    case 'invalid_input':
      return error.issues.map(({ path, message }) => `${path} ${message}`).join('\n');
    case 'store_unavailable':
      return error.outcome === 'unknown'
        ? 'it may have been done: repeat it under the same name'
        : 'try again later';
    case 'conflict':
      return 'try again';
    case 'not_found':
    case 'invalid_transition':
    case 'history_full':
    case 'inbox_full':
    case 'not_answered':
    case 'withdrawn':
    case 'superseded':
    case 'too_many_active':
    case 'page_too_large':
    case 'search_too_large':
    case 'idempotency_mismatch':
    case 'id_taken':
    case 'operation_mismatch':
    case 'history_moved':
    case 'leased':
    case 'lease_lost':
    case 'cancelled':
    case 'corrupt_record':
    case 'misconfigured':
      return error.message;
  }
};

const held = await hold(['What is 6 times 7?', 'And 12 times 12?']);
if (held.isErr()) {
  console.error(adviceOn(held.error));
  process.exitCode = 1;
} else {
  for (const { role, content } of held.value) console.log(`${role}: ${content}`);
}

const refused = await sessions.create({ face: 'eve', profile: 'tutor' });
if (refused.isErr()) console.log(`refused: ${adviceOn(refused.error)}`);
