/**
 * Defines `isBefore(a, b)`, which compares bytes, because the comparison of texts in Lua depends on the server's
 * locale.
 */
export const isBefore = `
local function isBefore(a, b)
  for at = 1, math.min(#a, #b) do
    local x, y = string.byte(a, at), string.byte(b, at)
    if x ~= y then return x < y end
  end
  return #a < #b
end`;
