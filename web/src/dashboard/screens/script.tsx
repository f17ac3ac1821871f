// The spoken sentences of one slide (beats), each with where it comes from and how long it takes; any may be rewritten.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { changeBeat } from '../deck-acts.ts'
import { refusedForm } from '../form-errors.ts'
import { duration } from '../format.ts'
import { Skeleton } from '../loaded.tsx'
import { orToast } from '../undoable.ts'
import type { Beat, BeatSource } from '../wire.ts'

const kinds: Record<Beat['kind'], string> = {
  opening: 'Opening',
  title: 'Title',
  narration: 'Narration',
  bridge: 'Bridge',
  cta: 'Offer',
  closing: 'Closing',
}

export function Script({ sessionId, beats }: { sessionId: string; beats: readonly Beat[] | undefined }) {
  return (
    <section class="script" aria-labelledby="script">
      <h3 id="script">What the presenter says</h3>
      {beats === undefined ? (
        <Skeleton rows={3} />
      ) : beats.length === 0 ? (
        <p class="muted">
          Nothing yet: the script is written as soon as the deck is ready, and a slide with [skip] in its notes is passed over.
        </p>
      ) : (
        <ol class="beats">
          {beats.map((beat) => (
            <BeatRow key={beat.beatId} sessionId={sessionId} beat={beat} />
          ))}
        </ol>
      )}
    </section>
  )
}

function BeatRow({ sessionId, beat }: { sessionId: string; beat: Beat }) {
  const [isEditing, setEditing] = useState(false)
  if (isEditing) {
    return (
      <li class="beat">
        <BeatForm sessionId={sessionId} beat={beat} onClose={() => setEditing(false)} />
      </li>
    )
  }
  return (
    <li class="beat">
      <p class="beat-text">{beat.text}</p>
      <p class="beat-meta small muted">
        {[kinds[beat.kind], duration(beat.estMs / 1000), sourceWords(beat.sources), beat.editedAt === undefined ? '' : 'written by you']
          .filter((part) => part !== '')
          .join(' · ')}
      </p>
      <Button kind="quiet" dense aria-label={`Edit: ${beat.text}`} onClick={() => setEditing(true)}>
        Edit
      </Button>
    </li>
  )
}

function BeatForm({ sessionId, beat, onClose }: { sessionId: string; beat: Beat; onClose: () => void }) {
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ text = '' }) {
      await changeBeat(sessionId, beat.beatId, text).catch((error: unknown) => refusedForm(error))
      onClose()
    },
  })
  return (
    <form class="form beat-form" noValidate onSubmit={onSubmit}>
      <TextArea
        label="Sentence"
        name="text"
        defaultValue={beat.text}
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
        {beat.editedAt !== undefined && (
          <Button dense onClick={() => void orToast(changeBeat(sessionId, beat.beatId, null).then(onClose))}>
            Bring the compiled one back
          </Button>
        )}
        <Button kind="quiet" dense onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

function sourceWords(sources: readonly BeatSource[]): string {
  const names = [...new Set(sources.map(({ type, index }) => (type === 'slide' ? `slide ${index + 1}` : `passage ${index + 1}`)))]
  return names.length === 0 ? '' : `from ${names.join(', ')}`
}
