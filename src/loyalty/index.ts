export { adjustPoints } from './adjust-points.ts'
export type { PointsAdjustment, PointsEntry } from './points.ts'
