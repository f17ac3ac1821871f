// The presenter's own words around what the slides say, by language, as data. `{title}` and the like are filled in; what follows a
// colon or stands between commas fits whatever its grammar is.
import { baseLanguage } from '../language.ts'

export interface Phrases {
  /** The two sentences a talk opens with: who speaks and of what, then how to ask. */
  welcome: string
  disclosure: string
  topics: string
  howToAsk: string
  /** The title of a slide, going on with what is said of it. */
  leads: readonly string[]
  /** A title with nothing to follow at once. */
  parts: readonly string[]
  /** Words that begin a title which no preposition may stand before: "On How it works". */
  clauses?: readonly string[]
  lastLead: string
  /** A lead with what follows it. */
  led: string
  /** A lead, the number of points, the points. */
  ledPoints: string
  points: string
  /** Of many points, two. */
  ledAmong: string
  among: string
  /** What a slide adds to the one before it. */
  added: string
  /** Number words from two on; beyond them figures stand. */
  counts: readonly string[]
  orders: readonly string[]
  /** Of a table or a chart: `{header}` of `{row}` is `{value}`. */
  extremes: string
  compares: string
  chart: string
  chartOf: string
  rise: string
  diagram: string
  picture: string
  pictureOf: string
  code: string
  link: string
  quoted: string
  keep: readonly [string, string, string]
  cta: string
  thanks: string
  /** What a last slide says when it only says goodbye; in small letters. */
  farewells: readonly string[]
  /** Ends a statement. */
  stop: string
}

const words = (list: string): string[] => list.split(' ')

const en: Phrases = {
  welcome: 'Welcome to “{title}”; I am an automated presenter, and I will take you through it',
  disclosure: 'I am an automated presenter, and I will take you through this talk',
  topics: 'On the programme: {list}; you can ask a question at any time',
  howToAsk: 'You can ask a question at any time, and I will answer from the slides',
  leads: ['Next, {title}', 'On {title}', 'Now, {title}'],
  parts: ['Now to {title}', 'On to {title}', 'And now, {title}', 'Next up: {title}'],
  clauses: words(
    'about as at because before after by can do does during for from how if in into is on since through to under what when where which while who why with without',
  ),
  lastLead: 'And to finish, {title}',
  led: '{lead}: {text}',
  ledPoints: '{lead}, {count} points: {list}',
  points: '{count} points here: {list}',
  ledAmong: '{lead}, {count} points, among them {list}; the rest is on the slide',
  among: '{count} points here, among them {list}; the rest is on the slide',
  added: 'New on this slide: {list}',
  counts: words('two three four five six seven eight nine ten eleven twelve'),
  orders: words('First Second Third Fourth Fifth Sixth'),
  extremes: 'For {header}, {high} is highest at {highValue}, and {low} is lowest at {lowValue}',
  compares: 'The table compares {rows} by {columns}',
  chart: 'The chart shows {series}, from {from} to {to}',
  chartOf: 'The chart shows {title}',
  rise: '{series} goes {change} between {from} and {to}',
  diagram: 'The drawing shows {list}',
  picture: 'Have a look at this picture',
  pictureOf: 'Have a look at this picture: {text}',
  code: 'The code on the slide shows how this is written',
  link: 'You will find the address on the slide',
  quoted: 'In the words of {by}: {text}',
  keep: ['Three things to keep in mind: {text}', 'Then this: {text}', 'And finally: {text}'],
  cta: 'The link on your screen is the next step: {label}',
  thanks: 'Thank you for listening; now I am glad to take your questions',
  farewells: ['thank', 'questions', 'q&a', 'q & a', 'the end', 'any question'],
  stop: '.',
}

