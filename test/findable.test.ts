// The files by which registries and clients of agents find Rostrum have their published forms. The shapes below are the parts of the
// published schemas that these files use, closed so that a slip is found; each names its source. The schemas themselves are others' files
// and in no package: a folder of them, `ROSTRUM_TEST_SCHEMAS`, is held against as well (docs/releasing.md).
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { z } from 'zod'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const readJson = (path: string): unknown => JSON.parse(read(path))

const version = z.string().regex(/^\d+\.\d+\.\d+$/)
const own = z.looseObject({ name: z.string(), version, mcpName: z.string() }).parse(readJson('package.json'))

// https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json (modelcontextprotocol/registry)
const input = z.strictObject({
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  value: z.string().optional(),
})
const registryServer = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: version.max(255),
  packages: z.array(
    z.strictObject({
      registryType: z.enum(['npm', 'pypi', 'cargo', 'oci', 'nuget', 'mcpb']),
      identifier: z.string(),
      version,
      runtimeHint: z.enum(['npx', 'uvx', 'docker', 'dnx']),
      transport: z.strictObject({ type: z.literal('stdio') }),
      packageArguments: z.array(input.extend({ type: z.literal('positional'), value: z.string() })),
      environmentVariables: z.array(input.extend({ name: z.string() })),
    }),
  ),
  remotes: z.array(
    z.strictObject({
      type: z.enum(['streamable-http', 'sse']),
      url: z.string().regex(/^https?:\/\/\S+$/),
      variables: z.record(z.string(), input),
    }),
  ),
})

// https://json.schemastore.org/claude-code-plugin-manifest.json
const person = z.strictObject({ name: z.string().min(1), email: z.string().optional(), url: z.string().optional() })
const kebab = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
const claudePlugin = z.strictObject({
  $schema: z.string(),
  name: kebab,
  version,
  description: z.string(),
  author: person,
  license: z.string(),
  keywords: z.array(z.string()),
  mcpServers: z.record(
    z.string(),
    z.strictObject({ type: z.literal('http'), url: z.string(), headers: z.record(z.string(), z.string()).optional() }),
  ),
})

// https://json.schemastore.org/claude-code-marketplace.json
const claudeMarketplace = z.strictObject({
  $schema: z.string(),
  name: kebab,
  description: z.string(),
  owner: person,
  plugins: z.array(
    z.strictObject({
      name: kebab,
      source: z.string().regex(/^\.\//),
      description: z.string(),
      license: z.string(),
      category: z.string(),
    }),
  ),
})

// https://geminicli.com/docs/extensions/reference
const geminiExtension = z.strictObject({
  name: kebab,
  version,
  description: z.string(),
  contextFileName: z.string(),
  settings: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      envVar: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
      sensitive: z.boolean().optional(),
    }),
  ),
  mcpServers: z.record(z.string(), z.strictObject({ httpUrl: z.string(), headers: z.record(z.string(), z.string()).optional() })),
})

// https://agentskills.io/specification
const skillHead = z.strictObject({
  name: kebab.max(64),
  description: z.string().min(1).max(1_024),
  license: z.string().optional(),
  compatibility: z.string().min(1).max(500).optional(),
})

const skill = 'plugins/rostrum/skills/rostrum/SKILL.md'

test('server.json is of the form of the MCP registry, and names this package and version', () => {
  const server = registryServer.parse(readJson('server.json'))
  assert.deepEqual([server.name, server.version], [own.mcpName, own.version])
  assert.equal(z.looseObject({ version }).parse(readJson('client/package.json')).version, own.version)
  assert.deepEqual(
    server.packages.map(({ identifier, version: each }) => [identifier, each]),
    [[own.name, own.version]],
  )
  for (const { url, variables } of server.remotes)
    assert.deepEqual(
      [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      Object.keys(variables),
    )
})

const schemas = process.env['ROSTRUM_TEST_SCHEMAS'] ?? ''
for (const file of ['server.json', '.claude-plugin/marketplace.json', 'plugins/rostrum/.claude-plugin/plugin.json']) {
  const { $schema } = z.looseObject({ $schema: z.string() }).parse(readJson(file))
  const published = join(schemas, basename($schema))
  const skip = schemas !== '' && existsSync(published) ? false : `needs ${$schema} in ROSTRUM_TEST_SCHEMAS`
  test(`${file} holds to the schema that is published at the address it names`, { skip }, () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    const schema = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(published, 'utf8')))
    assert.ok(ajv.validate(schema, readJson(file)), ajv.errorsText())
  })
}

test('the plugin of Claude Code and its marketplace are of their forms, and lead to each other', () => {
  const { plugins } = claudeMarketplace.parse(readJson('.claude-plugin/marketplace.json'))
  for (const { name, source } of plugins) {
    const plugin = claudePlugin.parse(readJson(join(source, '.claude-plugin/plugin.json')))
    assert.deepEqual([plugin.name, plugin.version], [name, own.version])
  }
})

test('the extension of Gemini CLI is of its form, its settings are used, and its context is there', () => {
  const extension = geminiExtension.parse(readJson('gemini-extension.json'))
  assert.equal(extension.version, own.version)
  const used = [...JSON.stringify(extension.mcpServers).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name)
  assert.deepEqual(
    used,
    extension.settings.map(({ envVar }) => envVar),
  )
  assert.ok(existsSync(join(root, extension.contextFileName)))
})

test('SKILL.md is a skill: its head says what and when, its folder has its name, and it names tools that there are', async () => {
  const [, head = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(read(skill)) ?? []
  const members = head.split('\n').map((line) => {
    const at = line.indexOf(': ')
    return [line.slice(0, at), line.slice(at + 2)] as const
  })
  const { name } = skillHead.parse(Object.fromEntries(members))
  assert.equal(name, skill.split('/').at(-2))
  assert.ok(body.split('\n').length < 500)
  const { toolNames } = await import('./mcp/rpc.ts')
  const named = new Set([...body.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, tool = '']) => tool))
  for (const tool of toolNames.filter((each) => each !== 'list_sessions' && each !== 'get_session')) assert.ok(named.has(tool), tool)
  const known = new Set<string>([...toolNames, 'claim_uri'])
  for (const tool of named) assert.ok(known.has(tool), `${tool} is no tool`)
})

test('llms.txt has its form (https://llmstxt.org): a title, a summary, lists of links to what is there; so do the links of AGENTS.md', () => {
  const text = read('llms.txt')
  assert.match(text, /^# [^\n]+\n\n> [^\n]+\n/)
  for (const section of text.split(/^## /m).slice(1)) {
    const [, ...lines] = section.trim().split('\n')
    for (const line of lines) assert.match(line, /^- \[[^\]]+\]\([^)]+\): \S/)
  }
  for (const file of ['llms.txt', 'AGENTS.md'])
    for (const [, link = ''] of read(file).matchAll(/\]\(([^)]+)\)/g)) assert.ok(existsSync(join(root, dirname(file), link)), link)
})
