// A session: what a host may set on it, as one table (the union of spec 2.1 and 2.3 and the documented additions). What a creation and
// a change take, the columns of the row, the record that its owner sees and what a run knows follow from it.
import { z } from 'zod'
import { brand } from './brand.ts'
import { isHostName, limits, text, uuid, webUrl, words } from './fields.ts'

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

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

const guest = z.object({
  email: z.email().max(254),
  name: words(limits.name).optional(),
  key: z.string().max(40).optional().describe('Made by the server, for `{shareLink}.{key}`.'),
})
export type Guest = z.output<typeof guest>

const registration = z.object({
  asks: z
    .array(z.enum(['company', 'phone']))
    .max(2)
    .default([])
    .describe('Beside name and address.'),
  question: words(limits.title).optional().describe('One of your own; its answer is free.'),
  attendeesMax: z.number().multipleOf(1).min(1).max(100_000).optional().describe('Places; whoever comes later waits for one.'),
})
export type RegistrationSettings = z.output<typeof registration>

const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'send a time zone of the IANA list such as `Europe/Berlin`.')
  .describe('In which `startsAt` is told in mails and on the registration page (IANA); else UTC.')

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

/** How a value stands in its column. */
interface Stored<Value, Cell extends string | number> {
  put(value: Value): Cell
  get(cell: Cell): Value
}

const asItIs = <T extends string | number>(): Stored<T, T> => ({ put: (value) => value, get: (cell) => cell })
/** The table alone writes these columns, so what is read has the shape that was taken. */
const asJson = <T>(): Stored<T, string> => ({ put: (value) => JSON.stringify(value), get: (cell) => JSON.parse(cell) as T })
const asBit: Stored<boolean, number> = { put: Number, get: (cell) => cell === 1 }
const asEpochMs: Stored<string, number> = { put: Date.parse, get: (cell) => new Date(cell).toISOString() }

interface Told<Seen, Reaches> {
  /** Beside its owner: by `presenter`, who gives the talk, or `room`, whoever has the link. Left out where they see something made of it. */
  seen?: Seen
  /** A change counts from the next run; `open runs` go by it at once, and for some the `voice` says its sentences again. */
  reaches?: Reaches
}
type Seen = 'presenter' | 'room' | undefined
type Reaches = 'open runs' | 'voice' | undefined

/** What every session has: `value` until its host says otherwise. */
function always<
  C extends string,
  S extends z.ZodType,
  T extends string | number,
  V extends Seen = undefined,
  R extends Reaches = undefined,
>(
  column: C,
  schema: S,
  { put, get }: Stored<z.output<S>, T>,
  value: z.core.util.NoUndefined<z.output<S>>,
  { seen, reaches }: Told<V, R> = {},
) {
  const takes = { onCreate: schema.default(value), onChange: schema.optional() }
  return { column, schema, ...takes, shown: schema, put, get, unset: put(value), seen, reaches }
}

/** What a session may lack; null takes it back. */
function perhaps<
  C extends string,
  S extends z.ZodType,
  T extends string | number,
  V extends Seen = undefined,
  R extends Reaches = undefined,
>(column: C, schema: S, { put, get }: Stored<z.output<S>, T>, { seen, reaches }: Told<V, R> = {}) {
  const takes = { onCreate: schema.optional(), onChange: schema.nullish() }
  return { column, schema, ...takes, shown: schema.optional(), put, get, unset: null, seen, reaches }
}

const title = words(limits.title).describe('Title of the talk.')
const language = z
  .string()
  .min(2)
  .max(35)
  .refine(isLanguageTag, 'send a BCP 47 language tag such as `en` or `pt-BR`.')
  .describe('Language of slides, narration and answers (BCP 47).')

