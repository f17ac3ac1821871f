// What shape of answer a question asks for, read from its words (`languages`).
import { inEveryLanguage, shapeNames } from '../platform/languages.ts'
import { lazily } from '../platform/lazily.ts'
import { insidePattern } from '../platform/word-pattern.ts'
import { fold } from './ranking/fold.ts'

export type Wish = (typeof shapeNames)[number] | 'statement'

const shapes = lazily(() =>
  shapeNames.map((name): [Wish, RegExp] => [name, insidePattern(inEveryLanguage((language) => language.shapes[name]))]),
)

export function wishOf(question: string): Wish {
  const text = fold(question).toLowerCase()
  return shapes().find(([, pattern]) => pattern.test(text))?.[0] ?? 'statement'
}
