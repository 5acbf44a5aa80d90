import assert from 'node:assert/strict'
import { changeCredits } from '#credits'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { cancelSubscription, pauseSubscription, resumeSubscription } from '#lifecycle'
import { updateMember } from '#members'
import { movePlatform } from '#stores'
import { aFaultyConnection, type Fault } from '../test/faulty-connection.ts'
import { freePort } from '../test/service-process.ts'
import { until } from '../test/until.ts'
import { startBesidePlatform, startPlatform } from './platform.ts'

const DOMAIN = 'metafields-trial.example'

export type PlatformMetafieldsTrial = {
  databaseUrl: string
  dataDir: string
  members: number
  rounds: number
  kills: number
  seed: number
}
export type PlatformMetafieldsReport = {
  members: number
  changes: number
  byHand: number
  deleted: number
  kills: number
  /** Metafields that were set and deleted on the platform. */
  written: number
  removed: number
  faults: Partial<Record<Fault | 'none', number>>
}

/** Of all calls of the platform. */
const LINE_FAULTS = { '503': 0.05, lost: 0.02, throttled: 0.02, slow: 0.1 }
/** So late a slow call arrives. */
const SLOW_MS = 300
/** Each throttled call has the next ones wait, so that ten thousand members take half an hour. */
const SETTLED_WITHIN_MS = 2_700_000
/** Changes of one round that are made at once. */
const AT_ONCE = 16

/**
 * Credit, birth dates, names and memberships of members change at random while the platform throttles, fails 5 % of the calls and loses the
 * answers of 2 %, deletes some of the customers, and the service is killed. When all is quiet, every metafield and tag on the platform must
 * be as it follows from the rows, without any comparison having corrected it. Then somebody changes metafields by hand, and a sync must
 * find and correct that. Throws otherwise.
 */
export async function mirrorMetafields(trial: PlatformMetafieldsTrial): Promise<PlatformMetafieldsReport> {
  const random = randomFrom(trial.seed)
  const port = await freePort()
  const platform = await startPlatform(trial.databaseUrl, `http://127.0.0.1:${port}`)
  const line = await aFaultyConnection({ target: platform.url, shares: LINE_FAULTS, seed: trial.seed, slowMs: SLOW_MS })
  const start = (platformSeconds = 2) => startBesidePlatform({ ...trial, port, platformSeconds })
  let service: Awaited<ReturnType<typeof start>> | null = null
  try {
    const storeId = await platform.aStore(DOMAIN, trial.members)
    service = await start(60)
    const at = `/stores/store_${storeId}`
    const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => platform.db.inStore(storeId, work)
    const plans = []
    for (const type of ['vip', 'elite']) {
      const plan = await service.call('POST', `${at}/plans`, { name: type, type, price: '29.00', interval: 'month' })
      plans.push(Number(String(plan.id).slice('plan_'.length)))
    }
    const people = await joinPlans(inStore, plans)
    await movePlatform(platform.db, storeId, `${line.url}/${DOMAIN}`)
    // A running service remembers for some seconds where a store's platform is.
    await service.kill()
    service = await start()
    const settle = () => settleStore(service!.call, at, inStore)
    // The first sync of all of them is under the same faults.
    await until('a sync is accepted', () => accepted(service!.call('POST', `${at}/metafields/sync`, {})))
    await settle()
    assert.ok(line.faults.none > 0 && line.faults['503'] > 0, 'the first sync is under faults')
    await assertSame(service.call, at, 'after the first sync')
    const comparedAt = await lastWalk(inStore)

    const report = { changes: 0, byHand: 0, deleted: 0 }
    for (let round = 0; round < trial.rounds; round++) {
      const chosen = people.filter(() => random() < 1 / Math.min(trial.rounds, 4))
      for (let from = 0; from < chosen.length; from += AT_ONCE) {
        const some = chosen.slice(from, from + AT_ONCE)
        // Twice in a row, so that some change again while they are being written.
        for (const turn of [1, 2]) {
          await Promise.all(
            some.map((person) => change(inStore, person, random(), `${round}:${turn}:${person.memberId}`))
          )
          report.changes += some.length
        }
      }
      if (round < trial.kills) {
        await service.kill()
        service = await start()
      }
      report.deleted += await deleteSome(platform, storeId, people, random)
    }
    await settle()
    assert.equal(await lastWalk(inStore), comparedAt, 'a comparison of all has corrected what is to be examined')
    await assertSame(service.call, at, 'after the changes')
    await assertRows(inStore)

    report.byHand = await changeByHand(platform, storeId, random)
    await until('a sync is accepted', () => accepted(service!.call('POST', `${at}/metafields/sync`, {})))
    await settle()
    await assertSame(service.call, at, 'after the changes by hand')
    await assertRows(inStore)
    const { written, removed } = await inStore((ctx) =>
      ctx.tx.one(
        row({ written: int, removed: int }),
        sql`select written, deleted as removed from metafield_stores where store_id = ${ctx.storeId}`
      )
    )
    return { members: trial.members, kills: trial.kills, ...report, written, removed, faults: line.faults }
  } finally {
    await service?.kill()
    line.close()
    await platform.close()
  }
}

