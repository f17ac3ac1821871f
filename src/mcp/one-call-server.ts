// The library's server of one exchange, with a short way for the request that nearly every client sends: it goes straight to the
// handler that the library keeps for its method, past transports and web-standard objects (docs/decisions/010).
import type { JSONRPCMessage, JSONRPCRequest, MessageExtraInfo, Transport } from '@modelcontextprotocol/server'
import { Server } from '@modelcontextprotocol/server'
import { inWords, withoutNulls } from './plain-words.ts'

/**
 * What the library does with a message that its guards have called a request, and where it sends the answer; `plainRequest` has seen
 * as much as the guards. Private there: test/mcp/one-call.test.ts fails where a new version no longer has it.
 */
interface Dispatches {
  _transport: Transport
  _onrequest(request: JSONRPCMessage, extra: MessageExtraInfo): void
}

/** A class, because the library offers its hooks to subclasses: `_wrapHandler`, `_negotiatedProtocolVersion`. */
export class OneCallServer extends Server {
  #isPlain = false

  /**
   * The library's answer to `request`, which must be one that `plainRequest` has read; undefined where the library refused it
   * before any handler ran, so that its own entry may say why, with the status that belongs to it. `revision`: of the modern era.
   */
  async answer(request: JSONRPCRequest, revision: string | undefined): Promise<JSONRPCMessage | undefined> {
    this.#isPlain = true
    if (revision !== undefined) this._negotiatedProtocolVersion = revision
    const answered = Promise.withResolvers<JSONRPCMessage | undefined>()
    let isJudging = true
    const transport: Transport = {
      start: async () => undefined,
      close: async () => undefined,
      async send(message) {
        if ('method' in message) return
        answered.resolve(isJudging && 'error' in message ? undefined : inWords(message))
      },
    }
    const inner = this as unknown as Dispatches
    // Not `connect`: it assigns functions to members, which the engine therefore puts among its old objects, and they keep the whole
    // exchange alive until the next full collection.
    inner._transport = transport
    inner._onrequest(withoutNulls(request), revision === undefined ? {} : { classification: { era: 'modern', revision } })
    isJudging = false
    return answered.promise
  }

  /** Sees to it that the server, on any transport of the library, neither sends a dump of a schema nor minds a null. */
  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport)
    const { onmessage: receive } = transport
    const send = transport.send.bind(transport)
    // The transport of the library has one handler, which is a member.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    transport.onmessage = (message, extra) => receive?.(withoutNulls(message), extra)
    transport.send = (message, options) => send(inWords(message), options)
  }

  /**
   * The library checks every call and every result of a tool by its schemas, after it has checked the call once. Results are made
   * from declarations whose tests check them; and no plain request answers a question of ours.
   */
  protected override _wrapHandler(method: string, handler: Parameters<Server['_wrapHandler']>[1]): ReturnType<Server['_wrapHandler']> {
    const wrapped = super._wrapHandler(method, handler)
    return method === 'tools/call' ? (request, context) => (this.#isPlain ? handler : wrapped)(request, context) : wrapped
  }
}
