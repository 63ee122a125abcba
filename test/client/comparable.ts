import type { Result } from 'neverthrow';
import type { ClientError, RemoteChange, RemoteSession } from '../../src/client/index.js';
import type { CallbackFailed, SessionChange, SessionError } from '../../src/index.js';

/** The fields of a session that the service and the client share. */
export const sixFields = ({
  id,
  status,
  duration,
  options,
  history,
  createdAt,
}: RemoteSession) => ({
  id,
  status,
  duration,
  options,
  history: [...history],
  createdAt,
});

/**
 * What the service and the client share of an error: for invalid input all of it, for other errors
 * the type.
 */
const told = (error: SessionError | ClientError | CallbackFailed) => {
  if (error.type !== 'invalid_input') return { type: error.type };
  // Numbers in a query also have a textual form.
  return [
    error.type,
    ...error.issues.map(({ path, message }) => [path, message.replace(', in decimal digits', '')]),
  ];
};

/** Removes the revision, which is random. */
const stable = (value: unknown) =>
  Object(value) === value ? { ...Object(value), revision: undefined } : value;

export const outcome = <T>(
  result: Result<T, SessionError | ClientError | CallbackFailed>,
  tell: (value: T) => unknown = stable,
): unknown => result.match(tell, told);

export const comparableChange = (change: SessionChange | RemoteChange): unknown =>
  change.type === 'session.snapshot'
    ? [change.type, sixFields(change.session)]
    : [
        change.type,
        Object(change).sequence,
        Object(change).entries,
        Object(change).session?.status,
      ];
