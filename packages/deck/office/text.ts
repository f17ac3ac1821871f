// What a shape on a slide takes from its layout and its master (ECMA-376 part 1, 19.3.1.36 and 21.1.2): the kind of its
// placeholder, its place, bullets and sizes.
import { cleanText } from '../protocol.ts'
import { child, children, descendants, type Element, type Relation } from './package.ts'

interface Looks {
  bullet: 'none' | 'mark' | 'number'
  /** Points. */
  size: number
  isBold: boolean
  font: string
}

/** A slide with what is below it. */
export interface Layers {
  layout?: Element | undefined
  master?: Element | undefined
  /** `p:defaultTextStyle` of the presentation. */
  defaults?: Element | undefined
}

interface Chain {
  /** `title`, `body`, `sldNum` and so on; undefined for a shape that is no placeholder. */
  placeholder: string | undefined
  /** The shape itself first, then those that it inherits from. */
  shapes: readonly Element[]
  /** `p:titleStyle`, `p:bodyStyle` or `p:otherStyle` of the master, or the defaults. */
  style: Element | undefined
}

const sizeByDefault = 18
const textual = new Set(['body', 'obj', 'subTitle'])

const isTitle = (placeholder: string | undefined) => placeholder === 'title' || placeholder === 'ctrTitle'

export function placeholderOf(shape: Element): Element | undefined {
  const properties = shape.children.find(({ name }) => /^nv\p{L}+Pr$/u.test(name))
  return child(properties, 'nvPr', 'ph')
}

export function chainOf(shape: Element, { layout, master, defaults }: Layers): Chain {
  const own = placeholderOf(shape)
  if (own === undefined) return { placeholder: undefined, shapes: [shape], style: defaults ?? child(master, 'txStyles', 'otherStyle') }
  const inLayout = findPlaceholder(layout, own)
  const said = own.attributes['type'] ?? (inLayout && placeholderOf(inLayout)?.attributes['type']) ?? 'obj'
  const inMaster = findPlaceholder(master, inLayout === undefined ? own : (placeholderOf(inLayout) ?? own), baseOf(said))
  const style = isTitle(said) ? 'titleStyle' : textual.has(said) ? 'bodyStyle' : 'otherStyle'
  return {
    placeholder: said,
    shapes: [shape, inLayout, inMaster].filter((each) => each !== undefined),
    style: child(master, 'txStyles', style),
  }
}

/** The placeholder of a master that others are made from. */
function baseOf(type: string): string {
  if (type === 'ctrTitle') return 'title'
  return textual.has(type) ? 'body' : type
}

function findPlaceholder(layer: Element | undefined, { attributes }: Element, base?: string): Element | undefined {
  const shapes = descendants(child(layer, 'cSld', 'spTree'), 'sp').filter((shape) => placeholderOf(shape) !== undefined)
  const find = (is: (held: Readonly<Record<string, string>>) => boolean) =>
    shapes.find((shape) => is(placeholderOf(shape)?.attributes ?? {}))
  if (base !== undefined) return find(({ type }) => baseOf(type ?? 'obj') === base)
  return (
    (isTitle(attributes['type']) ? find(({ type }) => isTitle(type)) : undefined) ??
    find(({ idx, type }) => idx === attributes['idx'] && (attributes['type'] === undefined || type === attributes['type'])) ??
    find(({ type }) => type !== undefined && type === attributes['type'])
  )
}

/** Of a paragraph at that level, from the nearest that says it. `own`: its `a:pPr`. */
function looksAt(level: number, own: Element | undefined, { shapes, style }: Chain): Looks {
  const name = `lvl${level + 1}pPr`
  const layers = [own, ...shapes.map((shape) => child(shape, 'txBody', 'lstStyle', name)), child(style, name)].filter(
    (each) => each !== undefined,
  )
  const said = (attribute: string) =>
    layers.map((layer) => child(layer, 'defRPr')?.attributes[attribute]).find((value) => value !== undefined)
  const font = layers.map((layer) => child(layer, 'defRPr', 'latin')?.attributes['typeface']).find((value) => value !== undefined)
  return {
    bullet: layers.map(bulletOf).find((bullet) => bullet !== undefined) ?? 'none',
    size: Number(said('sz') ?? sizeByDefault * 100) / 100 || sizeByDefault,
    isBold: isOn(said('b')),
    font: font ?? '',
  }
}

export const isOn = (value: string | undefined) => value === '1' || value === 'true' || value === 'on'

function bulletOf(properties: Element): Looks['bullet'] | undefined {
  for (const { name } of properties.children) {
    if (name === 'buNone') return 'none'
    if (name === 'buChar' || name === 'buBlip') return 'mark'
    if (name === 'buAutoNum') return 'number'
  }
  return undefined
}

// The paragraphs of a shape as a person reads them: runs joined, line breaks made spaces, bullets and levels known, typed bullets
// taken for bullets, fields that number or date the slide left out.

