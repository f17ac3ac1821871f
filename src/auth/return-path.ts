// Where a browser may be sent after signing in: a path of this service and nothing else (open redirects).

export const defaultReturn = '/dashboard'

/** `path` if it stays on this origin after parsing, else the dashboard. Total. */
export function safeReturn(path: string | undefined): string {
  if (path === undefined || path.length > 2_000 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(path)) return defaultReturn
  const parsed = URL.parse(path, 'https://own.invalid')
  if (parsed === null || parsed.origin !== 'https://own.invalid' || parsed.pathname.startsWith('//')) return defaultReturn
  return parsed.pathname + parsed.search + parsed.hash
}
