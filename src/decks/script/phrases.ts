// The presenter's own words around a deck, by language: opening, bridges, closing. Connectors end in a colon or stand alone, so that
// they fit before any bullet whatever its grammar.
import { baseLanguage } from '../language.ts'

export interface Phrases {
  welcome(title: string): string
  /** For a line that is nothing but an address. */
  address(address: string): string
  disclosure: string
  howToAsk: string
  /** A slide's title with the number of its points; `count` is 3..6. */
  titleWithCount(title: string, count: number): string
  bridges: readonly ((title: string) => string)[]
  lastBridge(title: string): string
  /** Before the last of three or more points. */
  last: readonly string[]
  picture: string
  pictureOf(description: string): string
  remember(titles: readonly string[]): string
  cta(label: string): string
  thanks: string
  /** Ends a statement. */
  stop: string
}

const words = (list: string): string[] => list.split(' ')

const enCount = words('zero one two three four five six')
const en: Phrases = {
  welcome: (title) => `Welcome to “${title}”`,
  address: (address) => `The address is ${address}`,
  disclosure: 'I am an automated presenter, and I will take you through it.',
  howToAsk: 'You can ask a question at any time, and I will answer from the slides.',
  titleWithCount: (title, count) => `${title}, in ${enCount[count] ?? count} points`,
  bridges: [(title) => `Next: ${title}`, (title) => `That brings us to the next part: ${title}`, (title) => `Let us move on: ${title}`],
  lastBridge: (title) => `And to finish: ${title}`,
  last: ['And finally: ', 'And one more: ', 'And also: '],
  picture: 'Have a look at this picture.',
  pictureOf: (description) => `Have a look at this picture: ${description}`,
  remember: (titles) =>
    `If you remember ${titles.length === 1 ? 'one thing' : `${enCount[titles.length] ?? titles.length} things`}, take these: ${titles.join('; ')}`,
  cta: (label) => `The link on your screen is the next step: ${label}`,
  thanks: 'Thank you for listening; now I am glad to take your questions.',
  stop: '.',
}

const esCount = words('cero uno dos tres cuatro cinco seis')
const es: Phrases = {
  welcome: (title) => `Les doy la bienvenida a «${title}»`,
  address: (address) => `La dirección es ${address}`,
  disclosure: 'Soy un presentador automático y les guiaré por ella.',
  howToAsk: 'Pueden preguntar en cualquier momento y responderé con las diapositivas.',
  titleWithCount: (title, count) => `${title}, en ${esCount[count] ?? count} puntos`,
  bridges: [
    (title) => `A continuación: ${title}`,
    (title) => `Esto nos lleva a la siguiente parte: ${title}`,
    (title) => `Sigamos: ${title}`,
  ],
  lastBridge: (title) => `Y para terminar: ${title}`,
  last: ['Y por último: ', 'Y algo más: ', 'Y para cerrar: '],
  picture: 'Observen esta imagen.',
  pictureOf: (description) => `Observen esta imagen: ${description}`,
  remember: (titles) => `Si se quedan con algo, que sea esto: ${titles.join('; ')}`,
  cta: (label) => `El enlace de su pantalla es el siguiente paso: ${label}`,
  thanks: 'Gracias por su atención; ahora respondo con gusto a sus preguntas.',
  stop: '.',
}

const frCount = words('zéro un deux trois quatre cinq six')
const fr: Phrases = {
  welcome: (title) => `Bienvenue à « ${title} »`,
  address: (address) => `L’adresse est ${address}`,
  disclosure: "Je suis un présentateur automatique et je vous accompagne tout au long de l'exposé.",
  howToAsk: 'Posez vos questions à tout moment : je répondrai à partir des diapositives.',
  titleWithCount: (title, count) => `${title}, en ${frCount[count] ?? count} points`,
  bridges: [(title) => `Ensuite : ${title}`, (title) => `Cela nous amène à la suite : ${title}`, (title) => `Poursuivons : ${title}`],
  lastBridge: (title) => `Et pour finir : ${title}`,
  last: ['Et enfin : ', 'Et encore ceci : ', 'Et pour conclure : '],
  picture: 'Regardez cette image.',
  pictureOf: (description) => `Regardez cette image : ${description}`,
  remember: (titles) => `S'il ne fallait retenir que cela : ${titles.join(' ; ')}`,
  cta: (label) => `Le lien sur votre écran mène à l'étape suivante : ${label}`,
  thanks: 'Merci de votre attention ; je réponds maintenant volontiers à vos questions.',
  stop: '.',
}

const deCount = words('null einem zwei drei vier fünf sechs')
const de: Phrases = {
  welcome: (title) => `Willkommen zu „${title}“`,
  address: (address) => `Die Adresse lautet ${address}`,
  disclosure: 'Ich bin ein automatischer Vortragender und führe Sie hindurch.',
  howToAsk: 'Sie können jederzeit fragen; ich antworte aus den Folien.',
  titleWithCount: (title, count) => `${title}, in ${deCount[count] ?? count} Punkten`,
  bridges: [
    (title) => `Als Nächstes: ${title}`,
    (title) => `Damit kommen wir zum nächsten Teil: ${title}`,
    (title) => `Gehen wir weiter: ${title}`,
  ],
  lastBridge: (title) => `Und zum Schluss: ${title}`,
  last: ['Und schließlich: ', 'Und noch etwas: ', 'Und als Letztes: '],
  picture: 'Sehen Sie sich dieses Bild an.',
  pictureOf: (description) => `Sehen Sie sich dieses Bild an: ${description}`,
  remember: (titles) => `Wenn Sie sich etwas merken, dann das: ${titles.join('; ')}`,
  cta: (label) => `Der Link auf Ihrem Bildschirm ist der nächste Schritt: ${label}`,
  thanks: 'Danke fürs Zuhören; jetzt beantworte ich gern Ihre Fragen.',
  stop: '.',
}

