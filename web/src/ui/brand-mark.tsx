// Who invites: the logo of the host, else their name.
import type { Brand } from '@rostrum/contract/brand'

export function BrandMark({ brand: { name, logoUrl, logo } }: { brand: Brand }) {
  if (logoUrl !== undefined) return <img class="brand-logo" src={logoUrl} alt={name ?? ''} width={logo?.width} height={logo?.height} />
  return name === undefined ? null : <bdi class="brand-name">{name}</bdi>
}
