// Rows of the auth area; migration auth.

export interface AuthTables {}
