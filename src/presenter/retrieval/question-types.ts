// What kind of value a question asks for, read from its opening words in the eight languages of the product.
import { fold } from './fold.ts'
import { baseLanguage } from '../../decks/language.ts'
import type { ValueType } from './value-types.ts'

type Lexicon = readonly [ValueType, RegExp][]

const en: Lexicon = [
  ['version', /\b(?:what|which) (?:\S+ ){0,3}?versions?\b/u],
  ['colour', /\bwhat colou?rs?\b|\bwhich colou?rs?\b|\bcolou?rs? (?:is|are|was|of|does|do)\b/u],
  ['weight', /\bhow heavy\b|\bhow much (?:does|do|did) .{1,60}\bweigh\b|\bweights?\b|\bweigh\b/u],
  ['loudness', /\bhow (?:loud|noisy|quiet)\b|\bdecibels?\b|\bnoise level\b/u],
  ['temperature', /\bhow (?:hot|warm|cold)\b|\btemperatures?\b/u],
  [
    'percent',
    /\b(?:what|which) (?:percentage|percent|share|fraction|proportion|part of)\b|\bhow (?:accurate|precise)\b|\bpercent(?:age)?\b/u,
  ],
  [
    'length',
    /\bhow (?:tall|high|deep|wide|far|thick)\b|\b(?:what|which) (?:distance|height|depth|width|range|altitude)\b|\bhow (?:large|big) .{0,20}\b(?:area|display|screen|site)\b/u,
  ],
  ['frequency', /\bhow (?:often|frequently|many times)\b|\bhow regularly\b/u],
  [
    'money',
    /\bhow much (?:money|does .{1,60}\bcosts?|do .{1,60}\bcosts?|is|are|for|do i pay|did .{1,60}\bcost)\b|\bhow (?:expensive|cheap)\b|\b(?:what|which) .{0,30}\b(?:price|cost|fee|costs|charge|salary|budget|revenue)\b|\bprices?\b.*\?|\bdoes .{1,60} cost\b/u,
  ],
  [
    'duration',
    /\bhow (?:long|soon|quickly|fast|many (?:seconds|minutes|hours|days|weeks|months|years))\b|\bwhat .{0,30}\b(?:duration|length of time|delivery time|response time|lead time|notice period|contract length|lifetime|time limit)\b|\bfor what period\b/u,
  ],
  [
    'count',
    /\bhow many\b|\b(?:what|which) (?:is the )?(?:total |maximum |minimum |average )?(?:number|quantity|count|capacity|population)\b|\bhow (?:large|big) is\b|\bby how much\b|\bhow much\b/u,
  ],
  [
    'date',
    /\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|decade|time|era)\b|\b(?:in|on|during|since|until|by) (?:what|which) (?:year|date|days?|month|century|decade|time)\b|\bhow old\b/u,
  ],
  [
    'place',
    /\bwhere\b|\b(?:what|which) (?:city|cities|country|countries|town|place|region|state|continent|location|area|island|river|province|colony|territory)\b/u,
  ],
  [
    'person',
    /\bwho(?:se|m)?\b|\b(?:what|which) (?:person|king|queen|emperor|president|leader|company|organi[sz]ation|group|university|general|author|scientist|man|woman|people)\b/u,
  ],
  [
    'contact',
    /\bhow (?:can|do|may|could) (?:i|we|one) (?:contact|reach|get in touch|write to|book|sign up)\b|\b(?:e-?mail|web) address\b|\bphone number\b/u,
  ],
]

const es: Lexicon = [
  ['version', /\bque version\b/u],
  ['colour', /\b(?:que|cual(?:es)?|de que)(?: \S+)? color/u],
  ['weight', /\bpesan?\b|\bpeso\b/u],
  ['loudness', /\bruid|\bdecibel/u],
  ['percent', /\bporcentaje\b|\bprecis/u],
  ['money', /\bcuanto (?:cuesta|vale|cuestan|valen|pago)\b|\b(?:precio|coste|costo|tarifa)\b/u],
  ['frequency', /\bcada cuanto\b|\bfrecuencia\b|\bcuantas veces\b/u],
  ['duration', /\bcuanto (?:tiempo|tarda|dura|duran)\b|\bcuant[oa]s (?:segundos|minutos|horas|dias|semanas|meses|anos)\b|\bplazo\b/u],
  ['count', /\bcuant[oa]s?\b|\bnumero de\b/u],
  ['date', /\bcuando\b|\bque (?:ano|dia|fecha|mes)\b|\bdesde cuando\b/u],
  ['place', /\bdonde\b|\bque (?:ciudad|pais|paises|lugar)\b/u],
  ['person', /\bquien(?:es)?\b/u],
]

