// A form that opens in the place of its button: once it is gone, the button is there again and has the focus again.
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export function useReturnedFocus(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return button
}
