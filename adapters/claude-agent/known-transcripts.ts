/** What is known of a transcript. */
export interface Known {
  readonly id: string;
  /** That of a lease, by which an append tells this session from a later one with its id. */
  readonly fencingToken: number;
  /** The end of the history. */
  readonly position: number;
  readonly uuids: Set<unknown>;
}

const MOST_TRANSCRIPTS = 500;
const MOST_UUIDS = 200_000;

/** What is known of the transcripts that were used last. */
export class KnownTranscripts {
  readonly #byName = new Map<string, Known>();

  /** What is known of a transcript, which is forgotten unless it is set again. */
  take(name: string): Known | undefined {
    const known = this.#byName.get(name);
    this.#byName.delete(name);
    return known;
  }

  set(name: string, known: Known): void {
    this.#byName.set(name, known);
    let uuids = 0;
    for (const each of this.#byName.values()) uuids += each.uuids.size;
    for (const [oldest, each] of this.#byName) {
      if (oldest === name || (this.#byName.size <= MOST_TRANSCRIPTS && uuids <= MOST_UUIDS)) return;
      this.#byName.delete(oldest);
      uuids -= each.uuids.size;
    }
  }
}
