// What a personal agent may do next, by rule from the state of the session, never from the text of a question or an answer.
export interface ToolCallSuggestion {
  type: 'tool_call'
  toolName: 'discover_sessions' | 'pap_query_presenter' | 'submit_attendee_lead'
  arguments: Readonly<Record<string, unknown>>
  reason: string
  /** Members of the arguments that the caller has to supply. */
  needs?: readonly string[]
}

export interface LinkSuggestion {
  type: 'open_link'
  url: string
  title: string
  reason: string
}

export type Suggestion = ToolCallSuggestion | LinkSuggestion

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
