// A talk as a file, over the public API and with a real ffmpeg: what is in it is looked at and listened to.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { promisify } from 'node:util'
import ffmpeg from '@ffmpeg-installer/ffmpeg'
import { joinTalk } from '../support/attendee.ts'
import { eventually } from '../support/clock.ts'
import { makeFilm } from '../support/films.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import type { SpeechServer } from '../support/speech-server.ts'
import { startSpeechServer } from '../support/speech-server.ts'
import { eachStore } from '../support/stores.ts'

const run = promisify(execFile)
let folder = ''
let speech: SpeechServer
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rostrum-recordings-'))
  speech = await startSpeechServer()
})
after(async () => {
  await speech.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(() => {
  speech.act = () => ({})
})

const env = () => ({ ROSTRUM_FFMPEG: ffmpeg.path })
/** A hum for each sentence, so that silence is what is between them. */
const voice = () => ({ ...env(), ROSTRUM_TTS: 'compatible:stub', ROSTRUM_TTS_BASE_URL: speech.baseUrl })

const slides = [
  { textContent: 'Pumps\n- A pump weighs 4 kg', narration: 'A pump weighs four kilograms. It is quiet.' },
  { textContent: 'Prices\n- One costs 90 EUR', narration: 'One costs ninety euros.' },
]

async function talk(app: TestService, more: object = {}) {
  const { body, status, text } = await app.api('POST', '/api/v1/agent/sessions', {
    title: 'Pumps = all; of them',
    slides,
    isLive: true,
    ...more,
  })
  assert.equal(status, 200, text)
  const { sessionId } = body
  const path = `/api/v1/agent/sessions/${sessionId}/recordings`
  const order = (wanted: object) => app.api('POST', path, wanted)
  const until = async (recordingId: unknown, state = 'ready') => {
    await app.service.jobs.idle()
    const { body: now } = await app.api('GET', `/api/v1/agent/sessions/${sessionId}/recordings/${String(recordingId)}`)
    assert.equal(now.state, state, String(now.error))
    return now as Record<string, unknown>
  }
  const bytesOf = async (url: unknown) => {
    const { pathname } = new URL(String(url))
    const answer = await app.request(pathname)
    assert.equal(answer.status, 200)
    const bytes = await app.service.decks.deps.blobs.find(pathname.replace('/media/', ''))
    return { bytes: bytes ?? new Uint8Array(), type: answer.headers.get('content-type') }
  }
  return { sessionId: String(sessionId), slug: String(body.slug), path, order, until, bytesOf }
}

/** What ffmpeg says of a file, or of what it did with it. */
async function looked(bytes: Uint8Array, args: readonly string[] = []): Promise<string> {
  const file = join(folder, 'looked')
  await writeFile(file, bytes)
  const told = await run(ffmpeg.path, ['-hide_banner', '-nostdin', '-y', '-i', file, ...args]).catch(
    (error: unknown) => error as { stderr: string },
  )
  return told.stderr
}

const msOf = (stamp = '') =>
  stamp.split(/[:,.]/).reduce((sum, part, at) => sum + Number(part) * ([3_600_000, 60_000, 1_000, 1][at] ?? 0), 0)

eachStore((_, open) => {
  test('a film has a chapter a slide, sentences where its captions say, and is the same film when it is made again', () =>
    withService(
      open,
      async (app) => {
        speech.act = () => ({ format: 'wav', hums: true })
        const { order, until, bytesOf, sessionId } = await talk(app)
        await eventually(async () => {
          const clips = await app.store.read.selectFrom('clips').select('state').execute()
          return clips.length > 0 && clips.every(({ state }) => state === 'ready')
        })
        const [one, again, captions] = await Promise.all([order({ format: 'mp4' }), order({ format: 'mp4' }), order({ format: 'srt' })])
        assert.deepEqual([one.status, one.body.state, one.body.progress, one.body.url], [202, 'waiting', 0, null])
        const [film, twin, srt] = [
          await until(one.body.recordingId),
          await until(again.body.recordingId),
          await until(captions.body.recordingId),
        ]
        assert.equal(film['url'], twin['url'])
        assert.equal(film['progress'], 100)
        const { bytes, type } = await bytesOf(film['url'])
        assert.deepEqual([type, bytes.length], ['video/mp4', film['sizeBytes']])
        const told = await looked(bytes, ['-af', 'silencedetect=noise=-30dB:d=0.2', '-f', 'null', '-'])
        assert.match(told, /title\s+: Pumps = all; of them/)
        assert.match(told, /Video: h264.*1280x720/)
        assert.match(told, /Audio: aac/)
        assert.deepEqual(
          [...(told.split('Output #0')[0] ?? '').matchAll(/title\s+: (Pumps|Prices)$/gm)].map(([, title]) => title),
          ['Pumps', 'Prices'],
        )
        const srtText = new TextDecoder().decode((await bytesOf(srt['url'])).bytes)
        const starts = [...srtText.matchAll(/^(\S+) --> /gm)].map(([, at]) => msOf(at))
        const heard = [...told.matchAll(/silence_end: ([\d.]+)/g)].map(([, at]) => Number(at) * 1_000)
        assert.match(srtText, /A pump weighs four kilograms\./)
        // What ends with the film is no beginning of a sentence.
        for (const at of heard.filter((each) => each < Number(film['durationMs']) - 700))
          assert.ok(
            starts.some((start) => Math.abs(start - at) <= 100),
            `sound at ${at}, captions at ${starts.join(' ')}`,
          )
        assert.ok(heard.length >= 3, told)
        const events = await app.store.read.selectFrom('domain_events').select('body').where('type', '=', 'recording.ready').execute()
        assert.equal(events.length, 3)
        assert.ok(events.every(({ body }) => body.includes(sessionId)))
      },
      voice(),
    ))

  test('without a voice a film is silent with captions as a track, and sound alone is refused in words', () =>
    withService(
      open,
      async (app) => {
        const { order, until, bytesOf } = await talk(app)
        const film = await until((await order({ format: 'mp4', options: { captions: 'track', height: 720 } })).body.recordingId)
        const told = await looked((await bytesOf(film['url'])).bytes, ['-af', 'volumedetect', '-f', 'null', '-'])
        assert.match(told, /Subtitle: mov_text/)
        assert.match(told, /max_volume: -9\d/)
        const sound = await until((await order({ format: 'mp3' })).body.recordingId, 'failed')
        assert.match(String(sound['error']), /no voice/)
      },
      env(),
    ))

  test('a run is recorded with its questions and answers, and without the names of who asked', () =>
    withService(
      open,
      async (app) => {
        const { order, until, bytesOf, slug } = await talk(app)
        const ada = await joinTalk(app, slug, { name: 'Ada Lovelace' })
        await ada.act('control', { action: 'start' })
        await ada.hear()
        await ada.act('questions', { text: 'What does one cost?', interrupt: true })
        await ada.answered(1)
        await ada.close()
        const made = await until((await order({ format: 'vtt', runId: ada.runId })).body.recordingId)
        const { bytes, type } = await bytesOf(made['url'])
        const text = new TextDecoder().decode(bytes)
        assert.match(String(type), /^text\/vtt/)
        assert.match(text, /^WEBVTT\n/)
        assert.match(text, /What does one cost\?/)
        assert.match(text, /90 EUR|ninety euros/)
        assert.doesNotMatch(text, /Ada|Lovelace/)
        const other = await order({ format: 'vtt', runId: crypto.randomUUID() })
        assert.equal(other.status, 404)
      },
      env(),
    ))

  test('one that was being made when its process died is made anew; one that is deleted is gone with its file', () =>
    withService(
      open,
      async (app) => {
        const { order, until, path, sessionId } = await talk(app)
        const id = String((await order({ format: 'srt' })).body.recordingId)
        await until(id)
        await app.store.write(async (tx) => {
          await tx.updateTable('recordings').set({ state: 'making', progress: 40, blob_key: null }).where('id', '=', id).execute()
          await tx.insertInto('jobs').values({ kind: 'recording', key: id, data: '', due_at: 0, failures: 0, lease_token: null }).execute()
        })
        await app.clock.advance(6_000)
        const made = await until(id)
        assert.equal((await app.api('DELETE', `/api/v1/agent/sessions/${sessionId}/recordings/${id}`)).status, 200)
        assert.equal((await app.api('GET', `${path}/${id}`)).status, 404)
        const uses = await app.store.read.selectFrom('blob_uses').select('blob_key').where('deck_id', '=', sessionId).execute()
        assert.deepEqual(uses, [])
        // It was served for an hour more.
        assert.equal((await app.request(new URL(String(made['url'])).pathname)).status, 410)
        const again = await until((await order({ format: 'srt' })).body.recordingId)
        assert.equal(again['url'], made['url'])
        const served = await app.request(new URL(String(again['url'])).pathname)
        assert.deepEqual([served.status, served.headers.get('cache-control')], [200, 'public, no-cache'])
        await app.api('DELETE', `/api/v1/agent/sessions/${sessionId}`)
        assert.equal((await app.request(new URL(String(again['url'])).pathname)).status, 410)
      },
      env(),
    ))

  test('a film has a page for whoever has the link, off until its host says so and gone when they take it back', () =>
    withService(
      open,
      async (app) => {
        const { order, until, path } = await talk(app, { ctaText: 'Order one', ctaUrl: 'https://example.com/order' })
        const film = await until((await order({ format: 'mp4' })).body.recordingId)
        const captions = await until((await order({ format: 'srt' })).body.recordingId)
        assert.deepEqual([film['replayUrl'], film['isListed']], [null, false])
        const share = (id: unknown, wanted: object) => app.api('PATCH', `${path}/${String(id)}`, wanted)
        const refused = await share(captions['recordingId'], { isPublic: true })
        assert.deepEqual([refused.status, refused.body.errors?.[0]?.pointer], [400, '#/isPublic'])
        const { body: shared } = await share(film['recordingId'], { isPublic: true })
        const { pathname } = new URL(String(shared.replayUrl))
        assert.match(pathname, /^\/replay\/[a-z2-7]{26}$/)
        const page = await app.request(pathname)
        assert.equal(page.status, 200)
        assert.match(String(page.headers.get('x-robots-tag')), /noindex/)
        assert.match(String(page.headers.get('content-security-policy')), /default-src 'none'; media-src 'self'/)
        const { body: shown } = await app.request(`/api/v1/replays/${pathname.split('/')[2] ?? ''}`)
        assert.deepEqual(
          (shown.chapters as { title: string }[]).map(({ title }) => title),
          ['Pumps', 'Prices'],
        )
        assert.deepEqual([shown.cta.text, shown.url, shown.hasWords], ['Order one', film['url'], true])
        const track = await app.request(`${pathname}/captions.vtt`)
        assert.match(String(track.headers.get('content-type')), /^text\/vtt/)
        assert.match(track.text, /^WEBVTT[\s\S]*One costs ninety euros\./)
        const part = await app.request(new URL(String(film['url'])).pathname, { headers: { Range: 'bytes=0-99' } })
        assert.deepEqual([part.status, part.headers.get('content-range')], [206, `bytes 0-99/${String(film['sizeBytes'])}`])
        assert.equal((await share(film['recordingId'], { isPublic: true, isListed: true })).body.replayUrl, shared.replayUrl)
        assert.equal((await app.request(pathname)).headers.get('x-robots-tag'), null)
        await share(film['recordingId'], { isPublic: false })
        for (const gone of [pathname, `${pathname}/captions.vtt`]) assert.equal((await app.request(gone)).status, 404)
        const anew = (await share(film['recordingId'], { isPublic: true })).body.replayUrl
        assert.notEqual(anew, shared.replayUrl)
        await app.api('DELETE', `${path}/${String(film['recordingId'])}`)
        assert.equal((await app.request(new URL(String(anew)).pathname)).status, 404)
      },
      env(),
    ))

  test('answers of a run are said anew for its film', () =>
    withService(
      open,
      async (app) => {
        speech.act = () => ({ format: 'wav', hums: true })
        const { order, until, bytesOf, slug } = await talk(app)
        const ada = await joinTalk(app, slug, { name: 'Ada Lovelace' })
        await ada.act('control', { action: 'start' })
        await ada.hear()
        await ada.act('questions', { text: 'What does one cost?', interrupt: true })
        await ada.answered(1)
        await ada.close()
        const vtt = await until((await order({ format: 'vtt', runId: ada.runId })).body.recordingId)
        const answer = /([\d:.]+) --> ([\d:.]+)\n<v [^>]*>[^\n]*90 EUR/.exec(new TextDecoder().decode((await bytesOf(vtt['url'])).bytes))
        assert.ok(answer, 'the answer has a caption')
        const film = await until((await order({ format: 'mp3', runId: ada.runId })).body.recordingId)
        // The last of what is said is the answer: it hums, and the sound ends soon after.
        const told = await looked((await bytesOf(film['url'])).bytes, ['-af', 'silencedetect=noise=-30dB:d=0.2', '-f', 'null', '-'])
        const lastHeard = Number([...told.matchAll(/silence_start: ([\d.]+)/g)].at(-1)?.[1])
        assert.ok(lastHeard > msOf(answer[1]) / 1_000, told)
      },
      voice(),
    ))

  test('a server without ffmpeg says what it needs, and still makes captions', () =>
    withService(
      open,
      async (app) => {
        const { order, until, path } = await talk(app)
        for (const format of ['mp4', 'mp3']) {
          const refused = await order({ format })
          assert.deepEqual([refused.status, refused.body.errors?.[0]?.pointer], [400, '#/format'])
          assert.match(String(refused.body.errors?.[0]?.detail), /ROSTRUM_FFMPEG/)
        }
        assert.equal((await app.api('GET', path)).body.canFilm, false)
        await until((await order({ format: 'vtt' })).body.recordingId)
      },
      { ROSTRUM_FFMPEG: 'off' },
    ))

  test('without ffmpeg a browser is told what to draw and play (`plan_recording`); what it made is kept like any film (`put_recording_file`)', () =>
    withService(
      open,
      async (app) => {
        speech.act = () => ({ format: 'wav', hums: true })
        const { order, until, path, bytesOf } = await talk(app)
        await eventually(async () =>
          (await app.store.read.selectFrom('clips').select('state').execute()).some(({ state }) => state === 'ready'),
        )
        const { recordingId } = await until((await order({ format: 'webm', options: { captions: 'track' } })).body.recordingId, 'making')
        const one = `${path}/${String(recordingId)}`
        assert.equal((await app.api('GET', one)).headers.get('retry-after'), '2')
        const { body: plan } = await app.api('GET', `${one}/plan`)
        assert.deepEqual(
          [plan.title, plan.scene.width, plan.scene.height, plan.scene.slides.length],
          ['Pumps = all; of them', 1_280, 720, 2],
        )
        const shots = plan.shots as { fromMs: number; untilMs: number; slideIndex: number; caption: string }[]
        assert.deepEqual([shots[0]?.fromMs, shots.at(-1)?.untilMs], [0, plan.totalMs])
        assert.ok(shots.every((shot, at) => at === 0 || shot.fromMs === shots[at - 1]?.untilMs))
        assert.deepEqual([...new Set(shots.map(({ slideIndex }) => slideIndex))], [0, 1])
        assert.ok(plan.sounds.length > 0 && plan.captions.length > 0 && shots.every(({ caption }) => caption === ''))
        const headers = { Authorization: `Bearer ${app.key}`, 'Content-Type': 'video/webm' }
        const put = (body: Uint8Array<ArrayBuffer>) => app.request(`${one}/file`, { method: 'PUT', headers, body })
        const films: Record<string, string> = {
          'film.webm': '-codec:v libvpx -codec:a libvorbis',
          'film.mp4': '-codec:v libx264 -codec:a aac',
          'film.mkv': '-codec:v libx264 -codec:a aac',
          'sound.webm': '-map 1 -codec:a libvorbis',
          'long.webm': '-codec:v libvpx -codec:a libvorbis',
        }
        const filmOf = async (name: string) => {
          const file = join(folder, name)
          await makeFilm(file, name.startsWith('long') ? Number(plan.totalMs) + 60_000 : Number(plan.totalMs), films[name])
          return Uint8Array.from(await readFile(file))
        }
        const film = Buffer.from(await filmOf('film.webm'))
        const head = Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x84, 0x42, 0x82, 0x84]), Buffer.from('webm')])
        // The first 64 bytes were all that was looked at.
        for (const [what, body, words] of [
          ['a page', Buffer.from('<html>'), /no film/],
          ['the head of a film and a page', Buffer.concat([head, Buffer.from('<script>')]), /no film|pictures/],
          ['a film cut short', film.subarray(0, 4_000), /no film|pictures|lasts/],
          ['MP4', await filmOf('film.mp4'), /is MP4, not WebM/],
          ['Matroska', await filmOf('film.mkv'), /is Matroska, not WebM/],
          ['sound alone', await filmOf('sound.webm'), /pictures/],
          ['the film of another talk', await filmOf('long.webm'), /lasts \d+ s and the talk \d+ s/],
        ] as const) {
          const refused = await put(Uint8Array.from(body))
          assert.deepEqual([refused.status, refused.body.errors?.[0]?.pointer], [400, '#/file'], what)
          assert.match(String(refused.body.errors?.[0]?.detail), words, what)
        }
        const { status, body: made } = await put(Uint8Array.from(film))
        assert.deepEqual([status, made.state, made.sizeBytes], [200, 'ready', film.length], String(made.detail))
        assert.ok(Math.abs(made.durationMs - plan.totalMs) < 1_000, `${made.durationMs} of ${plan.totalMs} ms`)
        assert.deepEqual(await bytesOf(made.url), { bytes: film, type: 'video/webm' })
        assert.equal((await put(Uint8Array.from(film))).body.code, 'run_state')
        const { body: shared } = await app.api('PATCH', one, { isPublic: true })
        const { body: shown } = await app.request(`/api/v1/replays/${new URL(String(shared.replayUrl)).pathname.split('/')[2] ?? ''}`)
        assert.deepEqual([shown.chapters.length, shown.hasWords, 'plan' in shown], [2, false, false])
        const events = await app.store.read.selectFrom('domain_events').select('id').where('type', '=', 'recording.ready').execute()
        assert.equal(events.length, 1)
      },
      { ...voice(), ROSTRUM_FFMPEG: 'off' },
    ))
})
