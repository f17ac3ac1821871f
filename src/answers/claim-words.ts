// The words a claim is judged by, whatever deck it is about: promises, denials, opposites, comparisons and units of measure, in the
// languages of the product. General language, by hand; none is taken from a deck or a benchmark.
import { baseLanguage } from '../platform/languages.ts'
import { fold } from './ranking/fold.ts'

const promise =
  /\b(?:guarantee\w*|discount\w*|refund\w*|rebate\w*|(?<!-)free|we will|we'll|we shall|promis\w*|warrant\w*|always|never|unlimited|entitled|lifetime|garant\w+|descuento\w*|reembols\w+|siempre|gratis|gratuit\w*|remise\w*|rembours\w+|toujours|immer|rabatt\w*|kostenlos\w*|kostenfrei\w*|erstatt\w+|desconto\w*|sempre)\b|保証|無料|返金|割引|保证|免费|退款|折扣|ضمان|مجان|خصم|استرداد/giu

/** Words that bind or give away, as they stand: they may be said only where the source says them. */
export function promisesIn(text: string): string[] {
  return (fold(text).toLowerCase().match(promise) ?? []).map((word) => word.trim())
}

const denials: Readonly<Record<string, RegExp>> = {
  en: /^(?:not|cannot|never|no|none|nobody|nothing|neither|nor|without|unable|lacks?|lacking|hardly|excluding|excluded|isn|aren|wasn|weren|doesn|don|didn|won|can't|couldn|hasn|haven|isn't|aren't|wasn't|weren't|doesn't|don't|didn't|won't|couldn't|hasn't|haven't|unavailable|impossible)$/u,
  es: /^(?:no|nunca|sin|ningun\w*|jamas|tampoco|nada|carece\w*)$/u,
  fr: /^(?:pas|jamais|sans|aucun\w*|ni|rien|nul|nulle|impossible\w*)$/u,
  de: /^(?:nicht\w*|nie|niemals|kein\w*|ohne|weder|nirgends|unmoglich\w*)$/u,
  pt: /^(?:nao|nunca|sem|nenhum\w*|jamais|nada|tampouco)$/u,
}
const otherDenials = /不|没|無し|なし|ない|ません|^لا$|^ليس$|^لم$|^لن$/u

/** Whether a folded lower-case word says no. */
export function isDenial(word: string, language: string): boolean {
  return (denials[baseLanguage(language)] ?? otherDenials).test(word)
}

/** Where one part of a sentence ends and the next begins. */
export const clauseEnd = /[,;]\s+|(?<!\s)\s+(?:and|while|whereas|but|und|während|aber|y|pero|et|mais|e)\s+/iu

const comparison =
  /\b(?:more|less|fewer|than|below|above|under|over|within|beyond|between|instead|compared|exceed\w*|mas|menos|bajo|sobre|entre|plus|moins|sous|entre|mehr|weniger|als|unter|uber|statt|mais|abaixo|acima)\b/u

/** A comparison may name the figure of the question beside that of the source. */
export function compares(text: string): boolean {
  return comparison.test(fold(text).toLowerCase())
}

const pairs = `more less; more fewer; increase decrease; increase reduce; increases decreases; increases reduces; increased decreased; increased reduced; raise lower;
raises lowers; rises falls; rise fall; grows shrinks; before after; above below; over under; minimum maximum; most least; at-most at-least; all none; every no; always never; include exclude;
includes excludes; included excluded; up down; faster slower; fast slow; cheaper costlier; cheap expensive; first last; with without; open closed; opens closes; early late; earlier later;
high low; higher lower; highest lowest; long short; longer shorter; larger smaller; bigger smaller; large small; inside outside; indoor outdoor; wired wireless; public private; allowed forbidden;
required optional; mandatory optional; possible impossible; start end; starts ends; begins ends; buy sell; buys sells; rent own; monthly yearly; monthly annually; monthly weekly; daily weekly; daily monthly; weekly yearly; daily yearly;
day night; morning evening; weekday weekend; summer winter; north south; east west; left right; accept refuse; accepts refuses; win lose; wins loses; safe dangerous; easy difficult; full empty; new old; doubled halved; twice half; hot cold; wet dry; light heavy; same different; manual automatic; manually automatically; online offline; locally remotely;
mehr weniger; erhoht senkt; erhohen senken; steigt sinkt; steigt fallt; vor nach; uber unter; mindestens hochstens; immer nie; mit ohne; offen geschlossen; fruh spat; hoch niedrig; lang kurz; gross klein; monatlich jahrlich; taglich wochentlich; schneller langsamer; teurer billiger; pflicht freiwillig;
mas menos; aumenta reduce; aumenta disminuye; antes despues; siempre nunca; con sin; abierto cerrado; alto bajo; largo corto; mensual anual; diario semanal; minimo maximo; incluye excluye; obligatorio opcional;
plus moins; augmente reduit; augmente diminue; avant apres; toujours jamais; avec sans; ouvert ferme; haut bas; long court; mensuel annuel; minimum maximum; inclut exclut; obligatoire facultatif; chaud froid;
mais menos; aumenta diminui; antes depois; sempre nunca; com sem; aberto fechado; alto baixo; longo curto; mensal anual; inclui exclui; obrigatorio opcional`

const opposites = new Map<string, Set<string>>()
for (const pair of pairs.split(';')) {
  const [a = '', b = ''] = pair.trim().split(/\s+/u)
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    const known = opposites.get(from) ?? new Set()
    opposites.set(from, known.add(to))
  }
}

