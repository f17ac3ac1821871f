// What a tool's result looks like as an A2UI 0.9 surface (spec 4.5 `a2ui`, `generativeUI`): composed for each call from the data there
// is, so that an empty result gives advice, and a part without figures does not appear. Texts are values in the data model, bound by
// path: they never become the name of a component or an action.
import { a2uiCatalog } from './catalogue.ts'

export const componentsMax = 60
export const bytesMax = 32_768
const textMax = 400
/** As long as a spoken answer may be. */
const replyMax = 1_200
const version = 'v0.9'

type ContextValue = string | number | boolean | { path: string }
/** A tool of ours, whose name and arguments come back in an ordinary call, or a link. */
type Action =
  | { event: { name: string; context: Readonly<Record<string, ContextValue>> } }
  | { functionCall: { call: 'openUrl'; args: { url: string }; returnType: 'void' } }

/** A component of the basic catalogue with what is in it. */
type Part =
  | { text: string; as?: 'h2' | 'h3' | 'h4' | 'caption'; max?: number }
  | { image: string; description: string }
  | { field: string }
  | { button: string; action: Action; isMain?: boolean }
  | { row: readonly Part[] }
  | { column: readonly Part[] }
  | { card: Part }

/** One below the other. Of `rows` as many are shown as fit; `foot` is told how many are left out. */
interface Arrangement {
  parts: readonly Part[]
  rows?: readonly Part[]
  foot?: (left: number) => readonly Part[]
}

const call = (button: string, name: string, context: Readonly<Record<string, ContextValue>>, isMain = false): Part => ({
  button,
  action: { event: { name, context } },
  isMain,
})
const caption = (words: string): Part => ({ text: words, as: 'caption' })
const titled = (title: string, lines: readonly string[]): Part[] =>
  lines.length === 0 ? [] : [{ text: title, as: 'h4' }, ...lines.map((line) => ({ text: line }))]
const isWeb = (url: string): boolean => /^https?:\/\//.test(url)
/** Nothing where the address is none. */
const link = (button: string, url: string, isMain = false): Part[] =>
  isWeb(url) ? [{ button, action: { functionCall: { call: 'openUrl', args: { url }, returnType: 'void' } }, isMain }] : []

const composers: Readonly<Record<string, (data: Data) => Arrangement>> = {
  create_session: composeCreated,
  list_sessions: composeList,
  get_session: composeSession,
  get_session_analytics: composeAnalytics,
  export_leads: composeLeads,
  pap_query_presenter: composeAnswer,
}

export interface Surface {
  id: string
  /** JSON */
  messages: string
}

/** The surface for `tool`, or undefined where it has none, or where it would be too large. */
export function composeSurface(tool: string, data: Data): Surface | undefined {
  const arrangement = composers[tool]?.(data)
  if (arrangement === undefined) return undefined
  const id = text(data, 'id') || text(data, 'sessionId') || 'all'
  const { parts, rows = [], foot = () => [] } = arrangement
  for (let count = Math.min(rows.length, componentsMax); count >= 0; count--) {
    const messages = messagesOf(`${tool}-${id}`, [...parts, ...rows.slice(0, count), ...foot(rows.length - count)])
    if (messages !== undefined) return { id, messages }
  }
  return undefined
}

/** The messages that make the surface: a flat list of components under one root; undefined where there are too many, or too large. */
function messagesOf(surfaceId: string, parts: readonly Part[]): string | undefined {
  const components: { id: string; component: string; [member: string]: unknown }[] = []
  const texts: string[] = []
  const inputs: Record<string, string> = {}
  const bind = (value: string, max = textMax) => {
    const short = value.length > max ? `${value.slice(0, max - 1).toWellFormed()}…` : value
    return { path: `/texts/${texts.push(short) - 1}` }
  }
  const add = (component: string, members: object): string => {
    const id = `c${components.length}`
    components.push({ id, component, ...members })
    return id
  }
  const place = (part: Part): string => {
    if ('text' in part) return add('Text', { text: bind(part.text, part.max), variant: part.as ?? 'body' })
    if ('image' in part) {
      const bound = { url: bind(part.image, Infinity), description: bind(part.description) }
      return add('Image', { ...bound, fit: 'contain', variant: 'smallFeature' })
    }
    if ('field' in part) {
      inputs[part.field] = ''
      return add('TextField', { label: part.field, value: inputOf(part.field), variant: 'shortText' })
    }
    if ('button' in part) {
      const child = add('Text', { text: bind(part.button) })
      return add('Button', { child, action: part.action, variant: part.isMain === true ? 'primary' : 'default' })
    }
    if ('card' in part) return add('Card', { child: place(part.card) })
    if ('row' in part) return add('Row', { children: part.row.map(place), align: 'center', justify: 'start' })
    return add('Column', { children: part.column.map(place) })
  }
  const root = { id: 'root', component: 'Column', children: parts.map(place) }
  if (components.length >= componentsMax) return undefined
  const messages = JSON.stringify([
    { version, createSurface: { surfaceId, catalogId: a2uiCatalog } },
    { version, updateComponents: { surfaceId, components: [root, ...components] } },
    { version, updateDataModel: { surfaceId, path: '/', value: { texts, inputs } } },
  ])
  return Buffer.byteLength(messages) <= bytesMax ? messages : undefined
}

