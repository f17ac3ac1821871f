// What two colours of a host become: the tokens of a light and a dark page on which every text keeps 4.5:1 and every edge that means
// something 3:1 (WCAG 2.2, 1.4.3 and 1.4.11), and in words what was changed for it. A colour that cannot be read is mixed with white or black.
// Pure.

export interface TwoColours {
  /** `#rrggbb`, as `paper`. */
  accent?: string | undefined
  paper?: string | undefined
}

/** Names as in the style sheet, without the dashes. */
export type Tokens = Readonly<Partial<Record<TokenName, string>>>
type TokenName = 'paper' | 'card' | 'sunk' | 'line' | 'accent' | 'accent-soft' | 'fill' | 'fill-edge' | 'on-accent'

export interface Palette {
  light: Tokens
  dark: Tokens
  /** What was changed so that it can be read, a sentence each. */
  notes: readonly string[]
}

type Theme = 'light' | 'dark'

/** Those of `web/src/ui/tokens.css` that a host's colours must get on with. */
export const ground = {
  light: {
    paper: '#faf8f3',
    card: '#ffffff',
    sunk: '#f1eee6',
    ink: '#1d1e1a',
    'ink-2': '#5b5c54',
    'ink-3': '#696a61',
    'line-strong': '#8b897e',
    accent: '#0f6b4f',
    amber: '#8a5a00',
    red: '#a93226',
    blue: '#1f5c99',
  },
  dark: {
    paper: '#141512',
    card: '#1c1d1a',
    sunk: '#0f100e',
    ink: '#edebe4',
    'ink-2': '#b3b1a6',
    'ink-3': '#918f84',
    'line-strong': '#75746a',
    accent: '#63c9a1',
    amber: '#e5b45a',
    red: '#f0897b',
    blue: '#8dbbea',
  },
} as const satisfies Record<Theme, Record<string, string>>

const textLeast = 4.5
const edgeLeast = 3
const white = '#ffffff'
const black = '#000000'

type Rgb = readonly [number, number, number]

const rgbOf = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as unknown as Rgb
const hexOf = (rgb: Rgb): string =>
  `#${rgb
    .map((part) =>
      Math.round(Math.min(1, Math.max(0, part)) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`

const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)

