// A service that sends mail to a server on loopback, with a broadcast at a set time, on a clock that the test moves.
import { manualClock, type ManualClock } from '../support/clock.ts'
import { openService, type TestService } from '../support/service.ts'
import { openSmtpServer, type ReceivedMail, type SmtpServer } from '../support/smtp-server.ts'
import type { OpenStore } from '../support/stores.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export interface Talk extends TestService {
  clock: ManualClock
  server: SmtpServer
  sessionId: string
  slug: string
  startsAt: number
  /** Lets that much time pass, and what is due be sent; gives the mails that came, by address and subject. */
  pass(ms: number): Promise<ReceivedMail[]>
  change(members: object): ReturnType<TestService['api']>
  register(email: string, more?: object): ReturnType<TestService['api']>
  /** By JSON, as the host sees them. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
  people(): Promise<Record<string, any>[]>
}

export const subjects = (mails: readonly ReceivedMail[]) =>
  mails.map(({ to, headers }) => `${to.join()} ${headers.get('subject')}`).toSorted()

export async function withTalk(
  open: OpenStore,
  fn: (talk: Talk) => Promise<void>,
  { session = {}, env = {}, hasMail = true }: { session?: object; env?: Record<string, string>; hasMail?: boolean } = {},
): Promise<void> {
  const clock = manualClock()
  const server = await openSmtpServer()
  const { store } = await open({ clock })
  const smtp = hasMail ? { ROSTRUM_SMTP_URL: `smtp://127.0.0.1:${server.port}`, ROSTRUM_SMTP_FROM: 'Talks <talks@example.com>' } : {}
  const app = await openService({ store, clock, env: { ...smtp, ...env } })
  await app.service.start()
  try {
    const startsAt = clock.now() + 2 * day
    const made = await app.api('POST', '/api/v1/agent/sessions', {
      title: 'Grid storage',
      isLive: true,
      mode: 'broadcast',
      startPolicy: 'scheduled',
      startsAt: new Date(startsAt).toISOString(),
      timeZone: 'Europe/Berlin',
      registration: { asks: ['company'], question: 'What do you hope to learn?' },
      slides: [{ textContent: 'Grid storage\n- A battery shifts the evening peak by four hours' }],
      ...session,
    })
    const { sessionId, slug } = made.body
    const path = `/api/v1/agent/sessions/${sessionId}`
    await fn({
      ...app,
      clock,
      server,
      sessionId,
      slug,
      startsAt,
      async pass(ms) {
        clock.set(clock.now() + ms)
        await clock.advance(6_000)
        await app.service.jobs.idle()
        return server.mails.splice(0)
      },
      change: (members) => app.api('PATCH', path, members),
      register: (email, more = {}) =>
        app.api('POST', `/api/v1/rooms/${slug}/registrations`, { email, name: 'Maya Okafor', consent: true, ...more }, null),
      people: async () => (await app.api('GET', `${path}/registrations`)).body.registrations,
    })
  } finally {
    await app.close()
    await server.close()
  }
}
