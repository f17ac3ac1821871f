import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { html } from './markup.ts'

test('text in a template can neither open a tag nor leave an attribute', () => {
  assert.equal(
    html`<p title="${'"><script>'}">${"<b>'x'</b> & y"}</p>`.html,
    '<p title="&quot;&gt;&lt;script&gt;">&lt;b&gt;&#39;x&#39;&lt;/b&gt; &amp; y</p>',
  )
  fc.assert(fc.property(fc.string(), (text) => assert.doesNotMatch(html`${text}`.html, /[<>"']/)))
})

test('markup, lists of it and absent values are put in as they are', () => {
  const items = ['a', 'b'].map((item) => html`<li>${item}</li>`)
  assert.equal(html`<ul>${items}</ul>${undefined}${false}${3}`.html, '<ul><li>a</li><li>b</li></ul>3')
})
