import { activityBetween } from '#kit/clock'
import { publicId } from '#kit/ids'
import { record } from '#kit/outbox'
import { type Ctx, int, type RowOf, row, sql } from '#kit/postgres'
import { walletCampaignChanged } from '../events/wallet-campaign-changed.ts'
import { campaignEndsBefore, campaignNotFound, tooManyCampaigns } from '../refusals.ts'
import { type Campaign, type CampaignDates, CampaignRow } from './campaign.ts'
import { assertFits, bytesOf, MAX_CAMPAIGNS } from './sale-campaigns-field.ts'

export type CampaignInput = CampaignDates & Pick<Campaign, 'title' | 'message' | 'image'>

/** Adds a sale campaign. It is active at once where it is enabled and within its dates. */
export async function addCampaign(ctx: Ctx, input: CampaignInput): Promise<Campaign> {
  refuseEmpty(input, null)
  await lockCampaigns(ctx)
  if ((await listCampaigns(ctx)).length >= MAX_CAMPAIGNS) throw tooManyCampaigns(MAX_CAMPAIGNS)
  const { dueAt } = activityBetween(input, ctx.now)
  const added = await ctx.tx.one(
    CampaignRow,
    sql`
    insert into wallet_campaigns (store_id, title, message, image, is_enabled, starts_at, ends_at, due_at, created_at, updated_at)
    values (${ctx.storeId}, ${input.title}, ${input.message}, ${input.image}, ${input.isEnabled}, ${input.startsAt}, ${input.endsAt},
            ${dueAt}, ${ctx.now}, ${ctx.now})
    returning id, title, message, image, is_enabled, starts_at, ends_at, created_at, updated_at`
  )
  assertFits(await listCampaigns(ctx), input)
  await record(ctx, walletCampaignChanged(added))
  return asCampaign(ctx, added)
}

/** Changes what is given; the rest stays. */
export async function changeCampaign(ctx: Ctx, id: number, change: Partial<CampaignInput>): Promise<Campaign> {
  await lockCampaigns(ctx)
  const before = await lockCampaign(ctx, id)
  const after = { ...before, ...change }
  refuseEmpty(after, id)
  const { dueAt } = activityBetween(after, ctx.now)
  const changed = await ctx.tx.one(
    CampaignRow,
    sql`
    update wallet_campaigns
       set title = ${after.title}, message = ${after.message}, image = ${after.image}, is_enabled = ${after.isEnabled},
           starts_at = ${after.startsAt}, ends_at = ${after.endsAt}, due_at = ${dueAt}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id}
    returning id, title, message, image, is_enabled, starts_at, ends_at, created_at, updated_at`
  )
  // Campaigns of before there was a limit may still be shortened and switched off.
  if (bytesOf([after]) > bytesOf([before])) assertFits(await listCampaigns(ctx), change)
  await record(ctx, walletCampaignChanged(changed))
  return asCampaign(ctx, changed)
}

/** Removes a campaign; passes do not show it any more. Returns it as it was. */
export async function removeCampaign(ctx: Ctx, id: number): Promise<Campaign> {
  const removed = await lockCampaign(ctx, id)
  await ctx.tx.run(sql`delete from wallet_campaigns where store_id = ${ctx.storeId} and id = ${id}`)
  await record(ctx, walletCampaignChanged(removed))
  return removed
}

/** All campaigns of the store, in the order in which they were added. */
export async function listCampaigns(ctx: Ctx): Promise<Campaign[]> {
  const rows = await ctx.tx.many(
    CampaignRow,
    sql`
    select id, title, message, image, is_enabled, starts_at, ends_at, created_at, updated_at from wallet_campaigns
     where store_id = ${ctx.storeId} order by id`
  )
  return rows.map((one) => asCampaign(ctx, one))
}

const asCampaign = (ctx: Ctx, one: RowOf<typeof CampaignRow>): Campaign => ({
  ...one,
  isActive: activityBetween(one, ctx.now).isActive
})

/** The campaign that passes show: of those that are active the one that began last; null where none is. */
export async function findShownCampaign(ctx: Ctx): Promise<Pick<Campaign, 'title' | 'message'> | null> {
  const active = (await listCampaigns(ctx)).filter(({ isActive }) => isActive)
  const begun = ({ startsAt, createdAt }: Campaign) => (startsAt ?? createdAt).epochMilliseconds
  return active.toSorted((a, b) => begun(b) - begun(a) || b.id - a.id)[0] ?? null
}

/** Two requests at once must not both be the hundredth, nor both take the last bytes. */
async function lockCampaigns(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    insert into wallet_changes (store_id, tag) values (${ctx.storeId}, 0) on conflict (store_id) do nothing`)
  await ctx.tx.one(row({ tag: int }), sql`select tag from wallet_changes where store_id = ${ctx.storeId} for update`)
}

async function lockCampaign(ctx: Ctx, id: number): Promise<Campaign> {
  const found = await ctx.tx.maybeOne(
    CampaignRow,
    sql`
    select id, title, message, image, is_enabled, starts_at, ends_at, created_at, updated_at from wallet_campaigns
     where store_id = ${ctx.storeId} and id = ${id} for update`
  )
  if (!found) throw campaignNotFound(publicId('wpc', id))
  return asCampaign(ctx, found)
}

function refuseEmpty({ startsAt, endsAt }: CampaignDates, id: number | null): void {
  if (startsAt && endsAt && Temporal.Instant.compare(endsAt, startsAt) <= 0) throw campaignEndsBefore(id)
}
