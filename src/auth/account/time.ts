// Times on the wire: ISO 8601 in UTC.

export function iso(at: number): string {
  return new Date(at).toISOString()
}

export function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at)
}
