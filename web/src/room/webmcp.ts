// Page tools for an agent in the browser (WebMCP, where `document.modelContext` exists): ask, read the slide, open the filled form.
import type { Controller } from './stream/controller.ts'
import { shownSlide } from './view.ts'

interface PageTool {
  name: string
  description: string
  inputSchema: object
  execute: (input: Record<string, unknown>) => unknown
}

interface ModelContext {
  registerTool(tool: PageTool, options?: { signal?: AbortSignal }): void
}

function modelContext(): ModelContext | undefined {
  const found: unknown = (document as { modelContext?: unknown }).modelContext
  return typeof found === 'object' && found !== null && 'registerTool' in found ? (found as ModelContext) : undefined
}

const text = (value: unknown) => ({ content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] })

export function offerPageTools(controller: Controller): void {
  const context = modelContext()
  if (context === undefined) return
  const tools: readonly PageTool[] = [
    {
      name: 'ask_presenter',
      description: 'Ask the presenter of this talk a question; the answer comes with citations of slides.',
      inputSchema: { type: 'object', properties: { message: { type: 'string', maxLength: 4000 } }, required: ['message'] },
      execute: async ({ message }) =>
        text(typeof message === 'string' ? await answerTo(controller, message.slice(0, 4_000)) : 'Send a message.'),
    },
    {
      name: 'get_current_slide',
      description: 'The slide that is on screen: number, title and text.',
      inputSchema: { type: 'object', properties: {} },
      execute() {
        const view = controller.view()
        const slide = view.room.slides[shownSlide(view)]
        return text({ number: (slide?.index ?? 0) + 1, count: view.room.slides.length, title: slide?.title, text: slide?.text })
      },
    },
    {
      name: 'submit_lead',
      description: 'Fills the form for contact details; the person reads the consent text and sends it.',
      inputSchema: {
        type: 'object',
        properties: { email: { type: 'string' }, name: { type: 'string' }, company: { type: 'string' }, consent: { const: true } },
        required: ['email', 'consent'],
      },
      execute({ email, name, company }) {
        if (controller.view().phase !== 'in') return text('Join the talk first.')
        const known = Object.entries({ email, name, company }).filter(([, value]) => typeof value === 'string')
        controller.fillLead(Object.fromEntries(known.map(([key, value]) => [key, String(value).slice(0, 254)])))
        return text('The form is open and filled; the person has to agree and send it.')
      },
    },
  ]
  try {
    for (const tool of tools) context.registerTool(tool)
  } catch {
    // A frame whose `allow` lacks `tools` may not register any.
  }
}

const answerWithinMs = 60_000

function answerTo(controller: Controller, message: string): Promise<unknown> {
  if (controller.view().phase !== 'in') return Promise.resolve('Join the talk first.')
  const id = controller.ask(message, false)
  return new Promise((resolve) => {
    const timer = setTimeout(() => done('No answer yet; it will appear in the room.'), answerWithinMs)
    const stop = controller.subscribe(() => {
      const question = controller.view().room.questions.find((each) => each.questionId === id)
      const answer = [question?.answer, question?.instant, question?.notice].find((words) => words?.ended)
      if (answer) done({ answer: answer.sentences.join(' '), citations: answer.citations })
    })
    const done = (value: unknown) => {
      clearTimeout(timer)
      stop()
      resolve(value)
    }
  })
}
