// What must hold of every simulated room, whatever happened in it; each check reads the log of one run, the store, or the clients.
import assert from 'node:assert/strict'
import { undeclaredOf } from '../declared.ts'
import { foldLog } from '../../../server/runs/runner/leases.ts'
import { eventId, eventOf, maySee, messageData, readRunEvents } from '../../../server/runs/log/run-log.ts'
import { fold } from '@rostrum/stage/fold'
import type { RunEvent } from '@rostrum/contract/room'
import { initialState } from '@rostrum/stage/run-state'
import { initialState as freshState } from '../../../web/src/room/stream/state.ts'
import type { RunEventRow } from '../../../server/runs/tables.ts'
import { reduce } from '../../../web/src/room/stream/reduce.ts'
import type { RoomState } from '../../../web/src/room/stream/state.ts'
import type { RoomMessage } from '../../../web/src/room/stream/wire.ts'
import { type SimReport, talkOf } from '../room-sim.ts'
import type { SimClient } from './sim-client.ts'
import { roomMessage } from './sim-client.ts'

/** The log of one run beside what its attendees did. */
export interface RunLog {
  runId: string
  rows: readonly RunEventRow[]
  events: readonly RunEvent[]
  report: SimReport
}

export async function readLogs(report: SimReport): Promise<RunLog[]> {
  const logs: RunLog[] = []
  for (const runId of report.runIds) {
    const rows = await readRunEvents(report.store.read, runId, 0, 100_000)
    const events = rows.map(eventOf)
    assert.deepEqual(events.flatMap(undeclaredOf), [], 'the log holds what is not declared')
    logs.push({ runId, rows, events, report })
  }
  return logs
}

export function checkOrder({ events }: RunLog): void {
  let roomSeq = 0
  let before = { epoch: 0, at: 0 }
  events.forEach((event, index) => {
    assert.equal(event.seq, index + 1, 'seq is gapless')
    assert.ok(event.epoch >= before.epoch, `event ${event.seq}: an older epoch wrote after a newer one`)
    assert.ok(event.at >= before.at, `event ${event.seq}: time went back`)
    before = event
    if (event.audience !== 'room') return assert.equal(event.prev, undefined)
    assert.equal(event.prev, roomSeq, `event ${event.seq}: prev names the room event before`)
    roomSeq = event.seq
  })
}

/** One voice at a time: a beat or an answer, each begun and ended, and only in a status that speaks. */
export function checkVoice({ events }: RunLog): void {
  let state = initialState(0)
  let beat: string | null = null
  const answers = new Set<string>()
  for (const event of events) {
    state = fold(state, event)
    if (event.type === 'beat') {
      const { phase, beatId } = event.data
      if (phase === 'start') {
        assert.equal(beat, null, `event ${event.seq}: two beats at once`)
        assert.deepEqual([...answers], [], `event ${event.seq}: a beat begins while an answer is given`)
        beat = beatId
      } else {
        if (beat === null) assert.equal(phase, 'cut', `event ${event.seq}: ${beatId} ended without having begun`)
        else assert.equal(beatId, beat, `event ${event.seq}`)
        beat = null
      }
    }
    if (event.type === 'answer' && event.data.instant !== true && event.audience === 'room') {
      const { phase, answerId } = event.data
      if (phase === 'start') {
        assert.deepEqual([...answers], [], `event ${event.seq}: two answers at once`)
        assert.equal(beat, null, `event ${event.seq}: an answer begins while a beat is said`)
        answers.add(answerId)
      } else {
        assert.ok(answers.has(answerId), `event ${event.seq}: ${phase} of an answer that is not open`)
        if (phase !== 'sentence') answers.delete(answerId)
      }
    }
    if (state.speaking !== null)
      assert.ok(state.status === 'presenting' || state.status === 'closing', `event ${event.seq}: it speaks while ${state.status}`)
  }
  assert.deepEqual([...answers], [], 'every answer ends')
  assert.equal(beat, null, 'every beat ends')
  assert.equal(state.answer, null)
}

const moves: ReadonlySet<unknown> = new Set(['goto', 'next', 'previous', 'repeat', 'hand_back', 'end'])

