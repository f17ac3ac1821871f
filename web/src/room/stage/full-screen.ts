// Full screen is the stage with its drawer, not the page; a browser that refuses leaves the theatre in the window.
import type { Controller } from '../stream/controller.ts'

export function fillScreen(controller: Controller): void {
  controller.theatre(true)
  const stage = document.querySelector('main')
  const onChange = () => document.fullscreenElement ?? (controller.theatre(false), stage?.removeEventListener('fullscreenchange', onChange))
  stage?.addEventListener('fullscreenchange', onChange)
  void stage?.requestFullscreen?.().catch(() => undefined)
}
