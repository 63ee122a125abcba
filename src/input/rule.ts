import {
  ENTRY_ID_LENGTH,
  KEY_LENGTH,
  MAX_CLAIMS,
  MAX_LEASE_SECONDS,
  NAME_LENGTH,
  REDACT_LIMIT,
  ROLE_LENGTH,
  type SizeLimit,
} from '../session/limits.js';
import type { SessionOptions } from '../session/session.js';
import { noOptions } from '../session/session-record.js';
import type { ListOrder } from '../store/session-store.js';
import { rfc3339 } from './parse-timestamp.js';

/*
 * The rules of the input fields, as data for the parsers and the OpenAPI document. Schema libraries
 * were measured: they are slower and larger.
 */

type FieldRule =
  /**
   * A string of 1 to `most` characters (UTF-16 code units); `allowed` is the host's list of allowed
   * values.
   */
  | { readonly kind: 'name'; readonly most: number; readonly allowed?: 'faces' | 'profiles' }
  /** A string, possibly empty, of at most this limit in bytes of UTF-8. */
  | { readonly kind: 'text'; readonly mostBytes: SizeLimit }
  /** A number from `least` to this limit. */
  | { readonly kind: 'number'; readonly least: number; readonly most: SizeLimit | number }
  /** An integer of at least `least`, and at most `most`. */
  | { readonly kind: 'whole'; readonly least: number; readonly most?: number }
  /** Names and values: see `SessionLabels`. */
  | { readonly kind: 'labels' }
  /** An array of 1 to `most` positions in a history. */
  | { readonly kind: 'positions'; readonly most: number }
  /** True or false. */
  | { readonly kind: 'flag' }
  /** A session to fork: `{ id, position? }`. */
  | { readonly kind: 'origin' }
  /** Labels, with `null` for names to remove: see `LabelChanges`. */
  | { readonly kind: 'label_changes' }
  /** A JSON object of at most this limit in bytes of UTF-8. */
  | { readonly kind: 'metadata'; readonly mostBytes: SizeLimit }
  /** Any JSON value. */
  | { readonly kind: 'json' }
  | { readonly kind: 'timestamp'; readonly form: RegExp };

/** The orders of a list. */
export const listOrders = ['newest', 'oldest', 'updated'] as const satisfies readonly ListOrder[];

/** A field with a default (`absent`) or `isOptional` may be missing or `null`. */
export type Rule = FieldRule & { readonly absent?: string | number; readonly isOptional?: boolean };

/** The rule of an option of `create`. */
export type OptionRule =
  | Extract<Rule, { kind: 'name' | 'text' }>
  | (Extract<Rule, { kind: 'number' }> & { readonly most: SizeLimit });

const face = { kind: 'name', most: NAME_LENGTH, allowed: 'faces' } as const;
const profile = { kind: 'name', most: NAME_LENGTH, allowed: 'profiles' } as const;

/** The options of a session, in the order in which they are parsed and stored. */
export const createRules = {
  face: { ...face, absent: noOptions.face },
  profile: { ...profile, absent: noOptions.profile },
  context: { kind: 'text', mostBytes: 'textBytes', absent: noOptions.context },
  behavior: { kind: 'text', mostBytes: 'textBytes', absent: noOptions.behavior },
  timeLimit: { kind: 'number', least: 0, most: 'timeLimit', absent: noOptions.timeLimit },
} as const satisfies Readonly<Record<keyof SessionOptions, OptionRule>>;

/** The same over HTTP, where a session must have a face and a profile. */
export const sentCreateRules = {
  ...createRules,
  face,
  profile,
} as const satisfies Readonly<Record<keyof SessionOptions, Rule>>;

export const extendRules = {
  timeLimit: { kind: 'number', least: createRules.timeLimit.least, most: 'timeLimit' },
} as const satisfies Readonly<Record<string, Rule>>;

const position = { kind: 'whole', least: 0 } as const satisfies Rule;

const fromZero = { ...position, isOptional: true } as const satisfies Rule;

const fromOne = { ...fromZero, least: 1 } as const satisfies Rule;

/** A position in a history. */
export const positionRule = fromZero;

/** The revision of a session. */
export const revisionRule = fromOne;

export const fencingTokenRule = { kind: 'whole', least: 1 } as const satisfies Rule;

const flag = { kind: 'flag', isOptional: true } as const satisfies Rule;

const timestamp = { kind: 'timestamp', form: rfc3339, isOptional: true } as const satisfies Rule;

export const entryRules = {
  role: { kind: 'name', most: ROLE_LENGTH },
  content: { kind: 'text', mostBytes: 'contentBytes' },
  timestamp,
  id: { kind: 'name', most: ENTRY_ID_LENGTH, isOptional: true },
  data: { kind: 'json', isOptional: true },
  position: fromZero,
} as const satisfies Readonly<Record<string, Rule>>;

export const redactRules = {
  positions: { kind: 'positions', most: REDACT_LIMIT },
} as const satisfies Readonly<Record<string, Rule>>;

export const metadataRule = {
  kind: 'metadata',
  mostBytes: 'metadataBytes',
  isOptional: true,
} as const satisfies Rule;

export const updateRules = {
  labels: { kind: 'label_changes', isOptional: true },
  metadata: metadataRule,
} as const satisfies Readonly<Record<string, Rule>>;

export const labelsRule = { kind: 'labels', isOptional: true } as const satisfies Rule;

const holder = { kind: 'name', most: KEY_LENGTH } as const satisfies Rule;

export const leaseRules = {
  holder,
  seconds: { kind: 'number', least: 0.001, most: MAX_LEASE_SECONDS },
} as const satisfies Readonly<Record<string, Rule>>;

export const rewindRules = {
  to: position,
  ifPosition: position,
} as const satisfies Readonly<Record<string, Rule>>;

export const cancelRules = {
  reason: { ...holder, isOptional: true },
} as const satisfies Readonly<Record<string, Rule>>;

export const wakeRules = { at: timestamp } as const satisfies Readonly<Record<string, Rule>>;

export const claimRules = {
  ...leaseRules,
  limit: fromOne,
  historyLimit: fromZero,
  attempts: { ...fromOne, most: MAX_CLAIMS },
} as const satisfies Readonly<Record<string, Rule>>;

export const renewRules = {
  fencingToken: fencingTokenRule,
  seconds: leaseRules.seconds,
} as const satisfies Readonly<Record<string, Rule>>;

export const releaseRules = {
  fencingToken: fencingTokenRule,
  done: flag,
} as const satisfies Readonly<Record<string, Rule>>;

/** Whether the session waits for a worker. */
export const wakeRule = flag;

/** The fields of a session to fork. */
export const originNames: readonly string[] = ['id', 'position'];

/** The rules of the other parts of an opening. */
export const openingRules = {
  start: flag,
  wake: flag,
  from: { kind: 'origin', isOptional: true },
} as const satisfies Readonly<Record<string, Rule>>;

/** Number of entries of a new session, or of a rewind. */
export const optionalEntriesRange = { least: 0, most: 'entriesPerAppend' } as const;

/** Number of entries in an append. */
export const entriesRange = { least: 1, most: 'entriesPerAppend' } as const;
