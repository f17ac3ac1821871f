// Acts that are shown at once and can be taken back for 8 s.
import { useState } from 'preact/hooks'
import { showToast } from '../../ui/toast.tsx'
import { wordsOf } from './api.ts'

/** Does `act` now; Undo does `undo`. Both report a refusal in words. */
export async function doneWithUndo(told: string, act: () => Promise<unknown>, undo: () => Promise<unknown>): Promise<void> {
  await orToast(act().then(() => showToast({ text: told, action: { label: 'Undo', run: () => void orToast(undo()) } })))
}

const waiting = new Set<() => void>()
const underWay = new Set<Promise<void>>()

/** Shows the act as done and does it after 8 s, or at once when the page goes away; Undo forgets it. */
export function doneLater(told: string, { act, onUndo }: { act: () => Promise<unknown>; onUndo: () => void }): void {
  const commit = () => {
    if (!waiting.delete(commit)) return
    hide()
    const done = orToast(act(), onUndo)
    underWay.add(done)
    void done.finally(() => underWay.delete(done))
  }
  waiting.add(commit)
  const hide = showToast({
    text: told,
    onExpire: commit,
    action: {
      label: 'Undo',
      run() {
        waiting.delete(commit)
        onUndo()
      },
    },
  })
}

/** Before an act that counts on those shown as done: does them now, and waits for them. */
export async function commitWaiting(): Promise<void> {
  for (const commit of waiting) commit()
  await Promise.all(underWay)
}

addEventListener('pagehide', () => void commitWaiting())

/** Waits for an act and tells the host in words when it was refused. */
export async function orToast(act: Promise<unknown>, onFailed?: () => void): Promise<void> {
  try {
    await act
  } catch (error) {
    onFailed?.()
    showToast({ text: wordsOf(error) })
  }
}

/** Whether an act is under way, and what does one and tells a refusal in words. */
export function useBusy(): [busy: boolean, run: (act: Promise<unknown>) => Promise<void>] {
  const [busy, setBusy] = useState(false)
  return [
    busy,
    (act) => {
      setBusy(true)
      return orToast(act).finally(() => setBusy(false))
    },
  ]
}
