// What a host would look at before anybody comes, looked at for real: the deck, the script, five questions, the offer's link, the voice.
import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide'
import { Icon } from '../../ui/icon.tsx'
import { triedWords } from '../answers/question-words.ts'
import { deckQuery, scriptQuery, tryQuery } from '../data/queries.ts'
import { type Query, useQuery } from '../data/use-query.ts'
import type { Beat, Deck, ScriptAnswer, SessionRecord } from '../data/wire.ts'
import { clipOf, type ServerClip } from '../deck/deck-acts.ts'
import { warningsToMend } from '../deck/deck-status.tsx'
import { plural } from '../parts/format.ts'

interface Check {
  name: 'deck' | 'script' | 'questions' | 'link' | 'sound'
  /** Undefined while it is looked at. */
  ok: boolean | undefined
  words: string
  /** Where it is mended. */
  rest: string
}

const firstClipQuery = (id: string, beatId: string | undefined): Query<ServerClip> => ({
  queryKey: ['session', id, 'first-clip', beatId],
  queryFn: ({ signal }) => clipOf(id, beatId ?? '', signal),
  staleTime: 60_000,
  enabled: beatId !== undefined,
})

/** What is looked at once there are slides. */
const toCome: readonly Check[] = [
  { name: 'script', ok: undefined, words: 'The script, for what a listener would stumble over', rest: '/script' },
  { name: 'questions', ok: undefined, words: 'Five questions, asked as people would', rest: '/knowledge' },
  { name: 'link', ok: undefined, words: 'The link of the offer, where there is one', rest: '/settings' },
  { name: 'sound', ok: undefined, words: 'The first sentence, said aloud', rest: '/settings' },
]

/** The checks, and whether the deck is one that can be shown: without it a talk is not published. */
export function useChecks({ id }: Pick<SessionRecord, 'id'>): { checks: readonly Check[]; canShow: boolean | undefined } {
  const deck = useQuery(deckQuery(id)).data
  const isShown = deck?.state === 'ready' && deck.slides.length > 0
  const script = useQuery({ ...scriptQuery(id), enabled: isShown }).data
  const tried = useQuery({ ...tryQuery(id), enabled: isShown }).data
  const first = script?.beats.find(({ text }) => text !== '')
  const clip = useQuery(firstClipQuery(id, first?.beatId))
  const canShow = deck === undefined || deck.state === 'pending' || deck.state === 'processing' ? undefined : isShown
  const ofDeck: Check = { name: 'deck', ok: canShow, words: deckWords(deck), rest: '/slides' }
  if (canShow === false) return { canShow, checks: [ofDeck] }
  if (canShow === undefined) return { canShow, checks: deck === undefined ? [ofDeck] : [ofDeck, ...toCome] }
  return {
    canShow,
    checks: [
      ofDeck,
      { name: 'script', ...scriptCheck(script), rest: '/script' },
      {
        name: 'questions',
        ok: tried && tried.answers.length > 0 && tried.answers.every(({ outcome }) => outcome === 'answered'),
        words: triedWords(tried),
        rest: '/knowledge',
      },
      { name: 'link', ok: tried && linkStands(tried.link), words: linkWords(tried?.link, tried === undefined), rest: '/settings' },
      { name: 'sound', ...soundCheck(first, script !== undefined, clip.data, clip.error), rest: '/settings' },
    ],
  }
}

type Found = Pick<Check, 'ok' | 'words'>

function scriptCheck(script: ScriptAnswer | undefined): Found {
  if (script === undefined) return { ok: undefined, words: 'Reading the script' }
  if (script.beats.length === 0) return { ok: false, words: 'There is no script yet' }
  const found = script.findings.length
  return found === 0
    ? { ok: true, words: 'The script reads well' }
    : { ok: false, words: `${plural(found, 'thing')} to look at in the script` }
}

function soundCheck(first: Beat | undefined, isRead: boolean, clip: ServerClip | undefined, error: unknown): Found {
  if (isRead && first === undefined) return { ok: false, words: 'There is nothing to say yet' }
  if (error !== null) return { ok: false, words: 'The voice of the server did not answer' }
  if (clip === undefined) return { ok: undefined, words: 'Saying the first sentence' }
  const words =
    clip.voice === null
      ? 'The server has no voice: each listener hears that of their own device'
      : `The first sentence is said by ${clip.voice}`
  return { ok: true, words }
}

function deckWords(deck: Deck | undefined): string {
  switch (deck?.state) {
    case undefined:
      return 'Looking at the deck'
    case 'none':
      return 'There are no slides yet'
    case 'failed':
      return 'The deck could not be read'
    case 'ready': {
      if (deck.slides.length === 0) return 'There are no slides yet'
      const count = warningsToMend(deck).length
      const warned = count === 0 ? '' : `, ${plural(count, 'thing')} to look at`
      return `${plural(deck.slides.length, 'slide')} ready${warned}`
    }
    default:
      return 'The deck is still being read'
  }
}

type Link = { status: number | null } | undefined

const linkStands = (link: Link): boolean => link === undefined || (link.status !== null && link.status < 400)

function linkWords(link: Link, isAsking: boolean): string {
  if (isAsking) return 'Opening the link of the offer'
  if (link === undefined) return 'No offer is made, so no link is needed'
  if (link.status === null) return 'The link of the offer cannot be reached'
  return link.status < 400 ? 'The link of the offer opens' : `The link of the offer answers ${link.status}`
}

export function PublishChecks({ id, checks }: { id: string; checks: readonly Check[] }) {
  return (
    <ul class="checks" aria-label="Checks">
      {checks.map(({ name, ok, words, rest }) => (
        <li key={name} class="check-row" data-testid="publish-check" data-name={name} data-ok={ok === undefined ? undefined : String(ok)}>
          <Icon of={ok === undefined ? LoaderCircle : ok ? CircleCheck : CircleAlert} />
          <span>
            <span class="vh">{ok === undefined ? 'Checking: ' : ok ? 'Good: ' : 'To fix: '}</span>
            {words}
          </span>
          {ok === false && <a href={`/dashboard/sessions/${id}${rest}`}>Look</a>}
        </li>
      ))}
    </ul>
  )
}
