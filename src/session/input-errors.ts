import type { TypedError } from './typed-error.js';

/** A field of the input, and the rule that it breaks. */
export interface InputIssue {
  /** The field, for example `timeLimit` or `entries[2].content`. */
  readonly path: string;
  /** The rule, for example `must be a string`. */
  readonly message: string;
}

/** The input breaks a rule. Nothing was read or written. */
export interface InvalidInput extends TypedError<'invalid_input'> {
  /** Each field that breaks a rule, at most 20. */
  readonly issues: readonly InputIssue[];
  /** What a getter or proxy in the input threw, if one did; for logs. */
  readonly cause?: unknown;
}

export const invalidInput = (issues: readonly InputIssue[], cause?: unknown): InvalidInput => ({
  type: 'invalid_input',
  message: issues.map(({ path, message }) => `${path} ${message}`).join('; '),
  issues,
  ...(cause !== undefined && { cause }),
});

/** The same error with `pathOf` of its paths. */
export const withPaths = (
  { issues, cause }: InvalidInput,
  pathOf: (path: string) => string,
): InvalidInput =>
  invalidInput(
    issues.map(({ path, message }) => ({ path: pathOf(path), message })),
    cause,
  );

export const invalidField = (path: string, message: string): InvalidInput =>
  invalidInput([{ path, message }]);

/** The idempotency key was used before with other options. Nothing was changed. */
export interface IdempotencyMismatch extends TypedError<'idempotency_mismatch'> {
  /** The id of the session that the key belongs to. */
  readonly id: string;
}

export const idempotencyMismatch = (id: string): IdempotencyMismatch => ({
  type: 'idempotency_mismatch',
  message: 'this idempotency key was used before with other options',
  id,
});

/** Another session of the tenant has this id. Nothing was changed. */
export interface IdTaken extends TypedError<'id_taken'> {
  /** The id. */
  readonly id: string;
}

export const idTaken = (id: string): IdTaken => ({
  type: 'id_taken',
  message: 'another session has this id',
  id,
});

/** The operation id was used before for another operation on this session. Nothing was changed. */
export interface OperationMismatch extends TypedError<'operation_mismatch'> {
  /** The id of the session. */
  readonly id: string;
}

export const operationMismatch = (id: string): OperationMismatch => ({
  type: 'operation_mismatch',
  message: 'this operation id was used before for another operation',
  id,
});
