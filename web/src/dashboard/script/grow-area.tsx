// A text that is as high as its lines, with a mark beside each line that has one: what is typed lies over a mirror of itself, which has
// the height and the marks and is read to nobody.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

export interface GrowAreaProps {
  label: string
  language: string
  value: string
  describedBy?: string | undefined
  /** Class of each line with a mark. */
  marks?: ReadonlyMap<number, string>
  placeholder?: string
  maxLength?: number
  /** Where the caret is put; another `n` puts it again. */
  focus?: { caret: number; end?: number; n: number } | null
  onText(text: string, caret: number, before: number): void
  /** After any move of the caret. */
  onCaret?(caret: number, end: number): void
  onKeyDown?(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void
}

export function GrowArea({ label, language, value, describedBy, marks, focus, onText, onCaret, ...rest }: GrowAreaProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  /** Before what is typed: undo goes back there. */
  const caret = useRef(0)
  const heard = useRef<HTMLDivElement>(null)
  const told = () => {
    const element = area.current
    if (element === null) return
    caret.current = element.selectionStart
    onCaret?.(element.selectionStart, element.selectionEnd)
  }
  // Before paint: a caret that jumps is seen.
  useLayoutEffect(() => {
    const element = area.current
    if (element === null || focus === undefined || focus === null) return
    element.focus({ preventScroll: true })
    element.setSelectionRange(focus.caret, focus.end ?? focus.caret)
    const line = heard.current?.children[value.slice(0, focus.caret).split('\n').length - 1]
    line?.scrollIntoView({ block: 'nearest' })
    told()
  }, [focus?.n])
  useEffect(() => {
    heard.current?.querySelector('.grow-line-heard')?.scrollIntoView({ block: 'nearest' })
  }, [marks])
  return (
    <div class="grow">
      <div class="grow-mirror" ref={heard} aria-hidden="true" dir="auto">
        {value.split('\n').map((line, index) => (
          <div key={index} class={`grow-line ${marks?.get(index) ?? ''}`}>
            {line === '' ? '\u200b' : line}
          </div>
        ))}
      </div>
      <textarea
        {...rest}
        ref={area}
        class="grow-text"
        aria-label={label}
        aria-describedby={describedBy}
        lang={language}
        dir="auto"
        rows={1}
        spellcheck
        value={value}
        onInput={(event) => {
          const before = caret.current
          caret.current = event.currentTarget.selectionStart
          onText(event.currentTarget.value, event.currentTarget.selectionStart, before)
          told()
        }}
        onKeyUp={told}
        onClick={told}
        onFocus={told}
      />
    </div>
  )
}