const es: Phrases = {
  welcome: 'Les doy la bienvenida a «{title}»; soy un presentador automático y les acompañaré en la charla',
  disclosure: 'Soy un presentador automático y les acompañaré en esta charla',
  topics: 'En el programa: {list}; pueden preguntar en cualquier momento',
  howToAsk: 'Pueden preguntar en cualquier momento y responderé con las diapositivas',
  leads: ['A continuación, {title}', 'Ahora, {title}', 'Pasemos a lo siguiente, {title}'],
  parts: ['Sigamos con esto: {title}', 'Ahora: {title}', 'Pasemos a otro punto: {title}'],
  lastLead: 'Y para terminar, {title}',
  led: '{lead}: {text}',
  ledPoints: '{lead}, {count} puntos: {list}',
  points: 'Aquí hay {count} puntos: {list}',
  ledAmong: '{lead}, {count} puntos, entre ellos {list}; el resto está en la diapositiva',
  among: 'Aquí hay {count} puntos, entre ellos {list}; el resto está en la diapositiva',
  added: 'En esta diapositiva se añade: {list}',
  counts: words('dos tres cuatro cinco seis siete ocho nueve diez once doce'),
  orders: ['Primero', 'Segundo', 'Tercero', 'Cuarto', 'Quinto', 'Sexto'],
  extremes: 'En {header}, {high} tiene el valor más alto, {highValue}, y {low} el más bajo, {lowValue}',
  compares: 'La tabla compara {rows} según {columns}',
  chart: 'El gráfico muestra {series}, de {from} a {to}',
  chartOf: 'El gráfico muestra lo siguiente: {title}',
  rise: '{series} va {change} entre {from} y {to}',
  diagram: 'El esquema muestra {list}',
  picture: 'Observen esta imagen',
  pictureOf: 'Observen esta imagen: {text}',
  code: 'El código de la diapositiva muestra cómo se escribe',
  link: 'Encontrarán la dirección en la diapositiva',
  quoted: 'En palabras de {by}: {text}',
  keep: ['Tres cosas para recordar: {text}', 'También esto: {text}', 'Y por último: {text}'],
  cta: 'El enlace de su pantalla es el siguiente paso: {label}',
  thanks: 'Gracias por su atención; ahora respondo con gusto a sus preguntas',
  farewells: ['gracias', 'preguntas', '¿preguntas', 'fin'],
  stop: '.',
}

const fr: Phrases = {
  welcome: 'Bienvenue à « {title} » ; je suis un présentateur automatique et je vous accompagne tout au long de l’exposé',
  disclosure: 'Je suis un présentateur automatique et je vous accompagne tout au long de l’exposé',
  topics: 'Au programme : {list} ; vous pouvez poser vos questions à tout moment',
  howToAsk: 'Posez vos questions à tout moment : je répondrai à partir des diapositives',
  leads: ['Ensuite, {title}', 'Maintenant, {title}', 'Voyons la suite, {title}'],
  parts: ['Passons à ceci : {title}', 'Et maintenant : {title}', 'Poursuivons : {title}'],
  lastLead: 'Et pour finir, {title}',
  led: '{lead} : {text}',
  ledPoints: '{lead}, en {count} points : {list}',
  points: 'Voici {count} points : {list}',
  ledAmong: '{lead}, en {count} points, dont {list} ; le reste figure sur la diapositive',
  among: 'Voici {count} points, dont {list} ; le reste figure sur la diapositive',
  added: 'Cette diapositive ajoute ceci : {list}',
  counts: words('deux trois quatre cinq six sept huit neuf dix onze douze'),
  orders: ['Premièrement', 'Deuxièmement', 'Troisièmement', 'Quatrièmement', 'Cinquièmement', 'Sixièmement'],
  extremes: 'Pour {header}, {high} arrive en tête avec {highValue}, et {low} a la valeur la plus basse, {lowValue}',
  compares: 'Le tableau compare {rows} selon {columns}',
  chart: 'Le graphique montre {series}, de {from} à {to}',
  chartOf: 'Le graphique montre ceci : {title}',
  rise: '{series} passe {change} entre {from} et {to}',
  diagram: 'Le schéma montre {list}',
  picture: 'Regardez cette image',
  pictureOf: 'Regardez cette image : {text}',
  code: 'Le code sur la diapositive montre comment cela s’écrit',
  link: 'Vous trouverez l’adresse sur la diapositive',
  quoted: 'Comme le dit {by} : {text}',
  keep: ['Trois choses à retenir : {text}', 'Ensuite ceci : {text}', 'Et enfin : {text}'],
  cta: 'Le lien sur votre écran mène à l’étape suivante : {label}',
  thanks: 'Merci de votre attention ; je réponds maintenant volontiers à vos questions',
  farewells: ['merci', 'questions', 'des questions', 'fin'],
  stop: '.',
}

