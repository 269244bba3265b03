local M = {}

--- Removes entries that are older than `age` seconds.
function M.expire(entries, age, now)
  now = now or os.time()
  local kept = {}
  for key, entry in pairs(entries) do
    if now - entry.time <= age then
      kept[key] = entry
    end
  end
  return kept
end

return M
