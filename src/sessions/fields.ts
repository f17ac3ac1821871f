// What a host may set on a session, with its bounds: the union of spec 2.1 and 2.3 and the documented additions.
import { z } from 'zod'
import { isHostName, limits, text, uuid, webUrl, words } from '../contract/fields.ts'

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

/** Here instead of in the schema, which every model carries with the list of tools. */
function checkPronunciations(list: Readonly<Record<string, string>>, { addIssue }: z.RefinementCtx): void {
  const fault = (message: string, path: string[] = []) => addIssue({ code: 'custom', message, path })
  const { pronunciations, pronounced, pronunciation } = limits
  if (Object.keys(list).length > pronunciations) fault(`holds at most ${pronunciations} words.`)
  for (const [word, said] of Object.entries(list)) {
    if (!words(pronounced).safeParse(word).success) fault(`names words of 1 to ${pronounced} characters.`, [word])
    if (said.trim() === '') fault(`says a word in 1 to ${pronunciation} characters.`, [word])
  }
}

/** Settings that a creation may carry and a change may replace. */
export const settings = {
  description: text(limits.description).describe('Shown before it starts.'),
  ctaText: words(limits.ctaText).describe('Its button: "Book a demo".'),
  ctaUrl: webUrl.describe('Where it leads.'),
  tags: z.array(words(limits.tag)).max(limits.tags).describe('Topics.'),
  language: language.describe('Language of slides, narration and answers (BCP 47).'),
  discoverable: z.boolean().describe('Listed once published.'),
  voice: words(limits.name).describe('Voice, by name.'),
  pronunciations: z
    .record(z.string(), text(limits.pronunciation))
    .superRefine(checkPronunciations)
    .describe('How the voice says words: `{ kubectl: cube control }`.'),
  presenterName: words(limits.presenterName).describe('Who presents, by name.'),
  consentText: words(limits.description).describe('What people who leave details agree to.'),
  ctaKind: z.enum(['link', 'checkout']).describe('`checkout` needs the scope `checkout:write`.'),
  startPolicy: z.enum(['first_attendee', 'scheduled', 'host']).describe('What starts a broadcast.'),
  startsAt: z.iso.datetime({ offset: true }).describe('Of a scheduled start.'),
  embedOrigins: z.array(origin).max(50).describe('Sites that may frame it; else any.'),
  ctaRules: z.array(ctaRule).max(20).describe('When the call to action is shown.'),
  moderation: z.enum(['auto', 'manual']).describe('Whether broadcast questions wait for the host.'),
  targetSeconds: z.number().multipleOf(1).min(30).max(14_400).describe('Wanted length.'),
  minutesMax: z.number().multipleOf(1).min(1).max(100_000).describe('Minutes of all its runs.'),
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
  title: text(limits.title).optional(),
  content: words(limits.passage).describe('Public: it is quoted.'),
})

export const sessionId = uuid.describe('Id of the session.')
