// The text of client/routes.ts, as the list of operations makes it.
import { allOperations } from './operations.ts'

/** Uploads of bytes without a form are left out; what streams answers JSON too, where it is asked for that. */
export function routesText(): string {
  const rowsOf = (isUpload: boolean) =>
    allOperations.flatMap(({ name, http }) => {
      if (http === undefined) return []
      const isJson = http.readBody === undefined || http.bodyTypes?.[0] === 'application/json'
      const takes = isJson ? 'json' : http.bodyTypes?.includes('multipart/form-data') ? 'form' : 'bytes'
      return takes === (isUpload ? 'form' : 'json') ? [`  ${name}: { method: '${http.method}', path: '${http.path}' },`] : []
    })
  return [
    '// Method and address of every operation that HTTP offers as JSON, and of those that take a form with files. Made by',
    '// `node scripts/client-routes.ts`; do not edit.',
    'export const routes = {',
    ...rowsOf(false),
    '} as const',
    '',
    'export const uploads = {',
    ...rowsOf(true),
    '} as const',
    '',
  ].join('\n')
}
