-- Completes the `reply` of list.lua or page.lua with the sizes or records of its members, which
-- begin at its fourth item. Records beyond the maximum are counted, but not returned.
local bytes = 0
for at = 4, #reply do
  if part == 'size' then
    bytes = bytes + (tonumber(try('STRLEN', journals .. reply[at])) or 0)
  elseif part == 'record' then
    local length, text = try('STRLEN', records .. reply[at]), '-'
    if type(length) == 'number' then
      bytes = bytes + length
      text = bytes <= maximum and call('GET', records .. reply[at]) or ''
    end
    reply[#reply + 1] = text
  end
end
reply[3] = bytes
-- Unpacked, because test doubles return only arrays that are created in one expression.
return {unpack(reply)}
