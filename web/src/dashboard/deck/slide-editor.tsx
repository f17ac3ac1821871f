// One slide: its picture, what it says, and what only the presenter may know.
import { useLocation } from 'preact-iso/router'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useForm } from '../../ui/use-form.ts'
import type { Deck, Slide } from '../data/wire.ts'
import { refusedForm } from '../parts/form-errors.ts'
import { FormFoot } from '../parts/form-foot.tsx'
import { SlideOf } from '../parts/text-slide.tsx'
import { changeSlide, deleteSlide, moveSlide } from './deck-acts.ts'

export interface SlideEditorProps {
  sessionId: string
  slide: Slide
  count: number
  warnings: Deck['warnings']
}

export function SlideEditor({ sessionId, slide, count, warnings }: SlideEditorProps) {
  const { route } = useLocation()
  const href = (index: number) => `/dashboard/sessions/${sessionId}/slides?slide=${index + 1}`
  // The address follows at once: with another slide in between, what is typed here would be gone.
  const move = (index: number) => void moveSlide(sessionId, slide, index, () => route(href(index), true))
  return (
    <section class="slide-editor" aria-labelledby="slide-heading">
      <div class="section-head">
        <h2 id="slide-heading">
          Slide {slide.index + 1} of {count}
        </h2>
        <div class="actions">
          <Button kind="quiet" dense disabled={slide.index === 0} onClick={() => move(slide.index - 1)}>
            Move earlier
          </Button>
          <Button kind="quiet" dense disabled={slide.index === count - 1} onClick={() => move(slide.index + 1)}>
            Move later
          </Button>
          <Button
            kind="quiet"
            dense
            onClick={() => {
              deleteSlide(sessionId, slide)
              route(href(Math.max(0, slide.index - 1)), true)
            }}
          >
            Delete slide
          </Button>
        </div>
      </div>
      <SlideOf slide={slide} />
      {warnings.length > 0 && (
        <ul class="note note-amber slide-warnings" aria-label="To look at on this slide">
          {warnings.map(({ code, detail, fix }) => (
            <li key={code}>
              {detail} {fix !== undefined && <strong>{fix}</strong>}
            </li>
          ))}
        </ul>
      )}
      <SlideForm sessionId={sessionId} slide={slide} />
    </section>
  )
}

function textHint({ textFrom, confidence = 0 }: Slide): string {
  if (textFrom === 'picture')
    return `Read from the picture, about ${Math.round(confidence * 100)} % sure. It answers questions; where the whole page is a picture, lines read surely are said too; what you correct is yours and is said.`
  return 'What the presenter says and quotes. People in the room can read it.'
}

function SlideForm({ sessionId, slide }: { sessionId: string; slide: Slide }) {
  const [isChanged, setChanged] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const inputs = useRef(0)
  // A slide that changed elsewhere is shown, but for what is typed and not saved.
  useEffect(() => {
    if (!isChanged) form.current?.reset()
  }, [isChanged, slide.title, slide.textContent, slide.agentNotes])
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ title = '', textContent = '', agentNotes = '' }) {
      const sent = inputs.current
      await changeSlide(sessionId, slide.id, { title, textContent, agentNotes }).catch((error: unknown) => refusedForm(error))
      if (inputs.current === sent) setChanged(false)
      showToast({ text: 'Slide saved. Its script follows.' })
    },
  })
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={onSubmit}
      onInput={() => {
        inputs.current++
        setChanged(true)
      }}
    >
      <TextField label="Title of the slide" name="title" defaultValue={slide.title ?? ''} maxLength={200} error={errors['title']} />
      <TextArea
        label="Text"
        name="textContent"
        defaultValue={slide.textContent ?? ''}
        rows={4}
        maxLength={20_000}
        hint={textHint(slide)}
        error={errors['textContent']}
      />
      <div class="notes">
        <p class="chip chip-amber">Private to the presenter</p>
        <TextArea
          label="Notes"
          name="agentNotes"
          defaultValue={slide.agentNotes ?? ''}
          rows={3}
          maxLength={20_000}
          hint="Never shown, spoken or quoted, unless you have your notes read out. Directives such as [pause 2s], [slow] or [seconds: 40] act; only the questions of [ask: ...] and [poll: Question? | One | Two] are said aloud."
          error={errors['agentNotes']}
        />
      </div>
      <FormFoot isInPage failure={failure} busy={busy} act="Save slide" isChanged={isChanged} />
    </form>
  )
}
