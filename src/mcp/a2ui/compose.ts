// What a tool's result looks like as an A2UI surface (spec 4.5 `a2ui`, `generativeUI`): composed for each call from the data there
// is, so that an empty result gives advice, and a part without figures does not appear. Where a layout is given it arranges the parts.
import { arrange, type Arrangement, type Layout, layoutMax, type Part, part, type Shape, shapeOf } from './layout.ts'
import { type Action, type Composer, createComposer, linkAction, toolAction } from './surface.ts'
import { a2uiCatalog } from '../catalogue.ts'
import type { Layouts } from './layouts.ts'

// Analytics as a surface: its parts follow from the figures. Nothing yet gives advice; without an offer there is no offer part; up
// to twelve slides are bars, more give the five that lose people.

const barsMax = 12
const worstMax = 5
const barWidth = 16

function composeAnalytics(data: Data, surface: Composer): Arrangement {
  const sessionId = text(data, 'sessionId')
  const attendees = number(data, 'totalAttendees')
  const show = () => part('button', 'show-session', surface.button('Show the session', toolAction('get_session', { sessionId })))
  if (attendees === 0)
    return [
      part('text', 'nobody-yet', surface.text('Nobody has been here yet.', 'h3')),
      part('text', 'advice', surface.text('Share the link of the room, or rehearse first.')),
      show(),
    ]
  const funnel = object(data, 'funnel')
  const questions = number(data, 'questionsCount')
  const parts: (Part | Part[])[] = [
    part('heading', 'heading', surface.text('Analytics', 'h3')),
    [
      figure(surface, 'attendees', String(attendees), 'attendees'),
      figure(surface, 'engagement', `${Math.round(number(data, 'averageEngagementSec'))} s`, 'average engagement'),
      ...(questions === 0 ? [] : [figure(surface, 'questions', String(questions), 'questions')]),
    ],
  ]
  const clicks = number(data, 'ctaClicks')
  if (clicks > 0) {
    const words = `${clicks} of ${attendees} took the offer, ${number(funnel, 'lead')} left details.`
    parts.push(part('text', 'offer', surface.text(words)))
  }
  parts.push(...slideParts(list(data, 'slides'), surface))
  const open = list(data, 'unanswered').slice(0, worstMax)
  if (open.length > 0) {
    const heading = surface.text('What the talk could not answer', 'h4')
    const questionTexts = open.map((each) => surface.text(text(each, 'text')))
    parts.push(part('heading', 'unanswered-heading', heading), part('list', 'unanswered', ...questionTexts))
  }
  const exports = () => part('button', 'export-leads', surface.button('Export leads', toolAction('export_leads', { sessionId }), true))
  return [...parts, [...(number(data, 'leads') > 0 ? [exports()] : []), show()]]
}

function figure(surface: Composer, name: string, value: string, label: string): Part {
  return part('figure', name, surface.column(surface.text(value, 'h2'), surface.text(label, 'caption')))
}

function slideParts(slides: readonly Data[], surface: Composer): Part[] {
  if (slides.length === 0) return []
  if (slides.length <= barsMax) {
    const heading = surface.text('Seconds on each slide', 'h4')
    const most = Math.max(1, ...slides.map((slide) => number(slide, 'avgSeconds')))
    const bars = slides.map((slide) => {
      const seconds = number(slide, 'avgSeconds')
      return surface.text(`${number(slide, 'index') + 1} ${'█'.repeat(Math.round((seconds / most) * barWidth))} ${Math.round(seconds)} s`)
    })
    return [part('heading', 'slides-heading', heading), part('list', 'seconds-on-slides', ...bars)]
  }
  const worst = slides
    .filter((slide) => number(slide, 'leftHere') > 0)
    .toSorted((a, b) => number(b, 'leftHere') - number(a, 'leftHere'))
    .slice(0, worstMax)
  if (worst.length === 0) return []
  const heading = surface.text('Where people leave', 'h4')
  const lines = worst.map((slide) => surface.text(`Slide ${number(slide, 'index') + 1}: ${number(slide, 'leftHere')} left here`))
  return [part('heading', 'slides-heading', heading), part('list', 'where-people-leave', ...lines)]
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
  const children = arrangement.flatMap((each) => ('name' in each ? each.ids : [surface.row(...each.flatMap(({ ids }) => ids))]))
  return finished(tool, data, surface, children)
}

