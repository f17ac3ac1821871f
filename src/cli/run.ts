// From the words of a command line to a command that runs: finds it, reads its options, and turns every failure into an
// exit code (0 done, 1 failed, 2 wrong call) with words on standard error.
import { parseArgs } from 'node:util'
import type { Config } from '../config.ts'
import { environment, readConfig } from '../config.ts'
import { isServiceError } from '../platform/errors.ts'
import { type Command, CommandError, helpOf, helpOfCommand, type Invocation } from './command.ts'
import { commands } from './commands.ts'

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
