// How what a host publishes looks (`contract/brand.ts`): for every page, mail and film of a talk read by `brandOf`. What a talk has goes
// before what its account has, member by member.
import type { ExpressionBuilder } from 'kysely'
import type { Brand } from '@rostrum/contract/brand'
import { settingOf } from '@rostrum/contract/session'
import type { Reader } from '../platform/db/store.ts'
import type { Tables } from '../platform/db/tables.ts'
import { isBlobKey } from '../platform/blobs/blobs.ts'

/** For `select`, beside the `brand` of the session: that of its account, JSON or null. */
export const accountBrand = (row: ExpressionBuilder<Tables, 'sessions'>) =>
  row.selectFrom('accounts').select('accounts.brand').whereRef('accounts.id', '=', 'sessions.account_id').as('account_brand')

/** The blob of a logo, from its address, whichever base that was made with. */
export function logoKey({ logoUrl = '' }: Pick<Brand, 'logoUrl'>): string | undefined {
  const name = logoUrl.slice(logoUrl.lastIndexOf('/') + 1)
  return isBlobKey(name) ? name : undefined
}

/** With the address of its logo as it is now; null where nothing is set. */
export function shownBrand(brand: Brand | null, mediaBase: string): Brand | null {
  if (brand === null || Object.keys(brand).length === 0) return null
  const key = logoKey(brand)
  return key === undefined ? brand : { ...brand, logoUrl: `${mediaBase}/media/${key}` }
}

/** The column of an account; written by `put_brand` alone. */
export const readBrand = (column: string | null): Brand | null => (column === null ? null : (JSON.parse(column) as Brand))

/** Of a row that was read with both. */
export function brandOfRow(row: { brand: string | null; account_brand: string | null }, mediaBase: string): Brand | null {
  return shownBrand({ ...readBrand(row.account_brand), ...settingOf('brand', row) }, mediaBase)
}

/**
 * How pages, mails and exports of a talk look; null: as ours. Null too where nobody vouches for the session: a name and a logo could be
 * those of anybody. `mediaBase` is the asset origin or the base URL; colours become those of a page by `paletteOf` or `paletteCss`.
 */
export async function brandOf(read: Reader, sessionId: string, mediaBase: string): Promise<Brand | null> {
  const row = await read
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select(['sessions.brand', 'accounts.brand as account_brand'])
    .where('sessions.id', '=', sessionId)
    .where('accounts.kind', '!=', 'agent')
    .executeTakeFirst()
  return row === undefined ? null : brandOfRow(row, mediaBase)
}

/** Of the pages of the service itself: that of the account of whoever runs it. */
export async function siteBrand(read: Reader, mediaBase: string): Promise<Brand | null> {
  const row = await read.selectFrom('accounts').select('brand').where('is_owner', '=', 1).executeTakeFirst()
  return shownBrand(readBrand(row?.brand ?? null), mediaBase)
}
