// What the views share: the frame with its states, buttons, links that the host opens, status, figures.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Bridge } from './bridge.ts'

export type FrameState = 'loading' | 'ready' | 'empty' | 'error'

export interface FrameProps {
  state: FrameState
  title: string
  actions?: ComponentChildren
  children?: ComponentChildren
}

export function Frame({ state, title, actions, children }: FrameProps) {
  return (
    <main data-state={state} aria-busy={state === 'loading'}>
      <header>
        <h1>{title}</h1>
        {actions !== undefined && <div class="row">{actions}</div>}
      </header>
      {state === 'loading' ? <Skeleton /> : children}
    </main>
  )
}

function Skeleton() {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading</span>
      <i />
      <i />
      <i />
    </div>
  )
}

export function Problem({ words, again }: { words: string; again?: (() => void) | undefined }) {
  return (
    <div class="note" role="alert">
      <p>{words}</p>
      {again !== undefined && <Button onPress={again}>Try again</Button>}
    </div>
  )
}

export interface ButtonProps {
  onPress: () => void
  isMain?: boolean
  isBusy?: boolean
  children: ComponentChildren
}

export function Button({ onPress, isMain = false, isBusy = false, children }: ButtonProps) {
  return (
    <button type="button" class={isMain ? 'main' : ''} disabled={isBusy} onClick={onPress}>
      {children}
    </button>
  )
}

/** Opened by the host; where it opens none, the address stands there to be selected. */
export function Link({ bridge, url, label, isMain = false }: { bridge: Bridge; url: string | undefined; label: string; isMain?: boolean }) {
  if (url === undefined || !/^https?:\/\//.test(url)) return null
  if (bridge.state().capabilities.openLinks !== undefined) {
    return (
      <Button isMain={isMain} onPress={() => bridge.openLink(url)}>
        {label}
      </Button>
    )
  }
  return (
    <p class="address">
      <span>{label}</span> <code>{url}</code>
    </p>
  )
}

/** False where the frame may not; some frames have no clipboard at all. */
export async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Copies, or shows the text selected where the frame may not write to the clipboard. */
export function Copy({ label, text, name }: { label: string; text: string; name: string }) {
  const [state, set] = useState<'idle' | 'done' | 'shown'>('idle')
  useEffect(() => set('idle'), [text])
  const copy = async () => set((await toClipboard(text)) ? 'done' : 'shown')
  return (
    <>
      <Button onPress={() => void copy()}>{state === 'done' ? 'Copied' : label}</Button>
      {state === 'shown' && <Selected name={name} text={text} />}
    </>
  )
}

/** Text to take by hand: selected, read-only. */
export function Selected({ name, text }: { name: string; text: string }) {
  return <textarea class="selected" readOnly aria-label={name} value={text} rows={3} ref={(box) => box?.select()} />
}

export function Status({ status }: { status: string }) {
  return <span class={status === 'published' ? 'status live' : 'status'}>{status === 'published' ? 'Published' : 'Draft'}</span>
}

export function Figure({ value, label }: { value: string; label: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  )
}

export interface Session {
  id: string
  title: string
  status: string
  created_at?: string
  createdAt?: string
  description?: string
  slidesCount?: number
  roomUrl?: string
  rehearsalUrl?: string
  deckState?: string
  slides?: readonly { index: number; title: string; imageUrl?: string }[]
  cta?: { text?: string; url?: string }
}

/** A date in the person's own language and time zone. */
export function day(bridge: Bridge, iso: string | undefined): string {
  if (iso === undefined) return ''
  const { locale, timeZone } = bridge.state().context
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...(timeZone !== undefined && { timeZone }) }).format(new Date(iso))
}
