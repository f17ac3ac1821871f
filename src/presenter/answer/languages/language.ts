// The words by which the presenter knows what is asked of it, and what it says to that: a file for each language, readable by whoever
// speaks it. Phrases are compared without capitals, accents and punctuation; no rule is in the files, no word in the rules.
import { z } from 'zod'
import { baseLanguage } from '../../../decks/language.ts'
import ar from './ar.json' with { type: 'json' }
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import ja from './ja.json' with { type: 'json' }
import pt from './pt.json' with { type: 'json' }
import zh from './zh.json' with { type: 'json' }

const phrases = z.array(z.string().min(1)).min(1)
const smallTalk = z.strictObject({ said: phrases, reply: z.string() })

const schema = z.strictObject({
  talk: phrases.describe('Words for the talk itself, which add nothing to a question about the whole of it.'),
  filler: phrases.describe('Words that such a question may also hold.'),
  summary: phrases.describe('What asks for the main points.'),
  speaker: phrases.describe('What asks who speaks, or who made the slides.'),
  speakerRest: phrases.describe('Words that such a question may also hold.'),
  audience: phrases.describe('What asks whom the talk is for.'),
  audienceTold: phrases.describe('Words of a slide that says whom the talk is for.'),
  simpler: phrases.describe('What asks to explain the last answer, or to say more of it.'),
  upcoming: phrases.describe('What asks for what is still to come.'),
  conclusion: phrases.describe('Titles of slides that sum up.'),
  smallTalk: z.strictObject({
    greet: smallTalk,
    thank: smallTalk,
    hear: smallTalk,
    meet: smallTalk,
    praise: smallTalk,
    how: smallTalk,
    bye: smallTalk,
    rest: smallTalk,
    other: smallTalk,
  }),
  praiseWords: phrases.describe('Words that praise, alone or before "slides".'),
  praiseRest: phrases.describe('Words that praise may also hold.'),
  howMany: phrases.describe('What asks for a count; behind it stands what is counted.'),
  countRest: phrases.describe('Words that add nothing to a question for a count.'),
  counted: z.string().describe('What is said before a list that was counted: {count}, {slide}.'),
  standsFor: phrases.describe('What asks which words letters are short for.'),
  countedOver: z.string().describe('The same of what stands on several: {count}, {slides}.'),
  openers: phrases.describe('How a question begins that goes on from the one before.'),
  compare: phrases.describe('What asks for a comparison.'),
  between: phrases.describe('Words between the two that are compared.'),
  extremes: phrases.describe('Words for what is more or less so than all else: a question that holds one asks for more than a mention.'),
  derived: phrases.describe(
    'Words for a figure that is reckoned from others: a question for a figure that holds one asks for more than these.',
  ),
  sight: phrases.describe('What asks for something that only a picture shows.'),
  figures: z
    .strictObject({ chart: phrases, diagram: phrases, picture: phrases })
    .describe('What a slide shows and does not say: a question may ask how many there are.'),
  names: z.string().describe('What is said of the people that the slides name: {names}.'),
  lacks: z.string().describe('What is said of words of a question that the slides do not hold: {words}.'),
  unseen: z.string().describe('What is said where only a picture could answer: {slide} is the number of a slide.'),
  ahead: z.string().describe('What is said of slides to come: {titles}.'),
  onlyQuotes: z.string().describe('What is said before all that slide {slide} says, when it is to be explained.'),
})

export type LanguageWords = z.output<typeof schema>

const languages: Readonly<Record<string, LanguageWords>> = Object.fromEntries(
  Object.entries({ ar, de, en, es, fr, ja, pt, zh }).map(([tag, words]) => [tag, schema.parse(words)]),
)

const english = schema.parse(en)

/** English where there is no file. */
export const wordsOf = (tag: string): LanguageWords => languages[baseLanguage(tag)] ?? english

/** Those of the deck first: people ask in other languages too. */
export function wordsInOrder(tag: string): LanguageWords[] {
  const own = wordsOf(tag)
  return [own, ...Object.values(languages).filter((words) => words !== own)]
}
