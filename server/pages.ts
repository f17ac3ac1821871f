// The pages that the web bundle draws: home, room, rehearsal, dashboard. What they show comes from the public operations; each
// gets its headers here, because the policy of a page depends on what it is.
import { csrfFailed, isSameOrigin } from './accounts/cookies.ts'
import { readFields, seeOther } from './accounts/pages/page.ts'
import { toSignIn } from './accounts/visit.ts'
import type { Areas } from './areas.ts'
import type { Config } from './config/config.ts'
import { settingOf } from '@rostrum/contract/session'
import type { Brand } from '@rostrum/contract/brand'
import type { Store } from './platform/db/store.ts'
import { isServiceError } from '@rostrum/base/errors'
import { pageHeaders, type PagePolicy } from './platform/http/headers.ts'
import type { ErrorPage, Route, RouteCall } from './platform/http/ports.ts'
import { languageOf } from '@rostrum/languages/languages'
import { type Call, invoke } from './platform/operation.ts'
import { toVtt } from './recordings/timeline.ts'
import { mailsBehind } from './registrations/end-mails.ts'
import { timeIn } from './registrations/mails.ts'
import type { Registered } from './registrations/register.ts'
import { noteOpened } from './registrations/registrants.ts'
import { createRoomPreviews } from './room-preview.ts'
import { oembedUrl, previewSize, previewUrl } from './runs/room/rooms.ts'
import { reportReasons, reportWordsMax } from './runs/operations/report-talk.ts'
import { brandOf, siteBrand } from './sessions/brand.ts'
import { roomUrl, unclaimedAccount } from './sessions/session.ts'
import type {
  OwnRegistration,
  PageContext,
  PageName,
  PageProps,
  RecapView,
  RegistrationForm,
  ReplayView,
  RoomView,
  TalkLink,
  WebBundle,
} from '../web/src/server/types.ts'

export interface PageParts {
  areas: Areas
  store: Store
  web: WebBundle
}

/** Where an agent reads on that was given nothing but the base address (RFC 8288, RFC 8631). */
const forAgents = [
  '</llms.txt>; rel="alternate"; type="text/plain"',
  '</auth.md>; rel="help"; type="text/markdown"',
  '</docs>; rel="service-doc"',
  '</openapi.json>; rel="service-desc"; type="application/json"',
].join(', ')

const ofRecap = { noIndex: true, secretAddress: true }
const quiet = { ...ofRecap, isScriptless: true }

