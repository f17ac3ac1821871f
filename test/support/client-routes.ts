// The text of client/routes.ts, as the list of operations makes it.
import { allOperations } from './operations.ts'

/** What streams answers JSON too, where it is asked for that. An upload is a form with files, or the bytes of one. */
export function routesText(): string {
  const rowsOf = (isUpload: boolean) =>
    allOperations.flatMap(({ name, http }) => {
      if (http === undefined) return []
      // Some take either: slides as JSON, or as files.
      const isJson = http.readBody === undefined || http.bodyTypes?.includes('application/json')
      const isFiles = http.readBody !== undefined && http.bodyTypes?.[0] !== 'application/json'
      const bytes = !isFiles || http.bodyTypes?.includes('multipart/form-data') ? '' : ", takes: 'bytes'"
      return !(isUpload ? isFiles : isJson) ? [] : [`  ${name}: { method: '${http.method}', path: '${http.path}'${bytes} },`]
    })
  return [
    '// Method and address of every operation that HTTP offers as JSON, and of those that take files. Made by',
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
