// The pages that the web bundle draws: home, room, rehearsal, dashboard. What they show comes from the public operations; each
// gets its headers here, because the policy of a page depends on what it is.
import { csrfFailed, isSameOrigin } from './accounts/cookies.ts'
import { readFields } from './accounts/pages/page.ts'
import { pageHeaders, type PagePolicy } from './platform/http/headers.ts'
import type { ErrorPage, Route, RouteCall } from './platform/http/ports.ts'
import { isServiceError } from './platform/errors.ts'
import { languageOf } from './platform/languages.ts'
import type { Call } from './platform/operation.ts'
import { reportReasons, reportWordsMax } from './runs/report.ts'
import type { PageContext, RecapView, RoomView, TalkLink, WebBundle } from '../web/src/server/types.ts'

export interface PagesOptions {
  web: WebBundle
  baseUrl: string
  assetOrigin: string | null
  siteTitle: string
  /** What anybody with the link may see of a room; throws `not_found`. */
  viewRoom(key: string, call: Call): Promise<{ room: RoomView; discoverable: boolean; embedOrigins: readonly string[] | null }>
  /** What the holder of the link keeps of a talk; throws `not_found`. */
  viewRecap(token: string, call: Call): Promise<RecapView>
  /** Tells the operator; throws `not_found`, `invalid_request` and `rate_limited`. */
  report(report: { key: string; reason: string; words: string }, call: Call): Promise<unknown>
  /** Where the call to action of a session leads; undefined where there is none. */
  leaving(sessionId: string): Promise<Leaving | undefined>
  /** Takes it back, for good; throws `not_found`, `invalid_request` for what cannot be a token, and `rate_limited`. */
  endRecap(token: string, call: Call): Promise<unknown>
  /** Public talks, the most recently active first. */
  talks(call: Call): Promise<readonly TalkLink[]>
  /** The welcome talk, where it is published. */
  demoUrl(): Promise<string | null>
  /** Keeps where the person wanted to go and sends them to sign in. */
  toSignIn(call: RouteCall, path: string): Promise<Response>
}

interface Leaving {
  title: string
  language: string
  url: string
  isVouched: boolean
}

/** Where an agent reads on that was given nothing but the base address (RFC 8288, RFC 8631). */
const forAgents = [
  '</llms.txt>; rel="alternate"; type="text/plain"',
  '</auth.md>; rel="help"; type="text/markdown"',
  '</docs>; rel="service-doc"',
  '</openapi.json>; rel="service-desc"; type="application/json"',
].join(', ')

