import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pronouncing } from './spoken.ts'

const cases: [text: string, list: Record<string, string>, said: string][] = [
  ['Run kubectl, not kubectlx.', { kubectl: 'cube control' }, 'Run cube control, not kubectlx.'],
  ['Kubectl and KUBECTL', { kubectl: 'cube control' }, 'cube control and cube control'],
  ['We polish it in Polish.', { Polish: 'Poh-lish' }, 'We polish it in Poh-lish.'],
  ['SQL Server, SQL and MySQL', { SQL: 'sequel', 'SQL Server': 'sequel server' }, 'sequel server, sequel and MySQL'],
  ['kubectl’s flags, C++ and C', { kubectl: 'cube control', 'C++': 'C plus plus' }, 'cube control’s flags, C plus plus and C'],
  ['über Gnome, Gnomes', { gnome: 'gnoom' }, 'über gnoom, Gnomes'],
  ['Élodie a dit élodie', { élodie: 'Elodi' }, 'Elodi a dit Elodi'],
  ['El nginx. Não é nginxs.', { nginx: 'ényin ex' }, 'El ényin ex. Não é nginxs.'],
  ['新しいSQLを使います', { SQL: 'シークェル' }, '新しいシークェルを使います'],
  ['大分県の大分市', { 大分: 'おおいた' }, 'おおいた県のおおいた市'],
  ['我们在重庆。', { 重庆: '崇庆' }, '我们在崇庆。'],
  ['نظام لينكس، لينكسي', { لينكس: 'لِينُكس' }, 'نظام لِينُكس، لينكسي'],
  ['a to b', { a: 'b', b: 'a' }, 'b to a'],
  ['cost $1', { cost: '$& $1' }, '$& $1 $1'],
  ['nothing to say', {}, 'nothing to say'],
]

for (const [text, list, said] of cases)
  test(`"${text}" is given to the voice as "${said}"`, () => assert.equal(pronouncing(list)(text).text, said))

test('names of the language itself are words like any other', () => {
  assert.equal(pronouncing({ kubectl: 'x' })('constructor and toString').text, 'constructor and toString')
  assert.equal(pronouncing(JSON.parse('{"constructor":"maker"}'))('the constructor').text, 'the maker')
})

const word = fc.constantFrom('a', 'kubectl', 'Polish', 'C++', 'SQL Server', 'SQL', 'é', '大分', 'ー', 'لينكس', '.', '$&', '(', 'ไทย')
const spoken = fc.array(fc.oneof(word, fc.constantFrom(' ', '. ', 'x', 'を', 'Kubectl')), { maxLength: 30 }).map((parts) => parts.join(''))

test('from what a voice is given there is a way back to the caption', () => {
  fc.assert(
    fc.property(spoken, fc.dictionary(word, fc.constantFrom('one', 'two words', '$1', '')), (caption, list) => {
      const { text: said, captionAt } = pronouncing(list)(caption)
      const places = Array.from({ length: said.length + 1 }, (_, at) => captionAt(at))
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
        'never back',
      )
      assert.equal(places.at(-1), caption.length)
      const rest = (text: string) => text.replaceAll(/[^x.]/g, '')
      if (rest(Object.entries(list).flat().join('')) === '') assert.equal(rest(said), rest(caption), 'what is no word of the list stays')
      for (const { 0: character, index } of said.matchAll(/x/g))
        if (!Object.values(list).some((each) => each.includes('x'))) assert.equal(caption[captionAt(index)], character)
    }),
  )
})
