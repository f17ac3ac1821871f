// From the words of a command line to a command that runs: finds it, reads its options, and turns every failure into an
// exit code (0 done, 1 failed, 2 wrong call) with words on standard error.
import { parseArgs } from 'node:util'
import { type Config, environment, readConfig } from '../config/config.ts'
import { isServiceError } from '../platform/errors.ts'
import { type Command, CommandError, helpOf, helpOfCommand, type Invocation } from './command.ts'

// Every command, in the order of the help.

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
    load: async () => ({ run: (await import('./serve.ts')).speakMcp }),
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

export interface Streams {
  out(text: string): void
  err(text: string): void
}

/** Runs the command that `words` name; gives the exit code. */
export async function runCommandLine(words: readonly string[], streams: Streams): Promise<number> {
  const wantsHelp = words.includes('--help') || words.includes('-h')
  const command = findCommand(words)
  if (command === undefined) {
    const begun = commandsBelow(words)
    if (begun.length > 0 && (wantsHelp || words.length === 0)) {
      streams.out(helpOf(begun))
      return words.length === 0 ? 2 : 0
    }
    if (words.includes('--version')) return runCommandLine(['version'], streams)
    streams.err(`There is no command \`${words.slice(0, 2).join(' ')}\`.\n\n${helpOf(commands)}`)
    return 2
  }
  if (wantsHelp) {
    streams.out(helpOfCommand(command))
    return 0
  }
  try {
    const invocation = readInvocation(command, words.slice(command.name.split(' ').length), streams)
    const { run } = await command.load()
    return (await run(invocation)) ?? 0
  } catch (error) {
    return explain(error, command, streams)
  }
}

function findCommand(words: readonly string[]): Command | undefined {
  const matches = (command: Command) => command.name.split(' ').every((part, at) => words[at] === part)
  return commands.find(matches)
}

/** All commands whose names begin with the words; every command where there is none. */
function commandsBelow(words: readonly string[]): Command[] {
  const given = words.filter((word) => !word.startsWith('-'))
  return commands.filter(({ name }) => given.every((word, at) => name.split(' ')[at] === word))
}

function readInvocation(command: Command, args: readonly string[], streams: Streams): Invocation {
  const options = Object.fromEntries(Object.entries(command.options).map(([name, { type }]) => [name, { type }]))
  const { values, positionals } = parse(args, { ...options, json: { type: 'boolean' } })
  const most = command.arguments?.length ?? 0
  const least = command.arguments?.filter((argument) => argument.startsWith('<')).length ?? 0
  if (positionals.length > most) throw new CommandError(`\`${positionals[most] ?? ''}\` is one argument too many.`, 2)
  if (positionals.length < least) throw new CommandError(`${command.arguments?.[positionals.length] ?? ''} is missing.`, 2)
  for (const [name, spec] of Object.entries(command.options)) {
    if (spec.required && values[name] === undefined) throw new CommandError(`--${name} is missing.`, 2)
  }
  return {
    text: (name) => {
      const value = values[name]
      return typeof value === 'string' ? value : undefined
    },
    flag: (name) => values[name] === true,
    positionals,
    config: (over = {}) => loadConfig(streams, over),
    print: {
      result: (text, value) => streams.out(values['json'] === true ? JSON.stringify(value) : text),
      note: (text) => streams.err(text),
    },
  }
}

function parse(args: readonly string[], options: Record<string, { type: 'string' | 'boolean' }>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : 'The options cannot be read.', 2)
  }
}

function loadConfig(streams: Streams, over: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.entries(over).filter(([, value]) => value !== undefined)
  const { config, problems, warnings } = readConfig({ ...environment(), ...Object.fromEntries(given) })
  for (const warning of warnings) streams.err(`warning: ${warning}`)
  if (config === undefined) throw new CommandError(['The configuration cannot be used:', ...problems.map((line) => `  ${line}`)].join('\n'))
  return config
}

/** Errors whose message says what to do. */
const inWords = new Set(['StartupError', 'SpeechFault', 'EngineFailed'])

/** Words for people; a stack only for what nobody expected. */
function explain(error: unknown, command: Command, streams: Streams): number {
  if (error instanceof CommandError) {
    streams.err(error.exitCode === 2 ? `${error.message}\n\n${helpOfCommand(command)}` : error.message)
    return error.exitCode
  }
  if (isServiceError(error) || (error instanceof Error && inWords.has(error.name))) streams.err(error.message)
  else streams.err(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return 1
}