const fr: Lexicon = [
  ['version', /\bquelle version\b/u],
  ['colour', /\bquel(?:le)?s? (?:est la )?couleur/u],
  ['weight', /\bpes(?:e|ent)\b|\bpoids\b/u],
  ['loudness', /\bbruit|\bbruyant|\bdecibel/u],
  ['percent', /\bpourcentage\b|\bprecision\b/u],
  ['money', /\bcombien (?:coute|coutent|ca coute|vaut|est-ce)\b|\b(?:prix|cout|tarif)\b|\bcout(?:e|ent)\b/u],
  ['frequency', /\ba quelle frequence\b|\btous les combien\b|\bcombien de fois\b/u],
  ['duration', /\bcombien de (?:temps|secondes|minutes|heures|jours|semaines|mois|annees|ans)\b|\b(?:duree|delai)\b|\bdepuis combien\b/u],
  ['count', /\bcombien\b|\bnombre de\b/u],
  ['date', /\bquand\b|\bquelle (?:annee|date)\b|\bquel (?:jour|mois)\b/u],
  ['place', /\bou (?:est|sont|se|peut|puis|trouve)\b|^ou\b|\bquel(?:le)?s? (?:ville|pays|lieu)\b|\bd'ou\b/u],
  ['person', /\bqui\b/u],
]

const de: Lexicon = [
  ['version', /\bwelche[rn]? version\b/u],
  ['colour', /\bwelche[rns]? farben?\b|\bfarbe (?:hat|haben)\b/u],
  ['weight', /\bwie schwer\b|\bwiegt\b|\bgewicht\b/u],
  ['loudness', /\bwie (?:laut|leise)\b|\bdezibel\b|\blautstarke\b/u],
  ['percent', /\bprozent\b|\banteil\b|\bwie genau\b/u],
  ['money', /\b(?:was|wie ?viel) kostet\b|\bkoste(?:t|n)\b|\bwie teuer\b|\bpreise?\b|\bgebuhr/u],
  ['frequency', /\bwie (?:oft|haufig)\b/u],
  [
    'duration',
    /\bwie (?:lange|schnell)\b|\bwie ?viele (?:sekunden|minuten|stunden|tage|wochen|monate|jahre)\b|\bdauer|\blieferzeit\b|\bfrist\b|\blaufzeit\b/u,
  ],
  ['count', /\bwie ?viele?\b|\banzahl\b|\bwie (?:gross|hoch)\b/u],
  ['date', /\bwann\b|\bwelche[smn]? (?:jahr|tag|datum|monat)\b|\bseit wann\b/u],
  ['place', /\bwo\b|\bwohin\b|\bwoher\b|\bwelche[mnrs]? (?:stadt|land|landern|ort)\b/u],
  ['person', /\bwer\b|\bwem\b|\bwen\b|\bwessen\b/u],
]

const pt: Lexicon = [
  ['version', /\b(?:que|qual) versao\b/u],
  ['colour', /\b(?:que|qual|de que)(?: \S+)? cor(?:es)?\b/u],
  ['weight', /\bpesam?\b|\bpeso\b/u],
  ['loudness', /\bruido|\bbarulh|\bdecibe/u],
  ['percent', /\bpercentage[mn]|\bporcentagem\b|\bprecis[ao]/u],
  ['money', /\bquanto (?:custa|custam|vale|pago)\b|\b(?:preco|custo|tarifa)\b/u],
  ['frequency', /\bcom que frequencia\b|\bquantas vezes\b|\bde quanto em quanto\b/u],
  ['duration', /\bquanto (?:tempo|dura|demora|tarda)\b|\bquant[oa]s (?:segundos|minutos|horas|dias|semanas|meses|anos)\b|\bprazo\b/u],
  ['count', /\bquant[oa]s?\b|\bnumero de\b/u],
  ['date', /\bquando\b|\bque (?:ano|dia|data|mes)\b/u],
  ['place', /\bonde\b|\bque (?:cidade|pais|lugar)\b/u],
  ['person', /\bquem\b/u],
]

const ja: Lexicon = [
  ['version', /バージョン(?:は|を)|どのバージョン/u],
  ['colour', /何色|どんな色/u],
  ['weight', /重さ|重量|何キロ/u],
  ['money', /いくら|価格|料金|値段|費用/u],
  ['duration', /どのくらい(?:の時間|かか)|何(?:秒|分|時間|日間?|週間|か月|ヶ月|年間)|期間|どれくらいかか/u],
  ['count', /いくつ|何(?:人|社|台|件|個|名|カ国|か国)/u],
  ['date', /いつ|何年に?|何月|何日/u],
  ['place', /どこ/u],
  ['person', /誰|だれ/u],
]

const zh: Lexicon = [
  ['version', /(?:哪个|什么|几)版本|版本(?:号)?是/u],
  ['colour', /什么颜色|哪种颜色/u],
  ['weight', /多重|重量|几公斤/u],
  ['money', /多少钱|价格|费用|价钱|收费/u],
  ['duration', /多久|多长时间|几(?:秒|分钟|小时|天|周|个月|年)|多少(?:秒|分钟|小时|天|周|个月|年)/u],
  ['count', /多少|几(?:个|家|人|种|台)/u],
  ['date', /什么时候|何时|哪一?年|哪天|几月/u],
  ['place', /哪里|哪儿|在哪|哪个(?:城市|国家)/u],
  ['person', /谁/u],
]

const ar: Lexicon = [
  ['version', /[اأ]ي (?:اصدار|نسخة)/u],
  ['colour', /ما لون|[اأ]ي لون/u],
  ['weight', /وزن/u],
  ['money', /(?:سعر|ثمن|تكلفة|يكلف|تكلف)/u],
  ['duration', /كم (?:من الوقت|ثانية|دقيقة|ساعة|يوم|اسبوع|شهر|سنة|يستغرق|تستغرق|تدوم|يدوم|مدة)|(?:ما|كم) (?:مدة|المدة)/u],
  ['count', /(?:^|\s)كم(?:\s|$)|عدد/u],
  ['date', /متى/u],
  ['place', /[اأ]ين/u],
  ['person', /(?:^|\s)من (?:هو|هي|اسس|أسس)/u],
]

const lexicons: Readonly<Record<string, Lexicon>> = { en, es, fr, de, pt, ja, zh, ar }

/** The kind of value `question` asks for, in the language of `tag` (English where there is no lexicon); undefined when it asks for none. */
export function questionTypeOf(question: string, tag: string): ValueType | undefined {
  const text = fold(question).toLowerCase()
  let first: { type: ValueType; at: number } | undefined
  for (const [type, pattern] of lexicons[baseLanguage(tag)] ?? en) {
    const at = text.search(pattern)
    if (at >= 0 && (first === undefined || at < first.at)) first = { type, at }
  }
  return first?.type
}
