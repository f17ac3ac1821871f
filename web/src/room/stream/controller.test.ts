import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualWebClock } from '../../../test/manual-web-clock.ts'
import { beats, roomView, slides } from '../../../test/scripted-talk.ts'
import type { Keep } from '../platform.ts'
import { type Playing, silentVoice, type Voice, type VoiceHooks } from '../voice/voice.ts'
import { createController } from './controller.ts'
import type { Joined, RunStatus } from './wire.ts'

interface Post {
  token: string | null
  kind: string
  body: Readonly<Record<string, unknown>>
}

function keep(): Keep {
  const kept = new Map<string, string>()
  return {
    load: (name) => kept.get(name) ?? null,
    save: (name, text) => void (text === null ? kept.delete(name) : kept.set(name, text)),
  }
}

const clipOf = (id: string) => `/media/${id}.mp3`

/** A tab in front of a server of which each part answers as told, and one audio element that gives one thing at a time. */
function world(mode: 'isolated' | 'broadcast' = 'isolated') {
  const clock = manualWebClock()
  const tab = keep()
  const device = keep()
  const posts: Post[] = []
  const says: string[] = []
  const server = { joins: 200, acts: 200, streams: 200, status: 'lobby' as RunStatus, speaks: false, slide: 0, gone: '' }
  let joined = 0

  /** What is on the element: whatever comes next takes its place, and what was there fails. */
  let onElement: VoiceHooks | null = null
  const load = (next: VoiceHooks | null) => {
    const before = onElement
    onElement = next
    // The promise of its `play()` rejects, a turn later.
    if (before !== null) clock.after(0, () => before.failed('fault', 0))
  }
  const voice = (kind: Voice['kind'], of: Voice): Voice => ({
    kind,
    play(utterance, hooks): Playing {
      says.push(`${kind} ${utterance.id}`)
      if (kind !== 'clip') return of.play(utterance, hooks)
      load(hooks)
      return {
        stop() {
          if (onElement === hooks) onElement = null
          return 0
        },
      }
    },
  })

  const snapshot = () => {
    const [beat] = beats
    const position = { slideIndex: server.slide, beat: { ...beat, phase: 'start', estMs: 3_000, clause: 0, audioUrl: clipOf('b1-1') } }
    const run = { id: 'run', kind: 'live', mode, status: server.status }
    const you = { attendeeId: 'at', questions: [], lead: null, cta: null }
    const room = { resumed: false, captions: [], questions: [], recap: [], cta: null, presence: { count: 1, hands: 0 }, you }
    const data = { ...room, run, slides, position: server.speaks ? position : null }
    return `id: 1-1\nevent: snapshot\ndata: ${JSON.stringify(data)}\n\n`
  }
  const answer: typeof fetch = async (input, init) => {
    const path = input instanceof Request ? input.url : input.toString()
    const token = new Headers(init?.headers).get('Authorization')
    if (init?.method !== 'POST') {
      if (server.gone !== '' && path.includes(server.gone)) return Response.json({}, { status: 410 })
      if (server.streams !== 200) return Response.json({}, { status: server.streams })
      return new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode(snapshot())) }))
    }
    const kind = path.slice(path.lastIndexOf('/') + 1)
    posts.push({ token, kind, body: (await new Response(init.body ?? '{}').json()) as Post['body'] })
    if (kind === 'control' && server.acts === 200 && server.status === 'lobby') server.status = 'presenting'
    if (kind !== 'attendees') return Response.json({ detail: 'down' }, { status: server.acts })
    if (server.joins !== 200) return Response.json({ detail: 'full' }, { status: server.joins })
    const n = ++joined
    const seat: Joined = { attendeeId: `at-${n}`, attendeeToken: `token-${n}`, runId: `run-${n}`, stream: `/api/v1/runs/run-${n}/stream` }
    return Response.json(seat)
  }

  let pages = 0
  /** A page of this tab. It is gone with the next one: a reload. */
  const open = (tabOf: Keep = tab) => {
    const page = ++pages
    const controller = createController(
      { key: 'welcome', room: roomView(mode, 'welcome'), language: 'en', strings: {}, follows: [], embed: false },
      {
        clock,
        fetch: (input, init) => (page === pages ? answer(input, init) : new Promise(() => {})),
        isOnline: () => true,
        afterPaint: (run) => clock.after(0, run),
        tab: tabOf,
        device,
        voices: () => ({
          clip: voice('clip', silentVoice(clock)),
          synth: voice('synth', silentVoice(clock)),
          silent: voice('silent', silentVoice(clock)),
        }),
        findVoice: () => {},
        unlock: () => load(null),
      },
    )
    controller.resume()
    return controller
  }
  const sent = (kind: string) => posts.filter((post) => post.kind === kind)
  return { clock, server, posts, sent, says, open }
}

