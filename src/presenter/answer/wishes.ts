// What somebody says who wants the thing itself: to buy, sign up, book, get an offer, be called. "Where do I sign up?" asks for a way in
// and not for content, so a deck that has no answer has not failed. Every phrase needs who wants, or an order to the host, beside the
// act: "How do I register a webhook?" and "Was kostet das?" are questions about the content.

const en = [
  // "I would like to buy this."
  String.raw`(?<!\b(?:do|did|should|when|if|why) )\b(?:i|we)(?! never| not)(?:'d|'m|'re| would| am| are| have)?(?: \w+)? (?:like|love|want|wanna|wish|need|plan|intend|ready|looking|decided|interested|keen)(?: to| in)? (?:\w+ )?(?:buy|buying|purchas(?:e|ing)|order(?:ing)? (?:it|this|one|two|some|a|an|\d+)|sign(?:ing)? (?:up|me up|us up)|subscribe|subscribing|enroll?|book(?:ing)?|get started|a (?:quote|demo|trial|subscription|call ?back)|get a (?:quote|demo|trial|licen[cs]e|subscription)|(?:talk|speak) (?:to|with) (?:sales|someone|a person|a human)|be contacted)\b`,
  // "Where do I sign up?"
  String.raw`\b(?:where|how|when) (?:do|can|could|may|should|would) (?:i|we)(?: \w+)? (?:buy|purchase|order (?:it|this|one)|sign up|get started|place an order|get a (?:quote|demo|trial)|book (?:a|it|this|one))\b`,
  String.raw`\b(?:where|how|when) (?:do|can|could|may|should) (?:i|we) (?:order|register|subscribe|enroll?|book|join)(?: (?:for )?(?:it|this|now|here|today|online|please))?$`,
  String.raw`\b(?:can|could|may) (?:i|we)(?: \w+)? (?:get|have|book|request|schedule|arrange) (?:a|an) (?:\w+ )?(?:quote|demo|trial|call|meeting|appointment|offer|call ?back)\b`,
  String.raw`\b(?:i|we)(?:'ll| will) (?:take|buy|order) (?:it|this|one|two|a|an|\d+)\b`,
  String.raw`\b(?:sign (?:me|us) up|take (?:my|our) money|send (?:me|us) (?:a|an|your|the) (?:\w+ )?(?:quote|offer|contract|proposal|invoice)|(?:please|you|someone|somebody) (?:please )?(?:call|contact) (?:me|us))\b`,
  String.raw`^(?:call|contact) (?:me|us)(?: back)?\b`,
]
const es = [
  String.raw`\b(?:quiero|queremos|quisiera|quisieramos|(?:me|nos) gustaria|deseo|deseamos|necesito|necesitamos|voy a|vamos a|(?:me|nos) interesa)(?: \w+)? (?:comprar\w*|adquirir\w*|contratar\w*|encargar\w*|pedirl[oa]s?|suscribir(?:me|nos)|inscribir(?:me|nos)|apuntar(?:me|nos)|registrar(?:me|nos)|dar(?:me|nos) de alta|reservar\w*|una (?:demo\w*|oferta|cotizacion)|un presupuesto|hablar con (?:ventas|alguien|un comercial))\b`,
  String.raw`\b(?:donde|como|cuando) (?:lo |la )?(?:(?:puedo|podemos|podria|se puede) )?(?:comprar\w*|compro|compramos|contratar\w*|encargar\w*|(?:me|nos) (?:suscrib|inscrib|apunt|registr)\w+|(?:suscribir|inscribir|apuntar|registrar)(?:me|nos)|(?:me doy|darme) de alta)\b`,
  String.raw`\b(?:(?:envie|envia|mande|manda)(?:me|nos) (?:un presupuesto|una oferta|una cotizacion)|(?:llame|llama|contacte)(?:me|nos)|pueden? (?:llamar|contactar)(?:me|nos))\b`,
]
const fr = [
  String.raw`\b(?:(?:je|nous) |j')(?:veux|voulons|voudrais|voudrions|souhaite|souhaitons|souhaiterais|souhaiterions|aimerais|aimerions|desire|desirons|vais|allons)(?: \w+)? (?:(?:l|m)'|nous |le |la |les |en )?(?:acheter|commander|souscrire|abonner|inscrire|reserver|un devis|une (?:demo\w*|offre)|parler a (?:un commercial|quelqu'un))\b`,
  String.raw`\b(?:ou|comment|quand) (?:est-ce que |puis-je |peut-on |pouvons-nous |dois-je )(?:(?:je|on|nous) )?(?:(?:peux|peut|pouvons) )?(?:(?:l|m)'|nous |le |la |les |en )?(?:achet\w+|command\w+|souscri\w+|abonne\w*|inscri\w+|reserv\w+)\b`,
  String.raw`\b(?:(?:envoyez|envoie)[- ](?:moi|nous) (?:un devis|une offre)|(?:appelez|rappelez|contactez)[- ](?:moi|nous)|pouvez-vous (?:me|nous) (?:rappeler|appeler|contacter|envoyer (?:un devis|une offre)))\b`,
]
const de = [
  String.raw`\b(?:ich|wir) (?:mochten?|will|wollen|wurden?|brauche|werden?|hatten?)(?: [\w-]+){0,4} (?:kaufen|bestellen|abonnieren|buchen|beauftragen|erwerben|(?:mich|uns)(?: [\w-]+){0,2} (?:anmelden|registrieren|eintragen)|(?:ein|ihr) angebot|eine[n]? (?:demo|ruckruf|testzugang))\b`,
  String.raw`\b(?:wo|wie|wann) (?:kann|konnen|darf|muss|soll) (?:ich|wir|man)(?: [\w-]+){0,3} (?:kaufen|bestellen|abonnieren|buchen|erwerben)\b`,
  String.raw`\b(?:wo|wie|wann) (?:kann|konnen|darf|muss|soll) (?:ich mich|wir uns|man sich)(?: [\w-]+){0,3} (?:anmelden|registrieren|eintragen)\b`,
  String.raw`\b(?:wo|wie|wann) (?:melde ich mich|melden wir uns)(?: [\w-]+){0,3} an\b`,
  String.raw`\b(?:wo|wie|wann) (?:kaufe|bestelle|buche|abonniere) ich\b`,
  String.raw`\b(?:(?:schicken|senden) sie (?:mir|uns)(?: bitte)? (?:ein|ihr) angebot|rufen sie (?:mich|uns)(?: bitte)? (?:an|zuruck)|kontaktieren sie (?:mich|uns)|ich (?:nehme|kaufe|bestelle) (?:es|das|eine?[ns]?|zwei|\d+))\b`,
]
const pt = [
  String.raw`\b(?:quero|queremos|queria|gostaria|gostariamos|gostava|desejo|desejamos|preciso|precisamos|vou|vamos)(?: de)?(?: \w+)? (?:compra(?:r|-l[oa]s?)|adquirir|contratar|encomendar|assinar|(?:me|nos) (?:inscrever|cadastrar|registar|registrar)|(?:inscrever|registar|registrar)-(?:me|nos)|reservar|agendar|um orcamento|uma (?:demo\w*|proposta)|falar com (?:vendas|alguem|um vendedor))(?![\w-])`,
  String.raw`\b(?:onde|como|quando) (?:[eo] que )?(?:eu )?(?:(?:posso|podemos|se pode|faco para) )?(?:compra(?:r|-l[oa]s?)|compro|compramos|contratar|encomendar|encomendo|assinar|assino|(?:me|nos) (?:inscrev|cadastr|regist)\w+|(?:inscrever|registar|registrar)-(?:me|nos)|reservar|reservo)(?![\w-])`,
  String.raw`\b(?:(?:envie|mande)(?:-me|-nos) (?:um orcamento|uma proposta)|(?:me|nos) (?:envie|mande) (?:um orcamento|uma proposta)|(?:ligue|contacte|contate)(?:-me|-nos)|(?:me|nos) (?:ligue|contate))\b`,
]
const ja = [
  '(?:購入|注文|契約|申し?込み?|予約|導入|購読|会員登録|体験).{0,6}(?:したい|希望|させて|お願いし)',
  '買いたい|申し込みたい|試したい',
  '(?:どこ|どう|どのように|いつ).{0,8}(?:購入|注文|契約|申し?込|予約|会員登録|買え|買う|買い)',
  '見積(?:もり|り|書)?.{0,6}(?:ください|お願い|ほしい|欲しい|もらえ|いただけ)|(?:連絡|電話)(?:して)?(?:ください|ほしい|欲しい|お願いし)',
]
const zh = [
  '(?:我|我们|我們|咱们).{0,3}(?:想|要|希望|打算|准备|準備|需要).{0,4}(?:买|買|购买|購買|订购|訂購|下单|下單|订阅|訂閱|报名|報名|预订|預訂|预约|預約|签约|簽約|采购|採購|试用|試用|报价|報價)',
  '(?:哪里|哪裡|哪儿|在哪|怎么|怎麼|怎样|如何).{0,4}(?:买|買|购买|購買|订购|訂購|下单|下單|订阅|訂閱|报名|報名|预订|預訂|预约|預約|签约|簽約)',
  '(?:哪里|哪裡|哪儿|在哪|怎么|怎麼|如何)(?:可以|能)?(?:注册|註冊)$',
  '(?:给|給|发|發)(?:我|我们|我們).{0,3}(?:报价|報價|合同)|(?:联系|聯繫|打电话给|打電話給)我',
]
const ar = [
  String.raw`(?<!\p{L})(?:اريد|نريد|ارغب في|نرغب في|اود|نود|احتاج)(?: ان)?(?: \p{L}+)? (?:(?:ال)?شراء|اشتري|نشتري|اطلب|نطلب|(?:ال)?اشتراك|اشترك|نشترك|(?:ال)?تسجيل|اسجل|نسجل|(?:ال)?حجز|احجز|نحجز|عرض سعر|التحدث)`,
  String.raw`(?<!\p{L})(?:اين|كيف|متى)(?: \p{L}+){0,2} (?:(?:ال)?شراء|اشتري|نشتري|اطلب|نطلب|(?:ال)?اشتراك|اشترك|نشترك|اسجل|نسجل|احجز|نحجز)(?!\p{L})`,
  'ارسلوا? (?:لي|لنا|الي) عرض|اتصلوا? بي|تواصلوا? معي',
]

const wishes = [en, es, fr, de, pt, ja, zh, ar].flat().map((source) => new RegExp(source, 'u'))

/** `said`: folded, in lower case, without punctuation around it (`bare` in `intents.ts`); each sentence is looked at alone. */
export function wants(said: string): boolean {
  return said.split(/[.!?;。！？；؟؛]/u).some((sentence) => {
    const alone = sentence.trim()
    return wishes.some((wish) => wish.test(alone))
  })
}
