// Rules of the style sheets and components that no linter knows: tokens only, logical properties only, no inline styles, no inner HTML.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const src = join(import.meta.dirname, '../src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
const sheets = files.filter((file) => file.endsWith('.css') && !file.endsWith('tokens.css') && !file.endsWith('font.css'))
const scripts = files.filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))

/** Declarations of a sheet, without comments and without the conditions of at-rules (a query cannot read a token). */
function declarations(file: string): { line: number; text: string }[] {
  const plain = readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
  return plain.split('\n').flatMap((text, i) => (/^\s*@/.test(text) || !/:/.test(text) ? [] : [{ line: i + 1, text: text.trim() }]))
}

function offenders(pattern: RegExp): string[] {
  return sheets.flatMap((file) => declarations(file).flatMap(({ line, text }) => (pattern.test(text) ? [`${file}:${line} ${text}`] : [])))
}

test('colours come from tokens', () => {
  assert.deepEqual(offenders(/#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/i), [])
})

test('lengths come from tokens: pixels are written out only for hairlines and small shifts, rem only for tracks and measures', () => {
  assert.deepEqual(offenders(/(?<![\w-])(?!-?[1-4]px)-?\d*\.?\d+px\b/), [])
  const measures = /^(grid-template|flex:|(min-|max-)?inline-size:)/
  assert.deepEqual(
    offenders(/(?<![\w-])\d*\.?\d+rem\b/).filter((found) => !measures.test(found.slice(found.indexOf(' ') + 1))),
    [],
  )
})

test('type comes from tokens', () => {
  assert.deepEqual(offenders(/^font-size:|^font:\s*[\d.]|^font-family:/), [])
})

test('no rule looks into an element for the sake of all that stands elsewhere: each element that came would have the whole page calculated', () => {
  assert.deepEqual(offenders(/:has\(.*\).*\*\s*[,{]/), [])
})

test('only logical properties, so that a right-to-left language needs no second sheet', () => {
  assert.deepEqual(
    offenders(
      /^(margin|padding|border|inset)?-?(left|right|top|bottom)(-\w+)?\s*:|text-align:\s*(left|right)|^(width|height|min-width|max-width|min-height|max-height)\s*:/,
    ),
    [],
  )
})

test('no component sets inner HTML, and nothing drawn on the server carries a style attribute', () => {
  const found = scripts.flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8')
    const inner = /dangerouslySetInnerHTML|\.innerHTML\b/.test(text)
    const styled = /\bstyle=/.test(text) && !file.startsWith('dashboard')
    return inner || styled ? [file] : []
  })
  assert.deepEqual(found, [])
})

test('time, chance and identifiers have one door', () => {
  const found = scripts.filter(
    (file) =>
      file !== 'ui/clock.ts' &&
      !file.startsWith('dashboard') &&
      /Date\.now\(|Math\.random\(|randomUUID/.test(readFileSync(join(src, file), 'utf8')),
  )
  assert.deepEqual(found, [])
})
