// The browsers in which this person is signed in.
import { Button } from '../../ui/button.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { orToast } from '../data/undoable.ts'
import { useQuery } from '../data/use-query.ts'
import { browserName } from '../parts/browser-name.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Time } from '../parts/time.tsx'
import { endOtherSignIns, endSignIn, signInsQuery } from './account-queries.ts'
import type { SignIn } from './account-wire.ts'

const columns: readonly Column<SignIn>[] = [
  { name: 'label', head: 'Browser', rowHead: true, cell: (signIn) => <bdi title={signIn.label}>{browserName(signIn.label)}</bdi> },
  { name: 'network', head: 'Network', cell: (signIn) => <code>{signIn.network}</code> },
  { name: 'since', head: 'Since', cell: (signIn) => <Time at={signIn.createdAt} /> },
  { name: 'seen', head: 'Last seen', cell: (signIn) => (signIn.isCurrent ? 'This browser' : <Time at={signIn.seenAt} />) },
  {
    name: 'acts',
    head: 'Actions',
    hideHead: true,
    cell: (signIn) =>
      signIn.isCurrent ? null : (
        <div class="cell-actions">
          <Button
            kind="quiet"
            dense
            aria-label={`Sign out ${browserName(signIn.label)}`}
            onClick={() => void orToast(endSignIn(signIn.id))}
          >
            Sign out
          </Button>
        </div>
      ),
  },
]

export function SignIns() {
  const signIns = useQuery(signInsQuery)
  return (
    <section class="section" aria-labelledby="sign-ins">
      <h2 id="sign-ins">Where you are signed in</h2>
      <Loaded query={signIns} rows={2}>
        {(all) => (
          <>
            <Table caption="Sign-ins" columns={columns} rows={all} rowKey={({ id }) => id} />
            {all.length > 1 && (
              <div class="table-foot">
                <div class="actions">
                  <Button onClick={() => void orToast(endOtherSignIns())}>Sign out everywhere else</Button>
                </div>
              </div>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}
