// A personal agent as the kit plays it: JSON-RPC of revision 2026-07-28 over HTTP, with and without its credential.
export interface Reply {
  status: number
  headers: Headers
  message: { result?: unknown; error?: { code: number; message: string } }
}

export interface Peer {
  send(method: string, params: Record<string, unknown>, withCredential?: boolean): Promise<Reply>
  call(tool: string, args: Record<string, unknown>, withCredential?: boolean): Promise<Reply>
}

const version = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'pap-conformance', version: '0.1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** `url` is the address of the MCP server. */
export function createPeer(url: string, token: string, fetch = globalThis.fetch): Peer {
  let id = 0
  const send: Peer['send'] = async (method, params, withCredential = true) => {
    const name = params['name']
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': version,
        'Mcp-Method': method,
        ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
        ...(withCredential ? { Authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta: meta } }),
    })
    return { status: response.status, headers: response.headers, message: messageIn(await response.text(), response) }
  }
  return { send, call: (tool, args, withCredential) => send('tools/call', { name: tool, arguments: args }, withCredential) }
}

/** The answer itself: a server may send it as JSON, or as the last event of a stream. */
function messageIn(text: string, { status, headers }: Response): Reply['message'] {
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  const json = isStream ? ([...text.matchAll(/^data: ?(.+)$/gm)].at(-1)?.[1] ?? '') : text
  try {
    return JSON.parse(json) as Reply['message']
  } catch {
    throw new Error(`The server answered ${status} with something that is no JSON-RPC message.`)
  }
}

/** The MCP server behind `address`: the one its manifest names where only a site is given. */
export async function endpointOf(address: string): Promise<string> {
  if (!URL.canParse(address)) throw new Error('Give the address as https://...')
  if (new URL(address).pathname !== '/') return address
  const response = await fetch(new URL('/.well-known/mcp.json', address))
  const { endpoint } = response.ok ? ((await response.json()) as { endpoint?: string }) : {}
  if (endpoint === undefined) throw new Error(`${address} names no MCP server in /.well-known/mcp.json. Give its address itself.`)
  return endpoint
}

/** An anonymous credential, as an agent without an account gets one (PAP-5). */
export async function registerAnonymous(url: string): Promise<string> {
  const response = await fetch(new URL('/api/v1/auth/register', url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'pap-conformance', identity_type: 'anonymous' }),
  })
  const { access_token: token } = response.ok ? ((await response.json()) as { access_token?: string }) : {}
  if (token === undefined) throw new Error(`The server gives no anonymous credential (${response.status}). Set PAP_TOKEN.`)
  return token
}
