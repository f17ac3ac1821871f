// Words that say little about a subject: stop words carry no weight, weak words (those that any question may hold) a part of it.
// Written by hand for the eight languages of the product; other languages rely on document frequency (session-index.ts).
import { lazily } from '../../kernel/lazily.ts'
import { fold } from './fold.ts'

const lists: Record<string, string> = {
  en: `a an the this that these those here there and or but nor so yet if then than as of at by for from in into on onto off out over to
up down with within without about after before during until till while between among through across against per via is are was were be been
being am do does did doing done have has had having can could may might must shall should will would i me my mine we us our ours you your yours he
him his she her hers it its they them their theirs who whom whose which what when where why how not no nor only own same too very just also even
please tell me know let's say says said get gets got getting any some each every all both few more most other such again further once s t ll re ve d m
because since upon there's it's i'm whether cannot ever actually really exactly okay hi hello`,
  es: `el la los las lo un una unos unas y e o u pero si de del al a en con sin por para sobre entre hasta desde que como cual cuales cuando
donde quien quienes cuanto cuanta cuantos cuantas es son era eran fue fueron ser estar esta estan este esta estos estas ese esa eso aquel su sus mi mis tu tus me
te se nos les le yo el ella ellos ustedes usted nosotros hay ha han he tiene tienen tener puede puedo pueden poder hace hacen hacer no ni muy mas tan ya todo
toda todos todas cada otro otra algun alguna porque tambien solo hola dime sabe saber`,
  fr: `le la les l un une des du de d et ou mais si a au aux en dans avec sans par pour sur sous entre vers chez que qu qui quoi quel quelle
quels quelles quand ou comment combien pourquoi est sont etait etaient etre ete ce cet cette ces c il elle ils elles on nous vous je j tu me te se s son sa ses mon ma mes
ton ta tes notre nos votre vos leur leurs y ne n pas plus tres aussi tout tous toute toutes chaque autre autres meme ont a ai as avez avons avoir peut peux peuvent pouvez puis
fait faire dois doit t m bonjour dites moi lui eux cela ca`,
  de: `der die das den dem des ein eine einen einem einer eines und oder aber wenn als wie so von vom zu zum zur in im an am auf aus bei mit
ohne fur gegen um durch uber unter vor nach bis seit wahrend zwischen ist sind war waren sein wird werden wurde wurden hat haben hatte kann konnen konnte darf muss mussen soll
ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch mein meine dein seine ihre unser unsere wer was wann wo warum wieso welche welcher welches welchen wieviel viele viel
nicht kein keine nur auch noch schon sehr mehr alle alles jeder jede jedes man sich dass da hier dort dieser diese dieses denn mal bitte gibt es hallo lange oft`,
  pt: `o a os as um uma uns umas e ou mas se de do da dos das ao aos em no na nos nas com sem por pelo pela para sobre entre ate desde que
como qual quais quando onde quem quanto quanta quantos quantas e sao era eram foi foram ser estar esta estao este esta isto esse essa isso aquele seu sua seus suas meu minha
me te se nos lhe eu ele ela eles elas voce voces ha tem tinha ter pode posso podem poder faz fazer nao nem muito mais tao ja todo toda todos todas cada outro outra algum alguma
porque tambem so ola diga`,
  ja: `の に は を た が で て と し れ さ ある いる も する から な こと として い や れる など なっ ない この ため その あっ よう また もの
という あり まで られ なる へ か だ これ によって により おり より による ず なり られる において ば なかっ なく しかし について せ だっ その後 できる それ です ます でし
ました 何 どの どこ いつ 誰 だれ なぜ どう どれ いくら いくつ ください ください か ね よ どのくらい どんな`,
  zh: `的 了 在 是 我 有 和 就 不 人 都 一 一个 上 也 很 到 说 要 去 你 会 着 没有 看 好 自己 这 那 吗 呢 吧 啊 什么 怎么 怎样 如何 哪 哪里
哪些 哪个 谁 几 多少 为什么 何时 什么时候 可以 能 能否 请 请问 与 及 或 等 对 从 以 为 被 把 它 他 她 们 我们 你们 他们 其 之 个`,
  ar: `في من على الى إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا من متى أين اين كيف كم لماذا هل هو هي هم نحن انا أنا أنت انت كان
كانت يكون تكون و او أو ثم لا لم لن قد كل بعض غير بين عند بعد قبل حتى أي اي`,
}

const weak: Record<string, string> = {
  en: `many much long often big large far old fast quickly kind type sort way thing things name names named called call used use uses using make makes made
take takes took taken give gives gave given come comes came become became go goes went one two first new main major work works need needs want
happen happened happens occur occurred place time year years day number amount part example mean means known considered describe explain
different able possible support supports supported offer offers provide provides include includes included available exist exists set put see find found have result
common term terms word words refer refers referred talk people person group did does also based become`,
  es: `tipo clase nombre llama usar usa uso hacer forma cosa parte numero cantidad ofrece ofrecen incluye disponible existe tiempo mucho mucha largo grande rapido necesita necesito`,
  fr: `type sorte nom appelle utiliser utilise maniere chose partie nombre quantite propose proposez offre inclut comprend disponible existe temps longtemps souvent grand rapide besoin faut`,
  de: `art typ name heisst nutzen nutzt verwendet weise ding teil zahl anzahl menge bietet bieten enthalt verfugbar existiert zeit gross schnell braucht brauche dauert machen macht`,
  pt: `tipo nome chama usar usa uso fazer forma coisa parte numero quantidade oferece oferecem inclui disponivel existe tempo longo grande rapido precisa preciso`,
}

/** By language. */
const setsOf = (listsOf: Readonly<Record<string, string>>) =>
  lazily(() => new Map(Object.entries(listsOf).map(([language, list]) => [language, new Set(list.match(/\S+/gu)?.map(fold))])))

const stopSets = setsOf(lists)
const weakSets = setsOf(weak)
const none: ReadonlySet<string> = new Set()

/** Folded stop words of a primary language subtag; empty for a language without a list. */
export function stopWords(language: string): ReadonlySet<string> {
  return stopSets().get(language) ?? none
}

/** Folded words that count for less, of a primary language subtag. */
export function weakWords(language: string): ReadonlySet<string> {
  return weakSets().get(language) ?? none
}
