import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeTarget, moderate } from './questions.ts'
import { emptyRegister, initialState, type Question, type RunState } from '../run-state.ts'

function waiting(...texts: string[]): RunState {
  let questions: RunState['questions'] = emptyRegister()
  texts.forEach((text, index) => {
    const fresh = {
      status: 'queued',
      mergedInto: null,
      votes: 0,
      voters: [],
      isPrivate: false,
      answer: null,
      instant: null,
      notice: null,
    } as const
    const question: Question = {
      id: `q${index}`,
      text,
      attendeeId: `a${index}`,
      name: null,
      slideIndex: 0,
      askedAt: 0,
      order: index,
      ...fresh,
    }
    questions = questions.put(question.id, question)
  })
  return { ...initialState(0), questions, waiting: texts.map((_, index) => `q${index}`) }
}

test('questions of the same words are one, whatever their order and case', () => {
  const state = waiting('How many bolts does the frame have?', 'Is it 1.4 kg?')
  assert.equal(mergeTarget('The frame, how many BOLTS does have', state)?.id, 'q0')
  for (const other of ['How many bolts does the box have?', 'Is it 14 kg?', '?']) assert.equal(mergeTarget(other, state), null, other)
})

test('who knows the content of the talk may find that two questions are one', () => {
  const state = waiting('How heavy is the frame?')
  const isSame = (a: string, b: string) => a.includes('weigh') && b.includes('heavy')
  assert.equal(mergeTarget('What does the frame weigh?', state, isSame)?.id, 'q0')
  assert.equal(mergeTarget('How long is the frame?', state, isSame), null)
})

test('abuse, links, length, floods and repeats are declined, with the reason', () => {
  const state = waiting('How heavy is the frame?')
  const verdict = (text: string, attendeeId = 'x') => moderate({ text, attendeeId }, state, 0)
  assert.deepEqual(verdict('What the fuuuck is this'), { accepted: false, reason: 'words' })
  assert.deepEqual(verdict('See https://spam.example/x'), { accepted: false, reason: 'link' })
  assert.deepEqual(verdict('a'.repeat(601)), { accepted: false, reason: 'length' })
  assert.deepEqual(verdict('how heavy is the frame', 'a0'), { accepted: false, reason: 'repeat' })
  for (const fine of ['Is Scunthorpe covered?', 'What is the assessment?', 'Do you ship by e.g. rail?', 'Is it v2.0?']) {
    assert.deepEqual(verdict(fine), { accepted: true }, fine)
  }
})
