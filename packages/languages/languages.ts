// The languages of the product: a file of words each (`languages/README.md`), read when it is first needed. Code knows no language by
// name but English, which stands in for those that nobody has written.
import { z } from 'zod'
import { lazily } from '@rostrum/base/work'
import { languageFiles } from './files.ts'
import { patternProblem, sentence, text, words } from './word-pattern.ts'
import { wordless } from './wordless.ts'

const patterns = z.array(
  text.superRefine((value, { addIssue }) => {
    const problem = patternProblem(value)
    if (problem !== undefined) addIssue(problem)
  }),
)

/** One entry for each of `names`, all of them or any. */
const each = <Name extends string, T extends z.ZodType>(names: readonly Name[], value: T) =>
  z.partialRecord(z.enum(names), value).default({} as Partial<Record<Name, z.output<T>>>)

const phrases = z.array(text).min(1)
const smallTalk = z.strictObject({ said: phrases, reply: text })

/** What is asked of the talk as a whole, and what is said to that. Compared without capitals, accents and punctuation. */
const talk = z.strictObject({
  talk: phrases.describe('Words for the talk itself, which add nothing to a question about the whole of it.'),
  filler: phrases.describe('Words that such a question may also hold.'),
  summary: phrases.describe('What asks for the main points.'),
  speaker: phrases.describe('What asks who speaks, or who made the slides.'),
  speakerTold: patterns.default([]).describe('Words before the name of who speaks, or who made the slides.'),
  speakerRest: phrases.describe('Words that such a question may also hold.'),
  audience: phrases.describe('What asks whom the talk is for.'),
  audienceTold: phrases.describe('Words of a slide that says whom the talk is for.'),
  simpler: phrases.describe('What asks to explain the last answer, or to say more of it.'),
  upcoming: phrases.describe('What asks for what is still to come.'),
  agenda: phrases.describe('What asks for the parts of the talk, and what a slide is called that lists them.'),
  conclusion: phrases.describe('Titles of slides that sum up.'),
  smallTalk: z.strictObject({
    greet: smallTalk,
    thank: smallTalk,
    hear: smallTalk,
    meet: smallTalk,
    praise: smallTalk,
    how: smallTalk,
    bye: smallTalk,
    rest: smallTalk,
    other: smallTalk,
  }),
  praiseWords: phrases.describe('Words that praise, alone or before "slides".'),
  praiseRest: phrases.describe('Words that praise may also hold.'),
  standsFor: phrases.describe('What asks which words letters are short for.'),
  openers: phrases.describe('How a question begins that goes on from the one before.'),
  extremes: phrases.describe('Words for what is more or less so than all else: a question that holds one asks for more than a mention.'),
  derived: phrases.describe(
    'Words for a figure that is reckoned from others: a question for a figure that holds one asks for more than these.',
  ),
  sight: phrases.describe('What asks for something that only a picture shows.'),
  exists: phrases
    .default([])
    .describe('How a question begins that asks whether there is something: that must stand where the answer stands.'),
  figures: z
    .strictObject({ chart: phrases, diagram: phrases, picture: phrases })
    .describe('What a slide shows and does not say: a question may ask how many there are.'),
  names: sentence('names').describe('What is said of the people that the slides name: {names}.'),
  lacks: sentence('words').describe('What is said of words of a question that the slides do not hold: {words}.'),
  unseen: sentence('slide').describe('What is said where only a picture could answer: {slide} is the number of a slide.'),
  ahead: sentence('titles').describe('What is said of slides to come: {titles}.'),
  onlyQuotes: sentence('slide').describe('What is said before all that slide {slide} says, when it is to be explained.'),
})

/** What is said to one person beside the talk. */
const asides = z.strictObject({
  sorry: text,
  contactKept: sentence('consent'),
  sent: text,
  rehearsed: text,
  disclosure: sentence('title'),
  disclosureNamed: sentence('name', 'title'),
  unverified: text,
  offer: text,
  yes: z.array(text).min(1).describe('What agrees and says nothing else.'),
})

const answers = z.strictObject({
  notCertain: text,
  unknown: text,
  declined: text,
  whoAmI: sentence('title'),
  about: sentence('title'),
  covers: sentence('titles'),
  soFar: text,
  nothingYet: text,
  repeat: text,
  goto: sentence('slide'),
  noSuchSlide: sentence('count'),
  done: text,
  cta: sentence('label'),
  toHost: text,
  openSlide: sentence('slide'),
  tellHost: text,
  allRight: text,
  help: text,
  recorded: text,
  hereOf: sentence('slide', 'count'),
  takes: sentence('minutes'),
  left: sentence('minutes'),
  together: text,
  quoted: sentence('title'),
  comma: text,
  otherLanguage: sentence('language'),
  alone: z
    .strictObject({ unknown: text, toHost: text, recorded: text })
    .describe('The same where no host hears of it: in a talk that is kept in a file.'),
})

