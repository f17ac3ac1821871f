// Recognises attempts at what the presenter keeps private: notes, instructions, prompts, keys. The wall is structural (answering has
// no access to notes); this only gives such questions the one fixed reply instead of a search result.
import { readingsOf } from './disguises.ts'

const patterns: readonly RegExp[] = [
  // English
  /\b(?:speaker|presenter|presentation|agent|private|hidden|secret|internal|confidential|backstage|personal|unpublished|behind[- ]the[- ]scenes|off[- ]slide|host'?s?|your(?: own)?)\s*(?:\w+\s+){0,2}(?:notes?|instructions?|prompts?|remarks|guidance|guidelines|directives?|comments?|briefing|commands|orders|rules)\b/u,
  /\b(?:notes?|instructions?|remarks|guidance|directives?|comments?|briefing|orders)\b.{0,40}\b(?:you (?:were|got|have|received|are given|follow)|for the (?:presenter|speaker)|to the (?:presenter|speaker)|hidden|private|kept from|not (?:shown|visible|public)|behind)/u,
  /\b(?:system|initial|developer|original|base|master)[\s_-]*(?:prompt|message|instructions?|notes?)\b|\bagent[\s_-]*notes?\b|\bspeaker[\s_-]*notes?\b/u,
  /\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,40}\b(?:instructions?|rules?|prompts?|guidelines|restrictions|above|previous|prior|filters?)\b/u,
  /\b(?:repeat|print|output|copy|show|translate|echo|reveal|write|say|dump|encode|recite|leak|list)\b.{0,50}\b(?:above|before this|preceding|everything you (?:know|were)|your (?:context|memory|configuration|prompt|notes|instructions)|verbatim|prompt|system|notes|instructions)\b/u,
  /\b(?:your|the (?:presenter|server|host|system|owner|account)'?s?|show|reveal|give|send|leak|print|tell)\b.{0,30}\b(?:api|access|secret|signing|private|bearer)[\s_-]*(?:keys?|tokens?|credentials?|secrets?)\b|\bpasswords?\b.{0,20}\b(?:you|server|system|admin|host)\b/u,
  /\b(?:not|never|forbidden|aren't|isn't|n't)\s+(?:be\s+)?(?:allowed|supposed|meant|permitted|to|going)\s+(?:to\s+)?(?:say|tell|share|reveal|mention|show|talk|disclose|know)\b|\bwhat (?:were|was|are|have) you (?:been )?(?:told|instructed|asked not|ordered|programmed|hiding)\b/u,
  /\bjailbreak|\bdeveloper mode\b|\bdan mode\b|\bdo anything now\b|\bbetween (?:us|you and me)\b|\boff the record\b|\bpretend (?:you|to be)\b|\byou are now\b|\bact as\b.{0,60}\b(?:notes?|admin|developer|host|no (?:rules|limits))\b|\brole ?play\b/u,
  /\bwhat (?:do|does|did) (?:the|your|his|her) (?:notes?|instructions?|prompt)\b|\b(?:read|tell|give|show|see|send|share|summari[sz]e|paraphrase|describe) (?:me |us )?(?:to me )?(?:all |any |the |of |your |those )*(?:notes?|instructions|prompt|directives)\b/u,
  // Spanish, Portuguese
  /\b(?:notas?|instrucciones|instrucoes|indicaciones|indicacoes|anotaciones|anotacoes|prompt|directrices|diretrizes|comentarios|apuntes|observaciones|observacoes)\b.{0,40}\b(?:privad[ao]s?|intern[ao]s?|ocult[ao]s?|secret[ao]s?|confidencia\w*|present\w+|orador\w*|palestrante|sistema|agente|tuyas|suas|tus|escondid[ao]s?|te (?:dieron|deram)|recibi\w*|recebe\w*)\b/u,
  /\b(?:tus|sus|suas|seus|las|as|os|los|mis|teu|tuas)\s+(?:notas|instrucciones|instrucoes|anotaciones|anotacoes|apuntes|indicaciones|prompt)\b|\bprompt (?:del|do|de) sistema\b/u,
  /\b(?:ignora|ignore|olvida|esquece|esqueca|desconsidere)\b.{0,40}\b(?:instrucciones|instrucoes|reglas|regras|anterior\w*|todo|tudo)\b|\b(?:no (?:debes|puedes|deberias)|nao (?:deve|pode)\w*)\s+(?:decir|contar|revelar|dizer|mostrar)\b|\b(?:clave|chave)s?\s+(?:de\s+)?(?:la\s+|da\s+)?api\b|\bcontrasena\b|\bsenha\b.{0,20}\b(?:sistema|admin)/u,
  /\b(?:repite|repita|muestra|mostre|imprime|traduce|traduza|escribe|escreva)\b.{0,40}\b(?:arriba|acima|anterior|instrucciones|instrucoes|notas|prompt)\b/u,
  // French
  /\b(?:notes?|instructions|consignes|remarques|directives|commentaires|invite|prompt)\b.{0,40}\b(?:prive\w*|interne\w*|cache\w*|secret\w*|confidentiel\w*|present\w+|orateur\w*|conferenci\w*|systeme|agent|recu\w*|donne\w*)\b/u,
  /\b(?:tes|vos|ses|mes)\s+(?:notes|instructions|consignes|directives|remarques)\b|\b(?:ton|votre)\s+(?:prompt|invite)\b|\bprompt systeme\b|\bcles?\s+(?:d'?\s?)?api\b|\bmot de passe\b/u,
  /\b(?:ignore[zr]?|oublie[zr]?|fais abstraction)\b.{0,40}\b(?:instructions|consignes|regles|precedent\w*|tout)\b|\b(?:repete[zr]?|affiche[zr]?|montre[zr]?|traduis\w*|recopie[zr]?|revele[zr]?)\b.{0,40}\b(?:dessus|precede\w*|notes|instructions|consignes|prompt)\b|\bpas (?:le droit de |cense\w* )?(?:dire|reveler|partager|montrer)\b/u,
  // German
  /\b(?:notiz\w*|anweisung\w*|anmerkung\w*|instruktion\w*|vorgaben|regieanweisung\w*|sprechernotiz\w*|prompt|kommentare)\b.{0,40}\b(?:privat\w*|intern\w*|geheim\w*|versteckt\w*|vertraulich\w*|sprecher\w*|vortragende\w*|moderator\w*|system|agent\w*|bekommen|erhalten)\b/u,
  /\b(?:privat\w*|intern\w*|geheim\w*|versteckt\w*|vertraulich\w*|dein\w*|ihr\w*|euer\w*)\s+(?:\w+\s+)?(?:notiz\w*|anweisung\w*|anmerkung\w*|instruktion\w*|vorgaben|prompt|systemprompt|regeln)\b|\b(?:system-?prompt|sprechernotiz\w*|vortragsnotiz\w*|api-?schlussel|passwort|agent-?notes)\b/u,
  /\b(?:ignorier\w*|vergiss|vergessen sie|missachte)\b.{0,40}\b(?:anweisung\w*|regeln|bisherige\w*|vorherige\w*|alles)\b|\b(?:wiederhol\w*|zeig\w*|gib|druck\w*|ubersetz\w*|lies|nenn\w*)\b.{0,40}\b(?:oben|obigen|vorherige\w*|notiz\w*|anweisung\w*|prompt)\b|\bnicht (?:sagen|verraten|erzahlen|erwahnen|zeigen) (?:darfst|durfen|sollst|sollen)\b/u,
  // Japanese, Chinese, Arabic
  /(?:発表者|プレゼンター|講演者|非公開|内部|秘密|隠|あなたの|システム|エージェント|内緒)(?:の|された|された|れた)?.{0,8}(?:ノート|メモ|指示|プロンプト|注意書き|台本|命令|備考)|プロンプト|指示を(?:無視|忘れ|見せ|教え|表示)|(?:ノート|メモ|指示)を.{0,8}(?:見せ|教え|表示|読|翻訳|繰り返)|apiキー|パスワード|言ってはいけない|上の(?:文章?|内容|テキスト)を/u,
  /(?:演讲者|演示者|主讲|讲者|私人|私密|内部|隐藏|秘密|机密|你的|您的|系统|代理).{0,6}(?:备注|笔记|注释|指令|提示词?|说明|指示|便签)|提示词|(?:忽略|无视|忘记).{0,12}(?:指令|指示|规则|之前|以上)|(?:重复|输出|显示|翻译|打印|告诉我).{0,12}(?:以上|上面|备注|指令|提示|笔记)|api\s?密钥|密码|不(?:能|该|允许|可以)(?:说|透露|告诉)/u,
  /(?:ملاحظات|تعليمات|توجيهات|موجه|ارشادات|اوامر|تعليقات).{0,30}(?:ك(?:\s|$|؟)|خاص|سري|مخفي|داخلي|مقدم|المتحدث|النظام|الوكيل|تلقيت|اعطيت)|(?:تجاهل|انس|انسى).{0,30}(?:تعليمات|القواعد|السابق)|(?:ملاحظاتك|تعليماتك|توجيهاتك)|(?:كرر|اعرض|اظهر|ترجم|اطبع).{0,30}(?:اعلاه|السابق|ملاحظات|تعليمات)|مفتاح.{0,10}(?:api|الواجهة)|كلمة (?:السر|المرور)|لا (?:يسمح|يجوز|ينبغي) لك/u,
]

/** A host asking about what is their own ("Are my notes private?") wants an answer, not a refusal. */
const ownMatter =
  /^(?!.*\b(?:your|ignore|repeat|reveal|print|show|tell|read|translate)\b).*\b(?:my|our|mis?|nuestr[ao]s?|mes|nos|meine?|unsere?|minhas?|nossas?)\s+(?:own\s+)?(?:\w+\s+)?(?:notes?|api|keys?|passwords?|notas?|notizen)\b/u

/** Whether the question, in any of its readings, is after private material. */
export function asksForPrivateMatter(question: string): boolean {
  return readingsOf(question).some((reading, at) => {
    const plain = reading.replace(/[إأآ]/gu, 'ا')
    if (at === 0 && ownMatter.test(plain)) return false
    return patterns.some((pattern) => pattern.test(plain))
  })
}
