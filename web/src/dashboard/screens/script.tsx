// The spoken sentences of one slide (beats), each with where it comes from and how long it takes; any may be heard and rewritten.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { Problem } from '../api.ts'
import { changeBeat, refreshScript } from '../deck-acts.ts'
import { refusedForm } from '../form-errors.ts'
import { duration } from '../format.ts'
import { Skeleton } from '../loaded.tsx'
import { useReturnedFocus } from '../returned-focus.ts'
import { orToast } from '../undoable.ts'
import type { Hearing } from '../use-hearing.ts'
import { useHearing } from '../use-hearing.ts'
import type { Beat, BeatSource } from '../wire.ts'

const kinds: Record<Beat['kind'], string> = {
  opening: 'Opening',
  title: 'Title',
  narration: 'Narration',
  bridge: 'Bridge',
  cta: 'Offer',
  closing: 'Closing',
}

export interface ScriptProps {
  sessionId: string
  language: string
  /** Undefined while the script is being read. */
  beats: readonly Beat[] | undefined
}

export function Script({ sessionId, language, beats }: ScriptProps) {
  const hearing = useHearing(language)
  return (
    <section class="script" aria-labelledby="script">
      <div class="section-head">
        <h3 id="script">What the presenter says</h3>
        {beats !== undefined && beats.length > 0 && (
          <Button kind="quiet" dense onClick={() => (hearing.now === null ? hearing.hear(sessionId, beats) : hearing.stop())}>
            {hearing.now === null ? 'Hear the slide' : 'Stop'}
          </Button>
        )}
      </div>
      {beats === undefined ? (
        <Skeleton rows={3} />
      ) : beats.length === 0 ? (
        <p class="muted">
          Nothing yet: the script is written as soon as the deck is ready, and a slide with [skip] in its notes is passed over.
        </p>
      ) : (
        <ol class="beats">
          {beats.map((beat) => (
            <BeatRow key={beat.beatId} sessionId={sessionId} beat={beat} hearing={hearing} />
          ))}
        </ol>
      )}
    </section>
  )
}

interface BeatProps {
  sessionId: string
  beat: Beat
  hearing: Hearing
}

function BeatRow({ sessionId, beat, hearing }: BeatProps) {
  const [isEditing, setEditing] = useState(false)
  const edit = useReturnedFocus(isEditing)
  if (isEditing) {
    return (
      <li class="beat">
        <BeatForm sessionId={sessionId} beat={beat} hearing={hearing} onClose={() => setEditing(false)} />
      </li>
    )
  }
  const isHeard = hearing.now === beat.beatId
  return (
    <li class={isHeard ? 'beat beat-heard' : 'beat'}>
      <p class="beat-text">
        <bdi>{beat.text}</bdi>
      </p>
      <p class="beat-meta small muted">
        {[
          kinds[beat.kind],
          duration(beat.estMs / 1000),
          sourceWords(beat.sources),
          beat.editedAt === undefined ? '' : beat.author === 'model' ? 'written by the model' : 'written by you',
        ]
          .filter((part) => part !== '')
          .join(' · ')}
      </p>
      <div class="beat-acts">
        <Button
          kind="quiet"
          dense
          aria-label={`${isHeard ? 'Stop' : 'Hear'}: ${beat.text}`}
          onClick={() => (isHeard ? hearing.stop() : hearing.hear(sessionId, [beat]))}
        >
          {isHeard ? 'Stop' : 'Hear'}
        </Button>
        <Button
          kind="quiet"
          dense
          buttonRef={edit}
          aria-label={`Edit: ${beat.text}`}
          onClick={() => {
            hearing.stop()
            setEditing(true)
          }}
        >
          Edit
        </Button>
      </div>
    </li>
  )
}

function BeatForm({ sessionId, beat, hearing, onClose }: BeatProps & { onClose: () => void }) {
  const [text, setText] = useState(beat.text)
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ text: written = '' }) {
      await changeBeat(sessionId, beat.beatId, written).catch((error: unknown) => refusedForm(goneInWords(error)))
      close()
    },
  })
  const close = () => {
    hearing.stop()
    onClose()
  }
  const isHeard = hearing.now === text
  return (
    <form class="form beat-form" noValidate onSubmit={onSubmit} onInput={hearing.stop}>
      <TextArea
        label="Sentence"
        name="text"
        defaultValue={beat.text}
        onInput={(event) => setText(event.currentTarget.value)}
        required
        maxLength={240}
        rows={2}
        hint="Spoken and captioned as you write it. It is kept while the slide stays as it is."
        error={errors['text'] ?? failure}
        autofocus
      />
      <div class="actions">
        <Button dense type="submit" busy={busy}>
          Save sentence
        </Button>
        <Button
          dense
          disabled={text.trim() === ''}
          onClick={() => (isHeard ? hearing.stop() : hearing.hear(sessionId, [{ text, estMs: text.length * msPerCharacter }]))}
        >
          {isHeard ? 'Stop' : 'Hear it'}
        </Button>
        {beat.editedAt !== undefined && (
          <Button dense onClick={() => void orToast(changeBeat(sessionId, beat.beatId, null).then(close))}>
            Bring the compiled one back
          </Button>
        )}
        <Button
          kind="quiet"
          dense
          onClick={() => {
            close()
            void refreshScript(sessionId)
          }}
        >
          Cancel
        </Button>
      </div>
    </form>
  )
}

/** About 150 words a minute. */
const msPerCharacter = 65

/** The script was compiled anew meanwhile: what was written is worth more than the sentence it was for. */
function goneInWords(error: unknown): unknown {
  if (!(error instanceof Problem) || error.status !== 404) return error
  return new Problem(404, {
    detail: 'This sentence is gone: the deck was changed meanwhile. Copy what you wrote; Cancel shows the new script.',
  })
}

function sourceWords(sources: readonly BeatSource[]): string {
  const names = [...new Set(sources.map(({ type, index }) => (type === 'slide' ? `slide ${index + 1}` : `passage ${index + 1}`)))]
  return names.length === 0 ? '' : `from ${names.join(', ')}`
}
