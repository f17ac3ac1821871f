// Filters that a host comes back to, by name, kept with the account.
import { Bookmark, X } from 'lucide'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useForm } from '../../ui/use-form.ts'
import { call } from '../data/api.ts'
import { accountQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { refresh, useQuery } from '../data/use-query.ts'
import type { Account } from '../data/wire.ts'
import { refusedForm } from '../parts/form-errors.ts'
import { FormFoot } from '../parts/form-foot.tsx'

async function keep(peopleViews: Account['peopleViews']): Promise<void> {
  await call('update_account', { peopleViews })
  await refresh('account')
}

export function SavedViews({ query, href }: { query: Record<string, string>; href: (kept: string) => string }) {
  const views = useQuery(accountQuery).data?.peopleViews ?? []
  const [isNaming, setNaming] = useState(false)
  const { person: _, ...wanted } = query
  const here = new URLSearchParams(wanted).toString()
  const isKept = views.some((view) => view.query === here)
  if (views.length === 0 && here === '') return null
  return (
    <div class="views" role="group" aria-label="Saved views">
      {views.map((view) => (
        <span key={view.name} class="view">
          <a class="chip" href={href(view.query)} aria-current={view.query === here ? 'true' : undefined}>
            {view.name}
          </a>
          <Button
            kind="quiet"
            dense
            aria-label={`Forget the view ${view.name}`}
            onClick={() => void orToast(keep(views.filter((one) => one !== view)))}
          >
            <Icon of={X} />
          </Button>
        </span>
      ))}
      {here !== '' && !isKept && (
        <Button kind="quiet" dense onClick={() => setNaming(true)}>
          <Icon of={Bookmark} />
          Save view
        </Button>
      )}
      {isNaming && (
        <NameView
          onClose={() => setNaming(false)}
          onSave={(name) => keep([...views.filter((view) => view.name !== name), { name, query: here }])}
        />
      )}
    </div>
  )
}

function NameView({ onSave, onClose }: { onSave: (name: string) => Promise<void>; onClose: () => void }) {
  const { errors, failure, busy, onSubmit } = useForm({
    words: () => 'Give it a name.',
    async submit({ name = '' }) {
      await onSave(name).catch((error: unknown) => refusedForm(error))
      onClose()
    },
  })
  return (
    <Dialog open title="Save view" closeLabel="Cancel" onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit}>
        <TextField
          label="Name"
          name="name"
          required
          maxLength={40}
          hint="Kept with the account: your colleagues see it too."
          error={errors['name']}
        />
        <FormFoot failure={failure} busy={busy} act="Save view" />
      </form>
    </Dialog>
  )
}
