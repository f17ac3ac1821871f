// Markdown and plain text as sections for the knowledge: one for each heading, comments and inline marks left out. Every pattern here
// is linear in the text, because it runs in the server's own process.

/** A stretch of a document under one heading. */
export interface Section {
  title: string
  text: string
}

const heading = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/
const fenceMark = /^ {0,3}(`{3,}|~{3,})/

/** `name`: what a section is called that has no heading. A `#` inside a code fence is text. */
export function sectionsOf(source: string, name: string): Section[] {
  const sections: Section[] = [{ title: name, text: '' }]
  const path: string[] = []
  let lines: string[] = []
  let fence = ''
  const close = () => {
    const last = sections.at(-1)
    if (last !== undefined) last.text = plainProse(lines.join('\n'))
    lines = []
  }
  for (const line of withoutComments(source).replaceAll(/\r\n?/g, '\n').split('\n')) {
    const mark = fenceMark.exec(line)?.[1] ?? ''
    const found = fence === '' ? heading.exec(line) : null
    if (fence === '') fence = mark
    else if (mark.startsWith(fence)) fence = ''
    if (found === null) {
      lines.push(line)
      continue
    }
    close()
    const depth = found[1]?.length ?? 1
    path.length = Math.min(path.length, depth - 1)
    path[depth - 1] = plainProse((found[2] ?? '').replace(/[ \t]#+[ \t]*$/, ''))
    sections.push({ title: path.filter(Boolean).slice(-2).join(': '), text: '' })
  }
  close()
  return sections.filter(({ text }) => text !== '')
}

/** A comment is private to its writer: it never becomes something that the presenter quotes. */
function withoutComments(source: string): string {
  const kept: string[] = []
  let at = 0
  for (let open = source.indexOf('<!--'); open >= 0; open = source.indexOf('<!--', at)) {
    const end = source.indexOf('-->', open + 4)
    kept.push(source.slice(at, open))
    if (end < 0) return kept.join('')
    at = end + 3
  }
  return [...kept, source.slice(at)].join('')
}

/** As it may be said: no marks of bold, code, links and pictures, no control characters, one empty line between paragraphs. */
function plainProse(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\n\t]|[\ufeff\ufffe\uffff]/gu, '')
    .toWellFormed()
    .replaceAll(/!?\[([^\][\n]{0,300})\]\([^()\n]{0,2000}\)/g, '$1')
    .replaceAll(/\*\*([^*\n]{1,500})\*\*/g, '$1')
    .replaceAll(/`([^`\n]{1,500})`/g, '$1')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}
