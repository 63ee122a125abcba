/*
 * A rewind does not change existing lines of a journal: it adds a mark, a line with the offset after which the history
 * continues. So a history is a chain of spans. The first span begins at 0; each other one begins after a mark, and
 * follows an offset in an earlier span, its parent. A mark is `<after> <parent> <jump> <depth> <entries> <bytes>
 * <call>`: the offset that the span follows; the beginning of its parent; the beginning of an earlier span, for the
 * search; the number of spans before it; the numbers of entries and bytes of the history before it; and the call that
 * has written it. `jump` lets a search skip spans, so that it takes O(log n) steps (E. W. Myers, "An applicative
 * random-access stack", Information Processing Letters 17, 1983).
 */

const FORMAT = `${'%012d '.repeat(3)}${'%010d '.repeat(2)}%012d `;

/** Length of the id of a call. */
export const CALL_BYTES = 12;

/** Length of a mark, with the end of its line. */
export const MARK_BYTES = 3 * 13 + 2 * 11 + 13 + CALL_BYTES + 1;

/**
 * Defines functions on the journal in the key `journal`, a Lua expression. `spanAt(start)` returns the span that begins
 * there. `lastSpan(span, isPast)` returns the last span of the chain up to `span` for which `isPast` is false, or the
 * first span, and the span after it. `isPast` must be true for all spans after one for which it is true.
 *
 * If a mark is missing, or does not point backwards, `isDamaged` is set and the chain ends there, so that every search
 * terminates.
 */
const spans = (journal: string): string => `
local isDamaged = false
local first = {start = 0, after = 0, parent = 0, jump = 0, depth = 0, entries = 0, bytes = 0}
local function spanAt(start)
  if start == 0 then return first end
  local mark = redis.call('GETRANGE', ${journal}, math.max(0, start - ${MARK_BYTES}) .. '', start - 1 .. '')
  local after, parent, jump, depth, entries, bytes = string.match(mark, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) ')
  local span = {start = start, after = tonumber(after), parent = tonumber(parent), jump = tonumber(jump),
    depth = tonumber(depth), entries = tonumber(entries), bytes = tonumber(bytes)}
  if bytes and span.after < start and span.jump <= span.parent and span.parent <= span.after then return span end
  isDamaged = true
  return first
end
local function lastSpan(span, isPast)
  local child = nil
  while span.start > 0 and isPast(span) do
    child = span
    local jump = spanAt(span.jump)
    span = isPast(jump) and jump or spanAt(span.parent)
  end
  return span, child
end`;

/**
 * Defines `offsetOf(tip, length, entries, position)`, for a history of `entries` entries whose last span begins at
 * `tip`. Returns the numbers of entries and bytes up to a position, and the span that contains it; or only the reason,
 * as a text, if it is not a position of the history.
 */
const offsets = (journal: string): string => `
local function linesIn(from, upto)
  local count = 0
  for at = from, upto - 1, 65536 do
    local text = redis.call('GETRANGE', ${journal}, at .. '', math.min(at + 65536, upto) - 1 .. '')
    local offset = string.find(text, '\\n', 1, true)
    while offset do
      count = count + 1
      offset = string.find(text, '\\n', offset + 1, true)
    end
  end
  return count
end
local function offsetOf(tip, length, entries, after)
  if after > length or after > 0 and redis.call('GETRANGE', ${journal}, after - 1 .. '', after - 1 .. '') ~= '\\n' then
    return 'invalid_position'
  end
  local span, child = lastSpan(spanAt(tip), function(each) return each.start > after end)
  local upto = child and child.after or length
  if isDamaged or tip > length then return 'corrupt' end
  if after > upto then return 'moved' end
  local kept
  if upto - after < after - span.start then
    kept = (child and child.entries or entries) - linesIn(after, upto)
  else
    kept = span.entries + linesIn(span.start, after)
  end
  return kept, span.bytes + after - span.start, span
end`;

/**
 * Defines `rewind(tip, length, entries, after, call)`. Returns the mark of a span that follows `after`, and the numbers
 * of entries and bytes before it; or only the outcome, as a text, if `after` is not a position of the history.
 */
export const rewind = (journal: string): string => `${spans(journal)}${offsets(journal)}
local function rewind(tip, length, entries, after, call)
  local kept, bytes, span = offsetOf(tip, length, entries, after)
  if not span then return kept end
  -- Skips an empty span, so that only the last one can be empty, and a read costs no more than its entries.
  if after == span.start and after > 0 then
    after = span.after
    span = spanAt(span.parent)
  end
  local jump = spanAt(span.jump)
  if isDamaged then return 'corrupt' end
  local isFar = span.depth - jump.depth == jump.depth - spanAt(jump.jump).depth
  local mark = string.format('${FORMAT}', after, span.start, isFar and jump.jump or span.start, span.depth + 1, kept, bytes)
  return mark .. string.sub(call, -${CALL_BYTES}) .. '\\n', kept, bytes
end`;

/**
 * Defines three functions. `piecesBefore(tip, length, entries, upto, size, most)` returns the pieces of a history up to
 * an offset, with `size` bytes in total or at least `most` entries, each as {from, upto} and in order; then whether the
 * earliest begins within a span, and whether entries follow. `piecesAfter(tip, length, entries, from, size, most)`
 * returns the pieces after an offset up to the span with entry number `most` after it, cut at `size` bytes in total.
 * `textOf(pieces)` returns their text.
 */
export const pieces = (journal: string): string => `${spans(journal)}
local function textOf(found)
  local texts = {}
  for at, piece in ipairs(found) do
    texts[at] = piece[2] > piece[1] and redis.call('GETRANGE', ${journal}, piece[1] .. '', piece[2] - 1 .. '') or ''
  end
  return table.concat(texts)
end
local function piecesBefore(tip, length, entries, upto, size, most)
  local span, child = lastSpan(spanAt(tip), function(each) return each.start > upto end)
  local found, stop, left, isCut = {}, math.min(upto, child and child.after or length), size, false
  local hasMore = upto < length
  if child then hasMore = upto < child.after or child.entries < entries end
  repeat
    local from = math.max(span.start, stop - left)
    found[#found + 1] = {from, stop}
    left, isCut = left - (stop - from), from > span.start
    -- The beginning of a history is 0, even if all of the first span is superseded.
    local isFirst = span.entries == 0
    if isFirst and not isCut and span.start > 0 then found[#found + 1] = {0, 0} end
    stop, span = span.after, spanAt(span.parent)
    -- Each piece contains an entry, except that of an empty last span.
  until isFirst or left <= 0 or #found > most
  local rising = {}
  for at = #found, 1, -1 do rising[#rising + 1] = found[at] end
  return rising, isCut, hasMore
end
local function piecesAfter(tip, length, entries, from, size, most)
  local last = spanAt(tip)
  local first, child = lastSpan(last, function(each) return each.start > from end)
  local least = (child and child.entries or entries) + most
  local span, following = lastSpan(last, function(each) return each.entries >= least end)
  local chain, stop = {}, following and following.after or length
  while span.start > first.start do
    chain[#chain + 1] = {span.start, stop}
    stop, span = span.after, spanAt(span.parent)
  end
  chain[#chain + 1] = {math.min(from, stop), stop}
  local found, left = {}, size
  for at = #chain, 1, -1 do
    local begin, finish = chain[at][1], chain[at][2]
    if left <= 0 then break end
    found[#found + 1] = {begin, math.min(finish, begin + left)}
    left = left - (finish - begin)
  end
  return found
end`;
