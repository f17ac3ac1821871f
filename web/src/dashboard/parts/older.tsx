// What stands below a list that is longer than what was read of it: how much is shown, and a way to the rest.
import { Button } from '../../ui/button.tsx'
import { type Listing, readOlder } from '../data/queries.ts'
import { useBusy } from '../data/undoable.ts'
import type { Query } from '../data/use-query.ts'
import { count } from './format.ts'

export interface OlderProps {
  list: Listing<unknown>
  /** Of the rows, in the plural. */
  what: string
  query: Pick<Query<unknown>, 'queryKey'>
  /** Where else all of them are. */
  also?: string
}

export function Older({ list, what, query, also }: OlderProps) {
  const [isBusy, run] = useBusy()
  if (list.isWhole) return null
  return (
    <div class="note older">
      <p>
        The newest {count(list.rows.length)} {what} are shown, counted and searched. {also}
      </p>
      <Button dense busy={isBusy} onClick={() => void run(readOlder(query))}>
        Show older {what}
      </Button>
    </div>
  )
}
