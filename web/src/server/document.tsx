// The HTML document around every page: head, style, body, boot data, one module script.
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { ground, paletteCss, paletteOf } from '@rostrum/contract/palette'
import type { Brand } from '@rostrum/contract/brand'
import type { PageContext, RoomPreview } from './types.ts'

export interface DocumentParts {
  page: PageContext
  title: string
  description?: string | undefined
  noindex: boolean
  /** The policy of a page for people has no place for a manifest. */
  isStrict?: boolean
  preview?: RoomPreview | undefined
  brand?: Brand | undefined
  inlineCss?: string
  styles: readonly string[]
  body: VNode
  /** JSON for `#boot`, already escaped. */
  boot?: string
  script: string | null
  preload: readonly string[]
  /** Fetched beside the style sheet: with `font-display: optional` a late font is not shown at all. */
  font?: string | null
}

export function documentHtml(parts: DocumentParts): string {
  const { page } = parts
  const at = (path: string) => escapeHtml(`${page.assetOrigin ?? ''}${path}`)
  const theme = page.theme === undefined ? '' : ` data-theme="${page.theme}"`
  const dir = page.language === 'ar' ? ' dir="rtl"' : ''
  const { brand } = parts
  const css = `${parts.inlineCss ?? ''}${brand === undefined ? '' : paletteCss(brand)}`
  const { light, dark } = paletteOf(brand ?? {})
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">',
    `<title>${escapeHtml(parts.title)}</title>`,
    parts.description ? `<meta name="description" content="${escapeHtml(parts.description.slice(0, 300))}">` : '',
    parts.noindex ? '<meta name="robots" content="noindex">' : '',
    `<meta property="og:title" content="${escapeHtml(parts.title)}">`,
    parts.description ? `<meta property="og:description" content="${escapeHtml(parts.description.slice(0, 300))}">` : '',
    ...(parts.preview === undefined ? [] : previewTags(parts.preview, brand?.name ?? page.siteTitle, parts.title)),
    '<meta name="color-scheme" content="light dark">',
    `<meta name="theme-color" content="${light.paper ?? ground.light.paper}" media="(prefers-color-scheme: light)">`,
    `<meta name="theme-color" content="${dark.paper ?? ground.dark.paper}" media="(prefers-color-scheme: dark)">`,
    `<link rel="icon" href="${escapeHtml(iconOf(brand))}">`,
    parts.isStrict ? '' : '<link rel="manifest" href="/manifest.webmanifest">',
    parts.font ? `<link rel="preload" as="font" type="font/woff2" href="${at(`/${parts.font}`)}" crossorigin>` : '',
    ...parts.styles.map((path) => `<link rel="stylesheet" href="${at(path)}">`),
    css ? `<style nonce="${escapeHtml(page.nonce)}">${css.replaceAll('</', '<\\/')}</style>` : '',
    ...parts.preload.map((path) => `<link rel="modulepreload" href="${at(path)}">`),
    parts.script === null ? '' : `<script type="module" src="${at(parts.script)}"></script>`,
  ].filter((line) => line !== '')
  const boot =
    parts.boot === undefined ? '' : `<script type="application/json" id="boot" nonce="${escapeHtml(page.nonce)}">${parts.boot}</script>`
  return `<!doctype html>\n<html lang="${page.language}"${dir}${theme}><head>${head.join('\n')}</head><body>${renderToString(parts.body)}${boot}</body></html>`
}

function previewTags({ url, imageUrl, width, height, oembedUrl }: RoomPreview, site: string, title: string): string[] {
  const tag = (property: string, content: string | number) => `<meta property="${property}" content="${escapeHtml(String(content))}">`
  return [
    tag('og:type', 'website'),
    tag('og:url', url),
    tag('og:site_name', site),
    tag('og:image', imageUrl),
    tag('og:image:type', 'image/jpeg'),
    tag('og:image:width', width),
    tag('og:image:height', height),
    tag('og:image:alt', title),
    '<meta name="twitter:card" content="summary_large_image">',
    `<link rel="alternate" type="application/json+oembed" href="${escapeHtml(oembedUrl)}" title="${escapeHtml(title)}">`,
  ]
}

/** Wider than this, a logo is a line of words that nobody can read in a tab. */
const iconRatioMax = 1.5

/** The icon of the tab: the logo where it is about square, else the first letter of the host on their accent. */
export function iconOf(brand: Brand | undefined): string {
  const { logo, logoUrl, name } = brand ?? {}
  if (logoUrl !== undefined && logo !== undefined && logo.width <= logo.height * iconRatioMax) return logoUrl
  if (name === undefined) return '/favicon.svg'
  const { accent, fill = accent ?? ground.light.accent, 'on-accent': ink = '#ffffff' } = paletteOf(brand ?? {}).light
  const letter = escapeHtml(String.fromCodePoint(name.codePointAt(0) ?? 0).toUpperCase())
  const tile = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${fill}"/><text x="16" y="23" text-anchor="middle" font-family="sans-serif" font-weight="600" font-size="20" fill="${ink}">${letter}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(tile)}`
}

/** JSON that may stand in a script element: `<`, U+2028 and U+2029 escaped. */
export function escapeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
