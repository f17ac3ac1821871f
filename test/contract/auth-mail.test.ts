// Mailed links: recovery that tells nothing about who exists, invitations, and a new address that its own person confirms; over a
// server that speaks SMTP, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { changeEmail } from '../../server/accounts/change-email.ts'
import { createInvitation } from '../../server/accounts/invitations.ts'
import { getAccount } from '../../server/accounts/account.ts'
import { createMailer, mailKind } from '../../server/accounts/mail.ts'
import { recoveryJob, recoveryKind } from '../../server/accounts/new-password.ts'
import { createJobs, type Jobs } from '../../server/platform/db/jobs.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { person, refused } from '../auth/agents.ts'
import type { AuthWorld, Browser } from '../auth/support.ts'
import { authWorld, owner } from '../auth/support.ts'
import { eventually, manualClock } from '../support/clock.ts'
import { seededIds } from '../support/ids.ts'
import type { SmtpServer } from '../support/smtp-server.ts'
import { linkIn, openSmtpServer } from '../support/smtp-server.ts'
import { eachStore } from '../support/stores.ts'

const stranger = 'nobody@example.com'

interface MailWorld {
  world: AuthWorld
  server: SmtpServer
  failures: string[]
  jobs: Jobs
}

async function withMail(store: Store, work: (rig: MailWorld) => Promise<void>, isWorking = true): Promise<void> {
  const server = await openSmtpServer()
  const clock = manualClock()
  const failures: string[] = []
  const onFailure = (error: Error) => failures.push(error.message)
  const kept = { store, clock, ids: seededIds() }
  const url = `smtp://127.0.0.1:${server.port}`
  const mail = createMailer({ ...kept, url, from: 'talks@example.com', secrets: ['secret'], onFailure })
  const world = authWorld(store, { clock, mail })
  const kinds = { [mailKind]: mail.job, [recoveryKind]: recoveryJob(world.deps, mail) }
  const jobs = createJobs({ ...kept, kinds, isAlone: true, onFailure: () => undefined })
  if (isWorking) await jobs.start()
  try {
    await work({ world, server, failures, jobs })
  } finally {
    await jobs.close()
    await world.close()
    await server.close()
  }
}

const ask = (world: AuthWorld, email: string, browser = world.browser()) => browser.submit('/dashboard/recover', { email })

async function userOf(world: AuthWorld, browser: Browser) {
  const principal = await world.authenticate(undefined, { header: browser.header() })
  assert.ok(principal.kind === 'user')
  return principal
}

async function nextMail({ server }: MailWorld) {
  await eventually(async () => server.mails.length > 0)
  const mail = server.mails.shift()
  assert.ok(mail)
  return mail
}

/** A page without the token that differs by browser. */
const wordsOf = ({ status, headers, text }: { status: number; headers: Headers; text: string }) => ({
  status,
  headers: [...headers].filter(([name]) => name !== 'set-cookie'),
  text: text.replaceAll(/value="[^"]*"/g, ''),
})

