// Writing one passage of knowledge: new, changed, or as the answer to a question that had none.
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { refusedForm } from '../parts/form-errors.ts'
import type { PassageDraft } from './knowledge-acts.ts'

export interface PassageFormProps {
  passage?: { title?: string | undefined; content: string }
  /** The words of the button that sends it. */
  act: string
  onSave: (passage: Omit<PassageDraft, 'id'>) => Promise<void>
  onClose: () => void
}

export function PassageForm({ passage, act, onSave, onClose }: PassageFormProps) {
  const { errors, failure, busy, onSubmit } = useForm({
    words: (field) => (field.validity.valueMissing ? 'Write what the presenter may say.' : undefined),
    async submit({ title = '', content = '' }) {
      await onSave({ content, ...(title === '' ? {} : { title }) }).catch((error: unknown) => refusedForm(error, { passages: 'content' }))
      onClose()
    },
  })
  return (
    <form class="form passage-form" noValidate onSubmit={onSubmit}>
      <TextField
        label="Heading"
        name="title"
        defaultValue={passage?.title ?? ''}
        maxLength={200}
        hint="Optional; shown as the source of an answer."
        error={errors['title']}
      />
      <TextArea
        label="Passage"
        name="content"
        defaultValue={passage?.content ?? ''}
        required
        rows={4}
        maxLength={50_000}
        hint="The presenter quotes it word for word, so write it as it should be said."
        error={errors['content'] ?? failure}
        autofocus
      />
      <div class="actions">
        <Button kind="primary" dense type="submit" busy={busy}>
          {act}
        </Button>
        <Button kind="quiet" dense onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
