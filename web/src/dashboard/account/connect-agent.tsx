// How an agent is connected: the address to copy, the steps of each known client, and the tools, tried from here over the very protocol.
import { useState } from 'preact/hooks'
import { Copy } from '../../ui/copy.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { TabSwitch } from '../../ui/tabs.tsx'
import { type Query, useQuery } from '../data/use-query.ts'
import { absolute } from '../parts/format.ts'
import { FormFoot } from '../parts/form-foot.tsx'

interface Client {
  id: string
  label: string
  steps: (address: string) => readonly string[]
  /** What is pasted, where something is. */
  paste?: (address: string) => string
  /** A link that the client opens and adds the server from. It signs in here by itself, so no key is in it. */
  install?: (address: string) => string
}

const withKey = (address: string) => ({ url: address, headers: { Authorization: 'Bearer <your key>' } })
const json = (value: object) => JSON.stringify(value, null, 2)

const clients: readonly Client[] = [
  {
    id: 'claude',
    label: 'Claude',
    steps: () => [
      'Open Settings, then Connectors, then Add custom connector.',
      'Paste the address.',
      'Sign in here when it asks, and allow it.',
    ],
  },
  {
    id: 'claude-code',
    label: 'Claude Code',
    steps: () => ['Create a key in Settings, API keys.', 'Run this with the key in its place.'],
    paste: (address) => `claude mcp add --transport http rostrum ${address} --header "Authorization: Bearer <your key>"`,
  },
  {
    id: 'chatgpt',
    label: 'ChatGPT',
    steps: () => [
      'Open Settings, then Connectors, then Advanced, and turn Developer mode on.',
      'Press Create and paste the address.',
      'Sign in here when it asks.',
    ],
  },
  {
    id: 'cursor',
    label: 'Cursor',
    steps: () => [
      'Create a key in Settings, API keys.',
      'Write this into ~/.cursor/mcp.json.',
      'Open Cursor’s settings: the server is listed under MCP.',
    ],
    // https://cursor.com/docs/mcp/install-links
    install: (address) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=rostrum&config=${encodeURIComponent(btoa(JSON.stringify({ url: address })))}`,
    paste: (address) => json({ mcpServers: { rostrum: withKey(address) } }),
  },
  {
    id: 'vs-code',
    label: 'VS Code',
    steps: () => [
      'Create a key in Settings, API keys.',
      'Write this into .vscode/mcp.json of your project.',
      'Press Start above the entry.',
    ],
    // https://code.visualstudio.com/docs/copilot/guides/mcp-developer-guide
    install: (address) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'rostrum', type: 'http', url: address }))}`,
    paste: (address) => json({ servers: { rostrum: { type: 'http', ...withKey(address) } } }),
  },
]

export function ConnectAgent() {
  const [chosen, setChosen] = useState('claude')
  const address = absolute('/mcp')
  const client = clients.find(({ id }) => id === chosen)
  const paste = client?.paste?.(address)
  return (
    <section class="section" aria-labelledby="connect">
      <h2 id="connect">Connect an agent</h2>
      <p class="muted">Claude, ChatGPT, an editor or your own program can make talks, read figures and answer for you.</p>
      <div class="halves">
        <div class="connect-way">
          <div class="connect-address">
            <code class="well">{address}</code>
            <Copy value={address} label="Copy address" kind="primary" />
          </div>
          <TabSwitch label="Client" tabs={clients} current={chosen} onChange={setChosen} panelId="connect-steps" />
          <div id="connect-steps" role="tabpanel" aria-label={client?.label} class="connect-steps">
            {client?.install !== undefined && (
              <>
                <p>
                  <a class="btn" href={client.install(address)}>
                    Add to {client.label}
                  </a>
                </p>
                <p class="muted">It asks you to sign in here. By hand, with a key:</p>
              </>
            )}
            <ol>
              {client?.steps(address).map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
            {paste !== undefined && (
              <>
                <code class="well">{paste}</code>
                <div class="actions">
                  <Copy dense value={paste} label="Copy" />
                  <a href="/dashboard/settings">API keys</a>
                </div>
              </>
            )}
            <p>
              <a href="/docs/mcp">All clients, and how the protocol is spoken</a>
            </p>
          </div>
        </div>
        <ToolForm />
      </div>
    </section>
  )
}

interface Tool {
  name: string
  title?: string
  description?: string
}

/** One message over the protocol that agents speak; the sign-in of this browser counts for nothing there. */
async function ask<T>(method: string, params: object, key = '', signal: AbortSignal | null = null): Promise<T> {
  const response = await fetch('/mcp', {
    method: 'POST',
    credentials: 'omit',
    signal,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer = (await response.json()) as { result?: T; error?: { message?: string } }
  if (answer.result === undefined) throw new Error(answer.error?.message ?? `The server answered ${response.status}.`)
  return answer.result
}

const toolsQuery: Query<Tool[]> = {
  queryKey: ['mcp-tools'],
  queryFn: async ({ signal }) => (await ask<{ tools: Tool[] }>('tools/list', {}, '', signal)).tools,
  staleTime: 10 * 60_000,
}

/** What an agent would call, called from here. */
function ToolForm() {
  const tools: readonly Tool[] = useQuery(toolsQuery).data ?? [{ name: 'discover_sessions', title: 'Find public presentations' }]
  const [name, setName] = useState('discover_sessions')
  const [answer, setAnswer] = useState<string>()
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ key = '', arguments: given = '' }) {
      setAnswer(undefined)
      const result = await ask<{ structuredContent?: object; content?: object }>(
        'tools/call',
        { name, arguments: JSON.parse(given || '{}') as object },
        key,
      )
      setAnswer(JSON.stringify(result.structuredContent ?? result.content ?? result, null, 2))
    },
  })
  const tool = tools.find((one) => one.name === name)
  return (
    <section class="card try-tool" aria-labelledby="try-tool">
      <h3 id="try-tool">Try a tool from here</h3>
      <form class="form" noValidate onSubmit={onSubmit}>
        <Select
          label="Tool"
          name="tool"
          value={name}
          options={tools.map((one) => ({ value: one.name, label: one.title === undefined ? one.name : `${one.title} (${one.name})` }))}
          hint={tool?.description}
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <TextArea
          label="Arguments"
          name="arguments"
          rows={2}
          class="input input-code"
          defaultValue="{}"
          hint="JSON, as the agent would send it."
          error={errors['arguments']}
        />
        <TextField
          label="API key"
          name="key"
          type="password"
          autocomplete="off"
          hint="Needed for everything but finding public talks. It stays in this page and does what it may do for real."
        />
        <FormFoot isInPage failure={failure} busy={busy} act="Call the tool" />
      </form>
      <div role="status">{answer !== undefined && <code class="well">{answer}</code>}</div>
    </section>
  )
}
