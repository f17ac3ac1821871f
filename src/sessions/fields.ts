// What a host may set on a session, with its bounds: the union of spec 2.1 and 2.3 and the documented additions.
import { z } from 'zod'
import { isHostName, limits, text, uuid, webUrl, words } from '../kernel/fields.ts'

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

const language = z.string().min(2).max(35).refine(isLanguageTag, 'send a BCP 47 language tag such as `en` or `pt-BR`.')
const ctaRule = z
  .string()
  .regex(
    /^(?:end|intent|agent|seconds:[1-9]\d{0,4}|slide:[0-9a-f-]{36})$/,
    'send `end`, `intent`, `agent`, `seconds:<n>` or `slide:<slide id>`.',
  )

function isOrigin(value: string): boolean {
  const parsed = URL.parse(value)
  return parsed !== null && /^https?:$/.test(parsed.protocol) && isHostName(parsed.hostname) && parsed.origin === value
}

const origin = z.string().max(limits.url).refine(isOrigin, 'send an origin such as `https://example.com`, without a path.')

/** Settings that a creation may carry and a change may replace. */
export const settings = {
  description: text(limits.description).describe('What it is about, shown before it starts.'),
  ctaText: words(limits.ctaText).describe('Label of its button: "Book a demo".'),
  ctaUrl: webUrl.describe('Where it leads.'),
  tags: z.array(words(limits.tag)).max(limits.tags).describe('Topics.'),
  language: language.describe('Language of slides, narration and answers (BCP 47).'),
  discoverable: z.boolean().describe('Whether it is listed once published.'),
  voice: words(limits.name).describe('Preferred voice, by name.'),
  presenterName: words(limits.presenterName).describe('Who presents, by name.'),
  consentText: words(limits.description).describe('What people who leave details agree to.'),
  ctaKind: z.enum(['link', 'checkout']).describe('`checkout` needs the scope `checkout:write`.'),
  startPolicy: z.enum(['first_attendee', 'scheduled', 'host']).describe('What starts a broadcast.'),
  startsAt: z.iso.datetime({ offset: true }).describe('Of a scheduled start.'),
  embedOrigins: z.array(origin).max(50).describe('Sites that may frame it; absent: any.'),
  ctaRules: z.array(ctaRule).max(20).describe('When the call to action is shown; default `end`.'),
  moderation: z.enum(['auto', 'manual']).describe('Whether broadcast questions wait for the host.'),
  targetSeconds: z.number().multipleOf(1).min(30).max(14_400).describe('Wanted length.'),
  minutesMax: z.number().multipleOf(1).min(1).max(100_000).describe('Minutes that all its runs may take.'),
} as const

export const title = words(limits.title).describe('Title of the talk.')
export const mode = z.enum(['isolated', 'broadcast']).describe('`isolated`: a talk for each person. `broadcast`: one for all.')

export const narration = text(limits.narration).describe('Said here, word for word. Public.')

export const newSlide = z.object({
  title: text(limits.title).describe('Default: its first line.').optional(),
  imageUrl: webUrl.describe('Address of its image (PNG, JPEG, WebP).').optional(),
  textContent: text(limits.slideText).describe('Key text, bullets one a line.').optional(),
  agentNotes: text(limits.agentNotes).describe('Private instructions, never shown or quoted.').optional(),
  narration: narration.optional(),
})

export const newPassage = z.object({
  title: text(limits.title).describe('Title of the passage.').optional(),
  content: words(limits.passage).describe('Background or FAQ text. Public: it is quoted.'),
})

export const sessionId = uuid.describe('Id of the session.')