const script = z.strictObject({
  welcome: sentence('title'),
  disclosure: text,
  topics: sentence('list'),
  howToAsk: text,
  leads: z.array(sentence('title')).min(1),
  parts: z.array(sentence('title')).min(1),
  clauses: words.default([]),
  lastLead: sentence('title'),
  led: sentence('lead', 'text'),
  points: sentence('count', 'list'),
  ledAmong: sentence('lead', 'count', 'list'),
  among: sentence('count', 'list'),
  counts: words,
  orders: words,
  extremes: sentence('header', 'high', 'highValue', 'low', 'lowValue'),
  compares: sentence('rows', 'columns'),
  chart: sentence('series', 'from', 'to'),
  chartOf: sentence('title'),
  rise: sentence('series', 'change', 'from', 'to'),
  diagram: sentence('list'),
  picture: text,
  pictureOf: sentence('text'),
  code: text,
  link: text,
  quoted: sentence('by', 'text'),
  keep: z.tuple([sentence('text'), sentence('text'), sentence('text')]),
  cta: sentence('label'),
  thanks: text,
  farewells: z.array(text),
  stop: text,
})

const polls = z.strictObject({
  how: text,
  result: text,
  none: text,
  top: sentence('percent', 'choice'),
  tie: sentence('choices'),
  word: sentence('word'),
  words: text.describe('Where no word was given more often than the others.'),
  mean: sentence('mean'),
  right: sentence('choice'),
  rightShare: sentence('choice', 'percent'),
  yours: sentence('choice').describe('To one attendee who was right.'),
  thanks: text,
})

/** Singular and plural. */
const forms = z.tuple([text, text])

const numbers = z.strictObject({
  units: z.record(text, forms),
  currencies: z.record(text, forms),
  sizes: z.tuple([forms, forms, forms]),
  of: z.string(),
  percent: text,
  per: text,
  spans: z.record(text, text),
  change: sentence('from', 'to'),
  range: sentence('from', 'to'),
  plusMinus: text,
  plus: text,
  minus: text,
  about: text,
  under: text,
  over: text,
  atLeast: text,
  atMost: text,
  by: text,
  and: text,
  or: text,
  next: text,
})

const audience = z.strictObject({
  about: sentence('topic'),
  together: sentence('one', 'other'),
  title: sentence('title'),
  howMany: sentence('topic'),
  leading: sentence('claim'),
  offTopic: z.array(text).min(1),
})

/** What is said to the presenter and asks nothing of the content; of two that fit the first counts. */
export const phraseIntents = [
  'repeat',
  'summary',
  'who_are_you',
  'acknowledgement',
  'help',
  'recorded',
  'slide_count',
  'length',
  'slower',
  'faster',
  'shorter',
  'longer',
  'pause',
  'resume',
  'next',
  'previous',
] as const
/** Those that name a slide or a title. */
export const placeIntents = ['goto', 'slide_text', 'goto_title'] as const
export const signalNames = ['trial', 'booking', 'contact', 'price'] as const
export const shapeNames = ['reason', 'list', 'procedure'] as const
/** Kinds of value that a question asks for; of two that begin at one word the first counts. */
export const askedKinds = [
  'version',
  'colour',
  'weight',
  'loudness',
  'temperature',
  'percent',
  'length',
  'frequency',
  'money',
  'duration',
  'count',
  'date',
  'place',
  'person',
  'contact',
] as const
export type ValueType = (typeof askedKinds)[number]
export const dimensions = ['money', 'time', 'share', 'mass', 'length', 'volume', 'power', 'size'] as const
export const generalTopics = ['price', 'contact', 'joining', 'time', 'place', 'customers'] as const

/** Compared on folded text in small letters. */
const values = z
  .strictObject({
    numerals: z.record(z.string().regex(/^\d+$/), text).default({}),
    months: words.default([]),
    weekdays: words.default([]),
    measures: each(dimensions, z.record(text, text)),
    between: z.array(text).default([]),
    words: each(askedKinds, patterns),
    in: words.default([]),
  })
  .prefault({})
const defines = z
  .strictObject({ asked: patterns.default([]), be: words.default([]), says: z.array(text).default([]), articles: words.default([]) })
  .prefault({})
const places = z
  .strictObject({
    written: sentence('number').default('slide {number}'),
    at: patterns.default([]),
    last: patterns.default([]),
    shown: patterns.default([]),
    before: patterns.default([]),
    start: patterns.default([]),
    end: patterns.default([]),
    named: patterns.default([]),
    cover: patterns.default([]),
  })
  .prefault({})
const claims = z
  .strictObject({
    promise: patterns.default([]),
    deny: patterns.default([]),
    compare: patterns.default([]),
    parts: words.default([]),
  })
  .prefault({})

