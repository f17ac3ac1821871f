// An answer, as rooms, recaps, transcripts, personal agents and screens see it.
import { z } from 'zod'
import { placeOnSlide } from './deck.ts'

export const answerOutcome = z
  .enum(['answered', 'near', 'unknown', 'declined', 'handoff', 'error'])
  .describe('`near`: not certain, and said so; `unknown`: the talk does not say; `handoff`: left to the host.')
export type AnswerOutcome = z.output<typeof answerOutcome>

export const questionStatus = z.enum(['pending', 'queued', 'answering', 'answered', 'merged', 'hidden', 'declined', 'expired'])
export type QuestionStatus = z.output<typeof questionStatus>

export const answerMode = z.enum(['extractive', 'model', 'human']).describe('Quoted, composed by a model and verified, or by the host.')

export const citation = z.object({
  n: z.number(),
  type: z.enum(['slide', 'knowledge']),
  id: z.string(),
  index: z.number(),
  title: z.string(),
  quote: z.string().describe('Verbatim.'),
  start: z.number().describe('In the text of the slide or passage.'),
  end: z.number(),
  region: placeOnSlide.region,
})
export type Citation = z.output<typeof citation>

/** What the asker seems to want besides an answer: rules of the call to action and leads of high intent go by it. */
export type Signal = 'price' | 'contact' | 'trial' | 'booking'

const label = z.string().describe('For its button.')
export const suggestedAction = z.discriminatedUnion('type', [
  z.object({ type: z.literal('open_link'), label, url: z.string() }),
  z.object({ type: z.literal('goto_slide'), label, slideIndex: z.number() }),
  z.object({ type: z.literal(['contact_host', 'submit_lead']), label }),
])
export type SuggestedAction = z.output<typeof suggestedAction>

/** A wish about the talk itself, found in a question; whoever runs the talk decides whether it is granted. */
export const talkControl = z.union([
  z.object({ action: z.literal('goto'), slideIndex: z.number() }),
  z.object({ action: z.enum(['repeat', 'slower', 'faster', 'shorter', 'longer', 'pause', 'resume', 'next', 'previous']) }),
])
export type TalkControl = z.output<typeof talkControl>

/** What an answer comes to, beside its words. */
export const answerEnd = {
  outcome: answerOutcome,
  mode: answerMode,
  confidence: z.number().describe('0 to 1.'),
  citations: z.array(citation).readonly(),
  suggestedActions: z.array(suggestedAction).readonly(),
}
/** What its question wants of the talk besides. */
export const wish = { control: talkControl.exactOptional() }
const answerWithWish = z.object({ ...answerEnd, ...wish })
export type AnswerEnd = z.output<typeof answerWithWish>

/** A sentence that a model wrote, with the verdict on it. */
const judgedClaim = z.object({
  text: z.string(),
  sources: z.array(z.string()).readonly().describe('As the model named them.'),
  verdict: z.string().describe('`ok`, or the rule it broke.'),
})
export type JudgedClaim = z.output<typeof judgedClaim>

const modelCall = z.object({
  model: z.string(),
  startedMs: z.number(),
  firstPieceMs: z.number().nullable().describe('From the question to the first piece of text.'),
  firstSaidMs: z.number().nullable(),
  endedMs: z.number(),
  outcome: z.enum(['won', 'failed', 'nothing_verified', 'stopped']),
  claims: z.array(judgedClaim).readonly(),
  malformed: z.number().describe('Lines that were no claim.'),
  tokens: z.object({ input: z.number(), cached: z.number(), output: z.number() }).nullable(),
  cost: z.number().nullable().describe("In the operator's currency; null where no price is configured or the call did not end."),
})
export type ModelCall = z.output<typeof modelCall>

const modelTrace = z.object({
  why: z.string().describe('Why it ended as it did: `ended`, `slow`, `busy`, `circuit` and so on.'),
  waitedMs: z.number().describe('From the question to a free model.'),
  calls: z.array(modelCall).readonly(),
})
export type ModelTrace = z.output<typeof modelTrace>

/** How an answer came about: what was looked at and, where a model was asked, what became of its words. */
export const answerTrace = z.object({
  intent: z.string(),
  known: z.number().describe('How much of the question the place holds, 0 to 1.'),
  plain: z.number(),
  candidates: z
    .array(z.object({ type: z.enum(['slide', 'knowledge']), index: z.number(), score: z.number(), text: z.string() }))
    .readonly(),
  model: modelTrace.exactOptional(),
})
export type AnswerTrace = z.output<typeof answerTrace>