/** Where what a person writes into a field is. */
const inputOf = (field: string) => ({ path: `/inputs/${field}` })

function links(data: Data): Part[] {
  const isPublished = text(data, 'status') === 'published'
  return [
    ...(isPublished ? link('Open room', text(data, 'roomUrl'), true) : []),
    ...link('Open rehearsal', text(data, 'rehearsalUrl'), !isPublished),
  ]
}

function composeCreated(data: Data): Arrangement {
  const status = text(data, 'status') === 'published' ? 'Published' : 'Draft: only you see it'
  return {
    parts: [
      { text: text(data, 'title'), as: 'h3' },
      caption(status),
      { row: [...links(data), call('Show slides', 'get_session', { sessionId: text(data, 'id') })] },
    ],
  }
}

/** What is not shown of a list: how much, and the button for the next page. */
const rest = (data: Data, tool: string, args: Readonly<Record<string, string>>) => (left: number) => {
  const cursor = text(data, 'nextCursor')
  return [
    ...(left > 0 ? [caption(`${left} more are in the text of the result.`)] : []),
    ...(cursor === '' ? [] : [call('More', tool, { ...args, cursor })]),
  ]
}

function composeList(data: Data): Arrangement {
  const sessions = list(data, 'sessions')
  if (sessions.length === 0) return { parts: [{ text: 'No sessions yet. Ask to create one from slides, a PDF or a few words.' }] }
  return {
    parts: [{ text: 'Sessions', as: 'h3' }],
    rows: sessions.map((session) => {
      const show = call('Show', 'get_session', { sessionId: text(session, 'id') })
      return { row: [{ text: `${text(session, 'title')} (${text(session, 'status')})` }, show] }
    }),
    foot: rest(data, 'list_sessions', {}),
  }
}

function composeSession(data: Data): Arrangement {
  const [description, deckState] = [text(data, 'description'), text(data, 'deckState')]
  const slides = list(data, 'slides')
  return {
    parts: [
      { text: text(data, 'title'), as: 'h3' },
      caption(text(data, 'status')),
      ...(description === '' ? [] : [{ text: description }]),
      ...(deckState === '' || deckState === 'ready' ? [] : [caption(`Deck: ${deckState}`)]),
      { row: [...links(data), call('Analytics', 'get_session_analytics', { sessionId: text(data, 'id') })] },
      ...(slides.length === 0 ? [{ text: 'There are no slides yet.' }] : []),
    ],
    rows: slides.map((slide) => {
      const [title, image, index] = [text(slide, 'title'), text(slide, 'imageUrl'), number(slide, 'index') + 1]
      const words = { text: `${index}. ${title === '' ? `Slide ${index}` : title}` }
      return isWeb(image) ? { row: [{ image, description: title }, words] } : words
    }),
  }
}

function composeLeads(data: Data): Arrangement {
  const leads = list(data, 'leads')
  if (leads.length === 0) return { parts: [{ text: 'No leads yet. They come when attendees leave their details.' }] }
  return {
    parts: [{ text: leads.length === 1 ? '1 lead' : `${number(data, 'total') || leads.length} leads`, as: 'h3' }],
    rows: leads.map((lead) => {
      const who = [text(lead, 'name'), text(lead, 'company')].filter((each) => each !== '').join(', ')
      const words = { text: who === '' ? text(lead, 'email') : `${who}: ${text(lead, 'email')}` }
      const remarks = [lead['ctaClicked'] === true && 'took the offer', lead['unproven'] === true && 'unproven'].filter(Boolean)
      return remarks.length > 0 ? { row: [words, caption(remarks.join(', '))] } : words
    }),
    foot: rest(data, 'export_leads', { sessionId: text(data, 'sessionId') }),
  }
}

