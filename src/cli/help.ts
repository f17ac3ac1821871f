// The help of the whole program and of one command.
import type { Command, OptionSpec } from './command.ts'

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
  const json: OptionSpec = { type: 'boolean', meaning: 'one line of JSON instead of text' }
  const options: Readonly<Record<string, OptionSpec>> = { ...command.options, json }
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
  return [command.name, ...(command.arguments ?? [])].join(' ')
}
