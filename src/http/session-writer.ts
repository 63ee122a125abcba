import { Recent } from '../recent.js';
import type { Session } from '../session/session.js';
import { encodedPartsOf } from '../session/view.js';
import { inFrame, type SessionFrame, sessionFrame } from '../wire.js';

/** So many characters of answers are remembered. */
const ROOM = 4 * 1024 * 1024;

/** A text, and the very values that it was made of. */
interface Written {
  readonly options: unknown;
  readonly history: unknown;
  readonly createdAt: string;
  readonly frame: SessionFrame;
  /** In UTF-8. */
  readonly frameBytes: number;
}

/** JSON text and its length in UTF-8, if that is known: to count the bytes of a page takes longer than to send it. */
export interface Json {
  readonly text: string;
  readonly bytes: number | undefined;
}

/** Puts sessions into JSON. */
export interface Writer {
  session(session: Session): Json;
  page(sessions: readonly Session[]): Json;
}

/** Whether nobody can change what these values say, so that a text made of them stays true. */
const areFrozen = ({ options, history }: Session): boolean =>
  Object.isFrozen(options) && Object.isFrozen(history) && history.every(Object.isFrozen);

/**
 * Writes sessions as JSON. A dashboard asks for the same page again and again, and most of its sessions have not
 * changed: stores hand out the same frozen values for them, and what was written of those is used again.
 */
export class SessionWriter implements Writer {
  /** By id: tenants that use the same id push each other out, which costs time and nothing else. */
  readonly #written = new Recent<Written>(ROOM, ({ frame }) => frame.middle.length);

  /** One Session object, `interface.md` part 2. */
  session(session: Session): Json {
    const frame = this.#frameOf(session);
    const written = this.#written.get(session.id);
    const text = inFrame(frame, session);
    // Status and duration are ASCII.
    const { start, middle } = frame;
    const bytes =
      written?.frame === frame ? written.frameBytes + text.length - start.length - middle.length : undefined;
    return { text, bytes };
  }

  /** An array of Session objects. */
  page(sessions: readonly Session[]): Json {
    // Added up rather than joined: a join copies every text once more.
    let text = '[';
    let bytes: number | undefined = 1 + Math.max(1, sessions.length);
    for (const session of sessions) {
      const json = this.session(session);
      text += text.length === 1 ? json.text : `,${json.text}`;
      bytes = bytes === undefined || json.bytes === undefined ? undefined : bytes + json.bytes;
    }
    return { text: `${text}]`, bytes };
  }

  #frameOf(session: Session): SessionFrame {
    const { id, createdAt } = session;
    const kept = encodedPartsOf(session);
    const options = kept === undefined ? session.options : kept.optionsJson;
    const history = kept === undefined ? session.history : kept.history;
    const written = this.#written.get(id);
    const isSame = written?.history === history && written.options === options && written.createdAt === createdAt;
    if (written !== undefined && isSame) return written.frame;
    const frame = sessionFrame(session);
    if (kept === undefined ? areFrozen(session) : options !== undefined) {
      const frameBytes = new TextEncoder().encode(frame.start + frame.middle).length;
      this.#written.set(id, { options, history, createdAt, frame, frameBytes });
    }
    return frame;
  }
}
