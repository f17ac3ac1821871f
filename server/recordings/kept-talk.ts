// A talk in one file, and the same as a course: the page that set-up has made (`scripts/bundle.mjs`), and in it all that people in the
// room may see and hear. What it is given has no member for private notes, guests or leads (`KeptTalk`), so the file cannot hold them.
import { readFile } from 'node:fs/promises'
import type { SpokenClip, Talk, TalkSession } from '@rostrum/contract/talk'
import { shownTalk, titlesOf } from '../runs/room/rooms.ts'
import type { ShownDeck } from '../decks/content.ts'
import { mediaTypes } from '../platform/blobs/blobs.ts'
import { smallerClips } from './film.ts'
import type { KeptTalk } from './kept-room.ts'

export interface KeptParts {
  session: TalkSession
  talk: Talk
  deck: Pick<ShownDeck, 'slides' | 'passages'>
  pace: { speechWpm: number; questionWindowMs: number }
  /** Null: sound stays as the voice gave it, or out where it is too much. */
  ffmpeg: string | null
  bytesAt(url: string | null): Promise<Uint8Array | undefined>
  onProgress(share: number): void
  signal: AbortSignal
}

/** Instead of a picture that is larger the next narrower goes in; sound that does not fit the file is left to the browser's voice. */
const pictureMost = 180_000
const fileMost = 10_000_000

const pageFile = new URL('../../dist/talk.html', import.meta.url)

/** Set-up has not made the page of this source. */
export class NoPage extends Error {}

export async function keptPage(parts: KeptParts): Promise<Uint8Array> {
  const page = await readFile(pageFile, 'utf8').catch(() => {
    throw new NoPage('dist/talk.html is missing: run scripts/bundle.mjs, which npm start does.')
  })
  const { session, talk, deck, pace, onProgress, signal } = parts
  const media = new Map<string, { name: string; data: string }>()
  let sizeBytes = page.length
  const keep = (url: string, bytes: Uint8Array, type: string): string => {
    const data = `${type},${Buffer.from(bytes).toString('base64')}`
    sizeBytes += data.length
    media.set(url, { name: `media:${media.size}`, data })
    return media.get(url)?.name ?? ''
  }
  const picture = async (url: string | null, narrower?: string): Promise<string | null> => {
    const bytes = await parts.bytesAt(url)
    if (url === null || bytes === undefined) return null
    const smaller = narrower !== undefined && bytes.length > pictureMost ? await picture(narrower) : null
    return smaller ?? media.get(url)?.name ?? keep(url, bytes, typeOf(url))
  }
  const room = shownTalk(session, talk)
  const slides: (typeof room)['slides'] = []
  for (const { srcset = '', ...slide } of room.slides) {
    signal.throwIfAborted()
    slides.push({ ...slide, imageUrl: await picture(slide.imageUrl, /, (\S+)/.exec(srcset)?.[1]) })
    onProgress((0.5 * slides.length) / room.slides.length)
  }
  const { presenter, brand } = room
  const { logoUrl, ...colours } = brand ?? {}
  const logo = await picture(logoUrl ?? null)
  const background = titlesOf(deck.passages)
  const looks = {
    ...(presenter && { presenter: { ...presenter, imageUrl: await picture(presenter.imageUrl) } }),
    ...(brand && { brand: { ...colours, ...(logo !== null && { logoUrl: logo }) } }),
    ...(background.length > 0 && { background }),
  }
  const clips = await clipsOf(parts, fileMost - sizeBytes, keep)
  onProgress(0.95)
  const kept: KeptTalk = {
    room: {
      ...room,
      ...looks,
      slides,
      mode: 'isolated',
      // Translations are the server's to make.
      listenerLanguages: [],
      state: 'open',
      kind: 'live',
      consentText: '',
      consentVersion: '0',
      voices: { tts: Object.keys(clips).length > 0, stt: false },
    },
    ctaRules: session.ctaRules,
    beats: talk.beats,
    clips,
    blocks: deck.slides.map(({ blocks }) => blocks),
    passages: deck.passages,
    ...pace,
  }
  const gaps: Readonly<Record<string, string>> = {
    title: escaped(session.title),
    language: escaped(session.language),
    words: talk.slides.map(({ title, text }) => `<h2>${escaped(title ?? '')}</h2><p>${escaped(text ?? '')}</p>`).join(''),
    talk: inScript(kept),
    media: inScript(Object.fromEntries(Array.from(media.values(), ({ name, data }) => [name, data]))),
  }
  return Buffer.from(page.replaceAll(/\{\{(title|language|words|talk|media)\}\}/g, (_, gap: string) => gaps[gap] ?? ''))
}

