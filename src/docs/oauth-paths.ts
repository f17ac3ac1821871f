// What is called beside the operations: OAuth 2.1 for applications (RFC 6749, 7009, 7517, 7591, 7636) and the documents by which agents
// find their way (RFC 8414, 9728). Answers of `/oauth2` are plain RFC 6749, no problem documents.

const text = (description: string, example: string, more: object = {}) => ({ type: 'string', description, examples: [example], ...more })
const list = (description: string, example: readonly string[]) => ({
  type: 'array',
  items: { type: 'string' },
  description,
  examples: [example],
})
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})
const form = (schema: object) => ({ required: true, content: { 'application/x-www-form-urlencoded': { schema } } })
const json = (description: string, schema: object) => ({ description, content: { 'application/json': { schema } } })
const refused = json(
  'Refused, as RFC 6749 section 5.2 says.',
  object({ error: text('Code of the refusal.', 'invalid_grant'), error_description: text('Why.', 'grant request is invalid') }, ['error']),
)
const id = text('Id of the application, from its registration, or the address of its document.', 'k3V9qaXW1m0Zt7')
const scope = text('Scopes, separated by spaces.', 'sessions:read sessions:write')
const redirect = text('Where the answer goes; one that was registered.', 'https://app.example.com/callback')
const verifier = text('What `code_challenge` was made of.', 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')
const query = ([name, required, { description, examples, ...schema }]: readonly [string, boolean, ReturnType<typeof text>]) => ({
  name,
  in: 'query',
  required,
  description,
  example: examples[0],
  schema,
})

const document = (operationId: string, summary: string, schema: object) => ({
  get: { operationId, tags: ['auth'], summary, security: [], responses: { '200': json('The document.', schema) } },
})
const post = (operationId: string, summary: string, requestBody: object, success: object, status = '200') => ({
  post: { operationId, tags: ['auth'], summary, security: [], requestBody, responses: { [status]: success, '400': refused } },
})

export const oauthPaths = {
  '/oauth2/authorize': {
    get: {
      operationId: 'oauth_authorize',
      tags: ['auth'],
      summary: 'Ask a person to allow an application',
      description:
        'Opened in a browser. The person signs in and allows or denies; the browser then goes to `redirect_uri` with `code` or `error`, `state` and `iss`.',
      security: [],
      parameters: (
        [
          ['client_id', true, id],
          ['response_type', true, text('`code`.', 'code')],
          ['redirect_uri', true, redirect],
          ['scope', false, scope],
          ['state', false, text('Comes back unchanged.', 'af0ifjsldkj')],
          [
            'code_challenge',
            true,
            text('SHA-256 of the verifier, in base64url (RFC 7636).', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'),
          ],
          ['code_challenge_method', true, text('`S256`.', 'S256')],
          ['resource', false, text('What the token is for (RFC 8707).', 'https://talks.example.com/mcp')],
        ] as const
      ).map(query),
      responses: {
        '303': { description: 'To the page where the person decides, or back to the application.' },
        '400': { description: 'A page that says what is wrong.' },
      },
    },
  },
  '/oauth2/token': post(
    'oauth_token',
    'Get a token for a code, a refresh token, or an assertion of an agent',
    form(
      object(
        {
          grant_type: text('`authorization_code`, `refresh_token`, or a grant for agents that `/auth.md` explains.', 'authorization_code'),
          client_id: id,
          code: text('From the authorization.', 'Qx7b2mD0fV1n'),
          redirect_uri: redirect,
          code_verifier: verifier,
          refresh_token: text('From an earlier answer; each is good for once.', 'rst_ort_...'),
          assertion: text('A signed assertion (RFC 7523).', 'eyJhbGciOiJFUzI1NiJ9...'),
          scope,
          resource: text('What the token is for (RFC 8707).', 'https://talks.example.com/mcp'),
        },
        ['grant_type'],
      ),
    ),
    json(
      'A token.',
      object(
        {
          access_token: text('Send it as `Authorization: Bearer`.', 'rst_oat_...'),
          token_type: text('`Bearer`.', 'Bearer'),
          expires_in: { type: 'integer', description: 'Its life in seconds.', examples: [3600] },
          refresh_token: text('For the next one, where `offline_access` was allowed.', 'rst_ort_...'),
          scope,
        },
        ['access_token', 'token_type', 'expires_in'],
      ),
    ),
  ),
  '/oauth2/revoke': post(
    'oauth_revoke',
    'End a token (RFC 7009)',
    form(object({ token: text('Of any kind.', 'rst_ort_...'), client_id: id }, ['token'])),
    { description: 'It is ended, or was never known.' },
  ),
  '/oauth2/register': post(
    'oauth_register_client',
    'Register an application (RFC 7591)',
    {
      required: true,
      content: {
        'application/json': {
          schema: object(
            {
              client_name: text('Shown to the person who is asked.', 'My app'),
              redirect_uris: list('Where answers may go.', ['https://app.example.com/callback']),
              token_endpoint_auth_method: text('`none`: applications prove themselves with PKCE.', 'none'),
              grant_types: list('`authorization_code`, `refresh_token`.', ['authorization_code', 'refresh_token']),
              scope,
            },
            ['redirect_uris'],
          ),
        },
      },
    },
    json(
      'Registered.',
      object(
        {
          client_id: id,
          client_name: text('As it was sent.', 'My app'),
          redirect_uris: list('As they were sent.', ['https://app.example.com/callback']),
        },
        ['client_id'],
      ),
    ),
    '201',
  ),
  '/.well-known/jwks.json': document(
    'get_signing_keys',
    'Keys that sign identity tokens',
    object(
      {
        keys: {
          type: 'array',
          items: { type: 'object' },
          description: 'As RFC 7517 writes them.',
          examples: [[{ kty: 'EC', crv: 'P-256', kid: '2026-11' }]],
        },
      },
      ['keys'],
    ),
  ),
  '/.well-known/oauth-protected-resource': document(
    'get_protected_resource_metadata',
    'Where credentials for this service come from (RFC 9728)',
    object(
      {
        resource: text('The service.', 'https://talks.example.com'),
        authorization_servers: list('Who gives tokens for it.', ['https://talks.example.com']),
        scopes_supported: list('Every scope.', ['sessions:read', 'sessions:write', 'analytics:read', 'leads:read', 'checkout:write']),
        bearer_methods_supported: list('How a token is sent.', ['header']),
      },
      ['resource', 'scopes_supported'],
    ),
  ),
  '/.well-known/oauth-authorization-server': document(
    'get_authorization_server_metadata',
    'What the authorization server can do, and how agents register (RFC 8414)',
    object(
      {
        issuer: text('Its name.', 'https://talks.example.com'),
        authorization_endpoint: text('Where a person is asked.', 'https://talks.example.com/oauth2/authorize'),
        token_endpoint: text('Where tokens come from.', 'https://talks.example.com/oauth2/token'),
        scopes_supported: list('Every scope.', ['sessions:read', 'sessions:write', 'offline_access']),
        agent_auth: {
          type: 'object',
          description: 'Where an agent registers, is claimed and revoked.',
          examples: [{ register_uri: 'https://talks.example.com/api/v1/auth/register' }],
        },
      },
      ['issuer'],
    ),
  ),
  '/.well-known/mcp.json': document(
    'get_mcp_manifest',
    'Manifest of the tool-protocol server',
    object({ name: text('Name of the server.', 'service-mcp-server'), version: text('Its version.', '2.1.0') }),
  ),
}
