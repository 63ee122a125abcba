// Encrypts what people say before it reaches the database, with AES-256-GCM and a key that the
// database does not have. It works with every store.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type {
  ChangeCommit,
  Changed,
  CorruptRecord,
  HistoryEntry,
  MessageEntry,
  RecordPage,
  SessionHead,
  SessionKey,
  SessionRecord,
  SessionStore,
  Spend,
  StoredMessage,
  StoreError,
  TakenRecord,
  TakenRecords,
} from 'colloquy';
import { err, isMove, isRedaction, isStateChange, ok, type Result } from 'colloquy';
import { type Cipher, maskedOperation, maskedSpend, sealed, unsealed } from './sealed-state.js';

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
    mask: (name, digest) => {
      const mask = createHmac('sha256', key)
        .update(JSON.stringify([tenant, id, name]))
        .digest();
      const bytes = Buffer.from(digest, 'base64url').map((byte, at) => byte ^ (mask[at] ?? 0));
      return Buffer.from(bytes).toString('base64url');
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

/** The id of a message stays, because the store compares it. */
const hiddenEntry = ({ hide }: Cipher, { id, data, ...entry }: HistoryEntry): HistoryEntry => ({
  ...entry,
  content: entry.content === '' ? '' : hide(entry.content),
  ...(id !== undefined && { id: entry.message ? id : hide(id) }),
  ...(data !== undefined && { data: hide(JSON.stringify(data)) }),
});

const shownEntry = <E extends HistoryEntry>({ show }: Cipher, entry: E): E => ({
  ...entry,
  // An entry that was redacted has none.
  content: entry.content === '' ? '' : show(entry.content),
  ...(entry.id !== undefined && { id: entry.message ? entry.id : show(entry.id) }),
  ...(entry.data !== undefined && { data: JSON.parse(show(String(entry.data))) }),
});

const shownRecord = (cipher: Cipher, { head, state, ...record }: SessionRecord): SessionRecord => ({
  ...record,
  head: headWith(cipher.show, head),
  state: unsealed(cipher, state),
  history: record.history.map((entry) => shownEntry(cipher, entry)),
});

const hiddenSpend = (cipher: Cipher, { last, ...spend }: Spend): Spend => ({
  ...spend,
  ...(last !== undefined && { last: maskedSpend(cipher, last) }),
});

const hiddenMessage = <M extends Pick<StoredMessage, 'digest'> & { readonly entry: MessageEntry }>(
  cipher: Cipher,
  message: M,
): M => {
  const { id } = message.entry;
  const entry = { ...hiddenEntry(cipher, message.entry), id, message: true };
  return { ...message, entry, digest: cipher.mask(`message ${id}`, message.digest) };
};

const shownMessage = (
  cipher: Cipher,
  { entry, digest, ...message }: StoredMessage,
): StoredMessage => ({
  ...message,
  digest: cipher.mask(`message ${message.id}`, digest),
  ...(entry && { entry: shownEntry(cipher, entry) }),
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

  const shownOutcome = (cipher: Cipher, outcome: Changed): Changed => {
    if ('state' in outcome) return { ...outcome, state: unsealed(cipher, outcome.state) };
    if (!('messages' in outcome)) return outcome;
    return { ...outcome, messages: outcome.messages.map((entry) => shownEntry(cipher, entry)) };
  };

  const hiddenChange = (commit: ChangeCommit): ChangeCommit => {
    if (isMove(commit) || isRedaction(commit)) return commit;
    const cipher = cipherFor(commit.key);
    const { operation: given } = commit.guards;
    const operation = given && maskedOperation(cipher, given);
    const entries = commit.effects.entries?.map((entry) => hiddenEntry(cipher, entry));
    if (!isStateChange(commit)) {
      const { guards, effects } = commit;
      const send = effects.send && hiddenMessage(cipher, effects.send);
      const spend = effects.spend && hiddenSpend(cipher, effects.spend);
      return {
        ...commit,
        guards: { ...guards, operation },
        effects: { ...effects, entries, send, spend },
      };
    }
    const { guards, effects } = commit;
    const send = effects.send && hiddenMessage(cipher, effects.send);
    const { state, previous } = effects.put;
    const put = { state: sealed(cipher, state), previous: sealed(cipher, previous) };
    const hidden = { ...effects, entries, send, put };
    return { ...commit, guards: { ...guards, operation }, effects: hidden };
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
    begin: (commit) => {
      const { head, state, entries, events } = commit.effects;
      const cipher = cipherFor(commit.key);
      const effects = {
        head: headWith(cipher.hide, head),
        state: sealed(cipher, state),
        entries: entries.map((entry) => hiddenEntry(cipher, entry)),
        events,
      };
      return inner.begin({ ...commit, effects });
    },
    change: async (commit) => {
      const changed = await inner.change(hiddenChange(commit));
      return changed.andThen((outcome) =>
        readable(commit.key.id, () => shownOutcome(cipherFor(commit.key), outcome)),
      );
    },
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
    messages: async (of, ids) => {
      const found = await inner.messages(of, ids);
      const cipher = cipherFor(of);
      return found.andThen((messages) =>
        readable(of.id, () => messages.map((message) => shownMessage(cipher, message))),
      );
    },
    page: async (tenant, page) =>
      (await inner.page(tenant, page)).map((found) => shownPage(tenant, found)),
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
    remove: (commit) => {
      const { remains, events } = commit.effects;
      if (remains === undefined) return inner.remove(commit);
      const state = sealed(cipherFor(commit.key), remains.state);
      return inner.remove({ ...commit, effects: { events, remains: { ...remains, state } } });
    },
    due: (...args) => inner.due(...args),
    take: async (...args) => (await inner.take(...args)).map(shownClaim),
    countWaiting: (...args) => inner.countWaiting(...args),
    reportsEnds: (...args) => inner.reportsEnds(...args),
    drain: async () => inner.drain?.(),
    events: inner.events,
  };
};
