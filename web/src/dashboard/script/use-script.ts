// The text of a script while somebody edits it: one history of all acts, saved as a whole, and brought together with what others have
// changed. What is not saved outlives a look at another screen.
import { useEffect, useRef, useState } from 'preact/hooks'
import { showToast } from '../../ui/toast.tsx'
import { webClock } from '../../ui/clock.ts'
import { Problem, wordsOf } from '../data/api.ts'
import { putScript } from '../deck/deck-acts.ts'
import { plural } from '../parts/format.ts'
import { scriptQuery } from '../data/queries.ts'
import { cache, refresh } from '../data/use-query.ts'
import type { ScriptAnswer } from '../data/wire.ts'
import type { Place, ScriptText } from './script-text.ts'
import { isSame, merged, textOf, wireOf } from './script-text.ts'

interface Entry {
  script: ScriptText
  /** Where the caret was. */
  place: Place | null
}

interface Draft {
  base: ScriptAnswer
  script: ScriptText
  past: readonly Entry[]
  future: readonly Entry[]
}

export interface Editing extends Draft {
  isChanged: boolean
  isSaving: boolean
  /** Why it was not saved, in words. */
  failure: string | null
  /** Slides that somebody else has changed as well; their text is `theirs`. */
  conflict: Conflict | null
  /** Where the caret is to go next. */
  focus: (Place & { n: number }) | null
  edit(next: ScriptText, how?: { from?: Place | null; to?: Place; isTyping?: boolean }): void
  /** Puts the caret there. */
  show(place: Place): void
  undo(): void
  redo(): void
  save(): Promise<void>
  /** Goes on from what is on the server now. */
  adopt(answer: ScriptAnswer): void
  takeTheirs(): void
  keepMine(): Promise<void>
}

export interface Conflict {
  theirs: ScriptAnswer
  both: readonly string[]
}

/** By session; gone with the page. */
const drafts = new Map<string, Draft>()
const pastMost = 200
const triesMost = 3

/** Letters that are typed one after the other are undone together. */
const typingPauseMs = 1_000

