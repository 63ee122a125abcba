/**
 * Every character that is not unreserved in RFC 3986 (2.3) becomes `%` and the four hex digits of
 * its UTF-16 code unit. So no escaped name contains `:`, `{`, `}` or `*`, two names never collide,
 * lone surrogates work, and plain ids keep their order.
 */
export const escapeName = (name: string): string =>
  name.replace(/[^\w.~-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const unescapeName = (escaped: string): string =>
  escaped.includes('%')
    ? escaped.replace(/%([0-9a-f]{4})/g, (_, unit: string) =>
        String.fromCharCode(Number.parseInt(unit, 16)),
      )
    : escaped;
