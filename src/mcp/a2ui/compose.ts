// What a tool's result looks like as an A2UI surface (spec 4.5 `a2ui`, `generativeUI`): composed for each call from the data there
// is, so that an empty result gives advice, and a part without figures does not appear.
import type { Action, Composer } from './surface.ts'
import { createComposer, linkAction, toolAction } from './surface.ts'
import { composeAnalytics } from './analytics.ts'
import type { Data } from './data.ts'
import { list, number, text } from './data.ts'

const composers: Readonly<Record<string, (data: Data, surface: Composer) => readonly string[]>> = {
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

/** The messages of the surface for `tool`, or undefined where it has none. */
export function composeSurface(tool: string, data: Data): { id: string; messages: string } | undefined {
  const compose = composers[tool]
  if (compose === undefined) return undefined
  const surface = createComposer()
  const id = text(data, 'id') || text(data, 'sessionId') || 'all'
  const messages = surface.finish(`${tool}-${id}`, compose(data, surface))
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

function composeCreated(data: Data, surface: Composer): string[] {
  const sessionId = text(data, 'id')
  return [
    surface.text(text(data, 'title'), 'h3'),
    surface.text(text(data, 'status') === 'published' ? 'Published' : 'Draft: only you see it', 'caption'),
    surface.row(...links(data, surface), surface.button('Show slides', toolAction('get_session', { sessionId }))),
  ]
}

function composeList(data: Data, surface: Composer): string[] {
  const sessions = list(data, 'sessions')
  if (sessions.length === 0) return [surface.text('No sessions yet. Ask to create one from slides, a PDF or a few words.')]
  const parts = [surface.text('Sessions', 'h3')]
  for (const session of sessions) {
    if (surface.room() < 10) break
    const words = `${text(session, 'title')} (${text(session, 'status')})`
    const show = surface.button('Show', toolAction('get_session', { sessionId: text(session, 'id') }))
    parts.push(surface.row(surface.text(words), show))
  }
  const left = sessions.length - (parts.length - 1)
  if (left > 0) parts.push(surface.text(`${left} more are in the text of the result.`, 'caption'))
  const cursor = text(data, 'nextCursor')
  return cursor === '' ? parts : [...parts, surface.button('More', toolAction('list_sessions', { cursor }))]
}

function composeSession(data: Data, surface: Composer): string[] {
  const sessionId = text(data, 'id')
  const slides = list(data, 'slides')
  const parts = [surface.text(text(data, 'title'), 'h3'), surface.text(text(data, 'status'), 'caption')]
  if (text(data, 'description') !== '') parts.push(surface.text(text(data, 'description')))
  const state = text(data, 'deckState')
  if (state !== '' && state !== 'ready') parts.push(surface.text(`Deck: ${state}`, 'caption'))
  const actions = [...links(data, surface), surface.button('Analytics', toolAction('get_session_analytics', { sessionId }))]
  parts.push(surface.row(...actions))
  if (slides.length === 0) return [...parts, surface.text('There are no slides yet.')]
  for (const slide of slides) {
    if (surface.room() < 5) break
    const [title, image, index] = [text(slide, 'title'), text(slide, 'imageUrl'), number(slide, 'index') + 1]
    const words = surface.text(`${index}. ${title === '' ? `Slide ${index}` : title}`)
    parts.push(isWeb(image) ? surface.row(surface.image(image, title), words) : words)
  }
  return parts
}

function composeLeads(data: Data, surface: Composer): string[] {
  const leads = list(data, 'leads')
  const sessionId = text(data, 'sessionId')
  if (leads.length === 0) return [surface.text('No leads yet. They come when attendees leave their details.')]
  const parts = [surface.text(leads.length === 1 ? '1 lead' : `${number(data, 'total') || leads.length} leads`, 'h3')]
  for (const lead of leads) {
    if (surface.room() < 6) break
    const who = [text(lead, 'name'), text(lead, 'company')].filter((part) => part !== '').join(', ')
    const words = surface.text(who === '' ? text(lead, 'email') : `${who}: ${text(lead, 'email')}`)
    parts.push(lead['ctaClicked'] === true ? surface.row(words, surface.text('took the offer', 'caption')) : words)
  }
  const left = leads.length - (parts.length - 1)
  if (left > 0) parts.push(surface.text(`${left} more are in the text of the result.`, 'caption'))
  const cursor = text(data, 'nextCursor')
  return cursor === '' ? parts : [...parts, surface.button('More', toolAction('export_leads', { sessionId, cursor }))]
}

function composeAnswer(data: Data, surface: Composer): string[] {
  const parts = [surface.text(text(data, 'reply'), 'body', replyMax)]
  for (const citation of list(data, 'citations').slice(0, 4)) {
    const quote = surface.text(`“${text(citation, 'quote')}”`)
    parts.push(surface.card(surface.column(quote, surface.text(text(citation, 'title') || text(citation, 'type'), 'caption'))))
  }
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
