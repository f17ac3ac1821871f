// Lists longer than what is read of them at once: how much is shown stands below them, with a way to the rest.
import { after, before, describe, test } from 'node:test'
import { assertAccessible, chromiumPath, settled } from '../../test/e2e/rig.ts'
import type { DashboardBrowser } from './dashboard-browser.ts'
import { openDashboard } from './dashboard-browser.ts'
import { fakeQuestions, fakeSessions, sessionId } from './fake-data.ts'
import { fakeLeads } from './fake-people.ts'

const own = `/dashboard/sessions/${sessionId}`
/** Two more than are read at once, of one row each. */
const pages = 12

type Row = Record<string, unknown>
const [session] = fakeSessions()
const [question] = fakeQuestions()
const [lead] = fakeLeads()

const lists: [what: string, screen: string, api: string, row: (at: number) => Row][] = [
  [
    'sessions',
    '/dashboard',
    '/api/v1/agent/sessions',
    (at) => ({ ...session, id: `s${at}`, title: `Talk ${at}`, status: 'draft', slidesCount: 0 }),
  ],
  [
    'questions',
    `${own}/questions`,
    `/api/v1/agent/sessions/${sessionId}/questions`,
    (at) => ({ ...question, questionId: `q${at}`, text: `Question ${at}?` }),
  ],
  ['leads', '/dashboard/leads', '/api/v1/agent/leads', (at) => ({ ...lead, id: `l${at}`, email: `${at}@northwind.example` })],
]

describe('long lists of the dashboard', { skip: chromiumPath() === undefined && 'no Chromium is installed' }, () => {
  let dashboard: DashboardBrowser

  before(async () => {
    dashboard = await openDashboard()
  })
  after(() => dashboard?.close())

  for (const [what, screen, api, row] of lists) {
    test(`more ${what} than are read at once: the screen says so, and shows the older ones when asked`, async () => {
      const run = async (page: Parameters<Parameters<DashboardBrowser['onPage']>[1]>[0]) => {
        await page.route(
          (url) => url.pathname === api,
          async (route) => {
            const at = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
            await route.fulfill({ json: { [what]: [row(at)], ...(at + 1 < pages ? { nextCursor: String(at + 1) } : {}) } })
          },
        )
        await page.goto(new URL(screen, page.url()).href)
        await settled(page)
        await page.getByText(`The newest 10 ${what} are shown, counted and searched.`).waitFor()
        await assertAccessible(page, `${screen}, cut`)
        await page.getByRole('button', { name: `Show older ${what}` }).click()
        await page.getByText(String(row(pages - 1)['title'] ?? row(pages - 1)['text'] ?? row(pages - 1)['email'])).waitFor()
        await page.getByText('The newest').waitFor({ state: 'detached' })
      }
      await dashboard.onPage('/dashboard/settings', run, { bypassCSP: true })
    })
  }
})
