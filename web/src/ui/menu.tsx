// A menu of acts on the popover API: arrow keys move, Escape closes and focus returns to its button (ARIA menu button pattern).
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { buttonClass } from './button.tsx'

export interface MenuItem {
  label: string
  onSelect?: () => void
  /** A link instead of an act. */
  href?: string
  /** A switch: shown as a tick and told as checked. */
  checked?: boolean
  danger?: boolean
  /** The first of what belongs together, in a long menu. */
  begins?: boolean
  keys?: string
}

export interface MenuProps {
  /** Accessible name; also the visible text unless `children` replaces it. */
  label: string
  items: readonly MenuItem[]
  dense?: boolean
  /** It came late, for a press that already was. */
  openAtOnce?: boolean
  children?: ComponentChildren
}

export function Menu({ label, items, dense = false, openAtOnce = false, children }: MenuProps) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState(false)
  useLayoutEffect(() => {
    if (openAtOnce) list.current?.showPopover()
  }, [])
  const move = (step: number | 'first' | 'last') => {
    const all = Array.from(list.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])
    const at = all.findIndex((item) => item === document.activeElement)
    const next = step === 'first' ? 0 : step === 'last' ? all.length - 1 : (at + step + all.length) % all.length
    all[next]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = ({ ArrowDown: 1, ArrowUp: -1, Home: 'first', End: 'last' } as const)[event.key as 'ArrowDown']
    if (step !== undefined) {
      event.preventDefault()
      move(step)
    } else if (event.key === 'Tab') list.current?.hidePopover()
  }
  const onToggle = (event: Event & { newState?: string }) => {
    const shown = event.newState === 'open'
    setOpen(shown)
    if (shown) {
      place(button.current, list.current)
      move('first')
    }
  }
  // Before it closes, while what has focus is still in it; a menu that came late has no opener to give it back to.
  const onBeforeToggle = (event: Event & { newState?: string }) => {
    if (event.newState === 'closed' && list.current?.contains(document.activeElement) === true) button.current?.focus()
  }
  return (
    <div class="menu">
      <button
        type="button"
        ref={button}
        class={buttonClass('quiet', dense)}
        popovertarget={id}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={children === undefined ? undefined : label}
      >
        {children ?? label}
      </button>
      <div
        ref={list}
        id={id}
        class="menu-list"
        role="menu"
        popover="auto"
        aria-label={label}
        onToggle={onToggle}
        onBeforeToggle={onBeforeToggle}
        onKeyDown={onKeyDown}
      >
        {items.map((item) => (
          <MenuRow key={item.label} item={item} close={() => list.current?.hidePopover()} />
        ))}
      </div>
    </div>
  )
}

function MenuRow({ item, close }: { item: MenuItem; close: () => void }) {
  const name = `menu-item${item.danger ? ' menu-item-danger' : ''}${item.begins ? ' menu-item-begins' : ''}`
  const end = item.checked ? <span aria-hidden="true">✓</span> : item.keys && <kbd aria-hidden="true">{item.keys}</kbd>
  if (item.href !== undefined) {
    return (
      <a class={name} role="menuitem" tabIndex={-1} href={item.href} onClick={close}>
        {item.label}
        {end}
      </a>
    )
  }
  return (
    <button
      type="button"
      class={name}
      role={item.checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
      aria-checked={item.checked}
      tabIndex={-1}
      onClick={() => {
        close()
        item.onSelect?.()
      }}
    >
      {item.label}
      {end}
    </button>
  )
}

/** Below the button, kept inside the window; `el.style` is what the content policy allows. */
function place(button: HTMLElement | null, list: HTMLElement | null): void {
  if (button === null || list === null) return
  const at = button.getBoundingClientRect()
  const below = at.bottom + list.offsetHeight + 8 < innerHeight
  list.style.top = `${below ? at.bottom + 4 : Math.max(8, at.top - list.offsetHeight - 4)}px`
  const rtl = getComputedStyle(button).direction === 'rtl'
  const start = rtl ? at.left : at.right - list.offsetWidth
  list.style.left = `${Math.max(8, Math.min(start, innerWidth - list.offsetWidth - 8))}px`
}
