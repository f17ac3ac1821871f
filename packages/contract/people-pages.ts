// What the pages for people show: sign-in and set-up, invitation, a new password, a new address, consent and claim. The service says what is the case, the
// web has the words for it, in the language of the reader.

export type PasswordFault = 'short' | 'long' | 'personal' | 'common'

/** Fields that are not as they have to be. */
export interface WrongFields {
  name?: true
  email?: true
  accountName?: true
  password?: PasswordFault | undefined
}

/** A page of a few words. */
export type Notice =
  | 'setup-gone'
  | 'invite-gone'
  | 'invite-other'
  | 'signup-closed'
  | 'recover-no-mail'
  | 'recover-sent'
  | 'reset-done'
  | 'reset-gone'
  | 'reset-gone-no-mail'
  | 'verify-gone'
  | 'verify-other'
  | 'verify-taken'
  | 'verified'
  | 'consent-gone'
  | 'claim-unknown'
  | 'claim-other'
  | 'claimed'
  | 'claim-refused'
  | 'claim-approved'

export type AskedScope = 'sessions:read' | 'sessions:write' | 'analytics:read' | 'leads:read' | 'checkout:write'

export interface AskedScopes {
  scopes: readonly { scope: AskedScope; isTicked: boolean }[]
  /** Of the person, to choose one from. */
  accounts: readonly { id: string; name: string }[]
  accountId: string
}

/** What a claim moves to the account of the person. */
export interface Moving {
  sessions: readonly { id: string; title: string; status: 'draft' | 'published' }[]
  /** `host` of its address, whose path and query may hold a secret; without a session, of every session of the account. */
  webhooks: readonly { host: string; eventTypes: readonly string[]; sessionId: string | null }[]
}

export interface PeoplePages {
  'sign-in': { email: string; alert?: 'wrong' | 'limited' }
  'set-up': { given: Readonly<Record<'name' | 'email' | 'accountName', string>>; wrong: WrongFields }
  /** Somebody new has a name and a password to choose. */
  invite: { account: string; role: 'owner' | 'admin' | 'member'; newcomer?: { email: string; name: string; wrong: WrongFields } }
  recover: { email: string; wrong?: WrongFields; alert?: 'limited' }
  reset: { wrong: WrongFields }
  verify: { email: string }
  notice: { of: Notice; email?: string }
  /** An application asks; its answer goes to `host`. */
  consent: AskedScopes & { clientName: string; host: string; isLocal: boolean }
  /** What an application asks cannot go on, in the words of the protocol. */
  stopped: { words: string }
  claim: AskedScopes & {
    agentName: string
    registeredMs: number
    network: string
    moving: Moving
    asksPassword: boolean
    /** It goes on by itself after the approval, without a code. */
    isByItself: boolean
    alert?: 'none-ticked' | 'password-needed' | 'password-wrong' | 'limited'
  }
  'claim-code': { agentName: string; account: string; code: string; minutes: number }
}

/** Of a request for such a page. Its forms carry `csrf`, which proves that they come from it. */
export interface PeopleContext {
  nonce: string
  baseUrl: string
  siteTitle: string
  language: string
  theme?: 'light' | 'dark'
  csrf?: string
}

/** Draws them. */
export interface PeoplePagesWeb {
  renderPage<Name extends keyof PeoplePages>(name: Name, props: PeoplePages[Name], page: PeopleContext): string
  pickLanguage(wishes: { query?: string | null; remembered?: string | null; acceptLanguage?: string | null }): string
}
