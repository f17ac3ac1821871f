// What happens in a run: the events of its log, in the shape in which a room's stream carries them, and the messages around them. What
// is stored is what is sent, so the stream, a late joiner, the transcript and the analytics are all reads of the same bytes.
import { z } from 'zod'
import { answerEnd, answerMode, answerOutcome, answerTrace, questionStatus, wish } from './answer.ts'
import { placeOnSlide, shownSlide } from './deck.ts'
import { ownAnswer, pollAnswer, pollResults, pollSoFar } from './poll.ts'

const index = z.int().min(0)
const epochMs = z.number().describe('Unix milliseconds.')

export const runStatus = z.enum(['lobby', 'presenting', 'answering', 'paused', 'handed_over', 'closing', 'completed', 'failed'])
export type RunStatus = z.output<typeof runStatus>

const actor = z.enum(['script', 'attendee', 'host', 'system'])
export type Actor = z.output<typeof actor>

/** What a host may do in a run. */
export const hostAction = z.enum([
  'start',
  'pause',
  'resume',
  'goto',
  'next',
  'previous',
  'hide_question',
  'approve_question',
  'merge_question',
  'answer_text',
  'say',
  'open_poll',
  'close_poll',
  'show_poll',
  'hide_word',
  'take_over',
  'hand_back',
  'end',
])

/** Why an attendee is there no more. */
export const leaveReason = z.enum(['left', 'disconnected', 'removed', 'ended'])
export type LeaveReason = z.output<typeof leaveReason>

/** What somebody shows without a word. */
export const reaction = z.enum(['agree', 'like', 'aha'])
export type Reaction = z.output<typeof reaction>
const reactions = z.strictObject({ agree: z.int(), like: z.int(), aha: z.int() }) satisfies z.ZodType<Record<Reaction, number>>

/** Of a talk, by who has heard it. */
export const rating = z.int().min(1).max(5)

/** A place in the talk: speech is taken up again at this clause of this beat. */
const place = z.strictObject({
  slideIndex: index,
  beatId: z.string(),
  clause: index,
  audioFromMs: z.number().exactOptional().describe('How far into its clip, where it was cut in one.'),
})
export type Place = z.output<typeof place>

/** A place in the public content. */
export const source = z.strictObject({ type: z.enum(['slide', 'knowledge']), id: z.string(), index })
export type Source = z.output<typeof source>

export const beatKind = z.enum(['opening', 'title', 'narration', 'bridge', 'cta', 'closing'])
export type BeatKind = z.output<typeof beatKind>

/** What is said in the server's voice. */
const clip = {
  audioUrl: z.string().exactOptional().describe("The sentence in the server's voice."),
  audioMs: z.number().exactOptional().describe('Its length at speed 1.'),
}
const audioFromMs = z.number().exactOptional().describe('Where in the clip to begin.')

/** The same, where there is one; taken up again where it was cut. */
export const saidClip = z.strictObject({ audioUrl: z.string(), audioMs: z.number(), audioFromMs: z.number().exactOptional() })
export type SaidClip = z.output<typeof saidClip>

const isPrivate = z.literal(true).exactOptional().describe('For its addressee alone.')
const ctaState = z.enum(['hidden', 'shown', 'clicked', 'dismissed'])
const sources = z.array(source).readonly()

/** What a call to action shows. */
export const cta = z.strictObject({
  text: z.string(),
  url: z.string(),
  kind: z.enum(['link', 'checkout']),
  host: z
    .string()
    .exactOptional()
    .describe('Where `url` is a page of this service that names the site to which the link leads: that site.'),
})

export type Cta = z.output<typeof cta>

const beat = {
  beatId: z.string(),
  slideIndex: index,
  index: index.describe('Among the beats of its slide.'),
  kind: beatKind,
}

