// What a question names beside its subject: how many there are of something ("the three phases"), a slide ("on slide 14"), a figure or a
// table by its number.
import { fold } from './fold.ts'

/** By their place, from one. */
export const numberWords = [
  'one|uno|une?|eins|um',
  'two|dos|deux|zwei|dois',
  'three|tres|trois|drei',
  'four|cuatro|quatre|vier|quatro',
  'five|cinco|cinq|funf',
  'six|seis|sechs',
  'seven|siete|sept|sieben|sete',
  'eight|ocho|huit|acht|oito',
  'nine|nueve|neuf|neun|nove',
  'ten|diez|dix|zehn|dez',
]
const han = '一二三四五六七八九十'
const seriesMin = 2

const inWords = numberWords.map((words) => new RegExp(`\\b(?:${words}) \\p{L}{3,}`, 'u'))
/** No measure behind it: "the 10 risks", not "10 days" or "10 %". */
const inFigures = /(?<![\d.,])(\d{1,2}) (?!(?:years?|days?|weeks?|months?|hours?|minutes?|seconds?|percent|km|kg)\b)\p{L}{3,}/u
const inHan = /([一二三四五六七八九十两])(?:个|种|大|项|条|つ)/u

/** How many of something the question says there are; undefined where it says nothing of the kind. */
export function seriesNamed(question: string): number | undefined {
  const text = fold(question).toLowerCase()
  const figure = inFigures.exec(text)?.[1]
  const sign = inHan.exec(text)?.[1]
  const count =
    figure !== undefined
      ? Number(figure)
      : sign !== undefined
        ? sign === '两'
          ? 2
          : han.indexOf(sign) + 1
        : inWords.findIndex((words) => words.test(text)) + 1
  return count >= seriesMin ? count : undefined
}

const caption =
  /\b(fig(?:ure|ura)?\.?|table|tab\.?|tabelle|tableau|tabla|tabela|abbildung|abb\.?|chart|diagram) ?(\d{1,3})\b|([图表図]) ?(\d{1,3})/u
const kinds = [
  ['fig', 'fig|abb'],
  ['abb', 'fig|abb'],
  ['tab', 'tab'],
] as const

/** How the words under the figure or the table begin that the question names. */
export function captionNamed(question: string): RegExp | undefined {
  const [, latin, number, sign, signNumber] = caption.exec(fold(question).toLowerCase()) ?? []
  if (sign !== undefined) return new RegExp(`^\\W*${sign} ?${signNumber}(?!\\d)`, 'u')
  if (latin === undefined) return undefined
  const kind = kinds.find(([start]) => latin.startsWith(start))?.[1] ?? latin
  return new RegExp(`^\\W*(?:${kind})\\p{L}*\\.? ?${number}(?!\\d)`, 'u')
}

const noun = String.raw`(?:slides?|pages?|diapositivas?|laminas?|paginas?|diapositives?|folien?|seiten?)`
const slide = new RegExp(
  String.raw`(?:\b(?:on|in|of|at|from|en|de|sur|dans|auf|na|no|da|do) )?(?:\b(?:the|la|der|die|el|le|o|a) )?\b${noun} (?:number |no\.? |nr\.? |n\. )?(\d{1,4})\b|第(\d{1,4})(?:张|页)(?:幻灯片)?(?:上|中|里)?|スライド ?(\d{1,4})(?:の|で|に)?`,
  'u',
)
const cover =
  /\b(?:on|of|in|at) the (?:(?:cover|title) (?:page|slide)|cover)\b|\b(?:en la portada|sur la couverture|auf der titel(?:folie|seite)|na capa)\b/u

/** The slides that a question names, from 0, and the question without these words. */
export function slidesNamed(question: string, count: number): { named: readonly number[]; rest: string } {
  const folded = fold(question).toLowerCase()
  // Folding that changes the length would cut the wrong words.
  if (folded.length !== question.length) return { named: [], rest: question }
  const found = slide.exec(folded) ?? cover.exec(folded)
  if (found === null) return { named: [], rest: question }
  const number = Number(found[1] ?? found[2] ?? found[3] ?? 1)
  if (number < 1 || number > count) return { named: [], rest: question }
  return { named: [number - 1], rest: `${question.slice(0, found.index)} ${question.slice(found.index + found[0].length)}`.trim() }
}