const mail = (...gaps: string[]) => z.strictObject({ subject: sentence('title'), text: sentence(...gaps) })
const occasions = z.enum(['confirmed', 'waiting', 'promoted', 'moved', 'off', 'cancelled', 'link', 'reminder', 'now', 'recap', 'replay'])
/** To who registered. */
const mails = z.strictObject({
  told: z.record(occasions, mail('title')),
  invited: mail('title', 'host'),
  why: sentence('title').describe('Why somebody gets a mail who may know nothing of it.'),
  labels: z.record(z.enum(['enter', 'own', 'recap', 'film', 'again', 'stop']), text),
  recapConsent: text.describe('What somebody agrees to who wants the recap.'),
})

const language = z.strictObject({
  consent: text,
  asides,
  mails,
  talk,
  answers,
  script,
  polls,
  numbers,
  audience,
  intents: each([...phraseIntents, ...placeIntents], patterns),
  polite: patterns.default([]),
  signals: each(signalNames, patterns),
  wishes: patterns.default([]),
  followUp: patterns.default([]),
  shapes: each(shapeNames, patterns),
  asks: each(askedKinds, patterns),
  values,
  defines,
  places,
  claims,
  general: each(generalTopics, z.strictObject({ asked: patterns, told: patterns })),
  subjects: words.default([]),
  private: patterns.default([]),
  follows: z.array(text).default([]),
  words: z
    .strictObject({
      empty: words.default([]),
      weak: words.default([]),
      open: words.default([]),
      finite: words.default([]),
      telling: words.default([]),
      endings: words.default([]),
      article: words.default([]),
      forms: z.array(text).default([]),
      back: words.default([]),
      leading: words.default([]),
    })
    .prefault({}),
  synonyms: z.array(text).default([]),
})

export type Language = z.infer<typeof language>

/** Reads the file of a language; an error names each key that is wrong. */
export function readLanguage(file: string, content: string): Language {
  const { success, data, error } = language.safeParse(JSON.parse(content))
  if (success) return data
  throw new Error(error.issues.map(({ path, message }) => `languages/${file}: ${path.join('.')}: ${message}`).join('\n'))
}

/** The primary subtags that have a file. */
export const languageTags = lazily(() => Object.keys(languageFiles))

const read = new Map<string, Language>()

/** The primary subtag in lower case: `pt-BR` and `pt` are one language here; English where the tag says nothing. */
export function baseLanguage(tag: string): string {
  return /^[a-z]{2,3}(?![a-z])/i.exec(tag.trim())?.[0].toLowerCase() ?? 'en'
}

/** The words of a BCP 47 tag, where somebody has written them. */
export function findLanguage(tag: string): Language | undefined {
  const base = baseLanguage(tag)
  let found = read.get(base)
  const file = languageFiles[base]
  if (found === undefined && file !== undefined) {
    found = readLanguage(`${base}.json`, file())
    read.set(base, found)
  }
  return found
}

const unwritten = lazily((): Language => {
  const english = findLanguage('en')
  if (english === undefined) throw new Error('packages/languages/words/en.json is missing')
  return { ...english, script: { ...english.script, ...wordless }, words: { ...english.words, finite: [] } }
})

/** The same; of a language that nobody has written, what the presenter says of itself in English. */
export const languageOf = (tag: string): Language => findLanguage(tag) ?? unwritten()

export type TalkWords = Language['talk']

export const wordsOf = (tag: string): TalkWords => languageOf(tag).talk

/** Those of the deck first: people ask in other languages too. */
export function wordsInOrder(tag: string): TalkWords[] {
  const own = wordsOf(tag)
  return [own, ...languageTags().flatMap((other) => (wordsOf(other) === own ? [] : [wordsOf(other)]))]
}

/** Of every language: what is said to the presenter is understood whatever the deck's language is. */
export const inEveryLanguage = <T>(words: (language: Language) => readonly T[] | undefined): T[] =>
  languageTags().flatMap((tag) => words(languageOf(tag)) ?? [])

/** Made once of the words of a language, and kept. */
export function perLanguage<T>(make: (language: Language, tag: string) => T): (tag: string) => T {
  const made = new Map<string, T>()
  return (tag) => {
    const known = made.get(tag)
    if (known !== undefined || made.has(tag)) return known as T
    const value = make(languageOf(tag), tag)
    made.set(tag, value)
    return value
  }
}

/** The same of all languages. */
export const everyWord = (words: (language: Language) => readonly string[]): string =>
  [...new Set(inEveryLanguage(words))].toSorted((one, other) => other.length - one.length).join('|') || '(?!)'

/** "Next, {title}" with its gaps filled. */
export function fill(phrase: string, gaps: Readonly<Record<string, string | number>>): string {
  return phrase.replace(/\{([a-zA-Z]{1,20})\}/g, (gap, name: string) => String(gaps[name] ?? gap))
}
