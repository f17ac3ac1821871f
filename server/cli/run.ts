// From the words of a command line to a command that runs: finds it, reads its options, and turns every failure into an
// exit code (0 done, 1 failed, 2 wrong call) with words on standard error.
import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Config, environment, readConfig } from '../config/config.ts'
import { isServiceError } from '@rostrum/base/errors'
import { type Command, CommandError, helpOf, helpOfCommand, type Invocation, type Print } from './command.ts'

// Every command by its usage, in the order of the help: what it takes in `<>` it needs, in `[]` it may have.

const account = { value: 'ID', meaning: "whose; the owner's where absent" } as const

const installOptions = {
  url: { value: 'URL', meaning: 'another address than the known one, for a name of your own' },
  mirror: { value: 'URL', meaning: 'a folder that holds the same files, instead of their releases' },
  sha256: { value: 'HEX', meaning: 'what its checksum must be' },
  unchecked: { meaning: 'take it although no checksum is known; it is noted' },
} as const

const table: Readonly<Record<string, Omit<Command, 'name' | 'arguments'>>> = {
  'serve [deck]': {
    summary: 'Start the service; with a file, publish it as a talk and print its room. `rostrum [deck]` is `serve --demo [deck]`',
    options: {
      demo: { meaning: 'publish the welcome talk when the store is empty' },
      role: { value: 'R', meaning: 'web, worker or all; stands above ROSTRUM_ROLE' },
    },
    load: async () => (await import('./serve.ts')).run,
  },
  mcp: {
    summary: 'Speak the tool protocol on standard input and output',
    options: { url: { value: 'URL', meaning: 'forward to a running service instead of opening the store' } },
    load: async () => (await import('./serve.ts')).speakMcp,
  },
  'deck read <file>': {
    summary: 'Read a deck into slides and blocks, without a service: titles, text, tables, what was set apart',
    load: async () => (await import('./files.ts')).readDeck,
  },
  'talk <file>': {
    summary: 'Print the talk that is made of a deck, sentence by sentence, without a service',
    options: { minutes: { value: 'N', meaning: 'a wished length' } },
    load: async () => (await import('./files.ts')).tellTalk,
  },
  'ask <file> <question>': {
    summary: 'Answer a question from a deck, with what is cited, without a service',
    load: async () => (await import('./files.ts')).askFile,
  },
  'key create': {
    summary: 'Make an API key and print it alone, once',
    options: {
      name: { value: 'N', meaning: 'what the key is for', required: true },
      scopes: { value: '"A B"', meaning: 'narrow it to these scopes; every scope where absent' },
      expires: { value: '90d', meaning: 'its life, or `never`; a year where absent' },
      account: { value: 'ID', meaning: "the account it acts for; the owner's where absent" },
    },
    load: async () => (await import('./access.ts')).createKey,
  },
  'key list': {
    summary: 'List the API keys that are not revoked',
    options: { account },
    load: async () => (await import('./access.ts')).listKeys,
  },
  'key rotate <id>': {
    summary: 'Make a key in the place of another, which works on for a while; print the new one alone, once',
    options: {
      grace: { value: '1d', meaning: 'how long the old one works on, or `none`; a day where absent' },
      account,
    },
    load: async () => (await import('./access.ts')).rotateKey,
  },
  'key revoke <id>': {
    summary: 'End an API key at once',
    options: { account },
    load: async () => (await import('./access.ts')).revokeKey,
  },
  'user create': {
    summary: 'Add a person, with an account of their own unless one is named',
    options: {
      email: { value: 'E', meaning: 'their email address', required: true },
      password: { value: 'P', meaning: 'their first password', required: true },
      name: { value: 'N', meaning: 'their name; the part before the @ where absent' },
      account: { value: 'ID', meaning: 'the account they join; `owner` for the first one' },
      role: { value: 'R', meaning: 'owner, admin or member; owner of a new account, else member' },
    },
    load: async () => (await import('./access.ts')).createUser,
  },
  'user reset-link': {
    summary: 'Print a link, for one use within 30 minutes, that sets a new password',
    options: { email: { value: 'E', meaning: 'whose', required: true } },
    load: async () => (await import('./access.ts')).resetLink,
  },
  'session create': {
    summary: 'Create a session, from a deck where one is given',
    options: {
      title: { value: 'T', meaning: "its title; where absent, the deck's own" },
      deck: { value: 'F', meaning: 'a PDF or PPTX file' },
      publish: { meaning: 'open its room at once' },
    },
    load: async () => (await import('./access.ts')).create,
  },
  'session list': {
    summary: 'List sessions with their state and account',
    options: {
      account,
      'all-accounts': { meaning: 'those of every account' },
    },
    load: async () => (await import('./access.ts')).list,
  },
  'session unpublish <id>': {
    summary: 'Close the room of a session; people in it finish their talk',
    options: { 'all-accounts': { meaning: 'also one of another account' } },
    load: async () => (await import('./access.ts')).unpublish,
  },
  'session delete <id>': {
    summary: 'Remove a session for good, with its leads; its running talks end',
    options: { 'all-accounts': { meaning: 'also one of another account' } },
    load: async () => (await import('./access.ts')).remove,
  },
  'agent list': {
    summary: 'List the agents that may call, claimed or not',
    options: { unclaimed: { meaning: 'only those that nobody has claimed' } },
    load: async () => (await import('./access.ts')).listAgents,
  },
  'agent revoke <id>': {
    summary: 'End an agent and all its tokens at once',
    load: async () => (await import('./access.ts')).revokeAgent,
  },
  'audit list': {
    summary: 'List what was done and reported, newest first',
    options: {
      action: { value: 'A', meaning: 'only this: `session.reported`, `agent.registered`, ...' },
      account: { value: 'ID', meaning: 'only of this account' },
      limit: { value: 'N', meaning: 'how many; 50 where absent' },
    },
    load: async () => (await import('./about.ts')).auditList,
  },
  migrate: {
    summary: 'Bring a store of an older version to this one, as `serve` does and no other command',
    load: async () => (await import('./about.ts')).migrate,
  },
  'backup <file>': {
    summary: 'Copy the embedded store into a file, while it is in use',
    load: async () => (await import('./about.ts')).makeBackup,
  },
  'restore <file>': {
    summary: 'Put a backup in the place of the embedded store',
    load: async () => (await import('./about.ts')).restoreBackup,
  },
  'voice list': {
    summary: 'List voices and recognisers for this machine, with licence, size and whether they are here',
    load: async () => (await import('./models.ts')).list,
  },
  'voice install <name>': {
    summary: 'Fetch a voice or a recogniser into the data directory, and check it; a broken download goes on',
    options: installOptions,
    load: async () => (await import('./models.ts')).installVoice,
  },
  'voice try <name> [recording.wav]': {
    summary: 'Let a voice say a sentence into a WAV file, or a recogniser write down a recording',
    options: {
      text: { value: 'T', meaning: 'what it says' },
      speaker: { value: 'S', meaning: 'which of its voices; the first where absent' },
      out: { value: 'FILE', meaning: 'where to; the name with .wav where absent' },
    },
    load: async () => (await import('./models.ts')).tryVoice,
  },
  'model list': {
    summary: 'List language models for this machine, with licence, size and whether they are here',
    load: async () => (await import('./models.ts')).listModels,
  },
  'model install [name]': {
    summary: 'Add the engine of language models to the data directory (85 MB, by npm), and fetch a model for it',
    options: installOptions,
    load: async () => (await import('./models.ts')).installModel,
  },
  'model try <name>': {
    summary: 'Let a model of this machine write a sentence, or measure one, and say how fast',
    options: { ask: { value: 'T', meaning: 'what it is asked' } },
    load: async () => (await import('./models.ts')).tryModelCommand,
  },
  doctor: {
    summary: 'Check store, port, egress, blocklist, mail, model and speech, and say what to do',
    load: async () => (await import('./doctor.ts')).run,
  },
  bench: { summary: 'Measure this machine', load: async () => (await import('./about.ts')).bench },
  config: {
    summary: 'Print the effective configuration, secrets masked',
    load: async () => (await import('./about.ts')).printConfig,
  },
  version: { summary: 'Print the version', load: async () => (await import('./about.ts')).printVersion },
}

