// What is rung when decks change (Store.listen).

/** The deck of a session changed: its progress, its slides, its script, the version in service. */
export const deckTopic = (sessionId: string): string => `deck:${sessionId}`

/** Before the id of a session whose script a worker is to compile. */
export const scriptTopic = 'script:'

/** A sentence of this deck was said by the voice. */
export const clipsTopic = (deckId: string): string => `clips:${deckId}`