/** Whether the claim says a word, and the source its opposite and not the word itself. */
export function isTurnedAround(claim: ReadonlySet<string>, source: ReadonlySet<string>): boolean {
  return [...claim].some(
    (word) => !source.has(word) && [...(opposites.get(word) ?? [])].some((other) => source.has(other) && !claim.has(other)),
  )
}

/** Words for one measure on each line, the measure's dimension first. */
const measures = `
money eur euro euros
money usd dollar dollars dolares
money gbp pound pounds sterling livre livres libra libras pfund
money chf franken
money brl real reais
time second seconds sec secs s sekunde sekunden segundo segundos seconde secondes
time minute minutes min mins minuten minuto minutos
time hour hours h hr hrs hourly stunde stunden hora horas heure heures
time day days daily tag tage tagen dia dias jour jours diario taglich
time week weeks weekly woche wochen semana semanas semaine semaines wochentlich
time month months monthly monat monate monaten mes meses mois mensual mensuel mensal monatlich
time year years yearly annual annually jahr jahre jahren ano anos ans annee annees jahrlich anual annuel
share percent pct prozent porcentaje pourcent
mass g gram grams gramm gramos grammes
mass kg kilo kilos kilogram kilograms kilogramm kilogramos kilogrammes
mass tonne tonnes ton tons tonnen toneladas
length mm millimetre millimetres
length cm centimetre centimetres zentimeter centimetros centimetres
length m metre metres meter meters metros
length km kilometre kilometres kilometer kilometros
volume l litre litres liter liters litros
power w watt watts
power kw kilowatt kilowatts
power kwh
power mw megawatt megawatts
power mwh
size thousand tausend mil mille
size million millions millionen millon millones milhao milhoes
size billion billions milliarde milliarden milliards`

export interface Measure {
  name: string
  dimension: string
}

const measureOf = new Map<string, Measure>()
for (const line of measures.trim().split('\n')) {
  const [dimension = '', name = '', ...others] = line.split(' ')
  for (const word of [name, ...others]) if (!measureOf.has(word)) measureOf.set(word, { name, dimension })
}

/** The measure that a folded lower-case word names. "an" is a year in French alone. */
export function measureNamed(word: string, language: string): Measure | undefined {
  return measureOf.get(word === 'an' && baseLanguage(language) === 'fr' ? 'ans' : word)
}

const months =
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|marz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|janvier|fevrier|mars|avril|juin|juillet|aout|septembre|octobre|novembre|decembre|janeiro|fevereiro|marco|maio|junho|julho|setembro|outubro|novembro|dezembro)$/u

export const isMonth = (word: string): boolean => months.test(word)

const numerals: Readonly<Record<string, string>> = {
  de: 'zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn zwanzig',
  es: 'dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve veinte',
  fr: 'deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt',
  pt: 'dois tres quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete dezoito dezenove vinte',
}
const numeralSets = new Map(
  Object.entries(numerals).map(([language, list]) => [language, new Map(list.split(' ').map((word, at) => [word, String(at + 2)]))]),
)

/** The figure that a folded lower-case word of this language spells; English ones are read by the tokens themselves. */
export const figureSpelt = (word: string, language: string): string | undefined => numeralSets.get(language)?.get(word)

/** Signs written as words, so that a reader of words finds them. */
export function signsAsWords(text: string): string {
  return text
    .replaceAll('€', ' EUR ')
    .replaceAll('£', ' GBP ')
    .replace(/R\$/gu, ' BRL ')
    .replaceAll('$', ' USD ')
    .replace(/[%٪]/gu, ' percent ')
}