function cookieOf(request: Request, name: string): string | undefined {
  const found = (request.headers.get('cookie') ?? '').split(/;\s*/).find((pair) => pair.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}

interface Shown {
  /** Of the host whose page it is. */
  brand?: Brand | null | undefined
  policy?: Partial<PagePolicy>
  /** Of the session that the page is about. */
  language?: string
  status?: number
}

export function pageRoutes(config: Config, { areas, store, web }: PageParts): Route[] {
  const { baseUrl, assetOrigin, title: siteTitle } = config
  const { limiter } = areas.auth.deps
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
      siteTitle,
      language,
      ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
      ...(assetOrigin === null ? {} : { assetOrigin }),
    }
  }
  const answer = (call: RouteCall, body: string, policy: Partial<PagePolicy> = {}, status = 200) =>
    new Response(body, { status, headers: pageHeaders({ nonce: call.nonce, baseUrl, assetOrigin, ...policy }) })
  const page = <Name extends PageName>(
    call: RouteCall,
    name: Name,
    props: PageProps[Name],
    { policy, language, status, brand }: Shown = {},
  ) => answer(call, web.renderPage(name, props, { ...contextOf(call, language), ...(brand && { brand }) }), policy, status)

  const named = (name: string) => {
    const found = areas.operations.find((operation) => operation.name === name)
    if (found === undefined) throw new Error(`There is no operation ${name}.`)
    return found
  }
  // The operation is the type: what it returns is what its page is drawn from.
  const roomOf = (call: RouteCall, key: string) =>
    named('view_room').handle({ key }, toCall(call)).catch(nothingThere) as Promise<RoomView | undefined>
  /** What writes is limited as a call of the API is. */
  const act = (name: string, call: RouteCall, input: object) => invoke(named(name), { call: toCall(call), read: () => input, limiter })

  const home = async (call: RouteCall) => {
    const discover = named('discover_sessions')
    const found = discover.http?.view?.(await discover.handle({ limit: 12 }, toCall(call))) as { sessions: readonly TalkLink[] }
    const open = store.read.selectFrom('sessions').select(['id', 'deck_id']).where('slug', '=', 'welcome').where('status', '=', 'published')
    const welcome = await open.executeTakeFirst()
    const talk = welcome && (await areas.talks.pinnedTalk(welcome.id, welcome.deck_id))
    // Of each slide the first sentence that tells something: what a caption would show.
    const sentences = talk?.slides.map(({ index }) =>
      talk.beats.find(({ slideIndex, kind }) => slideIndex === index && kind === 'narration'),
    )
    const demo = talk && {
      url: `${baseUrl}/join/welcome`,
      slides: talk.slides,
      captions: (sentences ?? []).map((beat) => beat?.text ?? ''),
    }
    const brand = await siteBrand(store.read, assetOrigin ?? baseUrl)
    const drawn = page(call, 'home', { demo: demo ?? null, mcpUrl: `${baseUrl}/mcp`, talks: found.sessions }, { brand })
    drawn.headers.set('Link', forAgents)
    return drawn
  }

  /** Of the talk behind a slug, that it exists being no secret. */
  const sessionOf = async (slug: string): Promise<Pick<Shown, 'brand' | 'language'>> => {
    const named = store.read.selectFrom('sessions').select(['id', 'language']).where('slug', '=', slug.toLowerCase())
    const found = await named.executeTakeFirst()
    return found === undefined ? {} : { language: found.language, brand: await brandOf(store.read, found.id, assetOrigin ?? baseUrl) }
  }

  const room = (isRehearsal: boolean) => async (call: RouteCall) => {
    const key = call.params['key'] ?? ''
    const isEmbed = new URL(call.request.url).searchParams.get('embed') === '1'
    const shown = (await named('view_room').handle({ key }, toCall(call)).catch(barred)) as RoomView | Barred | undefined
    if (shown === 'unconfirmed') return seeOther(`/register/${key.split('.')[0] ?? ''}`)
    if (shown === 'guests' || shown === 'expired') {
      const talk = await sessionOf(key.split('.')[0] ?? '')
      return page(call, 'join-closed', { reason: shown }, { ...talk, policy: { noIndex: true }, status: 403 })
    }
    if (key.includes('.') && isOpenedByBrowser(call.request)) await noteOpened(store, key, call.now)
    // A slug opens the talk and a rehearsal token the rehearsal, each at its own address only.
    if (shown === undefined || (shown.kind === 'rehearsal') !== isRehearsal)
      return page(call, 'join-closed', {}, { policy: { noIndex: true }, status: 404 })
    const session = await store.read
      .selectFrom('sessions')
      .select(['discoverable', 'embed_origins'])
      .select(unclaimedAccount)
      .where(isRehearsal ? 'rehearsal_token' : 'slug', '=', isRehearsal ? key.toLowerCase() : shown.slug)
      .executeTakeFirst()
    const noIndex = isRehearsal || session?.discoverable !== 1 || session.unclaimed !== null
    const { follows } = languageOf(shown.language)
    const isOpen = !isRehearsal && !key.includes('.') && session?.unclaimed === null
    const [imageUrl, oembed] = [previewUrl(baseUrl, shown.slug), oembedUrl(baseUrl, shown.slug)]
    const preview = isOpen && { preview: { url: roomUrl(baseUrl, shown.slug), imageUrl, ...previewSize, oembedUrl: oembed } }
    const context = { ...contextOf(call, shown.language, isEmbed), key, embed: isEmbed, follows, noindex: noIndex, ...preview }
    const body = web.renderRoom(shown, context)
    const origins = session === undefined ? null : settingOf('embedOrigins', session)
    // The link of a guest is theirs alone, as that of a rehearsal is secret.
    const secretAddress = isRehearsal || key.includes('.')
    return answer(call, body, { noIndex, secretAddress, frameAncestors: isEmbed ? (origins ?? 'any') : [] })
  }

  const missing = (call: RouteCall, policy: Partial<PagePolicy>) =>
    page(call, 'error', { status: 404, requestId: call.requestId }, { policy, status: 404 })
  const tokenOf = (call: RouteCall) => ({ token: call.params['token'] ?? '' })

  const recapOf = (call: RouteCall) =>
    named('view_recap').handle(tokenOf(call), toCall(call)).catch(nothingThere) as Promise<RecapView | undefined>

  const recap = async (call: RouteCall) => {
    const shown = await recapOf(call)
    return shown === undefined
      ? missing(call, ofRecap)
      : page(call, 'recap', { recap: shown }, { policy: ofRecap, language: shown.language, brand: shown.brand })
  }

  const replayOf = (call: RouteCall) =>
    named('view_replay')
      .handle({ key: call.params['key'] ?? '' }, toCall(call))
      .catch(nothingThere) as Promise<ReplayView | undefined>

  /** Without a script: a chapter is a link that opens the page at its second. */
  const replay = async (call: RouteCall) => {
    const shown = await replayOf(call)
    if (shown === undefined) return missing(call, quiet)
    const from = Number(new URL(call.request.url).searchParams.get('t') ?? 0)
    const props = {
      replay: shown,
      address: new URL(call.request.url).pathname,
      fromSeconds: Number.isFinite(from) && from > 0 ? Math.floor(from) : 0,
    }
    return page(call, 'replay', props, {
      policy: { noIndex: !shown.isListed, isScriptless: true },
      language: shown.language,
      brand: shown.brand,
    })
  }

  const replayCaptions = async (call: RouteCall) => {
    const shown = await replayOf(call)
    if (shown === undefined) return missing(call, quiet)
    const headers = { 'Content-Type': 'text/vtt; charset=utf-8', 'Cache-Control': 'private, no-cache', 'X-Robots-Tag': 'noindex' }
    return new Response(toVtt(shown.captions), { headers })
  }

  const endRecap = async (call: RouteCall) => {
    const shown = await recapOf(call)
    const ended = await act('end_recap', call, tokenOf(call)).catch(nothingThere)
    if (ended === undefined) return missing(call, ofRecap)
    return page(call, 'recap-ended', {}, { policy: ofRecap, ...(shown && { language: shown.language, brand: shown.brand }) })
  }

  /** The way out of a room that nobody vouches for. It leads where the session says, and nowhere else. */
  const leaving = async (call: RouteCall) => {
    const found = await store.read
      .selectFrom('sessions')
      .select(['title', 'language', 'cta_url'])
      .select(unclaimedAccount)
      .where('id', '=', (call.params['sessionId'] ?? '').toLowerCase())
      .executeTakeFirst()
    if (found === undefined || found.cta_url === null) return missing(call, quiet)
    const { title, language, cta_url: url, unclaimed } = found
    // A room that was open before the claim still has this address.
    if (unclaimed === null) return new Response(null, { status: 303, headers: { Location: url, 'Referrer-Policy': 'no-referrer' } })
    return page(call, 'leaving', { title, url, host: new URL(url).host }, { policy: quiet, language })
  }

  const closed = (call: RouteCall) => page(call, 'join-closed', {}, { policy: quiet, status: 404 })

  const report = async (call: RouteCall) => {
    const shown = await roomOf(call, call.params['key'] ?? '')
    if (shown === undefined) return closed(call)
    const { title, language } = shown
    return page(call, 'report', { title, reasons: reportReasons, wordsMax: reportWordsMax }, { policy: quiet, language })
  }

  const sendReport = async (call: RouteCall) => {
    const fields = await formOf(call, baseUrl)
    const told = { key: call.params['key'] ?? '', reason: fields.get('reason') ?? '', words: fields.get('words') ?? '' }
    const shown = await roomOf(call, told.key)
    if (shown === undefined) return closed(call)
    await act('report_talk', call, told)
    return page(call, 'reported', {}, { policy: quiet, language: shown.language })
  }

  const slugOf = (call: RouteCall) => ({ slug: call.params['slug'] ?? '' })
  /** In the language of the page, in the time zone that the host told. */
  const whenOf = (call: RouteCall, { startsAt, timeZone, language }: Pick<OwnRegistration, 'startsAt' | 'timeZone' | 'language'>) =>
    startsAt === undefined
      ? null
      : timeIn({ language: contextOf(call, language).language, startsAt: Date.parse(startsAt), timeZone: timeZone ?? null })
  const formFor = (call: RouteCall) =>
    named('view_registration').handle(slugOf(call), toCall(call)).catch(nothingThere) as Promise<RegistrationForm | undefined>

  const ofForm = ({ language, brand }: RegistrationForm): Shown => ({ policy: { isScriptless: true, noIndex: true }, language, brand })

  const registerForm = async (call: RouteCall) => {
    const form = await formFor(call)
    if (form === undefined) return closed(call)
    return page(call, 'register', { form, when: whenOf(call, form) }, ofForm(form))
  }

  const sendRegistration = async (call: RouteCall) => {
    const fields = await formOf(call, baseUrl)
    const form = await formFor(call)
    if (form === undefined) return closed(call)
    const given = Object.fromEntries(
      ['name', 'email', 'company', 'phone', 'answer', 'consent', 'recap'].map((name) => [name, fields.get(name) ?? '']),
    )
    const { email = '', consent, recap: wantsRecap, ...details } = given
    const when = whenOf(call, form)
    const drawn = (told: Registered) => page(call, 'registered', { title: form.title, when, email, ...told }, ofForm(form))
    if (fields.get('website')) return drawn({ state: 'going', isMailed: true })
    const wanted = { ...slugOf(call), ...details, email, consent: consent === 'on', wantsRecap: wantsRecap === 'on' }
    const done = await (act('register', call, wanted) as Promise<Registered>).catch(wrongMembers)
    if (Array.isArray(done)) return page(call, 'register', { form, when, given, wrong: done }, { ...ofForm(form), status: 400 })
    return done.registrationUrl === undefined ? drawn(done) : seeOther(done.registrationUrl)
  }

  const ownOf = (call: RouteCall) =>
    named('view_own_registration').handle(tokenOf(call), toCall(call)).catch(nothingThere) as Promise<
      { view: OwnRegistration; calendar: string | null } | undefined
    >

  const registration = async (call: RouteCall) => {
    const found = await ownOf(call)
    if (found === undefined) return missing(call, quiet)
    const { view: own } = found
    const props = { own, when: whenOf(call, own), calendarUrl: `${baseUrl}/registration/${tokenOf(call).token}/talk.ics` }
    return page(call, 'registration', props, { policy: quiet, language: own.language, brand: own.brand })
  }

  const endRegistration = async (call: RouteCall) => {
    await act('cancel_registration', call, tokenOf(call)).catch(nothingThere)
    return registration(call)
  }

  const calendar = async (call: RouteCall) => {
    const found = await ownOf(call)
    if (found === undefined || found.calendar === null) return missing(call, quiet)
    const headers = { 'Content-Type': 'text/calendar; charset=utf-8', 'Content-Disposition': 'attachment; filename="talk.ics"' }
    return new Response(found.calendar, { headers: { ...headers, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } })
  }

  const mails = async (call: RouteCall) => {
    const { ended, ...more } = (await mailsBehind(areas.registrations, tokenOf(call).token)) ?? {}
    return ended === undefined ? missing(call, quiet) : page(call, 'end-mails', { ended }, { ...more, policy: quiet })
  }

  // A mail program presses it too (RFC 8058), from nowhere and with a body of its own, so the token alone decides.
  const changeMails = async (call: RouteCall) => {
    const fields = await readFields(call.request).catch(() => undefined)
    const input = { ...tokenOf(call), of: fields?.get('of') ?? 'talk' }
    await act(fields?.get('mails') === 'on' ? 'want_mails' : 'end_mails', call, input).catch(nothingThere)
    return mails(call)
  }

  const dashboard = async (call: RouteCall) => {
    const { kind } = await call.principal()
    const { pathname, search } = new URL(call.request.url)
    if (kind !== 'user') return toSignIn(areas.auth.deps, call, pathname + search)
    return page(call, 'dashboard', { title: siteTitle }, { policy: { noIndex: true } })
  }

  const route = (method: 'GET' | 'POST', path: string, handle: Route['handle']): Route => ({ method, path, kind: 'page', handle })
  return [
    route('GET', '/', home),
    route('GET', '/join/:key', room(false)),
    { method: 'GET', path: '/join/:key/preview.jpg', kind: 'document', handle: createRoomPreviews(areas) },
    route('GET', '/rehearse/:key', room(true)),
    route('GET', '/report/:key', report),
    route('POST', '/report/:key', sendReport),
    route('GET', '/leaving/:sessionId', leaving),
    route('GET', '/recap/:token', recap),
    route('POST', '/recap/:token', endRecap),
    route('GET', '/register/:slug', registerForm),
    route('POST', '/register/:slug', sendRegistration),
    route('GET', '/registration/:token', registration),
    route('POST', '/registration/:token', endRegistration),
    route('GET', '/registration/:token/talk.ics', calendar),
    route('GET', '/mails/:token', mails),
    route('POST', '/mails/:token', changeMails),
    route('GET', '/replay/:key', replay),
    route('GET', '/replay/:key/captions.vtt', replayCaptions),
    route('GET', '/dashboard', dashboard),
    route('GET', '/dashboard/*', dashboard),
  ]
}

