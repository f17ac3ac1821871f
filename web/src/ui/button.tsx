// The one button of the product. A screen has at most one `primary`; the others are plain, quiet or, for what cannot be undone, danger.
import type { ButtonHTMLAttributes, ComponentChildren, Ref } from 'preact'

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger'

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> {
  kind?: ButtonKind
  /** 32 px high, for tables and other dense places. */
  dense?: boolean
  /** Shows that the act is under way and refuses a second press without losing focus. */
  busy?: boolean
  /** Nothing to do at present: refuses the press and keeps the focus, which `disabled` would lose. */
  idle?: boolean
  buttonRef?: Ref<HTMLButtonElement>
  children?: ComponentChildren
}

export function Button({ kind = 'plain', dense, busy, idle, buttonRef, class: extra, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      ref={buttonRef ?? null}
      class={buttonClass(kind, dense, typeof extra === 'string' ? extra : undefined)}
      aria-disabled={busy || idle ? 'true' : undefined}
      aria-busy={busy ? 'true' : undefined}
      onClick={busy || idle ? (event) => event.preventDefault() : onClick}
    />
  )
}

/** The same look for an `<a>`. */
export function buttonClass(kind: ButtonKind = 'plain', dense = false, extra = ''): string {
  return `btn btn-${kind}${dense ? ' btn-dense' : ''}${extra === '' ? '' : ` ${extra}`}`
}
