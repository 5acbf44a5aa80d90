import { sumOf } from '#kit/money'
import { Money } from '../wire/document.ts'
import type { Fields } from '../wire/fields.ts'
import { type PlatformContract, type PlatformContractLine, recurringPrice } from './contract.ts'
import { grantKeyOf } from './contract-grants.ts'

/** A discount of ours on a contract: what members have off the renewals of their product subscriptions. */
export type MemberDiscount = { title: string; percent: number; lineIds: string[] }

/** The same on the platform. Null line ids: every line. `isPlain`: as we make them, without a limit of cycles. */
export type FoundMemberDiscount = {
  gid: string
  title: string
  percent: number | null
  lineIds: string[] | null
  isPlain: boolean
}

/** What a member discount is: the reduction of the plan, or a product that is free for members. */
export type MemberDiscountKind = 'price' | 'free'

const BEGINS = 'SVC: '
const ENDS: Record<MemberDiscountKind, string> = { price: ': member price', free: ': free for members' }
const MAX_TITLE = 255

/**
 * The title by which a discount of ours is recognised, also after an answer was lost or a backup was loaded: nothing else of it is ours
 * to choose. `label`: the name of the tier; customers see it on their orders.
 */
export const memberDiscountTitle = (label: string, kind: MemberDiscountKind): string =>
  `${BEGINS}${label.slice(0, MAX_TITLE - BEGINS.length - ENDS[kind].length)}${ENDS[kind]}`

/** Whether a discount of a contract is ours. All others are left alone. */
const isMemberDiscount = (title: string | null): boolean =>
  title?.startsWith(BEGINS) === true && Object.values(ENDS).some((end) => title.endsWith(end))

export const allocationParts = `id
    lineDiscountedPrice { ${Money} }
    discountAllocations { amount { ${Money} } discount { ... on SubscriptionManualDiscount { title } } }`

/** A line as its allocations are read: its price after all discounts, and what ours take off, for members and of grants. */
export type AllocatedLine = {
  id: string
  discountedMinor: number
  memberDiscountMinor: number
  grantedDiscountMinor: number
}

/** Reads `allocationParts`. */
export function readAllocatedLine(line: Fields, currency: string): AllocatedLine {
  const allocations = line.list('discountAllocations')
  const takenBy = (isOurs: (title: string | null) => boolean) =>
    sumOf(
      allocations
        .filter((one) => isOurs(one.at('discount').maybeText('title')))
        .map((one) => one.money('amount', currency))
    )
  return {
    id: line.token('id'),
    discountedMinor: line.money('lineDiscountedPrice', currency),
    memberDiscountMinor: takenBy(isMemberDiscount),
    grantedDiscountMinor: takenBy((title) => grantKeyOf(title) !== null)
  }
}

/** The price of lines without our discounts, and what these take off. */
export function memberPrices(
  lines: PlatformContractLine[],
  allocated: ReadonlyMap<string, AllocatedLine>
): Pick<PlatformContract, 'priceMinor' | 'lineChargesMinor' | 'memberDiscountMinor' | 'grantedDiscountMinor'> {
  const pricesOf = (discounted: (one: AllocatedLine) => number) =>
    lines.map((line) => {
      const found = allocated.get(line.id)
      return recurringPrice(found ? { ...line, discountedMinor: discounted(found) } : line)
    })
  const of = (discounted: (one: AllocatedLine) => number) => sumOf(pricesOf(discounted))
  const priceMinor = of((one) => one.discountedMinor + one.memberDiscountMinor + one.grantedDiscountMinor)
  const forMembersMinor = of((one) => one.discountedMinor + one.grantedDiscountMinor)
  const lineChargesMinor = pricesOf((one) => one.discountedMinor)
  return {
    priceMinor,
    lineChargesMinor,
    memberDiscountMinor: priceMinor - forMembersMinor,
    grantedDiscountMinor: forMembersMinor - sumOf(lineChargesMinor)
  }
}

/** The most lines of a contract that a discount of ours names. */
export const MAX_DISCOUNTED_LINES = 50

export const memberDiscountParts = `nodes {
      ... on SubscriptionManualDiscount {
        id title recurringCycleLimit
        value { ... on SubscriptionDiscountPercentageValue { percentage } }
        entitledLines { all lines(first: ${MAX_DISCOUNTED_LINES}) { nodes { id } } }
      }
    }
    pageInfo { hasNextPage endCursor }`

/** Reads `memberDiscountParts` of a contract or a draft. Leaves out those that are not ours. */
export const readMemberDiscounts = (connection: Fields): FoundMemberDiscount[] =>
  connection
    .list('nodes')
    .filter((node) => isMemberDiscount(node.maybeText('title')))
    .map((node) => {
      const entitled = node.at('entitledLines')
      return {
        gid: node.text('id'),
        title: node.text('title'),
        percent: node.at('value').maybeInt('percentage'),
        lineIds: entitled.flag('all')
          ? null
          : entitled
              .at('lines')
              .list('nodes')
              .map((line) => line.token('id')),
        isPlain: !node.has('recurringCycleLimit')
      }
    })

/** What has to be removed and added, so that a contract has the wanted discounts of ours, each once. */
export function memberDiscountChanges(
  found: FoundMemberDiscount[],
  wanted: MemberDiscount[]
): { remove: FoundMemberDiscount[]; add: MemberDiscount[] } {
  const kept = new Set<FoundMemberDiscount>()
  const add = wanted.filter((one) => {
    const same = found.find((other) => !kept.has(other) && isSame(other, one))
    if (same) kept.add(same)
    return !same
  })
  return { remove: found.filter((one) => !kept.has(one)), add }
}

function isSame(found: FoundMemberDiscount, { title, percent, lineIds }: MemberDiscount): boolean {
  if (!found.isPlain || found.title !== title || found.percent !== percent || found.lineIds === null) return false
  const wanted = new Set(lineIds)
  return found.lineIds.length === wanted.size && found.lineIds.every((id) => wanted.has(id))
}
