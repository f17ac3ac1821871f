// What is called beside the operations: OAuth 2.1 for applications (RFC 6749, 7009, 7517, 7591, 7636) and the documents by which agents
// find their way (RFC 8414, 9728). What their members mean stands with that of all others (`contract/members.json`). Answers of `/oauth2`
// are plain RFC 6749, no problem documents.
import { z } from 'zod'
import { jsonSchemaOf } from '@rostrum/contract/members'
import { membersOf, parameter } from './input-shape.ts'

const text = z.string()
const texts = z.array(text)
const some = text.optional()
const object = z.record(text, z.unknown())

const schemaOf = (name: string, shape: z.ZodRawShape) => jsonSchemaOf(z.object(shape), 'input', name)
const content = (type: string, schema: object) => ({ content: { [type]: { schema } } })
const answer = (description: string, name: string, shape: z.ZodRawShape) => ({
  description,
  ...content('application/json', schemaOf(name, shape)),
})

const document = (name: string, summary: string, shape: z.ZodRawShape) => ({
  get: { operationId: name, tags: ['auth'], summary, security: [], responses: { '200': answer('The document.', name, shape) } },
})

interface Posted {
  type?: string
  takes: z.ZodRawShape
  gives: object
  status?: string
}

const post = (name: string, summary: string, { type = 'application/x-www-form-urlencoded', takes, gives, status = '200' }: Posted) => ({
  post: {
    operationId: name,
    tags: ['auth'],
    summary,
    security: [],
    requestBody: { required: true, ...content(type, schemaOf(name, takes)) },
    responses: {
      [status]: gives,
      '400': answer('Refused, as RFC 6749 section 5.2 says.', 'oauth_refused', { error: text, error_description: some }),
    },
  },
})

const asked = { client_id: text, response_type: text, redirect_uri: text, scope: some, state: some }
const proven = { code_challenge: text, code_challenge_method: text, resource: some }

/** Made when somebody reads the description, not at the start. */
export const oauthPaths = () => ({
  '/oauth2/authorize': {
    get: {
      operationId: 'oauth_authorize',
      tags: ['auth'],
      summary: 'Ask a person to allow an application',
      description:
        'Opened in a browser. The person signs in and allows or denies; the browser then goes to `redirect_uri` with `code` or `error`, `state` and `iss`.',
      security: [],
      parameters: membersOf(schemaOf('oauth_authorize', { ...asked, ...proven })).map((member) => parameter('query', member.name, member)),
      responses: {
        '303': { description: 'To the page where the person decides, or back to the application.' },
        '400': { description: 'A page that says what is wrong.' },
      },
    },
  },
  '/oauth2/token': post('oauth_token', 'Get a token for a code, a refresh token, or an assertion of an agent', {
    takes: {
      grant_type: text,
      client_id: some,
      code: some,
      redirect_uri: some,
      code_verifier: some,
      refresh_token: some,
      assertion: some,
      scope: some,
      resource: some,
    },
    gives: answer('A token.', 'oauth_token', {
      access_token: text,
      token_type: text,
      expires_in: z.number(),
      refresh_token: some,
      scope: some,
    }),
  }),
  '/oauth2/revoke': post('oauth_revoke', 'End a token (RFC 7009)', {
    takes: { token: text, client_id: some },
    gives: { description: 'It is ended, or was never known.' },
  }),
  '/oauth2/register': post('oauth_register_client', 'Register an application (RFC 7591)', {
    type: 'application/json',
    takes: {
      client_name: some,
      redirect_uris: texts,
      token_endpoint_auth_method: some,
      grant_types: texts.optional(),
      scope: some,
    },
    gives: answer('Registered.', 'oauth_register_client', { client_id: text, client_name: some, redirect_uris: texts.optional() }),
    status: '201',
  }),
  '/.well-known/jwks.json': document('get_signing_keys', 'Keys that sign identity tokens', { keys: z.array(object) }),
  '/.well-known/oauth-protected-resource': document(
    'get_protected_resource_metadata',
    'Where credentials for this service come from (RFC 9728)',
    { resource: text, authorization_servers: texts.optional(), scopes_supported: texts, bearer_methods_supported: texts.optional() },
  ),
  '/.well-known/oauth-authorization-server': document(
    'get_authorization_server_metadata',
    'What the authorization server can do, and how agents register (RFC 8414)',
    { issuer: text, authorization_endpoint: some, token_endpoint: some, scopes_supported: texts.optional(), agent_auth: object.optional() },
  ),
  '/.well-known/mcp.json': document('get_mcp_manifest', 'Manifest of the tool-protocol server', { name: some, version: some }),
})
