// The presenter's own words, by language. Whatever else it says without a model is a verbatim quote (presenter rule: quote, never assert).
import { baseLanguage } from '../../decks/language.ts'

export interface Templates {
  notCertain: string
  unknown: string
  /** One text for every attempt at private material, whether any exists or not. */
  declined: string
  greeting: string
  thanks: string
  whoAmI(title: string): string
  about(title: string): string
  /** Titles of slides, word for word. */
  covers(titles: readonly string[]): string
  soFar: string
  nothingYet: string
  repeat: string
  goto(slide: number): string
  noSuchSlide(count: number): string
  done: string
  cta(label: string): string
  /** To who wants the thing itself, where the talk has no call to action. */
  toHost: string
  openSlide(slide: number): string
  tellHost: string
  allRight: string
  help: string
  /** Whether the talk is recorded. */
  recorded: string
  hereOf(slide: number, count: number): string
  /** How long the talk takes. */
  takes(minutes: number): string
  left(minutes: number): string
  /** To a wish about the pace or the place of a talk that all hear together. */
  together: string
}

const en: Templates = {
  notCertain: 'I am not certain this answers you.',
  unknown: 'The deck does not say. The host will see your question.',
  declined: 'I can only share what is on the slides and in the background material.',
  greeting: 'Hello. Ask me anything about this talk.',
  thanks: 'You are welcome.',
  whoAmI: (title) => `I am the automated presenter of "${title}". I answer from its slides and background material.`,
  about: (title) => `This talk is "${title}".`,
  covers: (titles) => `Its slides: ${titles.map((title) => `"${title}"`).join(', ')}.`,
  soFar: 'Here is what we have covered so far.',
  nothingYet: 'The talk has only just begun.',
  repeat: 'I will say that again.',
  goto: (slide) => `Going to slide ${slide}.`,
  noSuchSlide: (count) => `The deck has ${count} slides.`,
  done: 'Certainly.',
  cta: (label) => `The link on your screen is the way to do that: "${label}".`,
  toHost: 'The host will see that you are interested.',
  openSlide: (slide) => `Show slide ${slide}`,
  tellHost: 'Ask the host',
  allRight: 'All right.',
  help: 'I give this talk and answer questions from its slides: ask me anything. You may also ask for a summary, for how long it takes, or what a slide says.',
  recorded: 'What is said and asked here is kept in writing for the host.',
  hereOf: (slide, count) => `This is slide ${slide} of ${count}.`,
  takes: (minutes) => `The talk takes about ${minutes} min.`,
  left: (minutes) => `About ${minutes} min are left.`,
  together: 'Here the talk goes on for everybody together. You can look at any slide yourself.',
}

const es: Templates = {
  notCertain: 'No estoy seguro de que esto responda a su pregunta.',
  unknown: 'La presentación no lo dice. El anfitrión verá su pregunta.',
  declined: 'Solo puedo compartir lo que está en las diapositivas y en el material de apoyo.',
  greeting: 'Hola. Pregúnteme lo que quiera sobre esta charla.',
  thanks: 'De nada.',
  whoAmI: (title) => `Soy el presentador automático de «${title}». Respondo con sus diapositivas y su material de apoyo.`,
  about: (title) => `Esta charla es «${title}».`,
  covers: (titles) => `Sus diapositivas: ${titles.map((title) => `«${title}»`).join(', ')}.`,
  soFar: 'Esto es lo que hemos visto hasta ahora.',
  nothingYet: 'La charla acaba de empezar.',
  repeat: 'Lo repito.',
  goto: (slide) => `Vamos a la diapositiva ${slide}.`,
  noSuchSlide: (count) => `La presentación tiene ${count} diapositivas.`,
  done: 'Por supuesto.',
  cta: (label) => `Puede hacerlo con el enlace de su pantalla: «${label}».`,
  toHost: 'El anfitrión verá que le interesa.',
  openSlide: (slide) => `Ver la diapositiva ${slide}`,
  tellHost: 'Preguntar al anfitrión',
  allRight: 'De acuerdo.',
  help: 'Doy esta charla y respondo con sus diapositivas: pregúnteme lo que quiera. También puede pedir un resumen, cuánto dura o qué dice una diapositiva.',
  recorded: 'Lo que se dice y se pregunta aquí queda por escrito para el anfitrión.',
  hereOf: (slide, count) => `Esta es la diapositiva ${slide} de ${count}.`,
  takes: (minutes) => `La charla dura unos ${minutes} min.`,
  left: (minutes) => `Quedan unos ${minutes} min.`,
  together: 'Aquí la charla avanza para todos a la vez. Usted puede mirar cualquier diapositiva por su cuenta.',
}

