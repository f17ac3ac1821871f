// Every example of an operation in /docs, run as it is pasted: bash and curl against a server that is listening. What an example names by an
// id or a token is made first, by what the API answers; the status is one of those that the page promises.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import ffmpeg from '@ffmpeg-installer/ffmpeg'
import { formBrowser, signIn } from './auth/form-browser.ts'
import { openReceiver } from './e2e/receiver.ts'
import { buildPdf } from './support/documents.ts'
import { makeFilm } from './support/films.ts'
import { startModelServer } from './support/model-server.ts'
import { allOperations } from './support/operations.ts'
import { patienceMs } from './support/patience.ts'
import { pictureOfWords } from './support/pictures.ts'
import { startServer } from './support/server.ts'
import { openSmtpServer } from './support/smtp-server.ts'
import { startSpeechServer, wavOf } from './support/speech-server.ts'

const owner = { email: 'person@example.com', password: 'a quiet lake at dusk' }
/** Of these the talk is one for all. */
const halls: ReadonlySet<string> = new Set(['vote_question', 'answer_poll', 'host_speech'])
const buckets = ['API', 'JOIN', 'ROOM', 'QUESTIONS', 'PAP', 'LEAD', 'UPLOAD', 'REPORT', 'REGISTER', 'CLAIM', 'DISCOVERY']

// oxlint-disable-next-line typescript/no-explicit-any -- any answer of the service
type Answer = Record<string, any>
type Call = (method: string, path: string, body?: unknown, token?: string) => Promise<Answer>

/** Made when it is first asked for. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** Until it is there: the server is another process. */
async function found<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const until = performance.now() + patienceMs; performance.now() < until;) {
    const value = await look()
    if (value !== undefined) return value
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.fail(`There is no ${what}.`)
}

interface Around {
  call: Call
  /** Where webhooks lead. */
  hook: string
  /** The text of each mail so far. */
  mails(): readonly string[]
  /** Approves the claim of an agent as the owner; gives the code. */
  approve(address: string): Promise<string>
  /** Puts a film of that length beside the examples. */
  film(totalMs: number): Promise<void>
}

