import type { Result } from 'neverthrow';
import { object } from '../schema/object.js';
import { readSafely } from '../schema/read-input.js';
import {
  about,
  checked,
  like,
  nullish,
  type Out,
  optional,
  type Schema,
  typed,
} from '../schema/schema.js';
import { flag, name, operationId, text, whole } from '../schema/values.js';
import type { InvalidInput } from '../session/errors.js';
import { canonicalJson } from '../session/json.js';
import { KEY_LENGTH, NAME_LENGTH } from '../session/limits.js';
import type { SessionOptions } from '../session/session.js';
import { budget } from './counters.js';
import { maybeEntries, wakeField } from './entries-input.js';
import { describedBy } from './host-schemas.js';
import type { InputPolicy } from './input-policy.js';
import { perPolicy, timeLimit } from './input-policy.js';
import { metadata } from './json-values.js';
import { labels } from './labels.js';
import { historyLimit } from './list-query.js';

const FACE = 'ada';
const PROFILE = 'tutor';

const ALLOWED_RULE = 'is not one of the names that this host allows';

type Names = ReadonlySet<string> | undefined;

/** A face or profile that the host allows; any without a list, like `example`. */
const allowed = (names: Names, example: string): Schema<string> => {
  const any = name(NAME_LENGTH);
  if (names === undefined) return like(example, any);
  // JSON Schema allows no empty `enum`.
  const among = names.size === 0 ? { not: {} } : { enum: [...names] };
  const of = checked(any, (given) => names.has(given), ALLOWED_RULE);
  return { ...of, json: () => ({ ...any.json(), ...among }) };
};

/** A face or profile that may be missing, unless the host has a list. */
const allowedOrNone = (names: Names, example: string): Schema<string> => {
  const of = nullish(allowed(names, example), '');
  if (names === undefined) return of;
  return {
    ...of,
    read: (issues, path, value) => {
      issues.check(names.has('') || (value ?? undefined) !== undefined, path, ALLOWED_RULE);
      return of.read(issues, path, value);
    },
  };
};

const optionFields = (policy: InputPolicy) => {
  const { faces, profiles, limits } = policy;
  return {
    face: allowedOrNone(faces, FACE),
    profile: allowedOrNone(profiles, PROFILE),
    context: about('Background facts.', nullish(text(limits.textBytes), '')),
    behavior: about('Instructions, such as a system prompt.', nullish(text(limits.textBytes), '')),
    timeLimit: nullish(timeLimit(policy), 0),
  };
};

/** The options of a session, in the order in which they are stored. */
const optionsIn = ({
  face,
  profile,
  context,
  behavior,
  timeLimit,
}: SessionOptions): SessionOptions =>
  Object.freeze({ face, profile, context, behavior, timeLimit });

const startField = about('Whether the session is started too.', nullish(flag, false));

const origin = about(
  'The session to fork: the new one begins with its history up to the position of an entry, or the whole.',
  nullish(object({ id: name(KEY_LENGTH), position: nullish(whole(0)) })),
);

const openingFields = (policy: InputPolicy) => ({
  start: startField,
  wake: wakeField,
  from: origin,
  entries: about(
    'The history that the session begins with, after that of `from`, oldest first.',
    nullish(maybeEntries(policy), []),
  ),
});

const dataFields = ({ limits, schemas }: InputPolicy) => ({
  labels: about('Names and values to find sessions by.', labels),
  metadata: describedBy(
    schemas?.metadata,
    'NewMetadata',
    about('Data of the host.', metadata(limits.metadataBytes)),
  ),
  budget: nullish(budget),
});

const createFields = (policy: InputPolicy) => ({
  id: optional(name(KEY_LENGTH)),
  ...optionFields(policy),
  ...dataFields(policy),
  ...openingFields(policy),
  idempotencyKey: optional(operationId),
  historyLimit,
});

const createInput = perPolicy((policy) => object(createFields(policy)));

const noKey: Schema<undefined> = typed(
  (value): value is undefined => value === undefined,
  'is not needed: the id makes the call safe to repeat',
  undefined,
);

const getOrCreateInput = perPolicy((policy) =>
  object({
    ...createFields(policy),
    id: name(KEY_LENGTH),
    start: nullish(flag, true),
    idempotencyKey: noKey,
  }),
);

/** Over HTTP, a session must have a face and a profile. */
const sentFields = (policy: InputPolicy) => ({
  ...optionFields(policy),
  face: allowed(policy.faces, FACE),
  profile: allowed(policy.profiles, PROFILE),
  ...dataFields(policy),
});

export const createBody = perPolicy((policy) =>
  about('What to create.', object(sentFields(policy))),
);

const openedFields = (policy: InputPolicy) => ({ ...sentFields(policy), ...openingFields(policy) });

export const openedCreateBody = perPolicy((policy) =>
  about('What to create.', object(openedFields(policy))),
);

export const getOrCreateBody = perPolicy((policy) =>
  about(
    'What to create if there is no session with this id.',
    object({
      ...openedFields(policy),
      historyLimit: about(
        'Maximum number of the latest entries in the answer. Default: all.',
        historyLimit,
      ),
    }),
  ),
);

type CreateInput = Out<ReturnType<typeof createInput>>;

type GetOrCreateInput = Out<ReturnType<typeof getOrCreateInput>>;

const contentOf = (options: SessionOptions, create: CreateInput): string => {
  const { id, labels, metadata, budget, start, wake, from, entries, idempotencyKey } = create;
  const content: unknown[] = [options, labels, start, from, entries];
  if (wake) content.push('wake');
  if (metadata !== undefined) content.push(canonicalJson(metadata));
  if (budget !== undefined) content.push('budget', budget);
  // The key alone does not say which session: another key under the same id is another create.
  if (id !== undefined) content.push(id, idempotencyKey);
  return JSON.stringify(content);
};

/** The fields of the input, and what is computed from them. */
type Parsed<C> = C & {
  readonly options: SessionOptions;
  /** With an idempotency key: the part of the input that must be the same in a repeated create. */
  readonly content: string;
};

const creationOf = <C extends CreateInput>(create: C): Parsed<C> => {
  const options = optionsIn(create);
  const content = create.idempotencyKey === undefined ? '' : contentOf(options, create);
  return Object.assign(create, { options, content });
};

export type ParsedCreation = Parsed<CreateInput>;

/** Reads the input of `create`. `null` in an optional field counts as absent. */
export const parseCreate = (
  input: unknown,
  policy: InputPolicy,
): Result<ParsedCreation, InvalidInput> =>
  readSafely((issues) => creationOf(issues.read('input', createInput(policy), input)));

export const parseGetOrCreate = (
  input: unknown,
  policy: InputPolicy,
): Result<Parsed<GetOrCreateInput>, InvalidInput> =>
  readSafely((issues) => creationOf(issues.read('input', getOrCreateInput(policy), input)));
