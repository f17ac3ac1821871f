// Finds the sections of the docs in which all words of a query stand, those in a heading first. Pure.
import { headingsOf } from './markdown.ts'
import type { DocPage } from './site.ts'

interface Section {
  page: string
  title: string
  href: string
  text: string
}

const foundMax = 20
const excerptLength = 180
const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** A page's own words up to its first heading, then one section a heading. */
export function sectionsOf(pages: readonly DocPage[]): readonly Section[] {
  return pages.flatMap(({ path, title, markdown }) => {
    const [before = '', ...parts] = markdown().split(/^(?=##+ )/m)
    const headings = headingsOf(parts.join(''))
    const own = { page: title, title, href: path, text: before.replace(/^# .*\n/, '') }
    // Deeper headings stand with the one above them.
    const below: Section[] = []
    for (const part of parts) {
      const [line = '', ...rest] = part.split('\n')
      const heading = /^###? /.test(line) ? headings[below.length] : undefined
      const last = below.at(-1) ?? own
      if (heading === undefined) last.text += part
      else below.push({ page: title, title: heading.text.replaceAll('`', ''), href: `${path}#${heading.id}`, text: rest.join('\n') })
    }
    return [own, ...below]
  })
}

/** The results as Markdown, as the pages themselves are. */
export function searched(sections: readonly Section[], query: string): string {
  const words = folded(query.slice(0, 200)).match(/[\p{L}\p{N}_.-]+/gu) ?? []
  const scored = sections.flatMap((section) => {
    const [title, text] = [folded(`${section.page} ${section.title}`), folded(section.text)]
    if (words.length === 0 || !words.every((word) => title.includes(word) || text.includes(word))) return []
    const score = words.reduce((sum, word) => sum + (title.includes(word) ? 20 : 0) + Math.min(5, text.split(word).length - 1), 0)
    return [{ section, score }]
  })
  const best = scored.toSorted((one, other) => other.score - one.score).slice(0, foundMax)
  const results = best.map(({ section: { page, title, href, text } }) => {
    const name = page === title ? page : `${page}: ${title}`
    return `- [${name}](${href})\n\n  ${excerpt(text, words)}`
  })
  const shown = query
    .slice(0, 200)
    .replaceAll(/[^\p{L}\p{N} .-]/gu, ' ')
    .trim()
  if (shown === '') return '# Search\n\nWrite a word or two, such as `webhook signature`.'
  if (results.length === 0) return `# Search\n\nNothing says "${shown}". Try fewer words, or begin at the [overview](/docs).`
  return [`# Search`, `"${shown}" stands in ${scored.length === 1 ? 'one section' : `${scored.length} sections`}.`, ...results].join('\n\n')
}

/** Plain words around the first that was asked for. */
function excerpt(markdown: string, words: readonly string[]): string {
  const plain = markdown
    .replaceAll(/```[^\n]*|!\[[^[\]\n]*\]\([^()[\n]*\)|^\|[ |-]+$/gm, ' ')
    .replaceAll(/\[([^[\]\n]*)\]\([^()[\n]*\)/g, '$1')
    .replaceAll(/[`*\\]/g, '')
    .replaceAll(/[#|]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const at = folded(plain).indexOf(words.find((word) => folded(plain).includes(word)) ?? '')
  const from = plain.lastIndexOf(' ', Math.max(0, at - excerptLength / 3)) + 1
  const part = plain.slice(from, from + excerptLength)
  const isCut = from + excerptLength < plain.length
  return `${from > 0 ? '... ' : ''}${isCut ? `${part.slice(0, part.lastIndexOf(' '))} ...` : part}`
}
