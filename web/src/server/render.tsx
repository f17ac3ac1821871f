// Turns the room and the pages into HTML strings. Built by Vite into web/dist/server/render.js; it reads no clock, and of files the words alone. No
// `style` attribute may appear in what it makes: the content policy allows only the nonce's elements.
import type { VNode } from 'preact'
import type { PeoplePages } from '@rostrum/contract/people-pages'
import type { Messages } from '../ui/words.ts'
import { DashboardShell } from '../pages/dashboard-shell.tsx'
import { DocsPage } from '../pages/docs.tsx'
import { text } from '../pages/page-frame.tsx'
import { closedTitle, ErrorPage, JoinClosedPage } from '../pages/error.tsx'
import { claim, claimCode, consent, stopped } from '../pages/consent.tsx'
import { type Draw, ofAccounts } from '../pages/people.tsx'
import { HomePage } from '../pages/home.tsx'
import { LeavingPage } from '../pages/leaving.tsx'
import { RecapEndedPage, RecapPage } from '../pages/recap.tsx'
import { EndMailsPage, RegisteredPage, RegisterPage, RegistrationPage } from '../pages/registration.tsx'
import { ReplayPage } from '../pages/replay.tsx'
import { ReportedPage, ReportPage } from '../pages/report.tsx'
import type { Boot } from '../room/stream/boot.ts'
import { Room } from '../room/room.tsx'
import type { Catalogue } from '../ui/words.ts'
import { translator } from '../ui/words.ts'
import { builtAssets } from './built-assets.ts'
import { catalogueOf, isRoomKey, pickLanguage } from './catalogues.ts'
import { documentHtml, escapeJson } from './document.tsx'
import { ScriptlessRoom } from './scriptless-room.tsx'
import type { PageContext, PageName, PageProps, RoomPage, RoomView } from './types.ts'

export { pickLanguage }

/** The whole document of a room: first slide, words and styles in the first response, one deferred script. */
export function renderRoom(room: RoomView, page: RoomPage): string {
  const { language } = page
  const strings: Catalogue = Object.fromEntries(Object.entries(catalogueOf(language)).filter(([key]) => isWanted(key, room)))
  const boot: Boot = { key: page.key, room, language, strings, follows: page.follows, embed: page.embed === true }
  const t = translator(catalogueOf(language), language)
  return documentHtml({
    page,
    title: room.title,
    description: room.description ?? room.disclosure,
    noindex: page.noindex === true || room.kind === 'rehearsal' || room.state === 'draft',
    preview: page.preview,
    brand: room.brand,
    // The space of the slides is kept before there is a picture.
    inlineCss: `${builtAssets.roomCss}${ratioOf(room)}`,
    styles: [],
    body: (
      <>
        {room.unverified && <aside class="unverified">{t('page.unverified')}</aside>}
        <div id="app">
          <Room boot={boot} controller={null} />
        </div>
        <ScriptlessRoom room={room} t={t} />
        <footer class="room-foot small">
          {room.brand?.hideFooter !== true && (
            <a href="/" target="_blank" rel="noopener">
              {t('page.made_with', { service: page.siteTitle })}
            </a>
          )}
          <a href={`/report/${page.key}`} target="_blank" rel="noopener">
            {t('report')}
          </a>
        </footer>
      </>
    ),
    boot: escapeJson(boot),
    script: builtAssets.roomScript,
    preload: [],
  })
}

/** Words of a broadcast, those that name the host, and those of polls, only where there is one. */
function isWanted(key: string, { mode, brand, asks }: RoomView): boolean {
  if (key.startsWith('poll.') && asks !== true) return false
  if (!isRoomKey(key) || (key.endsWith('_brand') && brand?.name === undefined)) return false
  return mode === 'broadcast' || !/^(?:react|lobby|late)\./.test(key)
}

function ratioOf({ slides }: RoomView): string {
  const { width, height } = slides.find(({ imageUrl }) => imageUrl !== null) ?? {}
  return width && height ? `:root{--slide-ratio:${(width / height).toFixed(4)}}` : ''
}

const peoplePages: { [Name in keyof PeoplePages]: Draw<Name> } = { ...ofAccounts, consent, stopped, claim, 'claim-code': claimCode }

