import type { ResultAsync } from 'neverthrow';
import type { Message } from '../session/message.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { AppendOptions } from './append-history.js';
import type { NewHistoryEntry } from './new-history-entry.js';
import type { SharedErrors } from './operation-contract.js';
import type { Appended } from './operation-results.js';
import type { RewindInput } from './rewind-history.js';
import type { NewMessage, SendOptions } from './send-message.js';
import type { Reply, Sent, WithdrawnMessages } from './turn-results.js';
import type { AnswerOptions } from './wait-for-answer.js';

/** The operations on what is said in a session: its history and its inbox. */
export interface ConversationOperations<E extends SharedErrors, out T extends SessionSchemas> {
  /**
   * Adds entries to the history of a session that is ACTIVE, PAUSED or in its grace period, all or
   * none. The cost does not depend on the history.
   *
   * @example
   * ```ts
   * const turn = [{ role: 'user', content: 'And a tunnel.' }];
   * const appended = await sessions.append(id, turn, { operationId: 'message-3' });
   * if (appended.isErr()) console.error(appended.error.message);
   * const again = await sessions.orThrow.append(id, turn, { operationId: 'message-3' });
   * console.log(again.repeated); // true
   * ```
   */
  append(
    id: string,
    entries: readonly NewHistoryEntry<T>[],
    options?: AppendOptions,
  ): ResultAsync<Appended, E['append']>;

  /**
   * Goes back in the history of a session that is ACTIVE, PAUSED or in its grace period, in one
   * step: the history then has the entries up to the position `to`, and after them `entries`. Reads
   * no longer return the superseded entries. With `to: 0`, it replaces the entire history. If the
   * history does not end at `ifPosition`, it fails with `history_moved`, and nothing is changed.
   *
   * @example
   * ```ts
   * const { position } = await sessions.orThrow.history(id);
   * const summary = [{ role: 'system', content: 'She builds bridges.' }];
   * await sessions.orThrow.rewind(id, { to: 0, entries: summary, ifPosition: position });
   * const { history } = await sessions.orThrow.get(id);
   * console.log(history.length); // 1
   * ```
   */
  rewind(id: string, input: RewindInput<T>): ResultAsync<Appended, E['rewind']>;

  /**
   * Immediately erases the content, `id` and `data` of entries from the store, also of superseded
   * entries. Their positions, roles and times stay, and so do the ids and digests of messages.
   * `positions` are 1 to 1000 positions that `history` returned. Allowed in any status.
   *
   * @example
   * ```ts
   * const { entries } = await sessions.orThrow.history(id, { last: 1 });
   * const positions = entries.map(({ position }) => position);
   * await sessions.orThrow.redact(id, positions);
   * const { history } = await sessions.orThrow.get(id);
   * console.log(history.map(({ content }) => content)); // [ 'What do you build?', '' ]
   * ```
   */
  redact(id: string, positions: readonly number[]): ResultAsync<void, E['redact']>;

  /**
   * Puts a message at the end of the inbox, where it waits for a worker or a `reply`, in one step.
   * A PAUSED session accepts it, and its turn waits for `resume`. Safe to repeat with the same id:
   * the message is stored once. A different message with the same id fails with
   * `operation_mismatch`.
   *
   * @example
   * ```ts
   * const message = { id: 'm-1', content: 'And a tunnel.' };
   * const { state } = await sessions.orThrow.send(id, message);
   * console.log(state); // waiting
   * const again = await sessions.orThrow.send(id, message);
   * console.log(again.repeated); // true
   * ```
   */
  send(
    id: string,
    message: string | NewMessage,
    options?: SendOptions,
  ): ResultAsync<Sent, E['send']>;

  /**
   * The messages that wait, oldest first: as many as fit into `limits.pageBytes`, at least one.
   * `session.inbox` is the number of all.
   *
   * @example
   * ```ts
   * await sessions.orThrow.send(id, 'And a tunnel.');
   * const waiting = await sessions.orThrow.inbox(id);
   * console.log(waiting.map(({ content }) => content)); // [ 'And a tunnel.' ]
   * ```
   */
  inbox(id: string): ResultAsync<readonly Message[], E['inbox']>;

  /**
   * Withdraws messages that no turn has taken, in one step: all, or those with these ids, at most
   * 100. Returns them, and the ids of those that were taken before.
   *
   * @example
   * ```ts
   * await sessions.orThrow.send(id, { id: 'm-1', content: 'And a tunnel.' });
   * const { withdrawn, taken } = await sessions.orThrow.withdraw(id, ['m-1']);
   * console.log(withdrawn.length, taken.length); // 1 0
   * ```
   */
  withdraw(id: string, ids?: readonly string[]): ResultAsync<WithdrawnMessages, E['withdraw']>;

  /**
   * Waits for the answer to a message that was sent. Fails with `not_answered` after `timeoutMs`,
   * or if the session is over; the message stays. Fails with `page_too_large` if the answer exceeds
   * `limits.pageBytes`: read it with `history`.
   *
   * @example
   * ```ts
   * await sessions.orThrow.send(id, { id: 'm-1', content: 'And a tunnel.' });
   * const { signal } = new AbortController(); // for example of a request
   * const answered = await sessions.answer(id, 'm-1', { timeoutMs: 0, signal }); // no worker runs
   * console.log(answered.isErr() && answered.error.type); // not_answered
   * ```
   */
  answer(id: string, messageId: string, options?: AnswerOptions): ResultAsync<Reply, E['answer']>;
}
