// Things said to the presenter that are no question about the content: greetings, thanks, "repeat that", "go to slide 4". Short whole
// utterances only, so that a question which merely contains such a word is still answered from the deck.
import { fold } from '../retrieval/fold.ts'
import type { Signal } from './answer-part.ts'
import type { Places } from './slide-places.ts'
import { numberSlides } from './slide-places.ts'
import { wants } from './wishes.ts'

export type Intent =
  | {
      type:
        | 'greeting'
        | 'thanks'
        | 'repeat'
        | 'summary'
        | 'overview'
        | 'who_are_you'
        | 'acknowledgement'
        | 'help'
        | 'recorded'
        | 'slide_count'
        | 'length'
        | 'slower'
        | 'faster'
        | 'pause'
        | 'resume'
        | 'next'
        | 'previous'
        | 'shorter'
        | 'longer'
    }
  | { type: 'goto'; slide: number }
  | { type: 'slide_text'; slide: number }
  | { type: 'goto_title'; words: string }

type Phrase = Exclude<Intent['type'], 'goto' | 'slide_text' | 'goto_title'>

const greetings =
  'hi|hello|hey|hi there|hello there|good (?:morning|afternoon|evening)|greetings|hola|buenos dias|buenas tardes|buenas noches|bonjour|bonsoir|salut|hallo|guten (?:tag|morgen|abend)|servus|moin|ola|oi|bom dia|boa tarde|boa noite|こんにちは|おはようございます|こんばんは|你好|您好|早上好|大家好|مرحبا|السلام عليكم|اهلا|how are you(?: doing)?|how is it going|como esta[s]?|(?:comment )?ca va|comment allez-vous|wie geht es (?:dir|ihnen)|wie geht.s|tudo bem|como vai|お元気ですか|你好吗|كيف حالك'
const thanks =
  '(?:ok(?:ay)? )?(?:thanks?|thank you|thx|cheers|many thanks|thanks a lot|thank you (?:very|so) much)|gracias|muchas gracias|merci(?: beaucoup| bien)?|danke(?: schon| sehr)?|vielen dank|obrigad[oa]|muito obrigad[oa]|ありがとう(?:ございます|ございました)?|谢谢(?:你|您)?|多谢|شكرا(?: لك| جزيلا)?'
const repeats =
  '(?:please |can you |could you )?(?:repeat|say)(?: that| it| this)?(?: again)?(?: please)?|(?:sorry )?(?:pardon|come again|what did you say)|once more(?: please)?|(?:puede |puedes )?(?:repetir|repetirlo|repita|repite)(?: eso| por favor)?|otra vez|(?:pouvez-vous |peux-tu )?repete[rz]?(?: ca| cela| s.il vous plait)?|encore une fois|(?:bitte )?(?:noch ?mal|noch einmal|wiederholen(?: sie das)?)(?: bitte)?|wie bitte|(?:pode )?(?:repetir|repita)(?: isso| por favor)?|de novo|もう一度(?:言ってください|お願いします)?|再说一遍|请重复(?:一遍)?|اعد(?: ذلك)?|كرر ذلك|(?:sorry )?what|i (?:did not|didn.t|do not|don.t) (?:understand|get|catch|hear)(?: (?:that|it|this|you))?|what do you mean(?: by that)?|explain (?:that|this|it)(?: again)?|no (?:lo )?(?:he entendido|entendi|entiendo)(?: eso)?|je n.ai pas (?:compris|entendu)|(?:das habe ich|ich habe (?:das|sie|dich)?) ?nicht (?:verstanden|gehort)|was mein(?:en sie|st du)(?: damit)?|nao (?:entendi|percebi|ouvi)|わかりません(?:でした)?|聞こえません(?:でした)?|(?:我)?没听(?:懂|清)(?:楚)?|لم (?:افهم|اسمع)'
const summaries =
  '(?:please |can you |could you |can i (?:have|get) )?(?:a |give (?:me |us )?(?:a )?)?(?:short |quick |brief )?(?:summari[sz]e|summary|recap|sum up|overview)(?: (?:of )?(?:this|that|it|the (?:talk|presentation|deck|slides)|what (?:you(?:.ve)?|we(?:.ve)?|i) .{0,20}|so far|everything))*(?: so far)?(?: please)?|what (?:have (?:we|you) (?:covered|said)|did i miss|have i missed|was said)(?: so far)?|(?:un )?resumen(?: por favor)?|resume(?:n|ir)?(?: lo anterior)?|(?:un )?resume(?: s.il vous plait)?|resume[rz](?: .{0,20})?|(?:eine )?zusammenfassung(?: bitte)?|fass(?:en sie)?(?: das)? zusammen|was habe ich verpasst|(?:um )?resumo(?: por favor)?|resum[ai]r?|要約(?:して(?:ください)?)?|まとめて(?:ください)?|总结(?:一下)?|概括一下|لخص(?: ما سبق)?|ملخص'
