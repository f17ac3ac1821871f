// Joins the tool protocol (spec 4.5) to the service: its catalogue, its texts and views, its HTTP addresses and its cards. The
// same build serves standard input and output.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { challengeFor } from './accounts/authenticate.ts'
import { type Config, showConfig } from './config/config.ts'
import { createSessionBriefs } from './hosting/session-briefs.ts'
import { docsSite, specification } from './docs/site.ts'
import { systemClock } from '@rostrum/base/clock'
import { checkKey, keptAnswers, onlyOnce, sha256 } from './platform/http/idempotency.ts'
import type { Log, Route } from './platform/http/ports.ts'
import { lazily } from '@rostrum/base/work'
import type { Principal } from './platform/principal.ts'
import { discoveryCards, createCatalogue } from './mcp/catalogue.ts'
import { createGuard, createRefusals } from './mcp/exchange.ts'
import { createPrompts, createResources, type ResourceTexts, specTemplate, type ViewPath } from './mcp/resources.ts'
import type { McpCall } from './mcp/server.ts'
import type { Areas } from './areas.ts'
import type { Store } from './platform/db/store.ts'

const nobody: Principal = { kind: 'nobody' }
const papProgress = ['Finding the passage', 'Writing the answer', 'Checking the sources']

export function createToolProtocol(config: Config, { areas, store, log }: { areas: Areas; store: Store; log: Log }) {
  const { baseUrl, title } = config
  const mediaOrigin = new URL(config.assetOrigin ?? baseUrl).origin
  const briefs = createSessionBriefs(store.read, baseUrl, config.assetOrigin ?? baseUrl)
  // On the first use: converting every schema takes longer than the rest of the start.
  const catalogue = lazily(() => {
    const texts = textsOf(config, areas)
    return createCatalogue({
      operations: areas.operations,
      prompts: createPrompts(briefs),
      resources: createResources(texts, { baseUrl, mediaOrigin, appDomain: config.mcpAppDomain }),
      templates: [specTemplate(texts)],
      title,
      baseUrl,
    })
  })
  const kept = keptAnswers(store)
  const onBug = (error: unknown, requestId: string) => log.error({ err: error, requestId }, 'A tool call failed by a fault of ours')
  /** Loads the protocol library, which is a tenth of the start: with the first request. */
  const builder = lazily(async () => {
    const { buildServer } = await import('./mcp/server.ts')
    return (call: McpCall) =>
      buildServer(call, {
        catalogue: catalogue(),
        sessions: briefs,
        baseUrl,
        progressOf: (tool) => (tool === 'pap_query_presenter' ? papProgress : []),
        onBug: (error, { requestId }) => onBug(error, requestId),
        once(operation, key, body, answer) {
          checkKey(key)
          const onUnkept = (error: unknown) => log.error({ err: error }, 'The answer to a tool call with a key was not kept')
          return onlyOnce(operation, { key, fingerprint: () => sha256(operation.name, body), answer, onUnkept }, kept, systemClock)
        },
      })
  })
  return {
    builder,
    routes(): Route[] {
      const guard = createGuard({ baseUrl, listenHost: config.host, allowedHosts: config.allowedHosts, corsOrigins: config.corsOrigins })
      const refusals = createRefusals({ baseUrl, challenge: (error) => challengeFor(error, baseUrl), onBug })
      const { limiter } = areas.auth.deps
      const mounted = lazily(async () => {
        const [{ mountMcp }, build] = await Promise.all([import('./mcp/route.ts'), builder()])
        return mountMcp({ build, catalogue, guard, limiter, refusals, requireAuth: config.mcpRequireAuth })
      })
      const mount = (path: string): Route => ({
        kind: 'protocol',
        method: 'ALL',
        path,
        async handle(call) {
          const { request, requestId, address, now, bytes } = call
          // A cookie would let any page that the person visits act as them.
          const principal = async () => (request.headers.has('authorization') ? call.principal() : nobody)
          return (await mounted())({ request, requestId, address, now, bytes, principal })
        },
      })
      const cards = discoveryCards(catalogue, baseUrl)
      // Some clients end every address with a slash.
      return [...['/mcp', '/mcp/', '/api/v1/mcp', '/api/v1/mcp/'].map(mount), ...cards]
    },
  }
}

function textsOf({ baseUrl, title }: Config, { operations }: Areas): ResourceTexts {
  const views = new Map<ViewPath, string>()
  return {
    spec: lazily(() => specification(docsSite({ operations, baseUrl, title, settings: showConfig({}) }), baseUrl)),
    pap: lazily(() => readFileSync(new URL('./pap/protocol.md', import.meta.url), 'utf8').replaceAll('{base_url}', baseUrl)),
    view(path) {
      const text = views.get(path) ?? readView(path)
      views.set(path, text)
      return text
    },
  }
}

/** The view as one HTML file, which `npm run build` makes from web/src/views. */
function readView(path: ViewPath): string {
  const file = fileURLToPath(new URL(`../web/dist/views/${path.replace('/', '-')}.html`, import.meta.url))
  if (!existsSync(file)) throw new Error(`${file} is not built: run \`npm run build\`.`)
  return readFileSync(file, 'utf8')
}
