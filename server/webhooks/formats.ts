// What a webhook posts where its receiver is a chat or a CRM: the same event in the receiver's own form, made at the attempt. Slack: Block
// Kit. Teams: an adaptive card, as its Workflows take it. Discord: an embed. HubSpot: an upsert of the contact by e-mail. What people
// wrote is never read as markup there, and mentions nobody.
import { z } from 'zod'
import { eventBodies, eventWords, testEventType, type WebhookFormat, type WebhookType } from '@rostrum/contract/events'

type ChatFormat = Exclude<WebhookFormat, 'standard' | 'hubspot'>
type Fact = readonly [label: string, value: string | number | null | undefined]

interface Message {
  title: string
  facts: readonly Fact[]
  /** Where the host goes on from here. */
  link: { words: string; url: string } | null
}

export interface Outgoing {
  body: string
  /** Path of the request, where the address of the webhook has none of its own. */
  path: string
  /** Nothing of it may be kept there as if it had happened. */
  isTest: boolean
}

type Event = z.output<(typeof eventBodies)[WebhookType]>
const envelope = z.looseObject({ type: z.string(), timestamp: z.string(), data: z.looseObject({ test: z.boolean().optional() }) })

/** `text`: the event. Null: there is nothing to tell this receiver. */
export function inFormat(format: Exclude<WebhookFormat, 'standard'>, text: string, baseUrl: string): Outgoing | null {
  const json: unknown = JSON.parse(text)
  const { type, timestamp, data } = envelope.parse(json)
  const shape: z.ZodType<Event> | undefined = eventBodies[type as WebhookType]
  const found = shape?.safeParse(json).data
  const isTest = type === testEventType || data.test === true
  if (format === 'hubspot') return hubspot(found, isTest)
  const words = eventWords[type as WebhookType] ?? type
  const message = found ? messageOf(found, baseUrl) : { title: words, facts: [], link: null }
  const marked = data.test === true ? { ...message, title: `Test: ${message.title}` } : message
  return { body: JSON.stringify(bodies[format](clipped(marked), timestamp)), path: '/', isTest }
}