const overviews =
  '(?:so )?what(?: is|.s| will) (?:this|the|your|today.s) (?:talk|presentation|session|deck|webinar|demo)(?: be)?(?: all)? about|(?:so )?what(?: is|.s) (?:this|it)(?: all)? about|what (?:will|are|do) (?:you|we) (?:going to )?(?:talk|talking|speak|cover|covering|discuss|present|presenting)(?: about)?(?: today)?|(?:what(?: is|.s) )?(?:on )?(?:the |your )?(?:agenda|topics?)(?: today)?|de que (?:trata|va)(?: (?:esta|la) (?:charla|presentacion|sesion))?|de quoi (?:parle|traite)(?:-t-(?:on|il))?(?: (?:cet|cette|l.|la) ?(?:expose|presentation|session))?|(?:de quoi s.agit-il)|worum geht (?:es|s)(?: hier| heute| in (?:diesem|dem) vortrag)?|wovon handelt (?:dieser|der) vortrag|(?:sobre o que e|do que trata)(?: (?:esta|a) (?:apresentacao|palestra|sessao))?|(?:この)?(?:発表|プレゼン|話)?(?:は)?何について(?:ですか|の(?:発表|話)ですか)?|(?:这个|本次)?(?:演讲|讲座|介绍)?(?:是)?(?:关于|讲)什么(?:的)?|(?:عن )?(?:ماذا|عما|عم) (?:يتحدث|يدور) (?:هذا )?العرض|ما موضوع (?:هذا )?العرض'
const whos =
  '(?:hi |hello )?(?:who|what) are you|who is (?:the )?(?:speaker|presenter|speaking|talking|presenting)|quien (?:habla|presenta)|qui (?:parle|presente)|wer (?:spricht|prasentiert)(?: hier)?|quem (?:fala|apresenta)|誰が話していますか|谁在(?:讲|说话)|من يتحدث|are you (?:a |an )?(?:human|robot|bot|ai|real(?: person)?|machine|person|automated|automatic)|am i (?:talking|speaking) (?:to|with) (?:a |an )?(?:human|robot|bot|ai|person|machine)|quien eres|quien es usted|eres (?:un )?(?:robot|humano|humana|persona)|qui (?:etes-vous|es-tu)|(?:etes-vous|es-tu) (?:un )?(?:robot|humain)|wer (?:bist du|sind sie)|(?:bist du|sind sie) ein (?:mensch|roboter)|quem e voce|voce e (?:um )?(?:robo|humano|pessoa)|あなたは(?:誰|だれ|人間|ロボット|ai)(?:ですか)?|你是谁|您是谁|你是(?:机器人|人|真人|ai)吗|من انت|هل انت (?:انسان|روبوت|الة)'
const acknowledgements =
  '(?:ok(?:ay)?|yes|yeah|yep|no|nope|sure|fine|great|cool|nice|perfect|good|all right|alright|got it|i see|understood|understand|never ?mind|no thanks|no thank you|(?:thanks|thank you) (?:that.s|that is) (?:all|it)|(?:that.s|that is) (?:all|it)|bye|goodbye|see you|si|vale|de acuerdo|entendido|adios|oui|non|d.accord|compris|au revoir|ja|nein|gut|alles klar|verstanden|tschuss|auf wiedersehen|sim|nao|certo|entendi|tchau|はい|いいえ|わかりました|了解(?:です|しました)?|さようなら|好(?:的)?|是(?:的)?|不|明白(?:了)?|再见|نعم|لا|حسنا|فهمت|مع السلامة)'
const helps =
  'help|what can (?:you|i) (?:do|ask|say)(?: you| here)?|how do i ask(?: you)?(?: a question| something)?|ayuda|que (?:puedes|puede) hacer|que puedo preguntar|aide|que (?:pouvez-vous|peux-tu) faire|hilfe|was (?:kannst du|konnen sie)(?: alles)?|was kann ich fragen|ajuda|o que (?:voce )?(?:pode|sabe) fazer|ヘルプ|何ができますか|帮助|你(?:能|会)(?:做|干)什么|مساعدة|ماذا يمكنك ان تفعل'
