// Word to the page that frames the room, to the origin that framed it and to no other: ready, the state, the height.
import type { Controller } from './stream/controller.ts'

export function tellParent(controller: Controller, root: Element): void {
  const origin = URL.parse(document.referrer)?.origin
  if (parent === window || origin === undefined) return
  const tell = (word: object) => parent.postMessage({ source: 'rostrum', ...word }, origin)
  let told = ''
  const tellState = () => {
    const { status, slideIndex } = controller.view().room
    const now = `${status} ${slideIndex}`
    if (now !== told) tell({ type: 'state', state: status, slide: slideIndex + 1 })
    told = now
  }
  tell({ type: 'ready' })
  tellState()
  controller.subscribe(tellState)
  new ResizeObserver(() => tell({ type: 'height', height: document.documentElement.scrollHeight })).observe(root)
}