/** What examples name, by the text that stands for it there. A talk for each of one's own, or for all where `mode` says so. */
function openWorld({ call, hook, mails, approve, film: putFilm }: Around, mode: 'isolated' | 'broadcast') {
  const session = once(() =>
    call('POST', '/api/v1/agent/sessions', {
      title: 'Grid storage in ten minutes',
      isLive: true,
      mode,
      ...(mode === 'broadcast' && {
        startPolicy: 'scheduled',
        startsAt: new Date(Date.now() + 86_400_000).toISOString(),
        registration: {},
      }),
      listenerLanguages: ['de'],
      ctaText: 'Book',
      ctaUrl: 'https://example.com/demo',
      slides: [{ textContent: 'Cost\n- A battery costs 112 EUR', agentNotes: '[poll: How much? | 90 EUR | *112 EUR]' }],
    }),
  )
  const inSession = async (method: string, rest: string, body?: unknown) =>
    call(method, `/api/v1/agent/sessions/${(await session())['sessionId']}${rest}`, body)
  const script = once(() => inSession('GET', '/script'))
  const seat = once(async () => call('POST', `/api/v1/rooms/${(await session())['slug']}/attendees`, { name: 'Maya Ito' }))
  const act = async (kind: string, body: object) => {
    const { runId, attendeeToken } = await seat()
    return call('POST', `/api/v1/runs/${runId}/${kind}`, { id: crypto.randomUUID(), ...body }, attendeeToken)
  }
  const host = async (body: object) => call('POST', `/api/v1/runs/${(await seat())['runId']}/host`, { id: crypto.randomUUID(), ...body })
  const recap = async () => {
    const { stream, attendeeToken } = await seat()
    const { events } = await call('GET', stream, undefined, attendeeToken)
    return lastPart(events[0].data.you.recapUrl)
  }
  const webhook = once(() => call('POST', '/api/v1/webhooks', { url: hook, event_types: ['lead.captured'] }))
  const recordingOf = (format: string, state = 'ready') =>
    once(async () => {
      const { recordingId } = await inSession('POST', '/recordings', { format })
      return found('recording', async () => {
        const made = await inSession('GET', `/recordings/${recordingId}`)
        assert.notEqual(made['state'], 'failed', made['error'])
        return made['state'] === state ? String(recordingId) : undefined
      })
    })
  const [captions, sound, planned] = [recordingOf('vtt'), recordingOf('mp3'), recordingOf('webm', 'making')]
  const film = once(async () => {
    const recordingId = await planned()
    await putFilm((await inSession('GET', `/recordings/${recordingId}/plan`))['totalMs'])
    return recordingId
  })
  const recordings: Readonly<Record<string, typeof sound>> = { share_recording: sound, plan_recording: film, put_recording_file: film }
  const agent = once(() => call('POST', '/api/v1/auth/register', { client_name: 'My agent', identity_type: 'anonymous' }))
  const claim = once(async () => approve((await agent())['claim_uri']))
  const registered = once(async () => {
    const before = mails().length
    const person = { email: 'maya@example.com', name: 'Maya Ito', consent: true, wantsRecap: true }
    await call('POST', `/api/v1/rooms/${(await session())['slug']}/registrations`, person)
    return found('mail', () => mails()[before])
  })
  const mailed = async (path: string) => new RegExp(`/${path}/([^\\s/]+)`).exec(await registered())?.[1] ?? assert.fail(await registered())
  const known: Readonly<Record<string, () => Promise<string>>> = {
    'webhooks/0198c1d2-7a53-4c1e-9a40-5f6d2b8e4c11': async () => `webhooks/${(await webhook())['id']}`,
    'webhooks?id=0198c1d2-7a53-4c1e-9a40-5f6d2b8e4c11': async () => `webhooks?id=${(await webhook())['id']}`,
    '0198c1d2-7a53-4c1e-9a40-5f6d2b8e4c11': async () => (await session())['sessionId'],
    'grid-storage-in-ten-minutes-k3v9qa': async () => (await session())['slug'],
    '0198c1d3-6c20-4b7a-8f16-2d90c1b4e5a1': async () => (await script())['slides'][0].slideId,
    '0198c1d9-11c4-4f5e-9a31-6c0a6f4c2b77': async () => (await script())['beats'][0].beatId,
    '0198c1d4-05b1-4f0e-8a57-3f5b1c9f7d20': async () => (await seat())['runId'],
    '0198c1db-9f0d-4a52-8a1e-3f4b5c6d7e8f': async () => (await act('questions', { text: 'What does it cost?' }))['questionId'],
    async '0198c1df-4444-4333-8222-111122223333'() {
      const { pollId } = (await script())['beats'].find(({ poll }: Answer) => poll !== undefined).poll
      await host({ action: 'start' })
      await host({ action: 'open_poll', pollId })
      return pollId
    },
    '8f3kQ2mZ7vX1nR0sTzYw4L': recap,
    '5nD8yVf3Jc6uE2aGoX9wTk': () => mailed('registration'),
    '7t2Lq9cW4bZ0hK5xPm1Rsg': () => mailed('mails'),
    async '0198c1ea-2222-4333-8444-555566667777'() {
      await registered()
      return (await inSession('GET', '/registrations'))['registrations'][0].id
    },
    '0198c1f4-7777-4666-8555-444433332222': async () => (await inSession('POST', '/rehearsals', {}))['rehearsalId'],
    '0198c1f2-5a6b-4c7d-8e9f-102938475665': captions,
    async Qx7b2mD0fV1nR8sTzYw4Lg() {
      return lastPart((await inSession('PATCH', `/recordings/${await sound()}`, { isPublic: true }))['replayUrl'])
    },
    async '0198c1e2-4d0f-4a3d-8b8f-6a5c1f0d9e77'() {
      await act('lead', { email: 'maya@example.com', consent: true })
      return (await inSession('GET', '/leads'))['leads'][0].id
    },
    async '0198c1f6-1212-4343-8565-787890901212'() {
      const { id } = await webhook()
      await call('POST', `/api/v1/webhooks/${id}/test`, { event_type: 'lead.captured' })
      return found('delivery', async () => {
        const [last] = (await call('GET', `/api/v1/webhooks/${id}/deliveries`))['deliveries']
        return last?.status === 'succeeded' ? last.id : undefined
      })
    },
    'BDFK-RTWX': claim,
    $ATTENDEE_TOKEN: async () => (await seat())['attendeeToken'],
    $AGENT_TOKEN: async () => (await agent())['access_token'],
    'rst_agt_...': async () => (await agent())['access_token'],
  }
  return {
    /** The example with what it names; `before`: the operation before which something else has to be so. */
    async filled(example: string, name: string): Promise<string> {
      if (name === 'restore_script' || name === 'correct_translation')
        await inSession('PUT', '/script', {
          slides: [{ slideId: (await script())['slides'][0].slideId, sentences: [{ text: 'A battery costs 112 EUR.' }] }],
        })
      if (name === 'send_invitations')
        await inSession('PATCH', '', { registration: null, guests: [{ name: 'Maya Ito', email: 'maya@example.com' }] })
      if (name === 'host_speech') await host({ action: 'start' }).then(() => host({ action: 'take_over' }))
      if (name === 'renew_registration')
        await call('POST', '/api/v1/auth/claim', { claim_id: await claim() }, (await agent())['access_token'])
      // Captions have no page, and no browser makes them.
      const own = recordings[name]
      let text = own === undefined ? example : example.replaceAll('0198c1f2-5a6b-4c7d-8e9f-102938475665', await own())
      for (const [sample, make] of Object.entries(known)) if (text.includes(sample)) text = text.replaceAll(sample, await make())
      return text
    },
  }
}