export interface Paragraph extends Omit<Looks, 'font'> {
  /** One line. */
  text: string
  /** The colour that its first words name. */
  ink?: string
  /** Its lines and spaces kept, where it is set in a typewriter's face. */
  code?: string
  level: number
  /** Of a link that is the whole paragraph. */
  url?: string
  isRightToLeft?: true
}

export type Relations = ReadonlyMap<string, Relation>

const typedMark = /^(?:[•‣▪▸►●○◦·–—・❏❑❒➢➤→✓✔■□◆๏-]|\p{Co})\s+/u
const typewriter = /mono|consol|courier|menlo|monaco|lucida console|source code|\bcode\b|fixedsys|terminal/i
/** A line end that PowerPoint writes as a character. */
const written = /_x000[BDbd]_|[\v\f]/g

const isTypewriter = (font: string) => typewriter.test(font)

/** A bullet that somebody typed is one. */
function withoutTypedMark(text: string): { text: string; isMarked: boolean } {
  const mark = typedMark.exec(text)?.[0] ?? ''
  return { text: text.slice(mark.length), isMarked: mark !== '' }
}

export const oneLine = (text: string) => cleanText(text).replace(/\s+/g, ' ').trim()

/** Paragraphs with words, in order. `body`: an `a:txBody`. */
export function paragraphsOf(body: Element | undefined, chain: Chain, relations?: Relations): Paragraph[] {
  return children(body, 'p').flatMap((paragraph) => {
    const properties = child(paragraph, 'pPr')
    const level = Math.min(8, Math.max(0, Math.trunc(Number(properties?.attributes['lvl'] ?? 0)) || 0))
    const looks = looksAt(level, properties, chain)
    return partsOf(paragraph, isTitle(chain.placeholder)).flatMap((runs) => readRuns(runs, level, looks, properties, relations))
  })
}

/** A break with nothing before it, or two of them, end a paragraph as a blank line does; so does one before words set otherwise. */
function partsOf(paragraph: Element, isTitle: boolean): Element[][] {
  const parts: Element[][] = [[]]
  const isStacked = !isTitle && isStack(linesOf(paragraph))
  let last: Element | undefined
  let isBroken = false
  for (const run of paragraph.children) {
    const text = run.name === 'br' ? '' : wordsOf(run)
    if (run.name !== 'br' && text.trim() === '') {
      if (text !== '') parts.at(-1)?.push(run)
      continue
    }
    // What stands below a title in looks of its own is no title, nor one text.
    const isBelowTitle = isTitle && parts.length > 1
    const isApart =
      isStacked || isBelowTitle || typedMark.test(`${text.trim()} `) || (begins.test(text.trim()) && lookOf(run) !== lookOf(last))
    if (run.name === 'br' && isBroken) parts.push([])
    else if (isBroken && last !== undefined && isApart) parts.push([run])
    else parts.at(-1)?.push(run)
    isBroken = run.name === 'br'
    if (!isBroken) last = run
  }
  return parts
}

const begins = /^[^\p{L}]*(?:\p{Lu}|\p{Lo})/u

/** Size, weight and colour, as far as the run names them. */
function lookOf(run: Element | undefined): string {
  const looks = child(run, 'rPr')
  return [looks?.attributes['sz'], looks?.attributes['b'] ?? '0', inkOf(looks)].join()
}

/** The colour that is named. */
const inkOf = (looks: Element | undefined) => Object.values(child(looks, 'solidFill')?.children[0]?.attributes ?? {}).join()

const linesOf = (paragraph: Element) =>
  paragraph.children
    .map((run) => (run.name === 'br' ? '\n' : wordsOf(run)))
    .join('')
    .split('\n')
    .map((line) => line.trim())

/** Three lines and more of a few words, each begun anew: no sentence was broken into them. */
const isStack = (lines: readonly string[]) =>
  lines.length > 2 &&
  lines.every((line, at) => begins.test(line) && line.split(/\s+/).length <= 5 && (at === lines.length - 1 || !goesOn.test(line)))
const goesOn = /[,;:&/–—-]$|(?:^|\s)\p{Ll}{1,3}$/u

function wordsOf(run: Element): string {
  switch (run.name) {
    case 'r':
      return child(run, 't')?.text ?? ''
    case 'fld':
      return /^(?:slidenum|datetime)/.test(run.attributes['type'] ?? '') ? '' : (child(run, 't')?.text ?? '')
    case 'pPr':
    case 'endParaRPr':
      return ''
    case 'AlternateContent':
      return wordsWithin(child(run, 'Choice') ?? run)
    default:
      return wordsWithin(run)
  }
}

/** Formulas keep their letters in runs of their own. */
const wordsWithin = (run: Element) =>
  descendants(run, 't')
    .map(({ text }) => text)
    .join('')

