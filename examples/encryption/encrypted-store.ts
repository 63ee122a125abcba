// Encrypts what people say before it reaches the database, with AES-256-GCM and a key that the
// database does not have. It works with every store.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type {
  CorruptRecord,
  HistoryAppend,
  HistoryEntry,
  RecordPage,
  SessionHead,
  SessionKey,
  SessionRecord,
  SessionStore,
  StoreError,
  TakenRecord,
  TakenRecords,
} from 'colloquy';
import { err, ok, type Result } from 'colloquy';
import { type Cipher, sealed, unsealed } from './sealed-state.js';

const ALGORITHM = 'aes-256-gcm';
const TAG = { authTagLength: 16 };

/** A text can be decrypted only for the session for which it was encrypted. */
const cipherOf = (key: Buffer, { tenant, id }: SessionKey): Cipher => {
  const owner = Buffer.from(JSON.stringify([tenant, id]));
  return {
    hide: (text) => {
      const nonce = randomBytes(12);
      const cipher = createCipheriv(ALGORITHM, key, nonce, TAG).setAAD(owner);
      const bytes = [cipher.update(text, 'utf16le'), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...bytes]).toString('base64');
    },
    show: (text) => {
      const bytes = Buffer.from(text, 'base64');
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, 12), TAG);
      decipher.setAAD(owner).setAuthTag(bytes.subarray(12, 28));
      const shown = [decipher.update(bytes.subarray(28)), decipher.final()];
      return Buffer.concat(shown).toString('utf16le');
    },
  };
};

const headWith = (change: (text: string) => string, head: SessionHead): SessionHead => {
  const { face, profile, behavior, context } = head.options;
  return {
    ...head,
    options: {
      ...head.options,
      face: change(face),
      profile: change(profile),
      behavior: change(behavior),
      context: change(context),
    },
    // It reveals the input of a create to anyone who can guess it.
    ...(head.digest !== undefined && { digest: change(head.digest) }),
  };
};

const hiddenEntry = ({ hide }: Cipher, { id, data, ...entry }: HistoryEntry): HistoryEntry => ({
  ...entry,
  content: entry.content === '' ? '' : hide(entry.content),
  ...(id !== undefined && { id: hide(id) }),
  ...(data !== undefined && { data: hide(JSON.stringify(data)) }),
});

const shownEntry = <E extends HistoryEntry>({ show }: Cipher, entry: E): E => ({
  ...entry,
  // An entry that was redacted has none.
  content: entry.content === '' ? '' : show(entry.content),
  ...(entry.id !== undefined && { id: show(entry.id) }),
  ...(entry.data !== undefined && { data: JSON.parse(show(String(entry.data))) }),
});

const shownRecord = (cipher: Cipher, { head, state, ...record }: SessionRecord): SessionRecord => ({
  ...record,
  head: headWith(cipher.show, head),
  state: unsealed(cipher, state),
  history: record.history.map((entry) => shownEntry(cipher, entry)),
});

/** What `read` returns, or `corrupt_record` if a text cannot be decrypted. */
const readable = <T>(id: string, read: () => T): Result<T, CorruptRecord> => {
  try {
    return ok(read());
  } catch {
    const message = `a text of session ${id} cannot be decrypted`;
    return err({ type: 'corrupt_record', message, id });
  }
};

/**
 * A store whose texts are encrypted before they reach `inner`. `key` has 32 bytes. Without an id of
 * its own, a session that is created with an idempotency key has a digest of that as its id: if
 * yours can be guessed, pass `createHmac('sha256', key).update(yours).digest('hex')` instead.
 */
export const encrypted = (inner: SessionStore, key: Buffer): SessionStore => {
  const cipherFor = (of: SessionKey): Cipher => cipherOf(key, of);
  const shown = (of: SessionKey, record: SessionRecord): Result<SessionRecord, CorruptRecord> =>
    readable(of.id, () => shownRecord(cipherFor(of), record));

  /** The digest of an append, keyed so that the content cannot be guessed from it. */
  const hiddenAppend = (of: SessionKey, append: HistoryAppend): HistoryAppend => {
    const entries = append.entries.map((entry) => hiddenEntry(cipherFor(of), entry));
    if (append.operation === undefined) return { ...append, entries };
    const { id, digest } = append.operation;
    const text = JSON.stringify([of.tenant, of.id, digest]);
    const keyed = createHmac('sha256', key).update(text).digest('base64url').slice(0, 16);
    return { ...append, entries, operation: { id, digest: keyed } };
  };

  const shownClaim = ({ sessions, failed, ...rest }: TakenRecords): TakenRecords => {
    const all: TakenRecord[] = [];
    const errors: StoreError[] = [...failed];
    for (const session of sessions) {
      shown(session, session.record).match(
        (record) => all.push({ ...session, record }),
        (error) => errors.push(error),
      );
    }
    return { ...rest, sessions: all, failed: errors };
  };

  const shownPage = (tenant: string, page: RecordPage): RecordPage => {
    const records: SessionRecord[] = [];
    const unreadable = [...page.unreadable];
    for (const record of page.records) {
      const { id } = record.head;
      const read = shown({ tenant, id }, record);
      if (read.isOk()) records.push(read.value);
      else unreadable.push(id);
    }
    return { ...page, records, unreadable };
  };

  return {
    insert: (tenant, head, state, opening) => {
      const cipher = cipherFor({ tenant, id: head.id });
      const entries = opening?.entries.map((entry) => hiddenEntry(cipher, entry)) ?? [];
      const begun = opening && { ...opening, entries };
      return inner.insert(tenant, headWith(cipher.hide, head), sealed(cipher, state), begun);
    },
    redact: (...args) => inner.redact(...args),
    find: async (...args) => {
      const found = await inner.find(...args);
      return found.andThen((record) => (record ? shown(args[0], record) : ok(undefined)));
    },
    findState: async (of) => {
      const found = await inner.findState(of);
      return found.andThen((state) =>
        readable(of.id, () => state && unsealed(cipherFor(of), state)),
      );
    },
    list: async (tenant, page) =>
      (await inner.page(tenant, page)).map((found) => shownPage(tenant, found)),
    replace: (of, previous, next, options) => {
      const cipher = cipherFor(of);
      return inner.replace(of, sealed(cipher, previous), sealed(cipher, next), options);
    },
    append: async (of, append) => {
      const appended = await inner.append(of, hiddenAppend(of, append));
      return appended.andThen((outcome) => {
        if (outcome.outcome !== 'closed') return ok(outcome);
        return readable(of.id, () => ({
          ...outcome,
          state: unsealed(cipherFor(of), outcome.state),
        }));
      });
    },
    entries: async (of, slice) => {
      const found = await inner.entries(of, slice);
      return found.andThen((part) => {
        if (part.outcome !== 'found') return ok(part);
        const cipher = cipherFor(of);
        return readable(of.id, () => ({
          ...part,
          entries: part.entries.map((entry) => shownEntry(cipher, entry)),
        }));
      });
    },
    remove: (of, removal) => {
      const remains = removal?.remains;
      if (remains === undefined) return inner.remove(of, removal);
      const state = sealed(cipherFor(of), remains.state);
      return inner.remove(of, { ...removal, remains: { ...remains, state } });
    },
    due: (...args) => inner.due(...args),
    reschedule: (...args) => inner.reschedule(...args),
    claim: async (...args) => (await inner.take(...args)).map(shownClaim),
    countWaiting: (...args) => inner.countWaiting(...args),
    reportsEnds: (...args) => inner.reportsEnds(...args),
    drain: async () => inner.drain?.(),
    events: inner.events,
  };
};