const recordings =
  '(?:is|are) (?:this|it|we|the (?:talk|call|session)|you) (?:being )?record(?:ed|ing)(?: this)?|do you record(?: this| me| us)?|(?:se )?esta(?: se)? grabando(?: esto)?|est-ce (?:que c.est )?enregistre|c.est enregistre|wird (?:das|dies|hier)(?: hier)? (?:aufgezeichnet|aufgenommen)|isto? esta sendo gravado|isso esta sendo gravado|録音されて(?:い)?ますか|録画されて(?:い)?ますか|(?:这|现在)?(?:在)?录(?:音|像)吗|هل يتم التسجيل|هل هذا مسجل'
const slideCounts =
  'how many (?:slides|pages)(?: are there| are left| does (?:it|this|the deck) have| left| to go| remain)?|cuantas diapositivas(?: hay| son| quedan| faltan)?|combien de diapositives(?: y a-t-il| reste-t-il| il y a)?|wie ?viele folien(?: gibt es| sind es| hat (?:er|sie|der vortrag)| kommen noch| sind ubrig)?|quantos slides(?: ha| sao| tem| faltam)?|スライドは(?:全部で|あと)?何枚(?:ありますか|ですか)?|(?:一共|总共|还)?有(?:多少|几)张幻灯片|كم (?:شريحة(?: بقيت| هناك)?|عدد الشرايح)'
const lengths =
  'how long (?:is|will) (?:this|the|your) (?:talk|presentation|webinar)(?: take| last| be| go on)?|how much longer(?: is (?:this|it)| will (?:this|it) take)?|how much time is (?:left|remaining)|how many minutes (?:are left|to go)|cuanto (?:dura|falta)(?: (?:de |para (?:terminar|el final) ?)?(?:la|esta) (?:charla|presentacion))|cuanto tiempo (?:queda|falta)|combien de temps (?:dure (?:la|cette|cet) (?:presentation|expose)|reste-t-il)|wie lange (?:dauert|geht) (?:der|dieser|die|diese) (?:vortrag|prasentation)(?: noch)?|wie lange noch|quanto (?:tempo )?(?:dura (?:a|esta) (?:apresentacao|palestra)|falta|tempo falta)|(?:発表|プレゼン)は(?:あと)?(?:何分|どのくらい)(?:かかりますか|ですか|続きますか)?|あと何分(?:ですか|かかりますか)?|(?:演讲|讲座|介绍)(?:要|有)?多(?:长|久)(?:时间)?|还(?:有|要)(?:多久|多长时间)|كم (?:مدة العرض|بقي من الوقت|يستغرق العرض)'
const slowers =
  '(?:please )?(?:speak |talk |go )?(?:a (?:bit|little) )?(?:slower|more slowly|slow down)(?: please)?|too fast|mas (?:despacio|lento)|(?:plus lentement|moins vite|ralentissez)|(?:bitte )?langsamer|mais devagar|もっとゆっくり|慢一点|ابطا|ببطء'
const fasters =
  '(?:please )?(?:speak |talk |go )?(?:a (?:bit|little) )?(?:faster|quicker|speed up)(?: please)?|too slow|mas rapido|plus vite|accelerez|(?:bitte )?schneller|mais rapido|もっと(?:速|早)く|快一点|اسرع'
const shorters =
  '(?:please )?(?:(?:make|keep) (?:it|this) )?(?:a (?:bit|little) )?(?:shorter|briefer|more brief(?:ly)?|be brief|brief(?:ly)?|in short|just the (?:main|key) points|too (?:long|much detail)|less detail)(?: please)?|mas (?:corto|breve)|plus (?:court|bref)|(?:bitte )?(?:kurzer|fassen sie sich kurz)|mais curto|mais breve|もっと短く(?:して(?:ください)?)?|短くして(?:ください)?|(?:简短|短)一(?:点|些)|باختصار|اختصر'
const longers =
  '(?:please )?(?:(?:make|tell) (?:it|this) )?(?:a (?:bit|little) )?(?:longer|more detail(?:s|ed)?|in (?:full|detail)|the (?:full|long) version|too (?:short|brief))(?: please)?|mas (?:largo|detalles?|detallado)|plus (?:long|de details?|detaille)|(?:bitte )?(?:langer|ausfuhrlicher|mehr details?)|mais (?:longo|detalhes?|detalhado)|もっと(?:詳しく|長く)(?:して(?:ください)?)?|(?:详细|长)一(?:点|些)|بالتفصيل|مزيد من التفاصيل'
const pauses =
  '(?:please )?(?:pause|wait|stop|hold on|one moment)(?: please)?|pausa|espera|espere|attendez|stopp|warte|warten sie|pare|待って|停一下|暂停|انتظر|توقف'