function cookieOf(request: Request, name: string): string | undefined {
  const found = (request.headers.get('cookie') ?? '').split(/;\s*/).find((pair) => pair.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}

export function pageRoutes(options: PagesOptions): Route[] {
  const { web, baseUrl, assetOrigin } = options
  const contextOf = (call: RouteCall, sessionLanguage?: string, isEmbed = false): PageContext => {
    const query = new URL(call.request.url).searchParams
    // An embedded page reads no cookie: a frame of another site has none of ours.
    const theme = isEmbed ? query.get('theme') : cookieOf(call.request, 'theme')
    const language = web.pickLanguage({
      query: query.get('lang'),
      remembered: isEmbed ? null : (cookieOf(call.request, 'lang') ?? null),
      acceptLanguage: call.request.headers.get('accept-language'),
      session: sessionLanguage ?? null,
    })
    return {
      nonce: call.nonce,
      baseUrl,
      siteTitle: options.siteTitle,
      language,
      ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
      ...(assetOrigin === null ? {} : { assetOrigin }),
    }
  }
  const answer = (call: RouteCall, body: string, policy: Partial<PagePolicy> = {}, status = 200) =>
    new Response(body, { status, headers: pageHeaders({ nonce: call.nonce, baseUrl, assetOrigin, ...policy }) })

  const home = async (call: RouteCall) => {
    const [talks, url] = await Promise.all([options.talks(toCall(call)), options.demoUrl()])
    const shown = url === null ? undefined : await options.viewRoom('welcome', toCall(call)).catch(nothingThere)
    const demo = url === null ? null : { url, slides: shown?.room.slides ?? [] }
    const page = answer(call, web.renderPage('home', { demo, mcpUrl: `${baseUrl}/mcp`, talks }, contextOf(call)))
    page.headers.set('Link', forAgents)
    return page
  }

  const room = (isRehearsal: boolean) => async (call: RouteCall) => {
    const key = call.params['key'] ?? ''
    const isEmbed = new URL(call.request.url).searchParams.get('embed') === '1'
    const shown = await options.viewRoom(key, toCall(call)).catch(forGuests)
    if (shown === 'guests') return answer(call, web.renderPage('join-closed', { guests: true }, contextOf(call)), { noIndex: true }, 403)
    // A slug opens the talk and a rehearsal token the rehearsal, each at its own address only.
    if (shown === undefined || (shown.room.kind === 'rehearsal') !== isRehearsal) {
      return answer(call, web.renderPage('join-closed', {}, contextOf(call)), { noIndex: true }, 404)
    }
    const noIndex = isRehearsal || !shown.discoverable
    const page = {
      ...contextOf(call, shown.room.language, isEmbed),
      key,
      embed: isEmbed,
      follows: languageOf(shown.room.language).follows,
      noindex: noIndex,
    }
    return answer(call, web.renderRoom(shown.room, page), {
      noIndex,
      secretAddress: isRehearsal,
      frameAncestors: isEmbed ? (shown.embedOrigins ?? 'any') : [],
    })
  }

  const ofRecap = { noIndex: true, secretAddress: true }
  const noRecap = (call: RouteCall) =>
    answer(call, web.renderPage('error', { status: 404, requestId: call.requestId }, contextOf(call)), ofRecap, 404)

  const recap = async (call: RouteCall) => {
    const shown = await options.viewRecap(call.params['token'] ?? '', toCall(call)).catch(nothingThere)
    if (shown === undefined) return noRecap(call)
    return answer(call, web.renderPage('recap', { recap: shown }, contextOf(call, shown.language)), ofRecap)
  }

  const endRecap = async (call: RouteCall) => {
    const ended = await options.endRecap(call.params['token'] ?? '', toCall(call)).catch(nothingThere)
    return ended === undefined ? noRecap(call) : answer(call, web.renderPage('recap-ended', {}, contextOf(call)), ofRecap)
  }

  const quiet = { noIndex: true, secretAddress: true, isScriptless: true }

  /** The way out of a room that nobody vouches for. It leads where the session says, and nowhere else. */
  const leaving = async (call: RouteCall) => {
    const found = await options.leaving(call.params['sessionId'] ?? '')
    if (found === undefined) {
      return answer(call, web.renderPage('error', { status: 404, requestId: call.requestId }, contextOf(call)), quiet, 404)
    }
    const { title, language, url, isVouched } = found
    // A room that was open before the claim still has this address.
    if (isVouched) return new Response(null, { status: 303, headers: { Location: url, 'Referrer-Policy': 'no-referrer' } })
    return answer(call, web.renderPage('leaving', { title, url, host: new URL(url).host }, contextOf(call, language)), quiet)
  }

  const report = async (call: RouteCall) => {
    const key = call.params['key'] ?? ''
    const shown = await options.viewRoom(key, toCall(call)).catch(nothingThere)
    if (shown === undefined) return answer(call, web.renderPage('join-closed', {}, contextOf(call)), quiet, 404)
    const { title, language } = shown.room
    return answer(
      call,
      web.renderPage('report', { title, reasons: reportReasons, wordsMax: reportWordsMax }, contextOf(call, language)),
      quiet,
    )
  }

  const sendReport = async (call: RouteCall) => {
    const { headers } = call.request
    if (!isSameOrigin(baseUrl, headers.get('origin') ?? undefined, headers.get('sec-fetch-site') ?? undefined)) throw csrfFailed()
    const fields = await readFields(call.request)
    const told = { key: call.params['key'] ?? '', reason: fields.get('reason') ?? '', words: fields.get('words') ?? '' }
    const shown = await options.viewRoom(told.key, toCall(call)).catch(nothingThere)
    if (shown === undefined) return answer(call, web.renderPage('join-closed', {}, contextOf(call)), quiet, 404)
    await options.report(told, toCall(call))
    return answer(call, web.renderPage('reported', {}, contextOf(call, shown.room.language)), quiet)
  }

  const dashboard = async (call: RouteCall) => {
    const { kind } = await call.principal()
    const { pathname, search } = new URL(call.request.url)
    if (kind !== 'user') return options.toSignIn(call, pathname + search)
    return answer(call, web.renderPage('dashboard', { title: options.siteTitle }, contextOf(call)), { noIndex: true })
  }

  return [
    { method: 'GET', path: '/', kind: 'page', handle: home },
    { method: 'GET', path: '/join/:key', kind: 'page', handle: room(false) },
    { method: 'GET', path: '/rehearse/:key', kind: 'page', handle: room(true) },
    { method: 'GET', path: '/report/:key', kind: 'page', handle: report },
    { method: 'POST', path: '/report/:key', kind: 'page', handle: sendReport },
    { method: 'GET', path: '/leaving/:sessionId', kind: 'page', handle: leaving },
    { method: 'GET', path: '/recap/:token', kind: 'page', handle: recap },
    { method: 'POST', path: '/recap/:token', kind: 'page', handle: endRecap },
    { method: 'GET', path: '/dashboard', kind: 'page', handle: dashboard },
    { method: 'GET', path: '/dashboard/*', kind: 'page', handle: dashboard },
  ]
}

const forGuests = (error: unknown): 'guests' | undefined =>
  isServiceError(error) && error.code === 'forbidden' ? 'guests' : nothingThere(error)

function nothingThere(error: unknown): undefined {
  // What cannot be a token names nothing either.
  if (isServiceError(error) && ['not_found', 'invalid_request', 'forbidden'].includes(error.code)) return undefined
  throw error
}

/** The words of an error as a page of the product. */
export function errorPageOf({ web, baseUrl, siteTitle }: Pick<PagesOptions, 'web' | 'baseUrl' | 'siteTitle'>): (page: ErrorPage) => string {
  return ({ nonce, ...words }) => web.renderPage('error', words, { nonce, baseUrl, siteTitle, language: 'en' })
}

/** A page looks as nobody: what it shows before joining is the same for everybody. */
function toCall(call: RouteCall): Call {
  const { now, requestId, address } = call
  return { principal: { kind: 'nobody' }, now, requestId, address, signal: call.request.signal }
}
