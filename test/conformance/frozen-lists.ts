// What the official referee must find of the product, scenario by scenario. The others need tools, prompts and resources that the
// referee names itself, which a product does not have; of those only the wire is judged. A scenario missing from its output fails.

export interface FrozenList {
  /** Every check of these must pass. */
  passing: readonly string[]
  /** Checks that fail with the reason why; one that passes again fails the test, so that this list only shrinks. */
  expectedFailures: Readonly<Record<string, string>>
}

const noDiagnostics = 'needs a diagnostic tool that only a fixture has'

export const frozenLists: Readonly<Record<'2026-07-28' | '2025-11-25', FrozenList>> = {
  '2026-07-28': {
    passing: [
      'server-stateless',
      'completion-complete',
      'tools-list',
      'server-sse-multiple-streams',
      'resources-list',
      'sep-2164-resource-not-found',
      'prompts-list',
      'dns-rebinding-protection',
      'caching',
      'input-required-result-missing-input-response',
      'input-required-result-unsupported-methods',
      'input-required-result-ignore-extra-params',
      'input-required-result-validate-input',
      'http-header-validation',
    ],
    expectedFailures: {
      'sep-2575-server-rejects-undeclared-capability': noDiagnostics,
      'sep-2575-missing-capability-http-400': noDiagnostics,
      'sep-2575-http-server-no-independent-requests-on-stream': noDiagnostics,
      'sep-2575-server-no-log-without-loglevel': noDiagnostics,
    },
  },
  '2025-11-25': {
    passing: [
      'server-initialize',
      'ping',
      'completion-complete',
      'tools-list',
      'server-sse-multiple-streams',
      'resources-list',
      'prompts-list',
      'dns-rebinding-protection',
      'server-session-lifecycle',
      'server-sse-polling',
    ],
    expectedFailures: {},
  },
}
