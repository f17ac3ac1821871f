// What the built server bundle (web/dist/server/render.js) offers to the server: HTML strings for the room and the pages. Types only, so
// that the server never runs browser code; app.ts loads the bundle at start.
import type { Brand } from '@rostrum/contract/brand'
import type { PeoplePages } from '@rostrum/contract/people-pages'
import type { OutputOf } from '../../../client/operations.ts'
import type { PollAnswer, PollSoFar, RoomView } from '../room/stream/wire.ts'

export type { RoomView } from '../room/stream/wire.ts'

/** What every page needs to know of its request. */
export interface PageContext {
  /** The CSP nonce of this response, base64 without padding. */
  nonce: string
  baseUrl: string
  /** `ROSTRUM_TITLE`. */
  siteTitle: string
  /** Of the words of the page; a tag of `languages/room`. */
  language: string
  /** From the `theme` cookie, in an embed from `?theme=`; absent: the system's. */
  theme?: 'light' | 'dark'
  /** Serves /assets and /media instead of this host. */
  assetOrigin?: string
  /** Of the host whose page it is. */
  brand?: Brand
  /** Proves that a form comes from its page. */
  csrf?: string
}

export interface RoomPage extends PageContext {
  /** The slug or the rehearsal token of the address. */
  key: string
  embed?: boolean
  /** Words by which listeners of the talk say that they follow, in its language. */
  follows: readonly string[]
  /** Draft, unpublished or rehearsal: adds `robots: noindex`. */
  noindex?: boolean
  preview?: RoomPreview
}

/** Of a talk that is public by its link: what other sites show of it. */
export interface RoomPreview {
  url: string
  imageUrl: string
  width: number
  height: number
  oembedUrl: string
}

export interface TalkLink {
  title: string
  description: string | null
  joinUrl: string
}

/** What an attendee keeps of a talk: the answer of `view_recap`. */
export interface RecapView {
  title: string
  description: string | null
  language: string
  kind: 'live' | 'rehearsal'
  disclosure: string
  startedAt: string | null
  slidesCount: number
  polls: readonly (Omit<PollSoFar, 'open' | 'shown' | 'until' | 'right' | 'results'> & {
    results: NonNullable<PollSoFar['results']>
    right?: number | undefined
    answer?: PollAnswer
  })[]
  slides: readonly {
    id: string
    index: number
    title: string
    text: string
    imageUrl: string | null
    width: number | null
    height: number | null
  }[]
  questions: readonly {
    text: string
    slideIndex: number
    mode?: string
    answer?: string
    citations?: readonly { type: 'slide' | 'knowledge'; index: number; title: string | null }[]
  }[]
  cta: { text: string; url: string; host?: string } | null
  brand?: Brand
  unverified?: boolean
}

export type RegistrationForm = OutputOf<'view_registration'>
export type OwnRegistration = OutputOf<'view_own_registration'>

/** A recording that its host shows. */
export type ReplayView = OutputOf<'view_replay'>

export interface PageProps extends PeoplePages {
  /** The front page: what this is, the demo, the dashboard, docs, MCP address, discoverable talks. */
  home: {
    demo: { url: string; slides: readonly RoomView['slides'][number][]; captions: readonly string[] } | null
    mcpUrl: string
    talks: readonly TalkLink[]
  }
  /** A slug that is unknown, a draft or unpublished: the same words for all; others for who is not among the guests, or comes too late for their link. */
  'join-closed': { reason?: 'guests' | 'expired' }
  /** What an attendee keeps of a talk. */
  recap: { recap: RecapView }
  /** A film, or the sound of a talk, from a second on. */
  replay: { replay: ReplayView; address: string; fromSeconds: number }
  /** Before a link of a talk that nobody vouches for. */
  leaving: { title: string; url: string; host: string }
  /** To tell the operator of a talk; and that it was told. */
  report: { title: string; reasons: readonly ReportReason[]; wordsMax: number }
  reported: Record<string, never>
  /** To register for a talk; `when` in words; what was given and is wrong, after a try. */
  register: { form: RegistrationForm; when: string | null; given?: Readonly<Record<string, string>>; wrong?: readonly string[] }
  registered: { title: string; when: string | null; email: string; state: 'going' | 'waiting'; isMailed: boolean }
  registration: { own: OwnRegistration; when: string | null; calendarUrl: string }
  /** Which mails have ended: of a talk and of all talks of its host, or of one kind. */
  'end-mails': { ended: { talk: boolean; host?: boolean } }
  /** The same, taken back by whoever held it. */
  'recap-ended': Record<string, never>
  /** 404, 410, 429, 500 with words, the request id and a way on. */
  error: { status: number; title?: string; detail?: string; requestId: string }
  /** The frame of /docs; `contents` and `body` are HTML made by src/docs (escaped there). */
  docs: {
    title: string
    description: string
    contents: readonly { title: string; links: readonly DocLink[] }[]
    body: string
    path: string
    markdownUrl?: string
    query?: string
  }
  /** The dashboard's shell: its script draws the rest. */
  dashboard: { title: string }
}

export type ReportReason = 'fraud' | 'impersonation' | 'harmful' | 'rights' | 'other'

export interface DocLink {
  title: string
  href: string
  children?: readonly DocLink[]
}

export type PageName = keyof PageProps

/** The exports of web/dist/server/render.js. Files under web/dist/client are served at `/`: `/assets/*` immutable, each with `.br` and `.gz` beside it. */
export interface WebBundle {
  renderRoom(room: RoomView, page: RoomPage): string
  renderPage<Name extends PageName>(name: Name, props: PageProps[Name], page: PageContext): string
  /** `?lang`, the remembered choice, `Accept-Language`, the session's language, English; the first that we speak. */
  pickLanguage(wishes: {
    query?: string | null
    remembered?: string | null
    acceptLanguage?: string | null
    session?: string | null
  }): string
}
