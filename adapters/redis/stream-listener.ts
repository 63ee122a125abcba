import { setTimeout as sleep } from 'node:timers/promises';
import type { Sender } from './clients.js';
import { asFlatList, asList } from './reply-form.js';

/**
 * Maximum milliseconds of a read, and therefore the maximum delay until a read includes a new
 * stream.
 */
const BLOCK_MS = 250;

/**
 * Milliseconds after which a read counts as lost, because some clients leave commands unanswered.
 */
const SILENCE_MS = 2000;

/**
 * Milliseconds between reads while events keep arriving, so that listeners read them in batches.
 */
const BUSY_MS = 10;

const replyTo = async (command: Promise<unknown>): Promise<unknown> => {
  const wait = new AbortController();
  const silence = sleep(SILENCE_MS, undefined, { signal: wait.signal }).then(() => {
    throw new Error('the client has not answered');
  });
  try {
    return await Promise.race([command, silence]);
  } finally {
    wait.abort();
  }
};

const valuesIn = (reply: unknown): readonly unknown[] => asList(reply) ?? [];

interface Stream {
  readonly listeners: Set<() => void>;
  lastId: string | undefined;
}

/**
 * Notifies listeners of new entries in streams. One blocking read on a separate connection waits
 * for all streams. While that connection fails, it notifies the listeners repeatedly, so that they
 * read the streams themselves.
 */
export class StreamListener {
  readonly #sender: Sender;
  readonly #isStoreClosed: () => boolean;
  readonly #streams = new Map<string, Stream>();
  #isRunning = false;

  constructor(sender: Sender, isStoreClosed: () => boolean) {
    this.#sender = sender;
    this.#isStoreClosed = isStoreClosed;
  }

  listen(name: string, listener: () => void): () => void {
    const stream = this.#streams.get(name) ?? { listeners: new Set(), lastId: undefined };
    stream.listeners.add(listener);
    this.#streams.set(name, stream);
    if (!this.#isRunning) void this.#run();
    return () => {
      stream.listeners.delete(listener);
      if (stream.listeners.size === 0 && this.#streams.get(name) === stream)
        this.#streams.delete(name);
    };
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#streams.size > 0) {
      try {
        if (await this.#wait()) await sleep(BUSY_MS);
        if (this.#isStoreClosed()) this.#wakeAll();
      } catch {
        // The server may restart with older data, whose streams continue from an earlier id.
        for (const stream of this.#streams.values()) stream.lastId = undefined;
        this.#wakeAll();
        await sleep(BLOCK_MS);
      }
    }
    this.#isRunning = false;
  }

  async #wait(): Promise<boolean> {
    const names: string[] = [];
    const ids: string[] = [];
    for (const [name, stream] of this.#streams) {
      if (stream.lastId === undefined) await this.#begin(name, stream);
      names.push(name);
      ids.push(stream.lastId ?? '$');
    }
    const words = ['COUNT', '100', 'BLOCK', String(BLOCK_MS), 'STREAMS'];
    const reply = await replyTo(this.#sender.send('xread', [...words, ...names, ...ids]));
    const streams = reply === null ? [] : asFlatList(reply);
    if (streams === undefined) throw new Error('the reply has an unknown form');
    for (const [at, name] of names.entries()) {
      const lastId = lastIdIn(streams, name);
      const stream = this.#streams.get(name);
      if (lastId === undefined || stream === undefined) continue;
      stream.lastId = lastId;
      if (ids[at] !== lastId) for (const listener of stream.listeners) listener();
    }
    return streams.length > 0;
  }

  /** Entries from before the first wait must be read, too. */
  async #begin(name: string, stream: Stream): Promise<void> {
    const [last]: readonly unknown[] = await replyTo(
      this.#sender.send('xrevrange', [name, '+', '-', 'COUNT', '1']),
    ).then(valuesIn);
    stream.lastId = String(valuesIn(last)[0] ?? '0-0');
    for (const listener of stream.listeners) listener();
  }

  #wakeAll(): void {
    for (const { listeners } of this.#streams.values())
      for (const listener of listeners) listener();
  }
}

/** The reply of XREAD has names with the client's `keyPrefix`. */
const lastIdIn = (reply: readonly unknown[], name: string): string | undefined => {
  const at = reply.findIndex((key) => typeof key === 'string' && key.endsWith(name));
  const id = valuesIn(valuesIn(reply[at + 1]).at(-1))[0];
  return typeof id === 'string' ? id : undefined;
};
