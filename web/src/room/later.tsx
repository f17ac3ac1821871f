// What a talk may do without is fetched when it is first wanted; until it is there, its children stand in its place.
import type { ComponentChildren, FunctionComponent } from 'preact'
import { createElement } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export interface LaterProps {
  wanted?: boolean
  children?: ComponentChildren
}

export function later(load: () => Promise<FunctionComponent>): FunctionComponent<LaterProps> {
  let found: FunctionComponent | undefined
  return function Later({ wanted = true, children }: LaterProps) {
    const [, refresh] = useState(false)
    useEffect(() => {
      if (!wanted || found) return
      void load().then((component) => {
        found = component
        refresh(true)
      })
    }, [wanted])
    return wanted && found ? createElement(found, null) : <>{children}</>
  }
}
