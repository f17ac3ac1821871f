// Short notices at the foot of the window, with one act such as Undo; told politely, gone after 8 s, kept while hovered or focused.
import { useEffect, useState } from 'preact/hooks'
import { Button } from './button.tsx'

export interface Toast {
  id: number
  text: string
  action?: { label: string; run: () => void }
  /** Called when it goes without its act having been taken: an undoable act becomes final here. */
  onExpire?: () => void
  lifeMs: number
}

let nextId = 1
let toasts: readonly Toast[] = []
const listeners = new Set<() => void>()

function set(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Shows a notice and returns what takes it away without expiring it. */
export function showToast(toast: Omit<Toast, 'id' | 'lifeMs'> & { lifeMs?: number }): () => void {
  const id = nextId++
  set([...toasts, { lifeMs: 8_000, ...toast, id }])
  return () => set(toasts.filter((other) => other.id !== id))
}

export function ToastRegion({ label }: { label: string }) {
  const [, refresh] = useState(0)
  useEffect(() => {
    const listener = () => refresh((count) => count + 1)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  return (
    <div class="toasts" role="status" aria-label={label}>
      {toasts.map((toast) => (
        <ToastRow key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function ToastRow({ toast }: { toast: Toast }) {
  const [held, setHeld] = useState(false)
  const remove = () => set(toasts.filter((other) => other.id !== toast.id))
  useEffect(() => {
    if (held) return
    const timer = setTimeout(() => {
      remove()
      toast.onExpire?.()
    }, toast.lifeMs)
    return () => clearTimeout(timer)
  }, [held])
  const { action } = toast
  return (
    <div
      class="toast"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      <span>{toast.text}</span>
      {action && (
        <Button
          kind="quiet"
          dense
          onClick={() => {
            remove()
            action.run()
          }}
        >
          {action.label}
        </Button>
      )}
    </div>
  )
}
