import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../../src/errors.js';
import type { Call, Reply } from './connection.js';
import type { Failure } from './failure.js';
import type { Script } from './script.js';

/** Maximum number of times that a script is sent because others have taken away what it needs. */
const MAX_ATTEMPTS = 5;

const busy: Failure = {
  code: '',
  error: storeUnavailable('others kept changing what stands beside the session; try again', 'not_applied'),
  isTransient: false,
};

/** A script's reply, whose first field says what was done. */
const fieldsOf = (reply: unknown): readonly unknown[] => (Array.isArray(reply) ? reply : [reply]);

/**
 * Runs a script that writes only where it finds what it needs, and otherwise answers `unlisted`. `add` sends what that
 * is; it travels ahead of the script in the same flight, so that a second flight is the exception.
 */
export const runListed = async (
  call: Call,
  script: Script,
  keys: readonly string[],
  args: readonly string[],
  add: (attempt: number) => readonly Reply[],
): Promise<Result<readonly unknown[], Failure>> => {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const added = add(attempt);
    const reply = await call.write(script, keys, args);
    if (reply.isErr()) return err(reply.error);
    const fields = fieldsOf(reply.value);
    if (fields[0] !== 'unlisted') return ok(fields);
    for (const each of await Promise.all(added)) if (each.isErr()) return err(each.error);
  }
  return err(busy);
};
