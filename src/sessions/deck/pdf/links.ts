// Where the links of a page lead. Nothing is followed: a paragraph that is one link keeps its address.
import type { Box } from '../../../contract/deck.ts'
import type { Draft } from '../block.ts'
import type { Area, Link } from './geometry.ts'

type Call = (...values: readonly number[]) => number

/** Of PDFium (`fpdf_doc.h`). */
export interface LinkCalls {
  Link_Enumerate: Call
  Link_GetAnnotRect: Call
  Link_GetAction: Call
  Action_GetType: Call
  Action_GetURIPath: Call
  memory: () => ArrayBufferLike
}

const uriAction = 3
const linksMax = 300
const urlMax = 480
const isWeb = /^(?:https?:\/\/|mailto:)[^\s()]{1,470}$/iu

/** `scratch` has room for an address and 32 bytes. */
export function readLinks(
  pdfium: LinkCalls,
  { document, page, scratch }: { document: number; page: number; scratch: number },
  areaOf: (left: number, top: number, right: number, bottom: number) => Area,
): Link[] {
  const links: Link[] = []
  new Int32Array(pdfium.memory(), scratch, 2).fill(0)
  for (let n = 0; n < linksMax && pdfium.Link_Enumerate(page, scratch, scratch + 4) !== 0; n++) {
    const [, link = 0] = new Int32Array(pdfium.memory(), scratch, 2)
    const action = pdfium.Link_GetAction(link)
    if (action === 0 || pdfium.Action_GetType(action) !== uriAction) continue
    if (pdfium.Link_GetAnnotRect(link, scratch + 8) === 0) continue
    const [left = 0, top = 0, right = 0, bottom = 0] = new Float32Array(pdfium.memory(), scratch + 8, 4)
    const area = areaOf(left, top, right, bottom)
    const length = pdfium.Action_GetURIPath(document, action, scratch + 24, urlMax)
    if (length < 2 || length > urlMax) continue
    const url = new TextDecoder().decode(new Uint8Array(pdfium.memory(), scratch + 24, length - 1).slice())
    if (isWeb.test(url)) links.push({ area, url })
  }
  return links
}

/** A paragraph all of whose lines lie in links to one address is that link. */
export function linked(blocks: readonly Draft[], links: readonly Link[], { width, height }: { width: number; height: number }): Draft[] {
  const urlAt = ([x, y, w, h]: Box) => {
    const [mx, my] = [(x + w / 2) * width, (y + h / 2) * height]
    const over = ({ area: { x0, x1, y0, y1 } }: Link) => mx > x0 && mx < x1 && my > y0 && my < y1 && x1 - x0 > 0.6 * w * width
    return links.find(over)?.url
  }
  return blocks.map((block) => {
    if (links.length === 0 || block.kind !== 'paragraph') return block
    const urls = new Set((block.boxes ?? []).map(urlAt))
    const [url] = urls
    return urls.size === 1 && url !== undefined && !/[[\]]/u.test(block.text) ? { ...block, kind: 'link', url } : block
  })
}
