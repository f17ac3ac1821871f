// The text of client/routes.ts, as the list of operations makes it.
import { allOperations } from './operations.ts'

/** Uploads and streams are left out: the typed client speaks JSON. */
export function routesText(): string {
  const rows = allOperations.flatMap(({ name, http }) =>
    http === undefined || http.readBody !== undefined || http.feed !== undefined
      ? []
      : [`  ${name}: { method: '${http.method}', path: '${http.path}' },`],
  )
  return [
    '// Method and address of every operation that HTTP offers as JSON. Made by `node scripts/client-routes.ts`; do not edit.',
    'export const routes = {',
    ...rows,
    '} as const',
    '',
  ].join('\n')
}
