import type { UIMessageChunk } from 'ai';

type Reader = ReadableStreamDefaultController<UIMessageChunk>;

/** An answer that is being written: what was said of it, and the pages that show it. */
interface Answer {
  readonly chunks: UIMessageChunk[];
  readonly messageIds: readonly string[];
  readonly readers: Set<Reader>;
}

/**
 * The answers that are being written, for the pages that show them. With routes and workers in
 * several processes, pass the chunks on by Redis, for example with `resumable-stream`.
 */
export class Answers {
  readonly #answers = new Map<string, Answer>();
  /** Pages that wait for the answer to a message. */
  readonly #waiting = new Map<string, Set<Reader>>();

  /** Begins the answer to these messages. */
  begin(chat: string, messageIds: readonly string[]): void {
    const readers = messageIds.flatMap((id) => [...this.#leave(chat, id)]);
    this.#answers.set(chat, { chunks: [], messageIds, readers: new Set(readers) });
  }

  /** Passes on a part of the answer. */
  say(chat: string, chunk: UIMessageChunk): void {
    const answer = this.#answers.get(chat);
    answer?.chunks.push(chunk);
    for (const reader of answer?.readers ?? []) reader.enqueue(chunk);
  }

  /** No more comes of the answer. */
  end(chat: string): void {
    for (const reader of this.#answers.get(chat)?.readers ?? []) reader.close();
    this.#answers.delete(chat);
  }

  /** Ends the streams of pages that still wait for the answer to a message. */
  close(chat: string, messageId: string): void {
    for (const reader of this.#leave(chat, messageId)) reader.close();
  }

  /** The answer to a message, from its beginning. */
  read(chat: string, messageId: string): ReadableStream<UIMessageChunk> {
    const answer = this.#answers.get(chat);
    if (answer?.messageIds.includes(messageId)) return this.#stream(answer);
    return this.#stream({ chunks: [], readers: this.#open(chat, messageId) });
  }

  /** The answer that is being written; undefined if there is none. */
  readLatest(chat: string): ReadableStream<UIMessageChunk> | undefined {
    const answer = this.#answers.get(chat);
    return answer && this.#stream(answer);
  }

  #stream({ chunks, readers }: Pick<Answer, 'chunks' | 'readers'>): ReadableStream<UIMessageChunk> {
    let own: Reader;
    return new ReadableStream({
      start: (reader) => {
        own = reader;
        for (const chunk of chunks) reader.enqueue(chunk);
        readers.add(reader);
      },
      cancel: () => {
        // The page was closed, and the answer goes on.
        for (const answer of this.#answers.values()) answer.readers.delete(own);
        for (const waiting of this.#waiting.values()) waiting.delete(own);
      },
    });
  }

  #open(chat: string, messageId: string): Set<Reader> {
    const key = keyOf(chat, messageId);
    const readers = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, readers);
    return readers;
  }

  #leave(chat: string, messageId: string): Set<Reader> {
    const readers = this.#open(chat, messageId);
    this.#waiting.delete(keyOf(chat, messageId));
    return readers;
  }
}

const keyOf = (chat: string, messageId: string): string => `${chat} ${messageId}`;
