// Which kinds of value a text holds: an amount of money, a span of time, a weight and so on. Units are recognised in the eight
// languages of the product; the check is by form, so it holds for any deck.
import { fold } from './fold.ts'

export const valueTypeNames = [
  'money',
  'duration',
  'frequency',
  'count',
  'date',
  'person',
  'place',
  'weight',
  'loudness',
  'percent',
  'temperature',
  'length',
  'contact',
  'version',
  'colour',
] as const

export type ValueType = (typeof valueTypeNames)[number]

/** One bit per value type, so that a unit of text remembers its kinds in a number. */
export const valueBit: Readonly<Record<ValueType, number>> = {
  money: 1,
  duration: 2,
  frequency: 4,
  count: 8,
  date: 16,
  person: 32,
  place: 64,
  weight: 128,
  loudness: 256,
  percent: 512,
  temperature: 1024,
  length: 2048,
  contact: 4096,
  version: 8192,
  colour: 16384,
}

const figure = String.raw`(?:(?<!\d[.,]?)\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|half|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|deux|trois|quatre|cinq|sept|huit|neuf|dix|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|zwolf|dois|duas|quatro|sete|oito|nove|dez|(?<![一二三四五六七八九十百千万两])[一二三四五六七八九十百千万两]+)`
const time = String.raw`(?:ms|s|sec|secs|seconds?|min|mins|minutes?|h|hrs?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies)|segundos?|minutos?|horas?|dias?|semanas?|mes(?:es)?|anos?|secondes?|heures?|jours?|semaines?|mois|ans?|annees?|sekunden?|minuten?|stunden?|std|tage?n?|wochen?|monate?n?|jahre?n?|秒|分|時間|日|週間|か月|ヶ月|年|秒钟|分钟|小时|天|周|个月|ثانية|ثوان|دقيقة|دقائق|ساعة|ساعات|يوم|ايام|اسبوع|شهر|اشهر|سنة|سنوات)`
const months =
  'january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|apr|jun|jul|aug|sept|oct|nov|dec|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|januar|februar|marz|juni|juli|oktober|dezember|janeiro|fevereiro|marco|maio|junho|julho|setembro|outubro|dezembro'
const weekdays =
  'mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|weekdays?|weekends?|lunes|martes|miercoles|jueves|viernes|lundi|mardi|mercredi|jeudi|vendredi|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|werktags?|segunda|terca|quarta|quinta|sexta'

