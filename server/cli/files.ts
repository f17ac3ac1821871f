// The parts that need no service, one command each on one file: what the reader of decks sees, the talk that is made of it, and the answer
// to a question. Without a store, a key or a network.
import { readFile as readBytes } from 'node:fs/promises'
import { basename } from 'node:path'
import { quotedAnswer } from '@rostrum/answers/answer'
import { buildSessionIndex } from '@rostrum/answers/ranking/session-index'
import { systemClock } from '@rostrum/base/clock'
import type { DeckContent } from '@rostrum/contract/content'
import { titleOfFile } from '@rostrum/contract/file-title'
import { piecesOf } from '@rostrum/deck/block'
import { type FileSlide, readFile } from '@rostrum/deck/render/read-file'
import { officeFor } from '@rostrum/deck/render/converter'
import { compileScript } from '@rostrum/telling/compile'
import { CommandError, type Run } from './command.ts'

interface FileDeck {
  title: string
  language: string
  slides: readonly FileSlide[]
  warnings: readonly string[]
}

const sure = ({ reading }: FileSlide) => reading.isTitleSure && reading.titleFrom !== 'none'

async function read(path: string): Promise<FileDeck> {
  const bytes = await readBytes(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(error.code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${error.message}.`)
  })
  const office = officeFor(null, systemClock)
  const file = await readFile(bytes, { clock: systemClock, office }).finally(() => office?.close())
  if (!file.ok) throw new CommandError(`${path}: ${file.words}`)
  const [first] = file.slides
  return {
    title: first !== undefined && sure(first) ? first.title : titleOfFile(basename(path)),
    language: file.language ?? 'en',
    slides: file.slides,
    warnings: file.warnings.map(({ slideIndex, detail }) => (slideIndex === undefined ? detail : `Slide ${slideIndex + 1}: ${detail}`)),
  }
}

const indented = (text: string) => text.replaceAll('\n', '\n      ')
const headOf = ({ index, title }: FileSlide) => `${index + 1}. ${title === '' ? '(no title)' : title}`

/** `rostrum deck read FILE`: slides as blocks. */
export const readDeck: Run = async ({ positionals: [path = ''], print }) => {
  const { title, language, slides, warnings } = await read(path)
  const told = slides.map((slide) => {
    const { titleFrom, isTitleSure, blocks, furniture } = slide.reading
    const lines = blocks.map(
      (block) =>
        `   ${block.kind.padEnd(9)} ${indented(
          piecesOf(block)
            .map(({ text }) => text)
            .join(block.kind === 'table' ? ' | ' : '\n'),
        )}`,
    )
    const apart = furniture.length === 0 ? [] : [`   set apart ${furniture.join(' | ')}`]
    return [`${headOf(slide)}  [title: ${titleFrom}${isTitleSure ? '' : ', a guess'}]`, ...lines, ...apart].join('\n')
  })
  const shown = slides.map(({ index, title: of, text, reading, notes, images }) => ({
    index,
    title: of,
    text,
    ...reading,
    notes,
    picture: images[0] === undefined ? null : { width: images[0].width, height: images[0].height },
  }))
  print.result([`${title} (${language}, ${slides.length} slides)`, ...told].join('\n\n'), { title, language, slides: shown, warnings })
  for (const warning of warnings) print.note(warning)
}

/** `rostrum talk FILE`: the sentences that would be said. */
export const tellTalk: Run = async ({ positionals: [path = ''], text, print }) => {
  const minutes = Number(text('minutes') ?? 0)
  if (!(minutes >= 0 && minutes <= 240)) throw new CommandError('--minutes: send a number up to 240.', 2)
  const { title, language, slides } = await read(path)
  const input = slides.map(({ index, title: of, text: words, reading, notes }) => ({
    id: String(index + 1),
    index,
    title: of,
    text: words,
    blocks: reading.blocks,
    isTitleSure: reading.isTitleSure,
    titleFrom: reading.titleFrom,
    agentNotes: notes,
  }))
  const script = compileScript({ title, language, slides: input, ...(minutes > 0 && { targetSeconds: minutes * 60 }) })
  const lines = slides.map((slide) => {
    const said = script.beats.filter(({ slideIndex }) => slideIndex === slide.index)
    return [headOf(slide), ...said.map(({ text: words }) => `   ${words}`)].join('\n')
  })
  const beats = script.beats.map(({ slideIndex, kind, text: words, sources, estMs }) => ({ slideIndex, kind, text: words, sources, estMs }))
  print.result([`${title} (${language}, ${Math.round(script.totalMs / 1_000)} s)`, ...lines].join('\n\n'), {
    title,
    language,
    totalMs: script.totalMs,
    beats,
  })
}

/** `rostrum ask FILE "..."`: the answer, with what it cites. */
export const askFile: Run = async ({ positionals: [path = '', question = ''], print }) => {
  const { title, language, slides } = await read(path)
  const content: DeckContent = {
    title,
    language,
    slides: slides.map(({ index, title: of, text, reading }) => ({
      id: String(index + 1),
      index,
      title: of,
      text,
      blocks: reading.blocks,
    })),
    passages: [],
  }
  const session = { sessionId: 'file', title, content, index: buildSessionIndex('file', content) }
  const { end } = quotedAnswer(question, { session })
  const cited = end.citations.map(({ index, title: of, quote }) => `   slide ${index + 1}, ${of}: “${quote}”`)
  const { outcome, confidence, text, citations } = end
  print.result([text, `   ${outcome}, confidence ${confidence}`, ...cited].join('\n'), { outcome, confidence, text, citations })
}
