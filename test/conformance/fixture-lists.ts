// What the official referee must find of the fixture: every scenario that a revision requires, as it was frozen when the revision
// was released, and the active suite of the older referee. A scenario missing from its output fails.

const bothRevisions = [
  'completion-complete',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-progress',
  'server-sse-multiple-streams',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
  'dns-rebinding-protection',
] as const

const olderAlone = [
  'server-initialize',
  'logging-set-level',
  'ping',
  'tools-call-with-logging',
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'resources-subscribe',
  'resources-unsubscribe',
] as const

const newerAlone = [
  'server-stateless',
  'sep-2164-resource-not-found',
  'caching',
  'input-required-result-basic-elicitation',
  'input-required-result-basic-sampling',
  'input-required-result-basic-list-roots',
  'input-required-result-request-state',
  'input-required-result-multiple-input-requests',
  'input-required-result-multi-round',
  'input-required-result-missing-input-response',
  'input-required-result-non-tool-request',
  'input-required-result-result-type',
  'input-required-result-unsupported-methods',
  'input-required-result-tampered-state',
  'input-required-result-capability-check',
  'input-required-result-ignore-extra-params',
  'input-required-result-validate-input',
] as const

export interface RequiredList {
  /** Counted in the score of the revision. */
  scored: readonly string[]
  /** Run beside them and not counted; they pass too. */
  unscored: readonly string[]
}

export const requiredLists: Readonly<Record<'2026-07-28' | '2025-11-25', RequiredList>> = {
  '2026-07-28': {
    scored: [...bothRevisions, ...newerAlone],
    unscored: ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'],
  },
  '2025-11-25': {
    scored: [...bothRevisions, ...olderAlone],
    unscored: ['json-schema-2020-12', 'server-session-lifecycle', 'server-sse-polling'],
  },
}

/** The 30 scenarios of the older referee's active suite are the 30 of 2025-11-25. */
export const olderSuite: readonly string[] = requiredLists['2025-11-25'].scored

/** No session id is ever issued, so the referee skips what it would do with one, and says so. */
export const expectedWarnings: readonly string[] = ['server-sse-multiple-streams-session', 'server-sse-polling-session']