test('a talk whose start was lost with its page begins when the page is there again', async () => {
  const { clock, server, sent, open } = world()
  server.acts = 503
  void open().join({ sound: false, name: '' })
  await clock.advance(100)
  server.acts = 200
  const before = sent('control').length
  open()
  await clock.advance(100)
  assert.equal(sent('control')[before]?.body.action, 'start')
})

test('a talk begins also where the presenter has not answered for minutes', async () => {
  const { clock, server, sent, open } = world()
  server.acts = 503
  void open().join({ sound: false, name: '' })
  await clock.advance(120_000)
  server.acts = 200
  const before = sent('control').length
  await clock.advance(10_000)
  assert.equal(sent('control')[before]?.body.action, 'start')
  await clock.advance(60_000)
  assert.equal(sent('control').length, before + 1, 'nothing is sent that has arrived')
})

test('however often a start is asked of a run it is one act, and no other talk is started', async () => {
  const isolated = world()
  void isolated.open().join({ sound: false, name: '' })
  await isolated.clock.advance(100)
  isolated.open()
  await isolated.clock.advance(100)
  assert.equal(new Set(isolated.sent('control').map((post) => post.body.id)).size, 1)

  const paused = world()
  paused.server.status = 'paused'
  void paused.open().join({ sound: false, name: '' })
  await paused.clock.advance(100)
  const before = paused.sent('control').length
  paused.open()
  await paused.clock.advance(100)
  assert.equal(paused.sent('control').length, before)

  const broadcast = world('broadcast')
  void broadcast.open().join({ sound: false, name: '' })
  await broadcast.clock.advance(100)
  assert.deepEqual(broadcast.sent('control'), [])
})

test('who leaves while the server is away does not leave the next talk', async () => {
  const { clock, server, posts, sent, open } = world()
  const first = open()
  void first.join({ sound: false, name: '' })
  await clock.advance(100)
  server.acts = 503
  first.leave()
  await clock.advance(5_100)
  assert.equal(sent('leave')[0]?.token, 'Bearer token-1')
  const before = posts.length
  server.acts = 200
  const second = open()
  void second.join({ sound: false, name: '' })
  await clock.advance(100)
  assert.deepEqual(
    posts.slice(before).filter(({ kind, token }) => kind === 'leave' && token === 'Bearer token-2'),
    [],
  )
  assert.equal(second.view().phase, 'in')
})

test('a talk joined again with captions only is silent, though the one before was said aloud', async () => {
  const { clock, server, says, open } = world()
  server.status = 'presenting'
  server.speaks = true
  const controller = open()
  server.streams = 404
  void controller.join({ sound: true, name: '' })
  await clock.advance(100)
  assert.equal(controller.view().phase, 'door')
  server.streams = 200
  void controller.join({ sound: false, name: '' })
  await clock.advance(100)
  assert.deepEqual(says, ['silent b1-1'])
})

test('who was refused with sound and comes in with captions only hears nothing', async () => {
  const { clock, server, says, open } = world()
  server.status = 'presenting'
  server.speaks = true
  server.joins = 429
  const controller = open()
  void controller.join({ sound: true, name: '' })
  await clock.advance(100)
  server.joins = 200
  void controller.join({ sound: false, name: '' })
  await clock.advance(100)
  assert.deepEqual(says, ['silent b1-1'])
  assert.equal(controller.view().sound, false)
})

