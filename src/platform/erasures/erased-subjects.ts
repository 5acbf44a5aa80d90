import { bool, bytes, type Ctx, int, nullable, row, sql } from '#kit/postgres'

/** A customer or an order of the platform, by its number. */
export type Subject = `customer:${string}` | `order:${string}`

/** Our row of an erased customer; null where there was none. */
export type Erased = { memberId: number | null }

/**
 * Remembers, by pseudonyms, whose data was erased: what is reported of them later is stored without the person. Safe to repeat.
 */
export async function rememberErased(ctx: Ctx, subjects: Subject[], memberId: number | null): Promise<void> {
  if (subjects.length === 0) return
  const keys = subjects.map((subject) => pseudonymIn(ctx, subject))
  const members = subjects.map((subject) => (subject.startsWith('customer:') ? memberId : null))
  await ctx.tx.run(sql`
    insert into erased_subjects (store_id, subject_key, member_id, erased_at)
    select ${ctx.storeId}, s.key, s.member_id, ${ctx.now}
      from unnest(${keys}::bytea[], ${members}::bigint[]) as s(key, member_id)
     order by s.key
    on conflict (store_id, subject_key) do update set member_id = coalesce(erased_subjects.member_id, excluded.member_id)`)
}

/** Whether anybody's data was erased in this store: mostly not, and then nothing else need be asked. */
export async function hasErased(ctx: Ctx): Promise<boolean> {
  const { found } = await ctx.tx.one(
    row({ found: bool }),
    sql`select exists (select from erased_subjects where store_id = ${ctx.storeId}) as found`
  )
  return found
}

/** Those among the subjects that were erased. */
export async function findErased(ctx: Ctx, subjects: Subject[]): Promise<Map<Subject, Erased>> {
  if (subjects.length === 0 || !(await hasErased(ctx))) return new Map()
  const byKey = new Map(subjects.map((subject) => [pseudonymIn(ctx, subject).toString('hex'), subject]))
  const rows = await ctx.tx.many(
    row({ subjectKey: bytes, memberId: nullable(int) }),
    sql`
    select subject_key, member_id from erased_subjects
     where store_id = ${ctx.storeId} and subject_key = any(${[...byKey.keys()].map((key) => Buffer.from(key, 'hex'))}::bytea[])`
  )
  return new Map(rows.map(({ subjectKey, memberId }) => [byKey.get(subjectKey.toString('hex'))!, { memberId }]))
}

/** A process without the key cannot tell who was erased, and must not write customers. */
export function pseudonymIn({ pseudonym, storeId }: Ctx, subject: string): Buffer {
  const key = pseudonym(storeId, subject)
  if (!key) throw new Error('This process has no key for pseudonyms, so it cannot tell whose data was erased')
  return key
}
