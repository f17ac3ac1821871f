// What a talk may do without is fetched when it is first wanted; until it is there, its children stand in its place. A fetch that
// fails is made again when it is wanted anew.
import type { ComponentChildren, FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export interface LaterProps {
  /** Anything truthy; another one wants it anew. */
  wanted?: unknown
  children?: ComponentChildren
}

export function later(load: () => Promise<FunctionComponent>) {
  let Found: FunctionComponent | undefined
  /** Before it is wanted. */
  const ahead = () => load().then((component) => (Found = component))
  function Later({ wanted = true, children }: LaterProps) {
    const [, refresh] = useState(false)
    useEffect(() => {
      if (!wanted || Found) return
      void ahead().then(() => refresh(true))
    }, [wanted])
    return wanted && Found ? <Found /> : <>{children}</>
  }
  return Object.assign(Later, { ahead })
}

/** The style of what was fetched comes with its script: the build of the room wraps no `import()`, so none would load a sheet. */
export function wear(css: string): void {
  if (typeof document === 'undefined') return
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets.push(sheet)
}
