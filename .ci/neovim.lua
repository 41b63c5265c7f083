-- Headless Neovim as a client: opens a bad file, waits for the diagnostic, applies the fix that is offered, saves, and
-- waits for the diagnostic to go. `nvim -l` does not exist in old versions, so it is run as `-c "luafile neovim.lua"`.
local program = assert(os.getenv("LOCKLINT"))

local function fail(message)
  io.stderr:write("neovim: " .. message .. "\n")
  vim.cmd("cquit 1")
end

local function session()
  local function diagnostics()
    return vim.diagnostic.get(0)
  end

  vim.cmd("edit queue.sql")
  local id = vim.lsp.start_client({ name = "locklint", cmd = { program, "server" }, root_dir = vim.fn.getcwd() })
  if not id then
    return fail("the server did not start")
  end
  vim.lsp.buf_attach_client(0, id)
  if not vim.wait(20000, function() return #diagnostics() == 1 end, 50) then
    return fail("no diagnostic came")
  end
  local one = diagnostics()[1]
  local line = vim.api.nvim_buf_get_lines(0, one.lnum, one.lnum + 1, true)[1]
  local marked = line:sub(one.col + 1, one.end_col)
  if one.code ~= "session-lock-in-transaction" or marked ~= "pg_advisory_lock(7)" then
    return fail("the wrong place: " .. vim.inspect(one) .. marked)
  end

  vim.api.nvim_win_set_cursor(0, { one.lnum + 1, one.col })
  local answer = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(), 5000)
  if not vim.inspect(answer):find("# session%-lock%-in%-transaction") then
    return fail("no page: " .. vim.inspect(answer))
  end
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = {} }
  local title = "Use pg_advisory_xact_lock"
  for _, one in ipairs(vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 5000)[id].result) do
    if one.title == title then
      vim.lsp.util.apply_workspace_edit(one.edit, vim.lsp.get_client_by_id(id).offset_encoding)
    end
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
  if not text:find("pg_advisory_xact_lock(7)", 1, true) then
    return fail("the fix was not made: " .. text)
  end
  vim.cmd("write")
  if not vim.wait(10000, function() return #diagnostics() == 0 end, 50) then
    return fail("the diagnostic stayed")
  end
  print("neovim: as it should be")
  vim.cmd("quit")
end

local fine, why = pcall(session)
if not fine then
  fail(tostring(why))
end
