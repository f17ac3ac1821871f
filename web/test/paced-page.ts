// A page of the fake room whose clock only the test moves, and only while nothing is under way: every request of the page is answered
// and it has dealt with all that its stream was sent. A busy machine then changes how long a test takes, and nothing else.
import type { BrowserContext, Page } from 'playwright-core'
import type { FakeRoom } from './fake-room.ts'

const stepMs = 200
const longestMs = 240_000
/** So that a moment of the page is told from a moment of the machine. */
const startsAtMs = 60_000

export interface PacedPage {
  page: Page
  /** Waits until page and room are at rest; no time passes. */
  rest(): Promise<void>
  /** Lets so much time pass, a step at a time, each from rest to rest. */
  pass(ms: number): Promise<void>
  /** Lets time pass until it holds; fails where it does not within four minutes of the page. */
  until(holds: () => Promise<boolean>): Promise<void>
}

/** `script` runs in the page before its own. */
export async function openPacedPage(context: BrowserContext, room: FakeRoom, script = ''): Promise<PacedPage> {
  const page = await context.newPage()
  await page.clock.install({ time: 0 })
  await page.clock.pauseAt(startsAtMs)
  await page.addInitScript(countTraffic)
  await page.addInitScript(script)
  const rest = async () => {
    for (;;) {
      const { asked, taken }: Traffic = await page.evaluate('window.traffic')
      if (asked === 0 && taken === room.written()) return
    }
  }
  const step = async (ms: number) => {
    await page.clock.runFor(ms)
    await rest()
  }
  await page.goto(`${room.url}/join/town-hall-abc123?lang=en`)
  // What is read, drawn and begun is a turn each.
  while ((await page.locator('html[data-ready]').count()) === 0) await page.clock.runFor(1)
  return {
    page,
    rest,
    async pass(ms) {
      await rest()
      for (let left = ms; left > 0; left -= stepMs) await step(Math.min(stepMs, left))
    },
    async until(holds) {
      await rest()
      for (let ms = 0; !(await holds()); ms += stepMs) {
        if (ms > longestMs) throw new Error(`Stuck: ${await page.locator('main').getAttribute('data-state')}`)
        await step(stepMs)
      }
    },
  }
}

/** What the page keeps in `window.traffic`. */
interface Traffic {
  /** Requests whose answer the page has not had yet. */
  asked: number
  /** Characters of the open stream that the page has dealt with; null while it has none open. */
  taken: number | null
}

/** Runs in the page before its own script: it sees nothing of this file. */
function countTraffic(): void {
  const traffic: Traffic = { asked: 0, taken: null }
  let given = 0
  const ask = window.fetch.bind(window)
  window.fetch = async (input, init) => {
    traffic.asked++
    try {
      const answer = await ask(input, init)
      if (answer.headers.get('Content-Type') === 'text/event-stream') {
        traffic.taken = given = 0
        return answer
      }
      // What follows on an answer is to follow in the turn in which it is counted as had.
      const text = await answer.text()
      return Object.assign(new Response(text, answer), { json: async () => JSON.parse(text) as unknown })
    } finally {
      traffic.asked--
    }
  }
  const { prototype } = ReadableStreamDefaultReader
  // oxlint-disable-next-line typescript/unbound-method -- called with its reader below
  const { read } = prototype
  prototype.read = async function () {
    // Who asks for more has dealt with what came before.
    traffic.taken = given
    const piece = await read.call(this).catch((error: unknown) => {
      traffic.taken = null
      throw error
    })
    if (piece.done) traffic.taken = null
    else given += String(piece.value).length
    return piece
  }
  Object.defineProperty(window, 'traffic', { value: traffic })
}
