// An agent's whole story through the tool protocol, with the official client: register, make a talk, ask its presenter, leave
// a lead, look at the figures. Prints a transcript: `node examples/agent-through-mcp.ts http://localhost:4400`.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** Plays the story against `baseUrl`; each line of the transcript goes to `say`. */
export async function agentThroughMcp(baseUrl: string, say: (line: string) => void): Promise<void> {
  // #region register
  const registered = await fetch(`${baseUrl}/api/v1/auth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Example agent', identity_type: 'anonymous' }),
  })
  const { access_token: token, scope } = (await registered.json()) as { access_token: string; scope: string }
  say(`registered with ${scope}`)
  // #endregion

  // #region connect
  const client = new Client({ name: 'example-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  // #endregion
  const { tools } = await client.listTools()
  say(`connected to ${client.getServerVersion()?.title ?? ''} with ${tools.length} tools`)

  const call = async (name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: args })
    if (isError === true) throw new Error(`${name}: ${JSON.stringify(content)}`)
    return structuredContent as Record<string, unknown>
  }

  // #region create
  const session = await call('create_session', {
    title: 'Why grids need batteries',
    isLive: true,
    slides: [
      { textContent: 'Why grids need batteries\n- Demand peaks at six in the evening\n- A battery answers within one second' },
      { textContent: 'What it costs\n- A kilowatt hour of storage costs 90 euros', agentNotes: 'Do not promise discounts.' },
    ],
    knowledgeBase: [{ title: 'Warranty', content: 'The warranty lasts ten years.' }],
    ctaText: 'Book a visit',
    ctaUrl: 'https://example.com/visit',
  })
  // #endregion
  const sessionId = session['id']
  say(`created "${String(session['title'])}", ${String(session['status'])}`)

  // #region ask
  const answer = await call('pap_query_presenter', { sessionId, message: 'How long does the warranty last?' })
  // #endregion
  say(`the presenter says: ${String(answer['reply'])}`)
  say(`citing ${(answer['citations'] as { title: string }[]).map(({ title }) => title).join(', ')}`)
  const unknown = await call('pap_query_presenter', { sessionId, message: 'Who won the chess olympiad?' })
  say(`asked beyond the talk, the outcome is ${String(unknown['outcome'])}`)

  // #region lead
  const lead = await call('submit_attendee_lead', { sessionId, email: 'maya@example.com', name: 'Maya Lin' })
  // #endregion
  say(`left a lead with consent: ${String(lead['success'])}`)

  const figures = await call('get_session_analytics', { sessionId })
  say(`${String(figures['totalAttendees'])} people have been in the room so far`)
  const found = await call('discover_sessions', { query: 'batteries' })
  // Its room is open to whoever has the link; lists name it once a person vouches for the agent.
  say(`the talk is listed publicly: ${String((found['sessions'] as unknown[]).length > 0)}`)
  await client
    .callTool({ name: 'export_leads', arguments: { sessionId } })
    .then(({ isError }) => say(isError === true ? 'leads stay closed until a person claims this agent' : 'leads were exported'))
  await client.close()
}

if (import.meta.main) {
  const [baseUrl = 'http://localhost:4400'] = process.argv.slice(2)
  await agentThroughMcp(baseUrl, (line) => console.log(line))
}
