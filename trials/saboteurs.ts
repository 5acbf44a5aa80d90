import { badReceiversSaboteurs } from './saboteurs/bad-receivers.ts'
import { bodyFloodSaboteurs } from './saboteurs/body-flood.ts'
import { calendarSaboteurs } from './saboteurs/calendar.ts'
import { canarySecretsSaboteurs } from './saboteurs/canary-secrets.ts'
import { churnActivationsSaboteurs } from './saboteurs/churn-activations.ts'
import { concurrentDeductsSaboteurs } from './saboteurs/concurrent-deducts.ts'
import { contentionSaboteurs } from './saboteurs/contention.ts'
import { crashPointsSaboteurs } from './saboteurs/crash-points.ts'
import { creditCodesSaboteurs } from './saboteurs/credit-codes.ts'
import { cursorReadsSaboteurs } from './saboteurs/cursor-reads.ts'
import { databaseFaultsSaboteurs } from './saboteurs/database-faults.ts'
import { exportSyncSaboteurs } from './saboteurs/export-sync.ts'
import { failoverSaboteurs } from './saboteurs/failover.ts'
import { filterInjectionSaboteurs } from './saboteurs/filter-injection.ts'
import { foreignIdsSaboteurs } from './saboteurs/foreign-ids.ts'
import { fuzzSaboteurs } from './saboteurs/fuzz.ts'
import { hangingCallsSaboteurs } from './saboteurs/hanging-calls.ts'
import { hangingMessagesSaboteurs } from './saboteurs/hanging-messages.ts'
import { hostileAddressesSaboteurs } from './saboteurs/hostile-addresses.ts'
import { killRenewalsSaboteurs } from './saboteurs/kill-renewals.ts'
import { killSenderSaboteurs } from './saboteurs/kill-sender.ts'
import { ledgerModelSaboteurs } from './saboteurs/ledger-model.ts'
import { lostMessagesSaboteurs } from './saboteurs/lost-messages.ts'
import { loyaltyModelSaboteurs } from './saboteurs/loyalty-model.ts'
import { oneKeySaboteurs } from './saboteurs/one-key.ts'
import { platformCreditSaboteurs } from './saboteurs/platform-credit.ts'
import { platformMetafieldsSaboteurs } from './saboteurs/platform-metafields.ts'
import { pointsModelSaboteurs } from './saboteurs/points-model.ts'
import { proxyRequestsSaboteurs } from './saboteurs/proxy-requests.ts'
import { restartDatabaseSaboteurs } from './saboteurs/restart-database.ts'
import { restoredBackupSaboteurs } from './saboteurs/restored-backup.ts'
import { rollingUpgradeSaboteurs } from './saboteurs/rolling-upgrade.ts'
import type { Saboteur } from './saboteurs/saboteur.ts'
import { sharedLimitsSaboteurs } from './saboteurs/shared-limits.ts'
import { simulatedStoreSaboteurs } from './saboteurs/simulated-store.ts'
import { slowSearchesSaboteurs } from './saboteurs/slow-searches.ts'
import { twoNodesSaboteurs } from './saboteurs/two-nodes.ts'
import { unknownOutcomeSaboteurs } from './saboteurs/unknown-outcome.ts'
import { warehouseSumsSaboteurs } from './saboteurs/warehouse-sums.ts'

/** The saboteurs by name, which says what the broken code does; those of a trial are in `saboteurs/<trial>.ts`. */
export const SABOTEURS: Record<string, Saboteur> = {
  ...badReceiversSaboteurs,
  ...bodyFloodSaboteurs,
  ...calendarSaboteurs,
  ...concurrentDeductsSaboteurs,
  ...contentionSaboteurs,
  ...crashPointsSaboteurs,
  ...platformMetafieldsSaboteurs,
  ...pointsModelSaboteurs,
  ...proxyRequestsSaboteurs,
  ...foreignIdsSaboteurs,
  ...filterInjectionSaboteurs,
  ...hostileAddressesSaboteurs,
  ...canarySecretsSaboteurs,
  ...cursorReadsSaboteurs,
  ...exportSyncSaboteurs,
  ...databaseFaultsSaboteurs,
  ...failoverSaboteurs,
  ...fuzzSaboteurs,
  ...hangingCallsSaboteurs,
  ...hangingMessagesSaboteurs,
  ...killRenewalsSaboteurs,
  ...killSenderSaboteurs,
  ...ledgerModelSaboteurs,
  ...lostMessagesSaboteurs,
  ...loyaltyModelSaboteurs,
  ...oneKeySaboteurs,
  ...churnActivationsSaboteurs,
  ...creditCodesSaboteurs,
  ...platformCreditSaboteurs,
  ...restartDatabaseSaboteurs,
  ...restoredBackupSaboteurs,
  ...rollingUpgradeSaboteurs,
  ...sharedLimitsSaboteurs,
  ...simulatedStoreSaboteurs,
  ...slowSearchesSaboteurs,
  ...twoNodesSaboteurs,
  ...unknownOutcomeSaboteurs,
  ...warehouseSumsSaboteurs
}
