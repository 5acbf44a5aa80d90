// Repeats the calls of a recording against a shop of the sandbox.
import type { GraphQLSchema } from 'graphql'
import type { startSandbox } from '../../sandbox/start-sandbox.test-helper.ts'
import { reduceBulkDocuments } from './bring-bulk.ts'
import { bringWhatExisted } from './bring-what-existed.ts'
import { compareAnswers, type Names, renamed } from './compare-answers.ts'
import { ACCEPTED, CHANGED, LACKING } from './lists.ts'
import { prepareCall, prepareShop } from './prepare-shop.ts'
import type { RecordedCall } from './recorded-calls.ts'
import { askedThen, reduceDocument, rootsOf } from './reduce-document.ts'

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

const LACKED = new Set([...Object.keys(LACKING), ...Object.keys(CHANGED)])

/** Repeats the calls in their order in a new shop, and compares. */
export async function replay({ aShop, schema, name, file, calls }: Replay): Promise<Replayed[]> {
  const shop = await aShop({ profile: 'shopify', currency: 'CAD', now: file.capturedAt ?? '2026-07-10T00:00:00Z' })
  const names: Names = { ours: new Map(), theirs: new Map() }
  const replayed: Replayed[] = []
  await prepareShop({ shop, name, file, names, calls })
  for (const call of calls) {
    const roots = rootsOf(call.document)
    const asked = call.isSeparate && call.answer.data ? askedThen(call.document, call.answer.data) : call.document
    const { document, isReduced, without } = reduceDocument(asked, schema, LACKED)
    const taken = [...without, ...reduceBulkDocuments(call, schema, LACKED, names)]
    if (document === null) {
      replayed.push({ at: call.at, roots, kind: 'lacking', differences: [], reasons: taken })
      continue
    }
    await bringWhatExisted({ shop, file, call, names })
    await prepareCall({ shop, name, file, names, call })
    const text = renamed(document, names)
    const variables = renamed(call.variables, names)
    const kept = Object.fromEntries(
      Object.entries(variables).filter(([key]) => document === call.document || text.includes(`$${key}`))
    )
    const actual = await shop.graphql(text, kept)
    // Each call is later than the one before.
    shop.advance({ seconds: 1 })
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
    const kind =
      wrong.length > 0 ? 'differs' : differences.length > 0 ? 'accepted' : taken.length > 0 ? 'alike in part' : 'alike'
    const reasons = [...taken, ...differences.flatMap(accepted)]
    replayed.push({ at: call.at, roots, kind, differences: wrong, reasons })
  }
  return replayed
}
