import type { SessionStatus } from '../../src/session/session-status.js';
import type { DueKey, SessionKey } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../stored/escape-name.js';
import { labelText } from '../stored/labels.js';

/**
 * FNV-1a with 32 bits over UTF-16 code units. It must never change, because it determines the
 * partition of a tenant.
 */
const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
};

/** The keys that the sessions of one tenant share. */
export interface TenantKeys {
  /** The prefixes of the keys of records and of journals. */
  readonly records: string;
  readonly journals: string;
  /** All sessions by creation time. */
  readonly index: string;
  /** The prefix of the keys of the sessions with each label, by creation time. */
  readonly labels: string;
  /** The sessions with each status, by creation time. */
  readonly byStatus: Readonly<Record<SessionStatus, string>>;
  /** The sessions that wait for a worker by the time from which one may claim them. */
  readonly work: string;
  /** The tenants of the partition by a time that is not later than the earliest in their `work`. */
  readonly waiting: string;
  /**
   * Sessions by the time at which they are due: when the clock ends them, or their retention is
   * over.
   */
  readonly deadlines: string;
  /** The tenants of the partition by the earliest of their deadlines. */
  readonly tenants: string;
  /** The prefix of all keys of the partition. */
  readonly partition: string;
  /** The stream of events of the partition. */
  readonly events: string;
  /** The prefix of the keys by which repeated writes are recognised. */
  readonly writes: string;
  /** The tenant as a member of `tenants`. */
  readonly tenantKey: string;
}

/** The keys of one session, and its members in sorted sets. */
export interface SessionKeys extends SessionKey, TenantKeys {
  readonly record: string;
  readonly journal: string;
  /**
   * The appends with an operation id: for each id, the digest, the offsets in the journal, and a
   * checksum of the lines.
   */
  readonly operations: string;
  /** The messages of the session. */
  readonly inbox: string;
  /**
   * The session, or what is left of a removed one, in `index`, `deadlines` and the indexes by
   * status.
   */
  readonly idKey: string;
  /** The session in events. */
  readonly sessionKey: string;
  /** Whether these are the keys of what is left of a removed session. */
  readonly isLeft: boolean;
}

/** What is left of a removed session, in its key and in `deadlines`. */
const SEPARATOR = ':';

/** The key of a member of `deadlines`. */
export const dueKeyOf = (tenant: string, idKey: string): DueKey => {
  const [id = '', removal] = idKey.split(SEPARATOR);
  return { tenant, id: unescapeName(id), ...(removal !== undefined && { removal }) };
};

/** The key layout of one deployment. All keys of one tenant are in one hash slot. */
export class Keyspace {
  readonly #prefix: string;
  readonly #partitionCount: number;

  constructor(prefix: string, partitions: number) {
    this.#prefix = prefix;
    this.#partitionCount = partitions;
  }

  /**
   * The keys of a session. Lists all fields: a copy of those of the tenant takes a third of the
   * time of an append with 32 callers.
   */
  of({ tenant, id, removal }: DueKey): SessionKeys {
    const partition = this.#partitionOf(tenant);
    const tenantKey = escapeName(tenant);
    const name = escapeName(id);
    const sessionKey = `${tenantKey}:${name}`;
    const isLeft = removal !== undefined;
    const idKey = isLeft ? `${name}${SEPARATOR}${removal}` : name;
    const records = `${partition}:${isLeft ? 'remains' : 'record'}:${tenantKey}:`;
    return {
      tenant,
      id,
      records,
      record: records + idKey,
      journals: `${partition}:journal:${tenantKey}:`,
      journal: `${partition}:journal:${sessionKey}`,
      operations: `${partition}:operations:${sessionKey}`,
      inbox: `${partition}:inbox:${sessionKey}`,
      index: `${partition}:index:${tenantKey}`,
      labels: `${partition}:label:${tenantKey}:`,
      byStatus: {
        IDLE: `${partition}:idle:${tenantKey}`,
        ACTIVE: `${partition}:active:${tenantKey}`,
        PAUSED: `${partition}:paused:${tenantKey}`,
        TERMINATED: `${partition}:terminated:${tenantKey}`,
      },
      work: `${partition}:work:${tenantKey}`,
      waiting: `${partition}:waiting`,
      deadlines: `${partition}:deadlines:${tenantKey}`,
      tenants: `${partition}:tenants`,
      partition: `${partition}:`,
      events: `${partition}:events`,
      writes: `${partition}:write:`,
      tenantKey,
      idKey,
      sessionKey,
      isLeft,
    };
  }

  tenant(name: string): TenantKeys {
    return this.of({ tenant: name, id: '' });
  }

  /** The numbers of all partitions. */
  get partitions(): readonly number[] {
    return Array.from({ length: this.#partitionCount }, (_, partition) => partition);
  }

  /** The tenants of a partition in a queue, as `tenants` and `waiting` of `TenantKeys`. */
  tenantsOf(partition: number, queue: 'tenants' | 'waiting'): string {
    return `${this.#prefix}:{${partition}}:${queue}`;
  }

  /** The stream of events of a partition. */
  eventsOf(partition: number): string {
    return `${this.#prefix}:{${partition}}:events`;
  }

  /** The SCAN pattern for all keys of the store, with `keyPrefix` before them. */
  pattern(keyPrefix: string): string {
    return `${`${keyPrefix}${this.#prefix}`.replace(/[?[\]\\*^]/g, String.raw`\$&`)}:{*}:*`;
  }

  /** The kind of a key, and the rest after the kind; `undefined` for other keys. */
  parse(key: string): { readonly kind: string; readonly rest: string } | undefined {
    if (!key.startsWith(`${this.#prefix}:{`)) return undefined;
    const [, kind, rest = ''] =
      /^\d+\}:(\w+):?(.*)$/s.exec(key.slice(this.#prefix.length + 2)) ?? [];
    return kind === undefined ? undefined : { kind, rest };
  }

  #partitionOf(tenant: string): string {
    return `${this.#prefix}:{${hash(tenant) % this.#partitionCount}}`;
  }
}

/** The key of the index of a label. */
export const labelKey = (
  { labels }: Pick<TenantKeys, 'labels'>,
  name: string,
  value: string,
): string => `${labels}${labelText(name, value)}`;

/** The key of a session in events, or of a member of `deadlines` after the tenant. */
export const keyOf = (sessionKey: string): DueKey => {
  const colon = sessionKey.indexOf(SEPARATOR);
  return dueKeyOf(unescapeName(sessionKey.slice(0, colon)), sessionKey.slice(colon + 1));
};