/** What a layout for this result would have to arrange; undefined where there is no surface. */
export function surfaceShape(tool: string, data: Data): Shape | undefined {
  const arrangement = composers[tool]?.(data, createComposer(layoutMax))
  return arrangement === undefined ? undefined : shapeOf(tool, arrangement)
}

/** The surface for `tool` as `layout` has it, which was read for the shape of `data`; that of the rules where it grows too large. */
export function layOut(tool: string, data: Data, layout: Layout): Surface | undefined {
  const surface = createComposer(layoutMax)
  const arrangement = composers[tool]?.(data, surface)
  if (arrangement === undefined) return undefined
  return finished(tool, data, surface, [arrange(surface, arrangement.flat(), layout)]) ?? composeSurface(tool, data)
}

function finished(tool: string, data: Data, surface: Composer, children: readonly string[]): Surface | undefined {
  const id = text(data, 'id') || text(data, 'sessionId') || 'all'
  const messages = surface.finish(`${tool}-${id}`, children)
  return messages === undefined ? undefined : { id, messages }
}

function links(data: Data, surface: Composer): Part[] {
  const [room, rehearsal] = [text(data, 'roomUrl'), text(data, 'rehearsalUrl')]
  const isPublished = text(data, 'status') === 'published'
  return [
    ...(isWeb(room) && isPublished ? [part('button', 'open-room', surface.button('Open room', linkAction(room), true))] : []),
    ...(isWeb(rehearsal) ? [part('button', 'open-rehearsal', surface.button('Open rehearsal', linkAction(rehearsal), !isPublished))] : []),
  ]
}

function composeCreated(data: Data, surface: Composer): Arrangement {
  const sessionId = text(data, 'id')
  const status = text(data, 'status') === 'published' ? 'Published' : 'Draft: only you see it'
  return [
    part('text', 'title', surface.text(text(data, 'title'), 'h3')),
    part('text', 'status', surface.text(status, 'caption')),
    [...links(data, surface), part('button', 'show-slides', surface.button('Show slides', toolAction('get_session', { sessionId })))],
  ]
}

/** What is not shown of a list: how much, and the button for the next page. */
function rest(left: number, tool: string, args: Readonly<Record<string, string>>, cursor: string, surface: Composer): Part[] {
  return [
    ...(left > 0 ? [part('text', 'what-is-left', surface.text(`${left} more are in the text of the result.`, 'caption'))] : []),
    ...(cursor === '' ? [] : [part('button', 'more', surface.button('More', toolAction(tool, { ...args, cursor })))]),
  ]
}

function composeList(data: Data, surface: Composer): Arrangement {
  const sessions = list(data, 'sessions')
  if (sessions.length === 0)
    return [part('text', 'advice', surface.text('No sessions yet. Ask to create one from slides, a PDF or a few words.'))]
  const heading = part('heading', 'heading', surface.text('Sessions', 'h3'))
  const rows: string[] = []
  for (const session of sessions) {
    if (surface.room() < 10) break
    const words = `${text(session, 'title')} (${text(session, 'status')})`
    const show = surface.button('Show', toolAction('get_session', { sessionId: text(session, 'id') }))
    rows.push(surface.row(surface.text(words), show))
  }
  const more = rest(sessions.length - rows.length, 'list_sessions', {}, text(data, 'nextCursor'), surface)
  return [heading, part('list', 'sessions', ...rows), ...more]
}

