// Rows of the runs area; migration runs.

export interface RunTables {}
