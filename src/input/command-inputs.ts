import type { Result } from 'neverthrow';
import { callback } from '../schema/host-values.js';
import { object } from '../schema/object.js';
import { inputOf, readSafely } from '../schema/read-input.js';
import {
  about,
  like,
  mapped,
  nullish,
  type Out,
  optional,
  type Schema,
  typed,
} from '../schema/schema.js';
import { capped, list, name, number, operationId, upTo, whole } from '../schema/values.js';
import type { InvalidInput } from '../session/errors.js';
import {
  CLAIM_LIMIT,
  DEFAULT_CLAIMS,
  HISTORY_LIMIT,
  KEY_LENGTH,
  MAX_CLAIMS,
  MAX_LEASE_SECONDS,
  REDACT_LIMIT,
  SWEEP_LIMIT,
  TAKE_LIMIT,
} from '../session/limits.js';
import type { DataChanges } from '../session/update-labels-and-metadata.js';
import { budget, usage } from './counters.js';
import type { InputPolicy } from './input-policy.js';
import { perPolicy, timeLimit } from './input-policy.js';
import { metadataChanges } from './json-values.js';
import { labelChanges } from './labels.js';
import { timestamp } from './timestamp.js';

/** A name that stores keep as a part of a key. */
const key = name(KEY_LENGTH);

export const parseId = inputOf('id', key);

export const parseTenant = inputOf('tenant', key);

export const fencingToken = about('Number of the lease, higher than those before it.', whole(1));

export const commandFields = {
  operationId: optional(operationId),
  fencingToken: optional(fencingToken),
};

const commandOptions = object(commandFields);

export const parseCommandOptions = inputOf('options', commandOptions);

export type ParsedCommandOptions = Out<typeof commandOptions>;

export const extendInput = perPolicy((policy) =>
  about(
    'The new limits; the others stay.',
    object({ timeLimit: optional(timeLimit(policy)), budget: optional(budget) }),
  ),
);

export const parseExtend = (input: unknown, policy: InputPolicy) =>
  readSafely((issues) => {
    const limits = issues.read('input', extendInput(policy), input);
    const isOne = limits.timeLimit !== undefined || limits.budget !== undefined;
    issues.check(isOne || issues.found.length > 0, 'timeLimit', 'or budget is required');
    return limits;
  });

export const parseSpend = (given: unknown, options: unknown) =>
  readSafely((issues) => ({
    ...issues.read('options', commandOptions, options),
    usage: issues.read('usage', usage, given),
  }));

export const spendBody = about('What was used.', object({ usage }));

/** Positions of entries, which are read once each, in ascending order. */
const positions: Schema<readonly number[]> = mapped(
  list(whole(1), { least: 1, most: REDACT_LIMIT, of: 'positions' }),
  (given) => [...new Set(given)].sort((a, b) => a - b),
);

export const parseRedaction = inputOf('positions', positions);

export const redactBody = about(
  'The entries to erase.',
  object({
    positions: about('Positions of entries, as a part of the history has them.', positions),
  }),
);

/** Stores keep no times before the epoch. */
const wakeTime = mapped(timestamp, (time) => Math.max(0, Date.parse(time)));

export const wakeOptions = about(
  'From when on.',
  object({
    at: about('From when on the session waits for a worker. Default: now.', optional(wakeTime)),
  }),
);

export const parseWake = inputOf('options', wakeOptions);

export const cancelOptions = about(
  'Why.',
  object({
    reason: like(
      'The user has stopped it.',
      about('For the worker: it is in its error `cancelled`.', nullish(key)),
    ),
  }),
);

export const parseCancel = inputOf('options', cancelOptions);

export const leaseSeconds = like(
  30,
  about('Duration of the lease.', number(0.001, MAX_LEASE_SECONDS)),
);

export const leaseHolder = like('worker-1', key);

export const takeLimit = capped(1, TAKE_LIMIT);

const leaseFields = { holder: leaseHolder, seconds: leaseSeconds };

export const leaseInput = about('Who leases the session, and for how long.', object(leaseFields));

export const parseLease = inputOf('input', leaseInput);

export const claimInput = about(
  'Who claims, for how long, and how many.',
  object({
    ...leaseFields,
    limit: about(
      'Maximum number of sessions; above 100 it counts as 100.',
      like(10, optional(capped(1, CLAIM_LIMIT), 1)),
    ),
    historyLimit: about(
      'How many of the latest entries of each history, at most 1000; fewer if they are large.',
      optional(capped(0, HISTORY_LIMIT), 0),
    ),
    attempts: about(
      'Maximum number of claims until the work is done.',
      optional(upTo(MAX_CLAIMS), DEFAULT_CLAIMS),
    ),
    messages: about(
      'Maximum number of messages that each turn takes; above 100 it counts as 100.',
      optional(takeLimit, TAKE_LIMIT),
    ),
  }),
);

export const parseClaim = inputOf('input', claimInput);

export type ParsedClaim = Out<typeof claimInput>;

export const renewInput = about(
  'Which lease to extend, and for how long from now on.',
  object({ fencingToken, seconds: leaseSeconds }),
);

export const parseRenew = inputOf('input', renewInput);

const sweepOptions = object({
  onEnded: optional(callback),
  cursor: optional(
    typed(
      (value): value is string => typeof value === 'string',
      'must be the nextCursor of a sweep',
      undefined,
    ),
  ),
});

const sweepLimit = capped(1, SWEEP_LIMIT);

export const parseSweep = (limit: unknown, options: unknown) =>
  readSafely((issues) => ({
    ...issues.read('options', sweepOptions, options),
    limit: issues.read('limit', sweepLimit, limit),
  }));

/** Changes of metadata. An example would break the rules of a host that has a schema of it. */
const metadataField = ({ limits, schemas }: InputPolicy) => {
  const of = metadataChanges(limits.metadataBytes);
  return schemas?.metadata ? of : like({ rating: 4 }, of);
};

const updateFields = perPolicy((policy) => ({
  labels: about(
    'Labels to set, and with null to remove; the others stay. A session has at most 8.',
    like({ title: 'Tax return', draft: null }, labelChanges),
  ),
  metadata: about(
    'Members to set, each as a whole, and with null to remove; the others stay. The limit is that of all of them.',
    metadataField(policy),
  ),
}));

const updateInput = perPolicy((policy) => object(updateFields(policy)));

const ifRevision = optional(whole(1));

const updateOptions = object({ ...commandFields, ifRevision });

export const parseUpdateOptions = inputOf('options', updateOptions);

export const updateBody = perPolicy((policy) =>
  about(
    'The labels, the metadata, or both, to change.',
    object({
      ...updateFields(policy),
      ifRevision: about(
        'Refused with the code conflict if the session has another revision.',
        ifRevision,
      ),
    }),
  ),
);

export const parseUpdate = (
  input: unknown,
  policy: InputPolicy,
): Result<DataChanges, InvalidInput> =>
  readSafely((issues) => {
    const changes = issues.read('input', updateInput(policy), input);
    const isOne = (changes.labels ?? changes.metadata) !== undefined;
    issues.check(isOne || issues.found.length > 0, 'labels', 'or metadata is required');
    return changes;
  });
