import type { Queries } from '#kit/postgres'
import { listHandles } from '../../state/products.ts'

/** The handle that a title gives: its words, joined by hyphens. */
export function handleOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
}

/** A handle that nothing else has: a number at its end is counted up, or one is added. */
export async function freeHandle(
  q: Queries,
  storeId: number,
  of: 'products' | 'collections',
  wanted: string
): Promise<string> {
  const [, stem = wanted, digits] = /^(.*?)-?(\d+)?$/.exec(wanted) ?? []
  const taken = new Set(await listHandles(q, storeId, of, stem))
  let handle = wanted
  for (let number = Number(digits ?? 0); taken.has(handle); ) handle = `${stem}-${++number}`
  return handle
}
