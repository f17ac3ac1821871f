// The head of a screen: its title in the window and as the one h1, which takes the focus after a change of route.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

let isFirstScreen = true

/** On a narrow window the places, the tabs and the slides scroll sideways: the current one is brought to their middle. */
export function showCurrent(): void {
  for (const link of document.querySelectorAll<HTMLElement>('nav [aria-current]')) {
    const row = link.closest('nav')
    if (row === null || row.scrollWidth <= row.clientWidth) continue
    const [at, around] = [link.getBoundingClientRect(), row.getBoundingClientRect()]
    row.scrollLeft += at.left + at.width / 2 - (around.left + around.width / 2)
  }
}

export interface PageHeadProps {
  title: string
  /** What the window's title says before the title of the page, such as the name of a tab. */
  tab?: string
  lead?: ComponentChildren
  above?: ComponentChildren
  /** Beside the title: the picture of the talk. */
  thumb?: ComponentChildren
  actions?: ComponentChildren
}

export function PageHead({ title, tab, lead, above, thumb, actions }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!isFirstScreen) heading.current?.focus()
    isFirstScreen = false
  }, [])
  useEffect(showCurrent, [tab, title])
  useEffect(() => {
    document.title = [tab, title, 'Rostrum'].filter(Boolean).join(' · ')
  }, [tab, title])
  return (
    <header class="page-head">
      {above}
      <div class="page-head-row">
        {thumb}
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {lead !== undefined && <p class="page-lead">{lead}</p>}
    </header>
  )
}
