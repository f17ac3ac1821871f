// Takes over the room that the server drew.
import { hydrate, options } from 'preact'
import { readBoot, utmIn } from './stream/boot.ts'
import { webClock } from '../ui/clock.ts'
import { createController } from './stream/controller.ts'
import { browserPlatform } from './platform.ts'
import { Room } from './room.tsx'

const root = document.getElementById('app')

/** Each step in a task of its own: in one they would hold a slow telephone for as long as it takes to read, to draw and to begin. */
const nextTask = () => new Promise<void>((resolve) => webClock.after(0, resolve))

async function takeOver(app: HTMLElement): Promise<void> {
  await nextTask()
  const utm = utmIn(location.search)
  const boot = { ...readBoot(document), ...(utm && { utm }) }
  const controller = createController(boot, browserPlatform())
  options.requestAnimationFrame = (run) => webClock.after(0, run)
  hydrate(<Room boot={boot} controller={controller} />, app)
  // A hidden tab draws no frame, and its talk goes on: what follows on a change does not wait for one.
  options.requestAnimationFrame = queueMicrotask
  await nextTask()
  controller.resume()
  if ('modelContext' in document) void import('./webmcp.ts').then(({ offerPageTools }) => offerPageTools(controller))
  document.documentElement.dataset.ready = ''
  if (boot.embed) void import('./embed.ts').then(({ tellParent }) => tellParent(controller, app))
}

if (root !== null) void takeOver(root)
