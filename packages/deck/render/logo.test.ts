// What of an SVG is drawn, and what is refused in words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLogo, plainSvg } from './logo.ts'

const svg = (inside: string, attributes = 'viewBox="0 0 200 60"') => `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`

test('shapes, text and colours stay; scripts, pictures, pages and whatever leads out go', () => {
  const kept = '<g fill="url(#a)"><path d="M0 0h9"></path><text>A &amp; B</text><use href="#b"></use></g>'
  assert.ok(plainSvg(svg(kept)).includes(kept))
  const gone = [
    '<script>alert(1)</script>',
    '<image href="https://a.example/a.png"/>',
    '<foreignObject><p>Hi</p></foreignObject>',
    '<a href="javascript:alert(1)"><rect width="9" height="9"/></a>',
    '<style>@import url(https://a.example/a.css);</style>',
    '<animate onbegin="alert(1)"/>',
    '<title>Northwind</title>',
  ]
  for (const each of gone) assert.equal(plainSvg(svg(each)).replace('<style></style>', ''), svg(''), each)
  const stripped = plainSvg(
    svg(
      '<rect onclick="alert(1)" fill="url(https://a.example/#a)" width="9"/><use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="file:///etc/passwd"/>',
    ),
  )
  assert.doesNotMatch(stripped, /onclick|a\.example|passwd/)
})

test('an SVG that draws nothing, is broken or brings entities of its own is refused in words', async () => {
  const entities = `<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>${svg('<text>&b;</text>')}`
  for (const broken of [
    entities,
    svg('<rect'),
    svg('<rect width="9" height="9"/>', 'viewBox="0 0 0 0"'),
    svg(''),
    '<html></html>',
    'no picture',
    '',
  ]) {
    const page = await openLogo(Buffer.from(broken)).page(0)
    assert.deepEqual(page.images, [], broken)
    assert.ok((page.warnings?.[0]?.detail ?? '').endsWith('.'), broken)
  }
})
