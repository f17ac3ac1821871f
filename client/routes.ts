// Method and address of every operation, as `test/client-routes.test.ts` holds them against the service's own list.
export const routes = {
  create_session: { method: 'POST', path: '/api/v1/agent/sessions' },
} as const
