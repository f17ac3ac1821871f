// A language that nobody speaks: English with accents, longer by two fifths, in brackets. What shows without brackets was never
// given to a translator, and what does not fit will not fit a real language either.
import { catalogueOf } from '../src/server/catalogues.ts'
import type { Message, Plural } from '../src/ui/words.ts'

const accents: Readonly<Record<string, string>> = { a: 'å', e: 'é', i: 'î', o: 'ö', u: 'û', c: 'ç', n: 'ñ', s: 'š', y: 'ÿ' }

/** Placeholders stay as they are. */
export function pseudo(text: string): string {
  const accented = text.replace(/\{\w+\}|[a-z]/g, (found) => accents[found] ?? found)
  const more = Math.ceil(text.length * 0.4)
  // Words, not one long word: a line must still be able to break.
  return `[${accented}${' öné twö'.repeat(Math.ceil(more / 8)).slice(0, more)}]`
}

function pseudoMessage(message: Message): Message {
  if (typeof message === 'string') return pseudo(message)
  return Object.fromEntries(Object.entries(message).map(([category, text]) => [category, pseudo(text)])) as unknown as Plural
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** A page of English with its words, and those that it hands its script, in the language that nobody speaks. */
export function inPseudoLocale(html: string): string {
  let page = html.replace(
    /(<script type="application\/json" id="boot"[^>]*>)(.*?)(<\/script>)/s,
    (_, start: string, json: string, end: string) => {
      const boot = JSON.parse(json) as { strings: Record<string, Message> }
      const strings = Object.fromEntries(Object.entries(boot.strings).map(([key, message]) => [key, pseudoMessage(message)]))
      return `${start}${JSON.stringify({ ...boot, strings }).replaceAll('<', '\\u003c')}${end}`
    },
  )
  for (const message of Object.values<Message>(catalogueOf('en'))) {
    if (typeof message !== 'string') continue
    const words = escaped(message).split(/\{\w+\}/)
    const pattern = new RegExp(`(>|=")${words.map(RegExp.escape).join('([^<"]*)')}(?=[<"])`, 'g')
    page = page.replace(pattern, (_, before: string, ...given: string[]) => {
      const values = given.slice(0, words.length - 1)
      return `${before}${escaped(pseudo(message)).replace(/\{\w+\}/g, () => values.shift() ?? '')}`
    })
  }
  return page
}
