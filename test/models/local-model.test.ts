// A language model on this machine, in the real engine: a model so small that it is written here answers questions, cited and verified
// like any other, and breaks without hurting the server.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { systemClock } from '@rostrum/base/clock'
import type { ModelPart } from '../../server/models/language-model.ts'
import { isEmbedderFile, openLocalEmbedder, openLocalModel } from '../../server/models/local-model.ts'
import { line } from '../support/model-server.ts'
import { openService } from '../support/service.ts'
import { writeTinyModel } from '../support/tiny-model.ts'

const engine = join(import.meta.dirname, '../.engines/engines/llama')
const root = mkdtempSync(join(tmpdir(), 'rostrum-models-'))
before(() => assert.ok(existsSync(engine), 'The engine is not installed for the tests: run `node scripts/setup.mjs test`.'))
after(() => rmSync(root, { recursive: true, force: true }))

const prompt = { rules: 'Answer.', material: 'The pumps weigh 4 kg.', ask: 'How heavy are they?', outputTokensMax: 400 }

async function all(parts: AsyncIterable<ModelPart>): Promise<ModelPart[]> {
  const found: ModelPart[] = []
  for await (const part of parts) found.push(part)
  return found
}

const textOf = (parts: readonly ModelPart[]) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

test('text streams in pieces and tokens are counted; what is known from the call before is not read again', async () => {
  const model = openLocalModel(
    { engine, file: writeTinyModel(join(root, 'hello.gguf'), 'They weigh 4 kg, the slide says.') },
    null,
    systemClock,
  )
  try {
    assert.equal(model.name, 'llama:hello')
    const first = await all(model.stream(prompt, new AbortController().signal))
    assert.equal(textOf(first), 'They weigh 4 kg, the slide says.')
    assert.ok(first.filter(({ type }) => type === 'text').length > 3)
    const counted = (parts: readonly ModelPart[]) => parts.flatMap((part) => (part.type === 'tokens' ? [part.tokens] : []))
    const [before] = counted(first)
    assert.ok((before?.input ?? 0) > 40 && (before?.output ?? 0) > 3, JSON.stringify(before))
    const [again] = counted(await all(model.stream({ ...prompt, ask: 'And how loud?' }, new AbortController().signal)))
    assert.ok((again?.input ?? 0) < (before?.input ?? 0) / 2, JSON.stringify(again))
  } finally {
    model.close()
  }
})

test('a call that is taken back ends early and without a word, and the next one is answered', async () => {
  const model = openLocalModel(
    { engine, file: writeTinyModel(join(root, 'long.gguf'), 'One two three four five six seven.') },
    null,
    systemClock,
  )
  try {
    const stop = new AbortController()
    const found: ModelPart[] = []
    for await (const part of model.stream(prompt, stop.signal)) {
      found.push(part)
      stop.abort()
    }
    assert.equal(found.length, 1)
    assert.match(textOf(await all(model.stream(prompt, new AbortController().signal))), /seven\.$/)
  } finally {
    model.close()
  }
})

test('no engine, no file, and a file that is no model end in words, and never the server', async () => {
  const broken = join(root, 'broken.gguf')
  writeFileSync(broken, Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(200, 7)]))
  for (const [from, words] of [
    [{ engine: root, file: broken }, /node-llama-cpp is not in .*`rostrum model install` adds it/],
    [{ engine, file: join(root, 'none.gguf') }, /There is no file .*none\.gguf/],
    [{ engine, file: broken }, /./],
  ] as const) {
    const model = openLocalModel(from, null, systemClock)
    try {
      await assert.rejects(model.warm(), words)
      await assert.rejects(all(model.stream(prompt, new AbortController().signal)), words)
    } finally {
      model.close()
    }
  }
})

