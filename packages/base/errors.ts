// The single table of failures a caller may see (spec 7, RFC 9457, RFC 6749). A code has one HTTP status, one OAuth
// error and one heading in /docs/errors; anything thrown that is not a ServiceError is a bug and answers 500.

interface ErrorRow {
  status: number
  /** The `error` member of RFC 6749; `invalid_request` unless named. */
  oauth?: string
  title: string
  /** What the reader of /docs/errors should do. */
  advice: string
}

const table = {
  invalid_request: { status: 400, title: 'Invalid request', advice: 'Correct the members named in `errors` and send the request again.' },
  url_not_allowed: {
    status: 400,
    title: 'URL not allowed',
    advice: 'Use a public https address. Private, local and reserved destinations are refused.',
  },
  invalid_token: {
    status: 401,
    oauth: 'invalid_token',
    title: 'Missing or invalid credential',
    advice: 'Send `Authorization: Bearer <token>` with a live API key or agent token. [auth.md](/auth.md) shows how an agent gets one.',
  },
  sign_in_failed: { status: 401, oauth: 'access_denied', title: 'Sign-in failed', advice: 'Check the email address and the password.' },
  interaction_required: {
    status: 401,
    oauth: 'interaction_required',
    title: 'A person must approve',
    advice: 'Open `claim_uri` with the person, then register again with a fresh assertion.',
  },
  login_required: {
    status: 401,
    oauth: 'login_required',
    title: 'A recent sign-in is required',
    advice: 'Ask the identity provider for an assertion with a recent `auth_time`.',
  },
  quota_exceeded: {
    status: 402,
    oauth: 'access_denied',
    title: 'Quota exceeded',
    advice:
      'Wait until `quota.resetsAt`, or ask the operator for a larger plan. Where `resetsAt` is null it never resets: a person claims the agent at `claim_uri`.',
  },
  insufficient_scope: {
    status: 403,
    oauth: 'insufficient_scope',
    title: 'Insufficient scope',
    advice: 'Use a credential that has the scopes listed in `scopes_required`.',
  },
  sign_in_required: {
    status: 403,
    oauth: 'access_denied',
    title: 'Sign-in required',
    advice: 'This operation is for a signed-in person; bearer credentials are refused.',
  },
  not_an_agent: {
    status: 403,
    oauth: 'access_denied',
    title: 'Not an agent credential',
    advice: 'Send the agent token that is to be claimed.',
  },
  csrf_failed: {
    status: 403,
    oauth: 'access_denied',
    title: 'Request not from this site',
    advice: 'Send the request from the page itself, with its `csrf` token.',
  },
  forbidden: { status: 403, oauth: 'access_denied', title: 'Not allowed', advice: 'The credential is valid but may not do this.' },
  not_found: { status: 404, title: 'Not found', advice: 'Check the identifier. What belongs to another account answers the same way.' },
  method_not_allowed: { status: 405, title: 'Method not allowed', advice: 'Use one of the methods in the `Allow` header.' },
  request_timeout: {
    status: 408,
    title: 'The body came too slowly',
    advice: 'Send it again over a better line, or send less: a body has five minutes, and 64 KiB in every 15 seconds.',
  },
  conflict: { status: 409, title: 'Conflict', advice: 'Read the resource again and repeat the change on its present state.' },
  idempotency_conflict: { status: 409, title: 'Idempotency key reused', advice: 'Use a new `Idempotency-Key` for a different body.' },
  run_state: { status: 409, title: 'Not possible in this state', advice: 'Read the state of the run; the action does not apply to it.' },
  limit_reached: { status: 409, title: 'Limit reached', advice: 'Delete something you no longer need first.' },
  delivery_in_progress: { status: 409, title: 'Delivery in progress', advice: 'Wait until the running attempt has ended.' },
  previously_claimed: {
    status: 409,
    oauth: 'invalid_grant',
    title: 'Already claimed',
    advice: 'The agent is bound to an account; nothing more is needed.',
  },
  gone: { status: 410, title: 'No longer available', advice: 'Ask the host for a new link.' },
  claim_expired: {
    status: 410,
    oauth: 'invalid_grant',
    title: 'Claim expired',
    advice: 'Ask the person to approve again; that gives a new code.',
  },
  payload_erased: { status: 410, title: 'Payload erased', advice: 'The personal data of this event was erased and cannot be sent again.' },
  precondition_failed: {
    status: 412,
    title: 'Changed meanwhile',
    advice: 'Read the resource again, bring your change to its present state and send it with the new `ETag` in `If-Match`.',
  },
  payload_too_large: { status: 413, title: 'Body too large', advice: 'Send less than the limit named in `detail`.' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type', advice: 'Send one of the types named in `detail`.' },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    advice: 'Send less than 16 KiB of headers: a shorter address, fewer cookies.',
  },
  rate_limited: { status: 429, oauth: 'slow_down', title: 'Rate limit exceeded', advice: 'Wait for the seconds in `Retry-After`.' },
  internal_error: {
    status: 500,
    oauth: 'server_error',
    title: 'Internal error',
    advice: 'The fault is ours. Report the request id in `instance`.',
  },
  temporarily_unavailable: {
    status: 503,
    oauth: 'temporarily_unavailable',
    title: 'Temporarily unavailable',
    advice: 'Try again after the seconds in `Retry-After`.',
  },
  authorization_pending: {
    status: 400,
    oauth: 'authorization_pending',
    title: 'Nobody has approved yet',
    advice: 'Ask the person to open `claim_uri`; try again after `interval` seconds.',
  },
  access_denied: { status: 400, oauth: 'access_denied', title: 'The person refused', advice: 'Stop. The person does not want this agent.' },
  invalid_claim_id: { status: 400, oauth: 'invalid_grant', title: 'Wrong claim code', advice: 'Ask the person to read the code again.' },
  anonymous_not_enabled: {
    status: 400,
    title: 'Anonymous agents are off',
    advice: 'Ask the operator for an API key, or use an identity assertion.',
  },
  unsupported_assertion_type: { status: 400, title: 'Unsupported assertion type', advice: 'Use one of the types named in `detail`.' },
  issuer_not_enabled: {
    status: 400,
    oauth: 'invalid_grant',
    title: 'Issuer not trusted',
    advice: 'Ask the operator to add the issuer to the trust list.',
  },
  invalid_assertion: {
    status: 400,
    oauth: 'invalid_grant',
    title: 'Invalid assertion',
    advice: 'Send a fresh assertion of the documented type.',
  },
  invalid_signature: {
    status: 400,
    oauth: 'invalid_grant',
    title: 'Invalid signature',
    advice: 'Sign the assertion with a key of the issuer.',
  },
  audience_mismatch: {
    status: 400,
    oauth: 'invalid_grant',
    title: 'Wrong audience',
    advice: 'Ask for an assertion whose audience is this service.',
  },
  credential_expired: { status: 400, oauth: 'invalid_grant', title: 'Assertion expired', advice: 'Ask for a fresh assertion.' },
  client_not_allowed: {
    status: 400,
    oauth: 'invalid_grant',
    title: 'Client not allowed',
    advice: 'The operator has not allowed this client of the issuer.',
  },
  email_not_verified: {
    status: 400,
    oauth: 'invalid_grant',
    title: 'Email not verified',
    advice: 'The issuer must have verified the address.',
  },
  replay_detected: { status: 400, oauth: 'invalid_grant', title: 'Assertion already used', advice: 'Ask for a fresh assertion.' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof table

export const errorCodes = Object.keys(table) as readonly ErrorCode[]
export const errorTable = Object.fromEntries(
  Object.entries(table).map(([code, row]) => [code, { oauth: 'invalid_request', ...row }]),
) as Readonly<Record<ErrorCode, Required<ErrorRow>>>

/** One invalid member: a JSON pointer in fragment form (`#/slides/0/imageUrl`) and what to send instead. */
export interface FieldError {
  pointer: string
  detail: string
}

/** Members that some codes add to the problem document, and headers they add to the response. */
export interface ErrorExtra {
  errors?: readonly FieldError[]
  members?: Readonly<Record<string, unknown>>
  headers?: Readonly<Record<string, string>>
}

/**
 * A failure the caller may see. `detail` says what was wrong and what to send instead, and holds no secret; `{base_url}` in it is the address
 * of this service.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly extra: ErrorExtra

  constructor(code: ErrorCode, detail: string, extra: ErrorExtra = {}) {
    super(detail)
    this.name = 'ServiceError'
    this.code = code
    this.extra = extra
  }

  get status(): number {
    return errorTable[this.code].status
  }
}

/** What an agent that nobody has claimed may not, with the way out: `words`, and where a person makes it theirs. */
export function unclaimedError(
  code: ErrorCode,
  words: string,
  claimUri: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): ServiceError {
  const where = claimUri === undefined ? '' : ` at ${claimUri}`
  const members = claimUri === undefined ? {} : { claim_uri: claimUri }
  return new ServiceError(code, `${words} Ask a person to claim this agent${where}, or use an API key.`, { members, headers })
}

export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof ServiceError
}

/** The words, with whole addresses: who reads them has none to which another could be relative. */
export const detailOf = (error: ServiceError, baseUrl: string): string => error.message.replaceAll('{base_url}', baseUrl)

/** The document of RFC 9457 with the OAuth pair beside it, as every HTTP API error answers it. */
export function problemOf(error: ServiceError, context: { baseUrl: string; requestId: string }): Record<string, unknown> {
  const row = errorTable[error.code]
  const detail = detailOf(error, context.baseUrl)
  return {
    type: `${context.baseUrl}/docs/errors#${error.code}`,
    title: row.title,
    status: row.status,
    detail,
    instance: `urn:uuid:${context.requestId}`,
    code: error.code,
    error: row.oauth,
    error_description: detail,
    ...(error.extra.errors === undefined ? {} : { errors: error.extra.errors }),
    ...error.extra.members,
  }
}
