// What the protocol library says of a request with members of the wrong type is a dump of its schema's findings, some of it under
// the code of an internal error. Here it becomes words that say which member to mend; and a member that is null counts as left out,
// because some clients cannot leave one out.
import type { JSONRPCMessage, JSONRPCResultResponse, Transport } from '@modelcontextprotocol/server'
import { Server } from '@modelcontextprotocol/server'

const invalidParams = -32602
const dump = /^(?:Invalid \S+ request: )?(\[\s*\{[\s\S]*\}\s*\])$/

/** The library's server, on any transport of it: it takes no null amiss, sends no dump of a schema, and describes itself as we do. */
export class PlainServer extends Server {
  /** The result of `server/discover`: the library's own, which it puts in place of any handler, lists no resources and no metadata. */
  discovery: JSONRPCResultResponse['result'] | undefined

  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport)
    const { onmessage: receive } = transport
    const send = transport.send.bind(transport)
    const discovering = new Set<unknown>()
    // The transport of the library has one handler, which is a member.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    transport.onmessage = (message, extra) => {
      if ('method' in message && 'id' in message && message.method === 'server/discover') discovering.add(message.id)
      receive?.(withoutNulls(message), extra)
    }
    transport.send = (message, options) => {
      const { discovery } = this
      const isDiscovery = discovery !== undefined && 'result' in message && discovering.delete(message.id)
      return send(isDiscovery ? { ...message, result: discovery } : inWords(message), options)
    }
  }
}

function withoutNulls(message: JSONRPCMessage): JSONRPCMessage {
  if (!('params' in message) || message.params === undefined) return message
  const members = Object.entries(message.params)
  const kept = members.filter(([, value]) => value !== null)
  return kept.length === members.length ? message : { ...message, params: Object.fromEntries(kept) }
}

function inWords(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message
  const findings = dump.exec(message.error.message)?.[1]
  if (findings === undefined) return message
  return { ...message, error: { code: invalidParams, message: wordsOf(findings) } }
}

/** `params.name: expected string, received undefined`, for each finding of the dump. */
function wordsOf(findings: string): string {
  const parsed = findingsIn(findings).slice(0, 3)
  const lines = parsed.map(({ path = [], message = '' }) => {
    const member = path.length === 0 ? 'the request' : `\`${path.join('.')}\``
    return `${member}: ${message.replace(/^Invalid input: /, '') || 'not of a shape that is known'}`
  })
  return `The parameters are not valid. ${lines.join('; ')}. Mend ${lines.length === 1 ? 'it' : 'them'} and send the request again.`
}

function findingsIn(text: string): { path?: (string | number)[]; message?: string }[] {
  try {
    // The library's own schema has written it.
    return JSON.parse(text) as { path?: (string | number)[]; message?: string }[]
  } catch {
    return [{}]
  }
}
