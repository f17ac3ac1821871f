// Pages of a deck whose words are to be read from their pictures, one after the other, in the language of the deck; where nobody knows
// it, the first pictures are tried in one script after the other until one reads well.
import { baseLanguage } from '../../../platform/languages.ts'
import { detectLanguage } from '../detect-language.ts'
import type { OpenDocument, RenderedPage, RenderJob } from '../render/protocol.ts'
import { readSeen } from './seen-page.ts'
import type { SeenPicture } from './seen.ts'
import { type Eyes, openEyes, recognisedLanguages } from './tesseract.ts'

/** One language of each script. */
const scripts = ['en', 'zh', 'ja', 'ar'] as const
/** Letters that were read well, at least, before a script counts as found. */
const lettersMin = 30
const wellMin = 0.75
/** Pictures that all scripts are tried on. */
const searchesMax = 3

export async function openRecognition(
  pictures: readonly Uint8Array[],
  { language, likely }: Pick<RenderJob, 'language' | 'likely'>,
): Promise<OpenDocument> {
  let known = language === undefined ? undefined : baseLanguage(language)
  const first = baseLanguage(likely ?? 'en')
  let searches = 0
  let open: { language: string; eyes: Eyes } = await opened(known ?? first)
  const read = (picture: Uint8Array) => open.eyes.read(picture)
  async function look(picture: Uint8Array, wanted: string): Promise<SeenPicture> {
    if (open.language !== wanted) {
      open.eyes.close()
      open = await opened(wanted)
    }
    return read(picture)
  }
  async function search(picture: Uint8Array): Promise<SeenPicture> {
    let best: { language: string; seen: SeenPicture; well: number } | undefined
    if (searches >= searchesMax) return look(picture, first)
    for (const script of new Set([first, ...scripts])) {
      const seen = await look(picture, script)
      if (seen.words.length === 0) return seen
      const well = readWell(seen)
      if (best === undefined || well > best.well) best = { language: script, seen, well }
      if (well >= lettersMin && isClear(seen, well)) break
    }
    searches++
    if (best === undefined || best.well < lettersMin) return best?.seen ?? (await look(picture, first))
    known = best.language
    const detected = baseLanguage(detectLanguage([textOf(best.seen)]) ?? best.language)
    if (detected === best.language || !recognisedLanguages.includes(detected)) return best.seen
    known = detected
    return look(picture, detected)
  }
  return {
    total: pictures.length,
    async page(index): Promise<RenderedPage> {
      const picture = pictures[index] ?? new Uint8Array()
      const seen = known === undefined ? await search(picture) : await look(picture, known)
      const draft = readSeen(seen)
      const page = { index, title: '', text: '', notes: '', images: [], state: 'ok' as const }
      return { ...page, recognised: { draft, ...(known !== undefined && { language: known }) } }
    },
  }
}

async function opened(language: string) {
  return { language, eyes: await openEyes(language) }
}

const textOf = ({ words }: SeenPicture) => words.map(({ text }) => text).join(' ')
const lettersOf = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0

function readWell({ words }: SeenPicture): number {
  return words.reduce((sum, { text, confidence }) => sum + (confidence >= wellMin ? lettersOf(text) : 0), 0)
}

const isClear = ({ words }: SeenPicture, well: number) => well >= 0.6 * words.reduce((sum, { text }) => sum + lettersOf(text), 0)
