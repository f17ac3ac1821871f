// What follows the text twin of a tool result: a remark where there is more than was given, and an A2UI surface where the client
// has said, with this request, that it can draw one.
import { a2uiCatalog } from './catalogue.ts'
import { composeSurface } from './a2ui/compose.ts'
import type { Data } from './a2ui/data.ts'
import { list, number, object, text } from './a2ui/data.ts'

export type Content = Readonly<Record<string, unknown>> & { type: string }

export interface FurtherSettings {
  /** Without a trailing slash. */
  baseUrl: string
}

/** Blocks for a model and for a person; empty for most calls. */
export function furtherContent(tool: string, data: Data, meta: Data | undefined, { baseUrl }: FurtherSettings): Content[] {
  const remarks = tool === 'export_leads' ? moreLeads(data, baseUrl) : []
  if (meta === undefined || !drawsA2ui(meta)) return remarks
  const surface = composeSurface(tool, data)
  if (surface === undefined) return remarks
  const uri = `a2ui://${new URL(baseUrl).host}/${tool}/${surface.id}`
  const resource = { uri, mimeType: 'application/a2ui+json', text: surface.messages }
  return [...remarks, { type: 'resource', resource, annotations: { audience: ['user'] } }]
}

function moreLeads(data: Data, baseUrl: string): Content[] {
  if (text(data, 'nextCursor') === '') return []
  const [given, total] = [list(data, 'leads').length, number(data, 'total')]
  const words = `${given.toLocaleString('en')} of ${total.toLocaleString('en')} leads; pass nextCursor for the rest, or fetch the CSV.`
  return [
    { type: 'text', text: words },
    {
      type: 'resource_link',
      uri: `${baseUrl}/api/v1/agent/sessions/${text(data, 'sessionId')}/leads`,
      name: 'leads.csv',
      title: 'All leads as CSV',
      mimeType: 'text/csv',
    },
  ]
}

function drawsA2ui(meta: Data): boolean {
  const catalogs = object(object(object(meta, 'a2ui'), 'clientCapabilities'), 'v0.9')['supportedCatalogIds']
  return Array.isArray(catalogs) && catalogs.includes(a2uiCatalog)
}