export const sessionFields = {
  title: { ...always('title', title, asItIs(), '', { seen: 'room' }), onCreate: title },
  description: perhaps('description', text(limits.description).describe('Shown before it starts.'), asItIs(), { seen: 'room' }),
  mode: always(
    'mode',
    z.enum(['isolated', 'broadcast']).describe('`isolated`: a talk for each person. `broadcast`: one for all.'),
    asItIs(),
    'isolated',
    { seen: 'room' },
  ),
  ctaText: perhaps('cta_text', words(limits.ctaText).describe('Its button: "Book a demo".'), asItIs()),
  ctaUrl: perhaps('cta_url', webUrl.describe('Where it leads.'), asItIs()),
  tags: always('tags', z.array(words(limits.tag)).max(limits.tags).describe('Topics.'), asJson(), []),
  language: {
    ...always('language', language, asItIs(), 'en', { seen: 'room' }),
    // Where the host says nothing, or takes it back, the deck tells.
    onCreate: language.describe('BCP 47; else that of the deck.').optional(),
    onChange: language.nullish().describe('Null: that of the deck.'),
  },
  listenerLanguages: always(
    'listener_languages',
    z.array(language).max(8).describe('Languages to follow it in besides, translated by the configured model.'),
    asJson(),
    [],
    { seen: 'room', reaches: 'voice' },
  ),
  discoverable: always('discoverable', z.boolean().describe('Listed once published.'), asBit, true),
  guests: perhaps('guests', z.array(guest).min(1).max(limits.guests).describe('Who alone may join.'), asJson()),
  voice: perhaps('voice', words(limits.name).describe('Voice, by name.'), asItIs(), { seen: 'presenter', reaches: 'voice' }),
  pronunciations: perhaps(
    'pronunciations',
    z
      .record(z.string(), text(limits.pronunciation))
      .superRefine(checkPronunciations)
      .describe('How the voice says words: `{ kubectl: cube control }`.'),
    asJson(),
    { seen: 'room', reaches: 'voice' },
  ),
  presenterName: perhaps('presenter_name', words(limits.presenterName).describe('Who presents, by name.'), asItIs()),
  brand: perhaps('brand', brand.describe('How it looks; what is left out is as of the account (`put_brand`).'), asJson()),
  consentText: perhaps('consent_text', words(limits.description).describe('What people who leave details agree to.'), asItIs(), {
    seen: 'presenter',
  }),
  ctaKind: always(
    'cta_kind',
    z.enum(['link', 'checkout']).describe('`checkout`: people pay there. Needs https and the scope `checkout:write`.'),
    asItIs(),
    'link',
  ),
  startPolicy: always(
    'start_policy',
    z.enum(['first_attendee', 'scheduled', 'host']).describe('What starts a broadcast.'),
    asItIs(),
    'first_attendee',
    { seen: 'room', reaches: 'open runs' },
  ),
  startsAt: perhaps('starts_at', z.iso.datetime({ offset: true }).describe('Of a scheduled start.'), asEpochMs, {
    reaches: 'open runs',
  }),
  timeZone: perhaps('time_zone', timeZone, asItIs()),
  registration: perhaps('registration', registration.describe('A page where people register.'), asJson<RegistrationSettings>()),
  entry: always(
    'entry',
    z.enum(['anyone', 'confirmed']).describe('`confirmed`: who opens the link that was mailed to the address they registered.'),
    asItIs(),
    'anyone',
  ),
  linksUntil: perhaps('links_until', z.iso.datetime({ offset: true }).describe('When personal links stop working.'), asEpochMs),
  embedOrigins: perhaps('embed_origins', z.array(origin).max(50).describe('Sites that may frame it; else any.'), asJson()),
  ctaRules: always('cta_rules', z.array(ctaRule).max(20).describe('When the call to action is shown.'), asJson(), ['end'], {
    seen: 'presenter',
  }),
  moderation: always(
    'moderation',
    z.enum(['auto', 'manual']).describe('Whether broadcast questions wait for the host.'),
    asItIs(),
    'auto',
    { seen: 'presenter', reaches: 'open runs' },
  ),
  targetSeconds: perhaps('target_seconds', z.number().multipleOf(1).min(30).max(14_400).describe('Wanted length.'), asItIs()),
  minutesMax: perhaps(
    'minutes_max',
    z
      .number()
      .multipleOf(1)
      .min(1)
      .max(100_000)
      .describe('Minutes of all its runs. Without it: half of what a plan has in a month, else no limit.'),
    asItIs(),
  ),
}

type Fields = typeof sessionFields
type Name = keyof Fields
type OrNull<N extends Name> = Extract<Fields[N]['unset'], null>
type NamesWith<Member extends 'seen' | 'reaches', Wanted> = {
  [N in Name]: [Extract<Fields[N][Member], Wanted>] extends [never] ? never : N
}[Name]

/** What is set; null where nothing is. */
export type Settings = { [N in Name]: ReturnType<Fields[N]['get']> | OrNull<N> }
/** The same as columns of the row. */
export type SettingColumns = { [N in Name as Fields[N]['column']]: ReturnType<Fields[N]['put']> | OrNull<N> }
/** What the presenter knows of it, and of that what the room is shown. */
export type TalkSettings = Pick<Settings, NamesWith<'seen', 'presenter' | 'room'>>
type RoomSettings = Pick<Settings, NamesWith<'seen', 'room'>>
export type OpenRunSetting = NamesWith<'reaches', 'open runs'>

