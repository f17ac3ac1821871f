// What people do in a simulated room, at random: attendees listen, stop the voice, ask, vote, click and leave; the host leads.
import type { AnswerPort } from '../../../server/runs/answers.ts'
import type { ManualClock } from '../clock.ts'
import { quotingAnswers } from '../live.ts'
import type { Random } from './random.ts'
import { oneOf, under } from './random.ts'
import type { SimClient, Utterance } from './sim-client.ts'
import type { SimWorld } from './sim-world.ts'

const texts = [
  'How many bolts has the part?',
  'How many bolts does the part have?',
  'What does it cost?',
  'An unknown thing, please?',
  'Who fits it, and when?',
  'Slower, please.',
  'Write to me at maya@example.com.',
  'Rather to maya@example.org.',
  'yes',
  'See www.example.com now.',
]

/** Answers that take their time, and now and then never come or fail. */
export function simAnswers(random: Random, clock: ManualClock): AnswerPort {
  return {
    async *answer(request) {
      const luck = random()
      if (luck < 0.5) await new Promise<void>((resolve) => void clock.after(Math.floor(random() * 3_000), resolve))
      if (luck < 0.03) await new Promise<void>((resolve) => request.signal.addEventListener('abort', () => resolve(), { once: true }))
      if (luck > 0.97) throw new Error('The model failed.')
      for await (const part of quotingAnswers.answer(request)) {
        const isPace = part.type === 'end' && request.question.startsWith('Slower')
        yield isPace ? { ...part, control: { action: 'slower' } } : part
      }
    },
  }
}

/** The attendee of an isolated talk says what they hear: to its end, only in part, or not at all. */
export function listen(world: SimWorld, client: SimClient, { id, length }: Utterance): void {
  const { random, clock } = world
  const later = (ms: number, phase: 'started' | 'ended' | 'cut', chars?: number) =>
    void clock.after(ms, () => {
      if (world.isOver || client.isGone) return
      const heard = phase === 'ended' ? Infinity : (chars ?? 0)
      if (phase !== 'started') client.heard.set(id, Math.max(client.heard.get(id) ?? 0, heard))
      const ack = { beatId: id, phase, ...(chars === undefined ? {} : { chars }) }
      world.post(client.attendee.principal, client.attendee.runId, 'acknowledge_beats', { acks: [ack] })
    })
  const luck = random()
  const soon = under(random, 1_500)
  if (luck < 0.08) return
  if (luck < 0.25 && !id.includes(':')) {
    later(soon, 'cut', under(random, length + 1))
    if (random() < 0.7) later(soon + 200 + under(random, 4_000), 'started', 0)
    return
  }
  if (luck < 0.4) later(under(random, 300), 'started', 0)
  later(soon, 'ended')
}

export function actAsAttendee(world: SimWorld, client: SimClient): void {
  const { random, mode } = world
  const { principal, runId } = client.attendee
  const post = (name: string, body: Record<string, unknown>) => void world.post(principal, runId, name, body)
  const { status, questions } = client.state
  if (client.hasStarted && random() < 0.03)
    post('ask_question', { text: oneOf(random, texts), interrupt: random() < 0.5, private: random() < 0.15, seen: client.state.cursor })
  if (client.prompts.size > 0 && random() < 0.01) post('ask_question', { text: 'yes', seen: client.state.cursor })
  if (random() < 0.03)
    post('vote_question', { questionId: questions.length === 0 ? runId : oneOf(random, questions).questionId, value: under(random, 2) })
  if (random() < 0.02) post('act_on_cta', { action: oneOf(random, ['click', 'dismiss']) })
  if (random() < 0.01) post('control_run', { action: oneOf(random, ['raise_hand', 'lower_hand']) })
  if (random() < 0.003) post('leave_contact_details', { email: 'maya@example.com', consent: true })
  if (random() < 0.002) post('leave_room', {})
  if (random() < 0.001) client.isGone = true
  if (world.hasPolls) answerPolls(world, client)
  if (mode === 'broadcast') return
  if (status === 'lobby' && random() < 0.3) post('control_run', { action: 'start' })
  if (status === 'paused' && random() < 0.1) post('control_run', { action: 'resume' })
  if (status === 'closing' && random() < 0.01) post('control_run', { action: 'finish' })
  if (random() < 0.02) post('control_run', { action: oneOf(random, ['pause', 'resume', 'skip_answer']) })
  if (random() < 0.01) post('control_run', { action: 'speed', speed: oneOf(random, [0.75, 1, 1.5, 2]) })
  if (world.hasMoves && random() < 0.02) post('control_run', moveOf(random))
}

