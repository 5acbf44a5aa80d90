import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './results.ts'

/** What is mutated in a module, and by which tests. Paths of files are below `src/<module>`, patterns are globs. */
export type MutatedModule = {
  /** Files that decide money or order: every mutant counts. `*` stands for a name, `**` for a path. */
  decisive: string[]
  /** Files that are texts for people. */
  texts: string[]
  /** Functions of the module in migrations/functions, without the ending. */
  functions: string[]
  /** Test files beside its own, from the root: what exercises it in one process. */
  tests: string[]
}

/** Tests that start processes of their own are left out: a mutant would leave them behind. */
export const MODULES: Record<string, MutatedModule> = {
  credits: {
    decisive: ['change-credits.ts', 'plan-change.ts', 'queries.ts', 'transfer-credit.ts', 'credit-engine.ts'],
    texts: [],
    functions: [],
    tests: [
      'test/credit-expiry.test.ts',
      'test/cycle-credit.test.ts',
      'src/http/rest/store-credits.test.ts',
      'src/billing/settling/cycle-credits.test.ts',
      'test/due-across-stores.test.ts'
    ]
  },
  points: {
    decisive: ['adjust-points.ts', 'queries.ts', 'transfer-points.ts'],
    texts: [],
    functions: [],
    tests: ['src/credits/audit-rules.test.ts', 'src/http/rest/update-member.test.ts', 'test/events-of-members.test.ts']
  },
  lifecycle: {
    decisive: [
      'assert-within-trial.ts',
      'cancel-subscription.ts',
      'change-subscription.ts',
      'end-for-deleted-customers.ts',
      'gift-subscription.ts',
      'pause-subscription.ts',
      'plan-change.ts',
      'reactivate-subscription.ts',
      'request-change.ts',
      'reschedule-subscription.ts',
      'resume-subscription.ts',
      'skip-cycle.ts'
    ],
    texts: [],
    functions: [],
    tests: [
      'test/rest-actions.test.ts',
      'test/subscription-changes.test.ts',
      'test/gifts.test.ts',
      'test/events-of-subscriptions.test.ts',
      'test/platform-disconnects.test.ts',
      'src/http/admin/subscriptions.test.ts',
      'src/http/storefront/cancellation.test.ts',
      'src/subscriptions/ended-changes.test.ts',
      'src/billing/past-due-cycles.test.ts'
    ]
  },
  subscriptions: {
    decisive: [
      'apply-plan-version.ts',
      'contract-queries.ts',
      'due-transitions.ts',
      'insert-subscriptions.ts',
      'lock-subscriptions.ts',
      'plan-repricing.ts',
      'repricing-queries.ts',
      'replaced-prices.ts',
      'platform-requests.ts',
      'reassign-subscriptions.ts',
      'rebase-timezone.ts',
      'timezone-rebase-job.ts',
      'requested-changes.ts',
      'membership-status/*',
      'schedule/*',
      'transitions/*'
    ],
    texts: ['history/activity-messages.ts'],
    functions: [],
    tests: [
      'src/lifecycle/preview.test.ts',
      'src/lifecycle/refused.test.ts',
      'src/lifecycle/request-plan.test.ts',
      'src/lifecycle/trials.test.ts',
      'src/lifecycle/two-at-once.test.ts',
      'src/lifecycle/stop-billing.test.ts',
      'src/billing/billing.test.ts',
      'src/billing/billing-engine.test.ts',
      'src/billing/dunning/declined-orders.test.ts',
      'src/billing/past-due-cycles.test.ts',
      'src/billing/missed-cycles.test.ts',
      'src/billing/settling/apply-late-success.test.ts',
      'src/billing/settling/apply-plans.test.ts',
      'src/billing/ended-pauses.test.ts',
      'src/contracts/contract-edits.test.ts',
      'src/contracts/imported-subscription.test.ts',
      'src/contracts/update-from-contracts.test.ts',
      'src/contracts/upsert-from-contracts.test.ts',
      'src/members/set-membership-status.test.ts',
      'test/dunning-paths.test.ts',
      'test/due-across-stores.test.ts',
      'test/due-plans.test.ts',
      'test/events-of-subscriptions.test.ts',
      'test/gifts.test.ts',
      'test/plan-price-versions.test.ts',
      'test/push-contracts.test.ts',
      'test/rest-actions.test.ts',
      'test/stopped-retries.test.ts',
      'test/subscription-changes.test.ts',
      'test/unbilled-cycles.test.ts'
    ]
  },
  billing: {
    decisive: [
      'billing-engine.ts',
      'attempts/*',
      'charging/*',
      'dunning/is-cycle-held.ts',
      'dunning/next-dunning-step.ts',
      'dunning/record-action-required.ts',
      'dunning/remind-customers.ts',
      'dunning/retry-on-payment-method-update.ts',
      'dunning/retry-schedule.ts',
      'settling/*'
    ],
    texts: ['activities.ts', 'alerts.ts'],
    functions: ['cycle-declined'],
    tests: [
      'src/contracts/new-payment-methods.test.ts',
      'src/lifecycle/stop-billing.test.ts',
      'src/lifecycle/two-at-once.test.ts',
      'test/actual-charges.test.ts',
      'test/billing-run.test.ts',
      'test/customer-action.test.ts',
      'test/cycle-credit.test.ts',
      'test/due-across-stores.test.ts',
      'test/dunning-paths.test.ts',
      'test/early-retries.test.ts',
      'test/events-of-billing.test.ts',
      'test/faulty-platform.test.ts',
      'test/late-calls.test.ts',
      'test/new-payment-methods.test.ts',
      'test/partial-answers.test.ts',
      'test/restored-stores.test.ts',
      'test/reversed-charges.test.ts',
      'test/second-payments.test.ts',
      'test/stopped-retries.test.ts',
      'test/unbilled-cycles.test.ts',
      'test/unkind-platform.test.ts'
    ]
  },
  contracts: {
    decisive: [
      'apply-payment-method-update.ts',
      'contract-edits.ts',
      'contract-pushes.ts',
      'contract-request.ts',
      'create-from-contracts.ts',
      'create-subscription.ts',
      'decide-contract-changes.ts',
      'imported-subscription.ts',
      'missing-contracts.ts',
      'new-subscription.ts',
      'pending-creations.ts',
      'quarantined-contracts.ts',
      'read-contract-terms.ts',
      'refused-changes.ts',
      'resolve-new-contracts.ts',
      'update-from-contracts.ts',
      'upsert-from-contracts.ts'
    ],
    texts: [],
    functions: [],
    tests: [
      'src/subscriptions/ended-changes.test.ts',
      'test/created-subscriptions.test.ts',
      'test/events-of-subscriptions.test.ts',
      'test/imports.test.ts',
      'test/multi-line-contracts.test.ts',
      'test/new-payment-methods.test.ts',
      'test/pending-creations.test.ts',
      'test/push-contracts.test.ts',
      'test/quarantined-contracts.test.ts',
      'test/reconcile.test.ts',
      'test/subscription-changes.test.ts'
    ]
  },
  webhooks: {
    decisive: [],
    texts: ['event-list.ts'],
    functions: ['create-webhook-partition', 'drop-webhook-partition', 'webhook-partitions'],
    tests: [
      'test/events-of-billing.test.ts',
      'test/due-across-stores.test.ts',
      'src/http/rest/webhook-endpoints.test.ts'
    ]
  },
  sync: {
    decisive: [],
    texts: [],
    functions: [],
    tests: [
      'test/reconcile.test.ts',
      'test/push-contracts.test.ts',
      'test/push-customers.test.ts',
      'test/pending-creations.test.ts',
      'test/platform-disconnects.test.ts',
      'test/connector-sandbox.test.ts',
      'test/due-across-stores.test.ts',
      'test/customer-action.test.ts',
      'test/gifts.test.ts',
      'test/multi-line-contracts.test.ts',
      'test/new-payment-methods.test.ts',
      'test/quarantined-contracts.test.ts',
      'test/restored-stores.test.ts',
      'test/reversed-charges.test.ts',
      'test/second-payments.test.ts',
      'test/subscription-changes.test.ts'
    ]
  },
  kit: {
    decisive: ['jobs/*'],
    texts: ['postgres/migration-set.ts'],
    functions: ['sequence-facts'],
    tests: [
      'test/due-across-stores.test.ts',
      'test/migrations.test.ts',
      'test/delete-store.test.ts',
      'src/credits/change-credits.test.ts',
      'test/pruned-facts.test.ts'
    ]
  }
}

