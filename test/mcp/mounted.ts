// Operations of a test as tools, behind the product's own mount and HTTP server, on a port of their own.
import type { Operation } from '../../server/platform/operation.ts'
import { createCatalogue } from '../../server/mcp/catalogue.ts'
import { createGuard, createRefusals } from '../../server/mcp/exchange.ts'
import { mountMcp } from '../../server/mcp/route.ts'
import { buildServer } from '../../server/mcp/server.ts'
import { openHttp } from '../support/http.ts'

export interface Mounted {
  port: number
  /** Faults that would be logged, with the id of their request. */
  bugs: { error: unknown; requestId: string }[]
  close(): Promise<void>
}

const baseUrl = 'http://localhost'

/** `steps`: the progress of every tool. */
export async function mountTools(operations: readonly Operation[], steps: readonly string[]): Promise<Mounted> {
  const bugs: Mounted['bugs'] = []
  const catalogue = createCatalogue({ operations, prompts: [], resources: [], title: 'Test', baseUrl })
  const mount = mountMcp({
    build: (call) =>
      buildServer(call, {
        catalogue,
        sessions: { find: async () => ({ ids: [], total: 0 }) },
        baseUrl,
        progressOf: () => steps,
        onBug: (error, { requestId }) => void bugs.push({ error, requestId }),
        once: (operation) => operation,
      }),
    catalogue: () => catalogue,
    guard: createGuard({ baseUrl, listenHost: '127.0.0.1', allowedHosts: [], corsOrigins: [] }),
    limiter: { consume: async () => ({ allowed: true, headers: {} }) },
    refusals: createRefusals({ baseUrl, challenge: () => undefined, onBug: (error, requestId) => void bugs.push({ error, requestId }) }),
    requireAuth: false,
  })
  const { http, store } = await openHttp({
    options: {
      routes: [
        {
          method: 'ALL',
          path: '/mcp',
          kind: 'protocol',
          handle: mount,
        },
      ],
    },
  })
  return {
    port: await http.listen(),
    bugs,
    async close() {
      await http.close(0)
      await store.close()
    },
  }
}
