// What a tool's result looks like as an A2UI surface (spec 4.5 `a2ui`, `generativeUI`): composed for each call from the data there
// is, so that an empty result gives advice, and a part without figures does not appear.
import { a2uiCatalog } from './catalogue.ts'

/** Components in their order; those of an inner list stand side by side. */
type Arrangement = readonly (string | readonly string[])[]

// Analytics as a surface: its parts follow from the figures. Nothing yet gives advice; without an offer there is no offer part; up
// to twelve slides are bars, more give the five that lose people.

const barsMax = 12
const worstMax = 5
const barWidth = 16

function composeAnalytics(data: Data, surface: Composer): Arrangement {
  const sessionId = text(data, 'sessionId')
  const attendees = number(data, 'totalAttendees')
  const show = () => surface.button('Show the session', toolAction('get_session', { sessionId }))
  if (attendees === 0)
    return [surface.text('Nobody has been here yet.', 'h3'), surface.text('Share the link of the room, or rehearse first.'), show()]
  const funnel = object(data, 'funnel')
  const questions = number(data, 'questionsCount')
  const parts: (string | string[])[] = [
    surface.text('Analytics', 'h3'),
    [
      figure(surface, String(attendees), 'attendees'),
      figure(surface, `${Math.round(number(data, 'averageEngagementSec'))} s`, 'average engagement'),
      ...(questions === 0 ? [] : [figure(surface, String(questions), 'questions')]),
    ],
  ]
  const clicks = number(data, 'ctaClicks')
  if (clicks > 0) parts.push(surface.text(`${clicks} of ${attendees} took the offer, ${number(funnel, 'lead')} left details.`))
  parts.push(...slideParts(list(data, 'slides'), surface))
  const open = list(data, 'unanswered').slice(0, worstMax)
  if (open.length > 0) {
    parts.push(surface.text('What the talk could not answer', 'h4'), ...open.map((each) => surface.text(text(each, 'text'))))
  }
  const exports = () => surface.button('Export leads', toolAction('export_leads', { sessionId }), true)
  return [...parts, [...(number(data, 'leads') > 0 ? [exports()] : []), show()]]
}

function figure(surface: Composer, value: string, label: string): string {
  return surface.column(surface.text(value, 'h2'), surface.text(label, 'caption'))
}

function slideParts(slides: readonly Data[], surface: Composer): string[] {
  if (slides.length === 0) return []
  if (slides.length <= barsMax) {
    const heading = surface.text('Seconds on each slide', 'h4')
    const most = Math.max(1, ...slides.map((slide) => number(slide, 'avgSeconds')))
    const bars = slides.map((slide) => {
      const seconds = number(slide, 'avgSeconds')
      return surface.text(`${number(slide, 'index') + 1} ${'█'.repeat(Math.round((seconds / most) * barWidth))} ${Math.round(seconds)} s`)
    })
    return [heading, ...bars]
  }
  const worst = slides
    .filter((slide) => number(slide, 'leftHere') > 0)
    .toSorted((a, b) => number(b, 'leftHere') - number(a, 'leftHere'))
    .slice(0, worstMax)
  if (worst.length === 0) return []
  const heading = surface.text('Where people leave', 'h4')
  const lines = worst.map((slide) => surface.text(`Slide ${number(slide, 'index') + 1}: ${number(slide, 'leftHere')} left here`))
  return [heading, ...lines]
}

const composers: Readonly<Record<string, (data: Data, surface: Composer) => Arrangement>> = {
  create_session: composeCreated,
  list_sessions: composeList,
  get_session: composeSession,
  get_session_analytics: composeAnalytics,
  export_leads: composeLeads,
  pap_query_presenter: composeAnswer,
}

/** As long as a spoken answer may be. */
const replyMax = 1_200

const isWeb = (url: string): boolean => /^https?:\/\//.test(url)

export interface Surface {
  id: string
  /** JSON */
  messages: string
}

/** The surface for `tool`, or undefined where it has none. */
export function composeSurface(tool: string, data: Data): Surface | undefined {
  const surface = createComposer()
  const arrangement = composers[tool]?.(data, surface)
  if (arrangement === undefined) return undefined
  const id = text(data, 'id') || text(data, 'sessionId') || 'all'
  const children = arrangement.map((each) => (typeof each === 'string' ? each : surface.row(...each)))
  const messages = surface.finish(`${tool}-${id}`, children)
  return messages === undefined ? undefined : { id, messages }
}