export function luminance(hex: string): number {
  const [red, green, blue] = rgbOf(hex).map(linear) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** WCAG 2.2: from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/** `share` of `b` in `a`. */
function mix(a: string, b: string, share: number): string {
  const [from, to] = [rgbOf(a), rgbOf(b)]
  return hexOf(from.map((part, at) => part + ((to[at] ?? 0) - part) * share) as unknown as Rgb)
}

/** A grey of the same brightness takes most of its colour. */
function tintOf(hex: string): string {
  const [red, green, blue] = rgbOf(hex)
  const grey = 0.3 * red + 0.59 * green + 0.11 * blue
  return mix(hex, hexOf([grey, grey, grey]), 0.6)
}

/** The colour with the least of `end` (white or black) in it with which `suits` holds; the colour itself where it does already. */
function moved(hex: string, end: string, suits: (hex: string) => boolean): string {
  for (let step = 0; step < 50; step++) {
    const tried = mix(hex, end, step / 50)
    if (suits(tried)) return tried
  }
  return end
}

const keeps = (text: string, least: number, grounds: readonly string[]) => grounds.every((each) => contrast(text, each) >= least)

interface Surfaces {
  paper: string
  card: string
  sunk: string
}

const surfacesOn = {
  light: (paper: string): Surfaces => ({ paper, card: mix(paper, white, 0.75), sunk: mix(paper, black, 0.04) }),
  dark: (paper: string): Surfaces => ({ paper, card: mix(paper, white, 0.045), sunk: mix(paper, black, 0.3) }),
} as const

/** As near to the colour as every text of the page allows. */
function surfacesOf(paper: string, theme: Theme): Surfaces {
  const { ink, 'ink-2': ink2, 'ink-3': ink3, 'line-strong': strong, accent, amber, red, blue } = ground[theme]
  const suits = (tried: string) => {
    const each = Object.values<string>({ ...surfacesOn[theme](tried) })
    return [ink, ink2, ink3, accent, amber, red, blue].every((text) => keeps(text, textLeast, each)) && keeps(strong, edgeLeast, each)
  }
  // A page of the other kind keeps a tint of it: all of its chroma in the dark would be mud.
  const isOther = luminance(paper) > 0.18 !== (theme === 'light')
  return surfacesOn[theme](moved(isOther ? tintOf(paper) : paper, theme === 'light' ? white : black, suits))
}

/** The most of the accent in a soft ground on which text keeps its contrast. */
function softOf(card: string, accent: string, theme: Theme): string {
  const { ink, 'ink-2': ink2 } = ground[theme]
  const shares = theme === 'light' ? [0.12, 0.09, 0.06, 0.03] : [0.2, 0.15, 0.1, 0.05]
  const suits = (soft: string) => [ink, ink2].every((text) => contrast(text, soft) >= textLeast)
  return shares.map((share) => mix(card, accent, share)).find(suits) ?? card
}

/** Its words are white or dark; on a ground on which neither can quite be read they are white, and it is darkened. */
const dark = '#14150f'
function filled(accent: string): { fill: string; on: string } {
  const on = [white, dark].find((words) => contrast(words, accent) >= textLeast) ?? white
  return { fill: moved(accent, black, (fill) => contrast(on, fill) >= textLeast), on }
}

function accentsOn({ paper, card, sunk }: Surfaces, accent: string, theme: Theme) {
  const text = moved(accent, theme === 'light' ? black : white, (tried) => keeps(tried, textLeast, [paper, card, sunk]))
  const { fill, on } = filled(accent)
  return {
    accent: text,
    'accent-soft': softOf(card, accent, theme),
    fill,
    // A button that nobody would see on its page is given an edge.
    'fill-edge': keeps(fill, edgeLeast, [paper, card]) ? fill : text,
    'on-accent': on,
  }
}

const pages = { light: 'On light pages', dark: 'On dark pages' } as const
const ratio = (a: string, b: string) => `${(Math.floor(contrast(a, b) * 10) / 10).toFixed(1)}:1`

/** Undefined colours stay ours. */
export function paletteOf({ accent, paper }: TwoColours): Palette {
  const notes: string[] = []
  const tokensIn = (theme: Theme): Tokens => {
    const surfaces = paper === undefined ? ground[theme] : surfacesOf(paper, theme)
    if (paper !== undefined && surfaces.paper !== paper)
      notes.push(
        `${pages[theme]} the background is ${surfaces.paper}, your ${paper} made ${theme === 'light' ? 'lighter' : 'darker'}: text needs 4.5:1.`,
      )
    const { paper: ofPage, card, sunk } = surfaces
    const own = paper === undefined ? {} : { paper: ofPage, card, sunk, line: mix(ofPage, ground[theme].ink, 0.14) }
    if (accent === undefined) return own
    const accents = accentsOn(surfaces, accent, theme)
    if (accents.accent !== accent)
      notes.push(
        `${pages[theme]} links and lines are ${accents.accent}: ${accent} has ${ratio(accent, ofPage)} there, and text needs 4.5:1.${
          accents.fill === accent ? ` Buttons keep your colour, with ${accents['on-accent'] === white ? 'white' : 'dark'} words.` : ''
        }`,
      )
    if (accents.fill !== accent && theme === 'light')
      notes.push(`Buttons are ${accents.fill}, a little darker than ${accent}, so that their words can be read.`)
    return { ...own, ...accents }
  }
  return { light: tokensIn('light'), dark: tokensIn('dark'), notes }
}

/**
 * A shape of less contrast is lost, in the dark sooner; a logo has no words that must be read, and it is its owner's (1.4.3 leaves it out).
 */
const seenFrom = { light: 1.5, dark: 2.4 }

/** What stands behind a logo whose own colour would be lost on the page; null where it is seen. */
export function plateOf(ink: string, theme: Theme, tokens: Tokens): string | null {
  const { paper = ground[theme].paper } = tokens
  if (contrast(ink, paper) >= seenFrom[theme]) return null
  return contrast(ink, ground.light.card) >= contrast(ink, ground.dark.paper) ? ground.light.card : ground.dark.paper
}

/** The rule that puts the tokens on a page, for its own style element; empty where there is nothing to put. */
export function paletteCss({ accent, paper, logo }: TwoColours & { logo?: { ink: string } | undefined }): string {
  const { light, dark: ofDark } = paletteOf({ accent, paper })
  const names = Object.keys(light) as TokenName[]
  const rules = names.map((name) => `--${name}:light-dark(${light[name] ?? ''},${ofDark[name] ?? ''})`)
  if (logo !== undefined) {
    const [onLight, onDark] = [plateOf(logo.ink, 'light', light), plateOf(logo.ink, 'dark', ofDark)]
    if (onLight !== null || onDark !== null) rules.push(`--logo-plate:light-dark(${onLight ?? 'transparent'},${onDark ?? 'transparent'})`)
  }
  return rules.length === 0 ? '' : `:root{${rules.join(';')}}`
}
