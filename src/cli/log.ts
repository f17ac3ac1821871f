// Logs are JSON lines on standard error, words with colours on a terminal. Secrets never get there: credentials are redacted
// wherever an object carries them.
import type { Logger } from 'pino'
import { pino } from 'pino'

const secrets = ['authorization', 'cookie', 'set-cookie', 'password', 'token', 'access_token', 'secret', 'key']

export async function createLog(level: string): Promise<Logger> {
  const paths = [...secrets, ...secrets.map((name) => `*["${name}"]`)].map((path) =>
    path.includes('-') && !path.startsWith('*') ? `["${path}"]` : path,
  )
  const options = { level, base: null, redact: { paths, censor: '[redacted]' } }
  if (!process.stderr.isTTY) return pino(options, pino.destination({ fd: 2, sync: true }))
  const { default: pretty } = await import('pino-pretty')
  return pino(options, pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }))
}
