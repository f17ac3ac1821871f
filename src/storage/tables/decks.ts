// Rows of the decks area; migration decks.

export interface DeckTables {}