eachStore((_, open) => {
  test('a forgotten password: the mailed link sets a new one and works once', async () =>
    withMail((await open()).store, async (rig) => {
      const { world } = rig
      await person(world)
      assert.equal((await ask(world, ' Maya@Example.com ')).status, 200)
      const mail = await nextMail(rig)
      assert.deepEqual(mail.to, [owner.email])
      const { pathname } = linkIn(mail)
      const told = world.store.read.selectFrom('audit').innerJoin('accounts', 'accounts.id', 'audit.account_id').select('accounts.name')
      assert.equal((await told.where('action', '=', 'password.link_mailed').execute()).length, 1)
      const browser = world.browser()
      assert.equal((await browser.submit(pathname, { password: 'a second quiet lake' })).status, 200)
      assert.equal((await browser.get(pathname)).status, 410)
      const json = { email: owner.email, password: 'a second quiet lake' }
      assert.equal((await world.browser().json('/dashboard/sign-in', json)).status, 200)
    }))

  test('recovery answers the same for an address that somebody has and one that nobody has, before anybody is looked up', async () =>
    withMail(
      (await open()).store,
      async (rig) => {
        const { world, server } = rig
        await person(world)
        const known = await ask(world, owner.email)
        const unknown = await ask(world, stranger)
        assert.deepEqual(wordsOf(known), wordsOf(unknown))
        const links = () => world.store.read.selectFrom('one_time_links').select('id').where('kind', '=', 'reset').execute()
        assert.deepEqual([(await links()).length, server.connections()], [0, 0])
        await rig.jobs.start()
        await nextMail(rig)
        assert.deepEqual([(await links()).length, server.connections()], [1, 1])
      },
      false,
    ))

  test('nobody is sent more than three recovery mails an hour, and the answer does not say so', async () =>
    withMail((await open()).store, async (rig) => {
      const { world, server } = rig
      await person(world)
      const answers = []
      for (let i = 0; i < 5; i++) answers.push(wordsOf(await ask(world, owner.email)))
      for (const each of answers) assert.deepEqual(each, answers[0])
      await world.clock.advance(1)
      await eventually(async () => server.mails.length === 3)
      const links = await world.store.read.selectFrom('one_time_links').select('id').where('kind', '=', 'reset').execute()
      assert.equal(links.length, 3)
    }))

  test('a later recovery mail does not end the link of an earlier one; its use ends all', async () =>
    withMail((await open()).store, async (rig) => {
      const { world } = rig
      await person(world)
      await ask(world, owner.email)
      const first = linkIn(await nextMail(rig)).pathname
      await ask(world, owner.email)
      const second = linkIn(await nextMail(rig)).pathname
      assert.equal((await world.browser().submit(first, { password: 'a second quiet lake' })).status, 200)
      assert.equal((await world.browser().get(second)).status, 410)
    }))

  test('a recovery link is dead after 30 minutes', async () =>
    withMail((await open()).store, async (rig) => {
      const { world } = rig
      await person(world)
      await ask(world, owner.email)
      const { pathname } = linkIn(await nextMail(rig))
      await world.clock.advance(30 * 60_000)
      assert.equal((await world.browser().get(pathname)).status, 410)
    }))

  test('a recovery form from another site, or with what is no address, sends nothing', async () =>
    withMail((await open()).store, async ({ world, server }) => {
      await person(world)
      const browser = world.browser()
      const { csrf = '' } = await browser.get('/dashboard/recover')
      const forged = await browser.post('/dashboard/recover', { email: owner.email, csrf }, { origin: 'https://evil.example' })
      assert.equal(forged.status, 403)
      for (const email of ['maya', 'maya@example.com\r\nBcc: x@example.com', 'a@b, c@d', '']) {
        assert.equal((await ask(world, email)).status, 400, email)
      }
      await world.clock.advance(1)
      assert.equal(server.connections(), 0)
    }))

  test('without mail the recovery page says who can help', async () => {
    const world = authWorld((await open()).store)
    await person(world)
    assert.match((await world.browser().get('/dashboard/recover')).text, /This service sends no mail/)
    await world.close()
  })

  const invited = z.object({ url: z.string().nullable(), mail: z.string().nullable() })

  test('an invitation is mailed and then in no answer; one whose mail is refused is handed over', async () =>
    withMail((await open()).store, async (rig) => {
      const { world, server, failures } = rig
      const maya = await userOf(world, await person(world))
      const made = invited.parse(await world.call(createInvitation, maya, { email: 'ben@example.com' }))
      assert.deepEqual(made, { url: null, mail: 'sent' })
      const mail = await nextMail(rig)
      assert.match(mail.text, /“maya” invites you to the account “Rostrum”/)
      const browser = world.browser()
      assert.equal((await browser.submit(linkIn(mail).pathname, { name: 'Ben', password: 'an orange paper boat' })).status, 303)
      assert.equal((await userOf(world, browser)).accountId, maya.accountId)
      const verified = async (email: string) =>
        (await world.store.read.selectFrom('users').select('email_verified_at').where('email', '=', email).executeTakeFirst())
          ?.email_verified_at
      assert.equal(await verified('ben@example.com'), world.clock.now())
      server.refuseNext('550 5.1.1 Nobody')
      const handed = invited.parse(await world.call(createInvitation, maya, { email: 'typo@example.com' }))
      assert.equal(handed.mail, 'refused')
      assert.match(handed.url ?? '', /\/invite\/[0-9A-Za-z]{22}$/)
      assert.equal(failures.length, 1)
      const [path, typo] = [new URL(handed.url ?? '').pathname, world.browser()]
      assert.equal((await typo.submit(path, { name: 'Ty', password: 'an orange paper boat' })).status, 303)
      assert.equal(await verified('typo@example.com'), null)
    }))

  const account = z.object({ user: z.object({ email: z.string() }), sendsMail: z.boolean() })

  test('a new address counts once its own signed-in person has confirmed it, and the old one is told', async () =>
    withMail((await open()).store, async (rig) => {
      const { world } = rig
      const browser = await person(world)
      const maya = await userOf(world, browser)
      assert.deepEqual(await world.call(changeEmail, maya, { email: 'Okafor@Example.com' }), { mail: 'sent' })
      const mail = await nextMail(rig)
      assert.deepEqual(mail.to, ['okafor@example.com'])
      const { pathname } = linkIn(mail)
      assert.equal(account.parse(await world.call(getAccount, maya)).user.email, owner.email)
      assert.equal((await world.browser().get(pathname)).headers.get('location'), '/dashboard/sign-in')
      for (let i = 0; i < 2; i++) assert.equal((await browser.get(pathname)).status, 200)
      assert.equal((await browser.submit(pathname, {})).status, 200)
      assert.equal(account.parse(await world.call(getAccount, maya)).user.email, 'okafor@example.com')
      assert.deepEqual((await nextMail(rig)).to, [owner.email])
      assert.equal((await browser.get(pathname)).status, 410)
    }))

  test('somebody else who opens the link confirms nothing', async () =>
    withMail((await open()).store, async (rig) => {
      const { world } = rig
      const maya = await userOf(world, await person(world))
      await world.call(createInvitation, maya, { email: 'ben@example.com' })
      const ben = world.browser()
      await ben.submit(linkIn(await nextMail(rig)).pathname, { name: 'Ben', password: 'an orange paper boat' })
      await world.call(changeEmail, maya, { email: 'victim@example.com' })
      const { pathname } = linkIn(await nextMail(rig))
      assert.equal((await ben.get(pathname)).status, 403)
      const { csrf = '' } = await ben.get('/dashboard/recover')
      assert.equal((await ben.post(pathname, { csrf })).status, 403)
      const emails = await world.store.read.selectFrom('users').select('email').orderBy('email').execute()
      assert.deepEqual(
        emails.map(({ email }) => email),
        ['ben@example.com', owner.email],
      )
    }))

  test('of two people who confirm one address at once, one has it', async () =>
    withMail((await open()).store, async (rig) => {
      const { world } = rig
      const mayas = await person(world)
      const maya = await userOf(world, mayas)
      await world.call(createInvitation, maya, { email: 'ben@example.com' })
      const bens = world.browser()
      await bens.submit(linkIn(await nextMail(rig)).pathname, { name: 'Ben', password: 'an orange paper boat' })
      const ben = await userOf(world, bens)
      const paths = []
      for (const each of [maya, ben]) {
        await world.call(changeEmail, each, { email: 'shared@example.com' })
        paths.push(linkIn(await nextMail(rig)).pathname)
      }
      const [mayasPath = '', bensPath = ''] = paths
      const answers = await Promise.all([mayas.submit(mayasPath, {}), bens.submit(bensPath, {})])
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 409],
      )
      const holders = await world.store.read.selectFrom('users').select('id').where('email', '=', 'shared@example.com').execute()
      assert.equal(holders.length, 1)
    }))

  test('an address is changed with a fresh password alone, and not where the service sends no mail', async () => {
    await withMail((await open()).store, async ({ world, server }) => {
      const maya = await userOf(world, await person(world))
      await world.clock.advance(600_000)
      await assert.rejects(world.call(changeEmail, maya, { email: 'x@example.com' }), refused('login_required', 401))
      assert.equal(server.connections(), 0)
      assert.equal(account.parse(await world.call(getAccount, maya)).sendsMail, true)
    })
    const silent = authWorld((await open()).store)
    const maya = await userOf(silent, await person(silent))
    await assert.rejects(silent.call(changeEmail, maya, { email: 'x@example.com' }), refused('forbidden', 403))
    assert.equal(account.parse(await silent.call(getAccount, maya)).sendsMail, false)
    await silent.close()
  })
})
