// The pages of /docs as Markdown: prose from `text/`, and everything else from the operations, the error table and the scopes.
// HTML and the `.md` twins are renderings of the same text.
import type { ShownVariable } from '../config/config.ts'
import { readFileSync } from 'node:fs'
import { errorCodes, errorTable } from '@rostrum/base/errors'
import { examplesOf } from '@rostrum/contract/event-examples'
import { type EventType, eventTypes, eventWords, optInEventTypes, specEventTypes } from '@rostrum/contract/events'
import type { Operation } from '../platform/operation.ts'
import { scopes, scopeWords } from '../platform/principal.ts'
import { eventsPage } from './events.ts'
import { operationSection, table } from './operation-section.ts'

/** The contents, in order. */
export const groups = ['Start', 'Guides', 'Reference'] as const

export interface DocPage {
  /** `/docs/errors`. */
  path: string
  /** Under which it stands in the contents. */
  group: (typeof groups)[number]
  title: string
  description: string
  markdown(): string
}

export interface SiteOptions {
  operations: readonly Operation[]
  baseUrl: string
  title: string
  settings: readonly Setting[]
}

/** A variable of the environment, with its default. */
export type Setting = Pick<ShownVariable, 'name' | 'value' | 'meaning'>

/** What each area is about, in the order of the contents; the tags of OpenAPI too. */
export const areaWords: Readonly<Record<string, string>> = {
  sessions: 'Create, change, publish and find sessions',
  decks: 'Slides, knowledge and the script that is spoken',
  room: 'Join a room, follow a run, ask, and control it as the host',
  presenter: 'Runs, transcripts and questions',
  recordings: 'The talk as film, sound and captions',
  registrations: 'Who registers for a talk, and what they are sent',
  leads: 'Contact details with recorded consent',
  analytics: 'What a talk achieved',
  webhooks: 'Subscriptions, deliveries and replay',
  pap: 'What personal agents do for an attendee',
  auth: 'Agents that register, claim and revoke their credential',
  account: 'The account of the person signed in: keys, members, agents',
}

/** Headings of the areas whose name alone does not say it. */
const areaTitles: Readonly<Record<string, string>> = {
  room: 'Rooms',
  presenter: 'Runs',
  webhooks: 'Webhook subscriptions',
  pap: 'Personal agents',
  auth: 'Agent credentials',
}

/** Pages of prose, by the name of their text. */
const guides = [
  { group: 'Start', name: 'overview', title: 'Overview', description: 'What it is and how calls work' },
  { group: 'Start', name: 'start-host', title: 'Give a talk', description: 'For hosts: from slides to a link in a minute' },
  {
    group: 'Start',
    name: 'start-agent',
    title: 'For agents',
    description: 'For agents and who builds them: connect, make a talk, hear what happens',
  },
  {
    group: 'Start',
    name: 'start-operator',
    title: 'Run the service',
    description: 'For operators: one command, what to set, what to expect',
  },
  { group: 'Start', name: 'start-attendee', title: 'Attend a talk', description: 'For who was sent a link' },
  { group: 'Guides', name: 'authentication', title: 'Authentication', description: 'Keys, agents, scopes' },
  { group: 'Guides', name: 'people', title: 'People, keys and mail', description: 'For operators: who signs in, keys, mail' },
  { group: 'Guides', name: 'mcp', title: 'MCP', description: 'The tool-protocol server' },
  { group: 'Guides', name: 'webhooks', title: 'Webhooks', description: 'Events, signatures, retries' },
  { group: 'Guides', name: 'clients', title: 'Clients', description: 'For TypeScript and Python, or generated from the description' },
  { group: 'Guides', name: 'room', title: 'Build a room', description: 'Your own room or follower: join, stream, acknowledge' },
  { group: 'Guides', name: 'changes', title: 'What may change', description: 'Versions, deprecation, stores' },
  { group: 'Guides', name: 'operate', title: 'Operating', description: 'One process, many, containers, watching' },
  { group: 'Guides', name: 'models', title: 'Language models', description: 'Configure models, what they are given, what is checked' },
  { group: 'Guides', name: 'speech', title: 'Speech', description: 'A voice of the server, speech recognition, what happens without' },
] as const

export function docsSite({ operations, baseUrl, title, settings }: SiteOptions): readonly DocPage[] {
  const snippet = (kind: string) => () => textFile(`verify-webhook.${kind}`).split('\n').slice(1).join('\n').trim()
  /** What a text may hold in braces. */
  const parts: Readonly<Record<string, () => string>> = {
    base_url: () => baseUrl,
    title: () => title,
    host: () => new URL(baseUrl).host,
    scopes: () =>
      table(
        ['Scope', 'Lets its holder'],
        scopes.map((scope) => [`\`${scope}\``, scopeWords[scope]]),
      ),
    tools: () => toolTable(operations),
    events: () => eventTable(specEventTypes),
    optIn: () => eventTable(optInEventTypes),
    bodies: eventBodies,
    settings: () => settingsTable(settings),
    verify: snippet('ts'),
    verifyPython: snippet('py'),
    verifyGo: snippet('go'),
    verifyRuby: snippet('rb'),
    verifyPhp: snippet('php'),
    verifyShell: snippet('sh'),
    follower: () => textFile('follow-talk.ts').trim(),
  }
  // What stands for a part may hold one itself.
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => parts[name]?.() ?? whole)
  const prose = (name: string) => filled(filled(textFile(`${name}.md`)))
  const pages = guides.map(({ name, ...page }) => ({
    ...page,
    path: name === 'overview' ? '/docs' : `/docs/${name.replace('start-', 'start/')}`,
    markdown: () => prose(name),
  }))
  return [
    ...pages,
    {
      group: 'Reference',
      path: '/docs/api/events',
      title: 'Events',
      description: 'Messages of a stream and acts of an attendee, with schemas',
      markdown: () => eventsPage(operations),
    },
    ...areasOf(operations).map((area) => areaPage(area, operations, baseUrl)),
    { path: '/docs/errors', group: 'Reference', title: 'Errors', description: 'Every code and what to do', markdown: errorsPage },
  ]
}