/** A source of a module with its text. */
export type Source = { file: string; text: string; isDecisive: boolean }

/** The sources of a module that are mutated. Doors, which only name things, and texts are not among them. */
export async function sourcesOf(module: string): Promise<Source[]> {
  const { decisive, texts, functions } = MODULES[module]!
  const files = await readdir(join(ROOT, 'src', module), { recursive: true })
  const code = files
    .filter(
      (file) => file.endsWith('.ts') && !/\.test(-helper)?\.ts$|(^|\/)index\.ts$/.test(file) && !texts.includes(file)
    )
    .sort()
    .map((file) => ({ file: `src/${module}/${file}`, isDecisive: decisive.some((one) => matches(one, file)) }))
  const sql = functions.map((name) => ({ file: `migrations/functions/${name}.sql`, isDecisive: true }))
  return [...code, ...sql].map((one) => ({ ...one, text: readFileSync(join(ROOT, one.file), 'utf8') }))
}

/** The test files of a module: its own, and the named ones. */
export async function testsOf(module: string): Promise<string[]> {
  const files = await readdir(join(ROOT, 'src', module), { recursive: true })
  const own = files.filter((file) => file.endsWith('.test.ts')).map((file) => `src/${module}/${file}`)
  return [...new Set([...own.sort(), ...MODULES[module]!.tests])]
}

const matches = (pattern: string, file: string) =>
  pattern.endsWith('/*') ? file.startsWith(pattern.slice(0, -1)) : pattern === file
