// Pages with a host's brand: their colours in one rule of the page's own style, their logo or name instead of ours.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Brand } from '@rostrum/contract/brand'
import type { WebBundle } from '../src/server/types.ts'
import { roomView } from './scripted-talk.ts'

const built = join(import.meta.dirname, '../dist/server/render.js')
const skip = existsSync(built) ? false : 'not built'
const page = { nonce: 'n', baseUrl: 'http://localhost', siteTitle: 'Rostrum', language: 'en' }
const logoUrl = `http://localhost/media/${'a'.repeat(64)}.png`
const bundle = async () => (await import(built)) as WebBundle
const room = async (brand?: Brand) =>
  (await bundle()).renderRoom({ ...roomView('isolated', 'welcome'), ...(brand && { brand }) }, { ...page, key: 'welcome', follows: [] })
const iconOf = (html: string) => decodeURIComponent(/<link rel="icon" href="([^"]*)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&')

test('a room has the colours of its host in the style of the page, and their logo with its size', { skip }, async () => {
  const html = await room({ name: 'North & "West"', accent: '#0b3d91', logoUrl, logo: { width: 480, height: 74, ink: '#0b2a6b' } })
  assert.match(html, /:root\{--accent:light-dark\(#0b3d91,#[0-9a-f]{6}\)/)
  assert.match(html, /--logo-plate:light-dark\(transparent,#ffffff\)/)
  assert.match(html, /<img class="brand-logo" src="[^"]+" alt="North &amp; &quot;West&quot;" width="480" height="74"\/?>/)
  assert.doesNotMatch(html, /\sstyle="/)
  assert.match(iconOf(html), /^data:image\/svg\+xml,<svg [^>]*><rect [^>]*fill="#0b3d91"\/><text [^>]*>N<\/text><\/svg>$/)
  assert.match(html, />Presented with Rostrum<\/a>/)
  assert.match(html, /"presenter.automated_brand"/)
})

test('a name cannot write into the page, nor into the icon that is made of it', { skip }, async () => {
  const html = await room({ name: '</script><script>alert(1)</script>' })
  assert.doesNotMatch(html, /<script>alert/)
  assert.match(iconOf(html), /<text [^>]*>&lt;<\/text>/)
})

test('a square logo is the icon, and the line that names the service can be left out', { skip }, async () => {
  const html = await room({ logoUrl, logo: { width: 160, height: 160, ink: '#ffd400' }, hideFooter: true })
  assert.equal(iconOf(html), logoUrl)
  assert.doesNotMatch(html, /Presented with/)
  assert.match(html, /Report this talk/)
})

test('without a brand a page is ours', { skip }, async () => {
  const html = await room()
  assert.equal(iconOf(html), '/favicon.svg')
  assert.doesNotMatch(html, /:root\{--accent|class="brand|_brand"/)
})

test(
  'what an attendee keeps has the brand of its talk and no way into the service; the front page that of whoever runs it',
  { skip },
  async () => {
    const { renderPage } = await bundle()
    const recap = {
      title: 'Grid',
      description: null,
      language: 'en',
      kind: 'live',
      disclosure: '',
      startedAt: null,
      slidesCount: 0,
    } as const
    const brand = { name: 'Northwind', accent: '#ffd400' }
    const kept = renderPage('recap', { recap: { ...recap, slides: [], questions: [], polls: [], cta: null } }, { ...page, brand })
    assert.match(kept, /<bdi class="brand-name">Northwind<\/bdi>/)
    assert.doesNotMatch(kept, /href="\/dashboard"/)
    assert.match(kept, /--fill:light-dark\(#ffd400,#ffd400\)/)
    const form = {
      title: 'Grid',
      language: 'en',
      asks: [],
      isFull: false,
      isOver: false,
      entry: 'anyone',
      consentText: 'I agree.',
      isMailed: true,
    } as const
    const register = renderPage('register', { form: { ...form, asks: [] }, when: null }, { ...page, brand })
    assert.match(register, /<bdi class="brand-name">Northwind<\/bdi>.*<h1 dir="auto">Grid<\/h1>.*Presented with Rostrum/s)
    assert.doesNotMatch(register, /href="\/dashboard"/)
    const home = renderPage('home', { demo: null, mcpUrl: 'http://localhost/mcp', talks: [] }, { ...page, brand })
    assert.match(home, /<bdi class="brand-name">Northwind<\/bdi>/)
    assert.match(home, /href="\/dashboard"/)
  },
)

test('a public room names its picture with its size and how it is embedded; any other neither', { skip }, async () => {
  const { renderRoom } = await bundle()
  const url = 'http://localhost/join/welcome'
  const preview = { url, imageUrl: `${url}/preview.jpg`, width: 1_200, height: 630, oembedUrl: 'http://localhost/api/v1/oembed?url=a&b' }
  const shown = { ...roomView('isolated', 'welcome'), title: 'Grid "storage"' }
  const html = renderRoom(shown, { ...page, key: 'welcome', follows: [], preview })
  for (const tag of [
    '<meta property="og:title" content="Grid &quot;storage&quot;">',
    `<meta property="og:image" content="${url}/preview.jpg">`,
    '<meta property="og:image:width" content="1200">',
    '<meta property="og:image:height" content="630">',
    '<meta name="twitter:card" content="summary_large_image">',
    '<link rel="alternate" type="application/json+oembed" href="http://localhost/api/v1/oembed?url=a&amp;b" title="Grid &quot;storage&quot;">',
  ])
    assert.ok(html.includes(tag), tag)
  assert.doesNotMatch(await room(), /og:image|oembed|twitter/)
})
