// What a personal agent's question is answered with, before a surface shows it.
import type { PapAnswer } from './ports.ts'
import type { Suggestion } from './suggestions.ts'

export interface PapReply {
  reply: string
  sessionId?: string
  suggestedActions: readonly Suggestion[]
  answer?: PapAnswer
  sessionTitle?: string
}
