// Rows of the OAuth server; migration 008-oauth. Times are epoch ms, JSON is text, hashes are SHA-256 in hex.

export interface OAuthTables {
  oauth_records: OAuthRecordRow
  oauth_grants: OAuthGrantRow
  signing_keys: SigningKeyRow
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