const fr: Templates = {
  notCertain: 'Je ne suis pas certain que cela réponde à votre question.',
  unknown: "La présentation ne le dit pas. L'hôte verra votre question.",
  declined: 'Je ne peux partager que ce qui figure sur les diapositives et dans les documents.',
  greeting: 'Bonjour. Posez-moi vos questions sur cet exposé.',
  thanks: 'Je vous en prie.',
  whoAmI: (title) => `Je suis le présentateur automatique de « ${title} ». Je réponds à partir de ses diapositives et de ses documents.`,
  about: (title) => `Cet exposé est « ${title} ».`,
  covers: (titles) => `Ses diapositives : ${titles.map((title) => `« ${title} »`).join(', ')}.`,
  soFar: "Voici ce que nous avons vu jusqu'ici.",
  nothingYet: "L'exposé vient de commencer.",
  repeat: 'Je répète.',
  goto: (slide) => `Passons à la diapositive ${slide}.`,
  noSuchSlide: (count) => `La présentation compte ${count} diapositives.`,
  done: 'Bien sûr.',
  cta: (label) => `Le lien affiché sur votre écran le permet : « ${label} ».`,
  toHost: "L'hôte verra que cela vous intéresse.",
  openSlide: (slide) => `Voir la diapositive ${slide}`,
  tellHost: "Demander à l'hôte",
  allRight: "D'accord.",
  help: 'Je donne cette présentation et je réponds avec ses diapositives : posez-moi vos questions. Vous pouvez aussi demander un résumé, la durée ou ce que dit une diapositive.',
  recorded: "Ce qui est dit et demandé ici est gardé par écrit pour l'hôte.",
  hereOf: (slide, count) => `C'est la diapositive ${slide} sur ${count}.`,
  takes: (minutes) => `La présentation dure environ ${minutes} min.`,
  left: (minutes) => `Il reste environ ${minutes} min.`,
  together: "Ici, la présentation avance pour tous ensemble. Vous pouvez regarder vous-même n'importe quelle diapositive.",
}

const de: Templates = {
  notCertain: 'Ich bin nicht sicher, ob das Ihre Frage beantwortet.',
  unknown: 'Das steht nicht in der Präsentation. Ihre Frage geht an den Gastgeber.',
  declined: 'Ich kann nur wiedergeben, was auf den Folien und in den Hintergrundtexten steht.',
  greeting: 'Guten Tag. Fragen Sie mich alles zu diesem Vortrag.',
  thanks: 'Gern geschehen.',
  whoAmI: (title) => `Ich bin der automatische Vortragende von „${title}“. Ich antworte aus den Folien und den Hintergrundtexten.`,
  about: (title) => `Dieser Vortrag heißt „${title}“.`,
  covers: (titles) => `Seine Folien: ${titles.map((title) => `„${title}“`).join(', ')}.`,
  soFar: 'Das haben wir bisher behandelt.',
  nothingYet: 'Der Vortrag hat gerade erst begonnen.',
  repeat: 'Ich sage es noch einmal.',
  goto: (slide) => `Weiter zu Folie ${slide}.`,
  noSuchSlide: (count) => `Die Präsentation hat ${count} Folien.`,
  done: 'Gern.',
  cta: (label) => `Das geht über den Link auf Ihrem Bildschirm: „${label}“.`,
  toHost: 'Der Gastgeber sieht, dass Sie interessiert sind.',
  openSlide: (slide) => `Folie ${slide} zeigen`,
  tellHost: 'Den Gastgeber fragen',
  allRight: 'In Ordnung.',
  help: 'Ich halte diesen Vortrag und beantworte Fragen mit seinen Folien: Fragen Sie mich. Sie können auch nach einer Zusammenfassung, der Dauer oder dem Inhalt einer Folie fragen.',
  recorded: 'Was hier gesagt und gefragt wird, wird für den Gastgeber schriftlich aufbewahrt.',
  hereOf: (slide, count) => `Das ist Folie ${slide} von ${count}.`,
  takes: (minutes) => `Der Vortrag dauert etwa ${minutes} Min.`,
  left: (minutes) => `Noch etwa ${minutes} Min.`,
  together: 'Hier läuft der Vortrag für alle gemeinsam. Sie können sich jede Folie selbst ansehen.',
}

