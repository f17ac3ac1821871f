// The seven resources (spec 4.5): two documents, and the five views that tools open. The texts come from outside; here are their
// names, their order and the policy under which a host shows a view.
import { viewMime, viewUri } from './catalogue.ts'
import type { AccountPrincipal, Principal } from '../platform/principal.ts'

/** The views by their path under `ui://{host}/`: the spec's three, then the two that only tools name. */
export const viewPaths = ['sessions/create', 'sessions/preview', 'analytics', 'sessions/list', 'leads'] as const
export type ViewPath = (typeof viewPaths)[number]

export interface ResourceTexts {
  spec(): { index: string; parts: ReadonlyMap<string, string> }
  pap(): string
  view(path: ViewPath): string
}

export interface ResourceSettings {
  /** Without a trailing slash. */
  baseUrl: string
  /** Where slide images come from. */
  mediaOrigin: string
  /** The origin a host should give our views, where the operator has one registered there. */
  appDomain: string | null
}

const viewWords: Readonly<Record<ViewPath, { name: string; title: string; description: string }>> = {
  'sessions/create': {
    name: 'session-creator',
    title: 'Session creator',
    description: 'Interactive session creator: shows the session just made, or a form for one.',
  },
  'sessions/preview': {
    name: 'room-preview',
    title: 'Room preview',
    description: 'Live room preview: slides, status and links of a session.',
  },
  analytics: {
    name: 'analytics',
    title: 'Analytics',
    description: 'Analytics dashboard: attendance, attention per slide, the way to the lead.',
  },
  'sessions/list': { name: 'session-list', title: 'Sessions', description: 'The sessions of the account, each with its details.' },
  leads: { name: 'leads', title: 'Leads', description: 'The leads of a session as a table, for download and copying.' },
}

export function createResources(texts: ResourceTexts, { baseUrl, mediaOrigin, appDomain }: ResourceSettings): ResourceDeclaration[] {
  const csp = { resourceDomains: [mediaOrigin], connectDomains: [] }
  const meta = { ui: { csp, prefersBorder: true, ...(appDomain === null ? {} : { domain: appDomain }) } }
  const document = (name: string, title: string, description: string, text: () => string): ResourceDeclaration => ({
    uri: `service://docs/${name}`,
    name: `docs-${name}`,
    title,
    description,
    mimeType: 'text/markdown',
    text,
  })
  return [
    {
      ...document(
        'spec',
        'Platform specification',
        'Index of every tool, endpoint, event, error and limit; its parts are read one by one.',
        () => texts.spec().index,
      ),
      isMadeOnReading: true,
    },
    document('pap', 'Personal Agent Protocol', 'Personal Agent Protocol architecture: roles, consent, calls, errors, examples.', texts.pap),
    ...viewPaths.map((path): ResourceDeclaration => {
      const { name, title, description } = viewWords[path]
      return { uri: viewUri(baseUrl, path), name, title, description, mimeType: viewMime, text: () => texts.view(path), meta }
    }),
  ]
}

/** The parts of the specification, each small enough for a model to read. */
export function specTemplate({ spec }: ResourceTexts): TemplateDeclaration {
  return {
    uriTemplate: 'service://docs/spec/{part}',
    name: 'docs-spec-part',
    title: 'Part of the specification',
    description: 'One part, at most 10 kB; service://docs/spec names them with what is in each.',
    mimeType: 'text/markdown',
    parts: () => spec().parts,
  }
}

// What `mcp/` is given and shows: prompts, resources and UI views. `app.ts` brings the texts; nothing here makes data up.

export interface PromptArgument {
  name: string
  description: string
  required: boolean
}

export interface PromptMessage {
  role: 'user'
  content: { type: 'text'; text: string }
}

export interface PromptDeclaration {
  name: string
  title: string
  description: string
  arguments: readonly PromptArgument[]
  /** The texts, from arguments that are all strings, the required ones non-empty. */
  render(values: Readonly<Record<string, string>>, caller: Principal): Promise<readonly PromptMessage[]>
}

export interface ResourceDeclaration {
  uri: string
  name: string
  title: string
  description: string
  /** `text/markdown`, or `text/html;profile=mcp-app` for a UI view. */
  mimeType: string
  text(): string
  /** The list says how many bytes the text has; not where it is only made when it is read. */
  isMadeOnReading?: true
  /** `_meta` of the content: the policy of a UI view. */
  meta?: Readonly<Record<string, unknown>>
}

/** Resources whose address ends in the name of a part: `service://docs/spec/{part}`. */
export interface TemplateDeclaration {
  uriTemplate: string
  name: string
  title: string
  description: string
  mimeType: string
  parts(): ReadonlyMap<string, string>
}

/** Completes the values of prompt arguments from what the caller may see. */
export interface SessionNames {
  /** Up to `limit` of the account's sessions whose id or title starts with or contains `value`, newest first. */
  find(caller: AccountPrincipal, value: string, limit: number): Promise<{ ids: readonly string[]; total: number }>
}
