// What the pages for people show: sign-in and set-up, invitation, a new password, a new address. The service says what is the case, the
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

export interface PeoplePages {
  'sign-in': { email: string; alert?: 'wrong' | 'limited' }
  'set-up': { given: Readonly<Record<'name' | 'email' | 'accountName', string>>; wrong: WrongFields }
  /** Somebody new has a name and a password to choose. */
  invite: { account: string; role: 'owner' | 'admin' | 'member'; newcomer?: { email: string; name: string; wrong: WrongFields } }
  recover: { email: string; wrong?: WrongFields; alert?: 'limited' }
  reset: { wrong: WrongFields }
  verify: { email: string }
  notice: { of: Notice; email?: string }
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