function messageOf({ type, data }: Event, baseUrl: string): Message {
  const talk = data.session === null ? '' : data.session.title
  const dashboard = (words: string, page = '') =>
    data.session === null ? null : { words, url: `${baseUrl}/dashboard/sessions/${data.session.id}${page}` }
  const inTalk = (title: string, facts: readonly Fact[], link = dashboard('Open the talk')): Message => ({
    title,
    facts: [['Talk', talk], ...facts],
    link,
  })
  switch (type) {
    case 'session.created':
      return inTalk(`New talk: ${talk}`, [['Slides', data.slidesCount]])
    case 'session.published':
      return { title: `Published: ${talk}`, facts: [], link: { words: 'Open the room', url: data.session.roomUrl } }
    case 'session.started':
      return inTalk(`${data.attendee?.name ?? 'Somebody'} is watching ${talk}`, [], dashboard('Watch live', '/live'))
    case 'session.completed':
      return inTalk(`${talk} has ended`, [
        ['Attendees', data.totals.totalAttendees],
        ['Minutes', Math.round(data.durationSec / 60)],
        ['Questions', data.totals.questionsCount],
        ['Clicks', data.totals.ctaClicks],
        ['Leads', data.totals.leads],
      ])
    case 'attendee.joined':
      return inTalk(`${data.attendee.name ?? 'Somebody'} has joined`, [['In the room', data.attendeesOnline]])
    case 'attendee.left':
      return inTalk(`${data.attendee.name ?? 'Somebody'} has left`, [['Minutes there', Math.round(data.engagementSec / 60)]])
    case 'lead.captured':
      if (data.lead === null) return inTalk(`${data.attendee?.name ?? 'Somebody'} shows interest`, [], dashboard('See who', '/people'))
      return inTalk(`${data.trigger === 'high_intent' ? 'Interested' : 'New lead'}: ${nameOf(data.lead)}`, leadFacts(data.lead), leads())
    case 'lead.updated':
      return inTalk(`Lead changed: ${nameOf(data.lead)}`, [...leadFacts(data.lead), ['Changed', data.changed.join(', ')]], leads())
    case 'cta.clicked':
      return inTalk(`${data.attendee?.name ?? 'Somebody'} opened ${data.cta.text}`, [['Link', data.cta.url]])
    case 'question.unanswered':
      return inTalk(
        'A question the deck did not answer',
        [
          ['Question', data.question.text],
          ['Asked by', data.attendee?.name],
        ],
        dashboard('Answer it', '/questions'),
      )
    case 'deck.ready':
      return inTalk(`The deck of ${talk} is ready`, [
        ['Slides', data.deck.slidesCount],
        ['To look at', data.deck.warningsCount || null],
      ])
    case 'deck.failed':
      return inTalk(`The deck of ${talk} could not be read`, [['Why', data.reason]])
    case 'recording.ready':
      return inTalk(`A recording of ${talk} is ready`, [['Format', data.recording.format]], {
        words: 'Open the file',
        url: data.recording.url,
      })
    case 'endpoint.failing':
      return {
        title: `A webhook is failing: ${data.endpoint.host}`,
        facts: [
          ['Since', data.failingSince],
          ['Deliveries lost', data.deadLetters],
          [data.endpoint.status === 'disabled' ? 'Disabled' : 'Will be disabled', data.disabledAt],
        ],
        link: { words: 'See its deliveries', url: `${baseUrl}/dashboard/webhooks/${data.endpoint.id}` },
      }
    case 'budget.reached':
      return {
        title:
          data.budget === 'minutes'
            ? `${data.share} % of the minutes of this month are used`
            : `${data.share} % of the minutes of ${talk} are used`,
        facts: [
          ['Minutes', data.used],
          ['Of', data.limit],
          ['Begins anew', data.resetsAt],
        ],
        link: { words: 'See what is used', url: `${baseUrl}/dashboard/settings/usage` },
      }
    case 'webhook.test':
      return { title: data.message, facts: [], link: { words: 'Open your webhooks', url: `${baseUrl}/dashboard/webhooks` } }
  }
  function leads() {
    return dashboard('Open the leads', '/leads')
  }
}

type Lead = z.output<(typeof eventBodies)['lead.updated']>['data']['lead']

const nameOf = ({ name, email }: Lead): string => name ?? email ?? 'somebody'
const leadFacts = (lead: Lead): Fact[] => [
  ['E-mail', lead.email],
  ['Company', lead.company],
  ['Phone', lead.phone],
  ['Notes', lead.notes],
  ['Clicked', lead.ctaClicked ? 'yes' : null],
  ['Unproven', lead.unproven === true ? 'came with many others within an hour' : null],
  ['Came by', [lead.utm?.source, lead.utm?.campaign].filter(Boolean).join(', ')],
]

const titleMax = 140
const valueMax = 500

interface Shown {
  title: string
  facts: readonly { label: string; value: string }[]
  link: Message['link']
}

/** Within the bounds of each service; what is empty is left out. */
function clipped({ title, facts, link }: Message): Shown {
  const shown = facts.flatMap(([label, value]) => {
    const text = String(value ?? '').trim()
    return text === '' ? [] : [{ label, value: clip(text, valueMax) }]
  })
  return { title: clip(title, titleMax), facts: shown, link }
}

const clip = (text: string, max: number): string => {
  const line = text.replaceAll(/\s+/gu, ' ')
  return line.length <= max
    ? line
    : `${line
        .slice(0, max - 1)
        .toWellFormed()
        .trimEnd()}…`
}

const bodies: Readonly<Record<ChatFormat, (message: Shown, at: string) => object>> = { slack, teams, discord }

