// `rostrum config`: what the service would run with. Exit 1 where it would not start.
import { environment, readConfig, showConfig } from '../config.ts'
import type { Run } from './command.ts'

/** Longer values push their meaning to the right. */
const valueWidth = 22

export const run: Run = async ({ print }) => {
  const env = environment()
  const shown = showConfig(env)
  const { problems, warnings } = readConfig(env)
  const width = Math.max(...shown.map(({ name }) => name.length))
  const lines = shown.map(
    ({ name, value, isSet, meaning }) => `${isSet ? '*' : ' '} ${name.padEnd(width)}  ${value.padEnd(valueWidth)}  ${meaning}`,
  )
  print.result([...lines, '', '* set by you; the others are defaults'].join('\n'), { variables: shown, problems, warnings })
  for (const warning of warnings) print.note(`warning: ${warning}`)
  for (const problem of problems) print.note(`problem: ${problem}`)
  return problems.length === 0 ? 0 : 1
}
