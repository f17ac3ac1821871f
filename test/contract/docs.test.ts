// The docs are projections: every operation, code and page is there, and OpenAPI is valid by an outside judge.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { streamMessages } from '@rostrum/contract/room'
import { undeclaredIn, undeclaredOf } from '../support/declared.ts'
import { headingsOf, renderMarkdown } from '../../server/docs/markdown.ts'
import { showConfig } from '../../server/config/config.ts'
import { searched, sectionsOf } from '../../server/docs/search.ts'
import { docsRoutes } from '../../server/docs/routes.ts'
import { areaWords, docsSite, operationHref } from '../../server/docs/site.ts'
import { isAuthentic } from '../../server/docs/text/verify-webhook.ts'
import { createHmac } from 'node:crypto'
import { errorCodes } from '@rostrum/base/errors'
import { allOperations } from '../support/operations.ts'

const options = { operations: allOperations, baseUrl: 'https://talks.example.com', title: 'Rostrum', settings: showConfig({}) }
const site = docsSite(options)
const pages = new Map(site.map((page) => [page.path, page.markdown()]))
const anchorsOf = (path: string) => new Set(headingsOf(pages.get(path) ?? '').map(({ id }) => id))

test('every operation has a section at its address', () => {
  for (const operation of allOperations) {
    const [path = '', anchor = ''] = operationHref(operation).split('#')
    assert.ok(anchorsOf(path).has(anchor), operationHref(operation))
  }
})

test('every message of a stream has a section with its members, made of the shape that it is checked by', () => {
  const page = pages.get('/docs/api/events') ?? ''
  for (const event of Object.keys(streamMessages)) {
    const [, section = ''] = page.split(`{#stream-${event}}`)
    assert.match(section.split('###')[0] ?? '', /^\n\n[A-Z][^\n]+\.\n\n\| Member \|/, event)
  }
  assert.match(page, /\| `nextAudioUrl` \(optional\) \| string \| The clip of the sentence/)
  assert.match(page, /\| `mode` \| `extractive`, `model`, `human` \|/)
})

test('an event of a stream that is not declared, or a member of one, is found', () => {
  const vote = { questionId: 'q', attendeeId: 'a', value: 1 }
  const here = { count: 1, hands: 0, reactions: { agree: 0, like: 0, aha: 0 }, people: [] }
  assert.deepEqual(undeclaredIn('presence', here), [])
  assert.match(undeclaredIn('presence', { ...here, mood: 'good' }).join(), /mood/)
  assert.match(undeclaredIn('presence', { ...here, count: 'many' }).join(), /count/)
  assert.deepEqual(undeclaredIn('vote', vote), ['no event vote is declared'], 'it is for the log alone')
  assert.deepEqual(undeclaredOf({ type: 'vote', data: { ...vote, value: 1 }, audience: 'log', seq: 1, epoch: 1, at: 0 }), [])
})

test('every error code has a heading with what to do', () => {
  const anchors = anchorsOf('/docs/errors')
  for (const code of errorCodes) assert.ok(anchors.has(code), code)
})

test('every area has words for the contents', () => {
  for (const { area } of allOperations) assert.ok(areaWords[area], area)
})

