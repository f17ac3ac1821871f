// Single keys on the list of sessions: j and k move between rows, c copies the link, r rehearses (Enter is the link's own).
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import type { SessionRecord } from '../data/wire.ts'
import { isTyping } from '../parts/search-field.tsx'
import { copyLink, rehearse } from './session-acts.ts'

export function useRowKeys(list: RefObject<HTMLElement | null>, sessions: readonly SessionRecord[]): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const links = Array.from(list.current?.querySelectorAll<HTMLElement>('.row-link') ?? [])
      const row = document.activeElement?.closest('tr')
      const at = links.findIndex((link) => link.closest('tr') === row)
      const session = sessions[at]
      if (event.key === 'j') links[Math.min(at + 1, links.length - 1)]?.focus()
      else if (event.key === 'k') links[Math.max(at - 1, 0)]?.focus()
      else if (event.key === 'c' && session !== undefined) void copyLink(session)
      else if (event.key === 'r' && session !== undefined) void rehearse(session.id)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [list, sessions])
}
