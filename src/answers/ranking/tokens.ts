// Turns text of any language into comparable terms: folded, numbers made equal across notations, words cut to a stem. Pure, and total
// on any string (lone surrogates included).
import { stemmer } from 'stemmer'
import { baseLanguage, findLanguage } from '../../platform/languages.ts'
import { lazily } from '../../platform/lazily.ts'
import { canonicalNumber, fold } from './fold.ts'
import { stopWords, weakWords } from './word-weights.ts'

// English forms that a stemmer leaves apart: irregular verbs and plurals, nouns of verbs, number words, and the people of a country.
// General language, by hand; every form is read as the first word of its family.

const families = `
arise arose arisen; bear bore borne; beat beaten; become became; begin began begun; bend bent; bind bound; bite bit bitten;
bleed bled; blow blew blown; break broke broken breakage; breed bred; bring brought; build built; burn burnt; buy bought;
catch caught; choose chose chosen choice choices; cling clung; come came; cost costs; creep crept; deal dealt; dig dug;
do did done; draw drew drawn; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt;
fight fought; find found; flee fled flight; fly flew flown; forbid forbade forbidden; forget forgot forgotten;
freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown growth; hang hung; hear heard;
hide hid hidden; hold held; keep kept; know knew known knowledge; lay laid; lead led; learn learnt; leave left; lend lent;
lie lay lain; lose lost loss losses; make made; mean meant; meet met; pay paid payment payments; ride rode ridden;
ring rang rung; rise rose risen; run ran; say said; see saw seen sight; seek sought; sell sold sale sales; send sent;
shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat;
sleep slept; slide slid; speak spoke spoken speech; speed sped; spend spent; spin spun; split splits; spread spreads;
spring sprang sprung; stand stood; steal stole stolen; stick stuck; strike struck stricken; strive strove striven;
swear swore sworn; sweep swept; swim swam swum; swing swung; take took taken; teach taught teaching; tear tore torn;
tell told tale; think thought thoughts; throw threw thrown; wake woke woken; wear wore worn; weave wove woven; weep wept;
win won; wind wound; withdraw withdrew withdrawn withdrawal; write wrote written writing writings; man men; woman women;
child children; person people persons; foot feet; tooth teeth; mouse mice; life lives; wife wives; leaf leaves; half halves;
die died dying death deaths dead; born birth births; marry married marries marriage marriages wed wedding;
arrive arrival arrivals; depart departure departures; destroy destroyed destruction destructive;
defend defense defence defenses defences defensive; offend offense offence; decide decision decisions; divide division divisions;
invade invasion invasions invader invaders; expand expansion expansive; extend extension extent; produce production productive;
reduce reduction reductions; receive reception receipt recipient; conceive concept conception; perceive perception;
deceive deception; describe description descriptions; prescribe prescription; subscribe subscription;
succeed success successful succession successor successors; proceed procedure process; exceed excess excessive;
concede concession concessions; permit permission permissions; admit admission admissions; submit submission submissions;
transmit transmission transmissions; oppose opposition opponent opponents; propose proposal proposals proposition;
suppose supposition; compose composition composer; expose exposure exposition; maintain maintenance; retain retention;
obtain obtainment; explain explanation explanations; acquire acquisition acquisitions; require requirement requirements;
believe belief beliefs; relieve relief; prove proof proofs proven; choose choice; serve service services servant servants;
judge judgment judgement; analyze analysis analyse analyses analytical; emphasize emphasis emphasise;
strong strength strengthen stronger strongest; weak weakness weaken; long length lengthen longer longest; wide width widen wider;
deep depth deepen deeper; high height higher highest; broad breadth; hot heat hotter; true truth; young youth younger youngest;
poor poverty poorer; rich riches wealth wealthy; free freedom freely; wise wisdom; king kingdom kings kingship;
rule ruler rulers; govern government governments governor governors governance; science scientist scientists scientific;
art artist artists artistic; crime criminal criminals; history historian historians historic historical;
economy economic economics economist economical; politics political politician politicians policy policies;
religion religious religions; law legal lawyer legally lawful; finance financial; nation national nationality nations;
type typical; poet poetry poem poems; music musician musical musicians; able ability enable abilities;
use usage used useful utilize utilise; compare comparison comparative; differ difference different differences differing;
vary variation variety various variations; occur occurrence occurred; refer reference referred;
weigh weight weighs weighed weights; grow growth; move movement motion movements; refuse refusal refuse;
approve approval approvals; deny denial; bury burial; try trial tries; betray betrayal; remove removal; renew renewal;
revive revival; survive survival survivor survivors; appear appearance; attend attendance attendee attendees; resist resistance;
perform performance; tax taxation taxes; found founder founders founding foundation; convert conversion converts;
revert reversion; solve solution solutions; resolve resolution resolutions; revolve revolution revolutions revolutionary;
evolve evolution; absorb absorption; abolish abolition; punish punishment; establish establishment;
inherit inheritance heir heirs;
`

