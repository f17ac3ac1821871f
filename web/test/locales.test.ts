// Every file of words has every key, the same placeholders, and the plural forms that its grammar asks for; a language wish finds its way.
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { catalogueOf, languageOf, pickLanguage, readCatalogues } from '../src/server/catalogues.ts'
import type { Message } from '../src/ui/words.ts'
import { translator } from '../src/ui/words.ts'

const folder = new URL('../../packages/languages/words/room/', import.meta.url)
const catalogues = readCatalogues(folder)
const en = catalogueOf('en')

const forms = (message: Message): readonly string[] => (typeof message === 'string' ? [message] : Object.values(message))
const placeholders = (text: string) =>
  [...new Set(Array.from(text.matchAll(/\{(\w+)\}/g), (match) => match[1] ?? ''))].toSorted((a, b) => a.localeCompare(b))

for (const [language, messages] of Object.entries(catalogues)) {
  test(`${language} has every key with the placeholders of English`, () => {
    assert.deepEqual(Object.keys(messages).toSorted(), Object.keys(en).toSorted())
    for (const [key, message] of Object.entries(en) as [keyof typeof en, Message][]) {
      const wanted = placeholders(forms(message).join(' '))
      for (const form of forms(messages[key])) {
        assert.deepEqual(placeholders(form), wanted, key)
        assert.notEqual(form.trim(), '', key)
      }
    }
  })

  test(`${language} has the plural forms of whole numbers up to a thousand`, () => {
    const rules = new Intl.PluralRules(language)
    const needed = new Set(Array.from({ length: 1_000 }, (_, n) => rules.select(n + 1)))
    for (const [key, message] of Object.entries(messages)) {
      if (typeof message === 'string') continue
      for (const category of needed) assert.ok(category === 'other' || category === 'many' || category in message, `${key}: ${category}`)
    }
  })
}

test('a translation fills in numbers by the rules of the language and picks its plural', () => {
  const t = translator(catalogueOf('de'), 'de')
  assert.equal(t('thread.questions', { n: 1 }), '1 Frage bisher')
  assert.equal(t('thread.questions', { n: 1_200 }), '1.200 Fragen bisher')
  assert.equal(t('status.answering', { name: 'Maya' }), 'Antwort an Maya')
})

test('the first wish that we speak decides: address, memory, browser, session, English', () => {
  assert.equal(pickLanguage({ query: 'ja', remembered: 'de', acceptLanguage: 'fr' }), 'ja')
  assert.equal(pickLanguage({ query: 'xx', remembered: 'de' }), 'de')
  assert.equal(pickLanguage({ acceptLanguage: 'nl, fr;q=0.8, es;q=0.9' }), 'es')
  assert.equal(pickLanguage({ acceptLanguage: 'de;q=0', session: 'pt' }), 'pt-BR')
  assert.equal(pickLanguage({}), 'en')
  assert.equal(languageOf('zh-TW'), 'zh-Hans')
  assert.equal(languageOf('de-CH'), 'de')
})

test('a ninth language of the room is a file alone', () => {
  const house = mkdtempSync(join(tmpdir(), 'rostrum-words-'))
  after(() => rmSync(house, { recursive: true }))
  cpSync(folder, house, { recursive: true })
  writeFileSync(join(house, 'nl.json'), JSON.stringify({ ...en, 'door.name': 'Je naam' }))
  assert.equal(readCatalogues(pathToFileURL(`${house}/`))['nl']?.['door.name'], 'Je naam')
})
