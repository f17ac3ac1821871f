// The colours of tokens.css hold their contrast in both themes: text 4.5, borders of controls 3.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { contrast, ground } from '@rostrum/contract/palette'

const css = readFileSync(join(import.meta.dirname, '../src/ui/tokens.css'), 'utf8')

const tokens = new Map<string, readonly [light: string, dark: string]>()
for (const [, name, light, dark] of css.matchAll(/--([a-z0-9-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)/gi)) {
  if (name !== undefined && light !== undefined && dark !== undefined) tokens.set(name, [light, dark])
}

function hold(front: string, back: string, least: number): void {
  for (const theme of [0, 1] as const) {
    const [a, b] = [tokens.get(front)?.[theme], tokens.get(back)?.[theme]]
    assert.ok(a !== undefined && b !== undefined, `${front} and ${back} are tokens`)
    const found = contrast(a, b)
    assert.ok(found >= least, `${front} on ${back}, ${theme === 0 ? 'light' : 'dark'}: ${found.toFixed(2)}, needed ${least}`)
  }
}

test('text reaches 4.5 on every ground it may stand on', () => {
  for (const back of ['paper', 'card', 'sunk']) {
    for (const front of ['ink', 'ink-2', 'ink-3', 'accent', 'amber', 'red', 'blue']) hold(front, back, 4.5)
  }
  for (const back of ['accent-soft', 'amber-soft', 'red-soft']) for (const front of ['ink', 'ink-2']) hold(front, back, 4.5)
  hold('on-accent', 'accent', 4.5)
})

test('borders of controls reach 3 beside paper and card', () => {
  for (const back of ['paper', 'card']) hold('line-strong', back, 3)
})

test('the main pairs keep the figures of the design', () => {
  hold('ink', 'paper', 15)
  hold('ink-2', 'paper', 6.3)
  hold('ink-3', 'paper', 5.1)
  hold('accent', 'paper', 6)
})

test('the colours of a host are measured against those of the style sheet', () => {
  for (const [at, theme] of (['light', 'dark'] as const).entries())
    for (const [name, colour] of Object.entries(ground[theme])) assert.equal(colour, tokens.get(name)?.[at], `${name}, ${theme}`)
})