function links(data: Data, surface: Composer): string[] {
  const [room, rehearsal] = [text(data, 'roomUrl'), text(data, 'rehearsalUrl')]
  const isPublished = text(data, 'status') === 'published'
  return [
    ...(isWeb(room) && isPublished ? [surface.button('Open room', linkAction(room), true)] : []),
    ...(isWeb(rehearsal) ? [surface.button('Open rehearsal', linkAction(rehearsal), !isPublished)] : []),
  ]
}

function composeCreated(data: Data, surface: Composer): Arrangement {
  const sessionId = text(data, 'id')
  const status = text(data, 'status') === 'published' ? 'Published' : 'Draft: only you see it'
  return [
    surface.text(text(data, 'title'), 'h3'),
    surface.text(status, 'caption'),
    [...links(data, surface), surface.button('Show slides', toolAction('get_session', { sessionId }))],
  ]
}

/** What is not shown of a list: how much, and the button for the next page. */
function rest(left: number, tool: string, args: Readonly<Record<string, string>>, cursor: string, surface: Composer): string[] {
  return [
    ...(left > 0 ? [surface.text(`${left} more are in the text of the result.`, 'caption')] : []),
    ...(cursor === '' ? [] : [surface.button('More', toolAction(tool, { ...args, cursor }))]),
  ]
}

function composeList(data: Data, surface: Composer): Arrangement {
  const sessions = list(data, 'sessions')
  if (sessions.length === 0) return [surface.text('No sessions yet. Ask to create one from slides, a PDF or a few words.')]
  const heading = surface.text('Sessions', 'h3')
  const rows: string[] = []
  for (const session of sessions) {
    if (surface.room() < 10) break
    const words = `${text(session, 'title')} (${text(session, 'status')})`
    const show = surface.button('Show', toolAction('get_session', { sessionId: text(session, 'id') }))
    rows.push(surface.row(surface.text(words), show))
  }
  const more = rest(sessions.length - rows.length, 'list_sessions', {}, text(data, 'nextCursor'), surface)
  return [heading, ...rows, ...more]
}

function composeSession(data: Data, surface: Composer): Arrangement {
  const sessionId = text(data, 'id')
  const slides = list(data, 'slides')
  const parts: (string | string[])[] = [surface.text(text(data, 'title'), 'h3'), surface.text(text(data, 'status'), 'caption')]
  if (text(data, 'description') !== '') parts.push(surface.text(text(data, 'description')))
  const state = text(data, 'deckState')
  if (state !== '' && state !== 'ready') parts.push(surface.text(`Deck: ${state}`, 'caption'))
  const analytics = surface.button('Analytics', toolAction('get_session_analytics', { sessionId }))
  parts.push([...links(data, surface), analytics])
  if (slides.length === 0) return [...parts, surface.text('There are no slides yet.')]
  const rows: string[] = []
  for (const slide of slides) {
    if (surface.room() < 5) break
    const [title, image, index] = [text(slide, 'title'), text(slide, 'imageUrl'), number(slide, 'index') + 1]
    const words = surface.text(`${index}. ${title === '' ? `Slide ${index}` : title}`)
    rows.push(isWeb(image) ? surface.row(surface.image(image, title), words) : words)
  }
  return [...parts, ...rows]
}

function composeLeads(data: Data, surface: Composer): Arrangement {
  const leads = list(data, 'leads')
  const sessionId = text(data, 'sessionId')
  if (leads.length === 0) return [surface.text('No leads yet. They come when attendees leave their details.')]
  const count = leads.length === 1 ? '1 lead' : `${number(data, 'total') || leads.length} leads`
  const heading = surface.text(count, 'h3')
  const rows: string[] = []
  for (const lead of leads) {
    if (surface.room() < 6) break
    const who = [text(lead, 'name'), text(lead, 'company')].filter((each) => each !== '').join(', ')
    const words = surface.text(who === '' ? text(lead, 'email') : `${who}: ${text(lead, 'email')}`)
    rows.push(lead['ctaClicked'] === true ? surface.row(words, surface.text('took the offer', 'caption')) : words)
  }
  const more = rest(leads.length - rows.length, 'export_leads', { sessionId }, text(data, 'nextCursor'), surface)
  return [heading, ...rows, ...more]
}