test('a model that measures gives texts directions of length 1, near for like texts; one that writes is told from it', async () => {
  const file = writeTinyModel(join(root, 'measures.gguf'), 'How heavy are the pumps?', { measures: true })
  assert.equal(isEmbedderFile(file), true)
  assert.equal(isEmbedderFile(join(root, 'hello.gguf')), false)
  assert.equal(isEmbedderFile(join(root, 'none.gguf')), false)
  const embedder = openLocalEmbedder({ engine, file }, systemClock)
  try {
    const texts = ['zq zq', 'zq zq', 'qz qzz', 'abc de', ...Array.from({ length: 9 }, (_, at) => `text ${at}`), 'long '.repeat(2_000)]
    const vectors = await embedder.embed(texts)
    assert.equal(vectors.length, texts.length)
    const near = (one: number, other: number) =>
      [...(vectors[one] ?? [])].reduce((sum, value, at) => sum + value * (vectors[other]?.[at] ?? 0), 0)
    for (const at of texts.keys()) assert.ok(Math.abs(near(at, at) - 1) < 1e-4)
    assert.ok(near(0, 1) > 0.999 && near(0, 2) > near(0, 3), `${near(0, 2)} ${near(0, 3)}`)
  } finally {
    embedder.close()
  }
})

const talk = {
  title: 'Grid storage',
  isLive: true,
  slides: [
    { textContent: 'Grid storage\n- A battery shifts the evening peak by four hours' },
    { textContent: 'Cost\n- The system costs 112 EUR per kWh' },
  ],
}

async function ask(env: Record<string, string>) {
  const app = await openService({ env: { ROSTRUM_LLAMA: engine, ...env } })
  try {
    const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
    const answer = await app.api('POST', '/api/v1/pap/query', { sessionId: body.sessionId, message: 'What does it cost?' })
    return answer.body
  } finally {
    await app.close()
  }
}

test('a question is answered in the words of the model, with its source; what cannot be shown is not said', async () => {
  const honest = writeTinyModel(join(root, 'honest.gguf'), line('One kWh costs 112 EUR with this system.', 's2'))
  const said = await ask({ ROSTRUM_LLM: `llama:${honest}` })
  assert.equal(said.reply, 'One kWh costs 112 EUR with this system.')
  assert.deepEqual(
    said.citations.map(({ index }: { index: number }) => index),
    [1],
  )
  const liar = writeTinyModel(join(root, 'liar.gguf'), line('One kWh costs 99 EUR with this system.', 's2'))
  const quoted = await ask({ ROSTRUM_LLM: `llama:${liar}` })
  assert.match(quoted.reply, /112 EUR/)
  assert.doesNotMatch(quoted.reply, /99/)
})

test('where the model is not there, the question is answered with a quote', async () => {
  assert.match((await ask({ ROSTRUM_LLM: 'llama:none' })).reply, /112 EUR/)
})

test('a written file is a model by its own table: it is the format that is real, not the wit', () => {
  assert.equal(readFileSync(join(root, 'hello.gguf')).toString('latin1', 0, 4), 'GGUF')
})

test('a file on this machine measures what a question means: the place is found where no word is shared', async () => {
  const file = writeTinyModel(join(root, 'meaning.gguf'), 'Unused.', { measures: true })
  const words = [
    'hand',
    'bread',
    'stone',
    'field',
    'cloud',
    'lamp',
    'chair',
    'horse',
    'plant',
    'river',
    'table',
    'garden',
    'letter',
    'bottle',
  ]
  const slides = [...words.map((word) => ({ textContent: `The ${word} is there` })), { textContent: 'Zyzzyx quizzq zzyqx' }]
  const asked = async (message: string, env: Record<string, string>) => {
    const app = await openService({ env })
    try {
      const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Things', isLive: true, slides })
      return (await app.api('POST', '/api/v1/pap/query', { sessionId: body.sessionId, message })).body.reply
    } finally {
      await app.close()
    }
  }
  const measured = { ROSTRUM_LLAMA: engine, ROSTRUM_EMBED: `llama:${file}` }
  assert.match(await asked('xzyq qzyz zxzqz qzzyz?', measured), /Zyzzyx quizzq/)
  assert.doesNotMatch(await asked('xzyq qzyz zxzqz qzzyz?', {}), /Zyzzyx/)
  assert.doesNotMatch(await asked('What is the fee of a lawyer?', measured), /Zyzzyx/)
})
