// "What is X?" wants the sentence that says what X is, not the one that says X most often.
import { fold } from './fold.ts'

const asked =
  /^\W*(?:what|who)(?: exactly)? (?:is|are|was|were) |^\W*what's |^\W*que (?:es|son) |^\W*qu.est-ce que |^\W*was (?:ist|sind) |^\W*o que (?:e|sao) |とは(?:何|なん)|是什么|^\W*ما (?:هو|هي) /u
const defining =
  /^[^\p{L}\p{N}_]*(?:\p{L}[\p{L}\d'-]*\s+){1,4}?(?:is|are|was|were|es|son|est|sont|ist|sind|e|sao)\s+(?:an?|the|one|un|una|une|ein|eine|um|uma|o|el|la|le|der|die|das)\s|^.{1,12}(?:とは|是一)/u

export function asksForDefinition(question: string): boolean {
  return asked.test(fold(question).toLowerCase())
}

/** Whether a text opens like a definition: a few words, a form of "to be", an article. */
export function readsAsDefinition(text: string): boolean {
  return defining.test(fold(text.slice(0, 120)).toLowerCase())
}
