// What everybody asks of any deck, in words of which the deck itself may hold none: what it costs, how to get in touch, how to join, when,
// where, and who has it already. By the kind of value asked for and by the words that slides use over such values, in the eight languages of the product.
import { baseLanguage } from '../../decks/language.ts'
import { fold } from './fold.ts'
import type { Candidate } from './rank.ts'
import type { IndexedChunk, IndexedUnit, SessionIndex } from './session-index.ts'
import { tokenise } from './tokens.ts'
import { valueBit } from './value-types.ts'

/** `asked`: the words of such a question; `told`: those of a title or a line that answers one. Both on folded lower case. */
interface Wording {
  asked: RegExp
  told: RegExp
}

type ByLanguage = Readonly<Record<string, Wording>>

const price: ByLanguage = {
  en: {
    asked: /\bhow (?:much|expensive|cheap)\b|\bprices?\b|\bpricing\b|\bcosts?\b|\bfees?\b|\bcharge\b|\bpay\b/gu,
    told: /\bprices?\b|\bpricing\b|\bcosts?\b|\bfees?\b|\brates?\b|\btariffs?\b|\bplans\b/u,
  },
  es: { asked: /\bcuanto\b|\bprecios?\b|\bcostes?\b|\bcuesta\w*|\bvale\b|\btarifas?\b/gu, told: /\bprecio|\bcoste|\bcuesta|\btarifa/u },
  fr: { asked: /\bcombien\b|\bcout\w*|\bprix\b|\btarifs?\b/gu, told: /\bprix\b|\bcout|\btarif/u },
  de: { asked: /\bwie ?viel\b|\bwie teuer\b|\bkoste\w*|\bpreise?\b/gu, told: /\bpreis|koste|\bgebuhr/u },
  pt: { asked: /\bquanto\b|\bprecos?\b|\bcust\w*|\btarifas?\b/gu, told: /\bpreco|\bcust|\btarifa/u },
  ja: { asked: /いくら|価格|料金|値段|費用/gu, told: /価格|料金|値段|費用/u },
  zh: { asked: /多少钱|价格|费用|收费|价钱/gu, told: /价格|费用|收费|价钱/u },
  ar: { asked: /كم|بكم|ال?سعر\S*|ال?ثمن\S*|ال?تكلفة|[يت]كلف/gu, told: /سعر|اسعار|ثمن|تكلفة/u },
}

const contact: ByLanguage = {
  en: {
    asked:
      /\b(?:get in touch|contact|reach|talk to (?:someone|somebody|a person|a human|sales)|(?:e-?mail|web) ?(?:address)?|(?:tele)?phone(?: number)?|call|write to|ask questions?)\b/gu,
    told: /\bcontact|\bcall\b|\bphone|\be-?mail|\breach|\bwrite\b|\bquestions?\b|\btouch\b/u,
  },
  es: {
    asked: /\bcontact\w*|\bcorreo\b|\be-?mail\b|\btelefono\b|\bllamar\w*|\bescribir\w*/gu,
    told: /\bcontact|\bcorreo|\bmail|\btelefono|\bllam|\bescrib|\bpreguntas/u,
  },
  fr: {
    asked: /\bcontact\w*|\bjoindre\b|\bcourriel\b|\be-?mail\b|\btelephone\b|\bappeler\b|\becrire\b/gu,
    told: /\bcontact|\bcourriel|\bmail|\btelephone|\bappel|\becri|\bquestions/u,
  },
  de: {
    asked: /\bkontakt\w*|\berreich\w*|\btelefon\w*|\be-?mail\w*|\banrufen\b|\bschreiben\b/gu,
    told: /\bkontakt|\btelefon|\bmail|\banruf|\bruf|\bschreib|\bfragen/u,
  },
  pt: {
    asked: /\bconta(?:c?t)\w*|\btelefone\b|\be-?mail\b|\bfalar com\b|\bligar\b/gu,
    told: /\bcontac?t|\btelefone|\bmail|\bfale\b|\bligue|\bescreva|\bperguntas/u,
  },
  ja: { asked: /連絡先?|問い合わせ|電話(?:番号)?|メール(?:アドレス)?/gu, told: /連絡|問い合わせ|電話|メール|質問/u },
  zh: { asked: /联系(?:方式)?|电话|邮箱/gu, told: /联系|电话|邮箱|提问/u },
  ar: { asked: /(?:ال|ا)?تواصل(?: معكم?)?|ال?اتصال(?: بكم?)?|ال?هاتف|ال?بريد/gu, told: /تواصل|اتصال|هاتف|بريد/u },
}

