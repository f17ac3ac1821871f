// One rate for every bucket that the configuration knows.
import type { Rates } from '../../server/config/config.ts'
import { readConfig } from '../../server/config/config.ts'

export function everyRate(rate: Rates['api']): Rates {
  const { config } = readConfig({})
  if (config === undefined) throw new Error('The configuration by default has problems.')
  return { ...config.rates, ...Object.fromEntries(Object.keys(config.rates).map((bucket) => [bucket, rate])) }
}
