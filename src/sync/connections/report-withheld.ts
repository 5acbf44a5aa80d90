import type { Database } from '#kit/postgres'
import { notify } from '#stores'

/**
 * Tells the people who run a store that its platform withholds a field from us: what else came is recorded. Once for each field,
 * however often the platform is read.
 */
export async function reportWithheld(
  db: Database,
  storeId: number,
  { name, message }: { name: string; message: string }
): Promise<void> {
  await db.inStore(storeId, (ctx) =>
    notify(ctx, {
      kind: 'platform_field_withheld',
      subject: 'The platform withholds something from Perennial',
      message: `The platform does not let Perennial read ${name}: ${message} Everything else is recorded. Please check the access scopes of the app, and which personal data it is approved for.`,
      isOnce: true
    })
  )
}
