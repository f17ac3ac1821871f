// What shape of answer a question asks for, read from its words in the eight languages.
import { fold } from '../retrieval/fold.ts'

export type Wish = 'list' | 'reason' | 'procedure' | 'statement'

const shapes: readonly [Wish, RegExp][] = [
  ['reason', /\bwhy\b|\bhow come\b|\bpor que\b|\bpourquoi\b|\bwarum\b|\bwieso\b|\bweshalb\b|なぜ|どうして|为什么|为何|لماذا/u],
  [
    'list',
    /\b(?:list|name|enumerate)\b|\b(?:what|which)(?: all)? (?:are|were|kinds?|types?|sorts?)\b|\bwhich \p{L}+s\b|\bwhat (?:\p{L}+ )?\p{L}+s (?:are|do|does|did|can|have|has|should|must|were|will)\b|\b(?:cuales|que \p{L}+s|enumer\p{L}*)\b|\bquel(?:le)?s\b|\b(?:welche|nenne\p{L}*|was sind|liste)\b|\b(?:quais|que \p{L}+s|liste)\b|どんな|何があり|一覧|哪些|有什么|ما هي/u,
  ],
  [
    'procedure',
    /\bhow (?:do|can|should|to)\b|\bcomo (?:se|puedo|hago|faco)\b|\bcomment\b|\bwie (?:kann|mache|wird|geht)\b|どうやって|方法|怎么|如何|كيف/u,
  ],
]

export function wishOf(question: string): Wish {
  const text = fold(question).toLowerCase()
  return shapes.find(([, pattern]) => pattern.test(text))?.[0] ?? 'statement'
}
