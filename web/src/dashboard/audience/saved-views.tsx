// Filters that a host comes back to, by name, kept with the account.
import { Bookmark, X } from 'lucide'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { call } from '../data/api.ts'
import { accountQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { refresh, useQuery } from '../data/use-query.ts'
import type { Account } from '../data/wire.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { OpenButton } from '../parts/open-button.tsx'

async function keep(peopleViews: Account['peopleViews']): Promise<void> {
  await call('update_account', { peopleViews })
  await refresh('account')
}

export function SavedViews({ query, href }: { query: Record<string, string>; href: (kept: string) => string }) {
  const views = useQuery(accountQuery).data?.peopleViews ?? []
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
        <OpenButton
          kind="quiet"
          dense
          opens={(onClose) => (
            <FormDialog
              act="Save view"
              words={() => 'Give it a name.'}
              submit={({ name = '' }) => keep([...views.filter((view) => view.name !== name), { name, query: here }])}
              onClose={onClose}
            >
              {(errors) => (
                <TextField
                  label="Name"
                  name="name"
                  required
                  maxLength={40}
                  hint="Kept with the account: your colleagues see it too."
                  error={errors['name']}
                />
              )}
            </FormDialog>
          )}
        >
          <Icon of={Bookmark} />
          Save view
        </OpenButton>
      )}
    </div>
  )
}
