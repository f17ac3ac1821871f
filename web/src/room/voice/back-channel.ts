// Words by which listeners say that they follow, in the languages of the room: they are no question and stop nobody.

const everywhere = 'm+(?:hm+)?|h+m+|a+ha?|o+h|uh[- ]?huh|ok(?:ay)?|yeah|yes|wow'

const words: Readonly<Record<string, string>> = {
  en: 'yep|right|sure|i see|got it|exactly|of course|true|great|nice|good|cool|thanks|thank you|indeed|absolutely|makes sense|go on',
  de: 'ja|jo|jawohl|genau|richtig|stimmt|klar|gut|schön|super|toll|danke|verstehe|verstanden|ach so|na klar|aha|eben|sicher|weiter',
  es: 'sí|si|claro|vale|ya|exacto|eso|bien|bueno|muy bien|de acuerdo|entiendo|entendido|gracias|cierto|perfecto|ajá|por supuesto|sigue',
  fr: "oui|ouais|d[’' ]?accord|voilà|exactement|exact|bien|très bien|bien sûr|je vois|compris|merci|tout à fait|c[’' ]est ça|super|continuez",
  pt: 'sim|claro|certo|isso|isso mesmo|exato|exatamente|tá|tá bom|bom|muito bem|entendi|entendo|obrigad[oa]|beleza|perfeito|com certeza|continue',
  ja: 'はい|ええ|うん|そう|そうですね|そうですか|なるほど|ですね|ほう|へえ|たしかに|確かに|分かりました|わかりました|了解|どうも|ありがとう(?:ございます)?',
  zh: '嗯|恩|啊|哦|噢|对|是|是的|好|好的|行|没错|当然|明白|明白了|知道了|谢谢|原来如此|有道理|继续',
  ar: 'نعم|أجل|اجل|ايوه|أيوه|طيب|تمام|حسنا|حسنًا|صحيح|بالضبط|بالطبع|طبعا|طبعًا|مفهوم|فهمت|جيد|شكرا|شكرًا|أكمل',
}

/** Nobody takes longer to say that they follow. */
const charsMax = 60

/** Whether `text` holds nothing but such words. */
export function isBackChannel(text: string, language: string): boolean {
  if (text.length > charsMax) return false
  const own = words[language.toLowerCase().split('-')[0] ?? ''] ?? words['en']
  // The longest first, each taken once: a pattern that repeats the choice tries every way to part "そうですね".
  const longestFirst = `${own}|${everywhere}`.split('|').toSorted((a, b) => b.length - a.length)
  const one = new RegExp(`(?<![a-z])(?:${longestFirst.join('|')})(?=[\\s\\p{P}]|$|[^\\x00-\\u02ff])`, 'giu')
  return /^[\s\p{P}]*$/u.test(text.normalize('NFC').replaceAll(one, ''))
}
