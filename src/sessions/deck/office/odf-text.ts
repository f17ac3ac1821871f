// The paragraphs of an OpenDocument shape: spans joined, lists with their levels, fields that number or date the page left out.
import { cleanText } from '../render/protocol.ts'
import type { Styles, TextLooks } from './odf-styles.ts'
import { isTypewriter, oneLine, type Paragraph, withoutTypedMark } from './text.ts'
import type { Element } from './xml.ts'

const sizeByDefault = 18
const left = new Set(['page-number', 'page-count', 'date', 'time', 'annotation', 'annotation-end', 'note', 'soft-page-break'])

interface Run {
  text: string
  style: TextLooks
  url: string | undefined
}

/** `shape` names the style of what stands in it. */
export function odfParagraphs(holder: Element | undefined, styles: Styles, shape: Element): Paragraph[] {
  const named =
    shape.attributes['presentation:style-name'] ?? shape.attributes['draw:style-name'] ?? shape.attributes['draw:text-style-name']
  return paragraphsIn(holder, { styles, base: styles.text(named ?? ''), list: '', level: -1 })
}

interface Place {
  styles: Styles
  base: TextLooks
  list: string
  /** Of the list that it is in; -1 outside. */
  level: number
}

function paragraphsIn(holder: Element | undefined, place: Place): Paragraph[] {
  return (holder?.children ?? []).flatMap((each) => {
    switch (each.name) {
      case 'p':
      case 'h':
        return readParagraph(each, place)
      case 'list': {
        const list = each.attributes['text:style-name'] ?? place.list
        return each.children.flatMap((item) => paragraphsIn(item, { ...place, list, level: Math.min(8, place.level + 1) }))
      }
      default:
        return []
    }
  })
}

function readParagraph(paragraph: Element, { styles, base, list, level }: Place): Paragraph[] {
  const own = { ...base, ...styles.text(paragraph.attributes['text:style-name'] ?? '') }
  const runs = runsOf(paragraph, own, undefined, styles)
  const raw = runs.map(({ text }) => text).join('')
  const whole = oneLine(raw)
  if (whole === '') return []
  const said = runs.filter(({ text }) => text.trim() !== '')
  const urls = new Set(said.map(({ url }) => url))
  const [url] = urls
  const set = level < 0 ? 'none' : styles.bulletAt(list, level)
  const { text, isMarked } = set === 'none' ? withoutTypedMark(whole) : { text: whole, isMarked: false }
  const isCode = said.every(({ style }) => isTypewriter(style.font ?? ''))
  return [
    {
      text,
      level: Math.max(0, level),
      bullet: isMarked ? 'mark' : set,
      size: Math.max(...said.map(({ style }) => style.size ?? sizeByDefault)),
      isBold: said.every(({ style }) => style.isBold === true),
      ...(isCode && { code: cleanText(raw) }),
      ...(urls.size === 1 && url !== undefined && /^https?:\/\//i.test(url) && { url }),
    },
  ]
}

function runsOf(holder: Element, style: TextLooks, url: string | undefined, styles: Styles): Run[] {
  return holder.content.flatMap((each): Run[] => {
    if (typeof each === 'string') return [{ text: each.replace(/\s+/g, ' '), style, url }]
    switch (each.name) {
      case 's':
        return [{ text: ' '.repeat(Math.min(80, Number(each.attributes['text:c'] ?? 1) || 1)), style, url }]
      case 'tab':
        return [{ text: '\t', style, url }]
      case 'line-break':
        return [{ text: '\n', style, url }]
      case 'a':
        return runsOf(each, style, each.attributes['xlink:href'], styles)
      default:
        return left.has(each.name) ? [] : runsOf(each, { ...style, ...styles.text(each.attributes['text:style-name'] ?? '') }, url, styles)
    }
  })
}
