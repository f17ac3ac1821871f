// The 20 s of a personal agent's question, on a clock that moves only when the test says so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../test/support/clock.ts'
import { answerMs, askInTime, type PapAnswer } from './query-presenter.ts'

const saying = (sentence: string): PapAnswer => ({ sentences: [sentence], citations: [], outcome: 'answered', confidence: 1 })

/** A presenter that answers when the test says so. */
function slowPresenter() {
  const clock = manualClock()
  const answer = Promise.withResolvers<PapAnswer>()
  const stopped: AbortSignal[] = []
  const deps = {
    clock,
    ask(_session: string, _asked: unknown, caller: { signal: AbortSignal }) {
      stopped.push(caller.signal)
      return answer.promise
    },
    quote: async () => saying('quoted'),
  }
  const gone = new AbortController()
  const asked = askInTime('s', { question: 'q', history: [] }, { id: 'a', signal: gone.signal }, deps)
  return { clock, answer, gone, asked, workStopped: () => stopped[0]?.aborted }
}

test('an answer in time is given as it is, and leaves no timer behind', async () => {
  const { clock, answer, asked, workStopped } = slowPresenter()
  await clock.advance(answerMs - 1)
  answer.resolve(saying('written'))
  assert.deepEqual((await asked).sentences, ['written'])
  assert.equal(clock.nextDue(), undefined)
  assert.equal(workStopped(), false)
})

test('after 20 s the caller gets what can be quoted, and the work stops', async () => {
  const { clock, answer, asked, workStopped } = slowPresenter()
  await clock.advance(answerMs)
  assert.deepEqual((await asked).sentences, ['quoted'])
  assert.equal(workStopped(), true)
  answer.reject(new Error('stopped'))
})

test('a caller that goes ends the work and leaves no timer behind', async () => {
  const { clock, gone, asked, workStopped } = slowPresenter()
  gone.abort()
  await assert.rejects(asked, /given up/)
  assert.equal(workStopped(), true)
  assert.equal(clock.nextDue(), undefined)
})

test('a caller that has gone before is not answered at all', async () => {
  const deps = { clock: manualClock(), ask: async () => assert.fail('asked'), quote: async () => assert.fail('quoted') }
  await assert.rejects(askInTime('s', { question: 'q', history: [] }, { id: 'a', signal: AbortSignal.abort() }, deps), /given up/)
})

test('a failure before the time is up is the failure of the call', async () => {
  const { answer, asked, clock } = slowPresenter()
  answer.reject(new Error('store'))
  await assert.rejects(asked, /store/)
  assert.equal(clock.nextDue(), undefined)
})
