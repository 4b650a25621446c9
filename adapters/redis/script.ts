/**
 * The arithmetic of `takeTokens` in Lua. Both sides use integers below 2^53, which Lua's numbers hold
 * exactly, so the core can compute the new buckets from the old ones that the script returns. One call takes
 * from all buckets or from none, even when many processes call at once.
 *
 * KEYS[1] is a hash: `t` is the latest time seen, `u` the used amount of each window, separated by spaces.
 * ARGV is
 * 1. the time, or empty for the server's own;
 * 2. `1` to take, `0` to look, or for a refund the time when its tokens were taken;
 * 3. the least used amount of each window, in the form of `u`, or empty;
 * 4. then for each window its limit, its length in milliseconds, its reserve and the cost.
 *
 * Returns the time, and `t` and `u` as of that time, before anything is taken.
 *
 * A hash expires a day after its buckets are full again. Full buckets need not be kept, but when the clock is
 * set back, `t` must still be there.
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
