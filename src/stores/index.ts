export { authenticateKey, type Caller, writeKeyUses } from './authenticate-key.ts'
export { freezeClock, setClock, storeNow, storePulse } from './clock.ts'
export { disconnectStore, followShop, reconnectStore } from './connection.ts'
export { type CreatedStore, createStore, type NewStore } from './create-store.ts'
export { findStore, listStores, theStore } from './find-store.ts'
export { type ApiKey, listKeys } from './key-queries.ts'
export { createKey, revokeKey } from './keys.ts'
export { masterKeyFits } from './master-key-fits.ts'
export { listNotices, type Notification, notify } from './notices.ts'
export {
  type Credentials,
  forgetPlatformAccess,
  movePlatform,
  platformAccess,
  type StoreAccess,
  storeByDomain
} from './platform-access.ts'
export { markCaughtUp, markStoreConnected } from './queries.ts'
export { storeDisconnected } from './refusals.ts'
export { SCOPES, type Scope } from './scopes.ts'
export { settingsOf, updateSettings } from './settings.ts'
export { type PlatformProfileName, RATE_PLANS, type RatePlan, type Store } from './store.ts'
export { type StoreFacts, storeFacts } from './store-facts.ts'
