-- Retick for Wireshark and tshark: link datagrams, RBN1 inputs, NetRunner and server payloads.
-- Written by "retick export wireshark" from the tables by which retick packet explains them.
--
--   tshark -X lua_script:retick.lua -r match.pcapng -Y "retick.frame == 120"
--
-- Filters besides the fields of the packets:
--   retick.kind      kind of a datagram, such as "PAYLOAD" or "CONTROL"
--   retick.content   what a payload is: "RBN1", "NetRunner snapshot", "world input"
--   retick.message   kind of a reliable message that begins in the datagram, such as "ROSTER"
--   retick.sealed    what only the two ends of a sealed connection can read: retick packet --keylog FILE opens it
--   retick.inputs    how many frames of inputs a datagram carries; retick.frame and retick.input for each of them

--@TABLES@

local retick = Proto("retick", "Retick")
local made = {}
for _, row in ipairs(FIELDS) do
  local abbr, name, kind, form = row[1], row[2], row[3], row[4]
  if kind == "bytes" or kind == "string" or kind == "float" then
    made[abbr] = ProtoField[kind](abbr, name)
  else
    made[abbr] = ProtoField[kind](abbr, name, form == "hex" and base.HEX or base.DEC)
  end
end
for abbr, what in pairs({
  ["retick.kind"] = "Kind", ["retick.content"] = "Content", ["retick.message"] = "Message",
}) do
  made[abbr] = ProtoField.string(abbr, what)
end
made["retick.inputs"] = ProtoField.uint32("retick.inputs", "Frames of inputs")
made["retick.frame"] = ProtoField.uint32("retick.frame", "Frame")
made["retick.input"] = ProtoField.uint64("retick.input", "Input", base.HEX)
made["retick.payload"] = ProtoField.bytes("retick.payload", "Payload")
made["retick.sealed"] = ProtoField.bytes("retick.sealed", "Sealed")
made["retick.tag"] = ProtoField.bytes("retick.tag", "Tag")
made["retick.rest"] = ProtoField.bytes("retick.rest", "Rest")
retick.fields = made
local cut_short = ProtoExpert.new("retick.cut_short", "Cut short", expert.group.MALFORMED, expert.severity.ERROR)
retick.experts = { cut_short }

-- Reads all fields of a table; gives the offset behind them, and the numbers by name. nil where the bytes end first.
local function read(fields, tvb, at, tree)
  local found, last = {}, 0
  for _, field in ipairs(fields) do
    local abbr, size, number = field[1], field[2], field[3]
    if size < 0 then size = last end
    if at + size > tvb:len() then
      tree:add_proto_expert_info(cut_short)
      return nil, found
    end
    if size > 0 then
      local range = tvb(at, size)
      tree:add_le(made[abbr], range)
      if number and size <= 4 then
        last = range:le_uint()
        found[abbr] = last
      end
    end
    at = at + size
  end
  return at, found
end

local function text_at(tvb, at, size)
  if at + size > tvb:len() then return "" end
  return tvb(at, size):raw()
end

local function rest(tvb, at, tree, abbr)
  if at ~= nil and at < tvb:len() then tree:add(made[abbr], tvb(at)) end
end

-- Frames with their inputs, from `at` on; gives the offset behind them.
local function inputs(tvb, at, first, count, size, seats, tree)
  for frame = first, first + count - 1 do
    if at + size * seats > tvb:len() then
      tree:add_proto_expert_info(cut_short)
      break
    end
    local branch = tree:add(made["retick.frame"], tvb(at, size * seats), frame)
    for _ = 1, seats do
      branch:add_le(made["retick.input"], tvb(at, size))
      at = at + size
    end
  end
  return at
end

-- The shape byte, if there is one, and the blocks; gives the offset behind them, bytes of an input and seats.
local function shape_and_blocks(tvb, at, flags, has_shape, tree)
  local size, seats = 2, 1
  if has_shape then
    local shape
    at, shape = read(RBN1.shape, tvb, at, tree)
    if at == nil then return nil end
    size, seats = shape["retick.rbn1.shape"] % 16, math.floor(shape["retick.rbn1.shape"] / 16)
  end
  for _, block in ipairs(RBN1.blocks) do
    if math.floor(flags / block.flag) % 2 == 1 then
      at = read(block.fields, tvb, at, tree)
      if at == nil then return nil end
    end
  end
  return at, size, seats
end

local function said_of(first, count, ack)
  if count == 0 then return "RBN1" end
  return string.format("RBN1 frames %d to %d, ack %d", first, first + count - 1, ack)
end

local function rbn1(tvb, start, tree)
  local at, head = read(RBN1.header, tvb, start, tree)
  if at == nil then return "RBN1" end
  local size, seats
  at, size, seats = shape_and_blocks(tvb, at, head["retick.rbn1.flags"], head["retick.rbn1.version"] == 2, tree)
  if at == nil then return "RBN1" end
  local first, count = head["retick.rbn1.start_frame"], head["retick.rbn1.count"]
  tree:add(made["retick.inputs"], tvb(start, at - start), count):set_generated()
  if size < 1 or size > 8 or count > RBN1.most then return "RBN1" end
  at = inputs(tvb, at, first, count, size, seats, tree)
  rest(tvb, at, tree, "retick.rest")
  return said_of(first, count, head["retick.rbn1.ack_frame"])