const pages: {
  [Name in PageName]: (props: PageProps[Name], page: PageContext, strings: Messages) => { title: string; description?: string; body: VNode }
} = {
  home: (props, page, strings) => ({
    title: page.siteTitle,
    description: text(strings, 'page.tagline'),
    body: <HomePage {...props} page={page} strings={strings} />,
  }),
  'join-closed': (props, page, strings) => ({
    title: text(strings, closedTitle(props)),
    body: <JoinClosedPage {...props} page={page} strings={strings} />,
  }),
  recap: (props, page, strings) => ({
    title: props.recap.title,
    body: <RecapPage {...props} page={page} strings={strings} t={translator(strings, page.language)} />,
  }),
  replay: (props, page, strings) => ({
    title: props.replay.title,
    description: props.replay.description ?? props.replay.disclosure,
    body: <ReplayPage {...props} page={page} strings={strings} t={translator(strings, page.language)} />,
  }),
  leaving: (props, page, strings) => ({
    title: text(strings, 'page.leaving_title'),
    body: <LeavingPage {...props} page={page} strings={strings} t={translator(strings, page.language)} />,
  }),
  report: (props, page, strings) => ({
    title: text(strings, 'report'),
    body: <ReportPage {...props} page={page} strings={strings} />,
  }),
  reported: (_props, page, strings) => ({ title: text(strings, 'page.reported'), body: <ReportedPage page={page} strings={strings} /> }),
  register: (props, page, strings) => ({
    title: props.form.title,
    description: text(strings, 'page.reg_register'),
    body: <RegisterPage {...props} page={page} strings={strings} />,
  }),
  registered: (props, page, strings) => ({
    title: props.title,
    body: <RegisteredPage {...props} page={page} strings={strings} t={translator(strings, page.language)} />,
  }),
  registration: (props, page, strings) => ({
    title: props.own.title,
    body: <RegistrationPage {...props} page={page} strings={strings} t={translator(strings, page.language)} />,
  }),
  'end-mails': (props, page, strings) => ({
    title: text(strings, props.ended ? 'page.reg_stopped' : 'page.reg_stop'),
    body: <EndMailsPage {...props} page={page} strings={strings} />,
  }),
  'recap-ended': (_props, page, strings) => ({
    title: text(strings, 'page.recap_ended'),
    body: <RecapEndedPage page={page} strings={strings} />,
  }),
  error: (props, page, strings) => ({
    title: props.title ?? String(props.status),
    body: <ErrorPage {...props} page={page} strings={strings} />,
  }),
  docs: ({ body: _body, ...props }, page, strings) => ({
    title: props.title,
    description: props.description,
    body: <DocsPage {...props} page={page} strings={strings} />,
  }),
  dashboard: (props, page, strings) => ({ title: props.title, body: <DashboardShell page={page} strings={strings} /> }),
  ...peoplePages,
}

const ofPeople: ReadonlySet<PageName> = new Set(Object.keys(peoplePages) as (keyof typeof peoplePages)[])

const unlisted: ReadonlySet<PageName> = new Set([
  ...(['error', 'join-closed', 'leaving', 'recap', 'recap-ended', 'report', 'reported'] as const),
  ...(['registered', 'registration', 'end-mails'] as const),
  ...ofPeople,
])

export function renderPage<Name extends PageName>(name: Name, props: PageProps[Name], page: PageContext): string {
  const made = pages[name](props, page, catalogueOf(page.language))
  const isDashboard = name === 'dashboard'
  const html = documentHtml({
    page,
    title: made.title === page.siteTitle ? made.title : `${made.title} · ${page.brand?.name ?? page.siteTitle}`,
    description: made.description,
    noindex: isDashboard || unlisted.has(name) || ('replay' in props && !props.replay.isListed),
    isStrict: ofPeople.has(name),
    font: builtAssets.font,
    brand: page.brand,
    styles: isDashboard ? [...builtAssets.styles.slice(0, 1), ...builtAssets.dashboardStyles] : builtAssets.styles,
    body: made.body,
    script: isDashboard ? builtAssets.dashboardScript : null,
    preload: isDashboard ? builtAssets.dashboardPreload : [],
  })
  return 'body' in props ? html.replace('<docs-body></docs-body>', () => props.body) : html
}
