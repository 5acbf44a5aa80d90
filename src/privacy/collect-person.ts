import { publicId } from '#kit/ids'
import type { PersonalData } from '#kit/personal-data'
import { type Ctx, json, row } from '#kit/postgres'
import { notify } from '#stores'
import { findPerson } from './find-person.ts'
import { type DueRequest, storeExport } from './queries.ts'

/** How long the file can be fetched. */
const KEPT_DAYS = 30

const Held = row({ held: json<Record<string, unknown>>() })

/**
 * Makes the file that answers a data request: every row that we hold about the person, table by table. It is kept until it expires or the
 * person is erased; whoever runs the store gets an alert.
 */
export async function collectPerson(ctx: Ctx, request: DueRequest, holders: readonly PersonalData[]): Promise<void> {
  const { person, mainId } = await findPerson(ctx, request.subject!.asked)
  const held: Record<string, unknown[]> = {}
  for (const holder of holders) {
    if (!holder.held) continue
    const rows = await ctx.tx.many(Held, holder.held(ctx, person))
    if (rows.length > 0) held[holder.table] = rows.map((one) => one.held)
  }
  const { customerIds, emails, phones, names } = person
  const document = {
    made_at: ctx.now.toString(),
    customer: { platform_ids: customerIds, emails, phones, names },
    held
  }
  await storeExport(ctx, request.id, {
    memberId: mainId,
    content: `${JSON.stringify(document, null, 2)}\n`,
    counts: Object.fromEntries(Object.entries(held).map(([table, rows]) => [table, rows.length])),
    expiresAt: ctx.now.add({ hours: KEPT_DAYS * 24 })
  })
  await notify(ctx, {
    kind: 'privacy_request',
    subject: 'What we hold about a customer',
    message: `A customer has asked what we hold about them. The file is ready for the store's owner, who hands it over: perennial privacy export ${publicId('priv', request.id)}. It is removed after ${KEPT_DAYS} days.`
  })
}
