export type { DueStores, Engine } from './engine.ts'
