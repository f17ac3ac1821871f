// The deck of the welcome session: the product presents itself, so that the first talk needs no set-up. Its pictures, and where each
// line stands on them, are kept beside it; `scripts/welcome-pictures.ts` draws them anew.
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { box } from '../../contract/deck.ts'
import { ringAfter } from '../../platform/db/store.ts'
import { useBlobs } from './blobs/blob-uses.ts'
import type { Block, Piece, Reading } from './block.ts'
import { parsedReading, titleOf } from './block-text.ts'
import { deckTopic, type Passage } from './content.ts'
import { newestDeck } from './deck-rows.ts'
import type { DecksDeps } from './create-decks.ts'
import { writeImages } from './blobs/blobs.ts'

export interface WelcomeSlide {
  textContent: string
  /** What the presenter says, as it stands. */
  narration: string
  agentNotes: string
}

export interface WelcomeDeck {
  title: string
  description: string
  language: 'en'
  slides: readonly WelcomeSlide[]
  knowledgeBase: readonly Pick<Passage, 'title' | 'content'>[]
  ctaText: string
  ctaUrl: string
}

const slides: readonly WelcomeSlide[] = [
  {
    textContent: 'Rostrum\nYour deck, presented on your own server',
    narration: 'I present your deck to whoever opens its link, at any hour.',
    agentNotes: '',
  },
  {
    textContent: 'Stop me at any word\n- Ask while I am speaking\n- I answer, and go on at the same clause',
    narration: 'Ask while I am speaking: I stop, answer you, and go on at the same clause.',
    agentNotes: '[ask: Try it now: ask me what Rostrum costs.]',
  },
  {
    textContent: 'Answers you can check\n- You see the slide, the line lit\n- What your deck does not say, I do not make up',
    narration: 'With each answer you see its slide, and the line is lit. What your deck does not say, I do not make up.',
    agentNotes: '',
  },
  {
    textContent: 'Every sentence is yours\n- From PDF, PowerPoint or Markdown\n- Edit it before anybody hears it',
    narration: 'From a PDF or a PowerPoint I write a first script, and you edit it before anybody hears it.',
    agentNotes: '',
  },
  {
    textContent: 'Know what they asked\n- Questions, and leads with consent\n- An API, MCP and signed webhooks',
    narration: 'Afterwards you see what people asked, and the leads who gave consent. Your agents get the same by API and MCP.',
    agentNotes: '[ask: What would you want to know before you use it?]',
  },
  {
    textContent: 'Yours to run\n- Open source, Apache-2.0\n- One command: no key, no network',
    narration: 'I am open source, and run on your own machine with one command.',
    agentNotes: '[cta]',
  },
]

const knowledgeBase: readonly Pick<Passage, 'title' | 'content'>[] = [
  {
    title: 'What Rostrum is',
    content:
      'Rostrum is a self-hosted service whose automated presenter gives a talk from your deck in a web room. It narrates the slides, answers questions from them, shows a call to action and captures leads. Hosts use it for sales, teaching, developer relations and onboarding.',
  },
  {
    title: 'Questions',
    content:
      'Attendees can type a question at any time or speak it where the browser allows. The presenter finishes its sentence, or stops at once when asked to, and resumes at the same clause afterwards. Questions it cannot answer are collected for the host.',
  },
  {
    title: 'Citations',
    content:
      'The presenter only quotes: each answer is a fixed sentence around a verbatim piece of a slide or passage, so it cannot make anything up. The citation names the slide or passage and opens it.',
  },
  {
    title: 'Privacy',
    content:
      'Rostrum does not phone home. Your data is sent nowhere: there is no telemetry and no outside service. Contact details are stored only with consent, together with the text agreed to, and can be erased. Agent notes are never shown to attendees, tools or webhooks.',
  },
  {
    title: 'Self-hosting',
    content:
      'You host Rostrum yourself. A single process with SQLite starts in about a second on a laptop and works offline. For a cluster, set DATABASE_URL to a PostgreSQL database and start as many servers as you like; when a server dies, another takes over its talks. Upgrades are a restart.',
  },
  {
    title: 'Webhooks',
    content:
      'Seven event types are delivered as signed webhooks in the Standard Webhooks format: session created, started and completed, attendee joined and left, lead captured and CTA clicked. A failed delivery is retried after 2 minutes and again after 30 minutes. Rehearsals send no webhooks.',
  },
  {
    title: 'MCP and API',
    content:
      'The MCP server is at /mcp and offers eight tools, from create_session to export_leads. The same acts are in the HTTP API under /api/v1, described in OpenAPI. An API key is made in the dashboard settings or with the command rostrum key create.',
  },
  {
    title: 'Price and licence',
    content:
      'Rostrum costs nothing: it is open source under the Apache License 2.0, for commercial use too. There is nothing to sign up for. You pay only for the machine it runs on.',
  },
  {
    title: 'Languages and speech',
    content:
      'The room speaks English, Spanish, French, German, Portuguese, Japanese, Chinese and Arabic. Speech uses the voices of the browser. Captions and a transcript are always there.',
  },
]