const numerals = `
2 two twice; 3 three third; 4 four fourth; 5 five fifth; 6 six sixth;
7 seven seventh; 8 eight eighth; 9 nine ninth; 10 ten tenth; 11 eleven eleventh; 12 twelve twelfth; 13 thirteen thirteenth;
14 fourteen fourteenth; 15 fifteen fifteenth; 16 sixteen sixteenth; 17 seventeen seventeenth; 18 eighteen eighteenth;
19 nineteen nineteenth; 20 twenty twentieth; 30 thirty; 40 forty; 50 fifty; 60 sixty; 70 seventy; 80 eighty; 90 ninety;
`

const peoples = `
africa african africans; albania albanian albanians; algeria algerian algerians; america american americans usa;
arabia arab arabs arabic arabian; argentina argentine argentinian; asia asian asians; australia australian australians;
austria austrian austrians; belgium belgian belgians; brazil brazilian brazilians; britain british briton britons uk;
bulgaria bulgarian bulgarians; canada canadian canadians; chile chilean chileans; china chinese; colombia colombian;
croatia croatian croatians; cuba cuban cubans; czechia czech czechs; denmark danish dane danes; egypt egyptian egyptians;
england english englishman englishmen; estonia estonian; ethiopia ethiopian; europe european europeans;
finland finnish finn finns; flanders flemish; france french frenchman frenchmen; germany german germans; greece greek greeks;
holland dutch netherlands dutchman; hungary hungarian hungarians; iceland icelandic icelander; india indian indians;
indonesia indonesian; iran iranian iranians persia persian persians; iraq iraqi iraqis; ireland irish irishman irishmen;
israel israeli israelis; italy italian italians; japan japanese; kenya kenyan; korea korean koreans; latvia latvian;
lithuania lithuanian; malaysia malaysian; mexico mexican mexicans; mongolia mongol mongols mongolian; morocco moroccan;
norway norwegian norwegians; pakistan pakistani; paris parisian; peru peruvian; philippines filipino philippine;
poland polish pole poles; portugal portuguese; prussia prussian prussians; rome roman romans; romania romanian;
russia russian russians; scandinavia scandinavian; scotland scottish scot scots; serbia serbian serb serbs; sicily sicilian;
slovakia slovak; slovenia slovene slovenian; spain spanish spaniard spaniards; sweden swedish swede swedes; switzerland swiss;
syria syrian syrians; thailand thai; turkey turkish turk turks; ukraine ukrainian ukrainians; vietnam vietnamese; wales welsh;
`

function readFamilies(list: string): [string, string][] {
  return list
    .split(';')
    .map((family) => family.trim())
    .flatMap((family) => {
      const [head = '', ...forms] = family.split(' ')
      return forms.map((form): [string, string] => [form, head])
    })
}

const bases = lazily(() => new Map([...readFamilies(families), ...readFamilies(peoples)]))
const figures = lazily(() => new Map(readFamilies(numerals)))

/** The base form of an English word in lower case, or the word. */
function englishBase(word: string): string {
  return bases().get(word) ?? word
}

/** The figure an English number word stands for; "one", "first" and "second" mean too much else. */
function englishFigure(word: string): string | undefined {
  return figures().get(word)
}

export interface Token {
  /** What is compared: a stem, or a number in canonical notation. */
  readonly term: string
  /** The folded word before stemming. */
  readonly word: string
  readonly isNumber: boolean
  /** Written with a capital, or wholly in capitals, or mixed with digits: likely a name. */
  readonly isCapital: boolean
  /** Two to five capitals and nothing else. */
  readonly isAcronym: boolean
  /** How much the word says about the subject: 0 for a stop word, less than 1 for a word that any question may hold. */
  readonly weight: number
}

