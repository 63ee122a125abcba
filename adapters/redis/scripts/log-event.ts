/** Number of events above the length to keep at which a stream is cut to it: to cut it for each event costs more. */
const SURPLUS = 100;

/**
 * Defines `log(text)`: writes an event to the stream `key`, which keeps `length` events. Both are Lua expressions.
 * `MAXLEN ~` would be logged with the length of the stream as it was: after a torn log that takes an event too many.
 */
export const logEvent = (key: string, length: string): string => `
local function log(text)
  if redis.call('XLEN', ${key}) < ${length} + ${SURPLUS} then
    redis.call('XADD', ${key}, '*', 'e', text)
  else
    redis.call('XADD', ${key}, 'MAXLEN', ${length}, '*', 'e', text)
  end
end`;
