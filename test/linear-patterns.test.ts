// No regular expression of the product takes longer than its input is long: text from strangers meets most of them, and one that
// looks back over what it has read holds every room of the process. `recheck` proves a pattern linear or names a string that is
// hard for it; where it can only guess, the guess is tried: twice the string may take two and a half times as long.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check } from 'recheck'
import { builders, literals } from './support/patterns.ts'
import { slideText } from './support/slides.ts'
import { languageOf, languageTags } from '@rostrum/languages/languages'
import { insidePattern, wholePattern } from '@rostrum/languages/word-pattern'
import type { Pattern } from './support/patterns.ts'

/** Each builds patterns; what they are given is ours, or escaped. */
const pronunciations = { kubectl: 'cube control', 'SQL Server': 'sequel server', aaaa: 'four', 一一: 'おおいた', 'C++': 'C' }

const known: Readonly<Record<string, () => Promise<unknown>>> = {
  // Patterns of our own schemas, which stand in the sources as literals.
  'packages/contract/members.ts': async () => undefined,
  'packages/telling/speak-line.ts': async () => {
    const { speakable } = await import('../packages/telling/speak-line.ts')
    for (const language of languageTags()) speakable('1 -> 2 EUR', language)
  },
  'packages/deck/pdf/geometry.ts': async () => (await import('../packages/deck/pdf/geometry.ts')).isGarbled('a'),
  // Every pattern of the files of words, alone: put together they are tried no harder.
  'packages/languages/word-pattern.ts': async () => {
    const strings = (value: unknown): string[] =>
      typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : []
    // What holds no sign for more of the same is as long as it is.
    const repeating = (value: unknown) => strings(value).filter((pattern) => /[*…_~/#{]/u.test(pattern))
    for (const tag of languageTags()) {
      const {
        intents,
        polite,
        signals,
        wishes,
        followUp,
        shapes,
        asks,
        general,
        private: ofNotes,
        values,
        defines,
        places,
        claims,
        talk,
      } = languageOf(tag)
      const { start, end, before, at, last, shown, named, cover } = places
      const { promise, deny, compare } = claims
      for (const pattern of repeating([intents, polite, start, end, before])) wholePattern([pattern])
      for (const pattern of repeating([signals, wishes, followUp, shapes, asks, general, ofNotes, talk.speakerTold]))
        insidePattern([pattern])
      for (const pattern of repeating([values.words, defines.asked, at, last, shown, named, cover, promise, deny, compare]))
        insidePattern([pattern])
    }
  },
  'packages/answers/claim-facts.ts': async () => (await import('../packages/answers/claim-facts.ts')).clauseEnd(),
  'packages/answers/evidence.ts': async () => {
    const { tell } = await import('../packages/answers/evidence.ts')
    tell(slideText({ id: 's', index: 0, text: 'Prices\nIt is dear. It pays.' }), { block: 0, piece: 13 }, 'statement', 'en')
  },
  'packages/answers/ranking/general-questions.ts': async () =>
    (await import('../packages/answers/ranking/general-questions.ts')).asksForDefinition('What is a peak?'),
  'packages/answers/ranking/session-index.ts': async () => {
    const { buildSessionIndex } = await import('@rostrum/answers/ranking/session-index')
    const slides = [slideText({ id: 's', index: 0, text: 'Prices\nIt is dear.' })]
    for (const language of languageTags()) buildSessionIndex('s', { language, slides, passages: [] })
  },
  'packages/answers/ranking/tokens.ts': async () => {
    const { tokenise } = await import('@rostrum/answers/ranking/tokens')
    for (const language of languageTags()) tokenise('word', language)
  },
  'packages/answers/ranking/values.ts': async () => {
    const { seriesNamed, valueBitsOf } = await import('../packages/answers/ranking/values.ts')
    valueBitsOf('9 kg')
    seriesNamed('the three phases')
  },
  'web/src/room/voice/back-channel.ts': async () => {
    const { isBackChannel } = await import('../web/src/room/voice/back-channel.ts')
    for (const language of ['en', 'es', 'fr', 'de', 'pt', 'ja', 'zh', 'ar']) isBackChannel('mhm', languageOf(language).follows)
  },
  'packages/contract/spoken.ts': async () => {
    const { pronouncing } = await import('@rostrum/contract/spoken')
    pronouncing(pronunciations)
  },
  'server/platform/http/multipart.ts': async () => {
    const { partsOf } = await import('../server/platform/http/multipart.ts')
    const { SentFile } = await import('../server/platform/sent-file.ts')
    const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\nx\r\n--b--\r\n'
    await partsOf(SentFile.of(Buffer.from(form)), 'multipart/form-data; boundary=b')
  },
  // Of a text that is escaped whole.
  'server/runs/operations/transcripts.ts': async () => {},
  'server/runs/rehearsal/report.ts': async () => {},
  'web/src/dashboard/parts/marked.tsx': async () => {},
}

/** What `new RegExp` is given while `act` runs. */
async function built(act: () => Promise<unknown>): Promise<Pattern[]> {
  const found: Pattern[] = []
  const plain = globalThis.RegExp
  globalThis.RegExp = new Proxy(plain, {
    construct(target, [source, flags]: [string, string | undefined]) {
      found.push({ source: String(source), flags: flags ?? '', at: 'built' })
      return new target(source, flags)
    },
  })
  await act().finally(() => void (globalThis.RegExp = plain))
  return found
}

/** Of this thread's own time: others that share the machine do not count. */
function millisecondsOf(pattern: Pattern, text: string): number {
  const regex = new RegExp(pattern.source, pattern.flags)
  const start = process.threadCpuUsage()
  if (regex.global) text.replaceAll(regex, '')
  else regex.test(text)
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1_000
}

const medianOf = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** At this length what is linear takes a few milliseconds, and what is not takes hundreds. */
const length = 24_000
const felt = 20

/** How much longer the search takes in twice the string: about 2 where it is linear, 4 where it is not. */
function growthOf(pattern: Pattern, attack: (times: number) => string): number {
  if (millisecondsOf(pattern, attack(length)) < felt) return 0
  const ratios = Array.from({ length: 5 }, () => {
    const [once, twice] = [attack(length / 2), attack(length)]
    return millisecondsOf(pattern, twice) / Math.max(0.5, millisecondsOf(pattern, once))
  })
  return medianOf(ratios)
}

/** Pieces that are hard for one pattern or another when they are repeated, and the words of this one. */
function pumpsFor({ source }: Pattern): string[] {
  const words = source.match(/\p{L}{2,}/gu) ?? []
  const some = words.filter((_, at) => at % Math.ceil(words.length / 12) === 0)
  return [...Array.from(' \t\nAa1.,-!@/|[(€一و'), 'a ', 'a.', '1,', 'a-', 'a@', ...some, ...some.map((word) => `${word} `)]
}

const told = ({ at, source, flags }: Pattern, hard: string, growth: number) => `${at} /${source}/${flags}: ${hard} (${growth.toFixed(1)})`

/** By trial alone: the prover takes minutes over hundreds of alternatives. */
function triedFault(pattern: Pattern): string | undefined {
  for (const pump of pumpsFor(pattern)) {
    const growth = growthOf(pattern, (times) => `${pump.repeat(Math.ceil(times / pump.length))}\0`)
    if (growth > 2.5) return told(pattern, JSON.stringify(pump), growth)
  }
  return
}

async function faultOf(pattern: Pattern): Promise<string | undefined> {
  const verdict = await check(pattern.source, pattern.flags, { timeout: 4_000, maxAttackStringSize: 30_000 })
  if (verdict.status === 'safe') return
  if (verdict.status === 'unknown') return triedFault(pattern)
  const { pumps, suffix } = verdict.attack
  const attack = (times: number) => pumps.map(({ prefix, pump }) => prefix + pump.repeat(Math.ceil(times / pumps.length))).join('') + suffix
  const growth = growthOf(pattern, attack)
  return growth > 2.5 ? told(pattern, verdict.attack.pattern, growth) : undefined
}

async function faultsOf(patterns: readonly Pattern[]): Promise<string[]> {
  const faults: string[] = []
  const waiting = [...patterns]
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const fault = await faultOf(next)
      if (fault !== undefined) faults.push(fault)
    }
  }
  await Promise.all([work(), work()])
  return faults
}

test('every regular expression of the sources is linear', async () => {
  const all = literals()
  assert.ok(all.length > 400, `only ${all.length} were found`)
  assert.deepEqual(await faultsOf(all), [])
})

test('so is every one that the program puts together', async () => {
  const files = builders()
  assert.deepEqual(files.toSorted(), Object.keys(known).toSorted())
  const patterns = await built(async () => {
    for (const file of files) await known[file]?.()
  })
  assert.ok(patterns.length >= 40, `only ${patterns.length} were built`)
  const different = [...new Map(patterns.map((pattern) => [`${pattern.source}/${pattern.flags}`, pattern])).values()]
  assert.deepEqual(
    different.flatMap((pattern) => triedFault(pattern) ?? []),
    [],
  )
})

test('a pattern that is not linear is found', async () => {
  const [fault] = await faultsOf([{ source: '\\s+$', flags: '', at: 'here:1' }])
  assert.match(fault ?? '', /^here:1/)
})
