// What the room is asked after a slide: the polls there are, and a form for one. Saved at once, as directives of the notes.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { chosen, Select, TextArea, TextField } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { changeSlide } from '../deck/deck-acts.ts'
import type { Slide } from '../data/wire.ts'
import { orToast } from '../data/undoable.ts'
import { refusedForm } from '../parts/form-errors.ts'
import { FormFoot } from '../parts/form-foot.tsx'

type Poll = NonNullable<Slide['polls']>[number]

const kinds = [
  { value: 'choice', label: 'Choice or quiz' },
  { value: 'rating', label: 'Rating, 1 to 5' },
  { value: 'words', label: 'A word each' },
] as const
const pollsMost = 5

export function PollsDialog({ sessionId, slide, onClose }: { sessionId: string; slide: Slide; onClose: () => void }) {
  const polls = slide.polls ?? []
  const [edited, setEdited] = useState<number | null>(polls.length === 0 ? 0 : null)
  const save = (next: Poll[]) => changeSlide(sessionId, slide.id, { polls: next })
  return (
    <Dialog open title={`Polls after slide ${slide.index + 1}`} closeLabel="Close" onClose={onClose} wide>
      <p class="small muted poll-note">
        The presenter asks, waits and says what came of it. The question and its options are public; who answered what is not.
      </p>
      {edited === null ? (
        <>
          <ul class="queue">
            {polls.map((poll, at) => (
              <li key={at} class="queue-item">
                <p class="small muted">
                  {kinds.find(({ value }) => value === poll.kind)?.label}, {poll.seconds ?? 20} s
                </p>
                <p class="queue-text">
                  <bdi>{poll.question}</bdi>
                </p>
                {poll.options && (
                  <ul class="poll-options">
                    {poll.options.map((option, place) => (
                      <li key={option}>
                        <bdi>{option}</bdi>
                        {place === poll.right && <span class="chip">Right</span>}
                      </li>
                    ))}
                  </ul>
                )}
                <div class="actions">
                  <Button dense aria-label={`Edit: ${poll.question}`} onClick={() => setEdited(at)}>
                    Edit
                  </Button>
                  <Button
                    kind="quiet"
                    dense
                    aria-label={`Delete: ${poll.question}`}
                    onClick={() => void orToast(save(polls.filter((_, place) => place !== at)))}
                  >
                    Delete
                  </Button>
                </div>
              </li>
            ))}
          </ul>
          {polls.length === 0 && <p class="muted">Nothing is asked after this slide.</p>}
          <div class="actions actions-end">
            <Button kind="primary" disabled={polls.length >= pollsMost} onClick={() => setEdited(polls.length)}>
              Add a poll
            </Button>
          </div>
        </>
      ) : (
        <PollForm
          key={edited}
          poll={polls[edited]}
          onSave={async (poll) => {
            await save(edited < polls.length ? polls.with(edited, poll) : [...polls, poll])
            setEdited(null)
          }}
          onCancel={polls.length === 0 ? onClose : () => setEdited(null)}
        />
      )}
    </Dialog>
  )
}

interface PollFormProps {
  poll: Poll | undefined
  onSave(poll: Poll): Promise<void>
  onCancel(): void
}

const linesOf = (text: string) => text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))

function PollForm({ poll, onSave, onCancel }: PollFormProps) {
  const [kind, setKind] = useState<Poll['kind']>(poll?.kind ?? 'choice')
  const [options, setOptions] = useState(poll?.options?.join('\n') ?? '')
  const lines = linesOf(options)
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ question = '', seconds = '', right = '' }) {
      const isChoice = kind === 'choice'
      await onSave({
        kind,
        question,
        ...(isChoice && { options: lines }),
        ...(isChoice && right !== '' && { right: Number(right) }),
        ...(seconds !== '' && { seconds: Number(seconds) }),
      }).catch((error: unknown) => refusedForm(error, { polls: 'question' }))
    },
  })
  return (
    <form class="form" noValidate onSubmit={onSubmit}>
      <Select
        label="Kind"
        name="kind"
        value={kind}
        options={kinds}
        onChange={(event) => setKind(chosen(kinds, event.currentTarget.value) ?? 'choice')}
      />
      <TextField label="Question" name="question" required maxLength={160} defaultValue={poll?.question ?? ''} error={errors['question']} />
      {kind === 'choice' && (
        <>
          <TextArea
            label="Options"
            name="options"
            required
            rows={4}
            value={options}
            hint="One a line, 2 to 8."
            error={errors['options']}
            onInput={(event) => setOptions(event.currentTarget.value)}
          />
          <Select
            label="Right answer"
            name="right"
            value={poll?.right === undefined ? '' : String(poll.right)}
            options={[{ value: '', label: 'None: a poll' }, ...lines.map((label, at) => ({ value: String(at), label }))]}
            hint="With one it is a quiz: it is told with the results."
          />
        </>
      )}
      <TextField
        label="Seconds to answer"
        name="seconds"
        type="number"
        min={5}
        max={300}
        placeholder="20"
        defaultValue={poll?.seconds === undefined ? '' : String(poll.seconds)}
        hint="In a broadcast, after the question. A talk of one's own waits for the answer."
        error={errors['seconds']}
      />
      <FormFoot failure={failure} busy={busy} act="Save poll">
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </FormFoot>
    </form>
  )
}
