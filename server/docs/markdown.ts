// The Markdown of our own pages as HTML, by `marked`: headings have anchors, raw HTML is text, links go to http(s), a path or an
// anchor only, and pictures are ours.
import { readFileSync } from 'node:fs'
import { imageSize } from 'image-size'
import { Lexer, Marked, type Token, type Tokens } from 'marked'

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character)

export interface Heading {
  text: string
  id: string
}

/** `id` of a heading: `{#name}` at its end, else its words. */
function headingOf(line: string): Heading {
  const [, text = line, id] = /^(.+?)(?: \{#([\w.-]+)\})?$/.exec(line) ?? []
  const words = text.toLowerCase().replace(/[^\w]+/g, '-')
  return { text, id: id ?? words.replace(/^-|-$/g, '') }
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'

const marked = new Marked({
  // An address that stands alone is one to copy.
  tokenizer: { url: () => undefined },
  renderer: {
    heading({ depth, text, tokens }) {
      const { id, text: words } = headingOf(text)
      const shown = words === text ? tokens : Lexer.lexInline(words)
      return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(shown)}</h${depth}>\n`
    },
    code({ text, lang }) {
      const language = lang === undefined || lang === '' ? '' : ` data-language="${escapeHtml(lang)}"`
      return `<pre tabindex="0"${language}><code>${escapeHtml(text)}</code></pre>\n`
    },
    // Wide tables scroll inside a region that the keyboard reaches (WCAG 2.1.1). Not a landmark: a page has many, and some have the same columns.
    table({ header, rows }) {
      const cells = (row: typeof header, tag: string) =>
        `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
      const body = rows.map((row) => cells(row, 'td')).join('')
      const name = escapeHtml(header.map(({ text }) => text.replaceAll('`', '')).join(', '))
      return `<div class="scroll" role="group" aria-label="${name}" tabindex="0"><table><thead>${cells(header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`
    },
    html: ({ text }) => escapeHtml(text),
    // Our own pictures alone, each with its size so that nothing moves when it has come.
    image({ href, text, raw }) {
      const [, name] = /^\/docs\/pictures\/([a-z-]+\.webp)$/.exec(href) ?? []
      if (name === undefined) return escapeHtml(raw)
      const { width, height } = imageSize(readFileSync(new URL(`pictures/${name}`, import.meta.url)))
      return `<img src="${href}" alt="${escapeHtml(text)}" width="${width}" height="${height}" loading="lazy">`
    },
    link({ href, tokens, raw }) {
      if (!/^(?:https?:\/\/|\/|#)/.test(href)) return escapeHtml(raw)
      return `<a href="${escapeHtml(href)}">${this.parser.parseInline(tokens)}</a>`
    },
  },
})

/** Headings of the second and third level, for the contents. */
export const headingsOf = (markdown: string): readonly Heading[] =>
  marked.lexer(markdown).flatMap((token) => (isHeading(token) && (token.depth === 2 || token.depth === 3) ? [headingOf(token.text)] : []))

export const renderMarkdown = (markdown: string): string => marked.parse(markdown, { async: false }).trimEnd()
