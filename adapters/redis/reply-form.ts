/**
 * Reads a reply of the server in its expected form; `undefined` for any other form, which says
 * nothing about the data. Inside a MULTI of the host, for example, every reply is `QUEUED`.
 */
export type ReplyForm<T> = (reply: unknown) => T | undefined;

const QUEUED = 'QUEUED';

export const asText: ReplyForm<string> = (reply) =>
  typeof reply === 'string' && reply !== QUEUED ? reply : undefined;

/** A text, or null for a key that is missing. */
export const asTextOrNull: ReplyForm<string | null> = (reply) =>
  reply === null ? null : asText(reply);

/** A non-negative integer, which some settings of clients return as text. */
export const asCount: ReplyForm<number> = (reply) => {
  const isDigits = typeof reply === 'string' && /^\d+$/.test(reply);
  const count = isDigits ? Number(reply) : reply;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
};

export const asList: ReplyForm<readonly unknown[]> = (reply) => {
  const items: readonly unknown[] | undefined = Array.isArray(reply) ? reply : undefined;
  return items;
};

/**
 * A list of pairs without their brackets, by which RESP 2 and RESP 3 differ: RESP 3 has them around
 * members with scores, RESP 2 around the streams of XREAD.
 */
export const asFlatList: ReplyForm<readonly unknown[]> = (reply) => asList(reply)?.flat();

/** A list whose items all have the form. */
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
