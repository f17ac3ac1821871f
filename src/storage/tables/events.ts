// Rows of the events area; migration events.

export interface EventTables {}
