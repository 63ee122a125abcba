import { err } from 'neverthrow';
import type { Call } from './call.js';
import type { CommitInput } from './commit-input.js';
import {
  type CommitWriter,
  outcomeAt,
  patiently,
  pendingOf,
  sendCommits,
  type Written,
} from './pending-commit.js';

/**
 * Makes each commit as a step of the host's transaction. PostgreSQL notifies the channel at the
 * end of the transaction, so that the next reader publishes its events.
 */
export class StepWriter implements CommitWriter {
  readonly #channel: string;

  constructor(channel: string) {
    this.#channel = channel;
  }

  async write(call: Call, commit: CommitInput): Promise<Written> {
    const pending = await pendingOf(call, commit);
    if (pending.isErr()) return err(pending.error);
    const sent = await sendCommits([pending.value], patiently, this.#channel);
    return sent.andThen((outcomes) => outcomeAt(outcomes, 0));
  }
}