const pt: Templates = {
  notCertain: 'Não tenho certeza de que isto responde à sua pergunta.',
  unknown: 'A apresentação não diz. O anfitrião verá a sua pergunta.',
  declined: 'Só posso compartilhar o que está nos slides e no material de apoio.',
  greeting: 'Olá. Pergunte o que quiser sobre esta apresentação.',
  thanks: 'De nada.',
  whoAmI: (title) => `Sou o apresentador automático de “${title}”. Respondo a partir dos slides e do material de apoio.`,
  about: (title) => `Esta apresentação é “${title}”.`,
  covers: (titles) => `Os seus slides: ${titles.map((title) => `“${title}”`).join(', ')}.`,
  soFar: 'Isto é o que vimos até agora.',
  nothingYet: 'A apresentação acabou de começar.',
  repeat: 'Vou repetir.',
  goto: (slide) => `Indo para o slide ${slide}.`,
  noSuchSlide: (count) => `A apresentação tem ${count} slides.`,
  done: 'Claro.',
  cta: (label) => `O link na sua tela serve para isso: “${label}”.`,
  toHost: 'O anfitrião verá o seu interesse.',
  openSlide: (slide) => `Mostrar o slide ${slide}`,
  tellHost: 'Perguntar ao anfitrião',
  allRight: 'Certo.',
  help: 'Faço esta apresentação e respondo com os seus slides: pergunte o que quiser. Também pode pedir um resumo, a duração ou o que diz um slide.',
  recorded: 'O que se diz e se pergunta aqui fica registado por escrito para o anfitrião.',
  hereOf: (slide, count) => `Este é o slide ${slide} de ${count}.`,
  takes: (minutes) => `A apresentação dura cerca de ${minutes} min.`,
  left: (minutes) => `Faltam cerca de ${minutes} min.`,
  together: 'Aqui a apresentação avança para todos ao mesmo tempo. Você pode ver qualquer slide por conta própria.',
}

const ja: Templates = {
  notCertain: 'ご質問の答えになるかどうか、確かではありません。',
  unknown: '資料には書かれていません。ご質問は主催者に届きます。',
  declined: 'お伝えできるのは、スライドと補足資料にある内容だけです。',
  greeting: 'こんにちは。この発表について何でもお尋ねください。',
  thanks: 'どういたしまして。',
  whoAmI: (title) => `「${title}」の自動プレゼンターです。スライドと補足資料からお答えします。`,
  about: (title) => `この発表は「${title}」です。`,
  covers: (titles) => `スライドは${titles.map((title) => `「${title}」`).join('、')}です。`,
  soFar: 'ここまでの内容です。',
  nothingYet: '発表は始まったばかりです。',
  repeat: 'もう一度言います。',
  goto: (slide) => `スライド${slide}に移ります。`,
  noSuchSlide: (count) => `スライドは全部で${count}枚です。`,
  done: 'わかりました。',
  cta: (label) => `画面のリンクからできます。「${label}」`,
  toHost: 'ご関心があることは主催者に届きます。',
  openSlide: (slide) => `スライド${slide}を見る`,
  tellHost: '主催者に尋ねる',
  allRight: 'わかりました。',
  help: 'このプレゼンテーションを行い、スライドの内容からお答えします。何でも聞いてください。要約や所要時間、スライドの内容も聞けます。',
  recorded: 'ここでの発言と質問は、主催者のために文字で保存されます。',
  hereOf: (slide, count) => `今は${count}枚中${slide}枚目のスライドです。`,
  takes: (minutes) => `発表は約${minutes}分です。`,
  left: (minutes) => `残りは約${minutes}分です。`,
  together: 'この発表は全員に同時に進みます。スライドはご自分で見返せます。',
}

