import { Recent } from '../../src/recent.js';
import type { SessionStatus } from '../../src/status.js';
import type { SessionKey } from '../../src/store.js';

/**
 * A name as part of a key. What is not an unreserved character of RFC 3986 (2.3) is written as `%` and the four hex
 * digits of its UTF-16 code unit: no name holds a `:`, `{`, `}` or `*` of its own, two names never give one text, a
 * lone surrogate is as good as any, and plain ids keep their order.
 */
export const escapeName = (name: string): string =>
  name.replace(/[^\w.~-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const unescapeName = (escaped: string): string =>
  escaped.replace(/%([0-9a-f]{4})/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)));

/** FNV-1a of 32 bits over UTF-16 code units: stable for ever, since it decides where a tenant's sessions are. */
const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
};

/** The keys that hold one session, and where it stands in the indexes. */
export interface SessionKeys {
  readonly state: string;
  readonly journal: string;
  /** Where the lines of named appends stand in the journal. */
  readonly names: string;
  readonly index: string;
  readonly deadlines: string;
  /** When sessions were removed, as long as that is remembered. */
  readonly removals: string;
  /** The stream that tells of changes. */
  readonly events: string;
  /** The session's member in `index`. */
  readonly member: string;
  /** The session's member in `deadlines`. */
  readonly due: string;
}

/** The index of a tenant's sessions, and what the keys of their strings begin with. */
export interface ListKeys {
  readonly index: string;
  readonly state: string;
  readonly journal: string;
}

/** So many sessions' keys are remembered, and so many tenants'. */
const KNOWN_SESSIONS = 4096;
const KNOWN_TENANTS = 1024;

interface Known {
  readonly tenant: string;
  readonly keys: SessionKeys;
}

/**
 * Where everything is: the key layout of one deployment. All keys of one tenant are in one hash slot. Those that were
 * used lately are remembered, for to put them together anew costs more than the rest of a short call.
 */
export class Keyspace {
  readonly #prefix: string;
  readonly partitions: number;
  /** By id: tenants that use the same id push each other out, which costs time and nothing else. */
  readonly #sessions = new Recent<Known>(KNOWN_SESSIONS, () => 1);
  readonly #lists = new Recent<ListKeys>(KNOWN_TENANTS, () => 1);

  constructor(prefix: string, partitions: number) {
    this.#prefix = prefix;
    this.partitions = partitions;
  }

  of({ tenant, id }: SessionKey): SessionKeys {
    const known = this.#sessions.get(id);
    if (known !== undefined && known.tenant === tenant) return known.keys;
    const keys = this.#keysOf(tenant, id);
    this.#sessions.set(id, { tenant, keys });
    return keys;
  }

  list(tenant: string): ListKeys {
    const known = this.#lists.get(tenant);
    if (known !== undefined) return known;
    const partition = this.#partitionOf(tenant);
    const owner = escapeName(tenant);
    const keys = {
      index: `${partition}:index:${owner}`,
      state: `${partition}:state:${owner}:`,
      journal: `${partition}:journal:${owner}:`,
    };
    this.#lists.set(tenant, keys);
    return keys;
  }

  /** The stream that tells of changes in a tenant's sessions. */
  events(tenant: string): string {
    return `${this.#partitionOf(tenant)}:events`;
  }

  /** The index of a tenant's sessions with a status. */
  status(tenant: string, status: SessionStatus): string {
    return `${this.#partitionOf(tenant)}:${status.toLowerCase()}:${escapeName(tenant)}`;
  }

  deadlines(partition: number): string {
    return `${this.#prefix}:{${partition}}:deadlines`;
  }

  /** What all keys of the store look like to SCAN, behind `keyPrefix`. */
  pattern(keyPrefix: string): string {
    return `${`${keyPrefix}${this.#prefix}`.replace(/[?[\]\\*^]/g, String.raw`\$&`)}:{*}:*`;
  }

  /** Which of the keys this is, and what stands behind its kind. */
  parse(key: string): { readonly kind: string; readonly rest: string } | undefined {
    if (!key.startsWith(`${this.#prefix}:{`)) return undefined;
    const [, kind, rest = ''] = /^\d+\}:(\w+):?(.*)$/s.exec(key.slice(this.#prefix.length + 2)) ?? [];
    return kind === undefined ? undefined : { kind, rest };
  }

  #keysOf(tenant: string, id: string): SessionKeys {
    const partition = this.#partitionOf(tenant);
    const owner = escapeName(tenant);
    const member = escapeName(id);
    const due = `${owner}:${member}`;
    return {
      state: `${partition}:state:${due}`,
      journal: `${partition}:journal:${due}`,
      names: `${partition}:names:${due}`,
      index: `${partition}:index:${owner}`,
      deadlines: `${partition}:deadlines`,
      removals: `${partition}:removals`,
      events: `${partition}:events`,
      member,
      due,
    };
  }

  #partitionOf(tenant: string): string {
    return `${this.#prefix}:{${hash(tenant) % this.partitions}}`;
  }
}

/** Whose session a member of `deadlines` is. */
export const keyOfDue = (due: string): SessionKey => {
  const colon = due.indexOf(':');
  return { tenant: unescapeName(due.slice(0, colon)), id: unescapeName(due.slice(colon + 1)) };
};