const typeOf = (url: string): string => mediaTypes[(/\.(\w+)$/.exec(url)?.[1] ?? '') as keyof typeof mediaTypes] ?? 'image/jpeg'
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
/** Nothing in it ends the element, or opens one. */
const inScript = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')

/** The sentences in the server's voice, all of them or none: a talk has one voice. */
async function clipsOf(
  { talk, bytesAt, ffmpeg, signal }: KeptParts,
  roomBytes: number,
  keep: (url: string, bytes: Uint8Array, type: string) => string,
): Promise<Record<string, SpokenClip>> {
  const said = talk.beats.filter(({ text, resultOf }) => text !== '' && resultOf === undefined)
  const found: { beatId: string; clip: SpokenClip; bytes: Uint8Array }[] = []
  for (const { beatId } of said) {
    signal.throwIfAborted()
    const clip = talk.clipOf?.(beatId)
    const bytes = clip && (await bytesAt(clip.url))
    if (clip === undefined || bytes === undefined) return {}
    found.push({ beatId, clip, bytes })
  }
  const fits = (all: readonly Uint8Array[]) => all.reduce((sum, { length }) => sum + (length * 4) / 3, 0) <= roomBytes
  let sounds = found.map(({ bytes }) => bytes)
  let type: string | undefined
  if (ffmpeg !== null && !fits(sounds)) {
    sounds = await smallerClips({ ffmpeg, signal }, sounds)
    type = 'audio/mpeg'
  }
  if (!fits(sounds)) return {}
  const names = new Map<string, string>()
  return Object.fromEntries(
    found.map(({ beatId, clip }, at) => {
      const name = names.get(clip.url) ?? keep(clip.url, sounds[at] ?? new Uint8Array(), type ?? typeOf(clip.url))
      names.set(clip.url, name)
      return [beatId, { url: name, ms: clip.ms }]
    }),
  )
}

export type Scorm = '1.2' | '2004'

/** The page as a course of one lesson. Made without the time of day, so that the same talk is the same file. */
export async function coursePackage(page: Uint8Array, { title, slug }: TalkSession, standard: Scorm): Promise<Uint8Array> {
  const { zip } = await import('fflate')
  const mtime = new Date(1980, 0, 1)
  const files = { 'imsmanifest.xml': Buffer.from(manifest(title, slug, standard)), 'index.html': page }
  return new Promise((resolve, reject) => {
    zip(files, { level: 6, mtime }, (error, made) => (error === null ? resolve(made) : reject(error)))
  })
}

const schemas = {
  '1.2': {
    version: '1.2',
    packaging: 'http://www.imsproject.org/xsd/imscp_rootv1p1p2',
    platform: 'http://www.adlnet.org/xsd/adlcp_rootv1p2',
    more: '',
    kind: 'adlcp:scormtype',
    sequencing: '',
  },
  '2004': {
    version: '2004 4th Edition',
    packaging: 'http://www.imsglobal.org/xsd/imscp_v1p1',
    platform: 'http://www.adlnet.org/xsd/adlcp_v1p3',
    more: ' xmlns:imsss="http://www.imsglobal.org/xsd/imsss"',
    kind: 'adlcp:scormType',
    // The page says itself when it is through.
    sequencing: '<imsss:sequencing><imsss:deliveryControls completionSetByContent="true" objectiveSetByContent="true"/></imsss:sequencing>',
  },
} as const

function manifest(title: string, slug: string, standard: Scorm): string {
  const { version, packaging, platform, more, kind, sequencing } = schemas[standard]
  const named = `<title>${escaped(title)}</title>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="talk-${escaped(slug)}" version="1.0" xmlns="${packaging}" xmlns:adlcp="${platform}"${more}>
  <metadata><schema>ADL SCORM</schema><schemaversion>${version}</schemaversion></metadata>
  <organizations default="course">
    <organization identifier="course">${named}<item identifier="lesson" identifierref="page">${named}${sequencing}</item></organization>
  </organizations>
  <resources>
    <resource identifier="page" type="webcontent" ${kind}="sco" href="index.html"><file href="index.html"/></resource>
  </resources>
</manifest>
`
}
