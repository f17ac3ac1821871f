// What is rung when decks change (Store.listen).

/** A deck waits for the worker. */
export const workTopic = 'decks'

/** The deck of a session changed: its progress, its slides, its script, the version in service. */
export const deckTopic = (sessionId: string): string => `deck:${sessionId}`