function composeAnswer(data: Data, surface: Composer): Arrangement {
  const parts = [surface.text(text(data, 'reply'), 'body', replyMax)]
  const cards = list(data, 'citations')
    .slice(0, 4)
    .map((citation) => {
      const quote = surface.text(`“${text(citation, 'quote')}”`)
      return surface.card(surface.column(quote, surface.text(text(citation, 'title') || text(citation, 'type'), 'caption')))
    })
  parts.push(...cards)
  for (const action of list(data, 'suggestedActions')) parts.push(suggested(action, surface))
  const disclosure = text(data, 'disclosure')
  return disclosure === '' ? parts : [...parts, surface.text(disclosure, 'caption')]
}

/** A suggestion as a button; what the person still has to say becomes a field. */
function suggested(action: Data, surface: Composer): string {
  const reason = surface.text(text(action, 'reason'), 'caption')
  const url = text(action, 'url')
  if (text(action, 'type') === 'open_link' && isWeb(url))
    return surface.column(reason, surface.button(text(action, 'title'), linkAction(url)))
  const given = action['arguments'] as Readonly<Record<string, string>> | undefined
  const needs = (action['needs'] as readonly string[] | undefined) ?? []
  const fields = needs.map((name) => ({ name, ...surface.field(name) }))
  const context = { ...given, ...Object.fromEntries(fields.map(({ name, value }) => [name, value])) }
  const label = labels[text(action, 'toolName')] ?? 'Go on'
  const call: Action = toolAction(text(action, 'toolName'), context)
  return surface.column(reason, ...fields.map(({ id }) => id), surface.button(label, call))
}

const labels: Readonly<Record<string, string>> = {
  submit_attendee_lead: 'Send my details',
  pap_query_presenter: 'Ask this presenter',
  discover_sessions: 'Find talks',
}

// Reads members of a tool's structured result, which is JSON of our own making.

export type Data = Readonly<Record<string, unknown>>

export function text(data: Data, member: string): string {
  const value = data[member]
  return typeof value === 'string' ? value : ''
}

export function number(data: Data, member: string): number {
  const value = data[member]
  return typeof value === 'number' ? value : 0
}

export function list(data: Data, member: string): readonly Data[] {
  const value = data[member]
  return Array.isArray(value) ? value.filter((item): item is Data => typeof item === 'object' && item !== null) : []
}

export function object(data: Data, member: string): Data {
  const value = data[member]
  return typeof value === 'object' && value !== null ? (value as Data) : {}
}

// What follows the text twin of a tool result: a remark where there is more than was given, and an A2UI surface where the client
// has said, with this request, that it can draw one.

export type Content = Readonly<Record<string, unknown>> & { type: string }

/** Blocks for a model and for a person; empty for most calls. `baseUrl`: without a trailing slash. */
export function furtherContent(tool: string, data: Data, meta: Data | undefined, baseUrl: string): Content[] {
  const remarks = tool === 'export_leads' ? moreLeads(data, baseUrl) : []
  const surface = meta !== undefined && drawsA2ui(meta) ? composeSurface(tool, data) : undefined
  if (surface === undefined) return remarks
  const uri = `a2ui://${new URL(baseUrl).host}/${tool}/${surface.id}`
  const resource = { uri, mimeType: 'application/a2ui+json', text: surface.messages }
  return [...remarks, { type: 'resource', resource, annotations: { audience: ['user'] } }]
}

function moreLeads(data: Data, baseUrl: string): Content[] {
  if (text(data, 'nextCursor') === '') return []
  const [given, total] = [list(data, 'leads').length, number(data, 'total')]
  const words = `${given.toLocaleString('en')} of ${total.toLocaleString('en')} leads; pass nextCursor for the rest, or fetch the CSV.`
  return [
    { type: 'text', text: words },
    {
      type: 'resource_link',
      uri: `${baseUrl}/api/v1/agent/sessions/${text(data, 'sessionId')}/leads`,
      name: 'leads.csv',
      title: 'All leads as CSV',
      mimeType: 'text/csv',
    },
  ]
}

