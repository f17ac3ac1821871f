// What kind of value a question asks for, read from its opening words (`languages`).
import { askedKinds, baseLanguage, languageOf } from '../../kernel/languages.ts'
import { insidePattern } from '../../kernel/word-pattern.ts'
import { fold } from './fold.ts'
import type { ValueType } from './value-types.ts'

const lexicons = new Map<string, readonly [ValueType, RegExp][]>()

function lexiconOf(tag: string): readonly [ValueType, RegExp][] {
  const language = baseLanguage(tag)
  let lexicon = lexicons.get(language)
  if (lexicon === undefined) {
    const { asks } = languageOf(language)
    lexicon = askedKinds.flatMap((kind): [ValueType, RegExp][] => (asks[kind] === undefined ? [] : [[kind, insidePattern(asks[kind])]]))
    lexicons.set(language, lexicon)
  }
  return lexicon
}

/** The kind of value `question` asks for, in the language of `tag` (English where nobody has written it); undefined when it asks for none. */
export function questionTypeOf(question: string, tag: string): ValueType | undefined {
  const text = fold(question).toLowerCase()
  let first: { type: ValueType; at: number } | undefined
  for (const [type, pattern] of lexiconOf(tag)) {
    const at = text.search(pattern)
    if (at >= 0 && (first === undefined || at < first.at)) first = { type, at }
  }
  return first?.type
}
