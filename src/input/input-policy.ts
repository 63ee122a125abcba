import { object } from '../schema/object.js';
import {
  about,
  like,
  nullish,
  type OutOf,
  optional,
  type Schema,
  schema,
} from '../schema/schema.js';
import { number } from '../schema/values.js';
import { defaultLimits, limitMsOf, type SessionLimits, type SizeLimit } from '../session/limits.js';
import { counterNames } from './counters.js';
import { type HostSchemas, hostSchemas } from './host-schemas.js';

/** The input that a host allows. */
export interface InputPolicy {
  /** Limits on sizes and numbers. */
  readonly limits: SessionLimits;
  /** Whether the host has set `limits.timeLimit`, so that every session has a time limit. */
  readonly hasTimeLimit: boolean;
  /** Allowed faces; `undefined` for any. */
  readonly faces: ReadonlySet<string> | undefined;
  /** Allowed profiles; `undefined` for any. */
  readonly profiles: ReadonlySet<string> | undefined;
  /** The schemas of metadata and data; `undefined` for any. */
  readonly schemas?: HostSchemas | undefined;
}

const atLeastOne = number(1, Number.MAX_SAFE_INTEGER);

/** A limit that counts as the default if it is missing. */
/* @__NO_SIDE_EFFECTS__ */
const size = (name: SizeLimit): Schema<number> => nullish(atLeastOne, defaultLimits[name]);

const isTenantLimit = (value: unknown): value is (tenant: string) => number =>
  typeof value === 'function';

const activeSessions: Schema<SessionLimits['activeSessions']> = schema((issues, path, value) => {
  if (isTenantLimit(value)) return value;
  return number(0, Number.MAX_SAFE_INTEGER).read(issues, path, value);
});

const limits = object({
  timeLimit: nullish(atLeastOne),
  textBytes: size('textBytes'),
  contentBytes: size('contentBytes'),
  metadataBytes: size('metadataBytes'),
  entriesPerAppend: size('entriesPerAppend'),
  historyEntries: size('historyEntries'),
  inboxMessages: size('inboxMessages'),
  activeSessions: nullish(activeSessions, Number.MAX_SAFE_INTEGER),
  counters: counterNames,
  pageBytes: size('pageBytes'),
  forkBytes: size('forkBytes'),
});

const names: Schema<ReadonlySet<string> | undefined> = optional(
  schema((issues, path, given) => {
    const fits = Array.isArray(given) && given.every((name) => typeof name === 'string');
    issues.check(fits, path, 'must be an array of strings');
    return new Set(fits ? given : []);
  }),
);

export const policyFields = {
  limits: optional(limits),
  faces: names,
  profiles: names,
  schemas: optional(hostSchemas),
};

export const policyOf = ({
  limits = { ...defaultLimits, timeLimit: undefined },
  faces,
  profiles,
  schemas,
}: OutOf<typeof policyFields>): InputPolicy => ({
  limits: { ...limits, timeLimit: limits.timeLimit ?? defaultLimits.timeLimit },
  hasTimeLimit: limits.timeLimit !== undefined,
  faces,
  profiles,
  schemas,
});

/** The policy that allows any input, to read names and forms of fields from its schemas. */
export const anyPolicy: InputPolicy = policyOf({
  limits: undefined,
  faces: undefined,
  profiles: undefined,
  schemas: undefined,
});

/** Maximum milliseconds ACTIVE of a session that asks for `timeLimit` seconds. */
export const allowedMsOf = ({ limits, hasTimeLimit }: InputPolicy, timeLimit: number): number =>
  limitMsOf(timeLimit === 0 && hasTimeLimit ? limits.timeLimit : timeLimit);

/** Makes schemas of a policy once, because every call of a service needs them. */
export const perPolicy = <T>(make: (policy: InputPolicy) => T): ((policy: InputPolicy) => T) => {
  const made = new WeakMap<InputPolicy, T>();
  return (policy) => {
    const known = made.get(policy) ?? make(policy);
    made.set(policy, known);
    return known;
  };
};

const MEANS = 'Seconds that the session may be ACTIVE, across pauses, with fractions.';

export const timeLimit = ({ limits, hasTimeLimit }: InputPolicy): Schema<number> => {
  const of = number(0, limits.timeLimit);
  const description = hasTimeLimit ? '0 counts as the maximum.' : '0 is no limit.';
  const example = Math.min(600, limits.timeLimit);
  return like(example, about(MEANS, { ...of, json: () => ({ ...of.json(), description }) }));
};