const resumes =
  '(?:please )?(?:continue|go on|carry on|resume|keep going|proceed)(?: please)?|continua|continue[rz]?|siga|sigue|weiter|fahren sie fort|prossiga|続けて|继续|تابع|استمر'
const nexts =
  '(?:(?:go to |show )?(?:the )?next(?: slide)?)(?: please)?|siguiente(?: diapositiva)?|(?:diapositive )?suivante|nachste(?: folie)?|proximo(?: slide)?|次(?:へ|のスライド)?|下一(?:页|张)|التالي|الشريحة التالية'
const previouses =
  '(?:(?:go )?back|(?:go to |show )?(?:the )?previous(?: slide)?|(?:the )?last slide)(?: please)?|anterior|atras|(?:diapositive )?precedente|zuruck|vorige(?: folie)?|voltar|前(?:へ|のスライド)|上一(?:页|张)|السابق|الشريحة السابقة'

const phrases: readonly [Phrase, RegExp][] = (
  [
    ['greeting', greetings],
    ['thanks', thanks],
    ['repeat', repeats],
    ['summary', summaries],
    ['overview', overviews],
    ['who_are_you', whos],
    ['acknowledgement', acknowledgements],
    ['help', helps],
    ['recorded', recordings],
    ['slide_count', slideCounts],
    ['length', lengths],
    ['slower', slowers],
    ['faster', fasters],
    ['shorter', shorters],
    ['longer', longers],
    ['pause', pauses],
    ['resume', resumes],
    ['next', nexts],
    ['previous', previouses],
  ] as const
).map(([type, source]) => [type, new RegExp(`^(?:${source})$`, 'u')])

const goto =
  /^(?:(?:please |can you |could you )?(?:go|jump|switch|skip|move|take (?:me|us)|show(?: me)?|open)\s?(?:back )?(?:to )?)?(?:the )?(?:slide|page|diapositiva|lamina|diapositive|folie|slide numero|スライド|第|الشريحة)\s?(?:number |no\.? |numero |nummer |رقم )?(\d{1,4})(?:\s?(?:page|张|页|枚目?))?(?:.{0,12}(?:を?見せて|に(?:移動|行って)|幻灯片))?(?: please| por favor| bitte)?$/u
const gotoOther =
  /^(?:ir a|ve a|vaya a|va a|allez a|aller a|gehe? zu|zeige?|va para|ir para|跳到|转到|打开|انتقل الى|اذهب الى)\s?(?:la |le |o |a )?(?:diapositiva|lamina|diapositive|folie|slide|第|الشريحة)\s?(\d{1,4})(?!\d|[. ]\d)/u

/** "What does slide 4 say?" */
const onSlide =
  /^(?:what(?: does| is| was|.s)(?: on)? (?:the )?(?:slide|page)|(?:read|summari[sz]e|explain)(?: me)? (?:the )?slide|(?:give me )?(?:a |the )?summary of (?:the )?slide|que (?:dice|hay en|pone en) (?:la )?diapositiva|(?:que dit|qu.y a-t-il sur|qu.est-ce qu.il y a sur) (?:la )?diapositive|was (?:(?:steht|ist) auf|sagt|zeigt) (?:der |die )?folie|o que (?:diz|tem|ha)(?: o| no)? slide|スライド|第|ماذا (?:تقول|في|يوجد في) الشريحة)\s?(?:number |no\.? |numero |nummer |رقم )?(\d{1,4})(?: say| about| mean| show)?(?:(?:に)?は?何(?:が|と)(?:書いてありますか|ありますか|書かれていますか))?(?:(?:张|页)(?:幻灯片)?(?:上)?(?:写|说|讲|有)(?:了|的是)?什么)?$/u