const de: Phrases = {
  welcome: 'Willkommen zu „{title}“; ich bin ein automatischer Vortragender und führe Sie hindurch',
  disclosure: 'Ich bin ein automatischer Vortragender und führe Sie durch diesen Vortrag',
  topics: 'Auf dem Programm: {list}; Sie können jederzeit fragen',
  howToAsk: 'Sie können jederzeit fragen; ich antworte aus den Folien',
  leads: ['Als Nächstes {title}', 'Zum Thema {title}', 'Nun zum Punkt {title}'],
  parts: ['Weiter geht es mit: {title}', 'Nun zum Thema {title}', 'Und jetzt: {title}'],
  lastLead: 'Und zum Schluss {title}',
  led: '{lead}: {text}',
  ledPoints: '{lead}, {count} Punkte: {list}',
  points: '{count} Punkte sind es hier: {list}',
  ledAmong: '{lead}, {count} Punkte, darunter {list}; der Rest steht auf der Folie',
  among: '{count} Punkte sind es hier, darunter {list}; der Rest steht auf der Folie',
  added: 'Auf dieser Folie kommt hinzu: {list}',
  counts: words('zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'),
  orders: words('Erstens Zweitens Drittens Viertens Fünftens Sechstens'),
  extremes: 'Bei {header} liegt {high} mit {highValue} am höchsten und {low} mit {lowValue} am niedrigsten',
  compares: 'Die Tabelle vergleicht {rows} nach {columns}',
  chart: 'Das Diagramm zeigt {series}, von {from} bis {to}',
  chartOf: 'Das Diagramm zeigt {title}',
  rise: '{series} geht zwischen {from} und {to} {change}',
  diagram: 'Die Zeichnung zeigt {list}',
  picture: 'Sehen Sie sich dieses Bild an',
  pictureOf: 'Sehen Sie sich dieses Bild an: {text}',
  code: 'Der Code auf der Folie zeigt, wie das geschrieben wird',
  link: 'Die Adresse finden Sie auf der Folie',
  quoted: 'In den Worten von {by}: {text}',
  keep: ['Drei Dinge zum Merken: {text}', 'Dann dies: {text}', 'Und schließlich: {text}'],
  cta: 'Der Link auf Ihrem Bildschirm ist der nächste Schritt: {label}',
  thanks: 'Danke fürs Zuhören; jetzt beantworte ich gern Ihre Fragen',
  farewells: ['danke', 'vielen dank', 'fragen', 'noch fragen', 'ende'],
  stop: '.',
}

const pt: Phrases = {
  welcome: 'Boas-vindas a “{title}”; sou um apresentador automático e vou acompanhar vocês',
  disclosure: 'Sou um apresentador automático e vou acompanhar vocês nesta apresentação',
  topics: 'No programa: {list}; vocês podem perguntar a qualquer momento',
  howToAsk: 'Perguntem a qualquer momento; eu respondo a partir dos slides',
  leads: ['A seguir, {title}', 'Agora, {title}', 'Vamos em frente, {title}'],
  parts: ['Sigamos com isto: {title}', 'E agora: {title}', 'Passemos a outro ponto: {title}'],
  lastLead: 'E para terminar, {title}',
  led: '{lead}: {text}',
  ledPoints: '{lead}, {count} pontos: {list}',
  points: 'Aqui há {count} pontos: {list}',
  ledAmong: '{lead}, {count} pontos, entre eles {list}; o restante está no slide',
  among: 'Aqui há {count} pontos, entre eles {list}; o restante está no slide',
  added: 'Neste slide se acrescenta: {list}',
  counts: words('dois três quatro cinco seis sete oito nove dez onze doze'),
  orders: ['Primeiro', 'Segundo', 'Terceiro', 'Quarto', 'Quinto', 'Sexto'],
  extremes: 'Em {header}, {high} tem o valor mais alto, {highValue}, e {low} o mais baixo, {lowValue}',
  compares: 'A tabela compara {rows} por {columns}',
  chart: 'O gráfico mostra {series}, de {from} a {to}',
  chartOf: 'O gráfico mostra o seguinte: {title}',
  rise: '{series} vai {change} entre {from} e {to}',
  diagram: 'O desenho mostra {list}',
  picture: 'Vejam esta imagem',
  pictureOf: 'Vejam esta imagem: {text}',
  code: 'O código no slide mostra como isso se escreve',
  link: 'O endereço está no slide para quem quiser anotar',
  quoted: 'Nas palavras de {by}: {text}',
  keep: ['Três coisas para guardar: {text}', 'Também isto: {text}', 'E por fim: {text}'],
  cta: 'O link na sua tela é o próximo passo: {label}',
  thanks: 'Obrigado pela atenção; agora respondo com prazer às perguntas',
  farewells: ['obrigad', 'perguntas', 'dúvidas', 'fim'],
  stop: '.',
}

