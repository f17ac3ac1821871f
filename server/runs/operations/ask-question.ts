// A question to the presenter: cleaned, freed of contact details, then queued, merged, held for the host or answered at once.
import { z } from 'zod'
import { agrees } from '@rostrum/answers/intents'
import { fill, languageOf } from '@rostrum/languages/languages'
import { knownBy, limits, uuid, words } from '@rostrum/contract/fields'
import { attendeeOnly, changes, operation } from '../../platform/operation.ts'
import { invalidInput } from '../../platform/parse.ts'
import type { AttendeePrincipal } from '../../platform/principal.ts'
import { questionSoFar } from '@rostrum/contract/room'
import { ServiceError } from '@rostrum/base/errors'
import { askRun, findCommand, parseCursor } from '../log/run-log.ts'
import { cleanText, getAttendee, requireOwnRun, withoutContacts } from '../attendees.ts'
import { answerIdOf } from '@rostrum/stage/decide/questions'
import type { AgreedContact, OfferedContact } from '../room/contact-offers.ts'
import { consentNow, keepLead } from './contact-details.ts'
import type { RoomDeps } from '../room/deps.ts'
import { questionView } from '../stream/snapshot.ts'
import { advance } from './stream-run.ts'

/** The contact that this very "yes" is about; a repeat finds what the first did. */
async function agreedTo(
  id: string,
  seen: number,
  principal: AttendeePrincipal,
  { store, offers }: RoomDeps,
): Promise<AgreedContact | null> {
  const before = await findCommand(store.read, principal.runId, id)
  return before?.kind === 'questions' ? null : offers.take(principal, id, seen)
}

const tellPrefix = 'tell-'
const tellId = (id: string): string => `${tellPrefix}${id}`

/** Asks, to the asker alone, whether the host may have what they typed. */
async function offer(contact: OfferedContact, id: string, { sessionId, attendeeId, runId }: AttendeePrincipal, deps: RoomDeps) {
  const { language, ...consent } = await consentNow(sessionId, deps)
  await deps.offers.hold(attendeeId, tellId(id), contact, consent)
  const text = fill(languageOf(language).asides.contactKept, { consent: consent.text })
  await askRun(deps.runs, runId, { kind: 'tell', id: tellId(id), questionId: id, attendeeId, text, offersForm: true })
}

/** The prompt has had its answer, so this takes its place. */
async function agreed({ promptId, contact, consent }: AgreedContact, id: string, principal: AttendeePrincipal, deps: RoomDeps) {
  const { leadId, words: text } = await keepLead(deps, principal, contact, { source: 'conversation', consent, id })
  const { attendeeId, runId } = principal
  const questionId = promptId.slice(tellPrefix.length)
  await askRun(deps.runs, runId, { kind: 'tell', id: tellId(id), questionId, attendeeId, text, offersForm: false })
  return { questionId: id, status: 'answered', ahead: 0, leadId }
}

const patienceMs = 10_000

/** Of a talk that is over: the question with its answer, as no stream will tell it. Null of one that is under way. */
async function inWriting(id: string, runId: string, { hub, clock }: RoomDeps, signal: AbortSignal) {
  const tail = await hub.open(runId)
  if (tail === null) return null
  try {
    // Another process may present the run.
    if (tail.state.questions.get(id) === undefined) await tail.advance()
    const until = clock.now() + patienceMs
    for (;;) {
      const { state } = tail
      const question = state.questions.get(id)
      // Asked while the talk was on, it was answered there, and its repeat has the answer of the first time.
      if (!state.closed || question === undefined || question.askedAt < (state.endedAt ?? 0)) return null
      if (question.answer?.answerId === answerIdOf(id)) return null
      if (question.status !== 'answering') return questionView(question, state)
      if (signal.aborted || clock.now() >= until)
        throw new ServiceError('temporarily_unavailable', 'The answer takes long. Ask again with the same id.', {
          headers: { 'Retry-After': '2' },
        })
      await advance(tail, until - clock.now(), { clock }, signal)
    }
  } finally {
    tail.release()
  }
}

