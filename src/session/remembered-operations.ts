import { REMEMBERED_OPERATIONS, type StateRecord } from './session-record.js';

/** The name of a command contains its input, so that a repeated call is recognised. */
export interface NamedCommand {
  readonly command: string;
  readonly operationId?: string | undefined;
}

export const remember = (
  { operations }: StateRecord,
  { command, operationId }: NamedCommand,
): readonly string[] => {
  if (operationId === undefined) return operations;
  const all = [`${command}:${operationId}`, ...operations];
  return Object.freeze(all.slice(0, REMEMBERED_OPERATIONS));
};

export const commandOf = ({ operations }: StateRecord, operationId: string): string | undefined => {
  const operation = operations.find((each) => each.slice(each.indexOf(':') + 1) === operationId);
  return operation?.slice(0, operation.indexOf(':'));
};
