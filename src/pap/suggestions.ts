// What a personal agent may do next, by rule from the state of the session, never from the text of a question or an answer.
import { z } from 'zod'

export const suggestion = z.object({
  type: z.enum(['tool_call', 'open_link']),
  reason: z.string(),
  /** Of a call: its tool, what is known of its arguments, and which of them the caller has to supply. */
  toolName: z.string().exactOptional(),
  arguments: z.record(z.string(), z.unknown()).exactOptional(),
  needs: z.array(z.string()).exactOptional(),
  /** Of a link. */
  url: z.string().exactOptional(),
  title: z.string().exactOptional(),
})
export type Suggestion = z.output<typeof suggestion>

export interface SuggestionFacts {
  sessionId: string
  roomUrl: string
  cta: { text: string; url: string } | null
  isUnknown: boolean
}

const suggestionsMax = 3

export function suggestionsFor({ sessionId, roomUrl, cta, isUnknown }: SuggestionFacts): Suggestion[] {
  const link: Suggestion[] = cta === null ? [] : [{ type: 'open_link', url: cta.url, title: cta.text, reason: 'The offer of the host.' }]
  const lead: Suggestion = {
    type: 'tool_call',
    toolName: 'submit_attendee_lead',
    arguments: { sessionId },
    reason: isUnknown
      ? 'The deck does not say. The host can answer: leave the details of the person, with their consent.'
      : 'The host can follow up: leave the details of the person, with their consent.',
    needs: ['email'],
  }
  const room: Suggestion = {
    type: 'open_link',
    url: roomUrl,
    title: 'Open the room',
    reason: 'The whole talk, with questions, for the person.',
  }
  return (isUnknown ? [lead, room, ...link] : [...link, lead, room]).slice(0, suggestionsMax)
}
