// A talk whose script is written as a document over HTTP.
import assert from 'node:assert/strict'
import type { Answer, TestService } from './service.ts'
import { withService } from './service.ts'
import type { OpenStore } from './stores.ts'

const talk = {
  title: 'Heat for the school',
  isLive: true,
  slides: [
    { textContent: 'Heat for the school' },
    {
      textContent:
        'What it costs\n- A pump costs 9,000 euros when it is installed\n- It pays back in six years, as the town hall has shown\n- The grid connection is there already and costs nothing',
      agentNotes: 'CANARY-12 [ask: Who has one at home?]',
    },
    {
      textContent:
        'How it runs\n- The pump takes warmth from the ground under the yard\n- Nobody in the class rooms hears it run in winter',
    },
    { textContent: 'Thank you' },
  ],
  knowledgeBase: [
    { title: 'How it runs', content: 'A ground pump runs on a third of the power that an electric stove of the same heat would take.' },
  ],
}

export interface Sentence {
  beatId: string
  text: string
  from: string
  fixed?: true
  sources: { type: string; id: string; spans?: number[][] }[]
}

export interface Slide {
  slideId: string
  silent?: true
  written?: true
  seconds: number
  sentences: Sentence[]
}

export interface Document {
  slides: Slide[]
  beats: { slideIndex: number; text: string; kind: string; region?: unknown; sources: unknown }[]
  findings: { code: string; slideIndex: number; beatId?: string; fix?: string | null }[]
}

export interface Editing {
  app: TestService
  at: string
  slug: string
  get(): Promise<{ tag: string; document: Document }>
  put(slides: readonly object[], ifMatch?: string): Promise<Answer>
}

export const free = ({ sentences }: Slide) => sentences.filter(({ fixed }) => fixed !== true).map(({ text }) => text)
export const sent = ({ slides }: Document) =>
  slides.map(({ slideId, silent = false, sentences }) => ({
    slideId,
    silent,
    sentences: sentences.map(({ beatId, text }) => ({ beatId, text })),
  }))

/** Runs `fn` on a session of the talk above. */
export const onScript = (open: OpenStore, fn: (editing: Editing) => Promise<void>): Promise<void> =>
  withService(open, async (app) => {
    const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
    const at = `/api/v1/agent/sessions/${body.sessionId}/script`
    const auth = { Authorization: `Bearer ${await app.newKey({ accountId: app.accountId })}` }
    const put = (slides: readonly object[], ifMatch?: string) =>
      app.request(at, {
        method: 'PUT',
        headers: { ...auth, 'Content-Type': 'application/json', ...(ifMatch !== undefined && { 'If-Match': ifMatch }) },
        body: JSON.stringify({ slides }),
      })
    const get = async () => {
      const answer = await app.request(at, { headers: auth })
      assert.equal(answer.status, 200)
      return { tag: answer.headers.get('ETag') ?? '', document: answer.body as Document }
    }
    await fn({ app, at, slug: body.slug, get, put })
  })
