import type { SessionSnapshot } from '../events/change.js';
import type { SessionForm } from '../wire.js';
import { oneLine } from './event-frames.js';

/** So many bytes of sessions may be on their way at the same time, each counted once, however many it goes to. */
const MOST_BYTES = 128 * 1024 * 1024;

/** In front of a session's duration, and nowhere else: in a text its quotes are escaped. */
const DURATION = '"duration":';

/** A session as it goes out. */
export interface HeldText {
  /** All but its end, for others too. */
  readonly shared: Uint8Array;
  readonly end: string;
  /** Lets go of it. */
  release(): void;
}

/** A session in JSON up to its duration, and what stands behind that. */
interface Kept {
  readonly shared: Uint8Array;
  readonly behind: string;
  holders: number;
}

const encoder = new TextEncoder();

const kept = (json: string): Kept => {
  const text = oneLine(json);
  const at = text.lastIndexOf(DURATION);
  const behind = text.slice(at + DURATION.length).replace(/^\d+/, '');
  return { shared: encoder.encode(text.slice(0, at)), behind, holders: 0 };
};

/**
 * The snapshots that are on their way. All streams that send a session as the same change has left it share one text of
 * it, less its duration, which grows by itself.
 */
export class SnapshotTexts {
  readonly #texts = new Map<SessionForm, Map<string, Kept>>();
  readonly #most: number;
  #bytes = 0;

  constructor(most = MOST_BYTES) {
    this.#most = most;
  }

  /** The text of a snapshot; nothing where too much is on its way already. A single one is always given. */
  hold(form: SessionForm, tenant: string, { session, sequence }: SessionSnapshot): HeldText | undefined {
    const texts = this.#texts.get(form) ?? new Map<string, Kept>();
    this.#texts.set(form, texts);
    const { id, createdAt, status, duration } = session;
    const key = JSON.stringify([tenant, id, createdAt, sequence, status]);
    const text = texts.get(key) ?? kept(JSON.stringify(form.session(session)));
    if (text.holders === 0) {
      if (this.#bytes > 0 && this.#bytes + text.shared.length > this.#most) return undefined;
      this.#bytes += text.shared.length;
      texts.set(key, text);
    }
    text.holders += 1;
    return {
      shared: text.shared,
      end: `${DURATION}${duration}${text.behind}`,
      release: () => {
        text.holders -= 1;
        if (text.holders > 0) return;
        texts.delete(key);
        this.#bytes -= text.shared.length;
      },
    };
  }
}
