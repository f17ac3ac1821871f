// Bodies by hand, for operations that a body drawn from the schema alone seldom gets through.
import type { Random } from '../sim/random.ts'
import { oneOf, under, uuidOf } from '../sim/random.ts'

export interface Given {
  random: Random
  known(name: string): string | undefined
  url: string
}

const someSlides = Array.from({ length: 4 }, (_each, n) => ({
  textContent: `Part ${n}\n- A battery shifts the evening peak by ${n} hours\n- It costs ${n}12 EUR`,
  agentNotes: 'Smile.',
}))

const questions = ['What is the price?', 'What does it cost?', 'Is there a warranty?', 'My mail is ann@example.com', 'yes']
const attendeeActs = [
  'start',
  'pause',
  'resume',
  'next',
  'previous',
  'repeat',
  'skip_answer',
  'raise_hand',
  'lower_hand',
  'react',
  'rate',
  'finish',
]
const hostActs = [
  'start',
  'pause',
  'resume',
  'next',
  'previous',
  'approve_question',
  'merge_question',
  'hide_question',
  'answer_text',
  'say',
  'take_over',
  'hand_back',
  'end',
]
const changes = [
  { title: 'Grid storage II' },
  { mode: 'broadcast' },
  { mode: 'isolated' },
  { isLive: true },
  { isLive: true, title: 'Grid storage III' },
  { isLive: false },
  { language: 'de' },
  { moderation: 'manual' },
  { targetSeconds: 60 },
  { minutesMax: 1_000 },
]

const someEmail = (random: Random) => oneOf(random, ['ann@example.com', 'ben@example.com'])

/** By the name of the operation. */
export const goodBodies: Readonly<Record<string, (given: Given) => unknown>> = {
  create_session: ({ random }) => ({
    title: 'Grid storage',
    isLive: random() < 0.8,
    mode: oneOf(random, ['isolated', 'broadcast']),
    slides: someSlides,
    knowledgeBase: [{ content: 'The warranty is ten years.' }],
    tags: ['grid'],
    ctaText: 'Book a visit',
    ctaUrl: 'https://example.com/visit',
  }),
  update_session: ({ random }) => oneOf(random, changes),
  put_deck: ({ random }) => ({ slides: random() < 0.5 ? someSlides.slice(under(random, 4)) : someSlides.toReversed() }),
  update_slide: ({ random }) => oneOf(random, [{ textContent: 'Changed\n- By hand' }, { index: 0 }, { title: 'Renamed' }]),
  put_knowledge: ({ random }) => ({ passages: [{ title: 'W', content: `The warranty is ${under(random, 9)} years.` }] }),
  update_beat: ({ random }) => ({ text: random() < 0.2 ? null : `It is said otherwise, in way ${under(random, 9)}.` }),
  correct_translation: ({ random }) => ({ language: 'de', original: 'Grid storage', text: random() < 0.2 ? null : 'Netzspeicher' }),
  join_room: ({ random }) => ({ name: 'Ann', ...(random() < 0.3 && { id: uuidOf(random) }) }),
  ask_question: ({ random }) => ({ id: uuidOf(random), text: oneOf(random, questions), interrupt: random() < 0.2 }),
  vote_question: ({ random, known }) => ({
    id: uuidOf(random),
    questionId: known('questionId') ?? uuidOf(random),
    value: under(random, 2),
  }),
  answer_poll: ({ random, known }) => ({
    id: uuidOf(random),
    pollId: known('pollId') ?? 'p1',
    ...oneOf(random, [{ choice: 0 }, { rating: 4 }, { word: 'Bolts' }, { skip: true }]),
  }),
  control_run: ({ random }) => ({ id: uuidOf(random), action: oneOf(random, attendeeActs) }),
  host_run: ({ random, known }) => {
    const questionId = known('questionId')
    return { id: uuidOf(random), action: oneOf(random, hostActs), text: 'So it is.', ...(questionId !== undefined && { questionId }) }
  },
  acknowledge_beats: ({ random, known }) => ({ id: uuidOf(random), acks: [{ beatId: known('beatId') ?? 'x', phase: 'ended' }] }),
  act_on_cta: ({ random }) => ({ id: uuidOf(random), action: oneOf(random, ['click', 'dismiss']) }),
  leave_contact_details: ({ random }) => ({ id: uuidOf(random), email: someEmail(random), consent: true }),
  leave_room: ({ random }) => ({ id: uuidOf(random) }),
  pap_query_presenter: ({ random, known }) => ({ message: oneOf(random, questions), sessionId: known('sessionId') ?? uuidOf(random) }),
  submit_attendee_lead: ({ random, known }) => ({
    sessionId: known('sessionId') ?? uuidOf(random),
    email: someEmail(random),
    consent: true,
  }),
  start_rehearsal: ({ random }) => (random() < 0.5 ? {} : { audience: { questions: 2, speed: 1_000 } }),
  create_webhook: ({ url }) => ({ url, event_types: ['session.created', 'attendee.joined', 'lead.captured'] }),
  update_webhook: ({ random }) => ({ description: `Hook ${under(random, 9)}` }),
  rotate_webhook_secret: () => ({}),
  recover_webhook: () => ({ since: '2026-11-20T00:00:00Z' }),
  register_agent: () => ({ client_name: 'Copilot', identity_type: 'anonymous' }),
  revoke_credential: ({ known }) => ({ token: known('access_token') ?? 'nonsense' }),
  create_key: () => ({ name: 'CI' }),
  set_password: ({ random }) => ({ newPassword: `a quiet orange paper boat ${under(random, 9)}` }),
  create_invitation: ({ random }) => ({ email: someEmail(random), role: 'member' }),
}

/** Called as often again as others: what they make or change is what the others meet at. */
export const busy: readonly string[] = [
  ...Object.keys(goodBodies),
  'put_deck',
  'update_slide',
  'delete_slide',
  'get_deck',
  'get_deck',
  'get_script',
  'get_script',
  'update_beat',
  'mend_script',
  'join_room',
  'join_room',
  'ask_question',
  'control_run',
  'host_run',
  'duplicate_session',
  'publish_session',
  'delete_lead',
]
