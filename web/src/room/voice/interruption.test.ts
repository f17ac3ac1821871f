import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { isBackChannel } from './back-channel.ts'
import { type Act, interrupt, type Interruption, type InterruptionInput } from './interruption.ts'

/** The room as the acts leave it. */
interface Room {
  now: Interruption
  isSilent: boolean
  isSoft: boolean
  /** `ended`: they were told that enough was said; their words may come. */
  ears: 'closed' | 'open' | 'ended'
  isWaiting: boolean
  asked: string[]
}

const fresh = (): Room => ({ now: 'idle', isSilent: false, isSoft: false, ears: 'closed', isWaiting: false, asked: [] })

/** Does what is asked for, and holds each act against what has been before. */
function perform(room: Room, wanted: Act): void {
  switch (wanted.type) {
    case 'soften':
    case 'restore':
      assert.equal(room.isSoft, wanted.type === 'restore')
      room.isSoft = wanted.type === 'soften'
      return
    case 'listen':
      assert.equal(room.ears, 'closed', 'one pair of ears')
      room.ears = 'open'
      return
    case 'enough':
      assert.equal(room.ears, 'open')
      room.ears = 'ended'
      return
    case 'forget':
      assert.notEqual(room.ears, 'closed')
      room.ears = 'closed'
      return
    case 'hush':
      assert.equal(room.isSilent, false)
      room.isSilent = true
      return
    case 'go_on':
      assert.equal(room.isSilent, true)
      room.isSilent = false
      return
    case 'ask':
      room.isSilent = false
      room.asked.push(wanted.text)
      return
    case 'wait':
      room.isWaiting = true
  }
}

function take(room: Room, input: InterruptionInput): void {
  // What cannot come does not: words of closed ears, a timeout that nobody waits for.
  if ((input.type === 'words' || input.type === 'no_words') && room.ears === 'closed') return
  if (input.type === 'timeout' && !room.isWaiting) return
  if (input.type === 'words' || input.type === 'no_words') room.ears = 'closed'
  const { next, acts } = interrupt(room.now, input, ['right', 'yep'])
  if (next !== 'waiting') room.isWaiting = false
  room.now = next
  for (const act of acts) perform(room, act)
  assert.equal(room.isSoft, next === 'alert')
  assert.equal(room.isSilent, next === 'hearing' || next === 'waiting')
  if (next === 'idle') assert.equal(room.ears, 'closed')
}

const input: fc.Arbitrary<InterruptionInput> = fc.oneof(
  fc.constantFrom('duck', 'restore', 'confirm', 'silence').map((cue) => ({ type: 'cue', cue }) as const),
  fc.constantFrom('What does it cost?', 'mhm', 'Stop!', 'yes, right', '').map((text) => ({ type: 'words', text }) as const),
  fc.constant({ type: 'no_words' } as const),
  fc.constant({ type: 'timeout' } as const),
)

test('whatever is heard: one pair of ears, silence that ends in a question or in going on, and no question out of back-channel words', () => {
  fc.assert(
    fc.property(fc.array(input, { maxLength: 60 }), (inputs) => {
      const room = fresh()
      for (const each of inputs) take(room, each)
      for (const text of room.asked) assert.ok(text === 'What does it cost?' || text === 'Stop!', text)
      // The voice ends, nobody understands a word: the talk goes on.
      take(room, { type: 'cue', cue: 'silence' })
      take(room, { type: 'timeout' })
      assert.equal(room.isSilent, false)
    }),
    { numRuns: 2_000 },
  )
})

function run(...inputs: InterruptionInput[]): Room {
  const room = fresh()
  for (const each of inputs) take(room, each)
  return room
}

const duck = { type: 'cue', cue: 'duck' } as const
const confirm = { type: 'cue', cue: 'confirm' } as const
const silence = { type: 'cue', cue: 'silence' } as const

test('a voice with words is asked, also when its words come late', () => {
  const words = { type: 'words', text: 'What does it cost?' } as const
  assert.deepEqual(run(duck, confirm, silence, words).asked, ['What does it cost?'])
  assert.deepEqual(run(confirm, words, silence).asked, ['What does it cost?'])
  const late = run(duck, confirm, silence, { type: 'timeout' })
  assert.equal(late.isSilent, false)
  take(late, words)
  assert.deepEqual(late.asked, ['What does it cost?'])
})

test('who only agrees lets the presenter go on', () => {
  const room = run(duck, confirm, silence, { type: 'words', text: 'Mhm.' })
  assert.deepEqual([room.isSilent, room.asked], [false, []])
})

const followed: Readonly<Record<string, readonly string[]>> = {
  en: ['Mhm', 'yes', 'Right.', 'OK, got it', 'uh-huh', 'I see', 'yeah yeah', 'Hmm...'],
  de: ['Ja', 'genau', 'ach so', 'Mhm, ja'],
  es: ['Sí', 'vale, claro', 'muy bien'],
  fr: ["d'accord", 'd’accord', 'Oui, je vois'],
  pt: ['isso mesmo', 'Tá bom', 'certo'],
  ja: ['はい', 'なるほど', 'そうですね。', 'はいはい'],
  zh: ['嗯', '好的', '对对对', '明白了。'],
  ar: ['نعم', 'تمام، تمام', 'طبعًا'],
}
/** The words that a room is given of the talk's language. */
function followsIn(language: string): readonly string[] {
  const file = new URL(`../../../../packages/languages/words/${language}.json`, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { follows: string[] }).follows
}

const asked: Readonly<Record<string, readonly string[]>> = {
  en: ['yesterday', 'Right, but what does it cost?', 'no', 'stop', 'wait', 'okra', 'Is that true?', 'good question: why?'],
  de: ['Jahre', 'Ja, aber warum?', 'nein', 'halt'],
  es: ['¿Sí o no?', 'para', 'no entiendo'],
  fr: ['Oui mais pourquoi ?', 'attendez', 'non'],
  pt: ['certo, mas quanto custa?', 'espera'],
  ja: ['はい、いくらですか', '待って', 'いいえ'],
  zh: ['好多少钱', '等一下', '不'],
  ar: ['نعم ولكن كم السعر؟', 'توقف', 'لا'],
}

for (const [language, texts] of Object.entries(followed)) {
  test(`words back to the speaker are known in ${language}, and a question that begins with one is a question`, () => {
    const follows = followsIn(language)
    for (const text of texts) assert.ok(isBackChannel(text, follows), text)
    for (const text of asked[language] ?? []) assert.ok(!isBackChannel(text, follows), text)
  })
}

test('a long text is a question at once, whatever it repeats', () => {
  assert.equal(isBackChannel('そうですね'.repeat(1_000), followsIn('ja')), false)
})
