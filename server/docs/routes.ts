// The addresses of the docs: pages with their `.md` twins, /openapi.json and /llms.txt. Built on first use and kept.
import { readFile } from 'node:fs/promises'
import { ServiceError } from '@rostrum/base/errors'
import { documentRoute } from '../platform/http/files.ts'
import type { Route, RouteCall } from '../platform/http/ports.ts'
import { lazily } from '@rostrum/base/work'
import { eventSchemas } from './events.ts'
import type { OpenApiOptions } from './openapi.ts'
import { openApi } from './openapi.ts'
import type { DocPage, Setting } from './site.ts'
import { areaWords, docsSite, groups } from './site.ts'

export interface DocLink {
  title: string
  href: string
  children?: readonly DocLink[]
}

export interface DocGroup {
  title: string
  links: readonly DocLink[]
}

/** What the web's frame for /docs is given; `contents` and `body` are safe HTML and plain titles. */
export interface DocFrame {
  title: string
  description: string
  contents: readonly DocGroup[]
  body: string
  path: string
  /** Absent where the page has no twin. */
  markdownUrl?: string
  /** What was searched for. */
  query?: string
}

type DocCall = Pick<RouteCall, 'request' | 'nonce' | 'params'>

export interface DocRoute extends Omit<Route, 'handle'> {
  handle(call: DocCall): Response | Promise<Response>
}

export interface DocsOptions extends Omit<OpenApiOptions, 'areas' | 'version'> {
  settings: readonly Setting[]
  /** The finished page, with its security headers. */
  respond(frame: DocFrame, call: DocCall): Response
}

export function docsRoutes(options: DocsOptions): readonly DocRoute[] {
  const site = docsSite(options)
  const description = (version: '3.1.0' | '3.2.0') => lazily(() => JSON.stringify(openApi({ ...options, areas: areaWords, version })))
  const sections = lazily(async () => (await import('./search.ts')).sectionsOf(site))
  return [
    ...site.flatMap((page) => pageRoutes(page, site, options)),
    {
      method: 'GET',
      path: '/docs/search',
      kind: 'page',
      async handle(call) {
        const query = new URL(call.request.url).searchParams.get('q') ?? ''
        const [{ searched }, { renderMarkdown }] = await Promise.all([import('./search.ts'), import('./markdown.ts')])
        const body = renderMarkdown(searched(await sections(), query))
        const page = { title: 'Search', description: 'What the documentation says of some words', path: '/docs/search' }
        return options.respond({ ...page, contents: contentsOf(site), body, query }, call)
      },
    },
    {
      method: 'GET',
      path: '/docs/pictures/:name',
      kind: 'document',
      handle: ({ params }) => pictureAnswer(params['name'] ?? ''),
    },
    documentRoute('/docs/api/events.json', 'application/schema+json', () => eventSchemas(options.operations)),
    documentRoute('/openapi.json', 'application/json', description('3.1.0')),
    documentRoute('/openapi-3.2.json', 'application/json', description('3.2.0')),
    documentRoute('/llms.txt', 'text/plain; charset=utf-8', () => llms(site, options)),
  ]
}

/** Grouped; `open` shows its headings. */
function contentsOf(site: readonly DocPage[], open?: { path: string; children: readonly DocLink[] }): readonly DocGroup[] {
  return groups.map((title) => ({
    title,
    links: site
      .filter(({ group }) => group === title)
      .map((page) => ({ title: page.title, href: page.path, ...(page.path === open?.path && { children: open.children }) })),
  }))
}

/** A picture of a page: the set is small, made with the sources and may be cached for a day. */
async function pictureAnswer(name: string): Promise<Response> {
  const bytes = /^[a-z-]{1,40}\.webp$/.test(name)
    ? await readFile(new URL(`pictures/${name}`, import.meta.url)).catch(() => undefined)
    : undefined
  if (bytes === undefined) throw new ServiceError('not_found', 'No such picture.')
  return new Response(new Uint8Array(bytes), { headers: { 'Content-Type': 'image/webp', 'Cache-Control': 'public, max-age=86400' } })
}

function pageRoutes({ path, title, description, markdown }: DocPage, site: readonly DocPage[], options: DocsOptions): readonly DocRoute[] {
  const text = lazily(markdown)
  const markdownUrl = `${path}.md`
  // What a start does not need is not loaded for it.
  const page = lazily(async () => {
    const { headingsOf, renderMarkdown } = await import('./markdown.ts')
    const children = headingsOf(text()).map((heading) => ({ title: heading.text.replaceAll('`', ''), href: `#${heading.id}` }))
    const contents = contentsOf(site, { path, children })
    return { title, description, path, markdownUrl, contents, body: renderMarkdown(text()) }
  })
  return [
    {
      method: 'GET',
      path,
      kind: 'page',
      async handle(call) {
        if (wantsMarkdown(call.request.headers.get('accept'))) return asMarkdown(text(), true)
        return options.respond(await page(), call)
      },
    },
    { method: 'GET', path: markdownUrl, kind: 'document', handle: () => asMarkdown(text(), false) },
  ]
}

/** Asked for by name: a wildcard is a browser. */
function wantsMarkdown(accept: string | null): boolean {
  const types = (accept ?? '').split(',').map((type) => type.split(';')[0]?.trim())
  const at = types.indexOf('text/markdown')
  return at !== -1 && (types.indexOf('text/html') === -1 || at < types.indexOf('text/html'))
}

function asMarkdown(text: string, negotiated: boolean): Response {
  const headers = {
    'Content-Type': 'text/markdown; charset=utf-8',
    'Cache-Control': 'public, max-age=300',
    'Access-Control-Allow-Origin': '*',
  }
  return new Response(text, { headers: negotiated ? { ...headers, Vary: 'Accept' } : headers })
}

/** The index that language models read (llmstxt.org). */
function llms(site: readonly DocPage[], { title, baseUrl }: DocsOptions): string {
  const pages = site.map((page) => `- [${page.title}](${baseUrl}${page.path}.md): ${page.description}`)
  return [
    `# ${title}`,
    '',
    '> An automated presenter that gives a talk from a deck in a web room, answers questions with citations, and captures leads. Agents run it over HTTP or MCP.',
    '',
    `An agent without a credential starts at [auth.md](${baseUrl}/auth.md). The MCP server is at ${baseUrl}/mcp.`,
    '',
    '## Docs',
    '',
    ...pages,
    '',
    '## Descriptions',
    '',
    `- [OpenAPI 3.1](${baseUrl}/openapi.json): every HTTP operation; [3.2](${baseUrl}/openapi-3.2.json) with the messages of streams as \`itemSchema\``,
    `- [MCP manifest](${baseUrl}/.well-known/mcp.json): every tool, resource and prompt`,
    '',
  ].join('\n')
}
