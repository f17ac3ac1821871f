// Takes over the room that the server drew.
import { hydrate, options } from 'preact'
import { readBoot, utmIn } from './stream/boot.ts'
import { createController } from './stream/controller.ts'
import { browserPlatform } from './platform.ts'
import { Room } from './room.tsx'

// A hidden tab draws no frame, and its talk goes on: what follows on a change does not wait for one.
options.requestAnimationFrame = queueMicrotask

const utm = utmIn(location.search)
const boot = { ...readBoot(document), ...(utm && { utm }) }
const controller = createController(boot, browserPlatform())
const root = document.getElementById('app')
if (root !== null) {
  hydrate(<Room boot={boot} controller={controller} />, root)
  controller.resume()
  if ('modelContext' in document) void import('./webmcp.ts').then(({ offerPageTools }) => offerPageTools(controller))
  document.documentElement.dataset.ready = ''
  if (boot.embed) void import('./embed.ts').then(({ tellParent }) => tellParent(controller, root))
}
