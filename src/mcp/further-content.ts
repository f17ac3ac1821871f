// What follows the text twin of a tool result: a remark where there is more than was given, and an A2UI surface where the client
// has said, with this request, that it can draw one.
import { a2uiCatalog } from './catalogue.ts'
import type { Surface } from './a2ui/compose.ts'
import { composeSurface, layOut, surfaceShape } from './a2ui/compose.ts'
import type { Data } from './a2ui/data.ts'
import { list, number, object, text } from './a2ui/data.ts'
import type { Layouts } from './a2ui/layouts.ts'

export type Content = Readonly<Record<string, unknown>> & { type: string }

export interface FurtherSettings {
  /** Without a trailing slash. */
  baseUrl: string
  /** Null: every surface is laid out by rules. */
  layouts: Pick<Layouts, 'layoutFor'> | null
}

/** Blocks for a model and for a person; empty for most calls. */
export function furtherContent(
  tool: string,
  data: Data,
  meta: Data | undefined,
  { baseUrl, layouts }: FurtherSettings,
): Content[] | Promise<Content[]> {
  const remarks = tool === 'export_leads' ? moreLeads(data, baseUrl) : []
  if (meta === undefined || !drawsA2ui(meta)) return remarks
  const withSurface = (surface: Surface | undefined): Content[] => {
    if (surface === undefined) return remarks
    const uri = `a2ui://${new URL(baseUrl).host}/${tool}/${surface.id}`
    const resource = { uri, mimeType: 'application/a2ui+json', text: surface.messages }
    return [...remarks, { type: 'resource', resource, annotations: { audience: ['user'] } }]
  }
  return layouts === null ? withSurface(composeSurface(tool, data)) : proposedSurface(tool, data, layouts).then(withSurface)
}

async function proposedSurface(tool: string, data: Data, layouts: Pick<Layouts, 'layoutFor'>): Promise<Surface | undefined> {
  const shape = surfaceShape(tool, data)
  const layout = shape === undefined ? null : await layouts.layoutFor(shape)
  return layout === null ? composeSurface(tool, data) : layOut(tool, data, layout)
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