const rules: readonly [ValueType, RegExp][] = [
  [
    'money',
    new RegExp(
      String.raw`[$€£¥₹￥]\s?\d|\d\s?[$€£¥₹円元]|\d\s?(?:eur|usd|gbp|chf|jpy|cny|brl|sek|nok|dkk|pln|aed|sar)\b|\b(?:eur|usd|gbp|chf|jpy|cny|brl|sek|nok|dkk|pln|aed|sar)\s?\d|\b(?:euros?|dollars?|pounds?|francs?|reais|pesos?|yen|cents?|million|billion|free|gratis|gratuit|kostenlos|gratuito)\b|يورو|دولار|ريال|درهم|جنيه|دينار`,
      'u',
    ),
  ],
  [
    'duration',
    new RegExp(
      String.raw`(?:\b|(?<=[一-龯]))${figure}[\s-]*(?:and a half\s|to\s\d+\s|more\s|full\s|working\s|business\s|calendar\s|kalender)?${time}(?![\p{Ll}])|\b\d{4}\s?(?:-|to|until)\s?\d{4}\b|\b(?:hourly|overnight|weekend)\b`,
      'u',
    ),
  ],
  [
    'frequency',
    new RegExp(
      String.raw`\b(?:every|each|per|once|twice|times|yearly|annually|annual|monthly|weekly|daily|hourly|nightly|quarterly|cada|diario|mensual|anual|semanal|chaque|tous les|toutes les|par|quotidien|mensuel|annuel|jede[nsr]?|alle|taglich|monatlich|jahrlich|wochentlich|stundlich|todo[sa]?|por|diario|mensal)\b|毎|ごと|每|كل`,
      'u',
    ),
  ],
  ['count', new RegExp(String.raw`\d|\b${figure}\b|\b(?:none|zero|no|single|both|several|dozens?|thousands?|millions?|billions?)\b`, 'u')],
  [
    'date',
    new RegExp(
      String.raw`\b(?:1\d{3}|20\d{2})s?\b|\b(?:${months}|${weekdays})\b|\b\d{1,2}(?:st|nd|rd|th)\b|\bcentur|\b(?:today|tomorrow|spring|summer|autumn|winter|q[1-4]|day \d|after|before)\b|\d\s?[時月日点号]|\b\d{1,2}:\d{2}\b|\bafter \d+`,
      'u',
    ),
  ],
  [
    'weight',
    /\d\s?(?:kg|kgs|g|mg|t|lbs?|oz|kilos?|kilograms?|kilogramos?|kilogrammes?|grams?|gramm|tonnes?|tons?|tonnen|pounds?|公斤|千克|キロ|كجم|كغ)(?![\p{Ll}])/u,
  ],
  ['loudness', /\d\s?d(?:b|ezibel|ecib)|\b(?:decib|dezibel|silent|inaudible|quiet)/u],
  ['percent', /\d\s?%|\d\s?٪|\bper ?cent\b|\bprozent\b|\bpour ?cent\b|\bpor ?cien|\bpor ?cento\b|\bhalf\b|\bthirds?\b|\bquarters?\b/u],
  ['temperature', /\d\s?°|\bdegrees?\b|\d\s?(?:celsius|fahrenheit|grados|degres|grad|graus)\b|\d\s?[cf]\b|℃|度/u],
  [
    'length',
    /\d\s?(?:-|\s)?(?:mm|cm|m|km|ft|in|inch(?:es)?|feet|foot|miles?|metres?|meters?|metros?|kilometres?|kilometers?|centimetres?|yards?|acres?|hectares?|ha|m2|m²|km2|米|公里|厘米|メートル|متر)(?![\p{Ll}])|\b(?:sq|square)\b/u,
  ],
  ['contact', /\S@[^\s@]+\.\S|https?:\/\/|\bwww\.|\+?\d[\d ()-]{7,}\d|(?<![\w-])[\w-]+\.(?:example|com|org|net|io|de|fr|es|br|cn|jp)\b/u],
  ['version', /\bv?\d+\.(?:\d+|x)\b|\b(?:version|release|versao|الاصدار|版本|バージョン)\s?\d/u],
  [
    'colour',
    /\b(?:red|green|blue|yellow|orange|purple|violet|pink|brown|black|white|gr[ae]y|roj[oa]|verde|azul|amarill[oa]|negr[oa]|blanc[oa]|rouge|vert|bleu|jaune|noir|blanc|rot|grun|blau|gelb|schwarz|weiss|vermelh[oa]|amarel[oa]|pret[oa]|branc[oa])\b|[赤青緑黄黒白红蓝绿黑]色?|احمر|ازرق|اخضر|اصفر|اسود|ابيض/u,
  ],
]

const properNoun = /(?<=[\p{L}\p{N},;:)'"”-]\s)(?!(?:I|The|A|An|It|He|She|They|We|You|This|That|In|On|At|For|And|But)\b)\p{Lu}[\p{L}'’.-]+/u
const leadingName =
  /^(?:\W*)(?:(?!(?:The|A|An|It|He|She|They|We|You|This|That|These|In|On|At|For|And|But|No|If|When|After|With|From)\b)\p{Lu}[\p{L}'’-]+)(?:\s+(?:(?:of|de|the|von|van|da|do)\s)?\p{Lu}[\p{L}'’.-]+)+/u
const placeName =
  /\b(?:in|at|from|to|near|of|en|desde|dans|a|au|bei|aus|nach|em|na|no|within|across|between|around|throughout|along)\s+(?:the\s+|la\s+|le\s+|der\s+|dem\s+)?(?:\w+\s)?\p{Lu}\p{L}+/u
const unspacedScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Arabic}]/u

/** The kinds of value in `text`, as bits. Text without letter case (CJK, Arabic) may always name a person or a place. */
export function valueBitsOf(text: string): number {
  const folded = fold(text)
  const lower = folded.toLowerCase()
  let bits = 0
  for (const [type, pattern] of rules) if (pattern.test(lower)) bits |= valueBit[type]
  const isNamed = properNoun.test(folded) || leadingName.test(folded)
  if (isNamed) bits |= valueBit.person
  if (isNamed || placeName.test(folded)) bits |= valueBit.place
  if (unspacedScript.test(folded)) bits |= valueBit.person | valueBit.place
  return bits
}
