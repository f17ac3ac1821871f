// Wishes about the talk that an attendee put as a question ("slower, please", "go to slide 4"): granted where the talk is their own.
import type { TalkControl } from '../state/run-event.ts'
import type { Draft } from './draft.ts'
import { enter, resumePlace } from './speech.ts'
import { present } from './talking.ts'

const slowest = 0.75
const fastest = 2
const paceStep = 0.25

/** True when the wish itself leads out of the answer; else the talk goes back to where it was. */
export function grant(draft: Draft, control: TalkControl): boolean {
  const { setting, state } = draft
  if (setting.mode !== 'isolated') return false
  const here = state.slideIndex ?? 0
  switch (control.action) {
    case 'slower':
    case 'faster': {
      const step = control.action === 'slower' ? -paceStep : paceStep
      const speed = Math.min(fastest, Math.max(slowest, state.speed + step))
      enter(draft, 'answering', 'attendee', { reason: 'speed', speed })
      return false
    }
    case 'shorter':
    case 'longer':
      enter(draft, 'answering', 'attendee', { reason: 'length', brief: control.action === 'shorter' })
      return false
    case 'pause':
      enter(draft, 'paused', 'attendee', { resumeAt: resumePlace(draft) })
      return true
    case 'resume':
      present(draft, resumePlace(draft), 'attendee')
      return true
    case 'goto':
    case 'next':
    case 'previous':
    case 'repeat': {
      const steps = { next: 1, previous: -1, repeat: 0 }
      const index = control.action === 'goto' ? control.slideIndex : Math.max(0, here + steps[control.action])
      present(draft, setting.order.ofSlide(index), 'attendee', 'answer')
      return true
    }
  }
}