const joining: ByLanguage = {
  en: {
    asked: /\b(?:sign up|register|registration|enrol\w*|join|book|apply|order|get started|subscribe)\b/gu,
    told: /\bsign up|\bregist|\benrol|\bjoin|\bbook|\bapply|\border|\bnext steps?\b|\bstart/u,
  },
  es: { asked: /\binscrib\w*|\binscripcion\b|\bregistr\w*|\breserv\w*|\bapunt\w*/gu, told: /\binscri|\bregistr|\breserv/u },
  fr: { asked: /\binscri\w*|\breserv\w*|\bcommander\b/gu, told: /\binscri|\breserv|\bcommand/u },
  de: { asked: /\banmeld\w*|\bmelde\b|\bbuch\w*|\bbestell\w*/gu, told: /\banmeld|\bbuch|\bbestell/u },
  pt: { asked: /\binscr\w*|\breserv\w*|\bregist\w*/gu, told: /\binscr|\breserv|\bregist/u },
  ja: { asked: /申し?込[みむ]?|予約|登録/gu, told: /申し?込|予約|登録/u },
  zh: { asked: /报名|预约|注册/gu, told: /报名|预约|注册/u },
  ar: { asked: /ال?تسجيل|اسجل|ال?حجز|احجز/gu, told: /تسجيل|حجز/u },
}

const time: ByLanguage = {
  en: {
    asked: /\bwhen\b|\b(?:what|which) (?:time|date|day)\b|\btake place\b|\bhappen\b|\bstarts?\b|\bbegins?\b/gu,
    told: /\bwhen\b|\bdates?\b|\btimes?\b|\bschedule\b/u,
  },
  es: {
    asked: /\bcuando\b|\bque (?:hora|fecha|dia)\b|\bempieza\b|\bcomienza\b|\btiene lugar\b/gu,
    told: /\bcuando\b|\bfecha|\bhorario|\bhora\b/u,
  },
  fr: { asked: /\bquand\b|\bquelle (?:heure|date)\b|\bcommence\w*|\ba lieu\b/gu, told: /\bquand\b|\bdate|\bhoraire|\bheure\b/u },
  de: {
    asked: /\bwann\b|\bum wie ?viel uhr\b|\bbeginnt\b|\bstartet\b|\bfindet\b|\bstatt\b/gu,
    told: /\bwann\b|\btermin|\bdatum\b|\bzeit/u,
  },
  pt: { asked: /\bquando\b|\bque (?:horas?|dia|data)\b|\bcomeca\b/gu, told: /\bquando\b|\bdata|\bhorario|\bhora\b/u },
  ja: { asked: /いつ|何時|始まり|開催/gu, told: /日時|日程|いつ|時間/u },
  zh: { asked: /什么时候|何时|几点|开始|举行/gu, told: /时间|日期/u },
  ar: { asked: /متى|[يت]بدأ|يبدا/gu, told: /متى|موعد|تاريخ|وقت/u },
}

const place: ByLanguage = {
  en: {
    asked: /\bwhere\b|\b(?:what|which) (?:place|address|venue)\b|\btake place\b|\blocated\b|\bheld\b/gu,
    told: /\bwhere\b|\bplace\b|\bvenue\b|\blocation\b|\baddress\b/u,
  },
  es: { asked: /\bdonde\b|\ben que lugar\b|\btiene lugar\b/gu, told: /\bdonde\b|\blugar\b|\bdireccion\b/u },
  fr: { asked: /\bou\b|\bquel lieu\b|\bquelle adresse\b|\ba lieu\b/gu, told: /\bou\b|\blieu\b|\badresse\b/u },
  de: { asked: /\bwo\b|\bfindet\b|\bstatt\b|\bwelche[rs]? (?:adresse|ort)\b/gu, told: /\bwo\b|\bort\b|\badresse\b/u },
  pt: { asked: /\bonde\b|\bque (?:lugar|local)\b/gu, told: /\bonde\b|\blocal\b|\bendereco\b|\bmorada\b/u },
  ja: { asked: /どこ|場所|開催/gu, told: /場所|会場|どこ/u },
  zh: { asked: /在?哪里|在?哪儿|在哪|什么地方|地点|举行/gu, told: /地点|地址|哪里/u },
  ar: { asked: /اين|ال?مكان/gu, told: /اين|مكان|عنوان/u },
}