function composeSession(data: Data, surface: Composer): Arrangement {
  const sessionId = text(data, 'id')
  const slides = list(data, 'slides')
  const parts: (Part | Part[])[] = [
    part('text', 'title', surface.text(text(data, 'title'), 'h3')),
    part('text', 'status', surface.text(text(data, 'status'), 'caption')),
  ]
  if (text(data, 'description') !== '') parts.push(part('text', 'description', surface.text(text(data, 'description'))))
  const state = text(data, 'deckState')
  if (state !== '' && state !== 'ready') parts.push(part('text', 'deck-state', surface.text(`Deck: ${state}`, 'caption')))
  const analytics = surface.button('Analytics', toolAction('get_session_analytics', { sessionId }))
  parts.push([...links(data, surface), part('button', 'analytics', analytics)])
  if (slides.length === 0) return [...parts, part('text', 'no-slides', surface.text('There are no slides yet.'))]
  const rows: string[] = []
  for (const slide of slides) {
    if (surface.room() < 5) break
    const [title, image, index] = [text(slide, 'title'), text(slide, 'imageUrl'), number(slide, 'index') + 1]
    const words = surface.text(`${index}. ${title === '' ? `Slide ${index}` : title}`)
    rows.push(isWeb(image) ? surface.row(surface.image(image, title), words) : words)
  }
  return [...parts, part('list', 'slides', ...rows)]
}

function composeLeads(data: Data, surface: Composer): Arrangement {
  const leads = list(data, 'leads')
  const sessionId = text(data, 'sessionId')
  if (leads.length === 0) return [part('text', 'advice', surface.text('No leads yet. They come when attendees leave their details.'))]
  const count = leads.length === 1 ? '1 lead' : `${number(data, 'total') || leads.length} leads`
  const heading = part('heading', 'heading', surface.text(count, 'h3'))
  const rows: string[] = []
  for (const lead of leads) {
    if (surface.room() < 6) break
    const who = [text(lead, 'name'), text(lead, 'company')].filter((each) => each !== '').join(', ')
    const words = surface.text(who === '' ? text(lead, 'email') : `${who}: ${text(lead, 'email')}`)
    rows.push(lead['ctaClicked'] === true ? surface.row(words, surface.text('took the offer', 'caption')) : words)
  }
  const more = rest(leads.length - rows.length, 'export_leads', { sessionId }, text(data, 'nextCursor'), surface)
  return [heading, part('list', 'leads', ...rows), ...more]
}

function composeAnswer(data: Data, surface: Composer): Arrangement {
  const parts = [part('notice', 'reply', surface.text(text(data, 'reply'), 'body', replyMax))]
  const cards = list(data, 'citations')
    .slice(0, 4)
    .map((citation) => {
      const quote = surface.text(`“${text(citation, 'quote')}”`)
      return surface.card(surface.column(quote, surface.text(text(citation, 'title') || text(citation, 'type'), 'caption')))
    })
  if (cards.length > 0) parts.push(part('list', 'sources', ...cards))
  for (const [at, action] of list(data, 'suggestedActions').entries())
    parts.push(part('group', `suggestion-${at + 1}`, suggested(action, surface)))
  const disclosure = text(data, 'disclosure')
  return disclosure === '' ? parts : [...parts, part('notice', 'disclosure', surface.text(disclosure, 'caption'))]
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

export interface FurtherSettings {
  /** Without a trailing slash. */
  baseUrl: string
  /** Null: every surface is laid out by rules. */
  layouts: Pick<Layouts, 'layoutFor'> | null
}

/** Blocks for a model and for a person; empty for most calls. */
export function furtherContent(
  tool: string,
  data: Data,
  meta: Data | undefined,
  { baseUrl, layouts }: FurtherSettings,
): Content[] | Promise<Content[]> {
  const remarks = tool === 'export_leads' ? moreLeads(data, baseUrl) : []
  if (meta === undefined || !drawsA2ui(meta)) return remarks
  const withSurface = (surface: Surface | undefined): Content[] => {
    if (surface === undefined) return remarks
    const uri = `a2ui://${new URL(baseUrl).host}/${tool}/${surface.id}`
    const resource = { uri, mimeType: 'application/a2ui+json', text: surface.messages }
    return [...remarks, { type: 'resource', resource, annotations: { audience: ['user'] } }]
  }
  return layouts === null ? withSurface(composeSurface(tool, data)) : proposedSurface(tool, data, layouts).then(withSurface)
}

async function proposedSurface(tool: string, data: Data, layouts: Pick<Layouts, 'layoutFor'>): Promise<Surface | undefined> {
  const shape = surfaceShape(tool, data)
  const layout = shape === undefined ? null : await layouts.layoutFor(shape)
  return layout === null ? composeSurface(tool, data) : layOut(tool, data, layout)
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