type InStore = <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>
type Call = Awaited<ReturnType<typeof startBesidePlatform>>['call']
type Person = { memberId: number; subscriptionId: number; platformId: string; isGone: boolean }

const accepted = (call: Promise<unknown>) =>
  call.then(
    () => true,
    () => false
  )

/** When all members were last compared. */
async function lastWalk(inStore: InStore): Promise<string> {
  const { at } = await inStore((ctx) =>
    ctx.tx.one(
      row({ at: text }),
      sql`select finished_at::text as at from metafield_stores where store_id = ${ctx.storeId}`
    )
  )
  return at
}

/** The contracts of the fixtures are sold under no plan; two of three become memberships. */
async function joinPlans(inStore: InStore, plans: number[]): Promise<Person[]> {
  const rows = await inStore(async (ctx) => {
    await ctx.tx.run(sql`
      update subscriptions set plan_id = case id % 3 when 0 then ${plans[0]!}::bigint when 1 then ${plans[1]!}::bigint end, plan_version = 1
       where store_id = ${ctx.storeId} and id % 3 < 2`)
    return ctx.tx.many(
      row({ memberId: int, subscriptionId: int, platformId: text }),
      sql`
      select s.member_id, s.id as subscription_id, m.platform_customer_id as platform_id
        from subscriptions s join members m on m.store_id = ${ctx.storeId} and m.id = s.member_id
       where s.store_id = ${ctx.storeId} order by s.id`
    )
  })
  return rows.map((one) => ({ ...one, isGone: false }))
}

async function change(inStore: InStore, person: Person, roll: number, operationId: string): Promise<void> {
  const { memberId, subscriptionId } = person
  if (person.isGone) return
  await inStore(async (ctx) => {
    if (roll < 0.4) {
      const amountMinor = 100 + Math.floor(roll * 10_000)
      await changeCredits(ctx, [{ memberId, type: 'manual_add', amountMinor, reason: 'Trial', operationId }])
    } else if (roll < 0.6) {
      await updateMember(ctx, memberId, {
        birthDate: Temporal.PlainDate.from('1980-01-01').add({ days: Math.floor(roll * 9_999) })
      })
    } else {
      const { status } = await ctx.tx.one(
        row({ status: text }),
        sql`select status from subscriptions where store_id = ${ctx.storeId} and id = ${subscriptionId}`
      )
      if (status === 'paused') await resumeSubscription(ctx, subscriptionId, null, 'api')
      else if (status === 'active' && roll < 0.9) await pauseSubscription(ctx, subscriptionId, null, 'api')
      else if (status === 'active')
        await cancelSubscription(ctx, subscriptionId, { reason: 'other', comment: null, by: 'api' })
    }
  }).catch((err) => {
    // The platform has deleted the customer a moment ago.
    if (!person.isGone && !/deleted/.test(String(err))) throw err
  })
}

/** The shop deletes two customers; a batch in which they are is refused until the message about it has come. */
async function deleteSome(
  platform: Awaited<ReturnType<typeof startPlatform>>,
  storeId: number,
  people: Person[],
  random: () => number
): Promise<number> {
  const some = [0, 1].map(() => people[Math.floor(random() * people.length)]!).filter(({ isGone }) => !isGone)
  for (const person of new Set(some)) {
    person.isGone = true
    await platform.controls.deleteCustomer({ storeId, customerId: person.platformId })
  }
  return new Set(some).size
}