function drawsA2ui(meta: Data): boolean {
  const catalogs = object(object(object(meta, 'a2ui'), 'clientCapabilities'), 'v0.9')['supportedCatalogIds']
  return Array.isArray(catalogs) && catalogs.includes(a2uiCatalog)
}

// Composes one A2UI 0.9 surface from parts of the basic catalogue: a flat list of components under one root, whose texts are
// values in the data model, bound by path. Texts are data and never become the name of a component or an action.

export const componentsMax = 60
export const bytesMax = 32_768
/** Kept for what a composer still adds after it has asked for room. */
const reserveBytes = 8_192
const textMax = 400
const version = 'v0.9'

type Bound = { path: string }
export type ContextValue = string | number | boolean | Bound

export type Action =
  | { event: { name: string; context: Readonly<Record<string, ContextValue>> } }
  | { functionCall: { call: 'openUrl'; args: { url: string }; returnType: 'void' } }

export interface Component {
  id: string
  component: 'Text' | 'Column' | 'Row' | 'Card' | 'Button' | 'Image' | 'TextField'
  [member: string]: unknown
}

export interface Composer {
  /** Longer than `max` characters is cut. */
  text(value: string, variant?: 'h2' | 'h3' | 'h4' | 'body' | 'caption', max?: number): string
  /** `url` is not cut: ask for room where it may be long. */
  image(url: string, description: string): string
  /** A field a person fills; its value is bound at the returned path. */
  field(label: string): { id: string; value: Bound }
  button(label: string, action: Action, isMain?: boolean): string
  row(...children: readonly string[]): string
  column(...children: readonly string[]): string
  card(child: string): string
  /** How many more components there is room for; none once the messages are nearly as large as they may be. */
  room(): number
  /** The messages that make the surface, or undefined where it would be too large. */
  finish(surfaceId: string, children: readonly string[]): string | undefined
}

/** A tool of ours as an action: its name and its arguments come back in an ordinary call. */
export function toolAction(name: string, context: Readonly<Record<string, ContextValue>>): Action {
  return { event: { name, context } }
}

export function linkAction(url: string): Action {
  return { functionCall: { call: 'openUrl', args: { url }, returnType: 'void' } }
}

export function createComposer(): Composer {
  const components: Component[] = []
  const texts: string[] = []
  const inputs: Record<string, string> = {}
  let bytes = 0
  let last = 0
  const add = (component: Component['component'], members: Readonly<Record<string, unknown>>): string => {
    const id = `c${++last}`
    const made = { id, component, ...members }
    components.push(made)
    bytes += Buffer.byteLength(JSON.stringify(made))
    return id
  }
  const bind = (value: string, max = textMax): Bound => {
    const short = value.length > max ? `${value.slice(0, max - 1).toWellFormed()}…` : value
    bytes += Buffer.byteLength(JSON.stringify(short))
    return { path: `/texts/${texts.push(short) - 1}` }
  }
  return {
    text: (value, variant = 'body', max = textMax) => add('Text', { text: bind(value, max), variant }),
    image: (url, description) =>
      add('Image', { url: bind(url, Infinity), description: bind(description), fit: 'contain', variant: 'smallFeature' }),
    field(label) {
      const value = { path: `/inputs/${label}` }
      inputs[label] = ''
      return { id: add('TextField', { label, value, variant: 'shortText' }), value }
    },
    button(label, action, isMain = false) {
      const child = add('Text', { text: bind(label) })
      return add('Button', { child, action, variant: isMain ? 'primary' : 'default' })
    },
    row: (...children) => add('Row', { children, align: 'center', justify: 'start' }),
    column: (...children) => add('Column', { children }),
    card: (child) => add('Card', { child }),
    room: () => (bytes > bytesMax - reserveBytes ? 0 : componentsMax - 1 - components.length),
    finish(surfaceId, children) {
      const root: Component = { id: 'root', component: 'Column', children }
      const messages = [
        { version, createSurface: { surfaceId, catalogId: a2uiCatalog } },
        { version, updateComponents: { surfaceId, components: [root, ...components] } },
        { version, updateDataModel: { surfaceId, path: '/', value: { texts, inputs } } },
      ]
      const text = JSON.stringify(messages)
      return components.length < componentsMax && Buffer.byteLength(text) <= bytesMax ? text : undefined
    },
  }
}
