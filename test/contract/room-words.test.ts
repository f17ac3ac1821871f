// What once went wrong with the words of one question in rooms at random (test/runs/room-sim.test.ts), each told alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle } from '../support/clock.ts'
import { liveRoom } from '../support/live.ts'
import type { LiveRoom } from '../support/live.ts'

const host = (room: LiveRoom, runId: string, action: string, more: Record<string, unknown>) =>
  room.call('host_run', room.host, { runId, id: crypto.randomUUID(), action, ...more })

test('a question that was answered, hidden and let in again waits without its old answer, also for who comes later', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const ada = await room.join()
  const stream = await ada.stream()
  await room.clock.advance(1_000)
  const { questionId } = await ada.post('ask_question', { text: 'How many bolts?', interrupt: true })
  await room.clock.advance(20_000)
  assert.equal(stream.of('question').at(-1)?.['status'], 'answered')
  await host(room, ada.runId, 'hide_question', { questionId })
  await ada.post('ask_question', { text: 'What does it cost?', interrupt: true })
  await host(room, ada.runId, 'approve_question', { questionId })
  const late = await (await room.join()).stream()
  await settle()
  const questions = late.messages[0]?.data['questions'] as Record<string, unknown>[]
  const question = questions.find((one) => one['questionId'] === questionId)
  assert.deepEqual([question?.['status'], question?.['answer']], ['queued', null])
  await room.close()
})

test('private words of the host to a private question that is being answered stand beside that answer', async () => {
  const room = await liveRoom()
  const ada = await room.join()
  const stream = await ada.stream()
  await ada.post('control_run', { action: 'start' })
  await settle()
  const { questionId } = await ada.post('ask_question', { text: 'How many bolts?', interrupt: true, private: true })
  await settle()
  assert.equal(stream.of('answer').at(-1)?.['phase'], 'sentence')
  await host(room, ada.runId, 'answer_text', { questionId, text: 'Two, for you.', private: true })
  const again = await ada.stream()
  await settle()
  const you = again.messages[0]?.data['you'] as { questions: Record<string, Record<string, unknown>>[] }
  assert.equal(you.questions[0]?.['answer']?.['answerId'], `a-${String(questionId)}`)
  assert.equal(you.questions[0]?.['instant']?.['text'], 'Two, for you.')
  await room.close()
})

test('the prompt for contact details is shown again after a reload while its question waits', async () => {
  const room = await liveRoom()
  const ada = await room.join()
  await ada.stream()
  await ada.post('control_run', { action: 'start' })
  await settle()
  await ada.post('ask_question', { text: 'How many bolts?', interrupt: true })
  await settle()
  const { questionId } = await ada.post('ask_question', { text: 'Write to me at maya@example.com.', private: true })
  const again = await ada.stream()
  await settle()
  const you = again.messages[0]?.data['you'] as { questions: Record<string, unknown>[] }
  const question = you.questions.find((one) => one['questionId'] === questionId) as { status: string; notice: { text: string } }
  assert.equal(question.status, 'queued')
  assert.match(question.notice.text, /Answer "yes" to send them/)
  await room.close()
})
