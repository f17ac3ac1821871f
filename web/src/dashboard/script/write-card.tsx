// "Write it": a model proposes better words for the whole talk. Where none is configured, the card says what to configure.
import { Button } from '../../ui/button.tsx'
import { Checkbox, chosen, Select } from '../../ui/field.tsx'
import { type Proposals, tones, type Wish } from './use-proposals.ts'

export interface WriteCardProps {
  isOff: boolean
  proposals: Proposals
  slideIds: readonly string[]
  wish: Wish
  onWish(wish: Wish): void
}

export function WriteCard({ isOff, proposals, slideIds, wish, onWish }: WriteCardProps) {
  if (isOff) {
    return (
      <section class="card write-card" aria-labelledby="write-it">
        <h2 id="write-it">Write it with a model</h2>
        <p class="small">
          No language model is set up here, so the text is compiled from your slides and background. With one, it proposes better words for
          each sentence, in a tone you choose, and you take or leave them.
        </p>
        <p class="small">
          Whoever runs this service sets <code>ROSTRUM_LLM</code>: a hosted model with its key, <code>llama:name</code> for one on this
          machine, or <code>compatible:name@address</code> for any other server. <a href="/docs/models">How to set up a model</a>
        </p>
      </section>
    )
  }
  const { progress, told } = proposals
  return (
    <section class="card write-card" aria-labelledby="write-it">
      <h2 id="write-it">Write it with the model</h2>
      <p class="small muted">Each sentence it proposes is checked against your slides. Nothing changes until you take it.</p>
      <Select
        label="Tone"
        name="tone"
        value={wish.tone}
        options={tones}
        onChange={(event) => onWish({ ...wish, tone: chosen(tones, event.currentTarget.value) ?? 'plain' })}
      />
      <Checkbox
        label="It may read my private notes, for the tone. They are sent to its provider and never said."
        name="withNotes"
        checked={wish.withNotes}
        onChange={(withNotes) => onWish({ ...wish, withNotes })}
      />
      <div class="actions">
        {progress === null ? (
          <Button dense onClick={() => proposals.write(slideIds, wish)}>
            Write it
          </Button>
        ) : (
          <Button dense onClick={proposals.stop}>
            Stop writing
          </Button>
        )}
        <p class="small muted" role="status">
          {progress === null ? told : `Writing: ${progress.done} of ${progress.total} slides`}
        </p>
      </div>
    </section>
  )
}
