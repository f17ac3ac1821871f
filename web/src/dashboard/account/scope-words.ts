// The scopes of Spec 5.4 in the words a host decides by.
export const scopeWords = [
  { scope: 'sessions:read', words: 'Read sessions, questions and transcripts' },
  { scope: 'sessions:write', words: 'Create, change, publish and delete sessions; control a running talk' },
  { scope: 'analytics:read', words: 'Read analytics' },
  { scope: 'leads:read', words: 'Read names and email addresses of leads' },
  { scope: 'checkout:write', words: 'Set a call to action that starts a checkout' },
] as const

export const wordsForScope = (scope: string): string => scopeWords.find((one) => one.scope === scope)?.words ?? scope