export const commands: readonly Command[] = Object.entries(table).map(([usage, command]) => {
  const words = usage.split(' ')
  const isArgument = (word: string) => /^[<[]/.test(word)
  return { ...command, name: words.filter((word) => !isArgument(word)).join(' '), arguments: words.filter(isArgument) }
})

export interface Streams {
  out(text: string): void
  err(text: string): void
}

/** Runs the command that `words` name; gives the exit code. */
export async function runCommandLine(given: readonly string[], streams: Streams): Promise<number> {
  const words = withCommand(given)
  const wantsHelp = words.includes('--help') || words.includes('-h')
  const command = findCommand(words)
  if (command === undefined) {
    const begun = commandsBelow(words)
    if (begun.length > 0 && wantsHelp) {
      streams.out(helpOf(begun))
      return 0
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
    return (await (await command.load())(invocation)) ?? 0
  } catch (error) {
    return explain(error, command, streams)
  }
}

/** `rostrum` alone starts what `npm start` does, and `rostrum deck.pdf` presents that file. */
function withCommand(words: readonly string[]): readonly string[] {
  const [first] = words
  if (first === undefined) return ['serve', '--demo']
  const isFile = findCommand(words) === undefined && (/\.[a-z]{2,5}$/i.test(first) || statSync(first, { throwIfNoEntry: false })?.isFile())
  return isFile ? ['serve', '--demo', ...words] : words
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
  const specs = Object.entries(command.options ?? {})
  const options: Parameters<typeof parse>[1] = { json: { type: 'boolean' } }
  for (const [name, { value }] of specs) options[name] = { type: value === undefined ? 'boolean' : 'string' }
  const { values, positionals } = parse(args, options)
  const [most, least] = [command.arguments.length, command.arguments.filter((argument) => argument.startsWith('<')).length]
  if (positionals.length > most) throw new CommandError(`\`${positionals[most] ?? ''}\` is one argument too many.`, 2)
  if (positionals.length < least) throw new CommandError(`${command.arguments[positionals.length] ?? ''} is missing.`, 2)
  for (const [name, spec] of specs) {
    if (spec.required && values[name] === undefined) throw new CommandError(`--${name} is missing.`, 2)
  }
  const result: Print['result'] = (text, value) => streams.out(values['json'] === true ? JSON.stringify(value) : text)
  const list: Print['list'] = (lines, none, value) =>
    result(lines.map((line) => line.filter((part) => part !== null).join('  ')).join('\n') || none, value)
  return {
    text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
    flag: (name) => values[name] === true,
    positionals,
    config: (over = {}) => loadConfig(streams, over),
    print: { result, list, note: (text) => streams.err(text) },
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
