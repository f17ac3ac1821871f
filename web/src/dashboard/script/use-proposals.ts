// Asks the model for better words, slide by slide, and keeps what it proposes until its host has taken or left it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Problem, wordsOf } from '../data/api.ts'
import { proposalsFor } from '../deck/deck-acts.ts'
import type { Proposal } from '../data/wire.ts'

export const tones = [
  { value: 'plain', label: 'Plain' },
  { value: 'friendly', label: 'Friendly' },
  { value: 'lively', label: 'Lively' },
] as const

export interface Wish {
  withNotes: boolean
  tone: (typeof tones)[number]['value']
}

export interface Proposals {
  of(slideId: string): readonly Proposal[]
  /** Slides that are being written. */
  isWriting(slideId: string): boolean
  progress: { done: number; total: number } | null
  /** How the last writing ended, in words. */
  told: string
  write(slideIds: readonly string[], wish: Wish): void
  stop(): void
  decided(slideId: string, proposal: Proposal): void
}

const slidesAtOnce = 2

export function useProposals(sessionId: string): Proposals {
  const [found, setFound] = useState<ReadonlyMap<string, readonly Proposal[]>>(new Map())
  const [underWay, setUnderWay] = useState<ReadonlySet<string>>(new Set())
  const [progress, setProgress] = useState<Proposals['progress']>(null)
  const [told, setTold] = useState('')
  const turn = useRef<AbortController | null>(null)
  useEffect(() => () => turn.current?.abort(), [])

  const write = async (slideIds: readonly string[], wish: Wish) => {
    turn.current?.abort()
    const mine = new AbortController()
    turn.current = mine
    const waiting = [...slideIds]
    const tally = { done: 0, proposed: 0, failed: 0, why: '' }
    setTold('')
    setProgress({ done: 0, total: slideIds.length })
    const next = async () => {
      for (let slideId = waiting.shift(); slideId !== undefined && !mine.signal.aborted; slideId = waiting.shift()) {
        const id = slideId
        setUnderWay((before) => new Set([...before, id]))
        try {
          const proposals = await proposalsFor(sessionId, { slideId: id, ...wish }, mine.signal)
          tally.proposed += proposals.length
          setFound((before) => new Map([...before, [id, proposals]]))
        } catch (error) {
          if (mine.signal.aborted) break
          tally.failed++
          tally.why = wordsOf(error)
          // Of what is used up, or refused as a whole, no slide is tried again.
          if (error instanceof Problem && error.status < 500) waiting.length = 0
        } finally {
          setUnderWay((before) => new Set([...before].filter((each) => each !== id)))
        }
        setProgress({ done: ++tally.done, total: slideIds.length })
      }
    }
    await Promise.all(Array.from({ length: slidesAtOnce }, next))
    if (turn.current !== mine) return
    turn.current = null
    setProgress(null)
    const { proposed, failed, why } = tally
    const offered = proposed === 0 ? 'The model proposes nothing else.' : `${proposed} proposed. Take or leave them beside their slides.`
    setTold(failed === 0 ? offered : `${proposed === 0 ? '' : `${offered} `}${why}`)
  }

  return {
    of: (slideId) => found.get(slideId) ?? [],
    isWriting: (slideId) => underWay.has(slideId),
    progress,
    told,
    write: (slideIds, wish) => void write(slideIds, wish),
    stop() {
      turn.current?.abort()
      turn.current = null
      setProgress(null)
    },
    decided: (slideId, proposal) =>
      setFound((before) => new Map([...before, [slideId, (before.get(slideId) ?? []).filter((each) => each !== proposal)]])),
  }
}
