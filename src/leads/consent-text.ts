// What a person agrees to where the host has written no text of their own, in the language of the talk; English for languages without one.

const texts: Readonly<Record<string, string>> = {
  en: 'I agree that my details are sent to the host of this talk, who may contact me about it.',
  es: 'Acepto que mis datos se envíen a quien organiza esta presentación, que podrá ponerse en contacto conmigo al respecto.',
  fr: "J'accepte que mes coordonnées soient envoyées à l'hôte de cette présentation, qui pourra me contacter à ce sujet.",
  de: 'Ich stimme zu, dass meine Daten an den Gastgeber dieses Vortrags gesendet werden und er mich dazu kontaktieren darf.',
  pt: 'Concordo que os meus dados sejam enviados a quem organiza esta apresentação, que poderá entrar em contato comigo sobre ela.',
  ja: '連絡先がこの発表の主催者に送られ、主催者がこの件で私に連絡することに同意します。',
  zh: '我同意将我的联系方式发送给本次演讲的主办方，主办方可就此与我联系。',
  ar: 'أوافق على إرسال بياناتي إلى مضيف هذا العرض، وله أن يتواصل معي بشأنه.',
}

/** `tag`: the language of the session (BCP 47). */
export const consentTextIn = (tag: string): string => texts[new Intl.Locale(tag).language] ?? String(texts['en'])
