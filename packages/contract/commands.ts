// What people in a room, and its host, ask of a run. What an operation takes of a command and what the owner of the run is handed are one
// shape. Every command has an id made by the caller, so a repeat is answered as the first time.
import type { ErrorCode } from '@rostrum/base/errors'
import { z } from 'zod'
import { limits, uuid, words } from './fields.ts'
import { pollAnswer, pollLimits } from './poll.ts'
import { hostAction, leaveReason, rating, reaction, saidClip } from './room.ts'

export const attendeeAction = z.enum([
  'start',
  'pause',
  'resume',
  'next',
  'previous',
  'goto',
  'repeat',
  'speed',
  'skip_answer',
  'finish',
  'raise_hand',
  'lower_hand',
  'react',
  'rate',
])
export type AttendeeAction = z.output<typeof attendeeAction>
/** What an attendee of a broadcast may do: the talk belongs to the room. */
export const broadcastActions: readonly AttendeeAction[] = ['raise_hand', 'lower_hand', 'react', 'rate', 'finish']

const ack = z.object({
  beatId: z.string().min(1).max(200).describe('Of a beat, or `<answerId>:<index>` of a sentence of an answer.'),
  phase: z.enum(['started', 'ended', 'cut']),
  chars: z.int().min(0).max(100_000).describe('How many characters were said.').exactOptional(),
  ms: z.int().min(0).max(3_600_000).describe('How far into its clip, at speed 1: the clip goes on there.').exactOptional(),
})
export type Ack = z.output<typeof ack>

const slideIndex = z.int().min(0).max(limits.slides)

/** What an attendee says of them. */
export const asked = {
  acks: { acks: z.array(ack).min(1).max(50) },
  control: {
    action: attendeeAction,
    slideIndex: slideIndex.describe('For `goto`, from 0.').exactOptional(),
    speed: z.number().min(0.75).max(2).describe('For `speed`.').exactOptional(),
    reaction: reaction
      .describe('For `react`: everybody sees how many there were, nobody whose. One every two seconds counts.')
      .exactOptional(),
    rating: rating.describe('For `rate`: how good the talk was, also once it is over. The host sees the mean.').exactOptional(),
  },
  cta: { action: z.enum(['click', 'dismiss']) },
  votes: { questionId: uuid, value: z.literal([0, 1]) },
  polls: {
    pollId: z.string().min(1).max(60).describe('Of event `poll`.'),
    ...pollAnswer,
    skip: z.literal(true).describe('Of an isolated talk: it goes on without an answer.').exactOptional(),
  },
  /** Its host. */
  host: {
    action: hostAction,
    slideIndex: slideIndex.describe('For `goto` and `hand_back`, from 0.').exactOptional(),
    questionId: uuid.describe('For `hide_question`, `approve_question`, `merge_question` and `answer_text`.').exactOptional(),
    intoId: uuid.describe('For `merge_question`: the waiting question that it is joined with.').exactOptional(),
    pollId: z
      .string()
      .min(1)
      .max(60)
      .describe('For `open_poll`, `close_poll`, `show_poll` and `hide_word`: a poll of the script.')
      .exactOptional(),
    word: words(pollLimits.word).describe('For `hide_word`: as the results have it.').exactOptional(),
    text: words(limits.message)
      .describe('For `answer_text` and `say`: said by the presenter, in the name of the host. `say` is for a presenter that is silent.')
      .exactOptional(),
    private: z.boolean().describe('`answer_text` to the asker alone.').exactOptional(),
  },
} as const

const byAttendee = { id: z.string(), attendeeId: z.string() }
const byNobody = { id: z.string(), attendeeId: z.null() }
const said = z.object({ text: z.string(), clip: saidClip.exactOptional() })
const name = z.string().nullable()

export const roomCommand = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('questions'),
    ...byAttendee,
    text: z.string(),
    name,
    interrupt: z.boolean(),
    isPrivate: z.boolean(),
    slideIndex: slideIndex.nullable(),
  }),
  z.object({ kind: z.literal('acks'), ...byAttendee, ...asked.acks }),
  z.object({ kind: z.literal('control'), ...byAttendee, ...asked.control }),
  z.object({ kind: z.literal('cta'), ...byAttendee, ...asked.cta }),
  z.object({ kind: z.literal('votes'), ...byAttendee, ...asked.votes }),
  z.object({ kind: z.literal('polls'), ...byAttendee, ...asked.polls }),
  z.object({ kind: z.literal('lead'), ...byAttendee, leadId: z.string() }),
  // A private word of the presenter to one attendee, beside their question.
  z.object({ kind: z.literal('tell'), ...byAttendee, questionId: z.string(), text: z.string(), offersForm: z.boolean() }),
  z.object({ kind: z.literal('leave'), ...byAttendee }),
  // Their name was erased: whoever has it in memory forgets it.
  z.object({ kind: z.literal('erase'), ...byAttendee }),
  z.object({ kind: z.literal('visit'), ...byAttendee, name, attendeeKind: z.enum(['human', 'agent']) }),
  z.object({ kind: z.literal('gone'), ...byAttendee, since: z.number(), reason: leaveReason }),
  z.object({
    kind: z.literal('host'),
    ...byNobody,
    ...asked.host,
    by: z.string(),
    sentences: z
      .array(said)
      .readonly()
      .exactOptional()
      .describe('What is said, by sentence with its clip: the recording of a host, or what the owner of the run adds to a text.'),
  }),
  z.object({ kind: z.literal('host_stream'), ...byNobody, present: z.boolean(), node: z.string() }),
  // The session was changed: its run reads the settings anew.
  z.object({ kind: z.literal('settings'), ...byNobody }),
  // The session was unpublished or deleted, or somebody needs the place of a run that nobody is in.
  z.object({ kind: z.literal('stop'), ...byNobody, reason: z.enum(['deleted', 'revoked', 'abandoned']) }),
])
export type RoomCommand = z.output<typeof roomCommand>

/** What its owner answers to a command: the same to a repeat. */
export type CommandAnswer = { ok: true; data: Readonly<Record<string, unknown>> } | { ok: false; code: ErrorCode; detail: string }
