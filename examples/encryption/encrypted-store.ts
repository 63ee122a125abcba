// Encrypts what people say before it reaches the database, with AES-256-GCM and a key that the
// database does not have. It works with every store.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type {
  ClaimedRecord,
  ClaimedRecords,
  CorruptRecord,
  HistoryEntry,
  JsonValue,
  RecordPage,
  SessionHead,
  SessionRecord,
  SessionStore,
  StoreError,
} from 'colloquy';
import { err, ok, type Result } from 'colloquy';

const encrypt = (key: Buffer, text: string): string => {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const encrypted = [cipher.update(text, 'utf16le'), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]).toString('base64');
};

const decrypt = (key: Buffer, text: string): string => {
  const bytes = Buffer.from(text, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf16le');
};

const headWith = (
  change: (text: string) => string,
  { options, ...head }: SessionHead,
): SessionHead => {
  const { behavior, context } = options;
  return { ...head, options: { ...options, behavior: change(behavior), context: change(context) } };
};

interface Change {
  readonly text: (text: string) => string;
  readonly data: (data: JsonValue) => JsonValue;
}

const entriesWith = <E extends HistoryEntry>(
  { text, data }: Change,
  entries: readonly E[],
): readonly E[] =>
  entries.map((entry) => ({
    ...entry,
    // An entry that was redacted has none.
    content: entry.content === '' ? '' : text(entry.content),
    ...(entry.data !== undefined && { data: data(entry.data) }),
  }));

/** What `read` returns, or `corrupt_record` if a text cannot be decrypted. */
const readable = <T>(id: string, read: () => T): Result<T, CorruptRecord> => {
  try {
    return ok(read());
  } catch {
    return err({
      type: 'corrupt_record',
      message: `a text of session ${id} cannot be decrypted`,
      id,
    });
  }
};

/** A store whose texts are encrypted before they reach `inner`. `key` has 32 bytes. */
export const encrypted = (inner: SessionStore, key: Buffer): SessionStore => {
  const hide = (text: string): string => encrypt(key, text);
  const show = (text: string): string => decrypt(key, text);
  const hidden: Change = { text: hide, data: (data) => hide(JSON.stringify(data)) };
  const clear: Change = { text: show, data: (data) => JSON.parse(show(String(data))) };
  const shown = (record: SessionRecord): Result<SessionRecord, CorruptRecord> =>
    readable(record.head.id, () => {
      const { head, history } = record;
      const entries = Array.isArray(history) ? entriesWith(clear, history) : history;
      return { ...record, head: headWith(show, head), history: entries };
    });
  const shownClaim = ({ sessions, failed, ...rest }: ClaimedRecords): ClaimedRecords => {
    const all: ClaimedRecord[] = [];
    const errors: StoreError[] = [...failed];
    for (const session of sessions) {
      shown(session.record).match(
        (record) => all.push({ ...session, record }),
        (error) => errors.push(error),
      );
    }
    return { ...rest, sessions: all, failed: errors };
  };
  const shownPage = (page: RecordPage): RecordPage => {
    const records: SessionRecord[] = [];
    const unreadable = [...page.unreadable];
    for (const record of page.records) {
      const read = shown(record);
      if (read.isOk()) records.push(read.value);
      else unreadable.push(record.head.id);
    }
    return { ...page, records, unreadable };
  };

  return {
    insert: (tenant, head, state, opening) =>
      inner.insert(
        tenant,
        headWith(hide, head),
        state,
        opening && { ...opening, entries: entriesWith(hidden, opening.entries) },
      ),
    redact: (...args) => inner.redact(...args),
    find: async (...args) => {
      const found = await inner.find(...args);
      return found.andThen((record) => (record === undefined ? ok(undefined) : shown(record)));
    },
    findState: (...args) => inner.findState(...args),
    list: async (...args) => (await inner.list(...args)).map(shownPage),
    replace: (...args) => inner.replace(...args),
    append: (of, append) =>
      inner.append(of, { ...append, entries: entriesWith(hidden, append.entries) }),
    findEntries: async (...args) => {
      const found = await inner.findEntries(...args);
      return found.andThen((part) =>
        part.outcome === 'found'
          ? readable(args[0].id, () => ({ ...part, entries: entriesWith(clear, part.entries) }))
          : ok(part),
      );
    },
    remove: (...args) => inner.remove(...args),
    due: (...args) => inner.due(...args),
    reschedule: (...args) => inner.reschedule(...args),
    claim: async (...args) => (await inner.claim(...args)).map(shownClaim),
    countWaiting: (...args) => inner.countWaiting(...args),
    reportsEnds: (...args) => inner.reportsEnds(...args),
    events: inner.events,
  };
};
