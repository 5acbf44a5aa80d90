/** A statement that may break a rule, with the reason. `owner` is the function or constant that holds it. */
export type Exception = { file: string; owner: string; rules: readonly number[]; reason: string }

/** Statements over all stores (rule 9): plain reads and plain updates, which every machine can run for its own stores. */
export const EXCEPTIONS: Exception[] = [
  {
    file: 'src/audit/count-queues.ts',
    owner: 'countQueues',
    rules: [1, 9],
    reason: 'counts what waits in all stores, each queue by itself'
  },
  {
    file: 'src/audit/problems/charge-problems.ts',
    owner: 'chargeProblems',
    rules: [1, 9],
    reason:
      'finds held charges in all stores by an index that has few rows; joins, and looks for later attempts, only by the store'
  },
  ...[
    ['src/audit/problems/queue-problems.ts', 'eventProblems'],
    ['src/audit/problems/queue-problems.ts', 'jobProblems'],
    ['src/audit/problems/queue-problems.ts', 'reconciliationProblems'],
    ['src/audit/problems/scope-problems.ts', 'scopeProblems'],
    ['src/audit/problems/reward-problems.ts', 'rewardProblems'],
    ['src/audit/problems/mirror-problems.ts', 'mirrorProblems'],
    ['src/webhooks/endpoints/troubled-endpoints.ts', 'listTroubledEndpoints']
  ].map(([file, owner]) => ({
    file: file!,
    owner: owner!,
    rules: [1],
    reason: 'finds what fails in all stores, grouped or limited; joins only by the store'
  })),
  {
    file: 'src/kit/outbox/sequence-facts.ts',
    owner: 'startConsumersInStores',
    rules: [1],
    reason: 'finds stores where a consumer is new'
  },
  {
    file: 'src/stores/restored.ts',
    owner: 'markAllRestored',
    rules: [9],
    reason: 'holds all stores at once after a restore, before anything else happens in one of them'
  },
  {
    file: 'src/sync/reconciler/reconciliation.ts',
    owner: 'restartAllReconciliations',
    rules: [1],
    reason: 'has every store read anew after a restore, in the transaction that holds them all'
  },
  {
    file: 'src/credits/queries.ts',
    owner: 'takeEntryIds',
    rules: [9],
    reason:
      'takes the lock of an insert before an id, so that readers that go by ids see the writer; it conflicts with no other writer'
  },
  {
    file: 'src/kit/outbox/consume-facts.ts',
    owner: 'lockConsumer',
    rules: [8],
    reason: 'sets how long a statement may last, which every machine may learn late or not at all'
  },
  {
    file: 'src/kit/outbox/remove-consumers.ts',
    owner: 'removeConsumers',
    rules: [1],
    reason: 'removes what is left of consumers that are no more, in all stores'
  },
  {
    file: 'src/webhooks/listeners/listener-queries.ts',
    owner: 'listSilent',
    rules: [1],
    reason: 'finds listeners that stopped, in all stores'
  },
  {
    file: 'src/webhooks/listeners/listener-queries.ts',
    owner: 'deleteForgotten',
    rules: [1, 9],
    reason: 'removes closed listeners that no history names, in all stores: each is looked up in its own store'
  },
  {
    file: 'src/webhooks/history/retention-queries.ts',
    owner: 'moveOpenDeliveries',
    rules: [1, 9],
    reason:
      'locks and moves a whole day of history, of all stores; on several machines each does it for its own partitions'
  },
  {
    file: 'src/webhooks/history/retention-queries.ts',
    owner: 'countDay',
    rules: [1, 9],
    reason: 'counts a whole day of history, of all stores; on several machines each does it for its own partitions'
  },
  {
    file: 'src/webhooks/history/retention-queries.ts',
    owner: 'listUncountedDays',
    rules: [1],
    reason: 'finds the days of the history, of all stores, that are to be counted'
  },
  {
    file: 'src/webhooks/event-log/roll-up-event-counts.ts',
    owner: 'rollUpEventCounts',
    rules: [1],
    reason: 'finds the stores with events to count'
  },
  { file: 'src/kit/idempotency.ts', owner: 'pruneResponses', rules: [1], reason: 'removes old rows of every store' },
  {
    file: 'src/http/rate-limits/rate-limiter.ts',
    owner: 'createRateLimiter',
    rules: [1],
    reason: 'removes old rows of every store'
  },
  {
    file: 'src/requests/request-log.ts',
    owner: 'insertRequests',
    rules: [1],
    reason: 'writes what many stores were asked at once'
  },
  {
    file: 'src/requests/prune-requests.ts',
    owner: 'pruneApiRequests',
    rules: [1],
    reason: 'removes old rows of every store'
  },
  {
    file: 'src/stores/proxy-uses.ts',
    owner: 'writeUses',
    rules: [9],
    reason: 'updates many stores at once, by their numbers; stores is not sharded'
  },
  {
    file: 'src/stores/keys/key-queries.ts',
    owner: 'writeLastUses',
    rules: [1],
    reason: 'updates keys of many stores at once'
  },
  {
    file: 'src/views/totals/roll-up-totals.ts',
    owner: 'rollUpTotals',
    rules: [1, 9],
    reason: 'finds the stores with changes to roll up, which belongs to the maintained counts below'
  },
  {
    file: 'src/stores/queries.ts',
    owner: 'lockStoreByDomain',
    rules: [5],
    reason: 'locks one row by its domain, before the number of the store is known; stores is not sharded'
  },
  {
    file: 'src/contracts/quarantined-contracts.ts',
    owner: 'quarantineContracts',
    rules: [7],
    reason: 'asks of the row that it wrote whether it is new, and compares no ids of transactions'
  },
  {
    file: 'src/kit/postgres/migrate.ts',
    owner: 'planAll',
    rules: [9],
    reason: 'makes the table of applied migrations'
  },
  {
    file: 'src/kit/postgres/migrate.ts',
    owner: 'apply',
    rules: [2],
    reason: 'writes the table of applied migrations, which is not sharded'
  },
  { file: 'src/kit/postgres/roles.ts', owner: 'createRoles', rules: [9], reason: 'makes the roles before migrations' }
]

