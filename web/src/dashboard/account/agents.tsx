// Agents that a person of this account has claimed: what each calls itself, what it may do, when it last called.
import { Button } from '../../ui/button.tsx'
import { webClock } from '../../ui/clock.ts'
import { Empty } from '../../ui/empty.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { orToast } from '../data/undoable.ts'
import { useQuery } from '../data/use-query.ts'
import { ConfirmName } from '../parts/confirm-name.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { StatusWord } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { OpenButton } from '../parts/open-button.tsx'
import { agentsQuery, revokeAgent, undoClaim } from './account-queries.ts'
import type { Agent } from './account-wire.ts'
import { ConnectAgent } from './connect-agent.tsx'
import { ScopeList } from './scope-list.tsx'

const kinds: Record<Agent['kind'], string> = {
  anonymous: 'Identity unknown',
  verified_email: 'Email verified',
  id_jag: 'Vouched for by its provider',
}

const columns: readonly Column<Agent>[] = [
  {
    name: 'name',
    head: 'Calls itself',
    rowHead: true,
    cell: (agent) => (
      <>
        <q>
          <bdi>{agent.name}</bdi>
        </q>
        <br />
        <span class="small muted">{kinds[agent.kind]}</span>
      </>
    ),
  },
  { name: 'status', head: 'Status', cell: () => <StatusWord shape="dot" word="Claimed" tone="live" /> },
  { name: 'scopes', head: 'May', cell: (agent) => <ScopeList scopes={agent.scopes} /> },
  { name: 'claimed', head: 'Claimed', cell: (agent) => <Time at={agent.claimedAt} /> },
  { name: 'used', head: 'Last call', cell: (agent) => (agent.lastUsedAt === null ? 'None yet' : <Time at={agent.lastUsedAt} />) },
  { name: 'expires', head: 'Expires', cell: (agent) => <Time day at={agent.expiresAt} /> },
  { name: 'acts', head: 'Actions', hideHead: true, cell: (agent) => <AgentActs agent={agent} /> },
]

export function Agents() {
  const agents = useQuery(agentsQuery)
  return (
    <>
      <PageHead
        title="Agents"
        lead="AI agents that registered themselves and that you or a colleague claimed. Their names are their own words."
      />
      <Loaded query={agents} rows={3}>
        {(all) =>
          all.length === 0 ? (
            <>
              <ConnectAgent />
              <Empty
                title="No agents yet"
                text="An agent that finds this service registers itself and gives you a link. Open it here while signed in, and the agent acts for your account."
                example={['“Sales Copilot”', 'Claimed', 'read and create sessions', 'Last call 2 minutes ago']}
              />
            </>
          ) : (
            <>
              <Table caption="Agents" columns={columns} rows={all} rowKey={({ id }) => id} />
              <ConnectAgent />
            </>
          )
        }
      </Loaded>
    </>
  )
}

function AgentActs({ agent }: { agent: Agent }) {
  const canUndo = Date.parse(agent.undoUntil) > webClock.now()
  return (
    <div class="cell-actions">
      {canUndo && (
        <Button
          kind="quiet"
          dense
          title="The agent goes back to what it was before, with the sessions it brought."
          onClick={() => void orToast(undoClaim(agent.id))}
        >
          Undo claim
        </Button>
      )}
      <OpenButton
        kind="quiet"
        dense
        aria-label={`Revoke ${agent.name}`}
        opens={(onClose) => (
          <ConfirmName
            act="Revoke"
            title="Revoke this agent?"
            name={agent.name}
            nameLabel="Type its name"
            onClose={onClose}
            onConfirm={() => revokeAgent(agent.id)}
          >
            <p>
              Its next call is refused. What it made stays. <strong>This cannot be undone.</strong>
            </p>
          </ConfirmName>
        )}
      >
        Revoke
      </OpenButton>
    </div>
  )
}
