// Who did what in this account, newest first: sign-ins, keys, agents, members, apps, webhooks.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { keysQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { useQuery } from '../data/use-query.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { endpointsQuery } from '../webhooks/webhook-queries.ts'
import { agentsQuery, auditQuery, membersQuery, readAudit } from './account-queries.ts'
import type { AuditEntry, AuditPage } from './account-wire.ts'
import { wordsForAct, wordsForActor, wordsForDetail } from './audit-words.ts'
import { ForAdmins } from './for-admins.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

export function Audit() {
  return (
    <>
      <PageHead title="Settings" tab="Audit log" />
      <SettingsTabs current="Audit log" />
      <div class="tab-body">
        <ForAdmins sees="the audit log">{() => <Log />}</ForAdmins>
      </div>
    </>
  )
}

function Log() {
  const first = useQuery(auditQuery)
  const [older, setOlder] = useState<readonly AuditPage[]>([])
  const names = useNames()
  const columns: readonly Column<AuditEntry>[] = [
    { name: 'at', head: 'When', cell: (entry) => <Time at={entry.at} /> },
    { name: 'who', head: 'Who', cell: (entry) => <bdi>{wordsForActor(entry, names)}</bdi> },
    { name: 'act', head: 'What', rowHead: true, cell: (entry) => wordsForAct(entry.action) },
    { name: 'detail', head: 'Which', cell: (entry) => <div class="cell-words">{wordsForDetail(entry, names)}</div> },
    { name: 'network', head: 'Network', cell: (entry) => entry.network !== null && <code>{entry.network}</code> },
  ]
  return (
    <Loaded query={first} rows={8}>
      {(page) => {
        const pages = [page, ...older]
        const rows = pages.flatMap(({ entries }) => entries)
        const cursor = pages.at(-1)?.nextCursor
        if (rows.length === 0)
          return <Empty title="Nothing yet" text="Sign-ins, keys, agents and changes of members will be listed here." />
        const more = async (from: string) => setOlder([...older, await readAudit(from)])
        return (
          <>
            <Table caption="Audit log" columns={columns} rows={rows} rowKey={({ id }) => id} />
            <div class="table-foot">
              {cursor !== undefined && (
                <div class="actions">
                  <Button onClick={() => void orToast(more(cursor))}>Show older</Button>
                </div>
              )}
              <p class="muted small">Kept for 400 days. Networks are cut, so that they name no single device.</p>
            </div>
          </>
        )
      }}
    </Loaded>
  )
}

/** The names of the people, keys and agents of the account, by id. */
function useNames(): ReadonlyMap<string, string> {
  const [members, keys, agents, hooks] = [useQuery(membersQuery), useQuery(keysQuery), useQuery(agentsQuery), useQuery(endpointsQuery)]
  return new Map([
    ...(members.data ?? []).map(({ userId, name }) => [userId, name] as const),
    ...(keys.data ?? []).map(({ id, name }) => [id, `Key “${name}”`] as const),
    ...(agents.data ?? []).map(({ id, name }) => [id, `Agent “${name}”`] as const),
    ...(hooks.data ?? []).map(({ id, url }) => [id, new URL(url).host] as const),
  ])
}