/** Exceptions for statements that are put together when they run, which only a whole run of the tests finds. */
export const RAN_EXCEPTIONS: Exception[] = [
  {
    file: 'src/kit/postgres/erase-store.ts',
    owner: 'vacuum',
    rules: [9],
    reason: 'tidies a table after a large store is deleted; every machine can do it for its own part, or not at all'
  }
]

/** Reads over many stores (rule 9) besides the due queries of engines: their names in `acrossStores`, with the reasons. */
export const READS_OVER_STORES: ReadonlyMap<string, string> = new Map([
  ['store_statuses', 'every node asks which stores it works for, and until when'],
  ['store_statuses_of', 'the same, of the stores that a notification names'],
  ['facts_to_prune', 'finds the stores with facts that are old enough to remove']
])

/**
 * The maintained counts of lists and metrics: their functions read tables inside other statements (rule 4), and triggers
 * with transition tables feed them (rule 7). They stay until sharding itself is built; then the application writes what
 * the triggers write. Nothing may be added here.
 */
export const MAINTAINED_COUNTS = {
  functions: new Set<string>(['page_with_total', 'rolled_up_to', 'metric_differences']),
  triggers: new Set<string>([
    'append_metrics on billing_attempts',
    'append_metrics_new on billing_attempts',
    'record_deletes on billing_attempts',
    'record_inserts on billing_attempts',
    'record_updates on billing_attempts',
    'append_metrics on credit_entries',
    'append_metrics on loyalty_coupons',
    'append_refused_metrics on loyalty_coupons',
    'append_metrics on contract_offers',
    'append_changed_metrics on contract_offers',
    'append_metrics on churn_shown',
    'append_changed_metrics on churn_shown',
    'append_metrics on members',
    'append_metrics_new on members',
    'record_deletes on members',
    'record_inserts on members',
    'record_updates on members',
    'append_metrics on orders',
    'append_metrics_new on orders',
    'append_metrics on points_entries',
    'append_metrics on status_changes',
    'append_metrics on subscription_orders',
    'append_metrics on subscriptions',
    'append_metrics_new on subscriptions',
    'record_deletes on subscriptions',
    'record_inserts on subscriptions',
    'record_updates on subscriptions'
  ])
}
