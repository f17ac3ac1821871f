// `rostrum doctor` and `rostrum config` about models: every server of the chain is asked, and no key is shown.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { run } from '../../server/cli/doctor.ts'
import { withTools } from '../../server/cli/tools.ts'
import type { Config } from '../../server/config/config.ts'
import { readConfig, showConfig } from '../../server/config/config.ts'
import { dayOf } from '../../server/sessions/usage.ts'
import { freePort } from '../support/server.ts'
import { startModelServer } from '../support/model-server.ts'
import { writeTinyEars, writeTinyVoice } from '../support/tiny-speech.ts'

interface Finding {
  check: string
  state: string
  words: string
}

const modelFinding = (env: Record<string, string>) => findingOf('model', env)

async function findingOf(
  wanted: string,
  env: Record<string, string>,
  prepare?: (config: Config) => Promise<void>,
): Promise<Finding | undefined> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rostrum-doctor-'))
  const { config, problems } = readConfig({ ROSTRUM_DATA_DIR: dataDir, ROSTRUM_PORT: String(await freePort()), ...env })
  if (config === undefined) throw new Error(problems.join('\n'))
  await prepare?.(config)
  let shown: { findings: Finding[] } = { findings: [] }
  try {
    await run({
      text: () => undefined,
      flag: () => false,
      positionals: [],
      config: () => config,
      // The value of this command is its findings.
      print: { result: (_text, value) => void (shown = value as typeof shown), list: () => undefined, note: () => undefined },
    })
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
  return shown.findings.find(({ check }) => check === wanted)
}

test('doctor says of each model whether its server answers and has it', async () => {
  const server = await startModelServer(() => ({ pieces: [] }))
  try {
    const here = (model: string) => `compatible:${model}@${server.origin}/v1`
    assert.equal((await modelFinding({}))?.state, 'off')
    assert.deepEqual(await modelFinding({ ROSTRUM_LLM: here('stub') }), {
      check: 'model',
      state: 'ok',
      words: `compatible:stub, ${server.origin}/v1 answers`,
    })
    const other = await modelFinding({ ROSTRUM_LLM: `${here('stub')},${here('llama')}` })
    assert.equal(other?.state, 'broken')
    assert.match(other?.words ?? '', /compatible:llama: .* has no such model; it has stub\./)
    const gone = await modelFinding({ ROSTRUM_LLM: `compatible:stub@http://127.0.0.1:${await freePort()}/v1` })
    assert.match(gone?.words ?? '', /does not answer/)
  } finally {
    await server.close()
  }
})

test('doctor has a voice and ears of this machine do their work, and says what a folder lacks', async () => {
  const root = mkdtempSync(join(tmpdir(), 'rostrum-doctor-speech-'))
  try {
    const [voice, ears] = [writeTinyVoice(join(root, 'voice')), writeTinyEars(join(root, 'ears'))]
    const said = await findingOf('voice', { ROSTRUM_TTS: `sherpa:${voice}`, ROSTRUM_TTS_VOICE: '1' })
    assert.equal(said?.state, 'ok')
    assert.match(said?.words ?? '', /^VITS in .*voice, voice 1 of 2: "Ready\." is 360 ms of sound, made in \d+ ms$/)
    const heard = await findingOf('hearing', { ROSTRUM_STT: `sherpa:${ears}` })
    assert.deepEqual([heard?.state, heard?.words], ['ok', `TDNN in ${ears} hears a second of silence`])
    const gone = await findingOf('voice', { ROSTRUM_TTS: 'sherpa:none' })
    assert.equal(gone?.state, 'broken')
    assert.match(gone?.words ?? '', /^There is no folder .*voices.none\. `rostrum voice install` makes one\.$/)
    writeFileSync(join(voice, 'tokens.txt'), 'two letters 1\n')
    const broken = await findingOf('voice', { ROSTRUM_TTS: `sherpa:${voice}` })
    assert.equal(broken?.state, 'broken')
    assert.match(broken?.words ?? '', /^sherpa:voice: .*two letters/)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

test('doctor names the budgets that were used up today: hosts saw answers that quote, and the operator nothing', async () => {
  assert.match((await findingOf('budgets', {}))?.words ?? '', /^none was used up today/)
  const found = await findingOf('budgets', {}, (config) =>
    withTools(config, async ({ store, clock }) => {
      const [today, yesterday] = [dayOf(clock.now()), dayOf(clock.now() - 86_400_000)]
      const rows = [
        { account_id: 'ann', day: today, kind: 'llm' as const, used: 2_000, told_at: clock.now() },
        { account_id: 'ben', day: today, kind: 'tts' as const, used: 12, told_at: null },
        { account_id: 'cat', day: yesterday, kind: 'stt' as const, used: 9, told_at: clock.now() },
      ]
      await store.write((tx) => tx.insertInto('spending').values(rows).execute())
    }),
  )
  assert.equal(found?.state, 'ok')
  assert.equal(found.words, 'used up today (UTC): ROSTRUM_LLM_BUDGET by account ann; raise them, or wait for midnight')
})

test('config shows the chain without any key', () => {
  const shown = showConfig({ ROSTRUM_LLM: 'openai:a', OPENAI_API_KEY: 'hunter2', ROSTRUM_LLM_API_KEY: 'hunter2' })
  assert.ok(!JSON.stringify(shown).includes('hunter2'))
  assert.equal(shown.find(({ name }) => name === 'ROSTRUM_LLM')?.value, 'openai:a')
})

test('doctor asks for no directory on a host where everything is in PostgreSQL: it called a healthy one broken', async () => {
  const env = {
    DATABASE_URL: `postgres://rostrum@127.0.0.1:${await freePort()}/rostrum`,
    ROSTRUM_SECRET: 's'.repeat(40),
    ROSTRUM_DATA_DIR: join(tmpdir(), 'rostrum-doctor-that-nobody-made'),
  }
  assert.equal((await findingOf('disk', env))?.state, 'off')
})
