// Answers to a poll: 500 people in one room, and processes that end by SIGKILL while they answer. What was acknowledged counts, once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { pollIn } from '../../src/runs/log/polls.ts'
import { initialState } from '../../src/runs/log/run-state.ts'
import { foldLog } from '../../src/runs/runner/leases.ts'
import { answerRoom, type Person } from '../support/crowd-of-answers.ts'
import { settle } from '../support/clock.ts'
import { onBothStores } from '../support/kills.ts'
import { liveRoom } from '../support/live.ts'
import { askingTalk } from '../support/sample-talk.ts'
import { randomOf, under } from '../support/sim/random.ts'

test('500 attendees of one room answer, change their minds and repeat themselves: each counts once, with the last word', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast', startPolicy: 'host' }, talk: askingTalk() })
  const random = randomOf(11)
  const people = []
  for (let at = 0; at < 500; at++) people.push(await room.join())
  const [{ runId } = { runId: '' }] = people
  await room.call('host_run', room.host, { runId, id: randomUUID(), action: 'open_poll', pollId: 'quiz' })
  const wanted = people.map(() => [under(random, 3), ...(random() < 0.3 ? [under(random, 3)] : [])])
  await Promise.all(
    people.map(async (person, at) => {
      for (const choice of wanted[at] ?? []) {
        const body = { id: randomUUID(), pollId: 'quiz', choice }
        const first = await person.post('answer_poll', body)
        if (random() < 0.2) assert.deepEqual(await person.post('answer_poll', body), first)
      }
    }),
  )
  await room.call('host_run', room.host, { runId, id: randomUUID(), action: 'show_poll', pollId: 'quiz' })
  await settle()
  const state = await foldLog(room.store.read, runId, initialState(0))
  const counts = [0, 1, 2].map((choice) => wanted.filter((all) => all.at(-1) === choice).length)
  const shown = await room.store.read
    .selectFrom('run_events')
    .select('data')
    .where('type', '=', 'poll')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  assert.deepEqual((JSON.parse(shown.data) as { results: object }).results, { answers: 500, counts })
  assert.equal(pollIn(state, 'quiz')?.answers.size, 500)
  await room.close()
})

onBothStores('no answer that was acknowledged is lost or counted twice by SIGKILL, five times', async (where, store, t) => {
  const room = await answerRoom(where)
  const random = randomOf(5)
  try {
    const people = await Promise.all(Array.from({ length: 60 }, () => room.join()))
    await room.host('open_poll')
    const wanted = people.map(() => under(random, 4))
    let acknowledged = 0
    const answering = people.map(async (person, at) => {
      await new Promise((resolve) => setTimeout(resolve, under(random, 2_500)))
      await room.answer(person, wanted[at] ?? 0)
      acknowledged++
    })
    for (let kill = 0; kill < 5; kill++) {
      await new Promise((resolve) => setTimeout(resolve, 100 + under(random, 400)))
      await room.server.kill()
      await room.server.restart()
    }
    await Promise.all(answering)
    assert.equal(acknowledged, 60)
    for (let tries = 0; ; tries++) {
      try {
        await room.host('show_poll')
        break
      } catch (error) {
        if (tries > 20) throw error
      }
    }
    const counts = [0, 1, 2, 3].map((choice) => wanted.filter((each) => each === choice).length)
    const figures = (await room.get(`/api/v1/agent/sessions/${room.sessionId}/analytics`)) as unknown as { polls: { results: object }[] }
    assert.deepEqual(figures.polls[0]?.results, { answers: 60, counts })
    const rows = await store.read.selectFrom('run_events').select('data').where('type', '=', 'poll_answer').execute()
    assert.equal(rows.length, 60, 'one event each')
    for (const person of people) person.close()
    t.diagnostic(`${rows.length} answers over 5 kills`)
  } finally {
    await room.server.kill()
    await store.close()
  }
})

test('500 people over HTTP: counts are exact, and everybody is told of a slide meanwhile', async (t) => {
  const room = await answerRoom()
  try {
    const people: Person[] = []
    for (let at = 0; at < 500; at += 25) people.push(...(await Promise.all(Array.from({ length: 25 }, () => room.join()))))
    await room.host('take_over')
    await room.host('open_poll')
    const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
    /** Milliseconds from a change of the slide until each has it, while some answer as people do: one after the other. */
    const change = async (slideIndex: number, answering: readonly Person[]) => {
      const sent = answering.map((person, at) =>
        wait(at * (1_000 / answering.length)).then(() => room.answer(person, people.indexOf(person) % 4)),
      )
      await wait(300)
      for (const { seen } of people) seen.length = 0
      const since = Date.now()
      await room.host('goto', { slideIndex })
      await wait(900)
      await Promise.all(sent)
      return people.flatMap(({ seen: [first] }) => (first === undefined ? [] : [first.at - since]))
    }
    await change(1, [])
    const delays: { without: number[]; during: number[] } = { without: [], during: [] }
    // In turns, so that what else the machine does is in both.
    for (let round = 0; round < 10; round++) {
      delays.without.push(...(await change(0, [])))
      delays.during.push(...(await change(1, people.slice(round * 50, (round + 1) * 50))))
    }
    const at = (all: number[], share: number) => all.toSorted((a, b) => a - b)[Math.floor(all.length * share)] ?? 0
    const told = (all: number[]) => ({ p50: at(all, 0.5), p95: at(all, 0.95), told: all.length })
    t.diagnostic(JSON.stringify({ without: told(delays.without), during: told(delays.during) }))
    assert.equal(delays.during.length, delays.without.length, 'everybody is told')
    await room.host('show_poll')
    const figures = (await room.get(`/api/v1/agent/sessions/${room.sessionId}/analytics`)) as unknown as { polls: { results: object }[] }
    assert.deepEqual(figures.polls[0]?.results, { answers: 500, counts: [125, 125, 125, 125] })
    for (const person of people) person.close()
  } finally {
    await room.server.stop()
  }
})
