// Rows of the leads area; migration leads.

export interface LeadTables {}
