import { hash } from 'node:crypto'
import { listAvailableCredit } from '#credits'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { bool, type Ctx, day, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { settingsOf, storeContext } from '#stores'
import { findShownCampaign } from './campaigns/campaigns.ts'
import { walletSettings } from './settings.ts'

/** Text on the background, both as CSS colours. */
const COLOURS = {
  black: { background: 'rgb(20,20,20)', text: 'rgb(255,255,255)' },
  white: { background: 'rgb(255,255,255)', text: 'rgb(0,0,0)' },
  blue: { background: 'rgb(20,50,120)', text: 'rgb(255,255,255)' },
  green: { background: 'rgb(15,90,60)', text: 'rgb(255,255,255)' },
  red: { background: 'rgb(150,25,35)', text: 'rgb(255,255,255)' },
  purple: { background: 'rgb(80,35,120)', text: 'rgb(255,255,255)' }
} as const

/**
 * What a pass shows: nothing that the member does not see in the shop, and nobody's e-mail address. Both wallets are made from it, and
 * phones are notified when it changes.
 */
export type PassContent = {
  organization: string
  colours: { background: string; text: string }
  /** What the barcode says: our id of the member, which opens nothing. Null: no barcode. */
  memberId: string | null
  name: string
  plan: string
  status: 'active' | 'paused' | 'cancelled'
  memberSince: string | null
  nextBilling: string | null
  credit: { amount: number; currency: string } | null
  /** Null for one who never had any. */
  points: number | null
  campaign: { title: string; message: string } | null
  isVoided: boolean
}

const MemberRow = row({
  id: int,
  isGone: bool,
  name: text,
  plan: nullable(text),
  status: nullable(oneOf('active', 'paused', 'cancelled')),
  memberSince: nullable(day),
  nextBilling: nullable(day),
  points: nullable(int)
})

/**
 * What the passes of members show now, by our number. Those who never held a membership are left out. The pass of one who was deleted on the
 * platform or erased is void and tells nothing of them.
 */
export async function derivePassContents(ctx: Ctx, memberIds: number[]): Promise<Map<number, PassContent>> {
  if (memberIds.length === 0) return new Map()
  const { currency, timezone } = await storeContext(ctx)
  const { organization, background, ended } = await settingsOf(ctx, walletSettings)
  const campaign = await findShownCampaign(ctx)
  const available = await listAvailableCredit(ctx, memberIds)
  const members = await ctx.tx.many(
    MemberRow,
    sql`
    select m.id, (m.platform_deleted_at is not null or m.merged_into is not null or m.erased_at is not null) as is_gone, concat_ws(' ', m.first_name, m.last_name) as name, p.name as plan, m.status,
           (m.member_since at time zone ${timezone})::date as member_since,
           case when m.status = 'active' then (m.next_billing_at at time zone ${timezone})::date end as next_billing, a.balance as points
      from members m
      left join plans p on p.store_id = ${ctx.storeId} and p.id = m.plan_id
      left join points_accounts a on a.store_id = ${ctx.storeId} and a.member_id = m.id
     where m.store_id = ${ctx.storeId} and m.id = any(${memberIds}::bigint[])`
  )
  const look = { organization, colours: COLOURS[background] }
  const contentOf = (one: RowOf<typeof MemberRow>): PassContent | null => {
    if (one.isGone) return contentOfNobody(look)
    if (one.status === null) return null
    return {
      ...look,
      memberId: publicId('mem', one.id),
      name: one.name,
      plan: one.plan ?? organization,
      status: one.status,
      memberSince: one.memberSince?.toString() ?? null,
      nextBilling: one.nextBilling?.toString() ?? null,
      credit: { amount: numberOf(Math.max(0, available.get(one.id) ?? 0), currency), currency },
      points: one.points,
      campaign: campaign && { title: campaign.title, message: campaign.message },
      isVoided: one.status === 'cancelled' && ended === 'void'
    }
  }
  return new Map(
    members.flatMap((one) => {
      const content = contentOf(one)
      return content ? [[one.id, content] as const] : []
    })
  )
}

/** A pass that is void and tells nothing of a person. */
export async function deriveVoidContent(ctx: Ctx): Promise<PassContent> {
  const { organization, background } = await settingsOf(ctx, walletSettings)
  return contentOfNobody({ organization, colours: COLOURS[background] })
}

const contentOfNobody = (look: Pick<PassContent, 'organization' | 'colours'>): PassContent => ({
  ...look,
  memberId: null,
  name: '',
  plan: look.organization,
  status: 'cancelled',
  memberSince: null,
  nextBilling: null,
  credit: null,
  points: null,
  campaign: null,
  isVoided: true
})

/** Tells whether two contents show the same. */
export const hashOfContent = (content: PassContent): string =>
  hash('sha256', JSON.stringify(content), 'hex').slice(0, 32)
