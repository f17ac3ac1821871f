// Who works in this account, in what role; and invitations, whose link is shown once.
import { Button } from '../../ui/button.tsx'
import { chosen, Select, TextField } from '../../ui/field.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { accountQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { useQuery } from '../data/use-query.ts'
import type { Role } from '../data/wire.ts'
import { ConfirmName } from '../parts/confirm-name.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { PageHead } from '../parts/page.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Time } from '../parts/time.tsx'
import { OpenButton } from '../parts/open-button.tsx'
import { changeRole, invitationsQuery, invite, membersQuery, removeMember, withdrawInvitation } from './account-queries.ts'
import { type Invitation, type Member, roleChoices, roleWords } from './account-wire.ts'
import { ForAdmins } from './for-admins.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

export function Members() {
  const account = useQuery(accountQuery)
  const mayManage = account.data !== undefined && account.data.role !== 'member'
  return (
    <>
      <PageHead
        title="Settings"
        tab="Members"
        actions={
          mayManage && (
            <OpenButton kind="primary" opens={(onClose) => account.data && <Invite role={account.data.role} onClose={onClose} />}>
              Invite
            </OpenButton>
          )
        }
      />
      <SettingsTabs current="Members" />
      <div class="tab-body">
        <ForAdmins sees="and changes the members">
          {({ user, role }) => (
            <>
              <MemberTable me={user.id} role={role} />
              <Invitations />
            </>
          )}
        </ForAdmins>
      </div>
    </>
  )
}

/** An admin gives every role but owner. */
const choicesOf = (role: Role) => roleChoices.filter(({ value }) => role === 'owner' || value !== 'owner')

function MemberTable({ me, role }: { me: string; role: Role }) {
  const members = useQuery(membersQuery)
  const columns: readonly Column<Member>[] = [
    { name: 'name', head: 'Name', rowHead: true, cell: (member) => <bdi>{member.name}</bdi> },
    { name: 'email', head: 'Email', cell: (member) => member.email },
    {
      name: 'role',
      head: 'Role',
      cell: (member) =>
        member.userId === me || (member.role === 'owner' && role !== 'owner') ? (
          roleWords[member.role]
        ) : (
          <select
            class="input filter"
            aria-label={`Role of ${member.name}`}
            onChange={({ currentTarget: select }) =>
              void orToast(changeRole(member.userId, chosen(roleChoices, select.value) ?? member.role), () => {
                select.value = member.role
              })
            }
          >
            {choicesOf(role).map(({ value }) => (
              <option key={value} value={value} selected={value === member.role}>
                {roleWords[value]}
              </option>
            ))}
          </select>
        ),
    },
    { name: 'joined', head: 'Joined', cell: (member) => <Time day at={member.joinedAt} /> },
    { name: 'acts', head: 'Actions', hideHead: true, cell: (member) => (member.userId === me ? null : <Remove member={member} />) },
  ]
  return (
    <Loaded query={members}>{(all) => <Table caption="Members" columns={columns} rows={all} rowKey={({ userId }) => userId} />}</Loaded>
  )
}

function Remove({ member }: { member: Member }) {
  return (
    <div class="cell-actions">
      <OpenButton
        kind="quiet"
        dense
        aria-label={`Remove ${member.name}`}
        opens={(onClose) => (
          <ConfirmName
            act="Remove"
            title={`Remove ${member.name}?`}
            name={member.email}
            nameLabel="Type the email address"
            onClose={onClose}
            onConfirm={() => removeMember(member.userId)}
          >
            <p>Their keys and connected apps for this account stop at once. Sessions they made stay.</p>
          </ConfirmName>
        )}
      >
        Remove
      </OpenButton>
    </div>
  )
}

const invitationColumns: readonly Column<Invitation>[] = [
  { name: 'email', head: 'Email', rowHead: true, cell: ({ email }) => email },
  { name: 'role', head: 'Role', cell: ({ role }) => roleWords[role] },
  { name: 'expires', head: 'Link ends', cell: ({ expiresAt }) => <Time day at={expiresAt} /> },
  {
    name: 'acts',
    head: 'Actions',
    hideHead: true,
    cell: ({ id, email }) => (
      <div class="cell-actions">
        <Button kind="quiet" dense aria-label={`Withdraw the invitation of ${email}`} onClick={() => void orToast(withdrawInvitation(id))}>
          Withdraw
        </Button>
      </div>
    ),
  },
]

function Invitations() {
  const invitations = useQuery(invitationsQuery)
  if (invitations.data === undefined || invitations.data.length === 0) return null
  return (
    <section class="section" aria-labelledby="invitations">
      <h2 id="invitations">Invited</h2>
      <Table caption="Open invitations" columns={invitationColumns} rows={invitations.data} rowKey={({ id }) => id} />
    </section>
  )
}

function Invite({ role, onClose }: { role: Role; onClose: () => void }) {
  /** Where the link is mailed there is nothing to hand over. */
  const make = async ({ email = '', role: as }: Record<string, string>) => {
    const { url, mail } = await invite(email, chosen(roleChoices, as) ?? 'member')
    if (url !== null) return url
    const told =
      mail === 'sent'
        ? `An invitation was mailed to ${email}.`
        : `The mail server takes its time: the invitation of ${email} is tried again.`
    showToast({ text: told })
    return null
  }
  return (
    <FormDialog
      act="Invite"
      submit={make}
      shown={(link) => (
        <ShownOnce
          title="Invitation"
          secret={link}
          warning="Send this link to the person. It is shown once, works once, for this address alone, within 7 days."
          onClose={onClose}
        />
      )}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextField label="Email" name="email" type="email" required autofocus error={errors['email']} />
          <Select label="Role" name="role" value="member" options={choicesOf(role)} error={errors['role']} />
        </>
      )}
    </FormDialog>
  )
}
