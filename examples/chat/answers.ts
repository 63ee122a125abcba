import type { UIMessageChunk } from 'ai';

type Reader = ReadableStreamDefaultController<UIMessageChunk>;

/** An answer on its way: what was said of it, and the pages that show it. */
interface Answer {
  readonly chat: string;
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
        readers.delete(own); // the page was closed: the answer goes on
      },
    });
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
    const answer = this.#answers.get(key) ?? { chat, chunks: [], readers: new Set() };
    this.#answers.set(key, answer);
    return answer;
  }
}

const keyOf = (chat: string, position: number): string => `${position} ${chat}`;