const lastPart = (address: string) => address.split('/').at(-1) ?? ''

test('every example of an operation in the docs runs as it is pasted', async () => {
  const [smtp, speech, receiver] = await Promise.all([openSmtpServer(), startSpeechServer(), openReceiver()])
  const model = await startModelServer(() => ({ pieces: ['{"n":1,"text":"A battery costs 112 EUR.","sources":["s"]}\n'] }))
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-examples-'))
  const server = await startServer({
    env: {
      ROSTRUM_OWNER_EMAIL: owner.email,
      ROSTRUM_OWNER_PASSWORD: owner.password,
      ROSTRUM_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      ROSTRUM_LLM: `compatible:stub@${model.origin}/v1`,
      ROSTRUM_STT: `compatible:whisper@${speech.baseUrl}`,
      ROSTRUM_TTS: `compatible:kokoro@${speech.baseUrl}`,
      ROSTRUM_FFMPEG: ffmpeg.path,
      ROSTRUM_EGRESS_ALLOW: '127.0.0.1',
      ...Object.fromEntries(buckets.map((name) => [`ROSTRUM_RATE_${name}`, 'off'])),
    },
  })
  const { baseUrl } = server
  try {
    const key = await server.command('key', 'create', '--name', 'examples')
    const browser = formBrowser(baseUrl)
    await signIn(browser, owner)
    const call: Call = async (method, path, body, token = key) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'application/json' }
      const answer = await fetch(new URL(path, baseUrl), { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
      const text = await answer.text()
      assert.ok(answer.ok, `${method} ${path} ${answer.status} ${text}`)
      return text === '' ? {} : (JSON.parse(text) as Answer)
    }
    const around: Around = {
      call,
      hook: receiver.url,
      mails: () => smtp.mails.map(({ text }) => text),
      async approve(address) {
        const page = await browser.submit(await browser.open(address), { decision: 'approve' })
        return /id="claim-code">([^<]+)</.exec(page.text)?.[1] ?? assert.fail(page.text)
      },
      film: (totalMs) => makeFilm(join(folder, 'film.webm'), totalMs),
    }
    const [talk, hall] = [openWorld(around, 'isolated'), openWorld(around, 'broadcast')]
    writeFileSync(join(folder, 'deck.pdf'), buildPdf([{ lines: ['Cost', 'A battery costs 112 EUR.'] }]))
    writeFileSync(join(folder, 'picture.png'), await pictureOfWords(['Grid']))
    writeFileSync(join(folder, 'question.wav'), wavOf(500))

    const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { responses: object }>>
    }
    const pages = new Map<string, string>()
    const wrong: string[] = []
    for (const { name, area, http, access, effects } of allOperations) {
      if (http === undefined || access.type === 'sign_in') continue
      const page = pages.get(area) ?? (await (await fetch(`${baseUrl}/docs/api/${area}.md`)).text())
      pages.set(area, page)
      const [, section = ''] = page.split(`{#${name}}\n`)
      const [, example] = /```sh\n([^]*?)\n```/.exec(section.split('\n## ')[0] ?? '') ?? []
      assert.ok(example, name)
      const isHall = area === 'registrations' || halls.has(name)
      // What goes, or is another afterwards, is not what the next example names.
      const isOwn =
        !effects.readOnly && (http.method === 'DELETE' || name === 'leave_room' || ['sessions', 'decks', 'webhooks', 'auth'].includes(area))
      const world = isOwn ? openWorld(around, isHall ? 'broadcast' : 'isolated') : isHall ? hall : talk
      const command = await world.filled(example, name)
      // A stream goes on until its reader leaves.
      const more = http.feed === undefined ? '' : ' --max-time 1'
      const { promise, resolve } = Promise.withResolvers<string>()
      const shell = { cwd: folder, env: { PATH: process.env['PATH'], ROSTRUM_API_KEY: key } }
      execFile('bash', ['-c', `${command} -s -w '\\n%{http_code}'${more}`], shell, (_, stdout) => resolve(stdout))
      const answered = await promise
      const promised = Object.keys(paths[http.path]?.[http.method.toLowerCase()]?.responses ?? {}).filter((status) => status < '300')
      if (!promised.includes(answered.slice(answered.lastIndexOf('\n') + 1))) wrong.push(`${name}\n${command}\n${answered}`)
    }
    assert.equal(wrong.length, 0, wrong.join('\n\n'))
  } finally {
    await server.stop()
    receiver.close()
    await Promise.all([smtp.close(), speech.close(), model.close()])
    rmSync(folder, { recursive: true, force: true })
  }
})
