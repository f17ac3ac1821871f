// The Markdown of our own pages as HTML: headings with anchors, paragraphs, lists, tables, code, links, bold. Text is always
// escaped, raw HTML does not exist, and links go to http(s), a path or an anchor only.

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character)
}

export interface Heading {
  level: number
  text: string
  id: string
}

/** `id` of a heading: `{#name}` at its end, else its words. */
export function headingOf(line: string): Heading | undefined {
  const match = /^(#{1,4}) (.+?)(?: \{#([\w.-]+)\})?$/.exec(line)
  if (match === null) return undefined
  const [, marks = '', text = '', id] = match
  return { level: marks.length, text, id: id ?? slug(text) }
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\w]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** Headings of the second and third level, for the contents. */
export function headingsOf(markdown: string): readonly Heading[] {
  let isCode = false
  return markdown.split('\n').flatMap((line) => {
    if (line.startsWith('```')) isCode = !isCode
    if (isCode) return []
    const heading = headingOf(line)
    return heading !== undefined && (heading.level === 2 || heading.level === 3) ? [heading] : []
  })
}

export function renderMarkdown(markdown: string): string {
  const lines = markdown.split('\n')
  const html: string[] = []
  for (let at = 0; at < lines.length;) {
    const [block, next] = renderBlock(lines, at)
    if (block !== '') html.push(block)
    at = next
  }
  return html.join('\n')
}

/** The block that starts at `at`, and the line after it. */
function renderBlock(lines: readonly string[], at: number): [string, number] {
  const line = lines[at] ?? ''
  if (line.trim() === '') return ['', at + 1]
  if (line.startsWith('```')) return renderCode(lines, at)
  const heading = headingOf(line)
  if (heading !== undefined) return [renderHeading(heading), at + 1]
  const end = blockEnd(lines, at)
  const block = lines.slice(at, end)
  if (line.startsWith('|')) return [renderTable(block), end]
  if (/^(- |\d+\. )/.test(line)) return [renderList(block), end]
  return [`<p>${inline(block.join(' '))}</p>`, end]
}

function blockEnd(lines: readonly string[], at: number): number {
  let end = at + 1
  while (end < lines.length && lines[end]?.trim() !== '' && !lines[end]?.startsWith('```') && !lines[end]?.startsWith('#')) end++
  return end
}

function renderCode(lines: readonly string[], at: number): [string, number] {
  const language = /^```(\w*)/.exec(lines[at] ?? '')?.[1] ?? ''
  const close = lines.findIndex((line, index) => index > at && line.startsWith('```'))
  const end = close === -1 ? lines.length : close
  const code = escapeHtml(lines.slice(at + 1, end).join('\n'))
  return [`<pre tabindex="0"${language === '' ? '' : ` data-language="${language}"`}><code>${code}</code></pre>`, end + 1]
}

function renderHeading({ level, text, id }: Heading): string {
  return `<h${level} id="${escapeHtml(id)}">${inline(text)}</h${level}>`
}

function renderTable(rows: readonly string[]): string {
  const cells = rows.map((row) =>
    row
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  )
  const [head = [], , ...body] = cells
  const row = (values: readonly string[], tag: string) =>
    `<tr>${values.map((value) => `<${tag}>${inline(value.replaceAll('\\|', '|'))}</${tag}>`).join('')}</tr>`
  // Wide tables scroll inside a region that the keyboard reaches (WCAG 2.1.1).
  const table = `<table><thead>${row(head, 'th')}</thead><tbody>${body.map((values) => row(values, 'td')).join('')}</tbody></table>`
  // Not a landmark: a page has many, and some have the same columns.
  const name = escapeHtml(head.join(', ').replaceAll('`', ''))
  return `<div class="scroll" role="group" aria-label="${name}" tabindex="0">${table}</div>`
}

function renderList(lines: readonly string[]): string {
  const tag = lines[0]?.startsWith('- ') ? 'ul' : 'ol'
  const items: string[] = []
  for (const line of lines) {
    const match = /^(?:- |\d+\. )(.*)$/.exec(line)
    if (match !== null) items.push(match[1] ?? '')
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return `<${tag}>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</${tag}>`
}

/** Code first, so that nothing inside it is read as something else. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.length > 2 && part.startsWith('`') && part.endsWith('`') ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : links(part),
    )
    .join('')
}

function links(text: string): string {
  const parts = text.split(/(\[[^[\]]+\]\([^()\s]+\))/)
  return parts
    .map((part) => {
      const match = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part)
      if (match === null || !/^(https?:\/\/|\/|#)/.test(match[2] ?? '')) return bold(escapeHtml(part))
      return `<a href="${escapeHtml(match[2] ?? '')}">${bold(escapeHtml(match[1] ?? ''))}</a>`
    })
    .join('')
}

function bold(escaped: string): string {
  return escaped.replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
}
