// Rows of accounts and agents. Times are epoch ms, booleans 0 or 1, JSON is text; hashes are SHA-256 in hex.

declare module '../platform/db/tables.ts' {
  interface Tables {
    accounts: AccountRow
    users: UserRow
    memberships: MembershipRow
    one_time_links: OneTimeLinkRow
    sign_ins: SignInRow
    kept_returns: KeptReturnRow
    credentials: CredentialRow
    registrations: RegistrationRow
    claim_attempts: ClaimAttemptRow
    audit: AuditRow
    rate_limits: RateLimitRow
    delegations: DelegationRow
    assertion_ids: AssertionIdRow
    oauth_records: OAuthRecordRow
    oauth_grants: OAuthGrantRow
    signing_keys: SigningKeyRow
  }
}

export interface AccountRow {
  id: string
  name: string
  kind: 'person' | 'organization' | 'agent'
  /** 1 on the one account that exists from the first command on; null on all others, so that a unique index holds it. */
  is_owner: number | null
  /** JSON object: overrides of the configured limits (`sessions`, `minutes`). */
  plan: string | null
  /** JSON: filters of people that its members come back to. */
  people_views: string | null
  /** JSON `Brand` (`contract/brand.ts`). */
  brand: string | null
  /** The account that took over the rows of a claimed agent. */
  merged_into: string | null
  closed_at: number | null
  created_at: number
}

export interface UserRow {
  id: string
  /** Trimmed, NFC, lower case. */
  email: string
  name: string
  email_verified_at: number | null
  /** PHC string of argon2id; null until a password is set. */
  password_hash: string | null
  password_changed_at: number | null
  disabled_at: number | null
  created_at: number
}

export interface MembershipRow {
  id: string
  account_id: string
  user_id: string
  role: 'owner' | 'admin' | 'member'
  created_at: number
}

export interface OneTimeLinkRow {
  id: string
  token_hash: string
  kind: 'setup' | 'reset' | 'invite' | 'verify'
  user_id: string | null
  account_id: string | null
  email: string | null
  role: 'owner' | 'admin' | 'member' | null
  /** 1 where somebody else than the mailbox of `email` was told the link: its use says nothing about the address. */
  is_shown: number
  expires_at: number
  used_at: number | null
  created_at: number
}

export interface SignInRow {
  id: string
  /** Of the cookie. */
  id_hash: string
  user_id: string
  /** The account the person has chosen to work in. */
  account_id: string
  seen_at: number
  /** The last time the password was entered. */
  reauth_at: number
  expires_at: number
  label: string
  ip_prefix: string
  ended_at: number | null
  created_at: number
}

/** Where to go after signing in, kept under the cookie of the browser that has not signed in yet. */
export interface KeptReturnRow {
  id_hash: string
  path: string
  expires_at: number
}

export interface CredentialRow {
  id: string
  hash: string
  kind: 'live' | 'agt' | 'clm' | 'oat' | 'ort'
  last4: string
  account_id: string
  user_id: string | null
  registration_id: string | null
  grant_id: string | null
  client_id: string | null
  name: string
  /** Space-separated. */
  scopes: string
  expires_at: number | null
  last_used_at: number | null
  revoked_at: number | null
  revoke_reason: string | null
  /** The key that took its place; this one ends with the grace it was given. */
  replaced_by: string | null
  created_at: number
}

export interface RegistrationRow {
  id: string
  kind: 'anonymous' | 'verified_email' | 'id_jag'
  client_name: string
  state: 'registered' | 'claimed' | 'revoked' | 'expired'
  /** Space-separated: what its tokens may do. */
  scopes: string
  /** Raised by the claim: identity assertions of an earlier generation are dead. */
  generation: number
  /** The agent's own account until the claim, then the account it is bound to. */
  account_id: string
  /** The account made at registration, for ever. */
  agent_account_id: string
  owner_user_id: string | null
  /** The address whose verified owner alone may approve. */
  email_hint: string | null
  issuer: string | null
  subject: string | null
  /** Of the page token in `claim_uri`. */
  page_hash: string
  /** The code or page token that was accepted, hashed, so that a repeat answers the same. */
  claim_hash: string | null
  ip_prefix: string
  expires_at: number
  denied_at: number | null
  claimed_at: number | null
  /** Whether the approving person's email was verified at the claim. */
  claim_verified: number | null
  revoked_at: number | null
  created_at: number
}

export interface ClaimAttemptRow {
  id: string
  registration_id: string
  code_hash: string
  tries: number
  approved_by: string
  target_account_id: string
  /** Space-separated: what the person lets the agent do; null: all it may have. */
  scopes: string | null
  expires_at: number
  spent_at: number | null
  /** Replaced by a newer approval, refused afterwards, or guessed at too often. */
  void_at: number | null
  created_at: number
}

export interface AuditRow {
  id: string
  at: number
  account_id: string | null
  actor_kind: 'user' | 'api_key' | 'agent' | 'oauth' | 'operator' | 'nobody'
  actor_id: string | null
  action: string
  target_kind: string | null
  target_id: string | null
  ip_prefix: string | null
  request_id: string | null
  /** JSON object without secrets. */
  data: string | null
}

/** The limiter's arrival time of one key, in microseconds. */
export interface RateLimitRow {
  id: string
  tat: number
  ok: number
}

/** A person of an identity provider who lets agents act for one of our users. */
export interface DelegationRow {
  id: string
  issuer: string
  subject: string
  user_id: string
  account_id: string
  /** Space-separated: what the person lets agents do; null: all that an assertion says. */
  scopes: string | null
  revoked_at: number | null
  created_at: number
}

/** An assertion that was used, until it would have expired anyway. */
export interface AssertionIdRow {
  issuer: string
  jti: string
  expires_at: number
}

/** A record of the provider (code, session, interaction, client, token): the payload lacks the id, which is a secret. */
export interface OAuthRecordRow {
  id_hash: string
  model: string
  payload: string
  grant_id: string | null
  uid: string | null
  expires_at: number | null
  /** Spent once: a code that was exchanged, a refresh token that was rotated. */
  consumed_at: number | null
}

/** What a person has allowed a client, in which account. */
export interface OAuthGrantRow {
  grant_id: string
  user_id: string
  account_id: string
  client_id: string
  client_name: string
  redirect_host: string
  scopes: string
  revoked_at: number | null
  created_at: number
}

export interface SigningKeyRow {
  kid: string
  /** 1, 2, 3: which of many processes adds the next key is decided by it. */
  number: number
  alg: string
  /** AES-256-GCM: nonce, tag, PKCS#8. */
  private: Uint8Array
  public: string
  use_from: number
  retire_at: number | null
}
