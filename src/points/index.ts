export { adjustPoints } from './adjust-points.ts'
export type { PointsFact } from './events.ts'
export { transferPoints } from './transfer-points.ts'
