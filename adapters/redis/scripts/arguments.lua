-- Reads the keys and arguments of a commit in order. Follows group.lua.

local function nextKey()
  keyAt = keyAt + 1
  return KEYS[keyAt]
end

local function nextArg()
  argAt = argAt + 1
  return ARGV[argAt]
end

local function nextOf(take, count)
  local values = {}
  for place = 1, count or 0 do values[place] = take() end
  return values
end

local function nextAs(names, take, values)
  for name in string.gmatch(names, '%S+') do values[name] = take() end
  return values
end