function readRuns(
  runs: readonly Element[],
  level: number,
  { font, ...looks }: Looks,
  properties: Element | undefined,
  relations: Relations | undefined,
): Paragraph[] {
  const raw = runs.map((run) => (run.name === 'br' ? '\n' : wordsOf(run).replace(written, '\n'))).join('')
  const text = oneLine(raw)
  if (text === '') return []
  const said = runs.filter((run) => wordsOf(run).trim() !== '').map((run) => child(run, 'rPr'))
  const sizes = said.map((each) => Number(each?.attributes['sz'] ?? 0) / 100 || looks.size)
  const isCode = said.length > 0 && said.every((each) => isTypewriter(child(each, 'latin')?.attributes['typeface'] ?? font))
  const ink = inkOf(said[0])
  const url = linkOf(said, relations)
  const typed = looks.bullet === 'none' ? withoutTypedMark(text) : { text, isMarked: false }
  return [
    {
      ...looks,
      text: typed.text,
      level,
      bullet: typed.isMarked ? 'mark' : looks.bullet,
      size: Math.max(0, ...sizes) || looks.size,
      isBold: said.length > 0 && said.every((each) => (each?.attributes['b'] === undefined ? looks.isBold : isOn(each.attributes['b']))),
      ...(ink !== '' && { ink }),
      ...(isCode && { code: codeLines(`${'  '.repeat(level)}${raw}`) }),
      ...(url !== undefined && { url }),
      ...(isOn(properties?.attributes['rtl']) && { isRightToLeft: true as const }),
    },
  ]
}

function codeLines(raw: string): string {
  const from = raw.search(/\S/)
  const indent = raw.slice(0, from)
  return `${indent.slice(indent.lastIndexOf('\n') + 1)}${cleanText(raw)}`
}

/** The address that every run of a paragraph leads to. */
function linkOf(runs: readonly (Element | undefined)[], relations: Relations | undefined): string | undefined {
  const targets = new Set(runs.map((run) => relations?.get(child(run, 'hlinkClick')?.attributes['r:id'] ?? '')))
  const [only] = targets
  return targets.size === 1 && only?.isExternal === true && /^https?:\/\//i.test(only.target) ? only.target : undefined
}

// Which descriptions of pictures a person wrote: those that a program made, in any language that it speaks, a name of a file, an
// address or the name of the shape are not said of a slide.

/** What Office and the search of pictures write under their own descriptions. */
const machineMade: readonly RegExp[] = [
  /(?:automatically generated|generated automatically|ai-generated|generated (?:by (?:ai|copilot)|with (?:very )?(?:high|low) confidence))/i,
  /(?:automatisch (?:generierte|generiert|erstellte?|gegenereerde?|gegenereerd)|ki-generierte)/i,
  /(?:g[ée]n[ée]r[ée]e? automatiquement|g[ée]n[ée]r[ée] par l['’]ia|generad[ao] autom[áa]ticamente|generad[ao] por ia|gerad[ao] (?:automaticamente|por ia)|generat[ao] automaticamente)/i,
  /(?:自動的に生成|自動生成|ai によって生成|自动生成|自動產生|ai 生成|자동 생성|자동으로 생성|تم إنشاء.{0,20}تلقائي|الذكاء الاصطناعي|автоматически созда|wygenerowany automatycznie|automatiskt genererad)/i,
  /^(?:resultado de (?:imagem|imagen|imágenes)|risultat[oi] immagini|afbeeldingsresultaat|bildergebnis|image associée|imagem relacionada|imagen relacionada|ähnliches foto|related image|image result|r[ée]sultat de recherche)/i,
  /の画像(?:検索)?結果|的图片(?:搜索)?结果|的圖片(?:搜尋)?結果/,
  /^(?:a picture containing|ein bild, das|une image contenant|una imagen que contiene|uma imagem contendo|immagine che contiene|afbeelding met|graphical user interface|interfaz de usuario gráfica|interface gráfica do usuário|interface utilisateur graphique|grafische benutzeroberfläche)(?![\p{L}])/iu,
  // Icons are named by their look.
  /^\S{1,40}(?: \S{1,40}){0,3} (?:with solid fill|outline|mit einfarbiger füllung|silhouette|avec un remplissage uni|con relleno sólido|com preenchimento sólido)$/i,
]

const nameOfShape =
  /^(?:google shape;|(?:picture|image|grafik|bild|imagen|imagem|immagine|afbeelding|図|图片|圖片|صورة|content placeholder|inhaltsplatzhalter|shape|object|group|textbox|rectangle) ?\d*$)/i
const fileName =
  /(?:^[a-z]:\\|^(?:https?|file):|^\/\S+$|^\S+\.\p{L}[\p{L}\d]{1,4}$|\.(?:png|jpe?g|gif|emf|wmf|svg|bmp|tiff?|webp|mp4|mov|pdf|ai|eps)$)/iu

/** The description, or undefined where no person wrote it. Fewer than two words name a logo or an icon and describe nothing. */
export function humanDescription(said: string | undefined): string | undefined {
  const text = said?.replace(/\s+/g, ' ').trim() ?? ''
  const isUsable =
    text.length <= 1_000 &&
    (text.split(' ').filter((word) => /\p{L}/u.test(word)).length >= 2 || /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]{4}/u.test(text))
  if (!isUsable || fileName.test(text) || nameOfShape.test(text) || machineMade.some((pattern) => pattern.test(text))) return undefined
  return text
}
