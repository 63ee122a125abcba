import type { UIMessageChunk } from 'ai';

type Reader = ReadableStreamDefaultController<UIMessageChunk>;

/** An answer on its way: what was said of it, and the pages that show it. */
interface Answer {
  readonly chat: string;
  readonly position: number;
  readonly chunks: UIMessageChunk[];
  readonly readers: Set<Reader>;
}

/**
 * The answers on their way, for the pages that show them. Each belongs to the position that its
 * chat had when it was asked for. For routes and workers in several processes, pass the chunks on
 * by Redis, such as with `resumable-stream`.
 */
export class Answers {
  readonly #answers = new Map<string, Answer>();

  /**
   * Begins an answer. It covers earlier messages too, so the pages that wait for an earlier answer,
   * of which nothing was said, get this one.
   */
  begin(chat: string, position: number): void {
    const { readers } = this.#open(chat, position);
    for (const [key, earlier] of this.#answers) {
      const isWaiting = earlier.position < position && earlier.chunks.length === 0;
      if (earlier.chat !== chat || !isWaiting) continue;
      this.#answers.delete(key);
      for (const reader of earlier.readers) readers.add(reader);
    }
  }

  /** Passes on a part of an answer. */
  say(chat: string, position: number, chunk: UIMessageChunk): void {
    const { chunks, readers } = this.#open(chat, position);
    chunks.push(chunk);
    for (const reader of readers) reader.enqueue(chunk);
  }

  /** An answer from its beginning, as it is given. */
  read(chat: string, position: number): ReadableStream<UIMessageChunk> {
    const { chunks, readers } = this.#open(chat, position);
    let own: Reader;
    return new ReadableStream({
      start: (reader) => {
        own = reader;
        for (const chunk of chunks) reader.enqueue(chunk);
        readers.add(reader);
      },
      cancel: () => {
        // The page was closed: the answer goes on.
        for (const answer of this.#answers.values()) answer.readers.delete(own);
      },
    });
  }

  /** Ends a `read`, and forgets the answer if nothing was said and no other page waits for it. */
  async leave(chat: string, position: number, stream: ReadableStream): Promise<void> {
    await stream.cancel();
    const { chunks, readers } = this.#open(chat, position);
    if (chunks.length + readers.size === 0) this.#answers.delete(keyOf(chat, position));
  }

  has(chat: string, position: number): boolean {
    return this.#answers.has(keyOf(chat, position));
  }

  /** No more comes of the answer at a position, or of all answers in a chat. */
  end(chat: string, position?: number): void {
    for (const [key, answer] of this.#answers) {
      if (answer.chat !== chat || (position !== undefined && key !== keyOf(chat, position)))
        continue;
      this.#answers.delete(key);
      for (const reader of answer.readers) reader.close();
    }
  }

  #open(chat: string, position: number): Answer {
    const key = keyOf(chat, position);
    const answer = this.#answers.get(key) ?? { chat, position, chunks: [], readers: new Set() };
    this.#answers.set(key, answer);
    return answer;
  }
}

const keyOf = (chat: string, position: number): string => `${position} ${chat}`;
