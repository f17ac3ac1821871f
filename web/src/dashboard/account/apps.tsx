// Applications that this person connected by OAuth (spec 5.5): what each calls itself, where it returns to, what it may do.
import { buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useQuery } from '../data/use-query.ts'
import { ConfirmName } from '../parts/confirm-name.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { OpenButton } from '../parts/open-button.tsx'
import { appsQuery, removeApp } from './account-queries.ts'
import type { App } from './account-wire.ts'
import { ScopeList } from './scope-list.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

const columns: readonly Column<App>[] = [
  {
    name: 'name',
    head: 'Calls itself',
    rowHead: true,
    cell: (app) => (
      <q>
        <bdi>{app.name}</bdi>
      </q>
    ),
  },
  { name: 'host', head: 'Returns to', cell: (app) => <code>{app.redirectHost}</code> },
  { name: 'scopes', head: 'May', cell: (app) => <ScopeList scopes={app.scopes} /> },
  { name: 'connected', head: 'Connected', cell: (app) => <Time at={app.createdAt} /> },
  { name: 'used', head: 'Last used', cell: (app) => (app.lastUsedAt === null ? 'Not yet' : <Time at={app.lastUsedAt} />) },
  { name: 'acts', head: 'Actions', hideHead: true, cell: (app) => <Remove app={app} /> },
]

export function Apps() {
  const apps = useQuery(appsQuery)
  return (
    <>
      <PageHead title="Settings" tab="Connected apps" />
      <SettingsTabs current="Connected apps" />
      <div class="tab-body">
        <Loaded query={apps} rows={3}>
          {(all) =>
            all.length === 0 ? (
              <Empty
                title="No connected apps"
                text="An app that signs you in here asks for your consent first. It is then listed, and you can take the consent back."
                example={['“Claude”', 'claude.ai', 'read and create sessions', 'Last used 2 hours ago']}
              >
                <a class={buttonClass()} href="/dashboard/agents">
                  Connect an agent
                </a>
              </Empty>
            ) : (
              <>
                <p class="muted table-lead">Apps that you let act for you in this account. Their names are their own words.</p>
                <Table caption="Connected apps" columns={columns} rows={all} rowKey={({ id }) => id} />
              </>
            )
          }
        </Loaded>
      </div>
    </>
  )
}

function Remove({ app }: { app: App }) {
  return (
    <div class="cell-actions">
      <OpenButton
        kind="quiet"
        dense
        aria-label={`Remove ${app.name}`}
        opens={(onClose) => (
          <ConfirmName
            act="Remove"
            title="Remove this app?"
            name={app.name}
            nameLabel="Type its name"
            onClose={onClose}
            onConfirm={() => removeApp(app.id)}
          >
            <p>Its next call is refused, and what it has open ends. It can ask for your consent again.</p>
          </ConfirmName>
        )}
      >
        Remove
      </OpenButton>
    </div>
  )
}
