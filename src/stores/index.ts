export {
  claimRefresh,
  failRefresh,
  findTokenState,
  finishRefresh,
  type IssuedToken,
  REFRESH_AHEAD_MS,
  seesAllOrders,
  type TokenTerms,
  writeGrantedScopes
} from './access-tokens.ts'
export { type Alert, listAlerts, type NewAlert, notify } from './alerts.ts'
export { freezeClock, setClock, storeNow, storeStatuses } from './clock.ts'
export {
  type Disconnection,
  disconnectStore,
  type IssuedConnection,
  type NewConnection,
  reconnectStore,
  updateShop,
  writeIssuedConnection
} from './connection.ts'
export { type CreatedStore, createStore, type NewStore } from './create-store.ts'
export { type DatabaseSeen, findRestore, type Restore, tickEpoch, writePlace } from './database-place.ts'
export { beginStoreDeletion } from './delete-store.ts'
export { findStore, listStores, requireStore } from './find-store.ts'
export { isMasterKeyValid } from './is-master-key-valid.ts'
export { authenticateKey, type Caller, writeKeyUses } from './keys/authenticate-key.ts'
export { type ApiKey, listKeys, namesOfKeys } from './keys/key-queries.ts'
export { createKey, revokeKey, rollKey } from './keys/keys.ts'
export {
  type Credentials,
  evictPlatformAccess,
  isDomainCached,
  mayChangePlatform,
  movePlatform,
  platformAccess,
  type StoreAccess,
  storeByDomain
} from './platform-access.ts'
export { noteProxyUse, writeProxyUses } from './proxy-uses.ts'
export { markCaughtUp, markStoreConnected, writeWebhooksUrl } from './queries.ts'
export { refuseOnHold, storeDeleting, storeDisconnected, storeNotFound } from './refusals.ts'
export { markTokenRefused, markTokenTaken } from './refused-tokens.ts'
export { markAllRestored, markRestored, unmarkRestored } from './restored.ts'
export { SCOPES, type Scope } from './scopes.ts'
export { type PlatformProfileName, RATE_PLANS, type RatePlan, type Store } from './store.ts'
export { forgetStoreContext, type StoreContext, storeContext } from './store-context.ts'
export { createStoreDeletions, type StoreDeletions } from './store-deletions.ts'
export { settingsOf, updateSettings } from './store-settings.ts'
export { advanceClock } from './test-clock/advance-clock.ts'
