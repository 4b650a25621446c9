/**
 * The arithmetic of `takeTokens` for Redis: both sides count in whole numbers below 2^53, which Lua's numbers
 * hold exactly, so that the core can say from the buckets as they were what the script has made of them. One
 * call of the script takes from all buckets or from none, however many processes ask at once.
 *
 * KEYS[1] is a hash: `t` the latest time seen, `u` what is used of each window, by blanks. ARGV is the time,
 * or empty for the server's own; `1` to take, `0` to look, or when that was taken which is given back; what
 * is used of each window at least, as `u`, empty for none; then the limit, the length in milliseconds, the
 * reserve and the cost of each window. Returns the time, and `t` and `u` as they are at that time, before
 * anything is taken.
 *
 * A hash lives for a day longer than its buckets need to fill up again: full buckets need not be kept, but a
 * clock that swings must find the latest time that it had reached.
 */
export const TAKE_SCRIPT = `
local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
now = tonumber(now)
local function numbers(text)
  local found = {}
  for number in string.gmatch(text or '', '%d+') do found[#found + 1] = tonumber(number) end
  return found
end
local function text(amounts)
  local texts = {}
  for i, amount in ipairs(amounts) do texts[i] = string.format('%.0f', amount) end
  return table.concat(texts, ' ')
end
local taking = ARGV[2] ~= '0'
local takenAt = tonumber(ARGV[2])
local least = numbers(ARGV[3])
local count = (#ARGV - 3) / 4
local before = redis.call('HMGET', KEYS[1], 't', 'u')
local usedBefore = numbers(before[2])
local updatedAt = tonumber(before[1] or now)
local seenAt = math.max(now, updatedAt)
local used, units, allowed = {}, {}, true
for i = 1, count do
  local limit, window = tonumber(ARGV[4 * i]), tonumber(ARGV[4 * i + 1])
  local reserve, cost = tonumber(ARGV[4 * i + 2]), tonumber(ARGV[4 * i + 3])
  local capacity = limit * window
  local left = math.max(0, math.min(usedBefore[i] or 0, capacity) - limit * (seenAt - updatedAt))
  used[i] = math.max(left, least[i] or 0)
  units[i] = math.min(cost, math.max(1, limit - reserve)) * window
  if takenAt > 1 then units[i] = -math.max(0, cost * window - limit * (seenAt - takenAt)) end
  if units[i] > 0 and used[i] + units[i] > capacity - reserve * window then allowed = false end
end
if taking or #least > 0 then
  local after, fullIn = {}, 0
  for i = 1, count do
    local limit = tonumber(ARGV[4 * i])
    after[i] = used[i]
    if taking and allowed then after[i] = math.max(0, used[i] + units[i]) end
    if limit > 0 then fullIn = math.max(fullIn, math.ceil(after[i] / limit)) end
  end
  redis.call('HSET', KEYS[1], 't', string.format('%.0f', seenAt), 'u', text(after))
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', fullIn + seenAt - now + 86400000))
end
return {string.format('%.0f', now), string.format('%.0f', seenAt), text(used)}
`;