const ja: Phrases = {
  welcome: 'ようこそ。本日のテーマは「{title}」です。私は自動プレゼンターで、最後までご案内します',
  disclosure: '私は自動プレゼンターです。最後までご案内します',
  topics: '内容は、{list}などです。ご質問はいつでもどうぞ',
  howToAsk: 'ご質問はいつでもどうぞ。スライドの内容からお答えします',
  leads: ['次は、{title}です', '続いて、{title}です', 'では、{title}に移ります'],
  parts: ['ここからは、{title}についてです', '次のテーマは、{title}です', '続いてのスライドは、{title}です'],
  lastLead: '最後に、{title}です',
  led: '{lead}。{text}',
  ledPoints: '{lead}。ポイントは{count}つ、{list}です',
  points: 'ここでのポイントは{count}つ、{list}です',
  ledAmong: '{lead}。{count}項目のうち、主なものは{list}です。残りはスライドをご覧ください',
  among: '{count}項目のうち、主なものは{list}です。残りはスライドをご覧ください',
  added: 'このスライドで加わるのは、{list}です',
  counts: words('2 3 4 5 6 7 8 9 10 11 12'),
  orders: words('第一に 第二に 第三に 第四に 第五に 第六に'),
  extremes: '{header}は、{high}が{highValue}で最も高く、{low}が{lowValue}で最も低くなっています',
  compares: 'この表は、{rows}を{columns}で比べています',
  chart: 'グラフは、{from}から{to}までの{series}を示しています',
  chartOf: 'グラフは、{title}を示しています',
  rise: '{series}は、{from}と{to}の間に{change}変わっています',
  diagram: '図には、{list}が示されています',
  picture: 'こちらの画像をご覧ください',
  pictureOf: 'こちらの画像をご覧ください。{text}',
  code: 'スライドのコードが書き方を示しています',
  link: 'アドレスはスライドに載せてあります',
  quoted: '{by}の言葉です。{text}',
  keep: ['覚えておいていただきたいことは三つです。{text}', '次に、{text}', '最後に、{text}'],
  cta: '次のステップは、画面のリンク「{label}」です',
  thanks: 'ご清聴ありがとうございました。ご質問をお受けします',
  farewells: ['ありがとう', '質問', 'ご清聴', '質疑'],
  stop: '。',
}

const zh: Phrases = {
  welcome: '欢迎收听“{title}”，我是自动演讲者，将为您讲解全部内容',
  disclosure: '我是自动演讲者，将为您讲解全部内容',
  topics: '内容包括：{list}；您可以随时提问',
  howToAsk: '您可以随时提问，我会根据幻灯片回答',
  leads: ['接下来是{title}', '现在来看{title}', '下面是{title}'],
  parts: ['接下来看{title}', '再来看{title}', '现在是{title}'],
  lastLead: '最后是{title}',
  led: '{lead}：{text}',
  ledPoints: '{lead}，共{count}点：{list}',
  points: '这里有{count}点：{list}',
  ledAmong: '{lead}，共{count}点，其中包括{list}；其余请看幻灯片',
  among: '这里有{count}点，其中包括{list}；其余请看幻灯片',
  added: '这张幻灯片新增的是：{list}',
  counts: words('两 三 四 五 六 七 八 九 十 十一 十二'),
  orders: words('第一 第二 第三 第四 第五 第六'),
  extremes: '在{header}方面，{high}最高，为{highValue}，{low}最低，为{lowValue}',
  compares: '这张表按{columns}比较{rows}',
  chart: '图表显示从{from}到{to}的{series}',
  chartOf: '图表显示的是{title}',
  rise: '{series}在{from}与{to}之间{change}',
  diagram: '这张图展示了{list}',
  picture: '请看这张图片',
  pictureOf: '请看这张图片：{text}',
  code: '幻灯片上的代码展示了写法',
  link: '网址请见幻灯片',
  quoted: '用{by}的话说：{text}',
  keep: ['请记住三点：{text}', '其次：{text}', '最后：{text}'],
  cta: '下一步请点击屏幕上的链接：{label}',
  thanks: '感谢聆听，现在欢迎提问',
  farewells: ['谢谢', '感谢', '提问', 'q & a', 'q&a', '问答'],
  stop: '。',
}

