import type { SessionSnapshot } from '../events/session-event.js';
import type { SessionForm } from '../operations/session-form.js';
import { oneLine } from './event-frame.js';

const MIB = 1024 * 1024;

/** Marks the duration of a session. It occurs nowhere else, because quotes within a string are escaped. */
const DURATION = '"duration":';

/** A session as it is sent. */
export interface HeldText {
  /** All bytes but the end, shared with other streams. */
  readonly shared: Uint8Array;
  readonly end: string;
  /** Releases the text. */
  release(): void;
}

/** Maximum bytes of texts. A text that several streams share counts once. */
interface Room {
  /** Texts that are being sent. */
  readonly held: number;
  /** Texts that were sent, kept for other streams. */
  readonly idle: number;
}

/** The JSON of a session before its duration, and after it. */
interface Text {
  readonly shared: Uint8Array;
  readonly behind: string;
  readonly forget: () => void;
  holders: number;
}

const encoder = new TextEncoder();

/**
 * The texts of snapshots. All streams that send a session as of the same change share one text, except for its
 * duration, which changes with time. Creating the text of a large session takes longer than sending it.
 */
export class SnapshotTexts {
  readonly #room: Room;
  readonly #texts = new Map<SessionForm, Map<string, Text>>();
  /** Texts that no stream holds, oldest first. */
  readonly #idle = new Set<Text>();
  #heldBytes = 0;
  #idleBytes = 0;

  constructor(room: Room = { held: 128 * MIB, idle: 16 * MIB }) {
    this.#room = room;
  }

  /** The text of a snapshot; undefined if too many bytes are being sent. A single text is always returned. */
  hold(form: SessionForm, tenant: string, snapshot: SessionSnapshot): HeldText | undefined {
    const text = this.#textOf(form, tenant, snapshot);
    const bytes = text.shared.length;
    if (text.holders === 0) {
      if (this.#idle.delete(text)) this.#idleBytes -= bytes;
      if (this.#heldBytes > 0 && this.#heldBytes + bytes > this.#room.held) {
        this.#leaveIdle(text);
        return undefined;
      }
      this.#heldBytes += bytes;
    }
    text.holders += 1;
    return {
      shared: text.shared,
      end: `${DURATION}${snapshot.session.duration}${text.behind}`,
      release: () => {
        text.holders -= 1;
        if (text.holders > 0) return;
        this.#heldBytes -= bytes;
        this.#leaveIdle(text);
      },
    };
  }

  #textOf(form: SessionForm, tenant: string, { session, sequence }: SessionSnapshot): Text {
    const texts = this.#texts.get(form) ?? new Map<string, Text>();
    this.#texts.set(form, texts);
    const { id, createdAt, status } = session;
    const key = JSON.stringify([tenant, id, createdAt, sequence, status]);
    const known = texts.get(key);
    if (known !== undefined) return known;
    const json = oneLine(JSON.stringify(form.session(session)));
    const at = json.lastIndexOf(DURATION);
    const behind = json.slice(at + DURATION.length).replace(/^\d+/, '');
    const text = { shared: encoder.encode(json.slice(0, at)), behind, forget: () => texts.delete(key), holders: 0 };
    texts.set(key, text);
    return text;
  }

  #leaveIdle(text: Text): void {
    this.#idle.add(text);
    this.#idleBytes += text.shared.length;
    for (const oldest of this.#idle) {
      if (this.#idleBytes <= this.#room.idle) return;
      this.#idle.delete(oldest);
      this.#idleBytes -= oldest.shared.length;
      oldest.forget();
    }
  }
}
