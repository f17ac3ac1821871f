// Full screen is the theatre over the whole screen, with its header, where a telephone finds the way back; a browser that refuses leaves the
// theatre in the window.
import type { Controller } from '../stream/controller.ts'

export function fillScreen(controller: Controller): void {
  if (document.fullscreenElement) return void document.exitFullscreen()
  controller.theatre(true)
  const page = document.documentElement
  const onChange = () => document.fullscreenElement ?? (controller.theatre(false), page.removeEventListener('fullscreenchange', onChange))
  page.addEventListener('fullscreenchange', onChange)
  void page.requestFullscreen?.().catch(() => undefined)
}
