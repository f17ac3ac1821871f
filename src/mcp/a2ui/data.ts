// Reads members of a tool's structured result, which is JSON of our own making.
export type Data = Readonly<Record<string, unknown>>

export function text(data: Data, member: string): string {
  const value = data[member]
  return typeof value === 'string' ? value : ''
}

export function number(data: Data, member: string): number {
  const value = data[member]
  return typeof value === 'number' ? value : 0
}

export function list(data: Data, member: string): readonly Data[] {
  const value = data[member]
  return Array.isArray(value) ? value.filter((item): item is Data => typeof item === 'object' && item !== null) : []
}

export function object(data: Data, member: string): Data {
  const value = data[member]
  return typeof value === 'object' && value !== null ? (value as Data) : {}
}
