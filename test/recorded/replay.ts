// Repeats the calls of a recording against a shop of the sandbox.
import type { GraphQLSchema } from 'graphql'
import type { startSandbox } from '../../sandbox/start-sandbox.test-helper.ts'
import { bringOperation, bringUpload, reduceBulkDocuments } from './bring-bulk.ts'
import { bringCodes, bringDiscounts, bringFunctions, bringTags, bringWhatExisted } from './bring-what-existed.ts'
import { compareAnswers, type Names, renamed } from './compare-answers.ts'
import { letPlatformWork } from './let-platform-work.ts'
import { ACCEPTED, LACKING } from './lists.ts'
import type { RecordedCall } from './recorded-calls.ts'
import { reduceDocument, rootsOf } from './reduce-document.ts'

/** A call whose document was sent without some fields is alike in part. */
export type Replayed = {
  at: string
  roots: string
  kind: 'alike' | 'alike in part' | 'accepted' | 'differs' | 'lacking'
  differences: string[]
  /** The entries of the lists that it needs. */
  reasons: string[]
}

type Replay = {
  aShop: Awaited<ReturnType<typeof startSandbox>>['aShop']
  schema: GraphQLSchema
  name: string
  file: any
  calls: RecordedCall[]
}

const LACKED = new Set(Object.keys(LACKING))

/** Repeats the calls in their order in a new shop, and compares. */
export async function replay({ aShop, schema, name, file, calls }: Replay): Promise<Replayed[]> {
  const shop = await aShop({ profile: 'shopify', currency: 'CAD', now: file.capturedAt ?? '2026-07-10T00:00:00Z' })
  const names: Names = { ours: new Map(), theirs: new Map() }
  const replayed: Replayed[] = []
  // API versions before 2026 run one bulk operation of a type at a time.
  if (name.startsWith('bulk-operations/') && file.apiVersion < '2026') {
    await shop.sandbox.controls.setBulkFaults({ storeId: shop.storeId, faults: { maxAtOnce: 1 } })
  }
  await bringFunctions(shop, file, names)
  // The recorder watched it for long: there were many products.
  if (name.endsWith('bulk-operation-cancel-preserves-fields.json')) {
    await shop.sandbox.controls.setBulkFaults({ storeId: shop.storeId, faults: { next: [{ stepMinutes: 60 }] } })
  }
  await bringCodes({ shop, file, calls, names })
  for (const call of calls) {
    const roots = rootsOf(call.document)
    const { document, isReduced, without } = reduceDocument(call.document, schema, LACKED)
    const withoutInside = reduceBulkDocuments(call, schema, LACKED, names)
    const reasonsOfDocument = [...without, ...withoutInside]
    if (document === null) {
      replayed.push({ at: call.at, roots, kind: 'lacking', differences: [], reasons: reasonsOfDocument })
      continue
    }
    await bringWhatExisted({ shop, file, call, calls, names })
    if (name.startsWith('discounts/')) await bringDiscounts({ shop, file, call, calls, names })
    if (name.startsWith('bulk-operations/')) {
      await bringOperation(shop, call, names)
      await bringUpload(shop, file, call, names)
    }
    if (name.startsWith('segments/')) await bringTags(shop, call)
    await letPlatformWork(shop, name, call)
    const text = renamed(document, names)
    const variables = renamed(call.variables, names)
    const kept = Object.fromEntries(Object.entries(variables).filter(([key]) => !isReduced || text.includes(`$${key}`)))
    const actual = await shop.graphql(text, kept)
    const given = `${JSON.stringify(call.variables)} ${call.document}`
    const differences = compareAnswers({
      expected: call.answer,
      actual,
      given,
      names,
      isReduced,
      mayAskMore: call.isSeparate
    })
    const accepted = (difference: string) =>
      Object.keys(ACCEPTED).filter((place) => `${name}${call.at}: ${difference}`.startsWith(place))
    const wrong = differences.filter((difference) => accepted(difference).length === 0)
    const isPart = reasonsOfDocument.length > 0
    const kind = wrong.length > 0 ? 'differs' : differences.length > 0 ? 'accepted' : isPart ? 'alike in part' : 'alike'
    const reasons = [...reasonsOfDocument, ...differences.flatMap(accepted)]
    replayed.push({ at: call.at, roots, kind, differences: wrong, reasons })
  }
  return replayed
}