const zh: Templates = {
  notCertain: '我不确定这是否回答了您的问题。',
  unknown: '演示文稿中没有说明。主持人会看到您的问题。',
  declined: '我只能分享幻灯片和背景资料中的内容。',
  greeting: '您好。关于这次演讲，欢迎提问。',
  thanks: '不客气。',
  whoAmI: (title) => `我是“${title}”的自动演讲者，根据幻灯片和背景资料回答问题。`,
  about: (title) => `本次演讲是“${title}”。`,
  covers: (titles) => `幻灯片：${titles.map((title) => `“${title}”`).join('、')}。`,
  soFar: '到目前为止讲了这些内容。',
  nothingYet: '演讲刚刚开始。',
  repeat: '我再说一遍。',
  goto: (slide) => `转到第${slide}张幻灯片。`,
  noSuchSlide: (count) => `一共有${count}张幻灯片。`,
  done: '好的。',
  cta: (label) => `请使用屏幕上的链接：“${label}”。`,
  toHost: '主持人会看到您的意向。',
  openSlide: (slide) => `显示第${slide}张幻灯片`,
  tellHost: '询问主持人',
  allRight: '好的。',
  help: '我来做这场演讲，并根据幻灯片回答问题，请随便问。也可以问总结、时长，或某张幻灯片的内容。',
  recorded: '这里所说和所问的内容会以文字形式为主持人保存。',
  hereOf: (slide, count) => `这是第${slide}张，共${count}张。`,
  takes: (minutes) => `演讲大约需要${minutes}分钟。`,
  left: (minutes) => `大约还剩${minutes}分钟。`,
  together: '这里的演讲对所有人同步进行。您可以自己查看任何一张幻灯片。',
}

const ar: Templates = {
  notCertain: 'لست متأكدًا من أن هذا يجيب عن سؤالك.',
  unknown: 'لا يذكر العرض ذلك. سيطّلع المضيف على سؤالك.',
  declined: 'لا أستطيع أن أشارك إلا ما في الشرائح والمواد المرافقة.',
  greeting: 'مرحبًا. اسألني عن أي شيء في هذا العرض.',
  thanks: 'على الرحب والسعة.',
  whoAmI: (title) => `أنا المقدّم الآلي لعرض «${title}». أجيب من شرائحه ومواده المرافقة.`,
  about: (title) => `هذا العرض هو «${title}».`,
  covers: (titles) => `شرائحه: ${titles.map((title) => `«${title}»`).join('، ')}.`,
  soFar: 'هذا ما تناولناه حتى الآن.',
  nothingYet: 'بدأ العرض للتو.',
  repeat: 'سأعيد ما قلت.',
  goto: (slide) => `ننتقل إلى الشريحة ${slide}.`,
  noSuchSlide: (count) => `في العرض ${count} شرائح.`,
  done: 'بكل سرور.',
  cta: (label) => `يمكنك ذلك من الرابط على شاشتك: «${label}».`,
  toHost: 'سيرى المضيف أنك مهتم.',
  openSlide: (slide) => `عرض الشريحة ${slide}`,
  tellHost: 'اسأل المضيف',
  allRight: 'حسنًا.',
  help: 'أقدم هذا العرض وأجيب من شرائحه: اسألني ما تشاء. يمكنك أيضًا أن تطلب ملخصًا أو المدة أو ما تقوله شريحة.',
  recorded: 'ما يقال ويسأل هنا يحفظ كتابة للمضيف.',
  hereOf: (slide, count) => `هذه الشريحة ${slide} من ${count}.`,
  takes: (minutes) => `مدة العرض نحو ${minutes} د.`,
  left: (minutes) => `بقي نحو ${minutes} د.`,
  together: 'يسير العرض هنا للجميع معًا. يمكنك أن تنظر إلى أي شريحة بنفسك.',
}

const packs: Readonly<Record<string, Templates>> = { en, es, fr, de, pt, ja, zh, ar }

/** The templates of a BCP 47 tag; English where there is no pack. */
export function templatesFor(tag: string): Templates {
  return packs[baseLanguage(tag)] ?? en
}

/** The languages that have a pack. */
export const templateLanguages: readonly string[] = Object.keys(packs)