const ptCount = words('zero um dois três quatro cinco seis')
const pt: Phrases = {
  welcome: (title) => `Boas-vindas a “${title}”`,
  address: (address) => `O endereço é ${address}`,
  disclosure: 'Sou um apresentador automático e vou conduzir vocês por ela.',
  howToAsk: 'Perguntem a qualquer momento; eu respondo a partir dos slides.',
  titleWithCount: (title, count) => `${title}, em ${ptCount[count] ?? count} pontos`,
  bridges: [(title) => `A seguir: ${title}`, (title) => `Isso nos leva à próxima parte: ${title}`, (title) => `Vamos em frente: ${title}`],
  lastBridge: (title) => `E para terminar: ${title}`,
  last: ['E por fim: ', 'E mais um ponto: ', 'E para fechar: '],
  picture: 'Vejam esta imagem.',
  pictureOf: (description) => `Vejam esta imagem: ${description}`,
  remember: (titles) => `Se for para guardar algo, que seja isto: ${titles.join('; ')}`,
  cta: (label) => `O link na sua tela é o próximo passo: ${label}`,
  thanks: 'Obrigado pela atenção; agora respondo com prazer às perguntas.',
  stop: '.',
}

const ja: Phrases = {
  welcome: (title) => `ようこそ。本日のテーマは「${title}」です`,
  address: (address) => `連絡先は${address}です`,
  disclosure: '私は自動プレゼンターです。最後までご案内します。',
  howToAsk: 'ご質問はいつでもどうぞ。スライドの内容からお答えします。',
  titleWithCount: (title, count) => `${title}。ポイントは${count}つです`,
  bridges: [(title) => `次は、${title}です`, (title) => `続いて、${title}に移ります`, (title) => `では、${title}です`],
  lastBridge: (title) => `最後に、${title}です`,
  last: ['そして最後に、', 'もう一つ、', '最後の点です。'],
  picture: 'こちらの画像をご覧ください。',
  pictureOf: (description) => `こちらの画像をご覧ください。${description}`,
  remember: (titles) => `特に覚えておいていただきたいのは、${titles.map((title) => `「${title}」`).join('、')}です`,
  cta: (label) => `次のステップは、画面のリンク「${label}」です`,
  thanks: 'ご清聴ありがとうございました。ご質問をお受けします。',
  stop: '。',
}

const zh: Phrases = {
  welcome: (title) => `欢迎收听本次演讲“${title}”`,
  address: (address) => `地址是${address}`,
  disclosure: '我是自动演讲者，将为您讲解全部内容。',
  howToAsk: '您可以随时提问，我会根据幻灯片回答。',
  titleWithCount: (title, count) => `${title}，共${count}点`,
  bridges: [(title) => `接下来：${title}`, (title) => `这就引出下一部分：${title}`, (title) => `我们继续：${title}`],
  lastBridge: (title) => `最后：${title}`,
  last: ['最后一点：', '还有一点：', '最后：'],
  picture: '请看这张图片。',
  pictureOf: (description) => `请看这张图片：${description}`,
  remember: (titles) => `请记住这几点：${titles.join('；')}`,
  cta: (label) => `下一步请点击屏幕上的链接：${label}`,
  thanks: '感谢聆听，现在欢迎提问。',
  stop: '。',
}

const ar: Phrases = {
  welcome: (title) => `أهلًا بكم في «${title}»`,
  address: (address) => `العنوان هو ${address}`,
  disclosure: 'أنا مقدّم آلي، وسأرافقكم خلاله.',
  howToAsk: 'يمكنكم طرح الأسئلة في أي وقت، وسأجيب من الشرائح.',
  titleWithCount: (title) => title,
  bridges: [(title) => `التالي: ${title}`, (title) => `ننتقل إلى الجزء التالي: ${title}`, (title) => `لنتابع: ${title}`],
  lastBridge: (title) => `وختامًا: ${title}`,
  last: ['وأخيرًا: ', 'ونقطة أخرى: ', 'وفي الختام: '],
  picture: 'انظروا إلى هذه الصورة.',
  pictureOf: (description) => `انظروا إلى هذه الصورة: ${description}`,
  remember: (titles) => `إن تذكرتم شيئًا فليكن هذا: ${titles.join('؛ ')}`,
  cta: (label) => `الخطوة التالية هي الرابط على شاشتكم: ${label}`,
  thanks: 'شكرًا لإصغائكم، ويسعدني الآن أن أجيب عن أسئلتكم.',
  stop: '.',
}

const packs: Readonly<Record<string, Phrases>> = { en, es, fr, de, pt, ja, zh, ar }

/** The phrases of a BCP 47 tag; English where there is no pack. */
export function phrasesFor(tag: string): Phrases {
  return packs[baseLanguage(tag)] ?? en
}

export const phraseLanguages: readonly string[] = Object.keys(packs)