end

local function xor(a, b)
  local found, place = 0, 1
  while place < 256 do
    if math.floor(a / place) % 2 ~= math.floor(b / place) % 2 then found = found + place end
    place = place * 2
  end
  return found
end

-- Packed inputs as rows of bytes; nil where they are not as a writer packs them.
local function unpacked(tvb, at, count, width)
  local bytes, place = {}, 0
  for index = 0, count * width - 1 do bytes[index] = 0 end
  while at < tvb:len() do
    local token = tvb(at, 1):uint()
    local number = token % 16
    place, at = place + math.floor(token / 16), at + 1
    if place + number > count * width or at + number > tvb:len() then return nil end
    for _ = 1, number do
      bytes[place % count * width + math.floor(place / count)] = tvb(at, 1):uint()
      place, at = place + 1, at + 1
    end
  end
  local hex = {}
  for index = 0, count * width - 1 do
    if index >= width then bytes[index] = xor(bytes[index], bytes[index - width]) end
    hex[index + 1] = string.format("%02x", bytes[index])
  end
  return ByteArray.new(table.concat(hex)):tvb("Unpacked inputs")
end

local function packed_rbn1(tvb, start, tree)
  local at, head = read(RBN1.packed, tvb, start, tree)
  if at == nil then return "RBN1" end
  local mark = head["retick.rbn1.mark"]
  local size, seats
  at, size, seats = shape_and_blocks(tvb, at, mark % 8, math.floor(mark / 8) % 2 == 1, tree)
  if at == nil then return "RBN1" end
  local first, count = head["retick.rbn1.start_frame"], head["retick.rbn1.count"]
  local ack = first + (head["retick.rbn1.ack"] - first + 32768) % 65536 - 32768
  if ack >= 0 then tree:add(made["retick.rbn1.ack_frame"], tvb(start + 6, 2), ack):set_generated() end
  tree:add(made["retick.inputs"], tvb(start, at - start), count):set_generated()
  rest(tvb, at, tree, "retick.rbn1.packed_inputs")
  if size < 1 or size > 8 or seats < 1 or seats > 8 or count > RBN1.most then return "RBN1" end
  local plain = unpacked(tvb, at, count, size * seats)
  if plain == nil then
    tree:add_proto_expert_info(cut_short)
    return "RBN1"
  end
  inputs(plain, 0, first, count, size, seats, tree)
  return said_of(first, count, ack)
end

-- A NetRunner packet is known by its type and its length.
local function netrunner(tvb, start, size, tree)
  local packet = NETRUNNER[tvb(start, 1):uint()]
  if packet == nil or packet.size ~= size then return nil end
  local at, head = read(packet.head, tvb, start, tree)
  if at ~= nil and packet.each ~= nil then
    for _ = 1, math.min(head["retick.netrunner.count"], packet.most) do
      if at ~= nil then at = read(packet.each, tvb, at, tree) end
    end
  elseif at ~= nil and packet.bodies ~= nil then
    local body = packet.bodies[head["retick.netrunner.subtype"]]
    if body ~= nil then at = read(body, tvb, at, tree) end
  end
  if at ~= nil and at < start + size then tree:add(made["retick.rest"], tvb(at, start + size - at)) end
  return "NetRunner " .. packet.name
end

local function server(layouts, tvb, start, size, tree)
  local layout = layouts[tvb(start, 1):uint()]
  if layout == nil then return nil end
  local part = tvb(start, size):tvb()
  local at = read(layout.fields, part, 0, tree)
  local inner = nil
  if layout.bundle and at ~= nil and at < size then inner = netrunner(part, at, size - at, tree) end
  if inner ~= nil then return inner end
  rest(part, at, tree, "retick.rest")
  return layout.name
end

local function payload(tvb, start, tree)
  local size = tvb:len() - start
  if size <= 0 then
    tree:add_proto_expert_info(cut_short)
    return ""
  end
  local branch = tree:add(retick, tvb(start), "Payload")
  local said
  local is_packed = math.floor(tvb(start, 1):uint() / 16) == RBN1.mark
  if is_packed or text_at(tvb, start, 4) == RBN1.magic then
    said = is_packed and packed_rbn1(tvb, start, branch) or rbn1(tvb, start, branch)
    branch:add(made["retick.content"], tvb(start), "RBN1"):set_generated()
    return said
  end
  said = netrunner(tvb, start, size, branch) or server(PAYLOADS, tvb, start, size, branch)
  if said == nil then
    branch:add(made["retick.payload"], tvb(start))
    return ""
  end
  branch:add(made["retick.content"], tvb(start), said):set_generated()
  return said
end