test('links between pages lead to a page and a heading that exist', () => {
  const others = new Set([
    '/dashboard',
    '/dashboard/settings',
    '/dashboard/agents',
    '/dashboard/webhooks',
    '/dashboard/agents',
    '/openapi.json',
    '/openapi-3.2.json',
    '/docs/api/events.json',
    '/llms.txt',
    '/auth.md',
    '/.well-known/mcp.json',
  ])
  for (const [page, markdown] of pages) {
    for (const [, target = ''] of markdown.matchAll(/\]\((\/[^)\s]*|#[^)\s]*)\)/g)) {
      const [path = '', anchor] = target.split('#')
      const at = path === '' ? page : path
      if (others.has(at) || at.startsWith('/docs/pictures/')) continue
      assert.ok(pages.has(at), `${page} links to ${target}`)
      if (anchor !== undefined) assert.ok(anchorsOf(at).has(anchor), `${page} links to ${target}`)
    }
  }
})

test('no page holds a placeholder, and every example body is JSON', () => {
  for (const [page, markdown] of pages) {
    assert.doesNotMatch(markdown, /\{(base_url|title|host|scopes|events|tools|verify\w*)\}/, page)
    for (const [, json = ''] of markdown.matchAll(/```json\n([\s\S]*?)```/g)) JSON.parse(json)
    assert.doesNotMatch(markdown, /undefined|\[object/, page)
  }
})

test('text is escaped and raw HTML does not exist', () => {
  assert.equal(
    renderMarkdown('a <b> & `<c>` [x](javascript:alert) **d**'),
    '<p>a &lt;b&gt; &amp; <code>&lt;c&gt;</code> [x](javascript:alert) <strong>d</strong></p>',
  )
})

test('a table is named by its columns and is no landmark: several of one page were told as one', () => {
  const html = renderMarkdown('| `Event` | When |\n| --- | --- |\n| a | b |')
  assert.match(html, /^<div class="scroll" role="group" aria-label="Event, When" tabindex="0"><table>/)
})

test('every setting stands in the page about operating, with its default and what it is for', () => {
  const page = pages.get('/docs/operate') ?? ''
  for (const { name, value, meaning } of showConfig({}))
    assert.ok(page.includes(`| \`${name}\` | ${value && `\`${value}\``} | ${meaning} |`), name)
})

test('every page is Markdown by suffix and by Accept, and HTML else', async () => {
  const routes = docsRoutes({
    ...options,
    respond: ({ body }) => new Response(body, { headers: { 'Content-Type': 'text/html' } }),
  })
  const get = async (path: string, accept: string) => {
    const route = routes.find((candidate) => candidate.path === path)
    assert.ok(route, path)
    return route.handle({ request: new Request(`https://x.example${path}`, { headers: { Accept: accept } }), nonce: 'n', params: {} })
  }
  for (const { path } of site) {
    const twin = await (await get(`${path}.md`, '*/*')).text()
    assert.equal(await (await get(path, 'text/markdown')).text(), twin)
    assert.equal((await get(path, 'text/html,*/*')).headers.get('content-type'), 'text/html')
    assert.ok(twin.startsWith('# '), path)
  }
  assert.match(await (await get('/llms.txt', '*/*')).text(), /^# Rostrum\n\n> /)
})

/** A program that ends with 0 where the function of `file` accepts its arguments and its input. */
function builtWithGo(file: string, home: string): string {
  mkdirSync(join(home, 'webhook'))
  cpSync(file, join(home, 'webhook/verify.go'))
  writeFileSync(join(home, 'go.mod'), 'module check\n')
  const main = `package main
    import ("check/webhook"; "encoding/json"; "io"; "os")
    func main() {
      given := map[string]string{}
      json.Unmarshal([]byte(os.Args[1]), &given)
      body, _ := io.ReadAll(os.Stdin)
      if !webhook.IsAuthentic(func(name string) string { return given[name] }, body, os.Args[2]) { os.Exit(1) }
    }`
  writeFileSync(join(home, 'main.go'), main)
  const env = { ...process.env, GOCACHE: join(home, 'cache'), GOTOOLCHAIN: 'local' }
  const { status, stderr } = spawnSync('go', ['build', '-o', 'check', '.'], { cwd: home, env, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return join(home, 'check')
}

test('the verification shown in the docs accepts a signed delivery and nothing else', (t) => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
  const sent = '{"name":"Zoë"}'
  const at = String(Math.floor(Date.now() / 1000))
  const sign = (body: string, key: string) =>
    `v1,${createHmac('sha256', Buffer.from(key, 'base64')).update(`msg_1.${at}.${body}`).digest('base64')}`
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': at, 'webhook-signature': sign(sent, secret.slice(6)) }
  assert.ok(isAuthentic(headers, sent, secret))
  assert.ok(isAuthentic({ ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }, sent, secret))
  assert.ok(!isAuthentic(headers, '{ }', secret))
  assert.ok(!isAuthentic({ ...headers, 'webhook-timestamp': '1' }, sent, secret))

  const text = (name: string) => join(import.meta.dirname, '../../server/docs/text', name)
  const home = mkdtempSync(join(tmpdir(), 'rostrum-go-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  let verifier: string | undefined
  const holds: Readonly<Record<string, (body: string) => boolean>> = {
    python3(body) {
      const call = 'import json, runpy, sys; f, h, s = sys.argv[1:]; of = runpy.run_path(f)["is_authentic"]'
      const ask = `${call}; sys.exit(0 if of(json.loads(h), sys.stdin.buffer.read(), s) else 1)`
      return spawnSync('python3', ['-c', ask, text('verify-webhook.py'), JSON.stringify(headers), secret], { input: body }).status === 0
    },
    ruby(body) {
      const ask = 'require ARGV[0]; require "json"; exit(authentic?(JSON.parse(ARGV[1]), $stdin.binmode.read, ARGV[2]))'
      const args = ['-e', ask, text('verify-webhook.rb'), JSON.stringify(headers), secret]
      return spawnSync('ruby', args, { input: body }).status === 0
    },
    php(body) {
      const ask = 'require $argv[1]; exit(is_authentic(json_decode($argv[2], true), stream_get_contents(STDIN), $argv[3]) ? 0 : 1);'
      const args = ['-r', ask, '--', text('verify-webhook.php'), JSON.stringify(headers), secret]
      return spawnSync('php', args, { input: body }).status === 0
    },
    go: (body) =>
      spawnSync((verifier ??= builtWithGo(text('verify-webhook.go'), home)), [JSON.stringify(headers), secret], { input: body }).status ===
      0,
    openssl(body) {
      const given = { ID: 'msg_1', TIMESTAMP: at, SIGNATURE: `v1,AAAA ${headers['webhook-signature']}`, SECRET: secret }
      return spawnSync('sh', [text('verify-webhook.sh')], { input: body, env: { ...process.env, ...given } }).status === 0
    },
  }
  for (const [tool, check] of Object.entries(holds)) {
    const isThere = spawnSync(tool, [tool === 'openssl' || tool === 'go' ? 'version' : '--version']).status === 0
    if (!isThere) t.diagnostic(`${tool} is not on this machine: its snippet was not run`)
    if (!isThere) continue
    assert.ok(check(sent), tool)
    assert.ok(!check('{ }'), tool)
  }
})
test('the search finds a section by words of its heading or its text, headings first, and says what to do when nothing does', () => {
  const sections = sectionsOf(site)
  const linksOf = (query: string) =>
    [...searched(sections, query).matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, name = '', href = '']) => ({ name, href }))
  assert.equal(linksOf('many processes')[0]?.href, '/docs/operate#many')
  assert.match(
    linksOf('If-Match etag')
      .map(({ href }) => href)
      .join(),
    /\/docs#calls/,
  )
  assert.deepEqual(linksOf('SIGNATUREN xyzzy'), [])
  assert.match(searched(sections, 'xyzzy'), /Nothing says "xyzzy"/)
  assert.match(searched(sections, ' '), /Write a word or two/)
  assert.doesNotMatch(searched(sections, '](javascript:x) <img>'), /javascript:|<img>/)
  for (const { href } of ['webhook', 'lead', 'script'].flatMap(linksOf)) {
    const [path = '', anchor] = href.split('#')
    assert.ok(pages.has(path) && (anchor === undefined || anchorsOf(path).has(anchor)), href)
  }
})

test('the pictures of the docs are there, small, with their size and words', () => {
  for (const [page, markdown] of pages) {
    for (const [, name = ''] of markdown.matchAll(/!\[[^\]]{20,}\]\(\/docs\/pictures\/([a-z-]+\.webp)\)/g))
      assert.ok(statSync(new URL(`../../server/docs/pictures/${name}`, import.meta.url)).size < 80_000, `${page} ${name}`)
    const html = renderMarkdown(markdown)
    assert.equal(
      [...html.matchAll(/<img src="[^"]+" alt="[^"]{20,}" width="\d+" height="\d+"/g)].length,
      markdown.split('](/docs/pictures/').length - 1,
    )
  }
  assert.doesNotMatch(renderMarkdown('![x](https://elsewhere.example/a.png)'), /<img/)
})