/** Speech goes on at the clause where it was cut, unless somebody asked for another place meanwhile. */
export function checkResumption({ runId, events, report }: RunLog): number {
  const asked = report.acts.filter((act) => act.runId === runId && moves.has(act.body['action']))
  let cut: { beatId: string; clause: number; at: number } | null = null
  const isOpen = new Map<string, boolean>()
  let resumed = 0
  for (const event of events) {
    if (event.type === 'poll') isOpen.set(`ask-${event.data.pollId}`, event.data.open)
    if (event.type !== 'beat') continue
    const { beatId, phase, clause = 0 } = event.data
    if (phase === 'cut') cut = { beatId, clause, at: event.at }
    if (phase !== 'start') {
      if (phase !== 'cut') cut = null
      continue
    }
    const before = cut
    cut = null
    // A poll that is over is not asked again.
    if (before === null || isOpen.get(before.beatId) === false) continue
    const isMoved = asked.some(({ sentAt, answeredAt }) => sentAt <= event.at && (answeredAt ?? Infinity) >= before.at)
    if (isMoved) continue
    assert.deepEqual({ beatId, clause }, { beatId: before.beatId, clause: before.clause }, `event ${event.seq}: resumes where it was cut`)
    resumed++
  }
  return resumed
}

/** In an isolated talk the log claims as heard only what the attendee has acknowledged. */
export function checkHeard({ runId, events, report }: RunLog): void {
  if (report.options.mode === 'broadcast') return
  const heardOf = (utterance: string) =>
    Math.max(0, ...report.clients.filter((client) => client.attendee.runId === runId).map((client) => client.heard.get(utterance) ?? 0))
  const beats = new Map(talkOf(report.options).beats.map((beat) => [beat.beatId, beat]))
  for (const event of events) {
    if (event.type === 'heard' && event.data.acked)
      assert.equal(
        heardOf(`${event.data.answerId}:${event.data.index}`),
        Infinity,
        `event ${event.seq}: a sentence that nobody acknowledged`,
      )
    if (event.type !== 'beat') continue
    const { beatId, phase, spokenChars = 0, clause = 0 } = event.data
    if (phase === 'end') assert.equal(heardOf(beatId), Infinity, `event ${event.seq}: ${beatId} ended unheard`)
    if (phase === 'cut')
      assert.ok(
        spokenChars <= Math.max(heardOf(beatId), beats.get(beatId)?.clauses[clause] ?? 0),
        `event ${event.seq}: ${beatId} was cut at ${spokenChars}`,
      )
  }
}

/** It completes once, and its room hears nothing after `closed`. */
export async function checkEnd({ runId, events, report }: RunLog): Promise<void> {
  const ends = events.filter((event) => event.type === 'state' && event.data.status === 'completed' && event.data.previous !== 'completed')
  assert.equal(ends.length, 1, 'it completes once')
  const closed = events.filter((event) => event.type === 'closed' && event.audience === 'room')
  assert.equal(closed.length, 1, 'its room is closed once')
  const after = events.filter((event) => event.audience === 'room' && event.seq > (closed[0]?.seq ?? 0))
  assert.deepEqual(
    after.map((event) => event.type),
    [],
    'nothing comes after closed',
  )
  const state = await foldLog(report.store.read, runId, initialState(0))
  assert.equal(state.status, 'completed')
  assert.deepEqual(state.waiting, [], 'no question waits for ever')
  const open = [...state.questions.values()].filter((question) => question.status === 'answering' && !question.isPrivate)
  assert.deepEqual(open, [], 'no question is left half answered')
  assert.equal(state.present, 0, 'everybody has left')
}

/** What the page shows that must not depend on how its stream went. */
function lasting(state: RoomState): unknown {
  const { presence: _presence, hands: _hands, people: _people, reactions: _reactions, ...own } = state
  const { handRaised: _hand, hasLead: _lead, cursor: _cursor, tally: _tally, answered: _answered, ...rest } = own
  return rest
}