/** Others change values, and delete some, as the platform's admin does. */
async function changeByHand(
  platform: Awaited<ReturnType<typeof startPlatform>>,
  storeId: number,
  random: () => number
): Promise<number> {
  const rows = await platform.db.inInstallation((tx) =>
    tx.many(
      row({ id: text, type: text }),
      sql`select id::text as id, type from sandbox.metafields where store_id = ${storeId} and namespace = 'svc' order by id`
    )
  )
  const chosen = rows.filter(() => random() < 0.05)
  const values: Record<string, string> = { json: '{"by":"hand"}', number_decimal: '99.00', number_integer: '0' }
  for (const { id, type } of chosen) {
    await platform.db.inInstallation((tx) =>
      random() < 0.2
        ? tx.run(sql`delete from sandbox.metafields where store_id = ${storeId} and id = ${id}`)
        : tx.run(
            sql`update sandbox.metafields set value = ${values[type] ?? 'by hand'} where store_id = ${storeId} and id = ${id}`
          )
    )
  }
  return chosen.length
}

/** Moves the clock over the pauses after failures until nothing waits. */
async function settleStore(call: Call, at: string, inStore: InStore): Promise<void> {
  await until(
    'everything is written',
    async () => {
      await call('POST', `${at}/clock/advance`, { by: 'PT10M' }).catch(() => {})
      // The walk waits by the platform's time, which no clock of a store moves.
      await inStore((ctx) =>
        ctx.tx.run(
          sql`update metafield_stores set next_at = statement_timestamp() where store_id = ${ctx.storeId} and failures > 0`
        )
      )
      const { left } = await inStore((ctx) =>
        ctx.tx.one(
          row({ left: int }),
          sql`
          select (select count(*) from metafield_owners where store_id = ${ctx.storeId} and due_at is not null)
                 + (select count(*) from tag_owners where store_id = ${ctx.storeId} and due_at is not null)
                 + (select count(*) from inbound_webhooks where store_id = ${ctx.storeId} and status = 'waiting')
                 + (select count(*) from metafield_stores
                     where store_id = ${ctx.storeId}
                       -- The next walk is a day away; one that has failed at its beginning is tried again within the hour.
                       and (phase <> 'start' or is_asked or next_at < statement_timestamp() + interval '2 hours'))
                 + (select count(*) from facts where store_id = ${ctx.storeId} and position is null)
                 + (select count(*) from fact_consumers
                     where store_id = ${ctx.storeId} and consumer in ('metafields', 'tags') and position < last_position) as left`
        )
      )
      return left === 0
    },
    SETTLED_WITHIN_MS
  )
}

/** What the commands `metafields diff` and `tags diff` say. */
async function assertSame(call: Call, at: string, when: string): Promise<void> {
  for (const [path, list] of [
    ['metafields', 'differences'],
    ['tags', 'data']
  ] as const) {
    let after: string | null = null
    do {
      const query: string = after === null ? '' : `?after=${after}`
      const page = await until(`a page of ${path}`, () =>
        call('GET', `${at}/${path}${query}`, undefined).catch(() => null)
      )
      assert.deepEqual(page[list], [], `${path} on the platform are wrong ${when}`)
      after = page.next as string | null
    } while (after !== null)
  }
}

/** The same by other statements: what the platform's own rows say beside ours. */
async function assertRows(inStore: InStore): Promise<void> {
  const wrong = await inStore((ctx) =>
    ctx.tx.many(
      row({ subject: text }),
      sql`
      with live as (
        select id, platform_customer_id, birth_date from members
         where store_id = ${ctx.storeId} and status is not null and platform_deleted_at is null),
      there as (
        select owner_id::text as customer, key, value from sandbox.metafields
         where store_id = ${ctx.storeId} and owner_type = 'Customer' and namespace = 'svc')
      select 'credit of ' || l.id as subject
        from live l
        left join there t on t.customer = l.platform_customer_id and t.key = 'svc_st'
       where t.value is null
          or t.value::numeric * 100 <> coalesce((select sum(e.amount_minor) from credit_entries e
                                                   where e.store_id = ${ctx.storeId} and e.member_id = l.id), 0)
       union all
      select 'birth date of ' || l.id
        from live l
        left join there t on t.customer = l.platform_customer_id and t.key = 'svc_member_details'
       where t.value is null or t.value::jsonb ->> 'birth_date' <> coalesce(l.birth_date::text, '')
       union all
      select 'membership of ' || l.id
        from live l
        join subscriptions s on s.store_id = ${ctx.storeId} and s.member_id = l.id and s.plan_id is not null
        left join there t on t.customer = l.platform_customer_id and t.key = 'customer_subscription1'
       where t.value is null or t.value::jsonb ->> 'status' <> upper(s.status)
          or t.value::jsonb ->> 'scid' <> s.platform_contract_id
       limit 20`
    )
  )
  assert.deepEqual(wrong, [], 'metafields of customers do not say what the rows say')
}
