// Where the host is on the way from slides to a published talk; a step that lies open can be gone back to.
import { Check } from 'lucide'
import { Icon } from '../../ui/icon.tsx'

const steps = ['Slides', 'Sound and answers', 'Publish'] as const

interface SetUpStepsProps {
  current: number
  id?: string
  isEmpty?: boolean
  isPublished?: boolean
}

export function SetUpSteps({ current, id, isEmpty, isPublished }: SetUpStepsProps) {
  return (
    <nav class="set-up-steps" aria-label="Steps">
      <ol class="set-up-list">
        {steps.map((name, index) => {
          const step = index + 1
          // Without slides there is nothing that was heard either.
          const isDone = (step < current && !isEmpty) || (isPublished === true && step !== current)
          const mark = (
            <>
              <span class="step-mark">{isDone ? <Icon of={Check} /> : step}</span> {isPublished === true && step === 3 ? 'Published' : name}
            </>
          )
          return (
            <li key={name} class={isDone ? 'set-up-done' : undefined}>
              {id === undefined || step === current ? (
                <span aria-current={step === current ? 'step' : undefined}>{mark}</span>
              ) : (
                <a href={`/dashboard/sessions/${id}/set-up?step=${step}`}>{mark}</a>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
