/**
 * The arithmetic of `takeTokens` for Redis: both sides count in whole numbers below 2^53, which Lua's numbers
 * hold exactly, so that the core can say from the buckets as they were what the script has made of them. One
 * call of the script takes from all buckets or from none, however many processes ask at once.
 *
 * KEYS[1] is a hash: `t` the latest time seen, `u` what is used of each window, by blanks. ARGV is the time,
 * or empty for the server's own; `1` to take, `0` to look, or when that was taken which is given back; then
 * the limit, the length in milliseconds, the reserve and the cost of each window. Returns the time, and `t`
 * and `u` as they were, empty for none.
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
local taking = ARGV[2] ~= '0'
local takenAt = tonumber(ARGV[2])
local count = (#ARGV - 2) / 4
local before = redis.call('HMGET', KEYS[1], 't', 'u')
local usedBefore = {}
for number in string.gmatch(before[2] or '', '%d+') do usedBefore[#usedBefore + 1] = tonumber(number) end
local updatedAt = tonumber(before[1] or now)
local seenAt = math.max(now, updatedAt)
local used, allowed, fullIn = {}, true, 0
for i = 1, count do
  local limit, window = tonumber(ARGV[4 * i - 1]), tonumber(ARGV[4 * i])
  local reserve, cost = tonumber(ARGV[4 * i + 1]), tonumber(ARGV[4 * i + 2])
  local capacity = limit * window
  local left = math.max(0, math.min(usedBefore[i] or 0, capacity) - limit * (seenAt - updatedAt))
  local units = math.min(cost, math.max(1, limit - reserve)) * window
  if takenAt > 1 then units = -math.max(0, cost * window - limit * (seenAt - takenAt)) end
  if units > 0 and left + units > capacity - reserve * window then allowed = false end
  used[i] = {left, units, limit}
end
if taking then
  local after = {}
  for i = 1, count do
    local left, units, limit = unpack(used[i])
    if allowed then left = math.max(0, left + units) end
    after[i] = string.format('%.0f', left)
    if limit > 0 then fullIn = math.max(fullIn, math.ceil(left / limit)) end
  end
  redis.call('HSET', KEYS[1], 't', string.format('%.0f', seenAt), 'u', table.concat(after, ' '))
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', fullIn + seenAt - now + 86400000))
end
return {string.format('%.0f', now), before[1] or '', before[2] or ''}
`;