test('sound turned on within a sentence goes on in the voice of the server', async () => {
  const { clock, server, says, open } = world()
  server.status = 'presenting'
  server.speaks = true
  const controller = open()
  void controller.join({ sound: false, name: '' })
  await clock.advance(100)
  controller.setSound(true)
  await clock.advance(100)
  assert.deepEqual(says, ['silent b1-1', 'clip b1-1'])
})

test('who comes back in another tab goes on in the same run, where it was', async () => {
  const { clock, server, sent, open } = world()
  Object.assign(server, { status: 'presenting', speaks: true, slide: 3 })
  const first = open()
  void first.join({ sound: false, name: 'Maya' })
  await clock.advance(100)
  server.status = 'paused'
  const second = open(keep())
  assert.equal(second.view().back, 3)
  second.goOn()
  await clock.advance(100)
  assert.equal(second.view().phase, 'in')
  assert.equal(sent('attendees').length, 1)
  assert.deepEqual(sent('control').at(-1)?.body.action, 'resume')
})

test('where the run that was left is over, one press makes a new one that goes on from the same slide', async () => {
  const { clock, server, sent, open } = world()
  Object.assign(server, { status: 'presenting', speaks: true, slide: 3 })
  const first = open()
  void first.join({ sound: false, name: 'Maya' })
  await clock.advance(100)
  server.gone = 'run-1'
  const second = open(keep())
  second.goOn()
  await clock.advance(3_000)
  assert.deepEqual(
    sent('attendees').map(({ body }) => body.name),
    ['Maya', 'Maya'],
  )
  assert.deepEqual(
    sent('control')
      .filter(({ token }) => token === 'Bearer token-2')
      .map(({ body }) => [body.action, body.slideIndex]),
    [
      ['start', undefined],
      ['goto', 3],
    ],
  )
})

test('a talk that is over is not offered to go on with, and a seat that is gone leads to the door', async () => {
  const { clock, server, open } = world()
  Object.assign(server, { status: 'completed', speaks: true, slide: 5 })
  const first = open()
  void first.join({ sound: false, name: '' })
  await clock.advance(100)
  assert.equal(open(keep()).view().back, null)
  Object.assign(server, { status: 'presenting', slide: 2 })
  const third = open(keep())
  void third.join({ sound: false, name: '' })
  await clock.advance(100)
  server.streams = 404
  third.wake()
  const again = open(keep())
  again.goOn()
  await clock.advance(100)
  assert.equal(again.view().phase, 'door')
  assert.equal(again.view().back, 2)
})

test('a caption is told first; what else comes with its sentence is told once, after its paint, and an acknowledgement changes nothing', async () => {
  const { clock, server, sent, open } = world()
  server.status = 'presenting'
  server.speaks = true
  const page = open()
  const told: string[] = []
  void page.join({ sound: false, name: '' })
  page.subscribe(() => told.push(`room ${page.view().spokenId}`))
  page.subscribeSpoken(() => told.push(`caption ${page.spoken()?.id}`))
  await clock.advance(50)
  assert.deepEqual(told.slice(-2), [`caption ${beats[0]?.beatId}`, `room ${beats[0]?.beatId}`])
  const before = told.length
  await clock.advance(3_500)
  assert.ok(sent('acks').length > 0)
  assert.equal(told.slice(before).filter((each) => each.startsWith('room')).length, 0)
})

test('the press that joins is painted before the talk is drawn, and counts once', async () => {
  const { clock, sent, open } = world()
  const page = open()
  const told: string[] = []
  page.subscribe(() => told.push(page.view().phase))
  void page.join({ sound: true, name: '' })
  void page.join({ sound: true, name: '' })
  assert.deepEqual([page.view().phase, told.includes('joining')], ['joining', false])
  await clock.advance(50)
  assert.deepEqual([told.at(-1), sent('attendees').length, sent('control').length], ['in', 1, 1])
})