type Barred = 'guests' | 'unconfirmed' | 'expired'

/** Why a room lets nobody in by this address. */
const barred = (error: unknown): Barred | undefined =>
  isServiceError(error) && error.code === 'forbidden' ? (error.extra.members?.['reason'] as Barred) : nothingThere(error)

/** Not what looks at links before their reader does. */
const isOpenedByBrowser = ({ headers }: Request): boolean => headers.get('sec-fetch-mode') === 'navigate' && !headers.has('sec-purpose')

/** What a form of ours sent from its own page. */
async function formOf(call: RouteCall, baseUrl: string): Promise<Awaited<ReturnType<typeof readFields>>> {
  const { headers } = call.request
  if (!isSameOrigin(baseUrl, headers.get('origin') ?? undefined, headers.get('sec-fetch-site') ?? undefined)) throw csrfFailed()
  return readFields(call.request)
}

/** Which members of a form are not as they have to be. */
function wrongMembers(error: unknown): string[] {
  if (isServiceError(error) && error.code === 'invalid_request') return (error.extra.errors ?? []).map(({ pointer }) => pointer.slice(2))
  throw error
}

function nothingThere(error: unknown): undefined {
  // What cannot be a token names nothing either.
  if (isServiceError(error) && ['not_found', 'invalid_request', 'forbidden'].includes(error.code)) return undefined
  throw error
}

/** The words of an error as a page of the product. */
export function errorPageOf(web: WebBundle, { baseUrl, title: siteTitle }: Config): (page: ErrorPage) => string {
  return ({ nonce, ...words }) => web.renderPage('error', words, { nonce, baseUrl, siteTitle, language: 'en' })
}

/** A page looks as nobody: what it shows before joining is the same for everybody. */
function toCall(call: RouteCall): Call {
  const { now, requestId, address } = call
  return { principal: { kind: 'nobody' }, now, requestId, address, signal: call.request.signal }
}
