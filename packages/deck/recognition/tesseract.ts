import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'

// What was seen in a picture: words with their places, whoever recognised them.

export interface SeenWord {
  text: string
  /** Pixels from the upper left corner. */
  x0: number
  y0: number
  x1: number
  y1: number
  /** 0..1 */
  confidence: number
  /** The same for words of one line, in order; of one paragraph. */
  line: string
  paragraph: string
}

export interface SeenPicture {
  width: number
  height: number
  words: readonly SeenWord[]
}

// Reads the words of a picture with Tesseract as WebAssembly, in the reader process: no network, no file written, the models of the
// eight languages of the room lie in packages. Its core alone is used: the worker, the cache and the downloads around it are not.

const require = createRequire(import.meta.url)

/** By the language of a deck; a model of Chinese or Japanese reads Latin letters too. */
const models: Readonly<Record<string, string>> = {
  en: 'eng',
  de: 'deu',
  fr: 'fra',
  es: 'spa',
  pt: 'por',
  ja: 'jpn',
  ar: 'ara',
  zh: 'chi_sim',
}
export const recognisedLanguages: readonly string[] = Object.keys(models)

export interface Eyes {
  read(jpeg: Uint8Array): SeenPicture
  /** Frees what the model takes. */
  close(): void
}

/** What is used of the core (Tesseract's `TessBaseAPI`); it comes without types. */
interface Api {
  Init(path: null, model: string): number
  SetPageSegMode(mode: number): void
  SetImageFile(exif: number, angle: number): number
  Recognize(monitor: null): number
  GetTSVText(page: number): string
  Clear(): void
  End(): void
}
interface Core {
  FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void }
  TessBaseAPI: new () => Api
}
type CreateCore = (options: { print(): void; printErr(): void }) => Promise<Core>

const automatic = 3
const exifUpright = 1
/** The name that `SetImageFile` opens. */
const pictureFile = '/input'
let core: Promise<Core> | undefined

/** Throws where this processor or this installation has no recognition. */
export async function openEyes(language: string): Promise<Eyes> {
  const model = models[language] ?? 'eng'
  core ??= (require('tesseract.js-core/tesseract-core-relaxedsimd-lstm.js') as CreateCore)({ print() {}, printErr() {} })
  const { FS, TessBaseAPI } = await core
  const file = `${model}.traineddata`
  FS.writeFile(file, gunzipSync(readFileSync(modelFile(model))))
  const api = new TessBaseAPI()
  const isOpen = api.Init(null, model) === 0
  FS.unlink(file)
  if (!isOpen) throw new Error(`The model of ${language} cannot be loaded.`)
  return {
    read(jpeg) {
      FS.writeFile(pictureFile, jpeg)
      api.SetPageSegMode(automatic)
      if (api.SetImageFile(exifUpright, 0) !== 0) throw new Error('The picture cannot be read.')
      api.Recognize(null)
      const table = api.GetTSVText(0)
      api.Clear()
      return parseTable(table)
    },
    close: () => api.End(),
  }
}

/** The integer model reads as well as the one of floats here, in a quarter of its size. */
export const modelFile = (model: string): string => require.resolve(`@tesseract.js-data/${model}/4.0.0_best_int/${model}.traineddata.gz`)

const pageLevel = '1'
const wordLevel = '5'

/** Columns: level, page, block, paragraph, line, word, left, top, width, height, confidence in percent, text. */
function parseTable(table: string): SeenPicture {
  let [width, height] = [1, 1]
  const words: SeenWord[] = []
  for (const row of table.split('\n')) {
    const [level, , block, paragraph, line, , ...rest] = row.split('\t')
    const [left = 0, top = 0, wide = 0, high = 0, percent = 0] = rest.slice(0, 5).map(Number)
    if (level === pageLevel) [width, height] = [Math.max(1, wide), Math.max(1, high)]
    const text = (rest[5] ?? '').trim()
    if (level !== wordLevel || text === '') continue
    const place = { paragraph: `${block}.${paragraph}`, line: `${block}.${paragraph}.${line}` }
    words.push({ text, ...place, x0: left, y0: top, x1: left + wide, y1: top + high, confidence: Math.max(0, percent) / 100 })
  }
  return { width, height, words }
}