const customers: ByLanguage = {
  en: {
    asked: /\bwho (?:else |already )?(?:uses?|is using)\b|\bcustomers?\b|\bclients?\b|\breferences?\b/gu,
    told: /\bcustomers?\b|\bclients?\b|\busers\b|\breferences?\b|\b(?:used|trusted) by\b/u,
  },
  es: { asked: /\bquien(?:es)? (?:lo |la )?usan?\b|\bclientes\b/gu, told: /\bclientes\b|\busuarios\b|\breferencias\b/u },
  fr: { asked: /\bqui (?:l')?utilise\w*|\bclients\b/gu, told: /\bclients\b|\butilisateurs\b|\breferences\b/u },
  de: { asked: /\bwer (?:nutzt|benutzt|verwendet)\b|\bkunden\b/gu, told: /\bkunden|\bnutzer|\banwender|\breferenzen\b/u },
  pt: { asked: /\bquem (?:o |a )?usa\b|\bclientes\b/gu, told: /\bclientes\b|\busuarios\b|\butilizadores\b|\breferencias\b/u },
  ja: { asked: /誰が使って(?:いますか)?|お?客様|顧客|導入(?:企業|実績)?/gu, told: /顧客|お客様|導入|利用者/u },
  zh: { asked: /谁在(?:使)?用|客户/gu, told: /客户|用户/u },
  ar: { asked: /من يستخدم\S*|ال?عملاء\S*/gu, told: /عملاء|مستخدم/u },
}

const anyText = 0
const topics: readonly { wordings: ByLanguage; wanted: number }[] = [
  { wordings: price, wanted: valueBit.money },
  { wordings: contact, wanted: valueBit.contact },
  { wordings: joining, wanted: valueBit.contact },
  { wordings: time, wanted: valueBit.date },
  { wordings: place, wanted: valueBit.place },
  { wordings: customers, wanted: anyText },
]

/** Names for the deck's subject, and verbs, that add nothing to such a question; the words of its first slide are others. */
const subject =
  /\b(?:product|service|solution|tool|system|thing|course|event|session|offer|show|tell|list|whole|total|altogether|producto|servicio|curso|evento|produit|service|cours|produkt|kurs|veranstaltung|produto|servico)\b/gu
const quotesMax = 3
/** Slides come first; what is general is not said behind so many. */
const chunksMost = 1_000

/** The words of the first slide: what the talk is of. */
function subjectTerms(index: SessionIndex): ReadonlySet<string> {
  const first = index.chunks[0]
  if (first === undefined) return new Set()
  const lines = [first.title, ...first.units.map(({ text }) => text)].join('\n')
  return new Set(tokenise(lines, index.language).map(({ term }) => term))
}

function isBare(rest: string, index: SessionIndex): boolean {
  const own = subjectTerms(index)
  return tokenise(rest.replace(subject, ' '), index.language).every(({ term, weight }) => weight === 0 || own.has(term))
}

function answersIn(chunk: IndexedChunk, { told }: Wording, wanted: number): readonly IndexedUnit[] {
  const holds = (text: string) => told.test(fold(text).toLowerCase())
  // One look at the whole chunk: nearly all say nothing of it.
  if (!holds([chunk.title, ...chunk.units.map(({ text }) => text)].join('\n'))) return []
  const isTitled = holds(chunk.title)
  // A title alone answers nothing.
  const units = chunk.units.filter(({ place }) => place?.block !== -1)
  return units.filter((unit) => (wanted === anyText || (unit.values & wanted) !== 0) && (isTitled || holds(unit.text)))
}

/** Units that answer a question of nothing but such words, those of one chunk; none where it asks for more, or the deck holds none. */
export function generalAnswer(question: string, index: SessionIndex): readonly Pick<Candidate, 'chunk' | 'unit'>[] {
  const text = fold(question).toLowerCase()
  const language = baseLanguage(index.language)
  for (const { wordings, wanted } of topics) {
    const wording = wordings[language] ?? wordings['en']
    if (wording === undefined) continue
    const rest = text.replace(wording.asked, ' ')
    if (rest === text || !isBare(rest, index)) continue
    for (const chunk of index.chunks.slice(0, chunksMost)) {
      const units = answersIn(chunk, wording, wanted)
      if (units.length > 0) return units.slice(0, quotesMax).map((unit) => ({ chunk, unit }))
    }
  }
  return []
}
