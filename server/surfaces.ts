// Joins the service to its surfaces: the operations over HTTP, and every route that is not an operation: pages, documents, the
// tool protocol.
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { networkOf } from './accounts/networks.ts'
import { challengeFor } from './accounts/authenticate.ts'
import { discoveryRoutes } from './agents/oauth/discovery.ts'
import { identityRoutes } from './agents/identity/routes.ts'
import { oauthRoutes } from './agents/oauth/routes.ts'
import { authRoutes } from './agents/operations.ts'
import { awayWords } from './platform/away.ts'
import { type Config, showConfig } from './config/config.ts'
import { docsRoutes } from './docs/routes.ts'
import { securityTxtRoute } from './docs/security-txt.ts'
import { pageHeaders } from './platform/http/headers.ts'
import { counter, type Gauges } from './platform/gauges.ts'
import type { Log, Route } from './platform/http/ports.ts'
import { createHttp, type Http } from './platform/http/server.ts'
import type { Clock, Ids } from '@rostrum/base/clock'
import type { Store } from './platform/db/store.ts'
import type { Operation } from './platform/operation.ts'
import { errorPageOf, type PageParts, pageRoutes } from './pages.ts'
import { keptAnswers } from './platform/http/idempotency.ts'
import { createToolProtocol } from './tool-protocol.ts'
import type { WebBundle } from '../web/src/server/types.ts'

export interface SurfaceParts extends PageParts {
  clock: Clock
  ids: Ids
  log: Log
  /** False while the service is still starting, and once it stops. */
  isStarted(): boolean
}

const webRoot = fileURLToPath(new URL('../web/dist/client', import.meta.url))

/** The pages and files that `web/` builds; `npm start` builds them first. */
export async function loadWeb(): Promise<WebBundle> {
  const bundle: unknown = await import(new URL('../web/dist/server/render.js', import.meta.url).href)
  // The build of `web/` type-checks this module against the same interface.
  return bundle as WebBundle
}

export function createSurfaces(config: Config, parts: SurfaceParts): Http {
  const { areas, store, clock, ids, log, web } = parts
  const { baseUrl } = config
  const { auth, decks, operations } = areas
  const people = { ...auth.deps, web, authenticate: auth.authenticator.authenticate }
  const routes: Route[] = [
    ...authRoutes(people),
    ...oauthRoutes(people),
    ...identityRoutes(people),
    ...discoveryRoutes(config),
    ...pageRoutes(config, parts),
    ...docs(config, operations, web),
    securityTxtRoute(config),
    ...createToolProtocol(config, parts).routes(),
  ]
  return createHttp({
    config,
    operations,
    routes,
    authenticate: (presented) => auth.authenticator.authenticate(presented),
    challenge: (error) => challengeFor(error, baseUrl),
    trackStream: (principal, close) => auth.openStreams.track(principal, close),
    limiter: auth.deps.limiter,
    hasRoomFor: (bytes) => areas.disk.hasRoomFor(bytes),
    idempotency: keptAnswers(store),
    media: (name) => decks.media(name),
    networkOf,
    spoolDirectory: store.dialect === 'sqlite' ? config.dataDir : tmpdir(),
    webRoot,
    errorPage: errorPageOf(web, config),
    async ready() {
      if (!parts.isStarted()) return 'The service is starting or stopping.'
      await store.read.selectFrom('sessions').select('id').limit(1).execute()
      const fault = store.health.fault()
      return fault === null || awayWords(fault)
    },
    gauges: () => ({ ...storeGauges(store.health), ...areas.gauges() }),
    log,
    clock,
    ids,
  })
}

function storeGauges({ failures, fault }: Store['health']): ReturnType<Gauges> {
  return {
    rostrum_store_failures_total: counter('Calls that the store could not serve, by reason.', 'reason', failures),
    rostrum_store_writable: { help: '0 while the last write came to nothing because of the store.', value: fault() === null ? 1 : 0 },
  }
}

function docs({ baseUrl, assetOrigin, title }: Config, operations: readonly Operation[], web: WebBundle): readonly Route[] {
  return docsRoutes({
    operations,
    baseUrl,
    title,
    settings: showConfig({}),
    respond(frame, call) {
      const language = web.pickLanguage({ acceptLanguage: call.request.headers.get('accept-language') })
      const context = { nonce: call.nonce, baseUrl, siteTitle: title, language, ...(assetOrigin === null ? {} : { assetOrigin }) }
      return new Response(web.renderPage('docs', frame, context), { headers: pageHeaders({ nonce: call.nonce, baseUrl, assetOrigin }) })
    },
  })
}
