import { endOf, field, HEADER_BYTES, isRecord } from '../record.js';

/** Maximum number of sessions whose end by the clock is not stored, for which statuses are computed. */
const MAX_ENDED = 10_000;

/**
 * Defines `eachEnded(now, visit)`: calls `visit(member, head)` for each session that the clock has ended by `now`, a
 * text, and whose end is not stored. Returns false if there are too many. `deadlines` is a Lua expression for the key
 * of the deadlines, and `records` for the prefix of the keys of records.
 */
export const eachEnded = (deadlines: string, records: string): string => `
local function eachEnded(now, visit)
  local due = redis.call('ZRANGEBYSCORE', ${deadlines}, '-inf', now, 'LIMIT', '0', '${MAX_ENDED + 1}')
  for _, member in ipairs(due) do
    local head = redis.pcall('GETRANGE', ${records} .. member, '0', '${HEADER_BYTES - 1}')
    if type(head) == 'string' and ${isRecord('head')} and ${field('head', 'status')} ~= 'T'
      and ${endOf('head')} <= tonumber(now) then visit(member, head) end
  end
  return #due <= ${MAX_ENDED}
end`;