/** "Go to pricing". The words are looked for in the titles of slides. */
const toTitle =
  /^(?:(?:go|jump|switch|skip|take (?:me|us))(?: back)? to|show(?: me| us)?|open|ve a|vaya a|ir a|muestra(?:me)?|va a|allez a|montre[rz]?(?:-moi)?|geh(?:en sie|e)? zu[rm]?|zeig(?:en sie|e)?(?: mir)?(?: bitte)?|va para|mostre(?:-me)?|跳到|转到|打开|انتقل الى|اذهب الى|ارني)\s?(?:the |la |el |le |les |l'|die |der |das |den |o |a |os |as )?(.{2,60}?)(?: slides?| page| folie|(?:那)?(?:一)?(?:页|张))?$|^(.{2,40}?)(?:のスライド)?(?:へ|に|を)(?:移動(?:して(?:ください)?)?|見せて(?:ください)?|戻って(?:ください)?)$/u
/** Before a wish: "Could you please ...". */
const politely =
  /^(?:(?:please|can|could|would|will) (?:you )?(?:please )?|(?:puede|puedes|podria|podrias)(?: usted)? |(?:pouvez-vous|peux-tu|pourriez-vous|pourrais-tu) |(?:bitte )?(?:kannst du|konnen sie|konnten sie|konntest du)(?: bitte)? |(?:voce )?(?:pode|poderia) )(?=.)/u

function bare(question: string): string {
  return (
    fold(question)
      .toLowerCase()
      .replace(/[إأآ]/gu, 'ا')
      .replace(/[’`]/gu, "'")
      .replace(/(?<![\p{P}\p{S}])[\p{P}\p{S}]+$/gu, '')
      .replace(/^[\p{P}\p{S}]+/gu, '')
      // "Next slide, please."
      .replace(/[,،、，]/gu, ' ')
      .replace(/\s+/gu, ' ')
      .trim()
  )
}

/** The intent of a whole utterance, or undefined when it is a question about the content. */
export function intentOf(question: string, places: Places): Intent | undefined {
  if (question.length > 120) return undefined
  const text = bare(question)
  return intentIn(numberSlides(text, places)) ?? intentIn(numberSlides(text.replace(politely, ''), places))
}

function intentIn(text: string): Intent | undefined {
  const slide = (goto.exec(text) ?? gotoOther.exec(text))?.[1]
  if (slide !== undefined) return { type: 'goto', slide: Number(slide) }
  const read = onSlide.exec(text)?.[1]
  if (read !== undefined) return { type: 'slide_text', slide: Number(read) }
  const found = phrases.find(([, pattern]) => pattern.test(text))
  if (found) return { type: found[0] }
  const [, words = '', others = words] = toTitle.exec(text) ?? []
  return others === '' ? undefined : { type: 'goto_title', words: others }
}

const signals: readonly [Signal, RegExp][] = [
  [
    'trial',
    /\b(?:free trial|trial|try it|try out|pilot|demo|test (?:version|account)|prueba gratuita|(?:periodo|version) de prueba|probar|piloto|essai gratuit|(?:periode|version) d'essai|essayer|pilote|testphase|testversion|testzugang|probe(?:abo|zeit|monat|version|zugang)|ausprobieren|teste gratis|periodo de teste|experimentar)\b|試用|トライアル|试用|تجربة|تجريب/u,
  ],
  [
    'booking',
    /\b(?:book|sign up|buy|purchase|get started|place an order|how (?:do|can) (?:i|we) (?:order|start|join)|schedule a|reservar|comprar|inscrib\w*|acheter|commander|reserver|inscri\w*|buchen|kaufen|bestellen|anmelden|agendar|contratar)\b|購入|申し込|予約|购买|注册|预约|شراء|حجز|تسجيل/u,
  ],
  [
    'contact',
    /\b(?:contact|reach you|get in touch|talk to (?:someone|a person|sales|a human)|e-?mail address|phone number|call you|contacto|contactar|correo|telefono|contacter|courriel|telephone|kontakt\w*|erreichen|telefonnummer|contato|contatar|telefone)\b|連絡|問い合わせ|联系|电话|تواصل|اتصال/u,
  ],
  [
    'price',
    /\b(?:price|prices|pricing|cost|costs|fee|fees|how expensive|quote|discount|precio|precios|cuesta\w*|coste|tarifa|descuento|prix|coute\w*|tarif|remise|preis\w*|kostet|kosten|rabatt|preco|precos|custa\w*|desconto)\b|価格|料金|いくら|値段|价格|多少钱|费用|سعر|تكلفة|ثمن/u,
  ],
]

/** What the question shows of the attendee's interest, if anything. */
export function signalOf(question: string): Signal | undefined {
  const text = bare(question)
  return wants(text) ? 'booking' : signals.find(([, pattern]) => pattern.test(text))?.[0]
}

/** Whether they want the thing itself, and ask nothing that a deck could have answered. */
export const isWish = (question: string): boolean => wants(bare(question))

const followUp =
  /^(?:and|or|but|what about|how about|also|y|pero|que tal|et|mais|und|aber|was ist mit|e|mas|那|那么|では|じゃあ|و)\b|^(?:那|では|じゃあ|それ|و)|\b(?:it|its|they|them|their|that|this|these|those|one|ones|he|she|there)\b/u

/** Whether a question leans on the one before it ("and for nurses?", "how heavy is it?"). */
export function isFollowUp(question: string): boolean {
  return followUp.test(bare(question))
}