/** What the room sees; a private one goes to its addressee alone. */
export const roomEvents = {
  slide: z
    .strictObject({
      slideId: z.string(),
      index,
      title: z.string(),
      text: z.string(),
      imageUrl: z.string().nullable(),
      reason: z.enum(['script', 'host', 'attendee', 'answer']),
    })
    .describe('A slide is shown.'),
  beat: z
    .strictObject({
      ...beat,
      phase: z.enum(['start', 'end', 'cut', 'unheard']),
      text: z.string().exactOptional().describe('On `start`.'),
      sources: sources.exactOptional(),
      ...placeOnSlide,
      estMs: z.number().exactOptional().describe('At the speed of the run.'),
      startedAt: epochMs.exactOptional(),
      clause: index.exactOptional().describe('The clause to start from, or in which it was cut.'),
      ...clip,
      audioFromMs,
      nextAudioUrl: z.string().exactOptional().describe('The clip of the sentence that is likely to come next.'),
      spokenChars: z.number().exactOptional().describe('On `end` and `cut`.'),
      spokenMs: z.number().exactOptional().describe('On `cut`: how far into its clip.'),
    })
    .describe('A sentence of the talk begins, ends, is cut or was heard by nobody.'),
  question: z
    .strictObject({
      questionId: z.string(),
      text: z.string(),
      by: z.strictObject({ attendeeId: z.string(), name: z.string().nullable() }),
      status: questionStatus,
      mergedInto: z.string().exactOptional(),
      votes: z.number(),
      ahead: z.number().describe('Questions before it.'),
      slideIndex: index,
      reason: z.enum(['words', 'link', 'length', 'flood', 'repeat']).exactOptional().describe('Why it was declined.'),
      private: isPrivate,
    })
    .describe('A question is asked, or something of it changes.'),
  answer: z
    .strictObject({
      answerId: z.string(),
      questionId: z.string(),
      phase: z.enum(['start', 'sentence', 'end', 'cut']),
      index: index.exactOptional().describe('On `sentence`: its place.'),
      text: z.string().exactOptional().describe('On `sentence` its text; on `end` and `cut` the whole.'),
      estMs: z.number().exactOptional().describe('On `sentence`, at the speed of the run.'),
      ...clip,
      citations: answerEnd.citations.exactOptional(),
      outcome: answerOutcome.exactOptional(),
      mode: answerMode.exactOptional(),
      confidence: answerEnd.confidence.exactOptional(),
      suggestedActions: answerEnd.suggestedActions.exactOptional(),
      private: isPrivate,
      instant: z.literal(true).exactOptional().describe('A copy for the asker alone, at once, while the question waits in a broadcast.'),
      notice: z
        .literal(true)
        .exactOptional()
        .describe('With `instant`: words of the service, such as whether contact details may be sent.'),
    })
    .describe('An answer begins, goes on by a sentence, ends or is cut.'),
  said: z
    .strictObject({
      saidId: z.string(),
      text: z.string().describe('Empty where nobody has put a recording into words.'),
      estMs: z.number(),
      ...clip,
    })
    .describe('The host speaks while the presenter is silent: typed words, or a recording of their voice. Each follows the one before it.'),
  cta: z
    .strictObject({ ...cta.shape, state: ctaState, rule: z.string().nullable(), private: isPrivate })
    .describe('The call to action is shown, hidden, clicked or dismissed.'),
  poll: pollSoFar
    .extend({ by: actor, beatId: z.string().exactOptional().describe('The sentence that asks, where the script does.') })
    .describe('A poll opens, closes, or its results are shown.'),
  state: z
    .strictObject({
      status: runStatus,
      previous: runStatus,
      by: actor,
      reason: z.string().exactOptional(),
      resumeAt: place.nullable().exactOptional(),
      returnTo: runStatus.exactOptional().describe('Where `answering` or `paused` returns to.'),
      speed: z.number().exactOptional(),
      brief: z.boolean().exactOptional().describe('From here on the first statement of each slide alone is said, or everything again.'),
      windowUntil: epochMs.exactOptional().describe('The question window of `closing` is open until then.'),
      startsAt: epochMs.nullable().exactOptional().describe('Of a lobby whose time was changed: null where no time is set any more.'),
    })
    .describe('The talk is in another state, or something of its state changes.'),
  closed: z
    .strictObject({ reason: z.enum(['completed', 'ended', 'left', 'deleted', 'superseded', 'revoked']) })
    .describe('The stream is over.'),
} as const

