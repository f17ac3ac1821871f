// What a single key does in the room; fetched with the first key that is no text.
import type { Controller } from './stream/controller.ts'
import type { RoomAction } from './keys.ts'
import { actionFor } from './keys.ts'
import { enlargeAtCentre } from './stage/enlarge.ts'
import { isRailOpen } from './view.ts'
import './theatre.ts'

export function pressKey(controller: Controller, event: KeyboardEvent): void {
  const onControl =
    event.target instanceof Element && event.target.matches('button, a, summary, input, [role=tab], [role^=menuitem], [data-enlarged]')
  const { key, ctrlKey, metaKey, altKey } = event
  const context = { isolated: controller.isolated, singleKeys: controller.view().choices.singleKeys, rtl: document.dir === 'rtl' }
  const action = actionFor({ key, ctrlKey, metaKey, altKey, inField: false, onControl }, context)
  if (action === null) return
  event.preventDefault()
  act(controller, action)
}

function act(controller: Controller, action: RoomAction): void {
  const view = controller.view()
  const { choices, room } = view
  switch (action) {
    case 'ask':
      controller.choose({ panel: 'questions' })
      // In the theatre, and on a telephone on its side, the field is behind the button.
      if (document.getElementById('ask')?.checkVisibility({ visibilityProperty: true }) === false) controller.showRail(true)
      requestAnimationFrame(() => document.getElementById('ask')?.focus())
      return
    case 'hand':
      return controller.isolated ? undefined : controller.raiseHand(!view.handRaised)
    case 'sound':
      return controller.setSound(!view.sound)
    case 'captions':
      return controller.choose({ captions: !choices.captions })
    case 'transcript':
      controller.choose({ panel: choices.panel === 'transcript' && isRailOpen(view, controller.isolated) ? 'questions' : 'transcript' })
      return controller.showRail(true)
    case 'theatre':
      return controller.theatre(!view.theatre)
    case 'enlarge':
      return enlargeAtCentre()
    case 'dim':
      return controller.choose({ dim: !choices.dim })
    case 'pause':
      if (room.status === 'handed_over') return
      if (room.status === 'paused') controller.control('resume')
      else controller.pause()
      return
    case 'review_next':
      return controller.review((view.review ?? room.slideIndex) + 1)
    case 'review_previous':
      return controller.review((view.review ?? room.slideIndex) - 1)
    case 'live':
      return view.theatre ? controller.theatre(false) : controller.review(null)
    case 'keys':
      return controller.show({ type: 'keys' })
  }
}
