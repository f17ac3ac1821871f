// What of a Markdown deck is public, and what is private.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { splitMarkdown } from './markdown.ts'

const secret = 'floor is 40 EUR'

test('a comment over a line of dashes is the note of one slide, and none of it is said', () => {
  assert.deepEqual(splitMarkdown(`# A\n<!-- secret price\n\n---\n\n${secret} -->\nPublic\n\n---\n\n# B`), [
    { text: '# A\n\nPublic', notes: `secret price\n\n---\n\n${secret}` },
    { text: '# B', notes: '' },
  ])
})

test('a comment that is never closed is private to the end of the file, and the deck says so', () => {
  assert.deepEqual(splitMarkdown(`Body\n<!-- never say 40 EUR\n\n---\n\n# B`), [
    { text: 'Body', notes: 'never say 40 EUR\n\n---\n\n# B', isOpen: true },
  ])
})

test('a comment within a code fence stays on the slide, and one behind it does not', () => {
  for (const fence of ['```html\n<!-- shown\n---\n```', '~~~~\n<!-- shown\n~~~~~', '- ```\n  <!-- shown\n  ```']) {
    const [slide] = splitMarkdown(`# Page\n${fence}\n<!-- ${secret} -->`)
    assert.deepEqual([slide?.text.includes('<!-- shown'), slide?.notes], [true, secret])
  }
})

test('a mark of a comment that is only mentioned, in code, hides nothing', () => {
  assert.deepEqual(
    splitMarkdown('Comments begin with `<!--`.\n\n---\n\nNext').map(({ text }) => text),
    ['Comments begin with <!--.', 'Next'],
  )
})

test('front matter that holds a comment is none: the rest of the comment stays private', () => {
  assert.ok(!publicText(`---\n# A\n  <!-- one\n---\n${secret} -->\nPublic`).includes(secret))
})

test('whatever stands around it, no text of a comment outside of a code fence is public', () => {
  const block = fc.constantFrom(
    '# Title',
    'words `code` words',
    '',
    '---',
    ' --- ',
    '- item',
    '```inline``` words',
    '```js\n<!-- in code\n---\n```',
    '~~~\n```\n<!-- in code -->\n~~~',
    '````\n```\n````',
    '- ```js\n  code\n  ```',
    '- ```js\n  code\n\nParagraph',
    '1. ```\n   code\n    ```',
    '    ```',
    '-->',
    '`-->`',
    '\\`',
  )
  const inner = fc.array(fc.constantFrom(secret, '---', '```', '~~~', '- ```', '<!--', '`', '--', '', '# Heading'))
  const comment = fc
    .tuple(fc.constantFrom('<!--', '<!-- ', 'Words <!--', '  <!--\n', '- <!-- '), inner, fc.constantFrom('-->', ' --> words'))
    .map(([open, lines, close]) => `${open}${[secret, ...lines].join('\n')}\n${close}`)
  const open = fc.constantFrom('', `<!-- ${secret}\n---\n${secret}`)
  fc.assert(
    fc.property(fc.array(fc.oneof(block, comment)), open, (parts, last) => {
      assert.ok(!publicText([...parts, last].join('\n')).includes(secret))
    }),
    { numRuns: 2_000 },
  )
})

function publicText(source: string): string {
  return splitMarkdown(source)
    .map(({ text }) => text)
    .join('\n')
}
