/**
 * Reads a reply in its expected form; undefined for any other, which says nothing about the data.
 * Inside the host's MULTI, for example, every reply is `QUEUED`.
 */
export type ReplyForm<T> = (reply: unknown) => T | undefined;

const QUEUED = 'QUEUED';

export const asText: ReplyForm<string> = (reply) =>
  typeof reply === 'string' && reply !== QUEUED ? reply : undefined;

export const asTextOrNull: ReplyForm<string | null> = (reply) =>
  reply === null ? null : asText(reply);

/** A non-negative integer, which some clients can be set to return as a string. */
export const asCount: ReplyForm<number> = (reply) => {
  const isDigits = typeof reply === 'string' && /^\d+$/.test(reply);
  const count = isDigits ? Number(reply) : reply;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
};

export const asList: ReplyForm<readonly unknown[]> = (reply) => {
  const items: readonly unknown[] | undefined = Array.isArray(reply) ? reply : undefined;
  return items;
};

/** Flattens pairs: RESP 3 nests members with scores, RESP 2 the streams of XREAD. */
export const asFlatList: ReplyForm<readonly unknown[]> = (reply) => asList(reply)?.flat();

/** A member of a sorted set, or its score, which RESP 3 returns as a number. */
export const asMemberOrScore: ReplyForm<string> = (reply) =>
  typeof reply === 'number' ? String(reply) : asText(reply);

export const asListOf =
  <T>(form: ReplyForm<T>): ReplyForm<readonly T[]> =>
  (reply) => {
    const items: T[] = [];
    for (const each of asList(reply) ?? [undefined]) {
      const item = form(each);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  };

export const asFlatListOf =
  <T>(form: ReplyForm<T>): ReplyForm<readonly T[]> =>
  (reply) =>
    asListOf(form)(asFlatList(reply));