/** The deck as `create_session` takes it; its link leads to the documentation of this very server. */
export function welcomeDeck(baseUrl: string): WelcomeDeck {
  return {
    title: 'Rostrum in 90 seconds',
    description: 'A short talk in which Rostrum presents itself. Interrupt it, ask it anything, and see where each answer comes from.',
    language: 'en',
    slides,
    knowledgeBase,
    ctaText: 'Read the documentation',
    ctaUrl: `${baseUrl.replace(/(?<!\/)\/+$/, '')}/docs`,
  }
}

const folder = new URL('./welcome/', import.meta.url)
const places = z.array(z.array(box))

export interface WelcomePicture {
  bytes: Uint8Array
  reading: Reading
}

/** One for each slide, in order. */
export async function welcomePictures(): Promise<WelcomePicture[]> {
  const boxes = places.parse(JSON.parse(await readFile(new URL('places.json', folder), 'utf8')))
  return Promise.all(
    slides.map(async ({ textContent }, at) => ({
      bytes: await readFile(new URL(`${at + 1}.webp`, folder)),
      reading: placed(textContent, (line) => boxes[at]?.[line]),
    })),
  )
}

/** What the slide says, and where on its picture: one box for each line of the text. */
function placed(text: string, boxOf: (line: number) => z.output<typeof box> | undefined): Reading {
  const withBox = <P extends Piece>(piece: P): P => {
    const found = boxOf(text.slice(0, piece.start).split('\n').length - 1)
    return found === undefined ? piece : { ...piece, boxes: [found] }
  }
  const reading = parsedReading(text, titleOf(text), 'first_line')
  const blocks = reading.blocks.map((block): Block => {
    if (block.kind === 'list') return { ...block, items: block.items.map(withBox) }
    return block.kind === 'paragraph' ? withBox(block) : block
  })
  return { ...reading, blocks }
}

/** Gives the slides of the session their pictures, before anybody is let in. */
export async function pictureWelcome({ store, blobs }: Pick<DecksDeps, 'store' | 'blobs'>, sessionId: string): Promise<void> {
  const pictures = await welcomePictures()
  const keys = await Promise.all(pictures.map(({ bytes }) => blobs.put(bytes, 'webp')))
  await store.write(async (tx) => {
    const deck = await newestDeck(tx, sessionId)
    if (deck === undefined) return
    for (const [at, key] of keys.entries()) {
      await tx
        .updateTable('slides')
        .set({
          image_state: 'ready',
          images: writeImages([{ key, width: 1600, height: 900 }]),
          reading: JSON.stringify(pictures[at]?.reading),
        })
        .where('deck_id', '=', deck.id)
        .where('position', '=', at)
        .execute()
    }
    await useBlobs(tx, deck.id, keys)
    ringAfter(tx, deckTopic(sessionId))
  })
}
