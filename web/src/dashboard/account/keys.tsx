// API keys: long-lived credentials for code, each shown once when made (Spec 5.2).
import { webClock } from '../../ui/clock.ts'
import { Empty } from '../../ui/empty.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { call } from '../data/api.ts'
import { keysQuery } from '../data/queries.ts'
import { refresh, useQuery } from '../data/use-query.ts'
import type { ApiKey } from '../data/wire.ts'
import { ConfirmName } from '../parts/confirm-name.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { OpenButton } from '../parts/open-button.tsx'
import { CreateKey } from './create-key.tsx'
import { RotateKey } from './rotate-key.tsx'
import { ScopeList } from './scope-list.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

const dayMs = 86_400_000

/** Thirty days without a call: worth asking whether it is still needed. */
const isUnused = ({ lastUsedAt, createdAt }: ApiKey): boolean => webClock.now() - Date.parse(lastUsedAt ?? createdAt) > 30 * dayMs

const isOver = ({ expiresAt }: ApiKey): boolean => expiresAt !== null && Date.parse(expiresAt) <= webClock.now()

function Expiry({ apiKey }: { apiKey: ApiKey }) {
  const { expiresAt, replacedBy } = apiKey
  if (expiresAt === null) return <>Never</>
  if (isOver(apiKey)) return <span class="chip chip-red">Expired</span>
  if (replacedBy === null) return <Time day at={expiresAt} />
  return (
    <>
      <span class="chip chip-amber key-unused">Replaced</span>
      <span class="small">
        ends <Time at={expiresAt} />
      </span>
    </>
  )
}

const columns: readonly Column<ApiKey>[] = [
  { name: 'name', head: 'Name', rowHead: true, cell: (key) => <bdi>{key.name}</bdi> },
  { name: 'key', head: 'Key', cell: (key) => <code>rst_live_...{key.last4}</code> },
  { name: 'scopes', head: 'May', cell: (key) => <ScopeList scopes={key.scopes} /> },
  { name: 'created', head: 'Created', cell: (key) => <Time day at={key.createdAt} /> },
  {
    name: 'used',
    head: 'Last used',
    cell: (key) => (
      <>
        {key.lastUsedAt === null ? 'Never' : <Time at={key.lastUsedAt} />}
        {isUnused(key) && <span class="chip chip-amber key-unused">Unused for 30 days</span>}
      </>
    ),
  },
  { name: 'expires', head: 'Expires', cell: (key) => <Expiry apiKey={key} /> },
  {
    name: 'acts',
    head: 'Actions',
    hideHead: true,
    cell: (key) => (
      <div class="cell-actions">
        {key.replacedBy === null && !isOver(key) && <Rotate apiKey={key} />}
        <Revoke apiKey={key} />
      </div>
    ),
  },
]

export function Keys() {
  const keys = useQuery(keysQuery)
  const create = (onClose: () => void) => <CreateKey onClose={onClose} />
  return (
    <>
      <PageHead
        title="Settings"
        tab="API keys"
        actions={
          <OpenButton kind="primary" opens={create}>
            Create key
          </OpenButton>
        }
      />
      <SettingsTabs current="API keys" />
      <div class="tab-body">
        <Loaded query={keys} rows={3}>
          {(all) =>
            all.length === 0 ? (
              <Empty
                title="No keys yet"
                text="A key lets your code, or an AI agent you set up yourself, use the HTTP API and the MCP server in your name."
                example={['CRM sync', 'rst_live_...x7k2', 'read sessions and leads', 'Last used 2 hours ago']}
              >
                <OpenButton opens={create}>Create key</OpenButton>
              </Empty>
            ) : (
              <Table caption="API keys" columns={columns} rows={all} rowKey={({ id }) => id} />
            )
          }
        </Loaded>
      </div>
    </>
  )
}

async function revoke(keyId: string): Promise<void> {
  await call('revoke_key', { keyId })
  await refresh('keys')
}

function Rotate({ apiKey }: { apiKey: ApiKey }) {
  return (
    <OpenButton
      kind="quiet"
      dense
      aria-label={`Rotate ${apiKey.name}`}
      opens={(onClose) => <RotateKey apiKey={apiKey} onClose={onClose} />}
    >
      Rotate
    </OpenButton>
  )
}

function Revoke({ apiKey }: { apiKey: ApiKey }) {
  return (
    <>
      <OpenButton
        kind="quiet"
        dense
        aria-label={`Revoke ${apiKey.name}`}
        opens={(onClose) => (
          <ConfirmName
            act="Revoke"
            title="Revoke this key?"
            name={apiKey.name}
            nameLabel="Type its name"
            onClose={onClose}
            onConfirm={() => revoke(apiKey.id)}
          >
            <p>
              Code that uses it is refused from its next call, and webhooks it made stop. <strong>This cannot be undone.</strong>
            </p>
          </ConfirmName>
        )}
      >
        Revoke
      </OpenButton>
    </>
  )
}
