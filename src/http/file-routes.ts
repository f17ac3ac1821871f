// Routes of the built web files and of media.
import { join } from 'node:path'
import { ServiceError } from '../kernel/errors.ts'
import type { FileAnswer } from './files.ts'
import { assetFiles, mediaAnswer } from './files.ts'
import type { HttpOptions, Route } from './ports.ts'

/** `/assets/*`, the few files of the web build beside them, and `/media/*`. */
export function fileRoutes({ webRoot, media }: Pick<HttpOptions, 'webRoot' | 'media'>): readonly Route[] {
  const assets = assetFiles(join(webRoot, 'assets'))
  const rootFiles = assetFiles(webRoot, 'public, max-age=3600')
  const answer = (file: FileAnswer | undefined) => {
    if (file === undefined) throw new ServiceError('not_found', 'No such file.')
    return new Response(file.body, { status: file.status, headers: file.headers })
  }
  const rootRoute = (name: string): Route => ({
    method: 'GET',
    path: `/${name}`,
    kind: 'document',
    handle: async ({ request }) => answer(await rootFiles(name, request.headers.get('accept-encoding') ?? undefined)),
  })
  return [
    {
      method: 'GET',
      path: '/assets/:name',
      kind: 'document',
      handle: async ({ request, params }) =>
        answer(await assets(params['name'] ?? '', request.headers.get('accept-encoding') ?? undefined)),
    },
    {
      method: 'GET',
      path: '/media/:name',
      kind: 'document',
      async handle({ request, params }) {
        const range = request.headers.get('range')
        const ifNoneMatch = request.headers.get('if-none-match')
        const asked = { ...(range === null ? {} : { range }), ...(ifNoneMatch === null ? {} : { ifNoneMatch }) }
        return answer(await mediaAnswer(media, params['name'] ?? '', asked))
      },
    },
    rootRoute('favicon.svg'),
    rootRoute('manifest.webmanifest'),
  ]
}
