import type { Result } from 'neverthrow';
import { canonicalJson } from '../session/canonical-json.js';
import type { InvalidInput } from '../session/errors.js';
import type {
  HistoryEntry,
  JsonObject,
  SessionLabels,
  SessionOptions,
} from '../session/session.js';
import { KEY_LENGTH } from '../session/session-limits.js';
import type { ReadSize } from '../store/session-store.js';
import type { InputPolicy } from './input-policy.js';
import { parseEntries } from './parse-entries.js';
import { parseFields, parseName, parseSwitch, parseWhole } from './parse-fields.js';
import { parseLabels } from './parse-labels.js';
import { parseHistoryLimit } from './parse-list-query.js';
import { parseMetadata } from './parse-metadata.js';
import { checkKnown, parseKnown } from './parse-options.js';
import { type IssueList, parseSafely } from './parse-safely.js';
import { parseSessionOptions } from './parse-session-options.js';
import { createRules, positionRule } from './rule.js';

export interface ParsedCreation extends ReadSize {
  /** The caller's own id, if there is one. */
  readonly id: string | undefined;
  readonly options: SessionOptions;
  readonly labels: SessionLabels | undefined;
  readonly metadata: JsonObject | undefined;
  readonly isStarted: boolean;
  readonly isAwake: boolean;
  readonly entries: readonly HistoryEntry[];
  readonly from: { readonly id: string; readonly position?: number } | undefined;
  readonly idempotencyKey: string | undefined;
  /** With an idempotency key: the part of the input that must be the same in a repeated create. */
  readonly content: string;
}

const creationNames = [
  'id',
  ...Object.keys(createRules),
  'labels',
  'metadata',
  'start',
  'entries',
  'from',
  'idempotencyKey',
  'historyLimit',
  'wake',
];

const parseOrigin = (issues: IssueList, value: unknown): ParsedCreation['from'] => {
  if (value === undefined || value === null) return undefined;
  const fields = parseFields(issues, 'from', value);
  checkKnown(issues, fields, ['id', 'position'], 'from.');
  const { id, position } = fields;
  const name = parseName(issues, 'from.id', id, KEY_LENGTH);
  if (position === undefined || position === null) return { id: name };
  return { id: name, position: parseWhole(issues, 'from.position', position, positionRule.least) };
};

/** Parses the input of `create`. `null` in an optional field counts as absent. */
export const parseCreate = (
  input: unknown,
  policy: InputPolicy,
  now: string,
): Result<ParsedCreation, InvalidInput> =>
  parseSafely('input', (issues) => {
    const fields = parseKnown(issues, 'input', input, creationNames);
    const { limits } = policy;
    const { idempotencyKey, historyLimit, start, entries, wake } = fields;
    const options: SessionOptions = parseSessionOptions(issues, fields, policy);
    const isStarted = parseSwitch(issues, 'start', start ?? false);
    const isAwake = parseSwitch(issues, 'wake', wake ?? false);
    const labels = parseLabels(issues, fields['labels']);
    const metadata = parseMetadata(issues, fields['metadata'], limits);
    const from = parseOrigin(issues, fields['from']);
    const { parsed, given } = parseEntries(issues, entries ?? [], { least: 0, now, limits });
    const isKeyed = idempotencyKey !== undefined;
    const { id } = fields;
    const awake = isAwake ? ['wake'] : [];
    // The key alone does not say which session: another key under the same id is another create.
    const own = id === undefined ? [] : [id, idempotencyKey];
    const more = [...awake, ...(metadata === undefined ? [] : [canonicalJson(metadata)]), ...own];
    return {
      id: id === undefined ? undefined : parseName(issues, 'id', id, KEY_LENGTH),
      options,
      labels,
      metadata,
      isStarted,
      isAwake,
      entries: parsed,
      from,
      idempotencyKey: isKeyed
        ? parseName(issues, 'idempotencyKey', idempotencyKey, KEY_LENGTH)
        : undefined,
      content: isKeyed ? JSON.stringify([options, labels, isStarted, from, given(), ...more]) : '',
      ...parseHistoryLimit(issues, historyLimit),
    };
  });

export interface ParsedGetOrCreate extends ParsedCreation {
  readonly id: string;
}

/** Parses the input of `getOrCreate`: that of a create with an id, started by default. */
export const parseGetOrCreate = (
  input: unknown,
  policy: InputPolicy,
  now: string,
): Result<ParsedGetOrCreate, InvalidInput> =>
  parseSafely('input', (issues) => {
    const fields = parseFields(issues, 'input', input);
    const id = parseName(issues, 'id', fields['id'], KEY_LENGTH);
    issues.check(
      fields['idempotencyKey'] === undefined,
      'idempotencyKey',
      'is not needed: the id makes the call safe to repeat',
    );
    return { id, creation: { ...fields, start: fields['start'] ?? true } };
  }).andThen(({ id, creation }) =>
    parseCreate(creation, policy, now).map((parsed) => ({ ...parsed, id })),
  );