/** Long enough for a sentence, and nobody waits longer to have asked. */
const translationMs = 6_000

async function inTheTalksWords(
  text: string,
  from: string | undefined,
  { sessionId }: AttendeePrincipal,
  deps: RoomDeps,
  signal: AbortSignal,
) {
  if (from === undefined || text === '' || deps.translations === undefined) return text
  const session = await deps.content.getSession(sessionId)
  if (session === null || from === session.language || !session.listenerLanguages.includes(from)) return text
  const soon = AbortSignal.any([signal, AbortSignal.timeout(translationMs)])
  const found = await deps.translations.now(sessionId, { from, to: session.language }, [text], soon)
  return found.get(text) ?? text
}

const output = z.object({
  questionId: z.string(),
  status: z.string(),
  ahead: z.number(),
  mergedInto: z.string().optional(),
  contactsRemoved: z.boolean().optional(),
  leadId: z.string().optional(),
  question: questionSoFar.optional().describe('Of an isolated talk that is over: the question with its answer, to the asker alone.'),
})

export const askQuestion = operation({
  name: 'ask_question',
  summary: 'Ask the presenter',
  description:
    'E-mail addresses and telephone numbers are cut from the text; `contactsRemoved` then says so, and the presenter asks in private whether the host may have them, while the talk is on. An isolated talk answers after its end too: in writing, as `question`.',
  access: attendeeOnly,
  effects: changes,
  limit: 'questions',
  errors: ['run_state', 'temporarily_unavailable'],
  input: z.object({
    runId: knownBy,
    id: uuid.describe('Made by the client; a repeat answers as the first time.'),
    text: words(limits.message),
    interrupt: z.boolean().default(false).describe('Stop the sentence that is being said. Isolated talks only.'),
    private: z.boolean().default(false).describe('Answered to the asker alone.'),
    slideIndex: z.int().min(0).max(limits.slides).optional(),
    language: z
      .string()
      .max(35)
      .optional()
      .describe('One of `listenerLanguages`, where it is asked in that: it is put into the language of the talk.'),
    seen: z
      .string()
      .max(60)
      .nullable()
      .describe('The id of the last event that was shown when the person sent this. A "yes" agrees only to a prompt that was.')
      .optional(),
  }),
  run: async (asked, { principal, signal }, deps: RoomDeps) => {
    requireOwnRun(principal, asked.runId)
    const id = asked.id
    const { text: written, found, email, phone } = withoutContacts(cleanText(asked.text))
    const text = await inTheTalksWords(written, asked.language, principal, deps, signal)
    if (text === '') throw invalidInput([{ pointer: '#/text', detail: 'must not be empty.' }])
    const seen = parseCursor(asked.seen ?? undefined)
    const offered = agrees(text) && seen !== null ? await agreedTo(id, seen.seq, principal, deps) : null
    if (offered !== null) return agreed(offered, id, principal, deps)
    const { name } = await getAttendee(deps.store.read, principal.attendeeId)
    const answer = await askRun(deps.runs, principal.runId, {
      kind: 'questions',
      id,
      attendeeId: principal.attendeeId,
      text,
      name,
      interrupt: asked.interrupt,
      isPrivate: asked.private,
      slideIndex: asked.slideIndex ?? null,
    })
    const question = answer['status'] === 'answering' ? await inWriting(id, principal.runId, deps, signal) : null
    // Nobody is there any more who would ask for them.
    if (question !== null) return { ...answer, status: question.status, question, ...(found && { contactsRemoved: true }) }
    if (email !== null) await offer({ email, ...(phone === null ? {} : { phone }) }, id, principal, deps)
    return found ? { ...answer, contactsRemoved: true } : answer
  },
  http: { method: 'POST', path: '/api/v1/runs/{runId}/questions', output },
})
