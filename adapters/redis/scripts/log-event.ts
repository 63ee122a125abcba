/** Number of events above its length at which a stream is trimmed. Trimming for each event would cost more. */
const SURPLUS = 100;

/**
 * Defines `log(text)`, which writes an event to the stream `key`, which keeps `length` events. Both are Lua
 * expressions. Does not use `MAXLEN ~`, because the server logs that with the current length of the stream, which would
 * remove too many events after a torn log.
 */
export const logEvent = (key: string, length: string): string => `
local function log(text)
  if redis.call('XLEN', ${key}) < ${length} + ${SURPLUS} then
    redis.call('XADD', ${key}, '*', 'e', text)
  else
    redis.call('XADD', ${key}, 'MAXLEN', ${length}, '*', 'e', text)
  end
end`;