const startsAsNumber = /^\p{N}/u
const wordOrNumber =
  /\p{N}+(?:[.,]\p{N}+)*(?:st|nd|rd|th)(?![\p{L}\p{N}])|\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{M}]+(?:['’](?=\p{L}{2})[\p{L}\p{M}]+)?\p{N}*/gu
const apostrophe = /['’]/u
const isLatin = /^[A-Za-z]+$/
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const segmenters = new Map<string, Intl.Segmenter>()

function segmenterFor(language: string): Intl.Segmenter {
  let segmenter = segmenters.get(language)
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity: 'word' })
    segmenters.set(language, segmenter)
  }
  return segmenter
}

const endings = new Map<string, RegExp | undefined>()
/** Behind three letters at least. */
function endingOf(language: string): RegExp | undefined {
  if (endings.has(language)) return endings.get(language)
  const list = findLanguage(language)?.words.endings ?? []
  const ending = list.length === 0 ? undefined : new RegExp(`(?<=^.{3,40})(?:${list.join('|')})$`, 'u')
  endings.set(language, ending)
  return ending
}

/** The comparable form of one folded lower-case word. */
export function stemOf(word: string, language: string): string {
  if (language === 'en') return /^[a-z]+$/.test(word) ? stemmer(englishBase(word)) : word
  const bare = language === 'ar' ? word.replace(/^(?:وال|بال|كال|فال|ال)(?=.{3})/u, '') : word
  return bare.slice(0, endingOf(language)?.exec(bare)?.index).slice(0, 6)
}

/** A small number stands in many texts and is seldom what tells them apart ("Four Seasons", "4 g"); a year or a price is. */
const smallNumberWeight = 0.5

function numberToken(term: string, word: string): Token {
  return { term, word, isNumber: true, isCapital: false, isAcronym: false, weight: term.length <= 2 ? smallNumberWeight : 1 }
}

function newWordToken(surface: string, language: string): Token {
  const word = surface.toLowerCase()
  const weight = stopWords(language).has(word) ? 0 : weakWords(language).has(word) ? 0.4 : 1
  const figure = language === 'en' ? englishFigure(word) : undefined
  if (figure !== undefined) return numberToken(figure, word)
  const [isCapital, isAcronym] = [/^\p{Lu}/u.test(surface), /^\p{Lu}{2,5}$/u.test(surface)]
  return { term: stemOf(word, language), word, isNumber: false, isCapital, isAcronym, weight }
}

/** Words of one language met before: a deck says few words often. Tokens are shared, never written. */
const known = new Map<string, Map<string, Token>>()
const [knownMax, languagesMax, knownLength] = [20_000, 12, 32]

function wordToken(surface: string, language: string): Token {
  if (surface.length > knownLength) return newWordToken(surface, language)
  let words = known.get(language)
  if (!words || words.size > knownMax) {
    if (known.size >= languagesMax) known.clear()
    words = new Map()
    known.set(language, words)
  }
  let token = words.get(surface)
  if (!token) {
    token = newWordToken(surface, language)
    words.set(surface, token)
  }
  return token
}

/** Of a text without spaces, between two places. Segments of the whole text, since ICU copies its dictionary for each text it is given. */
function* wordsWithin(segments: Intl.Segments, from: number, to: number): Generator<string> {
  for (let at = from; at < to;) {
    const found = segments.containing(at)
    if (!found) return
    const { index, segment, isWordLike } = found
    if (isWordLike) yield segment.slice(at - index, to - index)
    at = index + segment.length
  }
}

/** Terms in reading order, stop words included (with weight 0), possessive and elided endings removed. */
export function tokenise(text: string, languageTag: string): Token[] {
  const language = baseLanguage(languageTag)
  const tokens: Token[] = []
  const folded = fold(text)
  let segments: Intl.Segments | undefined
  for (const match of folded.matchAll(wordOrNumber)) {
    const piece = match[0]
    if (startsAsNumber.test(piece)) {
      tokens.push(numberToken(canonicalNumber(piece.replace(/(?<!\p{L})\p{L}+$/u, '')), piece))
    } else if (isLatin.test(piece)) {
      tokens.push(wordToken(piece, language))
    } else if (unspaced.test(piece)) {
      segments ??= segmenterFor(language).segment(folded)
      for (const word of wordsWithin(segments, match.index, match.index + piece.length)) tokens.push(wordToken(word, language))
    } else {
      const [head = piece, tail = ''] = piece.split(apostrophe)
      const isElision = head.length <= 2 && tail.length > 2
      tokens.push(wordToken(isElision ? tail : head, language))
    }
  }
  return tokens
}
