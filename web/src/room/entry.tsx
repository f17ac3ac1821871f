// Takes over the room that the server drew.
import { hydrate } from 'preact'
import { readBoot } from './stream/boot.ts'
import { createController } from './stream/controller.ts'
import { browserPlatform } from './platform.ts'
import { Room } from './room.tsx'

const boot = readBoot(document)
const controller = createController(boot, browserPlatform())
const root = document.getElementById('app')
if (root !== null) {
  hydrate(<Room boot={boot} controller={controller} />, root)
  controller.resume()
  if ('modelContext' in document) void import('./webmcp.ts').then(({ offerPageTools }) => offerPageTools(controller))
  document.documentElement.dataset.ready = ''
  if (boot.embed) void import('./embed.ts').then(({ tellParent }) => tellParent(controller, root))
}
