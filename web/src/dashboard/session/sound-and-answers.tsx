// The second step of a new talk: hear twenty seconds of it and choose how it is given. Who presents, background and the offer stand behind
// a line each that says how they are now, so that a host can go on at once.
import { ChevronDown, Play, Square, Users, UserRound } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { Button, buttonClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { showToast } from '../../ui/toast.tsx'
import { triedWords } from '../answers/question-words.ts'
import { TryQuestions } from '../answers/try-questions.tsx'
import { upload, wordsOf } from '../data/api.ts'
import { changeSession, deckQuery, knowledgeQuery, scriptQuery, tryQuery } from '../data/queries.ts'
import { cache, useQuery } from '../data/use-query.ts'
import type { Beat, SessionDetail } from '../data/wire.ts'
import { DeckStatus, isBeingRead } from '../deck/deck-status.tsx'
import { documents, FileField } from '../parts/file-field.tsx'
import { plural } from '../parts/format.ts'
import { SlideOf } from '../parts/text-slide.tsx'
import { useHearing } from '../script/use-hearing.ts'
import { PresenterForm } from './presenter-form.tsx'
import { save } from './session-acts.ts'

export function SoundAndAnswers({ session }: { session: SessionDetail }) {
  return (
    <div class="set-up">
      <Listen session={session} />
      <Modes session={session} />
      <div>
        <Fold title="Presenter" state={session.presenterName ?? 'Without a name'}>
          <PresenterForm key={session.id} session={session} />
        </Fold>
        <Background session={session} />
        <Offer session={session} />
      </div>
      <div class="actions set-up-foot">
        <a class={buttonClass('primary')} href={`/dashboard/sessions/${session.id}/set-up?step=3`}>
          Continue
        </a>
      </div>
    </div>
  )
}

function Fold({ title, state, children }: { title: string; state: string; children: ComponentChildren }) {
  return (
    <details class="set-up-fold">
      <summary>
        <h2>{title}</h2>
        <span class="muted">
          <bdi>{state}</bdi>
        </span>
        <Icon of={ChevronDown} />
      </summary>
      {children}
    </details>
  )
}

const listenMs = 20_000

/** The first sentences of the talk, as many as fit. */
function opening(beats: readonly Beat[]): readonly Beat[] {
  let left = listenMs
  return beats.filter(({ text, estMs }) => text !== '' && (left -= estMs) + estMs > 0)
}

/** What becomes of the wait for the slides, and what a host can do in it. */
export function Meanwhile({ children }: { children: ComponentChildren }) {
  const { path, query } = useLocation()
  return (
    <p class="muted">
      {children} A presentation of PowerPoint is drawn first, which may take a minute. You may leave: reading goes on.
      {query['step'] !== '2' && (
        <>
          {' '}
          Meanwhile you can <a href={`${path}?step=2`}>choose how it is given, who presents and what it offers</a>.
        </>
      )}
    </p>
  )
}

function Listen({ session }: { session: SessionDetail }) {
  const deck = useQuery(deckQuery(session.id)).data
  const script = useQuery({ ...scriptQuery(session.id), enabled: deck?.state === 'ready' }).data
  const { now, hear, stop } = useHearing(session)
  const beats = opening(script?.beats ?? [])
  const said = beats.find(({ beatId }) => beatId === now) ?? beats[0]
  const slide = deck?.slides[said?.slideIndex ?? 0]
  return (
    <section class="section-first listen" aria-labelledby="listen">
      <SlideOf slide={slide} empty="The first page is on its way" />
      <div class="listen-words">
        <h2 id="listen">How it sounds</h2>
        {isBeingRead(deck) ? (
          <div class="note">
            <DeckStatus session={session} deck={deck} />
            <Meanwhile>The script is written, and five questions are asked of it, as soon as they are.</Meanwhile>
          </div>
        ) : (
          <p class="listen-line">{said?.text ?? 'There is nothing to say yet.'}</p>
        )}
        <div class="actions">
          <Button
            idle={beats.length === 0}
            onClick={() =>
              now === null
                ? hear(
                    session.id,
                    beats.map(({ beatId, text, estMs }) => ({ beatId, text, estMs })),
                  )
                : stop()
            }
          >
            <Icon of={now === null ? Play : Square} />
            {now === null ? 'Listen, 20 seconds' : 'Stop'}
          </Button>
          <a href={`/dashboard/sessions/${session.id}/script`}>Change the words</a>
        </div>
      </div>
    </section>
  )
}

function Background({ session: { id } }: { session: SessionDetail }) {
  const passages = useQuery(knowledgeQuery(id)).data ?? []
  const deck = useQuery(deckQuery(id)).data
  const tried = useQuery({ ...tryQuery(id), enabled: deck?.state === 'ready' }).data
  const [failure, setFailure] = useState<string>()
  const take = async (files: readonly File[]) => {
    if (files.length === 0) return
    setFailure(undefined)
    try {
      const { added } = await upload('add_knowledge', { sessionId: id }, files)
      await cache.invalidateQueries({ queryKey: ['session', id] })
      showToast({ text: `${plural(added, 'passage')} added.` })
    } catch (error) {
      setFailure(wordsOf(error))
    }
  }
  const given = passages.length === 0 ? [] : [plural(passages.length, 'passage')]
  return (
    <Fold
      title="Background and answers"
      state={[...given, isBeingRead(deck) ? 'questions wait for the slides' : triedWords(tried).toLowerCase()].join(', ')}
    >
      <p class="muted">The presenter answers from the slides alone, and from what you give here: prices, policies, frequent questions.</p>
      <div class="halves">
        <div>
          <FileField kind={documents} files={[]} onChange={(files) => void take(files)} />
          {failure !== undefined && (
            <p class="field-error" role="alert">
              {failure}
            </p>
          )}
        </div>
        <TryQuestions id={id} />
      </div>
    </Fold>
  )
}

function Offer({ session }: { session: SessionDetail }) {
  const [text, setText] = useState(session.ctaText ?? '')
  const [url, setUrl] = useState(session.ctaUrl ?? '')
  const [error, setError] = useState<string>()
  const keep = async () => {
    if (text === (session.ctaText ?? '') && url === (session.ctaUrl ?? '')) return
    // A text without its link leads nowhere yet.
    if ((text === '') !== (url === '')) return
    setError(undefined)
    await changeSession(session.id, { ctaText: text || null, ctaUrl: url || null }).catch((refused: unknown) => setError(wordsOf(refused)))
  }
  const host = URL.parse(url)?.host
  return (
    <Fold title="Offer at the end" state={session.ctaText ?? 'None'}>
      <div class="halves">
        <div class="form" onFocusOut={() => void keep()}>
          <TextField
            label="Words on the button"
            name="ctaText"
            maxLength={80}
            placeholder="Book a 20 min call"
            value={text}
            onInput={({ currentTarget: { value } }) => setText(value)}
          />
          <TextField
            label="Where it leads"
            name="ctaUrl"
            type="url"
            placeholder="https://"
            value={url}
            error={error}
            onInput={({ currentTarget: { value } }) => setUrl(value.trim())}
          />
        </div>
        <figure class="offer-preview" aria-label="Preview of the offer">
          <span class={buttonClass('primary')}>{text || 'Book a 20 min call'}</span>
          <figcaption class="small muted">
            {host === undefined ? 'As people see it, with the site that it leads to' : `Opens ${host}`}
          </figcaption>
        </figure>
      </div>
    </Fold>
  )
}

const modes = [
  {
    value: 'isolated',
    icon: UserRound,
    label: 'One on one',
    words: 'A talk for each person, at any hour. They pause, ask, and go at their own pace.',
  },
  {
    value: 'broadcast',
    icon: Users,
    label: 'Broadcast',
    words: 'One talk for all, at a time. People see each other’s questions and vote.',
  },
] as const

function Modes({ session }: { session: SessionDetail }) {
  return (
    <section aria-labelledby="given">
      <h2 id="given">How it is given</h2>
      <div class="modes" role="radiogroup" aria-labelledby="given">
        {modes.map(({ value, icon, label, words }) => (
          <label key={value} class="mode">
            <input
              type="radio"
              name="mode"
              value={value}
              defaultChecked={session.mode === value}
              onChange={() => void save(session, { mode: value })}
            />
            <Icon of={icon} />
            <span>
              <b>{label}</b>
              <span class="field-hint reach-words">{words}</span>
            </span>
          </label>
        ))}
      </div>
    </section>
  )
}
