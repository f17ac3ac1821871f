// The pages that the web build renders: front page, room, rehearsal, the dashboard's shell, docs and errors. Here is what they
// need of a request (language, theme, embedding) and which policy each one gets.
import type { ErrorPage, HttpConfig, Route, RouteCall } from './ports.ts'
import { pageHeaders } from './page-headers.ts'

/** What every rendered page knows of its request. */
export interface PageContext<Language> {
  nonce: string
  baseUrl: string
  siteTitle: string
  language: Language
  theme?: 'light' | 'dark'
  assetOrigin?: string
}

export interface RoomContext<Language> extends PageContext<Language> {
  /** The slug or the rehearsal token. */
  key: string
  embed?: boolean
  noindex?: boolean
}

export interface LanguageWishes {
  query?: string | null
  remembered?: string | null
  acceptLanguage?: string | null
  session?: string | null
}

export interface TalkLink {
  title: string
  description: string | null
  joinUrl: string
}

interface DocsFrame {
  title: string
  description: string
  contents: readonly { title: string; href: string; children?: readonly { title: string; href: string }[] }[]
  body: string
  path: string
  markdownUrl?: string
}

/** The renderer of the web build. */
export interface Renderer<Room, Language> {
  room(room: Room, page: RoomContext<Language>): string
  home(props: { demoUrl: string | null; mcpUrl: string; talks: readonly TalkLink[] }, page: PageContext<Language>): string
  joinClosed(page: PageContext<Language>): string
  dashboard(props: { title: string }, page: PageContext<Language>): string
  docs(props: DocsFrame, page: PageContext<Language>): string
  error(props: Omit<ErrorPage, 'nonce'>, page: PageContext<Language>): string
  pickLanguage(wishes: LanguageWishes): Language
}

export interface FoundRoom<Room> {
  /** What an attendee may see. */
  room: Room
  language: string
  /** Sites that may frame the room; null: any. */
  embedOrigins: readonly string[] | null
  /** A draft, a rehearsal, or not discoverable. */
  noIndex: boolean
}

export interface PagesOptions<Room, Language> {
  config: Pick<HttpConfig, 'baseUrl' | 'assetOrigin'> & { readonly title: string }
  renderer: Renderer<Room, Language>
  /** By slug, published sessions only; by token, the rehearsal of any. */
  findRoom(key: string, by: 'slug' | 'rehearsal_token'): Promise<FoundRoom<Room> | undefined>
  /** Discoverable talks for the front page, and the demo's address where there is one. */
  frontPage(): Promise<{ demoUrl: string | null; talks: readonly TalkLink[] }>
  /** Where a browser without a sign-in is sent from the dashboard. */
  signInFirst(call: RouteCall): Response | Promise<Response>
}

export interface Pages {
  routes: readonly Route[]
  errorPage(page: ErrorPage): string
  docsPage(frame: DocsFrame, call: { request: Request; nonce: string }): Response
}

export function createPages<Room, Language>(options: PagesOptions<Room, Language>): Pages {
  const { config, renderer } = options
  const { baseUrl, assetOrigin, title } = config

  function contextOf(request: Request, nonce: string, session?: string, embed = false): PageContext<Language> {
    const query = new URL(request.url).searchParams
    const cookie = (name: string) => (embed ? undefined : cookieOf(request, name))
    const theme = embed ? query.get('theme') : cookie('theme')
    const wishes = { query: query.get('lang'), remembered: cookie('lang') ?? null, acceptLanguage: request.headers.get('accept-language') }
    return {
      nonce,
      baseUrl,
      siteTitle: title,
      language: renderer.pickLanguage({ ...wishes, session: session ?? null }),
      ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
      ...(assetOrigin === null ? {} : { assetOrigin }),
    }
  }

  function page(html: string, nonce: string, extra: Partial<Parameters<typeof pageHeaders>[0]> = {}, status = 200): Response {
    return new Response(html, { status, headers: pageHeaders({ nonce, baseUrl, assetOrigin, ...extra }) })
  }

  async function room({ request, params, nonce }: RouteCall, by: 'slug' | 'rehearsal_token'): Promise<Response> {
    const key = params['key'] ?? ''
    const found = await options.findRoom(key, by)
    const isRehearsal = by === 'rehearsal_token'
    if (found === undefined) return page(renderer.joinClosed(contextOf(request, nonce)), nonce, { noIndex: true }, 404)
    const embed = new URL(request.url).searchParams.get('embed') === '1'
    const noIndex = found.noIndex || isRehearsal
    const context = { ...contextOf(request, nonce, found.language, embed), key, ...(embed && { embed }), ...(noIndex && { noindex: true }) }
    const frameAncestors = embed ? (found.embedOrigins ?? 'any') : []
    return page(renderer.room(found.room, context), nonce, { noIndex, secretAddress: isRehearsal, frameAncestors })
  }

  async function dashboard(call: RouteCall): Promise<Response> {
    const principal = await call.principal()
    if (principal.kind !== 'user') return options.signInFirst(call)
    return page(renderer.dashboard({ title }, contextOf(call.request, call.nonce)), call.nonce, { noIndex: true })
  }

  async function home({ request, nonce }: RouteCall): Promise<Response> {
    const front = await options.frontPage()
    return page(renderer.home({ ...front, mcpUrl: `${baseUrl}/mcp` }, contextOf(request, nonce)), nonce)
  }

  return {
    routes: [
      { method: 'GET', path: '/', kind: 'page', handle: home },
      { method: 'GET', path: '/join/:key', kind: 'page', handle: (call) => room(call, 'slug') },
      { method: 'GET', path: '/rehearse/:key', kind: 'page', handle: (call) => room(call, 'rehearsal_token') },
      { method: 'GET', path: '/dashboard', kind: 'page', handle: dashboard },
      { method: 'GET', path: '/dashboard/*', kind: 'page', handle: dashboard },
    ],
    // An error has no request at hand that could be trusted to be read: it speaks the first language and the system's theme.
    errorPage: ({ nonce, ...props }) => renderer.error(props, contextOf(new Request(baseUrl), nonce)),
    docsPage: (frame, { request, nonce }) => page(renderer.docs(frame, contextOf(request, nonce)), nonce),
  }
}

function cookieOf(request: Request, name: string): string | undefined {
  const pairs = request.headers.get('cookie')?.split(';') ?? []
  return pairs.map((pair) => pair.trim().split('=')).find(([key]) => key === name)?.[1]
}