local function fragments(tvb, at, tree)
  local said = {}
  while at ~= nil and at < tvb:len() do
    local branch = tree:add(retick, tvb(at), "Fragment")
    local head
    at, head = read(FRAGMENT.head, tvb, at, branch)
    if at == nil then break end
    local marked = head["retick.link.fragment_length"]
    local size = marked % (FRAGMENT.mask + 1)
    if at + size > tvb:len() then
      branch:add_proto_expert_info(cut_short)
      break
    end
    if marked >= FRAGMENT.first and size > 0 then
      local name = netrunner(tvb, at, size, branch) or server(MESSAGES, tvb, at, size, branch)
      if name == nil then name = SESSION[tvb(at, 1):uint()] end
      if name ~= nil then
        branch:add(made["retick.message"], tvb(at, size), name)
        said[#said + 1] = name
      else
        branch:add(made["retick.payload"], tvb(at, size))
      end
    elseif size > 0 then
      branch:add(made["retick.payload"], tvb(at, size))
    end
    at = at + size
  end
  return table.concat(said, ", ")
end

local function name_of(first)
  if first >= LINK.payload and first < LINK.control then return "PAYLOAD", LINK.payload end
  return LINK.names[first], first
end

-- Ids that are on datagrams of sealed connections: HELLO, ENTER and ADMIT say which they are.
local sealed_ids = {}

local function is_sealed(tvb, kind)
  if kind >= LINK.request then return false end
  if LINK.sealed.always[kind] then
    if tvb:len() >= LINK.envelope then sealed_ids[tvb(1, 4):le_uint()] = true end
    return true
  end
  if LINK.sealed.sizes[kind] == tvb:len() then return true end
  return tvb:len() >= LINK.envelope and sealed_ids[tvb(1, 4):le_uint()] == true
end

local function sealed(tvb, at, tree)
  at = read(LINK.sealed.envelope, tvb, at, tree)
  if at == nil then return end
  local tag = tvb:len() - LINK.sealed.tag
  if tag < at then
    tree:add_proto_expert_info(cut_short)
    rest(tvb, at, tree, "retick.rest")
    return
  end
  if tag > at then tree:add(made["retick.sealed"], tvb(at, tag - at)) end
  tree:add(made["retick.tag"], tvb(tag))
end

-- The fields of a handshake, by its version; and whether it is of the sealed form.
local function body_of(tvb, kind)
  local version = 1 + #LINK.magic
  if kind < LINK.request or tvb:len() <= version or text_at(tvb, 1, #LINK.magic) ~= LINK.magic
    or tvb(version, 1):uint() ~= LINK.sealed.version then
    return LINK.bodies[kind], false
  end
  return LINK.sealed.handshake[kind] or LINK.bodies[kind], true
end

function retick.dissector(tvb, pinfo, tree)
  if tvb:len() == 0 then return 0 end
  local bare = text_at(tvb, 0, 4) == RBN1.magic
  local name, kind = name_of(tvb(0, 1):uint())
  if not bare and name == nil then return 0 end
  pinfo.cols.protocol = "Retick"
  local root = tree:add(retick, tvb())
  if bare then
    root:add(made["retick.kind"], tvb(0, 4), "RBN1")
    pinfo.cols.info = rbn1(tvb, 0, root)
    return tvb:len()
  end
  root:add(made["retick.kind"], tvb(0, 1), name)
  local at = read(LINK.kind, tvb, 0, root)
  if is_sealed(tvb, kind) then
    sealed(tvb, at, root)
    pinfo.cols.info = name .. ", sealed"
    return tvb:len()
  end
  local body, of_sealed_form = body_of(tvb, kind)
  local found
  at, found = read(body, tvb, at, root)
  local id = found["retick.link.connection_id"]
  if of_sealed_form and id ~= nil then sealed_ids[id] = true end
  local said = ""
  if at ~= nil and kind == LINK.payload then said = payload(tvb, at, root)
  elseif at ~= nil and kind == LINK.control then said = fragments(tvb, at, root)
  else rest(tvb, at, root, "retick.rest") end
  pinfo.cols.info = said == "" and name or name .. ": " .. said
  return tvb:len()
end

-- What is surely ours: a handshake, inputs, or a report whose two acknowledgements agree. The rest of a conversation
-- is then ours too. For what begins later: Decode As, Retick.
local function is_ours(tvb)
  if text_at(tvb, 0, 4) == RBN1.magic then return true end
  if tvb:len() < LINK.envelope then return false end
  local name, kind = name_of(tvb(0, 1):uint())
  if name == nil then return false end
  if kind >= LINK.request then return text_at(tvb, 1, #LINK.magic) == LINK.magic end
  if kind == LINK.payload then return text_at(tvb, LINK.envelope, 4) == RBN1.magic end
  if kind == LINK.control and tvb:len() >= LINK.report then
    return tvb(LINK.ack, 1):uint() == tvb(LINK.acked, 1):uint()
  end
  return false
end

retick:register_heuristic("udp", function(tvb, pinfo, tree)
  if not is_ours(tvb) then return false end
  pinfo.conversation = retick
  return retick.dissector(tvb, pinfo, tree) > 0
end)
DissectorTable.get("udp.port"):add_for_decode_as(retick)
