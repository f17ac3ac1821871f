// What a command is: words for its help, the options it takes, and the module that runs it, loaded only when it is asked for.
import type { Config } from '../config/config.ts'

interface OptionSpec {
  meaning: string
  /** What stands for the value in the help: `--name N`. Absent: it is a flag. */
  value?: string
  required?: true
}

export interface Command {
  /** Words after `rostrum`: `key create`. */
  name: string
  summary: string
  /** Positional arguments as the help shows them: `[deck.pdf]`; their number is the most that is taken. */
  arguments: readonly string[]
  options?: Readonly<Record<string, OptionSpec>>
  load(): Promise<Run>
}

export interface Invocation {
  /** A string option by its name; undefined where it was not given. */
  text(name: string): string | undefined
  flag(name: string): boolean
  positionals: readonly string[]
  /** Reads the configuration, variables of `over` above those of the environment; a bad one ends the command with its problems. */
  config(over?: Readonly<Record<string, string | undefined>>): Config
  print: Print
}

export interface Print {
  /** The result: `text` for people, or `value` as one line of JSON with `--json`. */
  result(text: string, value: unknown): void
  /** A line for each, of the parts that there are, or the words where there is none. */
  list(lines: readonly (readonly (string | null)[])[], none: string, value: unknown): void
  /** A remark beside the result, on standard error. */
  note(text: string): void
}

/** Gives the exit code; nothing means 0. */
export type Run = (invocation: Invocation) => Promise<number | void>

/** Ends the command with words on standard error: 2 for a wrong call, 1 for everything else. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}

// The help of the whole program and of one command.

export function helpOf(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => usageOf(command).length))
  const lines = commands.map((command) => `  ${usageOf(command).padEnd(width)}  ${command.summary}`)
  return [
    'Rostrum: an automated presenter that gives a talk from your deck.',
    '',
    'Usage: rostrum <command> [options]',
    '',
    ...lines,
    '',
    'Every command takes --json, for one line of JSON instead of text, and --help.',
    'Configuration comes from the environment and `.env`: see `rostrum config`.',
  ].join('\n')
}

export function helpOfCommand(command: Command): string {
  const options: Readonly<Record<string, OptionSpec>> = { ...command.options, json: { meaning: 'one line of JSON instead of text' } }
  const shown = Object.entries(options).map(([name, spec]) => ({
    name: spec.value === undefined ? `--${name}` : `--${name} ${spec.value}`,
    spec,
  }))
  const width = Math.max(...shown.map(({ name }) => name.length))
  const required = (spec: OptionSpec) => (spec.required ? ' (required)' : '')
  return [
    `${command.summary}.`,
    '',
    `Usage: rostrum ${usageOf(command)} [options]`,
    '',
    ...shown.map(({ name, spec }) => `  ${name.padEnd(width)}  ${spec.meaning}${required(spec)}`),
  ].join('\n')
}

function usageOf(command: Command): string {
  return [command.name, ...command.arguments].join(' ')
}
