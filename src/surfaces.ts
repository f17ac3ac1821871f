// Joins the service to its surfaces: the operations over HTTP, and every route that is not an operation: pages, documents, the
// tool protocol.
import { fileURLToPath } from 'node:url'
import { challengeFor } from './accounts/authenticate.ts'
import { discoveryRoutes } from './agents/discovery.ts'
import { identityRoutes } from './agents/identity/routes.ts'
import { oauthRoutes } from './agents/oauth/routes.ts'
import { authRoutes } from './agents/operations.ts'
import { toSignIn } from './accounts/pages/visit.ts'
import type { Config } from './config/config.ts'
import { showConfig } from './config/config.ts'
import { docsRoutes } from './docs/routes.ts'
import { pageHeaders } from './platform/http/headers.ts'
import type { Log, Route, RouteCall } from './platform/http/ports.ts'
import { createHttp, type Http } from './platform/http/server.ts'
import type { Clock } from './platform/clock.ts'
import type { Ids } from './platform/ids.ts'
import { invoke, type Operation } from './platform/operation.ts'
import { errorPageOf, pageRoutes } from './pages.ts'
import type { Areas } from './areas.ts'
import { unclaimedAccount } from './sessions/session.ts'
import { keptAnswers } from './platform/http/idempotency.ts'
import type { Store } from './platform/db/store.ts'
import { createToolProtocol } from './tool-protocol.ts'
import { settingOf } from './contract/session.ts'
import type { RecapView, RoomView, TalkLink, WebBundle } from '../web/src/server/types.ts'

export interface SurfaceParts {
  areas: Areas
  store: Store
  clock: Clock
  ids: Ids
  log: Log
  web: WebBundle
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
  const { baseUrl, title } = config
  const { auth, decks, operations } = areas
  const people = { ...auth.deps, frame: { title, styles: web.assets.styles }, authenticate: auth.authenticator.authenticate }
  const routes: Route[] = [
    ...authRoutes(people),
    ...oauthRoutes(people),
    ...identityRoutes(people),
    ...discoveryRoutes({ ...config, hasOAuth: true, fetchesClients: true }),
    ...pages(config, parts),
    ...docs(config, operations, web),
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
    idempotency: keptAnswers(store),
    media: (name) => decks.media(name),
    webRoot,
    errorPage: errorPageOf({ web, baseUrl, siteTitle: title }),
    ready: async () => {
      if (!parts.isStarted()) return 'The service is starting or stopping.'
      await store.read.selectFrom('sessions').select('id').limit(1).execute()
      return true
    },
    gauges: () => areas.gauges(),
    log,
    clock,
    ids,
  })
}

function pages(config: Config, { areas, store, web }: SurfaceParts): Route[] {
  const { baseUrl, assetOrigin, title } = config
  const viewRoom = named(areas.operations, 'view_room')
  const viewRecap = named(areas.operations, 'view_recap')
  const endRecap = named(areas.operations, 'end_recap')
  const reportTalk = named(areas.operations, 'report_talk')
  const discover = named(areas.operations, 'discover_sessions')
  return pageRoutes({
    web,
    baseUrl,
    assetOrigin,
    siteTitle: title,
    async viewRoom(key, call) {
      // The operation is the type: what it returns is the room's wire.
      const room = (await viewRoom.handle({ key }, call)) as RoomView
      const session = await store.read
        .selectFrom('sessions')
        .select(['discoverable', 'embed_origins'])
        .select(unclaimedAccount)
        .where(room.kind === 'live' ? 'slug' : 'rehearsal_token', '=', room.kind === 'live' ? room.slug : key.toLowerCase())
        .executeTakeFirst()
      return {
        room,
        discoverable: session?.discoverable === 1 && session.unclaimed === null,
        embedOrigins: session === undefined ? null : settingOf('embedOrigins', session),
      }
    },
    async viewRecap(token, call) {
      return (await viewRecap.handle({ token }, call)) as RecapView
    },
    report: (told, call) => invoke(reportTalk, { call, read: () => told, limiter: areas.auth.deps.limiter }),
    async leaving(sessionId) {
      const row = await store.read
        .selectFrom('sessions')
        .select(['title', 'language', 'cta_url'])
        .select(unclaimedAccount)
        .where('id', '=', sessionId.toLowerCase())
        .executeTakeFirst()
      if (row === undefined || row.cta_url === null) return undefined
      return { title: row.title, language: row.language, url: row.cta_url, isVouched: row.unclaimed === null }
    },
    // It writes: it is limited as a call of the API is.
    endRecap: (token, call) => invoke(endRecap, { call, read: () => ({ token }), limiter: areas.auth.deps.limiter }),
    async talks(call) {
      const result = discover.http?.view?.(await discover.handle({ limit: 12 }, call)) as { sessions: readonly TalkLink[] }
      return result.sessions
    },
    async demoUrl() {
      const demo = await store.read
        .selectFrom('sessions')
        .select('slug')
        .where('slug', '=', 'welcome')
        .where('status', '=', 'published')
        .executeTakeFirst()
      return demo === undefined ? null : `${baseUrl}/join/welcome`
    },
    toSignIn: (call: RouteCall, path: string) => toSignIn(areas.auth.deps, call, path),
  })
}

function docs({ baseUrl, assetOrigin, title }: Config, operations: readonly Operation[], web: WebBundle): Route[] {
  const routes = docsRoutes({
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
  return [...routes]
}

function named(operations: readonly Operation[], name: string): Operation {
  const found = operations.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`There is no operation ${name}.`)
  return found
}