function composeAnswer(data: Data): Arrangement {
  const disclosure = text(data, 'disclosure')
  const cards = list(data, 'citations').map((citation): Part => {
    const source = text(citation, 'title') || text(citation, 'type')
    return { card: { column: [{ text: `“${text(citation, 'quote')}”` }, caption(source)] } }
  })
  return {
    parts: [
      { text: text(data, 'reply'), max: replyMax },
      ...cards.slice(0, 4),
      ...list(data, 'suggestedActions').map(suggested),
      ...(disclosure === '' ? [] : [caption(disclosure)]),
    ],
  }
}

const labels: Readonly<Record<string, string>> = {
  submit_attendee_lead: 'Send my details',
  pap_query_presenter: 'Ask this presenter',
  discover_sessions: 'Find talks',
}

/** A suggestion as a button; what the person still has to say becomes a field. */
function suggested(action: Data): Part {
  const [reason, tool]: [Part, string] = [caption(text(action, 'reason')), text(action, 'toolName')]
  const opened = text(action, 'type') === 'open_link' ? link(text(action, 'title'), text(action, 'url')) : []
  if (opened.length > 0) return { column: [reason, ...opened] }
  const needs = (action['needs'] as readonly string[] | undefined) ?? []
  const given = action['arguments'] as Readonly<Record<string, string>> | undefined
  const context = { ...given, ...Object.fromEntries(needs.map((name) => [name, inputOf(name)])) }
  return { column: [reason, ...needs.map((field) => ({ field })), call(labels[tool] ?? 'Go on', tool, context)] }
}

// Analytics: nothing yet gives advice; without an offer there is no offer part; up to twelve slides are bars, more give the five that
// lose people.

const barsMax = 12
const worstMax = 5
const barWidth = 16

function composeAnalytics(data: Data): Arrangement {
  const sessionId = text(data, 'sessionId')
  const attendees = number(data, 'totalAttendees')
  const show = call('Show the session', 'get_session', { sessionId })
  if (attendees === 0)
    return { parts: [{ text: 'Nobody has been here yet.', as: 'h3' }, { text: 'Share the link of the room, or rehearse first.' }, show] }
  const [questions, clicks] = [number(data, 'questionsCount'), number(data, 'ctaClicks')]
  const left = number(object(data, 'funnel'), 'lead')
  const open = list(data, 'unanswered').slice(0, worstMax)
  return {
    parts: [
      { text: 'Analytics', as: 'h3' },
      {
        row: [
          figure(String(attendees), 'attendees'),
          figure(`${Math.round(number(data, 'averageEngagementSec'))} s`, 'average engagement'),
          ...(questions === 0 ? [] : [figure(String(questions), 'questions')]),
        ],
      },
      ...(clicks === 0 ? [] : [{ text: `${clicks} of ${attendees} took the offer, ${left} left details.` }]),
      ...slideParts(list(data, 'slides')),
      ...titled(
        'What the talk could not answer',
        open.map((each) => text(each, 'text')),
      ),
      { row: [...(number(data, 'leads') > 0 ? [call('Export leads', 'export_leads', { sessionId }, true)] : []), show] },
    ],
  }
}

const figure = (value: string, label: string): Part => ({ column: [{ text: value, as: 'h2' }, caption(label)] })

function slideParts(slides: readonly Data[]): Part[] {
  const place = (slide: Data) => number(slide, 'index') + 1
  if (slides.length <= barsMax) {
    const most = Math.max(1, ...slides.map((slide) => number(slide, 'avgSeconds')))
    const bar = (seconds: number) => `${'█'.repeat(Math.round((seconds / most) * barWidth))} ${Math.round(seconds)} s`
    return titled(
      'Seconds on each slide',
      slides.map((slide) => `${place(slide)} ${bar(number(slide, 'avgSeconds'))}`),
    )
  }
  const left = slides.filter((slide) => number(slide, 'leftHere') > 0)
  const worst = left.toSorted((a, b) => number(b, 'leftHere') - number(a, 'leftHere')).slice(0, worstMax)
  return titled(
    'Where people leave',
    worst.map((slide) => `Slide ${place(slide)}: ${number(slide, 'leftHere')} left here`),
  )
}

// Reads members of a tool's structured result, which is JSON of our own making.

type Data = Readonly<Record<string, unknown>>

function text(data: Data, member: string): string {
  const value = data[member]
  return typeof value === 'string' ? value : ''
}

function number(data: Data, member: string): number {
  const value = data[member]
  return typeof value === 'number' ? value : 0
}

function list(data: Data, member: string): readonly Data[] {
  const value = data[member]
  return Array.isArray(value) ? value.filter((item): item is Data => typeof item === 'object' && item !== null) : []
}

function object(data: Data, member: string): Data {
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