interface Field extends Stored<unknown, string | number> {
  column: keyof SettingColumns
  unset: string | number | null
  seen: Seen
  reaches: Reaches
  onCreate: z.ZodType
  onChange: z.ZodType
  shown: z.ZodType
}

/** Here the types of single fields are let go, and the results below named by the types of the table they were made of. */
const entries = Object.entries<Field>(sessionFields) as [Name, Field][]

function eachField(part: (field: Field, name: Name) => unknown, isMeant: (field: Field) => boolean = () => true): unknown {
  return Object.fromEntries(entries.flatMap(([name, field]) => (isMeant(field) ? [[name, part(field, name)]] : [])))
}
const isInRoom = ({ seen }: Field) => seen === 'room'
const reachesOpenRuns = ({ reaches }: Field) => reaches === 'open runs'

export const creation = eachField(({ onCreate }) => onCreate) as { [N in Name]: Fields[N]['onCreate'] }
export const change = eachField(({ onChange }) => onChange) as { [N in Name]: Fields[N]['onChange'] }
export const record = eachField(({ shown }) => shown) as { [N in Name]: Fields[N]['shown'] }
export const roomRecord = eachField(({ shown }) => shown, isInRoom) as Pick<typeof record, keyof RoomSettings>

type Given = { readonly [N in Name]?: Settings[N] | null | undefined }

/** The columns of what is given; null unsets a field, undefined leaves it. */
export function columnsOf(given: Given): Partial<SettingColumns> {
  const columns = entries.flatMap(([name, { column, unset, put }]) => {
    const value = given[name]
    return value === undefined ? [] : [[column, value === null ? unset : put(value)]]
  })
  return Object.fromEntries(columns) as Partial<SettingColumns>
}

const unsetColumns = Object.fromEntries(entries.map(([, { column, unset }]) => [column, unset])) as SettingColumns

/** The columns of a new session. */
export function newColumns(given: Given & Pick<Settings, 'title'>): SettingColumns {
  return { ...unsetColumns, ...columnsOf(given) }
}

const read = ({ column, get }: Field, row: Partial<SettingColumns>) => {
  const cell = row[column] ?? null
  return cell === null ? null : get(cell)
}

/** One of them, of a row of which its column was read. */
export function settingOf<N extends Name>(name: N, row: Pick<SettingColumns, Fields[N]['column']>): Settings[N] {
  return read(sessionFields[name], row) as Settings[N]
}

/** On the wire absent means absent. */
type Present<T> = { [Key in keyof T as null extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as null extends T[Key] ? Key : never]?: Exclude<T[Key], null>
}

/** As its owner sees it. In a plain loop: pairs and objects of pairs took half of what a read of a session costs beside its row. */
export function recordOf(row: SettingColumns): Present<Settings> {
  const told: Record<string, unknown> = {}
  for (const [name, field] of entries) {
    const value = read(field, row)
    if (value !== null) told[name] = value
  }
  return told as Present<Settings>
}

/** As its presenter knows it. */
export function talkSettings(row: SettingColumns): TalkSettings {
  return eachField(
    (field) => read(field, row),
    ({ seen }) => seen !== undefined,
  ) as TalkSettings
}

/** As the room is shown it. */
export function roomSettings(session: RoomSettings): Present<RoomSettings> {
  const told = entries.filter(([name, field]) => isInRoom(field) && session[name as keyof RoomSettings] !== null)
  return Object.fromEntries(told.map(([name]) => [name, session[name as keyof RoomSettings]])) as Present<RoomSettings>
}

export function openRunSettings<S extends Record<OpenRunSetting, unknown>>(session: S): Pick<S, OpenRunSetting> {
  return eachField((_, name) => session[name as OpenRunSetting], reachesOpenRuns) as Pick<S, OpenRunSetting>
}

/** Whether sentences that were said before sound otherwise now. */
export const isRevoiced = (given: Given): boolean => entries.some(([name, { reaches }]) => reaches === 'voice' && given[name] !== undefined)

export const sessionId = uuid.describe('Id of the session.')

/** Its public outline: what a prompt may tell. */
export interface SessionBrief {
  title: string
  description: string | null
  status: 'draft' | 'published'
  slides: readonly { index: number; title: string; text: string }[]
  /** Null for who does not own it, and where it was taken back. */
  rehearsalUrl: string | null
  roomUrl: string
  hasCta: boolean
}
