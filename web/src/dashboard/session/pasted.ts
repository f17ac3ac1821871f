// Pasted text as slides; pure, so that the rules can be tested.

export interface PastedSlide {
  title: string
  textContent: string
}

/** Slides are split at lines of three or more dashes; without one, at blank lines. The first line is the title, without its `#`. */
export function slidesFrom(text: string): PastedSlide[] {
  const lines = text.replaceAll('\r\n', '\n')
  const breaker = /^-{3,}[ \t]*$/m.test(lines) ? /^-{3,}[ \t]*$/m : /\n[ \t]*\n/
  return blocks(lines, breaker).map((block) => {
    const [first = '', ...rest] = block.split('\n')
    const title = first.replace(/^#{1,6}\s+/, '').trim()
    return { title: title.slice(0, 200), textContent: [title, ...rest].join('\n').trim() }
  })
}

function blocks(text: string, breaker: RegExp): string[] {
  return text
    .split(breaker)
    .map((block) => block.trim())
    .filter((block) => block !== '')
}
