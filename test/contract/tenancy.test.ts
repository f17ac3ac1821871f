// Spec 7: what belongs to one account is, for every credential of another, not there. Generated from the list of operations: an
// operation without an entry here fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '../../server/platform/operation.ts'
import type { Store } from '../../server/platform/db/store.ts'
import type { IdKind, TwoAccounts } from '../auth/two-accounts.ts'
import { send, twoAccounts } from '../auth/two-accounts.ts'
import { eventually, settle } from '../support/clock.ts'
import { everyRow } from '../support/every-row.ts'
import { allOperations } from '../support/operations.ts'
import type { Answer, TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

interface Foreign {
  /** Members of the input that name an object of an account, in the path, the query or the body. */
  ids: Readonly<Record<string, IdKind>>
  /** Whatever else a valid call has. */
  input?: Readonly<Record<string, unknown>>
  /** Members that name an object of the caller's own. */
  beside?: Readonly<Record<string, keyof TwoAccounts['own']>>
  /** A filter: to name something that is not there is no error, the answer is empty. */
  filters?: true
}

/** Members that look like an id of an account and are none. */
const notOfAnAccount: Readonly<Record<string, readonly string[]>> = {
  get_translation: ['language'],
  correct_translation: ['language'],
  stream_run: ['lastEventId'], // A place in the stream.
  restore_script: ['version'], // A number within the session.
  answer_poll: ['pollId'], // Looked up inside the run, which was checked before.
  host_run: ['questionId', 'intoId', 'pollId'], // Looked up inside the run, which was checked before.
  list_leads: ['sessionId'], // Shares its shape with the export of one session, and refuses it.
}

/** Says why an operation takes no id of an account. */
type Exempt = 'own' | 'public' | 'holder'

const own = 'own' // Acts on the account of the credential alone; its answer names nothing of another.
const open = 'public' // Reaches published talks by design, whoever asks.
const holder = 'holder' // Acts on the secret that the caller holds.

const act = '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c11'
const session = { ids: { sessionId: 'session' } } as const
const run = (input: Record<string, unknown> = {}): Foreign => ({ ids: { runId: 'run' }, input: { id: act, ...input } })
const webhook = (input: Record<string, unknown> = {}): Foreign => ({ ids: { id: 'webhook' }, input })

const entries: Readonly<Record<string, readonly Foreign[] | Exempt>> = {
  create_session: own,
  list_sessions: own,
  get_session: [session],
  update_session: [{ ...session, input: { title: 'Taken' } }],
  publish_session: [session],
  unpublish_session: [session],
  duplicate_session: [session],
  delete_session: [session],
  create_rehearsal_link: [session],
  delete_rehearsal_link: [session],
  create_recording: [
    { ...session, input: { format: 'vtt' } },
    { ids: { runId: 'run' }, beside: { sessionId: 'session' }, input: { format: 'vtt' } },
  ],
  list_recordings: [session],
  share_recording: [{ ids: { sessionId: 'session', recordingId: 'recording' }, input: { isPublic: true } }],
  get_recording: [{ ids: { sessionId: 'session', recordingId: 'recording' } }],
  plan_recording: [{ ids: { sessionId: 'session', recordingId: 'recording' } }],
  put_recording_file: [{ ids: { sessionId: 'session', recordingId: 'recording' } }],
  delete_recording: [{ ids: { sessionId: 'session', recordingId: 'recording' } }],
  view_registration: open,
  register: open,
  view_own_registration: holder,
  cancel_registration: holder,
  list_registrations: [session],
  send_held_mails: [{ ids: { sessionId: 'session' } }],
  delete_registration: [{ ids: { sessionId: 'session', registrationId: 'registration' } }],
  send_invitations: [session],
  end_mails: holder,
  want_mails: holder,
  get_mail_choices: own,
  update_mail_choices: own,
  get_usage: own,
  describe_embed: open,
  get_brand: own,
  put_brand: own,
  create_logo: own,
  put_deck: [{ ...session, input: { slides: [{ textContent: 'Taken' }] } }],
  get_deck: [session],
  update_deck: [{ ids: { sessionId: 'session' }, input: { notesAs: 'narration' } }],
  update_slide: [{ ids: { sessionId: 'session', slideId: 'slide' }, input: { title: 'Taken' } }],
  delete_slide: [{ ids: { sessionId: 'session', slideId: 'slide' } }],
  get_knowledge: [session],
  put_knowledge: [{ ...session, input: { passages: [] } }],
  add_knowledge: [session],
  put_portrait: [session],
  delete_portrait: [session],
  get_script: [session],
  put_script: [{ ...session, input: { slides: [{ slideId: act }] } }],
  lint_script: [{ ...session, input: { slides: [] } }],
  mend_script: [session],
  propose_script: [{ ids: { sessionId: 'session', slideId: 'slide' } }],
  list_script_versions: [session],
  restore_script: [{ ...session, input: { version: 1 } }],
  update_beat: [{ ids: { sessionId: 'session', beatId: 'beat' }, input: { text: 'Taken.' } }],
  say_beat: [{ ids: { sessionId: 'session', beatId: 'beat' } }],
  view_room: open,
  report_talk: open,
  join_room: open,
  stream_run: [{ ids: { runId: 'run' } }],
  ask_question: [run({ text: 'Taken?' })],
  acknowledge_beats: [run({ acks: [{ beatId: 'x.0', phase: 'started' }] })],
  control_run: [run({ action: 'pause' })],
  act_on_cta: [run({ action: 'click' })],
  leave_contact_details: [run({ email: 'x@example.org', name: 'X', consent: true, consentVersion: '1' })],
  leave_room: [run()],
  answer_poll: [run({ pollId: 'p1', choice: 0 })],
  vote_question: [{ ids: { runId: 'run', questionId: 'question' }, input: { id: act, value: 1 } }],
  transcribe_utterance: [{ ids: { runId: 'run' } }],
  get_translation: [{ ids: { runId: 'run' }, input: { language: 'de' } }],
  host_run: [run({ action: 'pause' })],
  host_speech: [{ ids: { runId: 'run' } }],
  view_recap: holder,
  view_replay: holder,
  end_recap: holder,
  list_runs: [session],
  get_transcript: [{ ids: { sessionId: 'session', runId: 'run' } }],
  search_transcripts: [
    { ...session, input: { q: 'cost' } },
    { ids: { runId: 'run' }, beside: { sessionId: 'session' }, input: { q: 'cost' }, filters: true },
  ],
  list_questions: [session, { ids: { runId: 'run' }, beside: { sessionId: 'session' }, filters: true }],
  start_rehearsal: [session],
  get_rehearsal: [{ ids: { sessionId: 'session', rehearsalId: 'rehearsal' } }],
  try_session: [session],
  get_session_analytics: [session],
  list_analytics: own,
  list_voices: [session],
  list_translations: [session],
  correct_translation: [{ ids: { sessionId: 'session' }, input: { language: 'de', original: 'Grid', text: 'Netz' } }],
  list_attendees: [session],
  create_webhook: [{ ids: { session_id: 'session' }, input: { url: 'https://hooks.example.com/x', event_types: ['session.created'] } }],
  list_webhooks: own,
  get_webhook: [webhook()],
  update_webhook: [webhook({ description: 'Taken' }), { ids: { session_id: 'session' }, beside: { id: 'webhook' } }],
  delete_webhook: [webhook()],
  delete_webhook_at_path: [webhook()],
  rotate_webhook_secret: [webhook()],
  test_webhook: [webhook()],
  list_deliveries: [webhook()],
  get_delivery: [{ ids: { deliveryId: 'delivery' } }],
  redeliver: [{ ids: { deliveryId: 'delivery' } }],
  recover_webhook: [webhook({ since: '2026-11-20T00:00:00.000Z' })],
  list_event_types: own,
  export_leads: [session],
  list_leads: own,
  update_lead: [{ ids: { sessionId: 'session', leadId: 'lead' } }],
  erase_person: own,
  delete_lead: [{ ids: { sessionId: 'session', leadId: 'lead' } }],
  discover_sessions: open,
  pap_query_presenter: open,
  submit_attendee_lead: open,
  register_agent: own,
  claim_agent: holder,
  get_registration: holder,
  renew_registration: holder,
  revoke_credential: holder,
  get_account: own,
  update_account: own,
  switch_account: [{ ids: { accountId: 'account' } }],
  create_key: own,
  list_keys: own,
  update_key: [{ ids: { keyId: 'key' }, input: { name: 'Taken' } }],
  rotate_key: [{ ids: { keyId: 'key' } }],
  revoke_key: [{ ids: { keyId: 'key' } }],
  list_agents: own,
  get_agent: [{ ids: { agentId: 'agent' } }],
  revoke_agent: [{ ids: { agentId: 'agent' } }],
  undo_claim: [{ ids: { agentId: 'agent' } }],
  list_apps: own,
  revoke_app: [{ ids: { grantId: 'grant' } }],
  list_sign_ins: own,
  end_sign_ins: own,
  end_sign_in: [{ ids: { signInId: 'signIn' } }],
  set_password: own,
  change_email: own,
  list_members: own,
  update_member: [{ ids: { userId: 'user' }, input: { role: 'member' } }],
  remove_member: [{ ids: { userId: 'user' } }],
  create_invitation: own,
  list_invitations: own,
  delete_invitation: [{ ids: { invitationId: 'invitation' } }],
  list_audit: own,
}

test('every operation says which ids of an account it takes, and every id it takes is tried', () => {
  assert.deepEqual(Object.keys(entries).toSorted(), allOperations.map(({ name }) => name).toSorted())
  for (const { name, http, input } of allOperations) {
    const entry = entries[name] ?? own
    if (typeof entry === 'string' && entry !== own) continue
    const tried = new Set(typeof entry === 'string' ? [] : entry.flatMap(({ ids }) => Object.keys(ids)))
    const members = 'shape' in input && typeof input.shape === 'object' && input.shape !== null ? Object.keys(input.shape) : []
    const named = [...(http?.path ?? '').matchAll(/\{(\w+)\}/g)].map(([, member = '']) => member)
    const places = notOfAnAccount[name] ?? []
    for (const member of [...named, ...members.filter((each) => /(Id|_id)$/.test(each))]) {
      assert.ok(places.includes(member) || tried.has(member), `${name} takes ${member}: say of what, and it is tried`)
    }
  }
})

/** A call as a client makes it: path parameters in the path, the rest in the query or the body. */
function call(
  app: TestService,
  world: TwoAccounts,
  { access, http }: Operation,
  input: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  assert.ok(http !== undefined)
  const rest: Record<string, unknown> = { ...input }
  let path = http.path.replaceAll(/\{(\w+)\}/g, (_, member: string) => {
    const value = String(rest[member])
    delete rest[member]
    return encodeURIComponent(value)
  })
  const hasBody = http.method !== 'GET' && http.method !== 'DELETE'
  if (!hasBody) path += `?${new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)])).toString()}`
  const body = hasBody ? rest : undefined
  if (access.type === 'sign_in') return send(app, world.person, http.method, path, body)
  // What takes files alone is sent one.
  if (http.bodyTypes?.includes('application/json') === false) {
    const token = access.type === 'attendee' ? world.attendee : world.key
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' }
    return app.request(path, { method: http.method, headers, body: 'RIFF' })
  }
  return app.api(http.method, path, body, access.type === 'attendee' ? world.attendee : world.key)
}

/** Another id of the same shape that nobody has. */
function unknown(id: string): string {
  const changed = id.replaceAll(/[0-9a-f]{8}(?![0-9a-f])/gi, (digits) => digits.replaceAll(/./g, (digit) => (digit === 'e' ? 'd' : 'e')))
  return changed === id ? id.split('').toReversed().join('') : changed
}

const essence = ({ status, body }: Answer) => ({ status, code: body?.code, detail: body?.detail, errors: body?.errors })

/** Every row of every table, but those that any call writes: limits, acts, times of use, what was said in the caller's own run. */
async function everything(store: Store, ownRun: string): Promise<Map<string, string>> {
  const tables = [...(await everyRow(store))].filter(([name]) => !/^(rate_limits|audit|migrations|leases|jobs|nodes)/.test(name))
  const shown = tables.map(([name, rows]) => {
    const lines = rows.map(({ last_used_at: _used, seen_at: _seen, ...row }) => JSON.stringify(row))
    const others = lines.filter((line) => name !== 'run_commands' || !line.includes(ownRun))
    return [name, others.toSorted().join('\n')] as const
  })
  return new Map(shown)
}

eachStore((_, store) => {
  test('two accounts, every operation, every id: 404 as for an unknown id, and nothing has changed', () =>
    withService(store, async (app) => {
      const world = await twoAccounts(app)
      // Both questions are answered by now, or are being answered in the background.
      await eventually(async () => {
        const traces = await app.store.read.selectFrom('run_events').select('seq').where('type', '=', 'trace').execute()
        return traces.length === 2
      })
      await settle()
      const before = await everything(app.store, world.own.run)
      let tried = 0
      for (const operation of allOperations) {
        const entry = entries[operation.name] ?? own
        for (const { ids, input = {}, beside = {}, filters } of typeof entry === 'string' ? [] : entry) {
          const ours = Object.fromEntries(Object.entries(beside).map(([member, kind]) => [member, world.own[kind]]))
          const withIds = (idOf: (kind: IdKind) => string) => {
            const theirs = Object.fromEntries(Object.entries(ids).map(([member, kind]) => [member, idOf(kind)]))
            return call(app, world, operation, { ...input, ...ours, ...theirs })
          }
          const missing = await withIds((kind) => unknown(world.owned[kind]))
          const attempts = [
            await withIds((kind) => world.owned[kind]),
            await withIds((kind) => world.owned[kind].toUpperCase()),
            // Inside an object of one's own, the foreign one is not there either.
            ...(Object.keys(ids).length > 1
              ? [
                  await withIds((kind) =>
                    (kind === 'session' || kind === 'run') && Object.values(ids)[0] === kind ? world.own[kind] : world.owned[kind],
                  ),
                ]
              : []),
          ]
          for (const [index, answer] of attempts.entries()) {
            const words = `${operation.name} ${JSON.stringify(ids)}, attempt ${index}: ${answer.status} ${answer.text.slice(0, 300)}`
            tried++
            if (filters === true) assert.deepEqual([answer.status, answer.body.count], [200, 0], words)
            else assert.equal(answer.status, 404, words)
            if (index < 2) assert.deepEqual(essence(answer), essence(missing), words)
            for (const id of Object.values(world.owned)) assert.ok(!answer.text.includes(id), words)
          }
        }
      }
      assert.ok(tried > 100, `${tried} calls`)
      assert.deepEqual(await everything(app.store, world.own.run), before)
    }))

  test('what an account lists names nothing of another', () =>
    withService(store, async (app) => {
      const world = await twoAccounts(app)
      for (const operation of allOperations) {
        if (entries[operation.name] !== own || !operation.effects.readOnly) continue
        const answer = await call(app, world, operation, {})
        assert.equal(answer.status, 200, `${operation.name}: ${answer.text}`)
        for (const [kind, id] of Object.entries(world.owned))
          assert.ok(!answer.text.includes(id), `${operation.name} names a foreign ${kind}`)
      }
    }))
})