/** What its host sees beside. */
export const hostEvents = {
  audit: z
    .strictObject({
      action: hostAction,
      by: z.string(),
      slideIndex: index.exactOptional(),
      questionId: z.string().exactOptional(),
      pollId: z.string().exactOptional(),
    })
    .describe('Who of the hosts did what.'),
  intent: z
    .strictObject({ attendeeId: z.string(), signal: z.enum(['hand_raised', 'hand_lowered', 'high_intent', 'unanswered']) })
    .describe('A hand, a sign of interest, a question without an answer.'),
  trace: z
    .strictObject({ answerId: z.string(), ...answerEnd, ...wish, trace: answerTrace.exactOptional() })
    .describe('How an answer came about; no more sentences of it will come.'),
} as const

/** For the log alone. */
const logEvents = {
  visit: z
    .strictObject({
      attendeeId: z.string(),
      visit: z.number(),
      phase: z.enum(['opened', 'closed']),
      name: z.string().nullable(),
      kind: z.enum(['human', 'agent']),
      since: epochMs.describe('When the last stream closed.'),
      reason: leaveReason.exactOptional(),
    })
    .describe('An attendee came or went.'),
  heard: z
    .strictObject({ answerId: z.string(), index, acked: z.boolean() })
    .describe('A sentence of an answer was heard, by acknowledgement or because its time was over.'),
  vote: z.strictObject({ questionId: z.string(), attendeeId: z.string(), value: z.literal([0, 1]) }),
  poll_answer: z
    .strictObject({ pollId: z.string(), attendeeId: z.string(), ...pollAnswer })
    .describe('A later one of the same attendee takes its place.'),
  poll_word: z.strictObject({ pollId: z.string(), word: z.string() }).describe('The host has hidden a word that was given.'),
  reaction: z.strictObject({ attendeeId: z.string(), reaction }),
  rating: z.strictObject({ attendeeId: z.string(), rating }).describe('A later one of the same attendee takes its place.'),
  lead: z.strictObject({ leadId: z.string(), attendeeId: z.string() }).describe('Contact details were taken in this run.'),
  erased: z
    .strictObject({ attendeeId: z.string() })
    .describe('The name of this attendee was erased, from the log so far and from everything that comes.'),
  host: z
    .strictObject({ present: z.boolean(), node: z.string().exactOptional() })
    .describe('The first stream of a host opened in a process, or the last one closed.'),
} as const

export const runEvents = { ...roomEvents, ...hostEvents, ...logEvents }
export type RunEventType = keyof typeof runEvents
export const isSentType = (type: string): boolean => !(type in logEvents)

export type EventData<Type extends RunEventType> = z.output<(typeof runEvents)[Type]>
export type RunEventBody = { [Type in RunEventType]: { type: Type; data: EventData<Type> } }[RunEventType]
export type NewRunEvent = RunEventBody & {
  /** `room`: everybody in the run; `host`: its owner; `log`: nobody; anything else is the id of the one attendee who sees it. */
  audience: string
}
/** An event in its place. `prev` is the `seq` of the room event before it; only room events have one. */
export type RunEvent = NewRunEvent & { seq: number; epoch: number; at: number; prev?: number }

const answerSoFar = z.strictObject({
  answerId: z.string(),
  outcome: answerOutcome.nullable(),
  mode: answerMode.exactOptional(),
  text: z.string().exactOptional().describe('Of one that has ended.'),
  sentences: z
    .array(
      z.strictObject({
        index,
        text: z.string(),
        estMs: z.number(),
        ...clip,
        audioFromMs,
        citations: answerEnd.citations,
      }),
    )
    .readonly()
    .exactOptional()
    .describe('Of one that is being given.'),
  citations: answerEnd.citations,
  suggestedActions: answerEnd.suggestedActions.exactOptional(),
})
export const questionSoFar = roomEvents.question.omit({ reason: true }).extend({ answer: answerSoFar.nullable() })
const questions = z.array(questionSoFar).readonly()

const presence = z
  .strictObject({
    count: z.number(),
    hands: z.number().describe('How many are up.'),
    raised: z.array(z.string()).readonly().exactOptional().describe('In a snapshot for a host: whose, by `attendeeId`.'),
    reactions: reactions.describe('So far.'),
    people: z.array(z.string()).max(5).readonly().describe('Of a broadcast: the first letters of some who are here and gave a name.'),
    poll: z
      .strictObject({ pollId: z.string(), ...pollResults })
      .exactOptional()
      .describe('Of one that is open: how many have answered, and the results where the room may see them, or a host looks.'),
  })
  .describe('Who is in the room.')

