import { createHash } from 'node:crypto'
import type { Queries } from '#kit/postgres'
import { type Definition, listDefinitions } from '../../state/metafield-definitions.ts'
import { listMetafields, type Metafield, type MetafieldEntry, nameOf, saveMetafields } from '../../state/metafields.ts'
import type { Api } from '../../wire/api.ts'
import { findNode } from '../nodes.ts'
import { ownNamespace } from '../shop.ts'
import { type UserError, userError } from '../user-errors.ts'
import { entryProblems } from './entry-rules.ts'
import { ownerEnumOf } from './owners.ts'
import { checkValue } from './value-rules.ts'

export type MetafieldInput = {
  namespace?: string | null
  key?: string | null
  type?: string | null
  value?: string | null
  compareDigest?: string | null
}

/** Changes with the value, so that a writer can state which value it has read. */
export function digestOf(value: string): string {
  return createHash('sha256').update(value).digest('hex')
}

const STALE = 'The resource has been updated since it was loaded. Try again with an updated `compareDigest` value.'

/**
 * What metafields would be written, and everything that is wrong with them. `owner` is `Type/id`; null for one that does not exist.
 * `at` builds the path of a field of the entry with this place.
 */
export async function checkMetafields(
  q: Queries,
  api: Api,
  inputs: { owner: string | null; input: MetafieldInput }[],
  at: (i: number, field?: string) => string[]
): Promise<{ entries: MetafieldEntry[]; problems: UserError[] }> {
  const owners = [...new Set(inputs.flatMap(({ owner }) => owner ?? []))]
  const known = new Map((await listMetafields(q, api.shop.storeId, owners)).map((found) => [nameOf(found), found]))
  const definitions = await listDefinitions(q, api.shop.storeId)
  const entries: MetafieldEntry[] = []
  const problems: UserError[] = []
  for (const [i, { owner, input }] of inputs.entries()) {
    const [ownerType, ownerId] = owner?.split('/') ?? []
    if (!ownerType || !ownerId) {
      problems.push(userError(at(i, 'ownerId'), 'Owner does not exist.', 'INVALID_VALUE'))
      continue
    }
    const namespace = ownNamespace(input.namespace ?? '$app')
    const name = { ownerType, ownerId, namespace, key: input.key ?? '' }
    const old = known.get(nameOf(name))
    const definition = definitionOf(definitions, ownerType, name)
    const type = input.type ?? definition?.typeName ?? old?.type ?? ''
    const entry = { ...name, type, value: input.value ?? '' }
    const wrong = entryProblems(entry, (field) => at(i, field))
    if (wrong.length > 0) {
      problems.push(...wrong)
      continue
    }
    const checked = await checkValue(type, entry.value, definition?.more.validations ?? [], (id) => isThere(api, id))
    if ('problem' in checked) {
      problems.push({
        ...userError(at(i, 'value'), checked.problem, 'INVALID_VALUE'),
        elementIndex: checked.element ?? null
      })
      continue
    }
    // A stale digest is no error where nothing would change.
    const isChanged = checked.value !== old?.value || type !== old.type
    if (input.compareDigest !== undefined && isChanged && input.compareDigest !== (old ? digestOf(old.value) : null)) {
      problems.push(userError(at(i), STALE, 'STALE_OBJECT'))
    }
    entries.push({ ...entry, value: checked.value })
  }
  return { entries, problems }
}

function definitionOf(all: Definition[], ownerType: string, { namespace, key }: { namespace: string; key: string }) {
  const owner = ownerEnumOf(ownerType)
  return all.find((one) => one.ownerType === owner && one.namespace === namespace && one.key === key)
}

async function isThere(api: Api, gid: string): Promise<boolean> {
  return /^gid:\/\/[a-z]+\/\w+\/\d+$/.test(gid) && Boolean(await findNode(api, gid))
}

/** Writes entries and returns each as it was written: of several with one name the last stays. */
export async function writeMetafields(
  q: Queries,
  api: Api,
  entries: MetafieldEntry[],
  now: Temporal.Instant
): Promise<Metafield[]> {
  const last = new Map(entries.map((entry) => [nameOf(entry), entry]))
  await saveMetafields(q, api.shop.storeId, [...last.values()], now)
  const owners = [...new Set(entries.map(({ ownerType, ownerId }) => `${ownerType}/${ownerId}`))]
  const saved = new Map((await listMetafields(q, api.shop.storeId, owners)).map((found) => [nameOf(found), found]))
  return entries.map((entry) => ({ ...saved.get(nameOf(entry))!, type: entry.type, value: entry.value }))
}
