import { GraphQLError } from 'graphql'
import type { Shop } from '../shop.ts'

/** `gid://platform/Customer/7`: an id in the Admin API. Its first word depends on the shop's profile. */
export function gid(shop: Pick<Shop, 'profile'>, type: string, id: string): string {
  return `gid://${shop.profile}/${type}/${id}`
}

export function gidOrNull(shop: Pick<Shop, 'profile'>, type: string, id: string | null): string | null {
  return id === null ? null : gid(shop, type, id)
}

/** The parts of a gid; null if the text is not a gid of this profile. */
export function parseGid(shop: Pick<Shop, 'profile'>, text: string): { type: string; id: string } | null {
  const match = /^gid:\/\/([a-z]+)\/([A-Za-z]+)\/([A-Za-z0-9_-]+)(?:\?.*)?$/.exec(text)
  return match && match[1] === shop.profile ? { type: match[2]!, id: match[3]! } : null
}

/** 2^63 - 1 has 19 digits; PostgreSQL would reject longer numbers. */
export function isNumericId(id: string): boolean {
  return /^[1-9][0-9]{0,17}$/.test(id)
}

export function invalidId(): GraphQLError {
  return new GraphQLError('invalid id', { extensions: { code: 'RESOURCE_NOT_FOUND' } })
}

/** The number in a gid of the type. Any other text is an error of the whole field, as on the platform. */
export function numberIn(shop: Pick<Shop, 'profile'>, type: string, text: string): string {
  const parsed = parseGid(shop, text)
  if (parsed?.type !== type || !isNumericId(parsed.id)) throw invalidId()
  return parsed.id
}
