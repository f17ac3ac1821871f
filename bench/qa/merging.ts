// How well the questions of a room are merged: 200 groups of five that ask the same (merging.json), every pair of one deck decided.
// Of each group two questions are by hand; three are made here as people in a hurry make them: polite, in key words, with a slip.
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { fold, stopWords } from '@rostrum/answers/ranking/tokens'
import { createSameQuestion } from '@rostrum/answers/ranking/same-question'
import { buildSessionIndex } from '@rostrum/answers/ranking/session-index'
import { baseLanguage } from '@rostrum/languages/languages'
import type { Subject } from './sets.ts'

const schema = z.object({ groups: z.array(z.object({ question: z.string(), paraphrase: z.string() })) })

const polite: Readonly<Record<string, (question: string) => string>> = {
  en: (question) => `Could you please tell us: ${question}`,
  de: (question) => `Hallo, ${question} Bitte`,
  es: (question) => `Hola, ${question}`,
  fr: (question) => `Bonjour, dites-moi : ${question}`,
  pt: (question) => `Olá, ${question}`,
  ja: (question) => `すみません、${question}`,
  zh: (question) => `请问，${question}`,
  ar: (question) => `من فضلكم، ${question}`,
}

function keyWords(question: string, language: string): string {
  const bare = question.replace(/[?？¿؟]/gu, '').trim()
  const words = bare.split(/\s+/u)
  return words.length > 2 ? words.filter((word) => !stopWords(language).has(fold(word).toLowerCase())).join(' ') : bare
}

/** Two neighbouring letters of the longest word swapped; where words are short or unspaced, capitals. */
function withSlip(question: string): string {
  const words = question.split(/\s+/u)
  const longest = words.reduce((long, word) => (word.length > long.length ? word : long), '')
  if (words.length <= 2 || longest.length < 6) return question.toUpperCase()
  const at = Math.floor(longest.replace(/[?!.]$/u, '').length / 2)
  return question.replace(longest, `${longest.slice(0, at)}${longest[at + 1]}${longest[at]}${longest.slice(at + 2)}`)
}

export interface Merging {
  precision: number
  recall: number
  f1: number
  questions: number
  groups: number
}

export function measureMerging(subjects: readonly Subject[]): Merging {
  const { groups } = schema.parse(JSON.parse(readFileSync(new URL('merging.json', import.meta.url), 'utf8')))
  let [right, wrong, missed, questions] = [0, 0, 0, 0]
  for (const { id, content, questions: asked } of subjects) {
    const language = baseLanguage(content.language)
    const forms = groups.flatMap(({ question, paraphrase }) => {
      const text = asked.find((one) => one.id === question)?.text
      if (text === undefined) return []
      const made = polite[language]?.(text) ?? text
      return [text, paraphrase, made, keyWords(text, language), withSlip(text)].map((form) => ({ group: question, form }))
    })
    questions += forms.length
    const isSame = createSameQuestion(buildSessionIndex(id, content))
    forms.forEach((a, at) => {
      for (const b of forms.slice(0, at)) {
        const isMerged = isSame(a.form, b.form)
        if (a.group === b.group && isMerged) right += 1
        else if (a.group === b.group) missed += 1
        else if (isMerged) wrong += 1
      }
    })
  }
  const [precision, recall] = [right / Math.max(1, right + wrong), right / Math.max(1, right + missed)]
  return { precision, recall, f1: (2 * precision * recall) / Math.max(1e-9, precision + recall), questions, groups: groups.length }
}
