export { type ConnectionFailure, connectionFailureOf } from './connection-failure.ts'
export { type GuardedAgents, openGuardedAgents } from './guarded-agents.ts'