/** The state of a page that began at `first` and missed nothing of the log up to `seq`. */
function undisturbed(rows: readonly RunEventRow[], attendeeId: string, first: RoomMessage, upTo: number): RoomState {
  let state = freshState()
  const apply = (message: RoomMessage) => {
    const applied = reduce(state, message)
    assert.notEqual(applied.type, 'gap', `a gap before ${message.id ?? ''}`)
    if (applied.type === 'applied') state = applied.state
  }
  apply(first)
  const from = state.seq
  for (const row of rows) {
    if (row.seq <= from || row.seq > upTo || !maySee(attendeeId, row)) continue
    const message = roomMessage({ id: eventId(row), event: row.type, data: JSON.parse(messageData(row)) as Record<string, unknown> })
    if (message !== null) apply(message)
  }
  return state
}

/** Every page shows what one shows that never lost its stream, and one that was loaded anew shows the same room. */
export function checkClients({ runId, rows, report }: RunLog): void {
  for (const client of report.clients) {
    if (client.attendee.runId !== runId) continue
    assert.deepEqual(client.gaps, [], 'events come once and in order')
    const { attendeeId } = client.attendee
    if (client.first !== null) {
      const upTo = client.isClosed ? lastSeen(rows, client) : client.state.seq
      const expected = undisturbed(rows, attendeeId, client.first, upTo)
      // Who came after the end is told that it is over beside the log.
      const isLate = client.isClosed && expected.closed === null && expected.status === 'completed'
      const whole = isLate ? { ...expected, closed: client.state.closed } : expected
      assert.deepEqual(lasting(client.state), lasting(whole), `${attendeeId} sees another room`)
    }
    for (const { before, after } of client.reloads) {
      const anew = reduce(freshState(), after)
      const known = reduce(freshState(), before)
      if (anew.type !== 'applied' || known.type !== 'applied') throw new Error('A snapshot was not applied.')
      // At a process that lags behind the page is where it has been, for as long as the process lags.
      if (anew.state.seq < known.state.seq) continue
      // Who stayed had not been told that they have left.
      const others = rows.filter((row) => row.type !== 'closed' || row.audience === 'room')
      const old = undisturbed(others, attendeeId, before, anew.state.seq)
      assert.deepEqual(shown(anew.state), shown(old), `${attendeeId} sees another room after a reload at ${anew.state.seq}`)
    }
  }
}

/** The `seq` of the `closed` that ended the page's stream, its own or the room's; it moves no cursor. */
function lastSeen(rows: readonly RunEventRow[], client: SimClient): number {
  return (
    rows.find((row) => row.type === 'closed' && row.seq > client.state.seq && maySee(client.attendee.attendeeId, row))?.seq ??
    client.state.seq
  )
}

const unseen: ReadonlySet<string> = new Set(['hidden', 'declined', 'pending', 'merged'])

/** The room as a snapshot can tell it: without the history that only the events carry. */
function shown(state: RoomState): unknown {
  const { status, speed, windowUntil, slideIndex, beatId, cta, questions, polls } = state
  return {
    // Of one that is still answered, `presence` tells the results.
    polls: polls.map(({ results, ...poll }) => (poll.open ? poll : { ...poll, results })),
    status,
    speed,
    windowUntil,
    slideIndex,
    beatId,
    cta,
    questions: questions
      .filter((question) => question.mine || !unseen.has(question.status))
      .map(({ questionId, text, status: now, votes, mine, notice, instant, answer }) => {
        const words = [notice, instant, answer].flatMap((each) =>
          each === null ? [] : [{ text: each.sentences.join(' '), ended: each.ended, outcome: each.outcome }],
        )
        return { questionId, text, status: now, votes, mine, words }
      })
      .sort((a, b) => (a.questionId < b.questionId ? -1 : 1)),
  }
}

/** A POST that was sent again answers as the first time. */
export function checkRepeats({ acts }: SimReport): void {
  const kept: ReadonlySet<string> = new Set(['ask_question', 'control_run', 'host_run', 'vote_question', 'answer_poll'])
  for (const { name, body, answers } of acts) {
    if (!kept.has(name) || answers.length < 2) continue
    assert.equal(new Set(answers).size, 1, `${name} ${JSON.stringify(body)} was answered ${answers.join(' and ')}`)
  }
}
