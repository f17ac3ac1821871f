// Wears the look of the host: its theme, its variables and fonts, as far as it gives them. Our accent stays only where it can be
// read on the host's background.
import type { HostContext } from './protocol.ts'

const readable = 4.5
let fonts: HTMLStyleElement | undefined

export function wear({ theme, styles, locale }: HostContext): void {
  const root = document.documentElement
  if (theme !== undefined) root.dataset['theme'] = theme
  if (locale !== undefined) root.lang = locale
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith('--')) root.style.setProperty(name, value)
  }
  if (styles?.css?.fonts !== undefined) {
    fonts ??= document.head.appendChild(document.createElement('style'))
    fonts.textContent = styles.css.fonts
  }
  delete root.dataset['plain']
  const { backgroundColor } = getComputedStyle(document.body)
  if (contrast(colorOf('--accent'), channels(backgroundColor)) < readable) root.dataset['plain'] = ''
}

/** The colour a token has here, as the browser resolves it. */
function colorOf(token: string): number[] {
  const probe = document.body.appendChild(document.createElement('i'))
  probe.style.color = `var(${token})`
  const color = channels(getComputedStyle(probe).color)
  probe.remove()
  return color
}

/** Red, green and blue, 0 to 255. */
function channels(color: string): number[] {
  return (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number)
}

/** WCAG 2.2, contrast ratio. */
export function contrast(a: readonly number[], b: readonly number[]): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = color.map((channel) => {
    const part = channel / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
