// The call to action beside the talk: shown by rules, each once a run; clicked and dismissed by each attendee for themselves
// (Spec 6.1 `cta.clicked`). It never moves the status.
import { signalOf } from '../../answers/intents.ts'
import type { Draft } from './draft.ts'

/** Shows the call to action when the session has one and asks for `rule`, and this run has not used the rule yet. */
export function showByRule(draft: Draft, rule: string): void {
  const { session } = draft.setting
  if (session.cta === null || draft.state.ctaRulesUsed.includes(rule)) return
  // A directive of the script needs no rule, and shows nothing again that is there already.
  if (rule === 'agent' ? draft.state.ctaShown : !session.ctaRules.includes(rule)) return
  draft.emit({ type: 'cta', data: { state: 'shown', ...session.cta, rule } })
}

export function actOnCta(draft: Draft, attendeeId: string, action: 'click' | 'dismiss'): void {
  const { cta } = draft.setting.session
  if (cta === null) return draft.refuse({ code: 'not_found', detail: 'This talk has no call to action.' })
  const before = draft.state.ctaOf.get(attendeeId)
  const after = action === 'click' ? 'clicked' : 'dismissed'
  if (before === after || before === 'clicked') return
  // What is not shown cannot be waved away.
  if (action === 'dismiss' && !draft.state.ctaShown) return
  draft.emit({ type: 'cta', data: { state: after, ...cta, rule: null, private: true } }, attendeeId)
}

/** Logs high intent once for an attendee: what they ask shows it, whatever the answer to it will be. */
export function noteIntent(draft: Draft, { attendeeId, text }: { attendeeId: string; text: string }): void {
  if (signalOf(text) === undefined || draft.state.highIntent.includes(attendeeId)) return
  draft.emit({ type: 'intent', data: { attendeeId, signal: 'high_intent' } }, 'host')
}
