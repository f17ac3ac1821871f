// Recognises attempts at what the presenter keeps private: notes, instructions, prompts, keys. The wall is structural (answering has
// no access to notes); this only gives such questions the one fixed reply instead of a search result.
import { inEveryLanguage } from '../platform/languages.ts'
import { lazily } from '../platform/lazily.ts'
import { insidePattern } from '../platform/word-pattern.ts'
import { readingsOf } from './disguises.ts'

const patterns = lazily(() => inEveryLanguage((language) => language.private).map((pattern) => insidePattern([pattern])))

/** A host asking about what is their own ("Are my notes private?") wants an answer, not a refusal. */
const ownMatter =
  /^(?!.*\b(?:your|ignore|repeat|reveal|print|show|tell|read|translate)\b).*\b(?:my|our|mis?|nuestr[ao]s?|mes|nos|meine?|unsere?|minhas?|nossas?)\s+(?:own\s+)?(?:\w+\s+)?(?:notes?|api|keys?|passwords?|notas?|notizen)\b/u

/** Whether the question, in any of its readings, is after private material. */
export function asksForPrivateMatter(question: string): boolean {
  return readingsOf(question).some((reading, at) => {
    const plain = reading.replace(/[إأآ]/gu, 'ا')
    if (at === 0 && ownMatter.test(plain)) return false
    return patterns().some((pattern) => pattern.test(plain))
  })
}
