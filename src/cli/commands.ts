// Every command, in the order of the help.
import type { Command } from './command.ts'

const installOptions = {
  url: { type: 'string', value: 'URL', meaning: 'another address than the known one, for a name of your own' },
  mirror: { type: 'string', value: 'URL', meaning: 'a folder that holds the same files, instead of their releases' },
  sha256: { type: 'string', value: 'HEX', meaning: 'what its checksum must be' },
  unchecked: { type: 'boolean', meaning: 'take it although no checksum is known; it is noted' },
} as const

export const commands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Start the service; with a file, publish it as a talk and print its room',
    arguments: ['[deck]'],
    options: {
      demo: { type: 'boolean', meaning: 'publish the welcome talk when the store is empty' },
      role: { type: 'string', value: 'R', meaning: 'web, worker or all; stands above ROSTRUM_ROLE' },
    },
    load: () => import('./serve.ts'),
  },
  {
    name: 'mcp',
    summary: 'Speak the tool protocol on standard input and output',
    options: { url: { type: 'string', value: 'URL', meaning: 'forward to a running service instead of opening the store' } },
    load: () => import('./mcp.ts'),
  },
  {
    name: 'key create',
    summary: 'Make an API key and print it alone, once',
    options: {
      name: { type: 'string', value: 'N', meaning: 'what the key is for', required: true },
      scopes: { type: 'string', value: '"A B"', meaning: 'narrow it to these scopes; every scope where absent' },
      expires: { type: 'string', value: '90d', meaning: 'its life, or `never`; a year where absent' },
      account: { type: 'string', value: 'ID', meaning: "the account it acts for; the owner's where absent" },
    },
    load: async () => ({ run: (await import('./keys.ts')).create }),
  },
  {
    name: 'key list',
    summary: 'List the API keys that are not revoked',
    options: { account: { type: 'string', value: 'ID', meaning: "whose; the owner's where absent" } },
    load: async () => ({ run: (await import('./keys.ts')).list }),
  },
  {
    name: 'key rotate',
    summary: 'Make a key in the place of another, which works on for a while; print the new one alone, once',
    arguments: ['<id>'],
    options: {
      grace: { type: 'string', value: '1d', meaning: 'how long the old one works on, or `none`; a day where absent' },
      account: { type: 'string', value: 'ID', meaning: "whose; the owner's where absent" },
    },
    load: async () => ({ run: (await import('./keys.ts')).rotate }),
  },
  {
    name: 'key revoke',
    summary: 'End an API key at once',
    arguments: ['<id>'],
    options: { account: { type: 'string', value: 'ID', meaning: "whose; the owner's where absent" } },
    load: async () => ({ run: (await import('./keys.ts')).revoke }),
  },
  {
    name: 'user create',
    summary: 'Add a person, with an account of their own unless one is named',
    options: {
      email: { type: 'string', value: 'E', meaning: 'their e-mail address', required: true },
      password: { type: 'string', value: 'P', meaning: 'their first password', required: true },
      name: { type: 'string', value: 'N', meaning: 'their name; the part before the @ where absent' },
      account: { type: 'string', value: 'ID', meaning: 'the account they join; `owner` for the first one' },
      role: { type: 'string', value: 'R', meaning: 'owner, admin or member; owner of a new account, else member' },
    },
    load: async () => ({ run: (await import('./users.ts')).create }),
  },
  {
    name: 'user reset-link',
    summary: 'Print a link, for one use within 30 minutes, that sets a new password',
    options: { email: { type: 'string', value: 'E', meaning: 'whose', required: true } },
    load: async () => ({ run: (await import('./users.ts')).resetLink }),
  },
  {
    name: 'session create',
    summary: 'Create a session, from a deck where one is given',
    options: {
      title: { type: 'string', value: 'T', meaning: "its title; where absent, the deck's own" },
      deck: { type: 'string', value: 'F', meaning: 'a PDF or PPTX file' },
      publish: { type: 'boolean', meaning: 'open its room at once' },
    },
    load: async () => ({ run: (await import('./sessions.ts')).create }),
  },
  {
    name: 'session list',
    summary: 'List sessions with their state and account',
    options: {
      account: { type: 'string', value: 'ID', meaning: "whose; the owner's where absent" },
      'all-accounts': { type: 'boolean', meaning: 'those of every account' },
    },
    load: async () => ({ run: (await import('./sessions.ts')).list }),
  },
  {
    name: 'session unpublish',
    summary: 'Close the room of a session; people in it finish their talk',
    arguments: ['<id>'],
    options: { 'all-accounts': { type: 'boolean', meaning: 'also one of another account' } },
    load: async () => ({ run: (await import('./sessions.ts')).unpublish }),
  },
  {
    name: 'session delete',
    summary: 'Remove a session for good, with its leads; its running talks end',
    arguments: ['<id>'],
    options: { 'all-accounts': { type: 'boolean', meaning: 'also one of another account' } },
    load: async () => ({ run: (await import('./sessions.ts')).remove }),
  },
  {
    name: 'agent list',
    summary: 'List the agents that may call, claimed or not',
    options: { unclaimed: { type: 'boolean', meaning: 'only those that nobody has claimed' } },
    load: async () => ({ run: (await import('./agents.ts')).list }),
  },
  {
    name: 'agent revoke',
    summary: 'End an agent and all its tokens at once',
    arguments: ['<id>'],
    options: {},
    load: async () => ({ run: (await import('./agents.ts')).revoke }),
  },
  {
    name: 'audit list',
    summary: 'List what was done and reported, newest first',
    options: {
      action: { type: 'string', value: 'A', meaning: 'only this: `session.reported`, `agent.registered`, ...' },
      account: { type: 'string', value: 'ID', meaning: 'only of this account' },
      limit: { type: 'string', value: 'N', meaning: 'how many; 50 where absent' },
    },
    load: async () => ({ run: (await import('./about.ts')).auditList }),
  },
  {
    name: 'migrate',
    summary: 'Bring a store of an older version to this one, as `serve` does and no other command',
    options: {},
    load: async () => ({ run: (await import('./store.ts')).migrate }),
  },
  {
    name: 'backup',
    summary: 'Copy the embedded store into a file, while it is in use',
    arguments: ['<file>'],
    options: {},
    load: async () => ({ run: (await import('./store.ts')).makeBackup }),
  },
  {
    name: 'restore',
    summary: 'Put a backup in the place of the embedded store',
    arguments: ['<file>'],
    options: {},
    load: async () => ({ run: (await import('./store.ts')).restoreBackup }),
  },
  {
    name: 'voice list',
    summary: 'List voices and recognisers for this machine, with licence, size and whether they are here',
    options: {},
    load: async () => ({ run: (await import('./voices.ts')).list }),
  },
  {
    name: 'voice install',
    summary: 'Fetch a voice or a recogniser into the data directory, and check it; a broken download goes on',
    arguments: ['<name>'],
    options: installOptions,
    load: async () => ({ run: (await import('./voices.ts')).installVoice }),
  },
  {
    name: 'voice try',
    summary: 'Let a voice say a sentence into a WAV file, or a recogniser write down a recording',
    arguments: ['<name>', '[recording.wav]'],
    options: {
      text: { type: 'string', value: 'T', meaning: 'what it says' },
      speaker: { type: 'string', value: 'S', meaning: 'which of its voices; the first where absent' },
      out: { type: 'string', value: 'FILE', meaning: 'where to; the name with .wav where absent' },
    },
    load: async () => ({ run: (await import('./voices.ts')).tryVoice }),
  },
  {
    name: 'model list',
    summary: 'List language models for this machine, with licence, size and whether they are here',
    options: {},
    load: async () => ({ run: (await import('./models.ts')).list }),
  },
  {
    name: 'model install',
    summary: 'Add the engine of language models to the data directory (85 MB, by npm), and fetch a model for it',
    arguments: ['[name]'],
    options: installOptions,
    load: async () => ({ run: (await import('./models.ts')).installModel }),
  },
  {
    name: 'model try',
    summary: 'Let a model of this machine write a sentence, or measure one, and say how fast',
    arguments: ['<name>'],
    options: { ask: { type: 'string', value: 'T', meaning: 'what it is asked' } },
    load: async () => ({ run: (await import('./models.ts')).ask }),
  },
  {
    name: 'doctor',
    summary: 'Check store, port, egress, blocklist, mail, model and speech, and say what to do',
    options: {},
    load: () => import('./doctor.ts'),
  },
  { name: 'bench', summary: 'Measure this machine', options: {}, load: async () => ({ run: (await import('./about.ts')).bench }) },
  {
    name: 'config',
    summary: 'Print the effective configuration, secrets masked',
    options: {},
    load: async () => ({ run: (await import('./about.ts')).printConfig }),
  },
  { name: 'version', summary: 'Print the version', options: {}, load: () => import('./version.ts') },
]