/** Areas that have operations, known ones first. */
function areasOf(operations: readonly Operation[]): readonly string[] {
  const used = new Set(operations.map(({ area }) => area))
  return [...Object.keys(areaWords).filter((area) => used.has(area)), ...[...used].filter((area) => areaWords[area] === undefined)]
}

function areaPage(area: string, operations: readonly Operation[], baseUrl: string): DocPage {
  const title = areaTitles[area] ?? area.charAt(0).toUpperCase() + area.slice(1)
  const own = operations.filter((operation) => operation.area === area)
  const description = areaWords[area] ?? title
  const markdown = () =>
    [`# ${title}`, `${description}.`, ...own.map((operation) => operationSection(operation, operations, baseUrl))].join('\n\n')
  return { path: `/docs/api/${area}`, group: 'Reference', title, description, markdown }
}

/** Where the section of an operation is. */
export function operationHref(operation: Operation): string {
  return `/docs/api/${operation.area}#${operation.name}`
}

function errorsPage(): string {
  const sections = errorCodes.map((code) => {
    const { status, oauth, title, advice } = errorTable[code]
    return `## \`${code}\` {#${code}}\n\n${title}. Status ${status}, OAuth error \`${oauth}\`.\n\n${advice}`
  })
  return ['# Errors', 'An error answers `application/problem+json` (RFC 9457). `code` is stable; the words are not.', ...sections].join(
    '\n\n',
  )
}

const eventTable = (types: readonly EventType[]) =>
  table(
    ['Event', 'When'],
    types.map((type) => [`\`${type}\``, eventWords[type]]),
  )

function eventBodies(): string {
  const sections = eventTypes.map((type) => {
    const examples = examplesOf(type)
    const shown = examples.map(({ summary, body }) => {
      const json = `\`\`\`json\n${JSON.stringify(body, null, 2)}\n\`\`\``
      return examples.length === 1 ? json : `${summary}\n\n${json}`
    })
    return [`### \`${type}\` {#${type}}`, eventWords[type], ...shown].join('\n\n')
  })
  return sections.join('\n\n')
}

const settingsTable = (settings: readonly Setting[]) =>
  table(
    ['Setting', 'Default', ''],
    settings.map(({ name, value, meaning }) => [`\`${name}\``, value === '' ? '' : `\`${value}\``, meaning]),
  )

function toolTable(operations: readonly Operation[]): string {
  const rows = operations.flatMap((operation) => {
    const { tool, access, name, summary } = operation
    const needs = access.scopes.map((scope) => `\`${scope}\``).join(' ')
    const who = access.type === 'open' ? 'nothing' : needs === '' ? 'any credential' : needs
    return tool === undefined ? [] : [[`[\`${name}\`](${operationHref(operation)})`, summary, who]]
  })
  return table(['Tool', '', 'Needs'], rows)
}

/** What a model reads at once. */
const partMaxBytes = 10_000
/** Where a page is cut, the most telling places first. */
const cuts = [/\n(?=## )/, /\n(?=### )/, /\n(?=\n)/, /\n/]

/** Every page in parts, and an index of what is in them: the resource `service://docs/spec` of the tool protocol. */
export function specification(site: readonly DocPage[], baseUrl: string): { index: string; parts: ReadonlyMap<string, string> } {
  const parts = new Map<string, string>()
  const lines: string[] = []
  for (const { path, title, description, markdown } of site) {
    const name = path === '/docs' ? 'overview' : path.slice('/docs/'.length).replaceAll('/', '-')
    // Who reads a resource has no address to which a link could be relative.
    const texts = cut(markdown().replaceAll('](/', `](${baseUrl}/`), cuts)
    for (const [at, text] of texts.entries()) {
      const part = texts.length === 1 ? name : `${name}-${at + 1}`
      parts.set(part, text)
      const sections = [...text.matchAll(/^## .*\{#([\w-]+)\}$/gm)].map(([, id = '']) => id)
      const about = at === 0 ? `${title}: ${description}. ` : ''
      lines.push(`- \`${part}\` ${about}${sections.join(', ')}`.trimEnd())
    }
  }
  const words = `What this service does, in parts of 10 kB at most. Read \`service://docs/spec/{part}\`; each is named here with its sections. Operations have the names of their sections; \`${baseUrl}/openapi.json\` describes all of them at once.`
  return { index: ['# Specification', words, lines.join('\n')].join('\n\n'), parts }
}

/** In pieces that are small enough, each as long as it may be. */
function cut(text: string, [place, ...finer]: readonly RegExp[]): string[] {
  if (Buffer.byteLength(text) <= partMaxBytes || place === undefined) return [text]
  const pieces: string[] = []
  for (const piece of text.split(place).flatMap((each) => cut(each, finer))) {
    const longer = `${pieces.at(-1) ?? ''}\n${piece}`
    if (pieces.length > 0 && Buffer.byteLength(longer) <= partMaxBytes) pieces[pieces.length - 1] = longer
    else pieces.push(piece)
  }
  return pieces
}

function textFile(name: string): string {
  return readFileSync(new URL(`text/${name}`, import.meta.url), 'utf8')
}