const given = ['Bolts', 'bolts', 'STEEL', 'steel', 'Rust', 'a nut']

/** What their page asks them, soon; one that is closed or not theirs to answer now and then, and in another form than it asks for. */
function answerPolls({ random, post, mode }: SimWorld, { attendee: { principal, runId }, state: { polls } }: SimClient): void {
  const asked = polls.findLast(({ open }) => open || random() < 0.02)
  if (asked === undefined || random() >= 0.08) return
  const { pollId, kind } = asked
  const answer = kind === 'words' ? { word: oneOf(random, given) } : { choice: under(random, 3) }
  const isSkipped = random() < (mode === 'isolated' ? 0.2 : 0.02)
  post(principal, runId, 'answer_poll', { pollId, ...(isSkipped ? { skip: true } : random() < 0.03 ? { rating: 3 } : answer) })
}

function leadPolls({ random, post, host, mode }: SimWorld, runId: string): void {
  if (random() >= (mode === 'broadcast' ? 0.03 : 0.006)) return
  const action = oneOf(random, ['open_poll', 'open_poll', 'close_poll', 'show_poll', 'hide_word'])
  const pollId = action === 'hide_word' ? 'words' : oneOf(random, ['quiz', 'words'])
  post(host, runId, 'host_run', { action, pollId, ...(action === 'hide_word' && { word: oneOf(random, given) }) })
}

const moveOf = (random: Random) => ({ action: oneOf(random, ['next', 'previous', 'repeat', 'goto']), slideIndex: under(random, 3) })

export function actAsHost(world: SimWorld, runId: string): void {
  const { random, mode } = world
  const post = (body: Record<string, unknown>) => void world.post(world.host, runId, 'host_run', body)
  const asked = world.acts.filter((act) => act.runId === runId && act.name === 'ask_question')
  if (asked.length > 0 && random() < 0.03) {
    const questionId = oneOf(random, asked).id
    const action = oneOf(random, ['hide_question', 'approve_question', 'approve_question', 'answer_text'])
    post({ action, questionId, ...(action === 'answer_text' ? { text: 'It takes two bolts.', private: random() < 0.3 } : {}) })
  }
  const busy = mode === 'broadcast' ? 0.02 : 0.004
  if (random() < busy) post({ action: oneOf(random, ['start', 'pause', 'resume', 'resume']) })
  if (random() < busy / 2) post({ action: oneOf(random, ['take_over', 'hand_back', 'hand_back']) })
  if (random() < busy / 2) post({ action: 'say', text: 'Good morning. This is me.' })
  if (world.hasMoves && random() < busy) post(random() < 0.2 ? { action: 'hand_back', slideIndex: 1 } : moveOf(random))
  if (world.hasPolls) leadPolls(world, runId)
  if (random() < 0.0005) post({ action: 'end' })
}

/** Whatever has come to a stand goes on, so that every talk finds its end. */
export function windDown(world: SimWorld, runId: string, isLate: boolean): void {
  const { random } = world
  if (random() < 0.1) world.post(world.host, runId, 'host_run', { action: oneOf(random, ['start', 'resume', 'hand_back']) })
  if (isLate && random() < 0.1) world.post(world.host, runId, 'host_run', { action: 'end' })
}
