// Whatever two colours a host chooses, what is written on their pages can be read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contrast, ground, paletteCss, paletteOf, plateOf } from './palette.ts'

const themes = ['light', 'dark'] as const

/** Every pair that must be read, as the pages put them. */
function check(accent: string | undefined, paper: string | undefined): void {
  const palette = paletteOf({ accent, paper })
  for (const theme of themes) {
    const all = { ...ground[theme], ...palette[theme] }
    const at = JSON.stringify({ accent, paper, theme, ...palette[theme] })
    const surfaces = [all.paper, all.card, all.sunk]
    for (const text of [all.ink, all['ink-2'], all['ink-3'], all.accent, all.amber, all.red, all.blue])
      for (const surface of surfaces) assert.ok(contrast(text, surface) >= 4.5, `${text} on ${surface} in ${at}`)
    for (const surface of surfaces) assert.ok(contrast(all['line-strong'], surface) >= 3, at)
    const { fill, 'on-accent': on, 'fill-edge': edge, 'accent-soft': soft } = palette[theme]
    if (fill === undefined || on === undefined || edge === undefined || soft === undefined) continue
    assert.ok(contrast(on, fill) >= 4.5, at)
    for (const surface of [all.paper, all.card]) assert.ok(contrast(edge, surface) >= 3, at)
    for (const text of [all.ink, all['ink-2']]) assert.ok(contrast(text, soft) >= 4.5, at)
  }
}

test('any two colours give pages whose text keeps 4.5:1 and whose edges keep 3:1, light and dark', () => {
  const parts = ['00', '33', '77', '80', 'aa', 'd4', 'ff']
  const colours = parts.flatMap((r) => parts.flatMap((g) => parts.map((b) => `#${r}${g}${b}`)))
  for (const [at, colour] of colours.entries()) {
    check(colour, undefined)
    check(undefined, colour)
    check(colour, colours[(at * 37 + 11) % colours.length])
  }
})

test('a colour that can be read stays as it is, and nothing is said of it', () => {
  const { light, notes } = paletteOf({ accent: '#0b3d91' })
  assert.equal(light.accent, '#0b3d91')
  assert.equal(light.fill, '#0b3d91')
  assert.equal(light['on-accent'], '#ffffff')
  assert.equal(notes.length, 1)
  assert.match(
    notes[0] ?? '',
    /^On dark pages links and lines are #[0-9a-f]{6}: #0b3d91 has \d+\.\d:1 there, and text needs 4\.5:1\. Buttons keep your colour, with white words\.$/,
  )
  assert.deepEqual(paletteOf({}), { light: {}, dark: {}, notes: [] })
})

test('yellow keeps its buttons, with dark words and an edge, and its links are darkened', () => {
  const { light, dark, notes } = paletteOf({ accent: '#ffd400', paper: '#fffdf2' })
  assert.equal(light.fill, '#ffd400')
  assert.equal(light['on-accent'], '#14150f')
  assert.equal(light['fill-edge'], light.accent)
  assert.notEqual(light.accent, '#ffd400')
  assert.equal(dark.accent, '#ffd400')
  assert.ok(notes.some((note) => note.startsWith('On light pages links and lines are')))
  assert.ok(notes.some((note) => note.includes('your #fffdf2 made darker')))
})

test('a logo that would be lost on a page stands on a plate', () => {
  assert.equal(plateOf('#0b1d3a', 'light', {}), null)
  assert.equal(plateOf('#0b1d3a', 'dark', {}), '#ffffff')
  assert.equal(plateOf('#7a1fa2', 'dark', {}), '#ffffff', 'violet on black was hardly seen')
  assert.equal(plateOf('#fdfdfb', 'light', {}), '#141512')
  assert.equal(plateOf('#fdfdfb', 'dark', {}), null)
})

test('the rule of a page holds colours alone', () => {
  assert.match(
    paletteCss({ accent: '#ffd400', paper: '#0b1d3a', logo: { ink: '#0b1d3a' } }),
    /^:root\{(--[a-z-]+:light-dark\((#[0-9a-f]{6}|transparent),(#[0-9a-f]{6}|transparent)\);?)+\}$/,
  )
  assert.equal(paletteCss({}), '')
})