const you = z.strictObject({
  attendeeId: z.string().nullable(),
  name: z.string().nullable(),
  questions: z
    .array(
      questionSoFar.extend({
        instant: answerSoFar.exactOptional().describe('Words for its asker alone, beside the answer.'),
        notice: answerSoFar.exactOptional().describe('Words of the service, which stay when the answer comes.'),
      }),
    )
    .readonly(),
  cta: ctaState.nullable(),
  lead: z.strictObject({ consentText: z.string().nullable() }).nullable().describe('The host has details of this attendee.'),
  handRaised: z.boolean().exactOptional(),
  rating: rating.exactOptional(),
  polls: z.array(ownAnswer).readonly().exactOptional().describe('What this attendee has answered.'),
  recapUrl: z.string().exactOptional(),
  allowed: z.array(z.string()).readonly(),
})

/** The first message of a stream: the whole room, or what may have changed beside the events that follow. */
export const snapshot = z
  .discriminatedUnion('resumed', [
    z.strictObject({
      resumed: z.literal(false),
      seq: z.int(),
      at: epochMs,
      run: z.strictObject({
        id: z.string(),
        kind: z.enum(['live', 'rehearsal']),
        mode: z.enum(['isolated', 'broadcast']),
        status: runStatus,
        language: z.string(),
        startedAt: epochMs.nullable(),
        speed: z.number(),
        windowUntil: epochMs.exactOptional(),
        startsAt: epochMs.nullable().exactOptional(),
        pausedBy: actor.exactOptional(),
      }),
      session: z.strictObject({ title: z.string(), slug: z.string(), disclosure: z.string() }),
      deckVersion: z.number(),
      position: z
        .strictObject({
          slideIndex: index,
          slideId: z.string().nullable(),
          beat: roomEvents.beat.nullable(),
        })
        .nullable(),
      recap: z
        .array(z.strictObject({ slideIndex: index, title: z.string(), line: z.string() }))
        .readonly()
        .describe('One line for each slide that is over.'),
      captions: z
        .array(z.strictObject({ beatId: z.string(), slideIndex: index, text: z.string(), at: epochMs, phase: z.enum(['start', 'end']) }))
        .readonly(),
      questions,
      polls: z.array(pollSoFar).readonly().exactOptional().describe('Those that were opened, in their order; absent where none was.'),
      cta: cta.extend({ state: ctaState }).nullable(),
      presence,
      you,
      slides: z.array(shownSlide).readonly(),
    }),
    z.strictObject({ resumed: z.literal(true), at: epochMs, presence, you }),
  ])
  .describe(
    'The first message: the whole room, or, where a stream goes on from a cursor, what may have changed beside the events that follow.',
  )
export type Snapshot = z.output<typeof snapshot>

/** What the stream adds to an event of the log. */
const ordered = { seq: z.int(), at: epochMs, prev: z.int().exactOptional().describe('The `seq` of the room event before it.') }
const inPlace = <Shape extends z.ZodRawShape>(event: z.ZodObject<Shape, z.core.$strict>) => event.extend(ordered)

/** Every message of a stream, by the name of its event. */
export const streamMessages = {
  snapshot,
  slide: inPlace(roomEvents.slide),
  beat: inPlace(roomEvents.beat),
  question: inPlace(roomEvents.question),
  answer: inPlace(roomEvents.answer),
  said: inPlace(roomEvents.said),
  cta: inPlace(roomEvents.cta),
  poll: inPlace(roomEvents.poll),
  state: inPlace(roomEvents.state),
  presence,
  // Whoever comes after the end, or was replaced by another stream of the same attendee, is told so beside the log.
  closed: z.union([inPlace(roomEvents.closed), roomEvents.closed]),
  audit: inPlace(hostEvents.audit),
  intent: inPlace(hostEvents.intent),
  trace: inPlace(hostEvents.trace),
} as const satisfies Record<'snapshot' | 'presence' | keyof typeof roomEvents | keyof typeof hostEvents, z.ZodType>

type MessageName = keyof typeof streamMessages
export type StreamMessage = {
  [Name in MessageName]: { event: Name; id?: string | undefined; data: z.output<(typeof streamMessages)[Name]> }
}[MessageName]