const ar: Phrases = {
  welcome: 'أهلًا بكم في «{title}»؛ أنا مقدّم آلي، وسأرافقكم خلاله',
  disclosure: 'أنا مقدّم آلي، وسأرافقكم خلال هذا العرض',
  topics: 'في البرنامج: {list}؛ ويمكنكم طرح الأسئلة في أي وقت',
  howToAsk: 'يمكنكم طرح الأسئلة في أي وقت، وسأجيب من الشرائح',
  leads: ['ننتقل الآن إلى {title}', 'والآن {title}', 'ثم نصل إلى {title}'],
  parts: ['نصل الآن إلى {title}', 'ونتابع مع {title}', 'والآن إلى {title}'],
  lastLead: 'وختامًا {title}',
  led: '{lead}: {text}',
  ledPoints: '{lead}، وفيها {count} من النقاط: {list}',
  points: 'هنا {count} من النقاط: {list}',
  ledAmong: '{lead}، وفيها {count} من النقاط، منها {list}؛ والباقي على الشريحة',
  among: 'هنا {count} من النقاط، منها {list}؛ والباقي على الشريحة',
  added: 'تضيف هذه الشريحة: {list}',
  counts: words('اثنتان ثلاث أربع خمس ست سبع ثمان تسع عشر'),
  orders: words('أولًا ثانيًا ثالثًا رابعًا خامسًا سادسًا'),
  extremes: 'في {header}، أعلى قيمة هي {highValue} لدى {high}، وأدنى قيمة هي {lowValue} لدى {low}',
  compares: 'يقارن الجدول {rows} بحسب {columns}',
  chart: 'يعرض الرسم البياني {series}، من {from} إلى {to}',
  chartOf: 'يعرض الرسم البياني ما يلي: {title}',
  rise: 'تتغير قيمة {series} {change} بين {from} و{to}',
  diagram: 'يعرض الرسم {list}',
  picture: 'انظروا إلى هذه الصورة',
  pictureOf: 'انظروا إلى هذه الصورة: {text}',
  code: 'تبيّن الشيفرة على الشريحة كيف يُكتب ذلك',
  link: 'تجدون العنوان على الشريحة',
  quoted: 'كما يقول {by}: {text}',
  keep: ['ثلاثة أمور للتذكر: {text}', 'ثم هذا: {text}', 'وأخيرًا: {text}'],
  cta: 'الخطوة التالية هي الرابط على شاشتكم: {label}',
  thanks: 'شكرًا لإصغائكم، ويسعدني الآن أن أجيب عن أسئلتكم',
  farewells: ['شكرا', 'شكرًا', 'أسئلة', 'الأسئلة'],
  stop: '.',
}

const packs: Readonly<Record<string, Phrases>> = { en, es, fr, de, pt, ja, zh, ar }

/** The phrases of a BCP 47 tag; English where there is no pack. */
export function phrasesFor(tag: string): Phrases {
  return packs[baseLanguage(tag)] ?? en
}

export const phraseLanguages: readonly string[] = Object.keys(packs)

/** "Next, {title}" with its gaps filled. */
export function fill(phrase: string, gaps: Readonly<Record<string, string>>): string {
  return phrase.replace(/\{([a-zA-Z]{1,20})\}/g, (gap, name: string) => gaps[name] ?? gap)
}

/** "three", or figures beyond what a language counts in words here. */
export function countWord(phrases: Phrases, count: number): string {
  return phrases.counts[count - 2] ?? String(count)
}
