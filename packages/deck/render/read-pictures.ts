// Reads the words of pictures, some of them at a time, each batch by a process of its own (`render/read-document.ts`).
import type { Clock } from '@rostrum/base/clock'
import type { PageDraft } from '../block.ts'
import type { RenderedPage } from '../protocol.ts'
import { readDocument, readLimits, type ReadOptions } from './read-document.ts'

/** Pictures sent to one process. */
const batchSize = 25
/** A crowded page takes 3 s of one core, five times that where its script is searched for. Together for a deck; what is not read by then keeps its picture and a warning. */
const limits = { ...readLimits, pageMs: 30_000, documentMs: 150_000 }

export interface Pictures {
  total: number
  /** The bytes of one, from 0; asked for when its batch begins. */
  picture(at: number): Promise<Uint8Array>
  /** BCP 47, where the language of the words is known; else `likely` is tried first. */
  language?: string | undefined
  likely?: string | undefined
}

/** `found` gets each picture in order, with what it says; undefined where nothing could be read. Ends early when the time is over. */
export async function readPictures(
  { total, picture, language, likely }: Pictures,
  found: (at: number, draft: PageDraft | undefined) => Promise<void>,
  clock: Clock,
  options: ReadOptions = {},
): Promise<void> {
  const deadline = clock.elapsed() + limits.documentMs
  for (let from = 0; from < total && clock.elapsed() < deadline; from += batchSize) {
    const files = await Promise.all(Array.from({ length: Math.min(batchSize, total - from) }, (_, at) => picture(from + at)))
    const job = {
      kind: 'recognition',
      files,
      ...(language !== undefined && { language }),
      ...(likely !== undefined && { likely }),
    } as const
    const sink = {
      total: async () => {},
      async page({ index, recognised }: RenderedPage) {
        language ??= recognised?.language
        await found(from + index, recognised?.draft)
      },
    }
    await readDocument(job, sink, clock, { ...options, limits: { ...limits, documentMs: deadline - clock.elapsed() } })
  }
}

/** Where most fonts of a deck tell wrong letters the few words that are left say nothing of the language; such fonts are mostly Chinese. */
export const languageOfGarbled = 'zh'
