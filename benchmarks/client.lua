-- SPDX-License-Identifier: Apache-2.0
-- Sends every line of a file once, as fast as the connections answer, then writes what came back.
--   wrk -t1 -c32 -d600s -s client.lua URL -- BODIES RESULT PATH CONTENT_TYPE CREATED IDLE IDLE_STATUS [AUTHORIZATION]
-- A body that was taken is answered CREATED. Who has none left to send asks for IDLE, answered IDLE_STATUS.
local ffi = require("ffi")
ffi.cdef [[
typedef struct { long sec; long nsec; } bench_time;
int clock_gettime(int clock, bench_time *at);
]]
local at = ffi.new("bench_time")

local function now_us()
  ffi.C.clock_gettime(1, at)
  return tonumber(at.sec) * 1000000 + tonumber(at.nsec) / 1000
end

local requests, sent, answered, created = {}, 0, 0, 0
local verified, started, others = false, nil, {}
local result, taken, idle, idle_status

function init(args)
  local headers = { ["content-type"] = args[4], ["authorization"] = args[8] }
  taken, idle, idle_status = tonumber(args[5]), args[6], tonumber(args[7])
  for line in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("POST", args[3], headers, line)
  end
  result = args[2]
end

function request()
  if not verified then -- wrk asks once before it connects, to count what it would pipeline
    verified = true
    return wrk.format("GET", idle)
  end
  started = started or now_us()
  if sent == #requests then return wrk.format("GET", idle) end
  sent = sent + 1
  return requests[sent]
end

function delay() -- a connection that has nothing left to send keeps nobody else from sending
  return sent == #requests and 50 or 0
end

function response(status)
  if status == idle_status then return end
  answered = answered + 1
  if status == taken then created = created + 1 else others[status] = (others[status] or 0) + 1 end
  if answered < #requests then return end
  local file = assert(io.open(result, "w"))
  local refused = {}
  for code, n in pairs(others) do refused[#refused + 1] = string.format('"%d":%d', code, n) end
  file:write(string.format('{"created":%d,"us":%d,"others":{%s}}',
    created, now_us() - started, table.concat(refused, ",")))
  file:close()
  os.exit(0)
end