const fresh = (base: ScriptAnswer): Draft => ({ base, script: textOf(base.slides), past: [], future: [] })
const revisionOf = ({ tag }: ScriptAnswer): string => tag.replace(/^W\//, '').split('.', 1)[0] ?? ''

/** The draft over what the server has now, where nobody changed the same slide; its history too. */
function rebased(draft: Draft, now: ScriptAnswer): { draft: Draft; both: readonly string[] } {
  const [was, theirs] = [textOf(draft.base.slides), textOf(now.slides)]
  const { script, both } = merged(was, draft.script, theirs)
  const over = (entries: readonly Entry[]) => entries.map((entry) => ({ ...entry, script: merged(was, entry.script, theirs).script }))
  return { draft: { base: now, script, past: over(draft.past), future: over(draft.future) }, both }
}

export function useScript(sessionId: string, answer: ScriptAnswer): Editing {
  const [draft, setDraft] = useState<Draft>(() => drafts.get(sessionId) ?? fresh(answer))
  const [isSaving, setSaving] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const [focus, setFocus] = useState<Editing['focus']>(null)
  const typed = useRef<{ at: number; ms: number } | null>(null)
  // Acts that end later go on from what is there then.
  const latest = useRef(draft)
  latest.current = draft
  const isChanged = !isSame(draft.script, textOf(draft.base.slides))

  const set = (next: Draft) => {
    latest.current = next
    setDraft(next)
  }

  useEffect(() => {
    if (isChanged) drafts.set(sessionId, draft)
    else drafts.delete(sessionId)
  }, [draft, isChanged])

  useEffect(() => {
    if (!isChanged) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isChanged])

  useEffect(() => {
    if (isSaving || revisionOf(answer) === revisionOf(draft.base)) return
    const { draft: next, both } = rebased(latest.current, answer)
    // Where both have changed a slide, saving will ask.
    if (both.length === 0) set(next)
  }, [answer.tag, isSaving])

  const toPlace = (place: Place | null | undefined) => {
    if (place) setFocus((before) => ({ ...place, n: (before?.n ?? 0) + 1 }))
  }

  const edit: Editing['edit'] = (next, { from = null, to, isTyping = false } = {}) => {
    const now = latest.current
    if (next === now.script) return
    const ms = webClock.elapsed()
    const last = typed.current
    const isSameWord = isTyping && from !== null && last?.at === from.at && ms - last.ms < typingPauseMs && now.past.length > 0
    typed.current = isTyping && from !== null ? { at: from.at, ms } : null
    const past = isSameWord ? now.past : [...now.past, { script: now.script, place: from }].slice(-pastMost)
    set({ ...now, script: next, past, future: [] })
    setFailure(null)
    toPlace(to)
  }

  const step = (from: 'past' | 'future', to: 'past' | 'future') => {
    const now = latest.current
    const entry = now[from].at(-1)
    if (entry === undefined) return
    typed.current = null
    const back = { script: now.script, place: entry.place }
    set({ ...now, script: entry.script, [from]: now[from].slice(0, -1), [to]: [...now[to], back] })
    toPlace(entry.place)
  }

  const adopt = (now: ScriptAnswer) => {
    cache.setQueryData(scriptQuery(sessionId).queryKey, now)
    const { script, past } = latest.current
    set({ base: now, script: textOf(now.slides), past: [...past, { script, place: null }].slice(-pastMost), future: [] })
    setConflict(null)
    setFailure(null)
  }

  /** Sends the text; where others were quicker, brings both together and sends it again. */
  async function send(): Promise<void> {
    for (let tries = 0; ; tries++) {
      const sent = latest.current
      try {
        const now = await putScript(sessionId, wireOf(sent.script, sent.base.slides), sent.base.tag)
        cache.setQueryData(scriptQuery(sessionId).queryKey, now)
        // What was typed meanwhile is kept, over what was saved.
        const since = latest.current
        const { script } = merged(sent.script, since.script, textOf(now.slides))
        set({ ...since, base: now, script })
        void refresh('session', sessionId, 'script-versions')
        if (tries > 0) showToast({ text: 'Saved, together with what was changed elsewhere.' })
        return
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 412 || tries >= triesMost) throw error
        const theirs = await cache.fetchQuery({ ...scriptQuery(sessionId), staleTime: 0 })
        const { draft: next, both } = rebased(latest.current, theirs)
        if (both.length > 0) return setConflict({ theirs, both })
        set(next)
      }
    }
  }

  const save = async () => {
    if (isSame(latest.current.script, textOf(latest.current.base.slides))) return
    setSaving(true)
    setFailure(null)
    typed.current = null
    await send().catch((error: unknown) => setFailure(refusal(error)))
    setSaving(false)
  }

  return {
    ...draft,
    isChanged,
    isSaving,
    failure,
    conflict,
    focus,
    edit,
    show: toPlace,
    undo: () => step('past', 'future'),
    redo: () => step('future', 'past'),
    save,
    adopt,
    takeTheirs: () => conflict !== null && adopt(conflict.theirs),
    async keepMine() {
      if (conflict === null) return
      set(rebased(latest.current, conflict.theirs).draft)
      setConflict(null)
      await save()
    },
  }
}

/** Names the slide that the server has refused. */
function refusal(error: unknown): string {
  if (!(error instanceof Problem)) return wordsOf(error)
  const errors = error.body.errors ?? []
  const [first] = errors
  const slide = /^#\/slides\/(\d+)/.exec(first?.pointer ?? '')?.[1]
  if (first === undefined || slide === undefined) return error.message
  const more = errors.length === 1 ? '' : ` ${plural(errors.length - 1, 'further place')} as well.`
  return `Not saved. Slide ${Number(slide) + 1}: ${first.detail}${more}`
}
