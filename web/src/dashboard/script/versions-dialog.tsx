// What the script said at each save, to be brought back; what is there now stays among the versions.
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { restoreVersion } from '../deck/deck-acts.ts'
import { plural } from '../parts/format.ts'
import { Loaded } from '../parts/loaded.tsx'
import { versionsQuery } from '../data/queries.ts'
import { Time } from '../parts/time.tsx'
import { orToast } from '../data/undoable.ts'
import { refresh, useQuery } from '../data/use-query.ts'
import type { ScriptVersion } from '../data/wire.ts'
import type { Editing } from './use-script.ts'

const reasons: Record<ScriptVersion['reason'], string> = {
  before: 'As it was before',
  saved: 'Saved',
  mended: 'Fixed',
  restored: 'Brought back',
}

export function VersionsDialog({ sessionId, editing, onClose }: { sessionId: string; editing: Editing; onClose: () => void }) {
  const query = useQuery(versionsQuery(sessionId))
  const restore = (version: number) =>
    orToast(
      restoreVersion(sessionId, version, editing.base.tag).then(async (now) => {
        editing.adopt(now)
        await refresh('session', sessionId, 'script-versions')
        onClose()
      }),
    )
  return (
    <Dialog open title="Versions" closeLabel="Close" onClose={onClose}>
      <Loaded query={query} rows={4}>
        {(versions) =>
          versions.length === 0 ? (
            <p class="muted">No version yet: each time you save the script, what it says is kept here.</p>
          ) : (
            <>
              {editing.isChanged && <p class="note note-amber small">What you have not saved is replaced. Undo brings it back.</p>}
              <ol class="version-list">
                {versions.map(({ version, reason, changedSlides, savedAt }, index) => (
                  <li key={version} class="version-row">
                    <span>
                      {reasons[reason]}
                      {changedSlides > 0 && `, ${plural(changedSlides, 'slide')} changed`}
                      <span class="small muted">
                        {' '}
                        <Time at={savedAt} />
                      </span>
                    </span>
                    {index === 0 ? (
                      <span class="small muted">the latest</span>
                    ) : (
                      <Button dense aria-label={`Bring back version ${version}`} onClick={() => void restore(version)}>
                        Bring back
                      </Button>
                    )}
                  </li>
                ))}
              </ol>
            </>
          )
        }
      </Loaded>
    </Dialog>
  )
}