/** Header 150 characters, ten fields of 2,000 (docs.slack.dev, Block Kit). `text` is what a notification says. */
function slack({ title, facts, link }: Shown): object {
  const safe = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const fields = facts.map(({ label, value }) => ({ type: 'mrkdwn', text: `*${label}*\n${safe(value)}`, verbatim: true }))
  return {
    text: safe(title),
    unfurl_links: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title.replaceAll(/[<>]/g, ' '), emoji: false } },
      ...(fields.length === 0 ? [] : [{ type: 'section', fields }]),
      // A button would tell us of each press, and say that nobody listens.
      ...(link === null ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: `<${safe(link.url)}|${link.words}>`, verbatim: true } }]),
    ],
  }
}

/** Runs of text are never Markdown, which a text block would be. 28 KB at most. */
function teams({ title, facts, link }: Shown): object {
  const run = (text: string, more: object = {}) => ({ type: 'TextRun', text, ...more })
  const line = (inlines: readonly object[], more: object = {}) => ({ type: 'RichTextBlock', inlines, ...more })
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: title,
    body: [
      line([run(title, { size: 'Medium', weight: 'Bolder' })]),
      ...facts.map(({ label, value }) => line([run(`${label}: `, { weight: 'Bolder' }), run(value)], { spacing: 'Small' })),
    ],
    ...(link !== null && { actions: [{ type: 'Action.OpenUrl', title: link.words, url: link.url }] }),
  }
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }] }
}

/** Title 256, 25 fields of 1,024, 6,000 characters in all (docs.discord.com, embed limits). */
function discord({ title, facts, link }: Shown, timestamp: string): object {
  // An address is not read as markup there, and a sign in it would lead elsewhere.
  const plain = (text: string) =>
    text.replaceAll(/https?:\/\/[\w\-./?=&%:#~+]+|[\\*_~`|>[\]()#@<]/g, (found) => (found.length > 1 ? found : `\\${found}`))
  const fields = facts.map(({ label, value }) => ({ name: label, value: plain(value), inline: value.length <= 40 }))
  const more = link === null ? [] : [{ name: '\u200B', value: `[${link.words}](${link.url})`, inline: false }]
  return {
    allowed_mentions: { parse: [] },
    embeds: [{ title: plain(title), timestamp, color: 0x2f6f62, fields: [...fields, ...more] }],
  }
}

const unprovenWords = 'Unproven: left with many others within an hour.'
const contacts = '/crm/objects/2026-03/contacts/batch'

/**
 * A contact is made or changed by its e-mail. Only what was given is sent, so that nothing known there is emptied. Somebody else's details
 * for an address (`repeatOf`) change nobody's contact, and without a consent nothing goes. A test reads, and writes nothing.
 */
function hubspot(found: Event | undefined, isTest: boolean): Outgoing | null {
  if (isTest) {
    const inputs = [{ id: 'test@example.com' }]
    return { body: JSON.stringify({ idProperty: 'email', properties: ['email'], inputs }), path: `${contacts}/read`, isTest }
  }
  if (found?.type !== 'lead.captured' && found?.type !== 'lead.updated') return null
  const { lead, consent } = found.data
  if (lead === null || lead.email === null || lead.repeatOf !== null || consent === null) return null
  const words = lead.name?.trim().split(/\s+/u) ?? []
  const last = words.length > 1 ? words.at(-1) : undefined
  const first = words.slice(0, last === undefined ? undefined : -1).join(' ')
  // A member that every HubSpot has: one of our own would have it refuse the contact where nobody has made it.
  const isCleared = found.type === 'lead.updated' && found.data.changed.includes('unproven') && lead.unproven !== true
  const message =
    lead.unproven === true
      ? [unprovenWords, lead.notes].filter(Boolean).join(' ')
      : isCleared
        ? (lead.notes ?? 'The host has looked at it.')
        : lead.notes
  const known = { email: lead.email, firstname: first, lastname: last, phone: lead.phone, company: lead.company, message }
  const properties = Object.fromEntries(Object.entries(known).filter(([, value]) => typeof value === 'string' && value !== ''))
  return { body: JSON.stringify({ inputs: [{ id: lead.email, idProperty: 'email', properties }] }), path: `${contacts}/upsert`, isTest }
}
