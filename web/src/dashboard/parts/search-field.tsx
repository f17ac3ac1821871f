// A search box with a visible label for screen readers and an optional key that jumps into it.
import { useEffect, useRef } from 'preact/hooks'

export interface SearchFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  /** A single key that focuses the box when no field has the focus. */
  keys?: string
}

export function SearchField({ label, value, onChange, keys }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (keys === undefined) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== keys || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [keys])
  return (
    <input
      ref={input}
      class="input search"
      type="search"
      aria-label={label}
      aria-keyshortcuts={keys}
      placeholder={keys === undefined ? 'Search' : `Search  ${keys}`}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** Whether a key press belongs to a field or an open dialog, so that single keys must stay silent. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog, [popover]') !== null
}
